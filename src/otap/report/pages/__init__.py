"""Pages: one self-contained HTML file that opens from disk, by templates that escape everything.

``document`` puts a page together. What it shows has a module and a template each; what all of
them share of looks lies in ``style``, what makes them answer in ``script``.
"""
