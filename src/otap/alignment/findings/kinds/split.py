"""split: steps of the run that together stand for one step of the reference.

As a union; or as unmatched steps whose mass flows to a reference step that has a counterpart, and
of which each adds an argument that the counterpart lacks.
"""

from collections.abc import Iterator

from otap.alignment.findings.finding import Departure
from otap.alignment.findings.labels import ids, label, labels
from otap.alignment.findings.reading import Reading


def find(reading: Reading) -> Iterator[Departure]:
    """Yields the steps of the reference that the run did in several."""
    run, reference = reading.comparison.run, reading.comparison.reference
    for j, i in reading.matching.run_of.items():
        is_one = j not in reading.parts and len(run.parts[i]) == 1
        if is_one or len(reference.parts[j]) > 1:
            continue
        nodes = [i, *reading.parts.get(j, ())]
        steps = [step for node in sorted(nodes) for step in reading.did(node)]
        total = sum(reading.comparison.agent_contribution[node] for node in nodes)
        yield Departure(
            kind="split",
            severity="minor",
            agent=ids(steps),
            reference=ids(reading.wanted(j)),
            share=reading.share(total),
            sentence=f"{labels(steps)} do together what "
            f"{label(reading.reference[j])} of the reference does in one step",
        )
