"""What several views share: a quality and how bad something is, in colour; a step's name."""

from collections.abc import Mapping

from otap._numbers import score_text
from otap.alignment import Severity
from otap.report.view import Cell
from otap.trajectory import Step

GOOD, FAIR = 0.8, 0.5  # from here on a quality is drawn green, yellow
_STYLES: Mapping[Severity, str] = {"critical": "bold red", "major": "yellow", "minor": "cyan"}


def step_name(step: Step) -> str:
    """Returns what a step is called beside its id: its tool, else its action, else its kind."""
    return step.tool or step.action or step.kind


def quality_cell(value: float | None) -> Cell:
    """Returns a number in [0, 1] of which 1 is best, in the colour of how good it is."""
    return Cell(score_text(value), _quality_style(value))


def severity_cell(severity: Severity) -> Cell:
    """Returns how bad something is, in its colour."""
    return Cell(severity, _STYLES[severity])


def severity_style(severity: Severity) -> str:
    """Returns the colour of how bad something is."""
    return _STYLES[severity]


def _quality_style(value: float | None) -> str:
    if value is None:
        return "dim"
    return "bold green" if value >= GOOD else "bold yellow" if value >= FAIR else "bold red"
