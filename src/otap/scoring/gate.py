"""The gate: which findings fail a run, and below which score it fails."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from otap.alignment import KINDS, SEVERITIES, Finding
from otap.errors import ConfigError, shown
from otap.run.tool_names import without_server
from otap.scoring.result import Score

NAMED = 3  # findings that a failed gate names


@dataclass(frozen=True)
class FailOn:
    """One ``--fail-on``: a severity or a kind of finding, and the tools that it is about."""

    text: str
    name: str
    tool: str | None

    def concerns(self, finding: Finding) -> bool:
        """Whether a finding fails a run."""
        return self.names(finding.severity, finding.kind, finding.tools)

    def names(self, severity: str, kind: str, tools: Iterable[str]) -> bool:
        """Whether a finding of this severity and kind, of steps with these tools, fails a run."""
        severities: tuple[str, ...] = SEVERITIES
        if self.name in severities:
            named = severities.index(severity) <= severities.index(self.name)
        else:
            named = kind == self.name
        return named and (self.tool is None or any(map(self._matches_tool, tools)))

    def _matches_tool(self, tool: str) -> bool:
        """Whether its pattern is that of a tool, under its name or that without its server's."""
        assert self.tool is not None
        return any(fnmatchcase(name, self.tool) for name in (tool, without_server(tool)))


@dataclass(frozen=True)
class Gate:
    """What a run must meet: at least this score, and no such finding."""

    under: float | None
    on: Sequence[FailOn]

    @property
    def asks(self) -> bool:
        """Whether it asks for anything."""
        return self.under is not None or bool(self.on)

    def doubt(self, score: Score) -> str | None:
        """Returns why a score decides nothing, if it does not.

        One that is not final decides nothing, nor does that of a run of which nothing was
        understood, or of no step against no step.
        """
        if not score.understood:
            return (
                "nothing was understood of the run, so the gate decides nothing; 'otap formats"
                " FILE' shows what was read"
            )
        if score.of_nothing:
            return (
                "neither the run nor its reference has a step, so the gate decides nothing; a"
                " reference that wants nothing done says so: metadata.reference 'required'"
            )
        return None if score.converged else "the solver did not converge: the score may be higher"

    def reasons(self, score: Score) -> list[str]:
        """Returns why a run fails, a line each; none if it passes.

        A score, unrounded, of at least the bound passes.
        """
        return [*self._too_low(score), *self._find_failing(score)]

    def _too_low(self, score: Score) -> Iterable[str]:
        if self.under is not None and score.score < self.under:
            yield f"score {score.score!r} is below {self.under!r}"

    def _find_failing(self, score: Score) -> Iterable[str]:
        failing: dict[Finding, str] = {}
        for finding in score.findings:
            asked = [one.text for one in self.on if one.concerns(finding)]
            if asked:
                failing[finding] = asked[0]
        if failing:
            yield _told(failing)


def gate(under: float | None, on: Sequence[str]) -> Gate:
    """Returns the gate of the options ``--fail-under`` and ``--fail-on``.

    Raises:
        ConfigError: for a bound that no score can meet, or what is no severity, kind or tool.
    """
    if under is not None and not 0 <= under <= 1:
        raise ConfigError("--fail-under must lie between 0 and 1")
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


def _told(failing: Mapping[Finding, str]) -> str:
    """The findings that fail a run, with what asks for that, in one line."""
    named = [f"{one.severity} {one.kind}: {one.sentence}" for one in list(failing)[:NAMED]]
    rest = [f"and {len(failing) - NAMED} more"] if len(failing) > NAMED else []
    asked = ", ".join(dict.fromkeys(shown(text) for text in failing.values()))
    return f"--fail-on {asked}: {'; '.join([*named, *rest])}"
