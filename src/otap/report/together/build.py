"""The grid of several runs: every step of every run in one cell."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from otap.alignment import SEVERITIES
from otap.errors import ConfigError, NoReferenceError
from otap.report.model.rows import Row, list_rows
from otap.report.together.departures import find_departures
from otap.report.together.extras import ExtraCalls, ExtraColumn, align_extras
from otap.report.together.grid import THINKING, Call, Column, Grid, GridCell, Lane, read_calls
from otap.scoring import Against, Explanation
from otap.trajectory import Step, Trajectory

FULL = 1.0  # the outcome from which on a run is good
_Track = list[tuple[Row, list[int]]]  # what a run does, each with the columns that it fills


def align_runs(found: Sequence[Explanation], good_from: float = FULL) -> Grid:
    """Returns several runs of one task in one grid; the order in which they come has no effect.

    Args:
        found: the runs, each explained against its references.
        good_from: the outcome from which on a run is good.

    Raises:
        NoReferenceError: if there is no run.
    """
    if not found:
        raise NoReferenceError("there is no run to show; pass the explanations of at least one")
    pairs = [(one, a) for one, a in zip(found, _share_reference(found), strict=True) if a]
    steps = _merge_steps([against for _, against in pairs])
    place = {step.id: k for k, step in enumerate(steps)}
    tracks = [
        [(row, [place[step.id] for step in row.steps[1]]) for row in list_rows(against)]
        for _, against in pairs
    ]
    extras = [
        _list_extras(against, track, len(steps))
        for (_, against), track in zip(pairs, tracks, strict=True)
    ]
    made, placed = align_extras([one for each in extras for one in each])
    reference = pairs[0][1].reference.recorded
    columns = _list_columns(steps, made, reference.must_tell)
    is_extra = [place for place, column in enumerate(columns) if column.is_extra]
    places, waiting = dict(zip(made, is_extra, strict=True)), iter(placed)
    lanes = []
    for (one, against), track, each in zip(pairs, tracks, extras, strict=True):
        own = [places[column] for _ in each for column in next(waiting)]
        lanes.append(
            _build_lane(one, against, _fill_columns(track, own, columns), columns, good_from)
        )
    lanes.sort(key=_rank_lane)
    departures = find_departures(lanes, columns)
    lanes = [lane._replace(departure=one) for lane, one in zip(lanes, departures, strict=True)]
    return Grid(reference, columns, tuple(lanes), lacking=len(found) - len(lanes))


def _list_extras(against: Against, track: _Track, size: int) -> list[ExtraCalls]:
    """What a run does besides, from one counterpart to the next.

    Where the run comes back to an earlier step of the reference, it stands behind the last one;
    what may then stand in one gap is taken together, or two steps could get the same column.
    """
    called = read_calls(against.run)
    found: list[ExtraCalls] = []
    pending: list[Call] = []
    first = 0
    done = ((row.run, wanted) for row, wanted in track if row.run)
    for run, wanted in chain(done, [((), [size])]):
        if not wanted:
            pending += [called[place] for place in run]
            continue
        last = max(first, min(wanted))
        if pending and found and first <= found[-1].last:
            before = found.pop()
            pending, last = [*before.calls, *pending], max(last, before.last)
            first = before.first
        if pending:
            found.append(ExtraCalls(first, last, tuple(pending)))
        pending, first = [], max(first, *(place + 1 for place in wanted))
    return found


def _list_columns(
    steps: Sequence[Step], made: Sequence[ExtraColumn], answers: tuple[str, ...]
) -> tuple[Column, ...]:
    """All columns in their order: before each step of the reference what is done besides."""
    found: list[Column] = []
    for gap in range(len(steps) + 1):
        found += [Column(one.tool, gap) for one in made if one.gap == gap]
        found += [Column(step.tool or THINKING, gap, step) for step in steps[gap : gap + 1]]
    return (*found, *([Column("answers", len(steps), answers=answers)] if answers else []))


def _fill_columns(track: _Track, own: Sequence[int], columns: Sequence[Column]) -> _Track:
    """The rows with their columns in the grid; own are those of what the run does besides."""
    wanted = [place for place, column in enumerate(columns) if column.step is not None]
    extra = iter(own)
    return [(row, [wanted[k] for k in places] or [next(extra)]) for row, places in track]


def _build_lane(
    found: Explanation, against: Against, filled: _Track, columns: Sequence[Column], good: float
) -> Lane:
    cells: list[GridCell | None] = [None] * len(columns)
    for row, places in filled:
        for place in places:
            cells[place] = GridCell(row, place, joined=place != places[0])
    order = list(_order_columns(filled))
    if columns and columns[-1].answers:
        untold = tuple(one for one in against.score.findings if one.kind == "untold")
        row = Row((), (), "missing" if untold else "same", untold)
        cells[-1] = GridCell(row, len(columns) - 1)
        order.append(len(columns) - 1)
    outcome = found.score.outcome
    is_good = found.score.severity != SEVERITIES[0] if outcome is None else outcome >= good
    return Lane(found, against, tuple(cells), tuple(order), is_good)


def _order_columns(filled: _Track) -> Iterator[int]:
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


def _rank_lane(lane: Lane) -> tuple[bool, float, str, str]:
    """The good ones first, then by score; by their text where nothing else tells them apart."""
    text = lane.against.run.recorded.to_json()
    return not lane.is_good, -lane.found.score.score, lane.name, text


def _share_reference(found: Sequence[Explanation]) -> list[Against | None]:
    """Returns each run beside one reference, the same for all.

    Of references that are nearest to as many runs it is the one against which the runs lose least,
    and of equal ones the first by its text: never does it depend on the order of the runs. One that
    a run was never held against, and cannot be held against any more, is left for the next. If
    there is such a run with every reference, it is the one with the fewest; they are None.

    Args:
        found: runs of one task, at least one.
    """
    # Runs of one task mostly share their references: each is written once.
    recorded = {
        id(a.reference.recorded): a.reference.recorded for one in found for a in one.against
    }
    texts = {key: one.to_json() for key, one in recorded.items()}
    listed = {texts[key]: one for key, one in recorded.items()}
    nearest = Counter(texts[id(one.best.reference.recorded)] for one in found)
    known = [{texts[id(a.reference.recorded)]: a for a in one.against} for one in found]
    ranked = sorted(listed, key=lambda text: (-nearest[text], *_count_missed(known, text), text))
    held: list[list[Against | None]] = []
    for text in ranked:
        pairs = zip(found, known, strict=True)
        held.append([each.get(text) or _explain_against(one, listed[text]) for one, each in pairs])
        if None not in held[-1]:
            return held[-1]
    return min(held, key=lambda each: each.count(None))


def _explain_against(found: Explanation, reference: Trajectory) -> Against | None:
    """A run beside a reference that it was never held against; None where the run is not known."""
    try:
        return found.score.explain([reference]).best
    except ConfigError:
        return None


def _count_missed(known: Sequence[Mapping[str, Against]], text: str) -> tuple[int, float]:
    """How many runs were not held against a reference, and what the others lose."""
    losses = sorted(each[text].score.loss for each in known if text in each)
    return len(known) - len(losses), sum(losses)


def _merge_steps(against: Sequence[Against]) -> list[Step]:
    """Returns the steps of the reference that are compared with any of the runs, in order.

    With a run that shows no steps inside steps there may be fewer of them.

    Args:
        against: the runs beside it.
    """
    listed = [one.reference.steps for one in against]
    listed.sort(key=lambda steps: (-len(steps), [step.id for step in steps]))
    found = list(listed[0])
    for steps in listed[1:]:
        known, at = [step.id for step in found], 0
        for step in steps:
            if step.id not in known:
                found.insert(at, step)
                known.insert(at, step.id)
            at = known.index(step.id) + 1
    return found
