"""missing: a reference step without a counterpart, and not merged into a step of the run."""

from collections.abc import Iterator

from otap.alignment.findings import severity
from otap.alignment.findings.finding import Departure, Severity
from otap.alignment.findings.labels import label
from otap.alignment.findings.reading import Reading
from otap.trajectory import Step

VITAL = ", and without it the goal cannot be reached"
HAD = "; the run had by other steps what it shows"


def find(reading: Reading) -> Iterator[Departure]:
    """Yields the steps of the reference that are missing."""
    merged = {j for parts in reading.wholes.values() for j in parts}
    for j in reading.matching.unmet:
        if j not in merged:
            share = reading.share(reading.comparison.reference_contribution[j])
            end, how_bad = _how_bad(reading, j)
            yield from (missing(step, share, how_bad, end) for step in reading.wanted(j))


def _how_bad(reading: Reading, j: int) -> tuple[str, Severity]:
    """What lacking a step means for the goal, in words, and how bad it is."""
    reference = reading.comparison.reference
    failed, vital = bool(reference.failed[j]), bool(reference.critical[j])
    had = vital and j in reading.gone_round
    role, vital = reference.roles[j], vital and not had
    how_bad = severity.of_missing(role, reading.in_full, failed=failed, vital=vital)
    return HAD if had else VITAL if vital else "", how_bad


def missing(step: Step, share: float, how_bad: Severity, end: str = "") -> Departure:
    """Returns the finding of a step that is missing.

    Args:
        step: the step of the reference.
        share: its share of the loss.
        how_bad: the severity.
        end: what the sentence says after that.
    """
    sentence = f"{label(step)} of the reference is missing from the run{end}"
    return Departure(
        kind="missing", severity=how_bad, reference=(step.id,), share=share, sentence=sentence
    )
