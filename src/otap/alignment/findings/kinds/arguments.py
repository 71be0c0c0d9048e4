"""arguments: counterparts that call the same tool with other values; rewording does not count.

Another value is also what the reference has, where the run was given another one for that thing.
"""

from collections.abc import Iterator

from otap.alignment.findings import severity
from otap.alignment.findings.changed import changed
from otap.alignment.findings.changes import Change
from otap.alignment.findings.finding import Departure
from otap.alignment.findings.labels import ids, labels
from otap.alignment.findings.reading import Reading

NAMED_CHANGES = 3  # changed arguments that a sentence names


def find(reading: Reading) -> Iterator[Departure]:
    """Yields the steps whose arguments differ from those of their counterparts."""
    for i, j in reading.counterparts:
        if reading.run[i].tool == reading.reference[j].tool:
            yield from _differing(reading, i, j)
    for i, j in sorted(reading.unions):
        yield from _differing(reading, i, j)


def _differing(reading: Reading, i: int, j: int) -> Iterator[Departure]:
    found = changed(reading, i, j)
    if not found:
        return
    did, exact = reading.did(i), any(change.is_exact for change in found)
    yield Departure(
        kind="arguments",
        severity=severity.of_other_arguments(*reading.roles(i, j), reading.in_full, exact=exact),
        agent=ids(did),
        reference=ids(reading.wanted(j)),
        share=reading.field_share("arguments", i, j),
        sentence=f"{labels(did)} {'has' if len(did) == 1 else 'have'} other arguments: "
        f"{_named(found)}",
    )


def _named(found: list[Change]) -> str:
    named = [str(change) for change in found[:NAMED_CHANGES]]
    rest = len(found) - len(named)
    return "; ".join([*named, f"and {rest} more"] if rest else named)
