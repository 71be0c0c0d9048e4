"""Builds the grid of several runs, in which every step of every run has a cell.

The extra steps of runs are aligned progressively: one run after the other, longest first
[Feng1987]. The extra steps between two matched steps are aligned with the columns so far
[Needleman1970]. A column takes calls of the same tool with the same status, preferably those with
the same arguments. A step that fits no column makes a new one.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain
from typing import NamedTuple

from otap.errors import ConfigError, NoReferenceError
from otap.findings import SEVERITIES
from otap.report.model.alignment_rows import Row, list_rows
from otap.report.together.departures import find_departures
from otap.report.together.grid import (
    THINKING,
    ComparedCall,
    Grid,
    GridCell,
    GridColumn,
    Lane,
    read_calls,
)
from otap.scoring import Against, Explanation
from otap.trajectory import Step, Trajectory

FULL = 1.0  # default minimum outcome of a good run
_Track = list[tuple[Row, list[int]]]  # the rows of a run, each with the columns that it fills


class ExtraCalls(NamedTuple):
    """Consecutive extra calls of a run, between two steps that are matched to the reference.

    Gap k is the one before step k of the reference.

    Attributes:
        first: the first gap that may hold the calls.
        last: the last one.
        calls: the calls in order.
    """

    first: int
    last: int
    calls: tuple[ComparedCall, ...]


@dataclass(eq=False)
class ExtraColumn:
    """A column of extra steps, while it is being filled.

    Attributes:
        gap: the gap of the reference that holds it.
        tool: the tool of its calls.
        failed: whether its calls failed.
        texts: the arguments of its calls.
        leaves: the single values of these arguments.
    """

    gap: int
    tool: str
    failed: bool
    texts: set[str] = field(default_factory=set)
    leaves: set[str] = field(default_factory=set)

    def similarity(self, call: ComparedCall) -> float:
        """Returns how well a call fits: 0 not at all, 1 to 2 by its tool, 3 by equal arguments."""
        if (call.tool, call.failed) != (self.tool, self.failed):
            return 0.0
        if call.text in self.texts:
            return 3.0
        return 1.0 + len(call.leaves & self.leaves) / max(len(call.leaves), 1)


def align_runs(explanations: Sequence[Explanation], good_from: float = FULL) -> Grid:
    """Returns several runs of one task in one grid, whatever their order.

    Args:
        explanations: the runs, each explained against its references.
        good_from: minimum outcome of a good run.

    Raises:
        NoReferenceError: if there is no run.
    """
    if not explanations:
        raise NoReferenceError("there is no run to show; pass the explanations of at least one")
    matches = zip(explanations, _match_reference(explanations), strict=True)
    pairs = [(explanation, against) for explanation, against in matches if against]
    steps = _merge_steps([against for _, against in pairs])
    step_index = {step.id: k for k, step in enumerate(steps)}
    tracks = [
        [(row, [step_index[step.id] for step in row.steps[1]]) for row in list_rows(against)]
        for _, against in pairs
    ]
    extras = [
        _list_extras(against, track, len(steps))
        for (_, against), track in zip(pairs, tracks, strict=True)
    ]
    extra_columns, columns_of_runs = _align_extras(extras)
    reference = pairs[0][1].reference.recorded
    columns = _list_columns(steps, extra_columns, reference.required_answers)
    extra_indices = [index for index, column in enumerate(columns) if column.is_extra]
    index_of = dict(zip(extra_columns, extra_indices, strict=True))
    lanes = []
    for pair, track, run_columns in zip(pairs, tracks, columns_of_runs, strict=True):
        track = _fill_columns(track, [index_of[column] for column in run_columns], columns)
        lanes.append(_build_lane(*pair, track, columns, good_from))
    lanes.sort(key=_rank_lane)
    for index, departure in enumerate(find_departures(lanes, columns)):
        lanes[index] = lanes[index]._replace(departure=departure)
    return Grid(reference, columns, tuple(lanes), missing_runs=len(explanations) - len(lanes))


def _list_extras(against: Against, track: _Track, size: int) -> list[ExtraCalls]:
    """Returns the extra calls of a run, from one matched step to the next.

    If the run returns to an earlier step of the reference, its next extra calls come after the
    last matched one. Calls that may share a gap are joined, because otherwise two of them could
    get the same column.
    """
    calls = read_calls(against.run)
    extras: list[ExtraCalls] = []
    pending: list[ComparedCall] = []
    first = 0
    matched = ((row.run, reference) for row, reference in track if row.run)
    for run, reference in chain(matched, [((), [size])]):
        if not reference:
            pending += [calls[index] for index in run]
            continue
        last = max(first, min(reference))
        if pending and extras and first <= extras[-1].last:
            previous = extras.pop()
            pending, last = [*previous.calls, *pending], max(last, previous.last)
            first = previous.first
        if pending:
            extras.append(ExtraCalls(first, last, tuple(pending)))
        pending, first = [], max(first, *(index + 1 for index in reference))
    return extras


def _list_columns(
    steps: Sequence[Step], extra_columns: Sequence[ExtraColumn], answers: tuple[str, ...]
) -> tuple[GridColumn, ...]:
    """Returns all columns in order; the extra columns of a gap come before its step."""
    columns: list[GridColumn] = []
    for gap in range(len(steps) + 1):
        columns += [GridColumn(extra.tool, gap) for extra in extra_columns if extra.gap == gap]
        columns += [GridColumn(step.tool or THINKING, gap, step) for step in steps[gap : gap + 1]]
    if answers:
        columns.append(GridColumn("answers", len(steps), answers=answers))
    return tuple(columns)


def _fill_columns(track: _Track, extras: Sequence[int], columns: Sequence[GridColumn]) -> _Track:
    """Returns the rows of a run with columns of the grid; ``extras`` are those of extra steps."""
    step_columns = [index for index, column in enumerate(columns) if column.step is not None]
    extra = iter(extras)
    return [(row, [step_columns[k] for k in steps] or [next(extra)]) for row, steps in track]


def _build_lane(
    run: Explanation,
    against: Against,
    track: _Track,
    columns: Sequence[GridColumn],
    good_from: float,
) -> Lane:
    cells: list[GridCell | None] = [None] * len(columns)
    for row, indices in track:
        for index in indices:
            cells[index] = GridCell(row, index, joined=index != indices[0])
    order = list(_order_columns(track))
    if columns and columns[-1].answers:
        missing_answer = tuple(
            finding for finding in against.score.findings if finding.kind == "missing_answer"
        )
        row = Row((), (), "missing" if missing_answer else "same", missing_answer)
        cells[-1] = GridCell(row, len(columns) - 1)
        order.append(len(columns) - 1)
    is_good = run.score.severity != SEVERITIES[0]
    if run.score.outcome is not None:
        is_good = run.score.outcome >= good_from
    return Lane(run, against, tuple(cells), tuple(order), is_good)


def _order_columns(track: _Track) -> Iterator[int]:
    """Yields columns in the order of the run; a missing step comes where the run goes on."""
    missing: list[int] = []
    for row, columns in track:
        if not row.run:
            missing.append(columns[0])
            continue
        if row.reference:
            yield from (column for column in missing if column < columns[0])
            missing = [column for column in missing if column > columns[0]]
        yield columns[0]
    yield from missing


def _rank_lane(lane: Lane) -> tuple[bool, float, str, str]:
    """Sorts good runs first, then by score, name and text."""
    text = lane.against.run.recorded.to_json()
    return not lane.is_good, -lane.explanation.score.score, lane.name, text


def _match_reference(explanations: Sequence[Explanation]) -> list[Against | None]:
    """Returns each run beside one reference, the same for all.

    That is the reference that is nearest to most runs; ties go to the least total loss, then to
    the first text, so the order of runs has no effect. A reference is skipped if some run was never
    compared with it and cannot be any more. If all are skipped, the one with the fewest such runs
    is used; these runs are None.

    Args:
        explanations: runs of one task, at least one.
    """
    texts: dict[int, str] = {}  # runs share references, so each is serialised once
    references: dict[str, Trajectory] = {}
    compared: list[dict[str, Against]] = []
    for explanation in explanations:
        compared.append({})
        for against in explanation.against:
            reference = against.reference.recorded
            text = texts.get(id(reference)) or reference.to_json()
            texts[id(reference)], references[text] = text, reference
            compared[-1][text] = against
    nearest = Counter(texts[id(run.best.reference.recorded)] for run in explanations)
    uncompared = {text: _count_uncompared(compared, text) for text in references}
    candidates: list[list[Against | None]] = []
    for text in sorted(references, key=lambda text: (-nearest[text], *uncompared[text], text)):
        candidate = [
            by_text.get(text) or _explain_against(explanation, references[text])
            for explanation, by_text in zip(explanations, compared, strict=True)
        ]
        if None not in candidate:
            return candidate
        candidates.append(candidate)
    return min(candidates, key=lambda candidate: candidate.count(None))


def _explain_against(explanation: Explanation, reference: Trajectory) -> Against | None:
    """Compares a run with another reference; None if the score no longer has its run."""
    try:
        return explanation.score.explain([reference]).best
    except ConfigError:
        return None


def _count_uncompared(compared: Sequence[Mapping[str, Against]], text: str) -> tuple[int, float]:
    """Returns how many runs were not compared with a reference, and the others' total loss."""
    losses = sorted(by_text[text].score.loss for by_text in compared if text in by_text)
    return len(compared) - len(losses), sum(losses)


def _merge_steps(sides: Sequence[Against]) -> list[Step]:
    """Returns the steps of the reference that are compared with any of the runs, in order.

    They differ between runs, because sub-steps are not compared with a run that records none.

    Args:
        sides: the runs beside the reference.
    """
    step_lists = [against.reference.steps for against in sides]
    step_lists.sort(key=lambda steps: (-len(steps), [step.id for step in steps]))
    merged = list(step_lists[0])
    for steps in step_lists[1:]:
        ids, index = [step.id for step in merged], 0
        for step in steps:
            if step.id not in ids:
                merged.insert(index, step)
                ids.insert(index, step.id)
            index = ids.index(step.id) + 1
    return merged


def _align_extras(
    extras: Sequence[Sequence[ExtraCalls]],
) -> tuple[list[ExtraColumn], list[list[ExtraColumn]]]:
    """Returns the extra columns in order, and for each run the columns of its extra steps.

    The order of runs has no effect, and equal calls get equal columns.

    Args:
        extras: the extra calls of each run.
    """
    profile: list[ExtraColumn] = []
    distinct = {extra for of_run in extras for extra in of_run}
    ranked = sorted(distinct, key=lambda extra: (-len(extra.calls), extra))
    columns = {extra: _align_calls(extra, profile) for extra in ranked}
    return profile, [[column for extra in of_run for column in columns[extra]] for of_run in extras]


def _align_calls(extra: ExtraCalls, profile: list[ExtraColumn]) -> list[ExtraColumn]:
    """Adds calls to the columns of the profile, with new columns where none fits."""
    start = sum(column.gap < extra.first for column in profile)
    end = sum(column.gap <= extra.last for column in profile)
    matches = _match_columns(extra.calls, profile[start:end])
    columns, index, gap = [], start, extra.first
    for k, call in enumerate(extra.calls):
        if k in matches:
            index = start + matches[k]
        else:
            # A new column shifts those behind it; `index` is right behind the previous call.
            profile.insert(index, ExtraColumn(gap, call.tool, call.failed))
            start += 1
        column = profile[index]
        column.texts.add(call.text)
        column.leaves |= call.leaves
        columns.append(column)
        index, gap = index + 1, column.gap
    return columns


def _match_columns(
    calls: Sequence[ComparedCall], columns: Sequence[ExtraColumn]
) -> Mapping[int, int]:
    """Matches calls to columns in order, with the greatest total similarity."""
    best = [[0.0] * (len(columns) + 1)]
    for call in calls:
        above = best[-1]
        paired = [
            max(above[j + 1], above[j] + column.similarity(call))
            for j, column in enumerate(columns)
        ]
        best.append(list(accumulate(paired, max, initial=0.0)))
    matches: dict[int, int] = {}
    i, j = len(calls), len(columns)
    while i and j:
        if best[i][j] == best[i - 1][j]:
            i -= 1
        elif best[i][j] == best[i][j - 1]:
            j -= 1
        else:
            i, j = i - 1, j - 1
            matches[i] = j
    return matches
