"""The two columns of an alignment: what stands in them, and how wide they are."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from otap.report.cells import step_name
from otap.report.story.rows import Row
from otap.report.story.signs import MOVED, SIGNS
from otap.report.terminal.paper import Paper, padded
from otap.report.terminal.widths import width
from otap.scoring import Against, Side
from otap.trajectory import Step

MARGIN = 4  # columns before the run's steps: for the mark of what is critical
GAP = 2  # columns on either side of the signs, and before the word
_LONGEST_ID = 20
_ROOMY = 80  # columns from which on a step that is alone says what it does
_WIDE = 100  # columns from which on all words of a row stand on one line
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
    word = _widest(word for row in rows for word in words(row, against, paper))
    room = paper.columns - MARGIN - 2 * GAP - signs - (GAP + word if word else 0)
    run = [against.run.steps[place] for row in rows for place in row.run]
    reference = [against.reference.steps[place] for row in rows for place in row.reference]
    ids = _ids(run, room, paper), _ids(reference, room, paper)
    wanted = _wanted(run, ids[0], paper), _wanted(reference, ids[1], paper)
    left = min(wanted[0], max(room // 2, room - wanted[1]))
    return Columns(left, min(wanted[1], room - left), ids, signs)


def label(step: Step, columns: int, ids: int, paper: Paper) -> str:
    """Returns a step's id, in a column of its own, and its name, in so many columns."""
    known = f"{padded(paper.cut(_id(step, paper), ids), ids)}  "
    return known + paper.squeezed(_name(step, paper), columns - ids - 2)


def words(row: Row, against: Against, paper: Paper) -> list[str]:
    """Returns what is said of a row at its end; nothing where it is the same."""
    found = [] if row.relation == "same" else [SIGNS[row.relation].word]
    role = _role(row, against)
    is_alone = not (row.run and row.reference)
    if role is not None and is_alone and paper.columns >= _ROOMY:
        found[0] += f" ({role})"
    found += [MOVED.word] if row.order else []
    return [", ".join(found)] if paper.columns >= _WIDE else found


def _role(row: Row, against: Against) -> str | None:
    """What the only step of a row does to the world; None for what changes it."""
    side, places = (against.run, row.run) if row.run else (against.reference, row.reference)
    return _ROLES.get(_role_at(side, places[0]))


def _role_at(side: Side, place: int) -> str:
    return side.roles[place] if place < len(side.roles) else ""


def _ids(steps: Sequence[Step], room: int, paper: Paper) -> int:
    """Columns of the ids: no more than half of what a step has."""
    return min(_widest(_id(step, paper) for step in steps), room // 4)


def _wanted(steps: Sequence[Step], ids: int, paper: Paper) -> int:
    """Columns that hold all steps of a side; its header at least."""
    return max(len("reference"), ids + 2 + _widest(_name(step, paper) for step in steps))


def _widest(texts: Iterable[str]) -> int:
    return max(map(width, texts), default=0)


def _id(step: Step, paper: Paper) -> str:
    return paper.text(step.id, _LONGEST_ID)


def _name(step: Step, paper: Paper) -> str:
    return paper.text(step_name(step), 60)
