"""reversed, broken: counterparts of a reference edge in the wrong order, or without a path.

reversed: the later of the two ran before the earlier. broken: the run has no path between them.
"""

from collections.abc import Iterator

from otap.alignment.findings import severity
from otap.alignment.findings.finding import Departure
from otap.alignment.findings.labels import SHOWN, ids, labels
from otap.alignment.findings.reading import Reading
from otap.dependencies import Edge
from otap.dependencies.order.said import WHERE
from otap.errors import shown


def find(reading: Reading) -> Iterator[Departure]:
    """Yields the edges of the reference that the run inverted or lost."""
    problem = reading.comparison.problem
    if not problem.order_scored:
        return
    run_of, feeding = reading.matching.run_of, list[bool]()
    for edge in problem.reference.graph.edges:
        i, k = run_of.get(edge.source), run_of.get(edge.target)
        if i is not None and k is not None and problem.arrays.D_p[i, k] <= 0:
            feeding = feeding or _feeding(reading)
            yield _lost(reading, (i, k), edge, feeding[edge.target])


def _feeding(reading: Reading) -> list[bool]:
    """Which steps of the reference write, or are followed by one that needs them and writes."""
    reference = reading.comparison.reference
    feeding = [role == severity.WRITES for role in reference.roles]
    for j in reversed(reference.graph.order):
        feeding[j] |= any(feeding[child] for child in reference.graph.children[j])
    return feeding


def _lost(reading: Reading, ran: tuple[int, int], edge: Edge, feeds: bool) -> Departure:
    """The finding of an edge of the reference; ``ran`` are the counterparts of its ends."""
    (i, k), (j, target) = ran, (edge.source, edge.target)
    comparison = reading.comparison
    arrays, T = comparison.problem.arrays, comparison.solution.T
    gap = (arrays.D_p[i, k] - arrays.D_r[j, target]) ** 2
    listed_backwards = k < i and comparison.run.graph.mechanism != "explicit"
    backwards = bool(arrays.D_p[i, k] < 0 or listed_backwards)
    ends = {*reading.roles(i, j), *reading.roles(k, target)}
    how_bad = severity.of_order(ends, reading.in_full, backwards=backwards, feeds=feeds)
    return Departure(
        severity=how_bad,
        kind="reversed" if backwards else "broken",
        agent=ids(reading.did(i), reading.did(k)),
        reference=ids(reading.wanted(j), reading.wanted(target)),
        share=reading.share(2 * arrays.theta * gap * T[i, j] * T[k, target]),
        sentence=_sentence(reading, ran, backwards, edge),
    )


def _sentence(reading: Reading, ran: tuple[int, int], backwards: bool, edge: Edge) -> str:
    earlier, later = (labels(reading.did(node)) for node in ran)
    if edge.evidence and edge.evidence[0].source_path == WHERE:
        order = f"ran before {earlier}" if backwards else f"does not come after {earlier}"
        return f"{later} {order}, against the order that the settings say"
    if edge.evidence and not edge.evidence[0].source_path.startswith("effect"):
        thing = shown(reading.recorded(edge.evidence[0].value), SHOWN)
        order = f"ran before {earlier}" if backwards else f"is in no order with {earlier}"
        return f"{later} {order}: both change {thing}, and the reference does it afterwards"
    if backwards:
        return f"{later} ran before {earlier}, whose result the reference needs there"
    return f"{later} does not use the result of {earlier}, which the reference needs there"
