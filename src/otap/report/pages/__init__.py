"""Pages: self-contained HTML files that open from disk, with templates that escape everything.

``document`` puts a page together. Each of its parts has a module and a template. Shared styles are
in ``style``, scripts in ``script``.
"""
