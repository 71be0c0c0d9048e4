"""Scores, graphs, results and settings as people read them; numbers as ``otap._numbers`` has them.

``model`` is what all views of a score tell alike: the rows of its alignment, their signs, what went
wrong in a sentence. ``terminal``, ``markdown``, ``pages``, ``plots`` and ``card`` show it;
``together`` aligns several runs of one task, ``redaction`` hides what runs say. ``results`` has
many results, ``learned`` what was learned. ``rendering`` fills in the templates, ``view`` has lines
and tables, and prints them.
"""
