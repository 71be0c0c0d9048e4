"""merged: a step of the run that stands for several of the reference; the converse of split."""

from collections.abc import Iterator

from otap.alignment.findings.finding import Finding
from otap.alignment.findings.labels import ids, labels
from otap.alignment.findings.reading import Reading


def find(reading: Reading) -> Iterator[Finding]:
    """Yields the steps of the run that did several of the reference."""
    for i, j in reading.matching.reference_of.items():
        nodes = [j, *reading.wholes.get(i, ())]
        steps = [step for node in sorted(nodes) for step in reading.wanted(node)]
        if len(steps) == 1 or len(reading.did(i)) > 1:
            continue
        total = sum(reading.comparison.reference_contribution[node] for node in nodes)
        yield Finding(
            kind="merged",
            severity="minor",
            agent=ids(reading.did(i)),
            reference=ids(steps),
            share=reading.share(total),
            sentence=f"{labels(reading.did(i))} does in one step what "
            f"{labels(steps)} of the reference do",
        )
