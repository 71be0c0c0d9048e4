"""What is kept of one line of a result file: so little that a hundred thousand fit in memory."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from sys import intern
from typing import Any

from otap.alignment import Severity
from otap.evaluation.results import Result

FindingKey = tuple[str, str]  # a kind, and the tools that it is about
NOT_UNDERSTOOD = ("read", "nothing was understood of it")
MEASURES = ("score", "skill", "precision", "recall", "critical", "outcome")
LOWER_IS_BETTER = frozenset({"critical"})
# What decides how a pair was measured. Masses, tools and ids say what the run did: left out.
MEASURED = ("fields", "dependencies", "order_scored", "reference", "told", "in_full", "solver")


@dataclass(frozen=True, slots=True)
class FirstFinding:
    """A finding as it is told: what it is, how bad, and its sentence."""

    key: FindingKey
    severity: Severity
    sentence: str


@dataclass(frozen=True, slots=True)
class Run:
    """One run: its numbers, its findings, and how it was measured.

    ``values`` has a number for each measure, None where it is not known; it is empty for a run that
    has no score, and ``failure`` says why.
    """

    name: str
    trial: str | None
    failure: tuple[str, str] | None
    values: tuple[float | None, ...] = ()
    findings: tuple[FirstFinding, ...] = ()
    conditions: tuple[tuple[str, str], ...] = ()
    references: tuple[str, ...] = ()
    steps: int | None = None
    tokens: int | None = None

    @property
    def scored(self) -> bool:
        """Whether it has a score."""
        return self.failure is None

    @property
    def score(self) -> float:
        """Its score, the first of the measures."""
        value = self.values[0]
        assert value is not None
        return value


def run_of(result: Result) -> Run:
    """Returns what is kept of a result."""
    name = result.id or (result.source and result.source.path) or "unnamed run"
    trial = None if result.trial is None else str(result.trial)
    if result.error is not None:
        return Run(name, trial, (result.error.kind, result.error.message))
    if not result.understood:
        return Run(name, trial, NOT_UNDERSTOOD)
    return Run(
        name,
        trial,
        None,
        values=_values(result),
        findings=tuple(_findings(result)),
        conditions=_conditions(result.conditions),
        references=_references(result),
        steps=None if result.steps is None else result.steps.agent,
        tokens=_tokens(result),
    )


def _values(result: Result) -> tuple[float | None, ...]:
    critical = float(result.severity == "critical")
    numbers = (result.score, result.skill, result.precision, result.recall)
    return (*numbers, critical, result.outcome)


def _findings(result: Result) -> list[FirstFinding]:
    """Its findings in their order; the sentence is kept of the first of each key."""
    found: list[FirstFinding] = []
    seen: set[FindingKey] = set()
    for one in result.findings:
        key = intern(one.kind), intern(", ".join(one.tools))
        found.append(FirstFinding(key, one.severity, "" if key in seen else one.sentence))
        seen.add(key)
    return found


def _conditions(conditions: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """How the pair was measured, by name; nothing of a run without anything to compare."""
    if not conditions.get("fields"):
        return ()
    return tuple((name, intern(_text(name, conditions.get(name)))) for name in MEASURED)


def _text(name: str, value: Any) -> str:
    if name == "fields":
        return ", ".join(f"{field} {weight:.3g}" for field, weight in sorted(value.items()))
    if name == "dependencies" and isinstance(value, Mapping):
        return f"{value.get('run')}/{value.get('reference')}"
    return json.dumps(value, sort_keys=True)


def _references(result: Result) -> tuple[str, ...]:
    """Digests of the files of its references; none where the run's own file carries them."""
    own = result.source.path if result.source else None
    given = {one.sha256 or "" for one in result.reference_sources if one.path != own}
    return tuple(intern(one) for one in sorted(given))


def _tokens(result: Result) -> int | None:
    if result.tokens is None:
        return None
    parts = [part for part in (result.tokens.input, result.tokens.output) if part is not None]
    return sum(parts) if parts else None
