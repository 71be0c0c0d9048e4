"""The gate: the findings that fail a run, and the least score that passes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Protocol

from otap.errors import ConfigError, shown
from otap.findings import KINDS, SEVERITIES, Finding
from otap.values.tool_names import without_server

MAX_LISTED = 3  # findings in the reason of a failed gate


class Judged(Protocol):
    """A score, or a line of a result file with a score."""

    @property
    def score(self) -> float | None:
        """The score."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings."""

    @property
    def understood(self) -> bool:
        """Whether the reader understood a part of the run."""

    @property
    def of_nothing(self) -> bool:
        """Whether neither side has a step."""

    @property
    def converged(self) -> bool:
        """Whether the solver reached its tolerance."""


@dataclass(frozen=True)
class FailOn:
    """One ``--fail-on``: a severity or a kind of finding, and optionally a pattern of tools."""

    text: str
    name: str
    tool: str | None

    @property
    def severities(self) -> tuple[str, ...]:
        """The severities that it concerns; none if it names a kind of finding."""
        severities: tuple[str, ...] = SEVERITIES
        if self.name not in severities:
            return ()
        return severities[: severities.index(self.name) + 1]

    def concerns(self, finding: Finding) -> bool:
        """Whether a finding fails a run."""
        return self.matches(finding.severity, finding.kind, finding.tools)

    def matches(self, severity: str, kind: str, tools: Iterable[str]) -> bool:
        """Whether a finding of this severity and kind, of steps with these tools, fails a run."""
        is_match = severity in self.severities if self.severities else kind == self.name
        if self.tool is None or not is_match:
            return is_match
        return any(
            fnmatchcase(name, self.tool) for tool in tools for name in (tool, without_server(tool))
        )


@dataclass(frozen=True)
class Gate:
    """The requirements for a run: a least score, and no finding of some kinds."""

    under: float | None
    on: Sequence[FailOn]

    @property
    def asks(self) -> bool:
        """Whether there is any requirement."""
        return self.under is not None or bool(self.on)

    def doubt(self, score: Judged) -> str | None:
        """Returns why the gate cannot decide on a score, or None if it can.

        It cannot if the solver did not converge, if the reader understood nothing of the run, or if
        neither side has a step.
        """
        if not score.understood:
            return (
                "nothing was understood of the run, so the gate decides nothing; 'otap formats"
                " FILE' shows what was read"
            )
        if score.of_nothing:
            return (
                "neither the run nor its reference has a step, so the gate decides nothing; if the"
                " reference requires no step, set its metadata.reference to 'required'"
            )
        return None if score.converged else "the solver did not converge: the score may be higher"

    def reasons(self, score: Judged) -> list[str]:
        """Returns why a run fails, one line each; none if it passes.

        The unrounded score passes if it is at least the bound.
        """
        reasons = []
        if self.under is not None and score.score is not None and score.score < self.under:
            reasons.append(f"score {score.score!r} is below {self.under!r}")
        failing: dict[Finding, str] = {}
        for finding in score.findings:
            options = [option.text for option in self.on if option.concerns(finding)]
            if options:
                failing[finding] = options[0]
        if failing:
            reasons.append(_describe_failing(failing))
        return reasons


def gate(under: float | None, on: Sequence[str], *, strict: bool = False) -> Gate:
    """Returns the gate of the options ``--fail-under`` and ``--fail-on``.

    Args:
        under: the least score that passes.
        on: severities or kinds of findings that fail, with or without a tool.
        strict: whether strict mode is in force, which fails on critical findings by itself.

    Raises:
        ConfigError: if no score can meet the bound, or an option has no known severity or kind.
    """
    if under is not None and not 0 <= under <= 1:
        raise ConfigError("--fail-under must lie between 0 and 1")
    if strict and under is None and not on:
        on = ["critical"]
    return Gate(under, [_fail_on(text) for text in on])


def _fail_on(text: str) -> FailOn:
    name, colon, tool = text.partition(":")
    if name not in (*SEVERITIES, *KINDS):
        raise ConfigError(
            f"--fail-on knows no '{shown(name)}'; "
            f"severities: {', '.join(SEVERITIES)}; findings: {', '.join(KINDS)}"
        )
    if colon and not tool:
        raise ConfigError(f"--fail-on {name}: names no tool; leave the colon out for every tool")
    return FailOn(text, name, tool or None)


def _describe_failing(failing: Mapping[Finding, str]) -> str:
    """The findings that fail a run with their options, in one line."""
    parts = [
        f"{finding.severity} {finding.kind}: {finding.sentence}"
        for finding in list(failing)[:MAX_LISTED]
    ]
    if len(failing) > MAX_LISTED:
        parts.append(f"and {len(failing) - MAX_LISTED} more")
    options = ", ".join(dict.fromkeys(shown(text) for text in failing.values()))
    return f"--fail-on {options}: {'; '.join(parts)}"
