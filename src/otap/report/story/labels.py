"""What steps are called in pictures and in Markdown."""

from otap.errors import shown
from otap.report.cells import step_name
from otap.trajectory import Step


def step_label(step: Step) -> str:
    """Returns a step's id and its name, on one line; it is not escaped for any markup."""
    return f"{shown(step.id, 24)} {shown(step_name(step), 40)}"
