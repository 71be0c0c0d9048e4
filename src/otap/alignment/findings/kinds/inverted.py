"""inverted: an inverted pair [Kendall1938] of counterparts that name the same thing.

The reference has them in the other order, and one of them writes, but the score does not know
that their order matters: it costs nothing. Told of neighbours among the steps that name a thing.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from otap.alignment.findings import severity
from otap.alignment.findings.finding import Finding
from otap.alignment.findings.labels import SHOWN, ids, labels
from otap.alignment.findings.reading import Reading
from otap.dependencies import changes, conflicting, turn_ranks
from otap.dependencies.order.things import things
from otap.errors import shown

Pair = tuple[int, int]


def find(reading: Reading) -> Iterator[Finding]:
    """Yields the inverted pairs, each once."""
    comparison = reading.comparison
    ran, wanted = (turn_ranks(side.listed) for side in (comparison.run, comparison.reference))
    again = set(reading.repeats.values())
    if not _has_inverted(reading, ran, wanted):
        return
    told: set[tuple[Pair, Pair]] = set()
    for several in _by_thing(reading, again).values():
        places = {pair: _place(reading, pair) for pair in several}
        several.sort(key=lambda pair: places[pair][1])
        for one, other in pairwise(several):
            (i, j), (k, m) = places[one], places[other]
            if ran[k] < ran[i] and wanted[j] < wanted[m] and (one, other) not in told:
                told.add((one, other))
                yield from _inverted(reading, one, other)


def _has_inverted(reading: Reading, ran: Sequence[int], wanted: Sequence[int]) -> bool:
    """Whether two counterparts ran in another order at all, whatever they name."""
    places = (_place(reading, pair) for pair in reading.counterparts)
    turns = sorted((wanted[j], ran[i]) for i, j in places)
    return any(earlier > later for (_, earlier), (_, later) in pairwise(turns))


def _by_thing(reading: Reading, again: set[int | None]) -> dict[str, list[Pair]]:
    """The counterparts that name each thing on both sides; what the run did twice has no place."""
    found: dict[str, list[Pair]] = {}
    for i, j in reading.counterparts:
        if i not in again:
            theirs = things(reading.reference[j]).paths
            for thing in things(reading.run[i]).paths:
                if thing in theirs:
                    found.setdefault(thing, []).append((i, j))
    return found


def _place(reading: Reading, pair: Pair) -> Pair:
    """Where the steps of two counterparts stand in their lists."""
    run, reference = reading.comparison.run, reading.comparison.reference
    return run.parts[pair[0]][0], reference.parts[pair[1]][0]


def _inverted(reading: Reading, one: Pair, other: Pair) -> Iterator[Finding]:
    (i, j), (k, m) = one, other
    if _known(reading, j, m):
        return
    shared = conflicting(reading.reference[j], reading.reference[m])
    writing = [_changes(reading, pair, shared) for pair in (one, other)]
    if any(writing) and not any(_thinks(reading, pair) for pair in (one, other)):
        first, then = labels(reading.did(k)), labels(reading.did(i))
        thing = shown(reading.recorded(shared[0]), SHOWN)
        yield Finding(
            kind="inverted",
            severity="major" if all(writing) else "minor",
            agent=ids(reading.did(i), reading.did(k)),
            reference=ids(reading.wanted(j), reading.wanted(m)),
            share=None,
            sentence=f"{first} ran before {then}, and both name {thing}: the reference has them "
            "in the other order",
        )


def _changes(reading: Reading, pair: Pair, shared: Sequence[str]) -> bool:
    """Whether both counterparts write, and can be seen to change the first thing shared."""
    steps = reading.run[pair[0]], reading.reference[pair[1]]
    writing = {*reading.roles(*pair)} == {severity.WRITES}
    return bool(shared) and writing and all(changes(step, shared[0]) for step in steps)


def _thinks(reading: Reading, pair: Pair) -> bool:
    return severity.THINKS in reading.roles(*pair)


def _known(reading: Reading, j: int, m: int) -> bool:
    """Whether the reference has a path between two steps, whose loss is another finding."""
    problem = reading.comparison.problem
    return problem.order_scored and bool(problem.arrays.D_r[j, m] != 0)
