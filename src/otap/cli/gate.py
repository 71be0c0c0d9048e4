"""The gate of a run or of many: which findings fail it, and below which score it fails."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import typer

from otap.alignment import KINDS, SEVERITIES, Finding
from otap.cli.exits import GATE_FAILED, INCONCLUSIVE
from otap.cli.output import say
from otap.dependencies.tool_names import without_server
from otap.errors import ConfigError, shown
from otap.report.numbers import count_text
from otap.scoring import Score

if TYPE_CHECKING:
    from otap.evaluation import Summary, Tally

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
        return named and (self.tool is None or any(map(self._means, tools)))

    def _means(self, tool: str) -> bool:
        """Whether its pattern is that of a tool, under its name or that without its server's."""
        assert self.tool is not None
        return any(fnmatchcase(name, self.tool) for name in (tool, without_server(tool)))


@dataclass(frozen=True)
class Gate:
    """What a run must meet: at least this score, and no such finding."""

    under: float | None
    on: Sequence[FailOn]

    def check(self, score: Score) -> None:
        """Ends the program if the run fails, in one line that says why.

        A score, unrounded, of at least the bound passes; one that is not final decides nothing, nor
        does that of a run of which nothing was understood.

        Args:
            score: what is judged.

        Raises:
            Exit: with GATE_FAILED or INCONCLUSIVE.
        """
        if self.under is None and not self.on:
            return
        doubt = _doubt(score)
        if doubt:
            say(doubt)
            raise typer.Exit(INCONCLUSIVE)
        reasons = [*self._too_low(score), *self._found(score)]
        for reason in reasons:
            say(reason)
        if reasons:
            raise typer.Exit(GATE_FAILED)

    def check_all(self, summary: "Summary") -> None:
        """Ends the program if many runs fail together, in a line for each reason.

        The mean score of the runs that have one must be at least the bound, and none may have such
        a finding. Runs without a score decide nothing, and are no pass.

        Args:
            summary: what is judged.

        Raises:
            Exit: with GATE_FAILED or INCONCLUSIVE.
        """
        tally = summary.all
        reasons = [*self._mean_too_low(tally), *self._found_among(summary)]
        for reason in reasons:
            say(reason)
        if reasons:
            raise typer.Exit(GATE_FAILED)
        doubts = [*_without_score(tally), *self._not_final(tally)]
        for doubt in doubts:
            say(doubt)
        if doubts:
            raise typer.Exit(INCONCLUSIVE)

    def _mean_too_low(self, tally: "Tally") -> Iterable[str]:
        if self.under is not None and tally.at_most is not None and tally.at_most < self.under:
            yield f"the mean score {tally.means['score'].value!r} is below {self.under!r}"

    def _found_among(self, summary: "Summary") -> Iterable[str]:
        for one in self.on:
            named = (found for found in summary.findings if one.names(*found))
            runs = sum(summary.findings[found] for found in named)
            if runs:
                yield f"--fail-on {shown(one.text)}: {count_text(runs, 'finding')} in all runs"

    def _not_final(self, tally: "Tally") -> Iterable[str]:
        mean = tally.means["score"].value
        low = self.under is not None and mean is not None and mean < self.under
        if tally.unconverged.count and (low or self.on):
            runs = count_text(tally.unconverged.count, "run")
            yield f"the solver did not converge for {runs}: their scores may be higher"

    def _too_low(self, score: Score) -> Iterable[str]:
        if self.under is not None and score.score < self.under:
            yield f"score {score.score!r} is below {self.under!r}"

    def _found(self, score: Score) -> Iterable[str]:
        failing: dict[Finding, str] = {}
        for finding in score.findings:
            asked = [one.text for one in self.on if one.concerns(finding)]
            if asked:
                failing[finding] = asked[0]
        if failing:
            yield _told(failing)


def _doubt(score: Score) -> str | None:
    """Why a score decides nothing, if it does not."""
    if not score.understood:
        return (
            "nothing was understood of the run, so the gate decides nothing; 'otap formats FILE'"
            " shows what was read"
        )
    return None if score.converged else "the solver did not converge: the score may be higher"


def _without_score(tally: "Tally") -> Iterable[str]:
    """That some runs have no score, or one that says nothing."""
    counts = (
        (tally.unread, "that could not be read or scored"),
        (tally.unmatched, "without a reference of their task"),
        (tally.not_understood, "not understood"),
    )
    told = [f"{count_text(count, 'run')} {what}" for count, what in counts if count]
    if told:
        yield ", ".join(told)
    elif not tally.scored:
        yield "there was nothing to score"


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
