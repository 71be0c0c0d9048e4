"""What stands below a row of an alignment: the values that make the difference."""

from collections.abc import Iterator

from otap.report.story.rows import Row
from otap.report.story.telling import Telling
from otap.report.story.values import arguments_text, value_text
from otap.report.terminal.paper import Paper
from otap.report.view import Line
from otap.scoring import Against

INDENT = 8
CHANGES = 4  # of a row
LONGEST = 160  # characters of one value


def notes_view(row: Row, against: Against, paper: Paper, telling: Telling) -> Iterator[Line]:
    """Yields what differs: values, what a step that is alone was given, how one failed."""
    if row.relation in ("arguments", "tool"):
        yield from _changes(row, against, paper)
    elif row.relation == "failed":
        yield from _note(value_text(against.run.steps[row.run[0]].effect, LONGEST), paper)
    elif not (row.run and row.reference) and not row.is_slight:
        side = against.run if row.run else against.reference
        step = side.steps[(*row.run, *row.reference)[0]]
        yield from _note(arguments_text(telling.given(step), LONGEST), paper)


def _changes(row: Row, against: Against, paper: Paper) -> Iterator[Line]:
    ours, theirs = against.run.steps[row.run[0]], against.reference.steps[row.reference[0]]
    found = against.details.get((ours.id, theirs.id))
    changes = () if found is None else found.changes
    for change in changes[:CHANGES]:
        yield from _note(str(change), paper, "" if not row.is_slight else "dim")
    rest = len(changes) - CHANGES
    if rest > 0:
        yield from _note(f"and {rest} more", paper)


def _note(text: str, paper: Paper, style: str = "dim") -> Iterator[Line]:
    if text:
        yield from paper.paragraph(paper.own(text), style, INDENT)
