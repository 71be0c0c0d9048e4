"""What a person should look at first: each departure from the reference as one sentence.

Each module here finds a family of departures, and says in its first lines what each kind of them
is. A new kind is a function in the module of its family, and its name in KINDS.
"""

from collections.abc import Iterable

from pydantic import TypeAdapter

from otap.alignment.comparison import Compared, WithoutSteps
from otap.alignment.findings.calls import (
    find_other_calls,
    find_ungrounded,
    find_unseen,
    find_untold,
)
from otap.alignment.findings.finding import SEVERITIES, Departure, Finding, Severity
from otap.alignment.findings.order import find_inverted_pairs, find_lost_edges
from otap.alignment.findings.reading import Reading
from otap.alignment.findings.unmatched import (
    find_divided,
    find_extra,
    find_missing,
    find_without_steps,
)
from otap.alignment.parameters import SHARE_DIGITS

__all__ = ["KINDS", "SEVERITIES", "Finding", "Severity", "find"]

# The most important first, of those that are as bad.
KINDS = (
    "missing", "failed", "untold", "invented", "reversed", "broken", "inverted", "ungrounded",
    "tool", "arguments", "unseen", "repeated", "split", "merged",
)  # fmt: skip
_FINDINGS = TypeAdapter(tuple[Finding, ...])


def find(compared: Compared) -> tuple[Finding, ...]:
    """Returns the findings of a comparison: the worst come first, not the dearest.

    By severity; then by kind, in the order of KINDS; then by share of the loss.
    """
    found = list(find_untold(compared))
    if isinstance(compared, WithoutSteps):
        found += find_without_steps(compared)
    else:
        reading = Reading(compared)
        found += find_missing(reading) if reading.unmet else ()
        found += find_extra(reading) if reading.repeats else ()
        found += find_lost_edges(reading)
        found += find_inverted_pairs(reading)
        found += find_ungrounded(reading)
        found += find_other_calls(reading)
        found += find_unseen(reading)
        found += find_divided(reading)
    found.sort(key=_rank)
    return _FINDINGS.validate_python(_add_tools(compared, found)) if found else ()


def _rank(found: Departure) -> tuple[int, int, float]:
    severity = SEVERITIES.index(found.severity)
    return severity, KINDS.index(found.kind), -round(found.share or 0, SHARE_DIGITS)


def _add_tools(compared: Compared, found: Iterable[Departure]) -> list[dict[str, object]]:
    """The fields of each finding, with the tools of the steps of either side that it names."""
    sides = compared.recorded if isinstance(compared, WithoutSteps) else compared.problem.recorded
    tools: list[dict[str, str | None]] = [{}, {}]
    for side, tool_of in zip(sides, tools, strict=True):
        for step in side.run.scored.steps:
            tool_of[step.id] = step.tool
    fields = []
    for one in found:
        named = dict.fromkeys([*map(tools[0].get, one.agent), *map(tools[1].get, one.reference)])
        fields.append({**one._asdict(), "tools": list(filter(None, named))})
    return fields
