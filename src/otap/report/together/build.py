"""The grid of several runs: every step of every run in one cell.

What runs do besides the reference is aligned as in a progressive alignment: the runs are taken one
after the other, the longest first [Feng1987]. What one of them does between two steps that stand
for steps of the reference is aligned with the columns that are there already [Needleman1970]: a
column takes calls of the same tool that ended alike, those with the same arguments before others.
What finds no column makes one.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain
from typing import NamedTuple

from otap.alignment import SEVERITIES
from otap.errors import ConfigError, NoReferenceError
from otap.report.model.rows import Row, list_rows
from otap.report.together.departures import find_departures
from otap.report.together.grid import THINKING, Call, Column, Grid, GridCell, Lane, read_calls
from otap.scoring import Against, Explanation
from otap.trajectory import Step, Trajectory

FULL = 1.0  # the outcome from which on a run is good
_Track = list[tuple[Row, list[int]]]  # what a run does, each with the columns that it fills


class ExtraCalls(NamedTuple):
    """What a run does besides, one step after the other, between two steps that have their column.

    Attributes:
        first: the first gap that it may stand in; gap k is the one before column k of the
            reference.
        last: the last one.
        calls: what the steps call.
    """

    first: int
    last: int
    calls: tuple[Call, ...]


@dataclass(eq=False)
class ExtraColumn:
    """A column that the reference lacks, while it is filled.

    Attributes:
        gap: where it stands.
        tool: what its calls have in common.
        failed: whether they failed.
        texts: the arguments that were met in it.
        leaves: the single values of these.
    """

    gap: int
    tool: str
    failed: bool
    texts: set[str] = field(default_factory=set)
    leaves: set[str] = field(default_factory=set)

    def likeness(self, call: Call) -> float:
        """How well a call fits: 0 not at all, 1 to 2 by its tool, 3 where it was met before."""
        if (call.tool, call.failed) != (self.tool, self.failed):
            return 0.0
        if call.text in self.texts:
            return 3.0
        return 1.0 + len(call.leaves & self.leaves) / max(len(call.leaves), 1)


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
    made, placed = _align_extras(extras)
    reference = pairs[0][1].reference.recorded
    columns = _list_columns(steps, made, reference.must_tell)
    is_extra = [place for place, column in enumerate(columns) if column.is_extra]
    places = dict(zip(made, is_extra, strict=True))
    lanes = []
    for (one, against), track, own in zip(pairs, tracks, placed, strict=True):
        filled = _fill_columns(track, [places[column] for column in own], columns)
        lanes.append(_build_lane(one, against, filled, columns, good_from))
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


def _align_extras(
    extras: Sequence[Sequence[ExtraCalls]],
) -> tuple[list[ExtraColumn], list[list[ExtraColumn]]]:
    """Returns the columns in their order, and of each run the column of each step besides.

    The order of what is given is of no importance, and what is equal has equal columns.

    Args:
        extras: of all runs.
    """
    profile: list[ExtraColumn] = []
    different = {one for each in extras for one in each}
    ranked = sorted(different, key=lambda one: (-len(one.calls), one))
    placed = {one: _align(one, profile) for one in ranked}
    return profile, [[column for one in each for column in placed[one]] for each in extras]


def _align(extra: ExtraCalls, profile: list[ExtraColumn]) -> list[ExtraColumn]:
    """Puts calls into the profile, which gets the columns that it lacks."""
    start = sum(one.gap < extra.first for one in profile)
    end = sum(one.gap <= extra.last for one in profile)
    met = _match_columns(extra.calls, profile[start:end])
    found, at, gap = [], start, extra.first
    for place, call in enumerate(extra.calls):
        if place in met:
            at = start + met[place]
        else:
            # Columns made above moved those behind: `at` is where the last step stands.
            profile.insert(at, ExtraColumn(gap, call.tool, call.failed))
            start += 1
        column = profile[at]
        column.texts.add(call.text)
        column.leaves |= call.leaves
        found.append(column)
        at, gap = at + 1, column.gap
    return found


def _match_columns(calls: Sequence[Call], columns: Sequence[ExtraColumn]) -> Mapping[int, int]:
    """The column of each call that finds one, in order, at the greatest likeness in all."""
    best = [[0.0] * (len(columns) + 1)]
    for call in calls:
        above, row = best[-1], [column.likeness(call) for column in columns]
        paired = (max(above[j + 1], above[j] + like) for j, like in enumerate(row))
        best.append(list(accumulate(paired, max, initial=0.0)))
    met: dict[int, int] = {}
    i, j = len(calls), len(columns)
    while i and j:
        if best[i][j] == best[i - 1][j]:
            i -= 1
        elif best[i][j] == best[i][j - 1]:
            j -= 1
        else:
            i, j = i - 1, j - 1
            met[i] = j
    return met
