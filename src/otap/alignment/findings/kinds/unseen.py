"""unseen: changes inside a call of which the reference tells no more than the call itself.

What a reference did not record is not held against a run: it is told, and no part of the loss.
"""

from collections.abc import Iterator

from otap.alignment.findings import severity
from otap.alignment.findings.finding import Departure
from otap.alignment.findings.labels import ids, label, labels
from otap.alignment.findings.reading import Reading

NAMED = 4  # changes that a sentence names


def find(reading: Reading) -> Iterator[Departure]:
    """Yields the calls of the run that change something inside, unseen by the reference."""
    run, _ = reading.comparison.problem.recorded
    for call, changes, destroys in run.unseen:
        more = f" and {len(changes) - NAMED} more" if len(changes) > NAMED else ""
        yield Departure(
            kind="unseen",
            severity=severity.of_unseen(destroys=destroys),
            agent=ids(changes),
            share=None,
            sentence=f"inside {label(call)} are changes that the reference does not show: "
            f"{labels(changes[:NAMED])}{more}",
        )
