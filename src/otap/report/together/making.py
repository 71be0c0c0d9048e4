"""The grid of several runs: every step of every run in one cell."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from otap.alignment import SEVERITIES
from otap.errors import NoReferenceError
from otap.report.story.rows import Row, rows
from otap.report.together.besides import Slot, Stretch, slots
from otap.report.together.calls import THINKING, Call, calls
from otap.report.together.common import common, steps
from otap.report.together.grid import Cell, Column, Grid, Lane
from otap.report.together.parting import partings
from otap.scoring import Against, Explanation
from otap.trajectory import Step

FULL = 1.0  # the outcome from which on a run is good


def together(found: Sequence[Explanation], good_from: float = FULL) -> Grid:
    """Returns several runs of one task in one grid; the order in which they come has no effect.

    Args:
        found: the runs, each explained against its references.
        good_from: the outcome from which on a run is good.

    Raises:
        NoReferenceError: if there is no run.
    """
    if not found:
        raise NoReferenceError("there is no run to show; pass the explanations of at least one")
    pairs = [(one, beside) for one, beside in zip(found, common(found), strict=True) if beside]
    held = [beside for _, beside in pairs]
    listed = steps(held)
    tracks = [_track(one, listed) for one in held]
    made, filled = _slotted(tracks, len(listed))
    reference = held[0].reference.recorded
    columns = _columns(listed, made, reference.must_tell)
    places = dict(zip(made, _besides(columns), strict=True))
    lanes = [
        _lane(one, track, [places[slot] for slot in own], columns, good_from)
        for (one, _), track, own in zip(pairs, tracks, filled, strict=True)
    ]
    lanes.sort(key=_order)
    parted = partings(lanes, columns)
    lanes = [replace(lane, parting=one) for lane, one in zip(lanes, parted, strict=True)]
    return Grid(reference, columns, tuple(lanes), lacking=len(found) - len(lanes))


def _besides(columns: Sequence[Column]) -> list[int]:
    return [place for place, column in enumerate(columns) if column.is_besides]


@dataclass(frozen=True)
class _Track:
    """A run beside the reference, row by row.

    Attributes:
        against: the run beside the reference of the grid.
        rows: what it does, in its order.
        wanted: for each row the columns of the reference that it fills.
    """

    against: Against
    rows: list[Row]
    wanted: list[tuple[int, ...]]


def _track(against: Against, listed: Sequence[Step]) -> _Track:
    place = {step.id: k for k, step in enumerate(listed)}
    own = [place[step.id] for step in against.reference.steps]
    found = rows(against)
    return _Track(against, found, [tuple(own[k] for k in row.reference) for row in found])


def _slotted(tracks: Sequence[_Track], size: int) -> tuple[list[Slot], list[list[Slot]]]:
    """The columns of what is done besides, and of each run those that it fills, in its order."""
    stretches = [list(_stretches(track, size)) for track in tracks]
    made, placed = slots([one for each in stretches for one in each])
    waiting = iter(placed)
    return made, [[slot for _ in each for slot in next(waiting)] for each in stretches]


def _stretches(track: _Track, size: int) -> Iterator[Stretch]:
    """What a run does besides, from one counterpart to the next.

    Where the run comes back to an earlier step of the reference, it stands behind the last one.
    """
    called = calls(track.against.run)
    pending: list[Call] = []
    first = 0
    for run, wanted in [*_done(track), ((), (size,))]:
        if not wanted:
            pending += [called[place] for place in run]
            continue
        if pending:
            yield Stretch(first, max(first, min(wanted)), tuple(pending))
        pending, first = [], max(wanted) + 1


def _done(track: _Track) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The rows in which the run does something: its steps, and the columns that they fill."""
    for row, wanted in zip(track.rows, track.wanted, strict=True):
        if row.run:
            yield row.run, wanted


def _columns(
    listed: Sequence[Step], made: Sequence[Slot], answers: tuple[str, ...]
) -> tuple[Column, ...]:
    """All columns in their order: before each step of the reference what is done besides."""
    found: list[Column] = []
    for gap in range(len(listed) + 1):
        found += [Column(slot.kind[0], gap) for slot in made if slot.gap == gap]
        found += [Column(_named(step), gap, step) for step in listed[gap : gap + 1]]
    told = [Column("answers", len(listed), answers=answers)] if answers else []
    return (*found, *told)


def _named(step: Step) -> str:
    return step.tool or THINKING


def _lane(
    found: Explanation, track: _Track, own: Sequence[int], columns: Sequence[Column], good: float
) -> Lane:
    """A run in its columns; own are the places of what it does besides, in its order."""
    wanted = [place for place, column in enumerate(columns) if column.step is not None]
    besides = iter(own)
    filled = [
        (row, [wanted[k] for k in places] or [next(besides)])
        for row, places in zip(track.rows, track.wanted, strict=True)
    ]
    cells: list[Cell | None] = [None] * len(columns)
    for row, places in filled:
        for place in places:
            cells[place] = Cell(row, place, joined=place != places[0])
    order = list(_in_order(filled))
    if columns and columns[-1].answers:
        cells[-1] = Cell(_answered(track.against), len(columns) - 1)
        order.append(len(columns) - 1)
    return Lane(found, track.against, tuple(cells), tuple(order), _is_good(found, good))


def _in_order(filled: Sequence[tuple[Row, list[int]]]) -> Iterator[int]:
    """The columns as the run went; what it lacks counts where it goes on without it."""
    lacking: list[int] = []
    for row, places in filled:
        if not row.run:
            lacking.append(places[0])
            continue
        if row.reference:
            yield from (one for one in lacking if one < places[0])
            lacking = [one for one in lacking if one > places[0]]
        yield places[0]
    yield from lacking


def _answered(against: Against) -> Row:
    """What was said of the answers that must be told."""
    said = tuple(one for one in against.score.findings if one.kind == "untold")
    return Row((), (), "missing" if said else "same", said)


def _is_good(found: Explanation, good_from: float) -> bool:
    outcome = found.score.outcome
    return found.score.severity != SEVERITIES[0] if outcome is None else outcome >= good_from


def _order(lane: Lane) -> tuple[bool, float, str, str]:
    """The good ones first, then by score; by their text where nothing else tells them apart."""
    score = lane.found.score
    return not lane.is_good, -score.score, lane.name, lane.run.recorded.to_json()
