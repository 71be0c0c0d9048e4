"""The differences that a person should look at first, each as one sentence.

Each module here finds a family of differences, and its docstring defines each kind. To add a kind,
write a function in the module of its family and add its name to KINDS.
"""

from collections.abc import Iterable

from pydantic import TypeAdapter

from otap.alignment.comparison import Compared, WithoutSteps
from otap.findings.answers import find_other_answers
from otap.findings.calls import (
    find_hidden_changes,
    find_missing_answers,
    find_other_calls,
    find_ungrounded,
)
from otap.findings.changes import Change
from otap.findings.context import FindingContext, OrderElsewhere
from otap.findings.finding import SEVERITIES, Deviation, Finding, Severity
from otap.findings.inversions import find_inverted_pairs
from otap.findings.order import find_lost_edges
from otap.findings.protections import find_switched_off
from otap.findings.strict import apply_strictness
from otap.findings.unmatched import (
    find_divided,
    find_extra,
    find_missing,
    find_without_steps,
)

# Shares of the loss that agree in this many digits are equal: the solver ends within its tolerance.
SHARE_DIGITS = 6

__all__ = ["KINDS", "SEVERITIES", "Change", "Finding", "OrderElsewhere", "Severity", "find"]

# The most important first, among findings of one severity.
KINDS = (
    "missing", "failed", "missing_answer", "invented", "reversed", "broken", "inverted",
    "other_answer", "ungrounded", "tool", "arguments", "unproven", "hidden_changes", "repeated",
    "split", "merged",
)  # fmt: skip
_FINDINGS = TypeAdapter(tuple[Finding, ...])


def find(compared: Compared, order_elsewhere: OrderElsewhere | None = None) -> tuple[Finding, ...]:
    """Returns the findings of a comparison, the most severe first.

    They are sorted by severity; then by kind, in the order of KINDS; then by share of the loss.

    Args:
        compared: the comparison.
        order_elsewhere: whether another reference has the counterpart of one step of the run before
            that of another one (default: there is no other reference).
    """
    departures = [*find_missing_answers(compared), *find_other_answers(compared)]
    if isinstance(compared, WithoutSteps):
        departures += find_without_steps(compared)
    else:
        context = FindingContext(compared, order_elsewhere)
        departures += find_missing(context) if context.unmet else ()
        departures += find_extra(context) if context.repeats else ()
        lost_edges = list(find_lost_edges(context))
        departures += lost_edges
        departures += find_inverted_pairs(context, lost_edges)
        departures += find_ungrounded(context)
        departures += find_other_calls(context)
        departures += find_switched_off(context)
        departures += find_hidden_changes(context)
        departures += find_divided(context)
    if compared.recorded[0].run.settings.config.strict:
        departures = apply_strictness(compared, departures)
    departures.sort(key=_rank)
    return _FINDINGS.validate_python(_add_tools(compared, departures)) if departures else ()


def _rank(departure: Deviation) -> tuple[int, int, float]:
    severity = SEVERITIES.index(departure.severity)
    return severity, KINDS.index(departure.kind), -round(departure.share or 0, SHARE_DIGITS)


def _add_tools(compared: Compared, departures: Iterable[Deviation]) -> list[dict[str, object]]:
    """The fields of each finding, with the tools of the steps that it names on either side."""
    run_tools, reference_tools = (
        {step.id: step.tool for step in side.run.scored.steps} for side in compared.recorded
    )
    fields = []
    for departure in departures:
        tools = [run_tools.get(step) for step in departure.agent]
        tools += [reference_tools.get(step) for step in departure.reference]
        unique = [tool for tool in dict.fromkeys(tools) if tool]
        fields.append({**departure._asdict(), "tools": unique})
    return fields
