"""Many runs as a page: what they say together, then one row a run, which opens to its steps.

``page`` puts it together; ``overview``, ``tasks`` and ``moved`` are what stands above the rows,
``rows`` the rows, ``opened`` what a row opens to, and ``packs`` holds that, compressed.
"""

from otap.report.pages.many.page import Many, many_page

__all__ = ["Many", "many_page"]
