"""Several runs of one task: a grid of them, which folds, and whose cells open to their calls."""

from otap.report.pages.task.page import task_body, task_page

__all__ = ["task_body", "task_page"]
