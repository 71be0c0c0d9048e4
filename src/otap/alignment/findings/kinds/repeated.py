"""repeated: an unmatched step that does again what another did.

It calls the same tool with the same arguments as another step, or as the counterpart of a reference
step from which it differs by at most REPEATED; or it failed, and the other made up for that.
"""

from collections.abc import Iterator

from otap.alignment.findings import severity
from otap.alignment.findings.finding import Departure
from otap.alignment.findings.labels import ids, labels
from otap.alignment.findings.reading import Reading


def find(reading: Reading) -> Iterator[Departure]:
    """Yields the steps that repeat another."""
    for i, first in reading.repeats.items():
        if first is not None:
            j = reading.matching.reference_of.get(first)
            run = reading.comparison.run
            failed = bool(run.failed[i])
            yield Departure(
                kind="repeated",
                severity=severity.of_extra(run.roles[i], reading.in_full_besides, failed=failed),
                agent=ids(reading.did(first), reading.did(i)),
                reference=() if j is None else ids(reading.wanted(j)),
                share=reading.share(reading.comparison.agent_contribution[i]),
                sentence=_sentence(reading, first, i, failed),
            )


def _sentence(reading: Reading, first: int, again: int, failed: bool) -> str:
    """The counterpart may be the later of the two: the earlier was a first attempt then."""
    one, other = labels(reading.did(first)), labels(reading.did(again))
    if failed:
        return f"{other} failed before {one} made up for it"
    if again > first:
        return f"{other} does again what {one} did"
    return f"{other} did before what {one} does again"
