"""merged: a step of the run that stands for several of the reference; the converse of split."""

from collections.abc import Iterator

from otap.alignment.findings.finding import Departure
from otap.alignment.findings.labels import ids, labels
from otap.alignment.findings.reading import Reading


def find(reading: Reading) -> Iterator[Departure]:
    """Yields the steps of the run that did several of the reference."""
    run, reference = reading.comparison.run, reading.comparison.reference
    for i, j in reading.matching.reference_of.items():
        is_one = i not in reading.wholes and len(reference.parts[j]) == 1
        if is_one or len(run.parts[i]) > 1:
            continue
        nodes = [j, *reading.wholes.get(i, ())]
        steps = [step for node in sorted(nodes) for step in reading.wanted(node)]
        total = sum(reading.comparison.reference_contribution[node] for node in nodes)
        yield Departure(
            kind="merged",
            severity="minor",
            agent=ids(reading.did(i)),
            reference=ids(steps),
            share=reading.share(total),
            sentence=f"{labels(reading.did(i))} does in one step what "
            f"{labels(steps)} of the reference do",
        )
