"""invented: a step of the run without a counterpart that neither repeats nor splits anything."""

from collections.abc import Iterator

from otap.alignment.findings import severity
from otap.alignment.findings.finding import Departure, Severity
from otap.alignment.findings.labels import label
from otap.alignment.findings.reading import Reading
from otap.trajectory import Step


def find(reading: Reading) -> Iterator[Departure]:
    """Yields the steps of the run that the reference knows nothing of."""
    told = {i for parts in reading.parts.values() for i in parts} | {*reading.given_up}
    for i in reading.matching.extra:
        if reading.repeats[i] is None and i not in told:
            how_bad = severity.of_extra(reading.comparison.run.roles[i], reading.in_full_besides)
            share = reading.share(reading.comparison.agent_contribution[i])
            yield from (invented(step, share, how_bad) for step in reading.did(i))


def invented(step: Step, share: float, how_bad: Severity) -> Departure:
    """Returns the finding of a step that was invented."""
    sentence = f"{label(step)} has no counterpart in the reference"
    return Departure(
        kind="invented", severity=how_bad, agent=(step.id,), share=share, sentence=sentence
    )
