"""The cells that several views share: a step, a quality, the kind of a finding."""

from collections.abc import Mapping

from otap._numbers import score_text
from otap.alignment import Finding, Severity
from otap.errors import shown
from otap.report.view import Cell
from otap.trajectory import Step

COLUMN = 42  # characters of a step
GOOD, FAIR = 0.8, 0.5  # from here on a quality is drawn green, yellow
_STYLES: Mapping[Severity, str] = {"critical": "bold red", "major": "yellow", "minor": "cyan"}


def step_cell(step: Step) -> Cell:
    """Returns a step's id with its tool, else its action, else its kind."""
    return Cell(shown(f"{shown(step.id, 20)}  {shown(step_name(step), 60)}", COLUMN))


def step_name(step: Step) -> str:
    """Returns what a step is called beside its id: its tool, else its action, else its kind."""
    return step.tool or step.action or step.kind


def quality_cell(value: float | None) -> Cell:
    """Returns a number in [0, 1] of which 1 is best, in the colour of how good it is."""
    return Cell(score_text(value), _quality_style(value))


def kind_cell(finding: Finding) -> Cell:
    """Returns the kind of a finding, in the colour of how bad it is."""
    return Cell(finding.kind, _STYLES[finding.severity])


def severity_cell(severity: Severity) -> Cell:
    """Returns how bad something is, in its colour."""
    return Cell(severity, _STYLES[severity])


def _quality_style(value: float | None) -> str:
    if value is None:
        return "dim"
    return "bold green" if value >= GOOD else "bold yellow" if value >= FAIR else "bold red"
