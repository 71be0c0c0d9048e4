"""The page of one run: a headline, the findings, a drawing of the alignment, and every step.

Each part has a module that says what is shown, and a template that shows it.
"""

from otap.report.pages.run.body import run_body

__all__ = ["run_body"]
