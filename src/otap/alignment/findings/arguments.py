"""arguments: counterparts that call the same tool with other values; rewording does not count."""

from collections.abc import Iterator

from otap.alignment.findings import severity
from otap.alignment.findings.changes import Change, changes
from otap.alignment.findings.finding import Finding
from otap.alignment.findings.labels import label
from otap.alignment.findings.reading import Reading

NAMED_CHANGES = 3  # changed arguments that a sentence names


def find(reading: Reading) -> Iterator[Finding]:
    """Yields the steps whose arguments differ from those of their counterparts."""
    for i, j in reading.counterparts:
        step, wanted = reading.run[i], reading.reference[j]
        if step.tool != wanted.tool or not reading.cost("arguments", i, j):
            continue
        rules = reading.comparison.problem.rules_of(step.tool)
        found = changes(step.arguments, wanted.arguments, rules)
        if found:
            exact = any(change.is_exact for change in found)
            yield Finding(
                kind="arguments",
                severity=severity.of_other_arguments(
                    *reading.roles(i, j), reading.in_full, exact=exact
                ),
                agent=(step.id,),
                reference=(wanted.id,),
                share=reading.field_share("arguments", i, j),
                sentence=f"{label(step)} has other arguments: {_named(found)}",
            )


def _named(found: list[Change]) -> str:
    named = [str(change) for change in found[:NAMED_CHANGES]]
    rest = len(found) - len(named)
    return "; ".join([*named, f"and {rest} more"] if rest else named)
