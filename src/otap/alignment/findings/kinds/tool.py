"""tool: counterparts that call different tools, neither of them split nor merged."""

from collections.abc import Iterator

from otap.alignment.findings import severity
from otap.alignment.findings.finding import Departure
from otap.alignment.findings.labels import labels
from otap.alignment.findings.reading import Reading
from otap.errors import shown
from otap.trajectory import Step


def find(reading: Reading) -> Iterator[Departure]:
    """Yields the steps that call another tool than their counterparts."""
    for i, j in reading.counterparts:
        step, wanted = reading.run[i], reading.reference[j]
        if (step.kind, step.tool) != (wanted.kind, wanted.tool) and reading.cost("tool", i, j):
            yield Departure(
                kind="tool",
                severity=severity.of_another_tool(*reading.roles(i, j), reading.in_full),
                agent=(step.id,),
                reference=(wanted.id,),
                share=reading.field_share("tool", i, j),
                sentence=f"{labels(reading.did(i))} stands where the reference calls "
                f"{_tool(wanted)}",
            )


def _tool(step: Step) -> str:
    return shown(step.tool, 40) if step.tool else "no tool"
