"""failed: a call of the run that failed and that no later call made up for.

What makes up for it is said in :mod:`otap.alignment.findings.attempts`. Not where the reference has
the same failure.
"""

from collections.abc import Iterator

from otap.alignment.findings import severity
from otap.alignment.findings.attempts import aims
from otap.alignment.findings.finding import Departure, Severity
from otap.alignment.findings.labels import label
from otap.alignment.findings.reading import Reading
from otap.trajectory import Step


def find(reading: Reading) -> Iterator[Departure]:
    """Yields the steps that failed for good."""
    comparison = reading.comparison
    for i in reading.given_up:
        needed = any(j in reading.matching.unmet for j in aims(comparison, i))
        role = comparison.run.roles[i]
        how_bad = severity.of_failure(role, reading.in_full_besides, needed=needed)
        share = reading.share(comparison.agent_contribution[i])
        yield from (failed(step, share, how_bad) for step in reading.did(i))


def failed(step: Step, share: float, how_bad: Severity) -> Departure:
    """Returns the finding of a step that failed."""
    sentence = f"{label(step)} failed, and no later step made up for it"
    return Departure(
        kind="failed", severity=how_bad, agent=(step.id,), share=share, sentence=sentence
    )
