"""The findings where a side has no steps: all steps of the other are left over."""

from collections.abc import Iterator

from otap.alignment.comparison import WithoutSteps
from otap.alignment.findings import severity
from otap.alignment.findings.attempts import repeated_later
from otap.alignment.findings.finding import Departure
from otap.alignment.findings.kinds.failed import failed
from otap.alignment.findings.kinds.invented import invented
from otap.alignment.findings.kinds.missing import missing


def lost(compared: WithoutSteps) -> Iterator[Departure]:
    """Yields the steps of the reference, which are missing."""
    _, reference = compared.recorded
    for j, step in enumerate(compared.reference.steps):
        how_bad = severity.of_missing(
            reference.roles[j], reference.in_full, failed=bool(reference.failed[j])
        )
        yield missing(step, _share(compared), how_bad)


def extra(compared: WithoutSteps) -> Iterator[Departure]:
    """Yields the steps of the run: each was invented, or failed for good."""
    steps, (run, reference) = compared.run.steps, compared.recorded
    in_full, share = reference.in_full_besides, _share(compared)
    for i, step in enumerate(steps):
        role, has_failed = run.roles[i], bool(run.failed[i])
        if has_failed and not repeated_later(steps, run.failed, i):
            yield failed(step, share, severity.of_failure(role, in_full, needed=False))
        else:
            yield invented(step, share, severity.of_extra(role, in_full, failed=has_failed))


def _share(compared: WithoutSteps) -> float:
    """What each step accounts for of the loss that is not of answers, all alike."""
    steps = len(compared.run.steps) + len(compared.reference.steps)
    if not steps or compared.loss <= 0:
        return 0.0
    return (compared.loss - compared.telling.loss) / compared.loss / steps
