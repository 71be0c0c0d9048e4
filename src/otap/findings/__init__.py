"""The differences that a person should look at first, each as one sentence.

Each module here finds a family of differences, and its docstring defines each kind. To add a kind,
write a function in the module of its family and add its name to KINDS.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from pydantic import TypeAdapter

from otap._caching import cached_property
from otap.alignment.comparison import Compared, WithoutSteps
from otap.findings.answers import find_other_answers
from otap.findings.budget import find_exceeded
from otap.findings.calls import (
    find_hidden_changes,
    find_missing_answers,
    find_other_calls,
    find_ungrounded,
)
from otap.findings.changes import Change
from otap.findings.claims import find_false_claims
from otap.findings.context import FindingContext, OrderElsewhere, TextsElsewhere
from otap.findings.disclosed import find_disclosed_secrets
from otap.findings.finding import SEVERITIES, Deviation, Finding, Severity
from otap.findings.identity import identify
from otap.findings.inversions import find_inverted_pairs
from otap.findings.order import find_lost_edges
from otap.findings.protections import find_switched_off
from otap.findings.refusals import find_refused_changes
from otap.findings.strict import apply_strictness
from otap.findings.uncompared import find_uncompared
from otap.findings.unmatched import (
    find_divided,
    find_extra,
    find_missing,
    find_without_steps,
    is_surely_critical,
)

# Shares of the loss that agree in this many digits are equal: the solver ends within its tolerance.
SHARE_DIGITS = 6

__all__ = [
    "KINDS",
    "SEVERITIES",
    "Change",
    "Finding",
    "FindingSearch",
    "OrderElsewhere",
    "Severity",
    "TextsElsewhere",
    "find",
    "is_surely_critical",
]

# The most important first, among findings of one severity.
KINDS = (
    "missing", "failed", "missing_answer", "invented", "reversed", "broken", "inverted",
    "other_answer", "ungrounded", "tool", "arguments", "unproven", "hidden_changes", "budget",
    "uncompared", "repeated", "split", "merged",
)  # fmt: skip
_FINDINGS = TypeAdapter(tuple[Finding, ...])


class FindingSearch:
    """The findings of one comparison, rule by rule; the verdict often needs few rules.

    Args:
        compared: the comparison.
        order_elsewhere: whether another reference has the counterpart of one step of the run before
            that of another one (default: there is no other reference).
        texts_elsewhere: the texts of the other references by tool and key (default: none).
    """

    def __init__(
        self,
        compared: Compared,
        order_elsewhere: OrderElsewhere | None = None,
        texts_elsewhere: TextsElsewhere | None = None,
    ) -> None:
        self._compared = compared
        self._order_elsewhere = order_elsewhere
        self._texts_elsewhere = texts_elsewhere
        self._by_rule: dict[str, Sequence[Deviation]] = {}

    @cached_property
    def is_critical(self) -> bool:
        """Whether any finding is critical. The rules that take least time come first."""
        if self._is_strict:
            return any(departure.severity == "critical" for departure in self._departures)
        return any(
            departure.severity == "critical"
            for rule in self._list_rules(_CHEAPEST_FIRST)
            for departure in self._apply(rule)
        )

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """The findings, sorted by severity; then in the order of KINDS; then by share."""
        departures = sorted(self._departures, key=_rank)
        return (
            _FINDINGS.validate_python(_complete(self._compared, departures)) if departures else ()
        )

    @cached_property
    def _departures(self) -> Sequence[Deviation]:
        departures: list[Deviation] = []
        for rule in self._list_rules(_RULES):
            departures += self._apply(rule)
        return apply_strictness(self._compared, departures) if self._is_strict else departures

    @property
    def _is_strict(self) -> bool:
        return self._compared.recorded[0].run.settings.config.strict

    def _list_rules(self, rules: Sequence[str]) -> Sequence[str]:
        return _RULES_WITHOUT_STEPS if isinstance(self._compared, WithoutSteps) else rules

    def _apply(self, rule: str) -> Sequence[Deviation]:
        if rule not in self._by_rule:
            self._by_rule[rule] = list(self._yield_departures(rule))
        return self._by_rule[rule]

    def _yield_departures(self, rule: str) -> Iterable[Deviation]:
        if rule == "answers":
            return find_missing_answers(self._compared)
        if rule == "budget":
            return find_exceeded(*(side.run for side in self._compared.recorded))
        if rule == "uncompared":
            return find_uncompared(*(side.run for side in self._compared.recorded))
        if rule == "messages":
            return find_other_answers(self._compared)
        if isinstance(self._compared, WithoutSteps):
            return find_without_steps(self._compared)
        if rule == "inverted":
            return find_inverted_pairs(self._context, self._apply("order"))
        return _FINDERS[rule](self._context)

    @cached_property
    def _context(self) -> FindingContext:
        assert not isinstance(self._compared, WithoutSteps)
        return FindingContext(self._compared, self._order_elsewhere, self._texts_elsewhere)


# In the order of the findings, where neither severity, kind nor share decides.
_FINDERS: Mapping[str, Callable[[FindingContext], Iterable[Deviation]]] = {
    "missing": find_missing,
    "extra": find_extra,
    "order": find_lost_edges,
    "ungrounded": find_ungrounded,
    "calls": find_other_calls,
    "protections": find_switched_off,
    "hidden": find_hidden_changes,
    "claims": find_false_claims,
    "disclosed": find_disclosed_secrets,
    "refused": find_refused_changes,
    "divided": find_divided,
}
_RULES_WITHOUT_STEPS = "answers", "messages", "steps", "budget"
_RULES = (
    "answers", "messages", "missing", "extra", "order", "inverted", "ungrounded", "calls",
    "protections", "hidden", "claims", "disclosed", "refused", "divided", "budget", "uncompared",
)  # fmt: skip
_CHEAPEST_FIRST = (
    "answers", "messages", "missing", "extra", "calls", "protections", "hidden", "order", "divided",
    "inverted", "claims", "disclosed", "refused", "ungrounded",
)  # fmt: skip


def find(compared: Compared, order_elsewhere: OrderElsewhere | None = None) -> tuple[Finding, ...]:
    """Returns the findings of a comparison, the most severe first.

    Args:
        compared: the comparison.
        order_elsewhere: as of :class:`FindingSearch`.
    """
    return FindingSearch(compared, order_elsewhere).findings


def _rank(departure: Deviation) -> tuple[int, int, float]:
    severity = SEVERITIES.index(departure.severity)
    return severity, KINDS.index(departure.kind), -round(departure.share or 0, SHARE_DIGITS)


def _complete(compared: Compared, departures: Sequence[Deviation]) -> list[dict[str, object]]:
    """The fields of each finding, with its id and the tools of the steps that it names."""
    run_tools, reference_tools = (
        {step.id: step.tool for step in side.run.scored.steps} for side in compared.recorded
    )
    tools = []
    for departure in departures:
        of_steps = [run_tools.get(step) for step in departure.agent]
        of_steps += [reference_tools.get(step) for step in departure.reference]
        tools.append([tool for tool in dict.fromkeys(of_steps) if tool])
    ids = identify(compared, departures, tools)
    fields = []
    for departure, names, finding_id in zip(departures, tools, ids, strict=True):
        record = {**departure._asdict(), "tools": names, "id": finding_id}
        del record["answer"]
        fields.append(record)
    return fields
