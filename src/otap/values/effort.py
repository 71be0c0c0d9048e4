"""How thoroughly values are compared: less so where there is so much that it would take too long.

What is compared all with all is the calls of two runs, so the limits are on a run and a reference
together, never on how many of either are compared at once. No ordinary run comes near them.
"""

from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Literal, NamedTuple

from otap.values.value import Value

WORK = 1_000_000  # comparisons of members of lists between two runs, about 5 s of one core
TEXTS = 400_000  # comparisons of prose, each read for what contradicts, about as long
UNIONS = 4_000_000  # comparisons of members of lists, for which unions of steps are sought


class RunEffort(NamedTuple):
    """The efforts of all values that one field of a run has, and how many have lists and prose."""

    cheapest: int
    listed: int
    lists: int
    texts: int
    prose: int


class Way(NamedTuple):
    """How values are compared.

    Attributes:
        lists: their rests paired at the least cost, or in order; or only equal members.
        reads_prose: whether prose is read for names, and for what contradicts.
    """

    lists: Literal["cheapest", "listed", "equal"]
    reads_prose: bool


def set_run(values: Sequence[Value], parts: Sequence[Value] = ()) -> None:
    """Says to each of the values that one field of a run has what run it belongs to.

    Args:
        values: all of them.
        parts: where these are of unions, the values of the steps of which these are made, with
            whose effort they are compared.
    """
    run = parts[0].run if parts else _effort_of_run(values)
    for value in values:
        value.run = run


def _effort_of_run(values: Sequence[Value]) -> RunEffort:
    cheapest = listed = lists = texts = prose = 0
    for value in values:
        load = value.load
        cheapest, listed, texts = cheapest + load[0], listed + load[1], texts + load[2]
        lists, prose = lists + (load[0] > 0), prose + (load[2] > 0)
    return RunEffort(cheapest, listed, lists, texts, prose)


def _way_between(ours: RunEffort, theirs: RunEffort) -> Way:
    reads_prose = ours.texts * theirs.prose + theirs.texts * ours.prose <= 2 * TEXTS
    if ours.cheapest * theirs.lists + theirs.cheapest * ours.lists <= WORK:
        return Way("cheapest", reads_prose)
    listed = ours.listed * theirs.lists + theirs.listed * ours.lists <= WORK
    return Way("listed" if listed else "equal", reads_prose)


def may_be_united(
    parts: Sequence[Value], others: Sequence[Value], pairs: Sequence[tuple[int, int]]
) -> bool:
    """Says whether the lists in unions of two values each can be compared in bounded time.

    Args:
        parts: the values of one side.
        others: those that each union is compared with.
        pairs: the two parts of each union.
    """
    ours, theirs = ([value.load.cheapest for value in side] for side in (parts, others))
    united = sum(ours[i] + ours[j] for i, j in pairs)
    return united * sum(map(bool, theirs)) + sum(theirs) * len(pairs) * any(ours) <= UNIONS


def at_least_cost(a: Value, b: Value) -> bool:
    """Says whether the members of short lists in two values are paired at the least cost."""
    ((ours, _),), ((theirs, _),) = _by_run([a]), _by_run([b])
    return _way_between(ours, theirs).lists == "cheapest"


def split_by_way(
    rows: Sequence[Value], columns: Sequence[Value]
) -> Iterator[tuple[Sequence[int], Sequence[int], Way]]:
    """Yields the places of values that are compared in one way, and the way.

    Args:
        rows: values of runs; those that belong to none are one run.
        columns: those of the other side.
    """
    theirs = _by_run(columns)
    for run, places in _by_run(rows):
        ways: dict[Way, list[int]] = {}
        for other, others in theirs:
            ways.setdefault(_way_between(run, other), []).extend(others)
        for way, found in ways.items():
            yield places, found, way


def _by_run(values: Sequence[Value]) -> list[tuple[RunEffort, list[int]]]:
    """The places of the values of each run, with the run's effort."""
    found: dict[RunEffort, list[int]] = {}
    alone: list[int] = []
    for place, run in enumerate(map(attrgetter("run"), values)):
        (alone if run is None else found.setdefault(run, [])).append(place)
    if alone:
        found.setdefault(_effort_of_run([values[k] for k in alone]), []).extend(alone)
    return list(found.items())
