"""Shows scores, graphs, results and settings to people; ``otap._numbers`` formats the numbers.

``model`` holds the content that all views of a score share: the rows of its alignment, their signs,
and the headline. ``terminal``, ``markdown``, ``pages``, ``plots`` and ``card`` show it.
``together`` aligns several runs of one task, and ``redaction`` hides the texts of runs. ``results``
shows many results, and ``learned`` everything learned from runs. ``rendering`` fills in the
templates, and ``view`` prints lines and tables.
"""
