"""The two columns of an alignment: what stands in them, and how wide they are."""

from collections.abc import Sequence
from dataclasses import dataclass

from otap.report.cells import step_name
from otap.report.rows import Row
from otap.report.signs import MOVED, SIGNS
from otap.report.terminal.paper import Paper, padded
from otap.report.terminal.widths import width
from otap.scoring import Against, Side
from otap.trajectory import Step

MARGIN = 4  # columns before the run's steps: for the mark of what is critical
GAP = 2  # columns on either side of the signs, and before the word
_LONGEST_ID = 20
_ROLES = {"reads": "reads", "thinks": "thinks", "hands_over": "hands over"}


@dataclass(frozen=True)
class Columns:
    """How wide what is.

    Attributes:
        run: a step of the run.
        reference: a step of the reference.
        ids: of either column, what the id takes of it.
        signs: the signs between them.
    """

    run: int
    reference: int
    ids: tuple[int, int]
    signs: int


def columns(against: Against, rows: Sequence[Row], paper: Paper) -> Columns:
    """Returns columns that hold every step in full, or as much as the paper has room for."""
    signs = 2 if any(row.order for row in rows) else 1
    word = max((width(word) for row in rows for word in words(row, against)), default=0)
    room = paper.columns - MARGIN - 2 * GAP - signs - (GAP + word if word else 0)
    sides = (against.run, against.reference)
    shown = [{k for row in rows for k in row.run}, {k for row in rows for k in row.reference}]
    steps = [[side.steps[k] for k in some] for side, some in zip(sides, shown, strict=True)]
    ids = [max((width(_id(step, paper)) for step in some), default=0) for some in steps]
    ids = [min(one, room // 4) for one in ids]
    wanted = [_natural(some, one, paper) for some, one in zip(steps, ids, strict=True)]
    left = min(wanted[0], max(room // 2, room - wanted[1]))
    return Columns(left, min(wanted[1], room - left), (ids[0], ids[1]), signs)


def label(step: Step, ids: int, paper: Paper) -> str:
    """Returns a step's id, in a column of its own, and its name."""
    return f"{padded(paper.cut(_id(step, paper), ids), ids)}  {_name(step, paper)}"


def words(row: Row, against: Against) -> list[str]:
    """Returns what is said of a row at its end; nothing where it is the same."""
    found = [] if row.relation == "same" else [SIGNS[row.relation].word]
    role = _role(row, against)
    if role is not None and row.relation in ("invented", "missing", "repeated"):
        found[0] += f" ({role})"
    return found + [MOVED.word] * bool(row.order)


def _role(row: Row, against: Against) -> str | None:
    """What the only step of a row does to the world; None for what changes it."""
    side, places = (against.run, row.run) if row.run else (against.reference, row.reference)
    return _ROLES.get(_role_at(side, places[0]))


def _role_at(side: Side, place: int) -> str:
    return side.roles[place] if place < len(side.roles) else ""


def _natural(steps: Sequence[Step], ids: int, paper: Paper) -> int:
    return max((ids + 2 + width(_name(step, paper)) for step in steps), default=len("reference"))


def _id(step: Step, paper: Paper) -> str:
    return paper.text(step.id, _LONGEST_ID)


def _name(step: Step, paper: Paper) -> str:
    return paper.text(step_name(step), 60)
