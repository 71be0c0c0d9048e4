"""inverted: an inverted pair [Kendall1938] of counterparts that name the same thing.

The reference has them in the other order, and one of them writes, but the score does not know
that their order matters: it costs nothing. Told of neighbours among the steps that name a thing.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from otap.alignment.findings import severity
from otap.alignment.findings.finding import Departure
from otap.alignment.findings.labels import SHOWN, ids, labels
from otap.alignment.findings.reading import Reading
from otap.dependencies import changes, conflicting
from otap.errors import shown

Pair = tuple[int, int]


def find(reading: Reading) -> Iterator[Departure]:
    """Yields the inverted pairs, each once."""
    comparison = reading.comparison
    ran, wanted = comparison.run.turns.tolist(), comparison.reference.turns.tolist()
    if not _has_inverted(reading, ran, wanted):
        return
    again = set(reading.repeats.values())
    told: set[tuple[Pair, Pair]] = set()
    for several in _by_thing(reading, again).values():
        several.sort(key=lambda pair: comparison.reference.parts[pair[1]][0])
        for one, other in pairwise(several):
            (i, j), (k, m) = one, other
            if ran[k] < ran[i] and wanted[j] < wanted[m] and (one, other) not in told:
                told.add((one, other))
                yield from _inverted(reading, one, other)


def _has_inverted(reading: Reading, ran: Sequence[int], wanted: Sequence[int]) -> bool:
    """Whether two counterparts ran in another order at all, whatever they name."""
    turns = sorted((wanted[j], ran[i]) for i, j in reading.counterparts)
    return any(earlier > later for (_, earlier), (_, later) in pairwise(turns))


def _by_thing(reading: Reading, again: set[int | None]) -> dict[str, list[Pair]]:
    """The counterparts that name each thing on both sides; what the run did twice has no place."""
    found: dict[str, list[Pair]] = {}
    run, reference = reading.comparison.run, reading.comparison.reference
    for i, j in reading.counterparts:
        if i not in again:
            theirs = reference.things[j].paths
            for thing in run.things[i].paths:
                if thing in theirs:
                    found.setdefault(thing, []).append((i, j))
    return found


def _inverted(reading: Reading, one: Pair, other: Pair) -> Iterator[Departure]:
    (i, j), (k, m) = one, other
    writers = _writers(reading, one, other)
    if not writers or _known(reading, j, m):
        return
    named = reading.comparison.reference.things
    shared = conflicting(reading.reference[j], reading.reference[m], (named[j], named[m]))
    changing = [pair for pair in writers if _changes(reading, pair, shared)]
    if changing:
        first, then = labels(reading.did(k)), labels(reading.did(i))
        thing = shown(reading.recorded(shared[0]), SHOWN)
        yield Departure(
            kind="inverted",
            severity="major" if len(changing) == 2 else "minor",
            agent=ids(reading.did(i), reading.did(k)),
            reference=ids(reading.wanted(j), reading.wanted(m)),
            share=None,
            sentence=f"{first} ran before {then}, and both name {thing}: the reference has them "
            "in the other order",
        )


def _writers(reading: Reading, *pairs: Pair) -> list[Pair]:
    """Those of which both counterparts write; none where a step only thinks."""
    roles = {pair: {*reading.roles(*pair)} for pair in pairs}
    if severity.THINKS in set.union(*roles.values()):
        return []
    return [pair for pair in pairs if roles[pair] == {severity.WRITES}]


def _changes(reading: Reading, pair: Pair, shared: Sequence[str]) -> bool:
    """Whether both counterparts, which write, can be seen to change the first thing shared."""
    steps = reading.run[pair[0]], reading.reference[pair[1]]
    return bool(shared) and all(changes(step, shared[0]) for step in steps)


def _known(reading: Reading, j: int, m: int) -> bool:
    """Whether the reference has a path between two steps, whose loss is another finding."""
    problem = reading.comparison.problem
    return problem.order_scored and bool(problem.arrays.D_r[j, m] != 0)
