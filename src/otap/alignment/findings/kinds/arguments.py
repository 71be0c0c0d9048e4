"""arguments: counterparts that call the same tool with other values; rewording does not count.

Another value is also what the reference has, where the run was given another one for that thing.
"""

from collections.abc import Iterator

from otap.alignment.findings import severity
from otap.alignment.findings.changes import Change, changes
from otap.alignment.findings.copied import copied
from otap.alignment.findings.finding import Departure
from otap.alignment.findings.labels import labels
from otap.alignment.findings.reading import Reading
from otap.matrices import at_least_cost

NAMED_CHANGES = 3  # changed arguments that a sentence names


def find(reading: Reading) -> Iterator[Departure]:
    """Yields the steps whose arguments differ from those of their counterparts."""
    for i, j in reading.counterparts:
        step, wanted = reading.run[i], reading.reference[j]
        if step.tool != wanted.tool:
            continue
        found = [*copied(step.arguments, wanted.arguments, reading.names.copied)]
        if reading.cost("arguments", i, j):
            ours, theirs = reading.arguments(i, j)
            differing = changes(ours, theirs, cheapest=at_least_cost(ours, theirs))
            found += [change.recorded(reading.names) for change in differing]
        if found:
            exact = any(change.is_exact for change in found)
            yield Departure(
                kind="arguments",
                severity=severity.of_other_arguments(
                    *reading.roles(i, j), reading.in_full, exact=exact
                ),
                agent=(step.id,),
                reference=(wanted.id,),
                share=reading.field_share("arguments", i, j),
                sentence=f"{labels(reading.did(i))} has other arguments: {_named(found)}",
            )


def _named(found: list[Change]) -> str:
    named = [str(change) for change in found[:NAMED_CHANGES]]
    rest = len(found) - len(named)
    return "; ".join([*named, f"and {rest} more"] if rest else named)
