"""The gate of a command: what fails a run, or many, ends the program with a code that says how."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from typer import Exit

from otap._numbers import count_text
from otap.cli.output import GATE_FAILED, INCONCLUSIVE, say
from otap.errors import shown
from otap.scoring import Score
from otap.scoring.gate import Gate

if TYPE_CHECKING:
    from otap.evaluation import Summary, Tally


def check(gate: Gate, score: Score) -> None:
    """Ends the program if a run fails, in a line for each reason.

    Raises:
        Exit: with GATE_FAILED or INCONCLUSIVE.
    """
    if not gate.asks:
        return
    doubt = gate.doubt(score)
    if doubt:
        say(doubt)
        raise Exit(INCONCLUSIVE)
    _end_for(gate.reasons(score), GATE_FAILED)


def check_all(gate: Gate, summary: "Summary") -> None:
    """Ends the program if many runs fail together, in a line for each reason.

    Raises:
        Exit: with GATE_FAILED or INCONCLUSIVE.
    """
    _end_for(faults(gate, summary), GATE_FAILED)
    _end_for(doubts(gate, summary), INCONCLUSIVE)


def faults(gate: Gate, summary: "Summary") -> list[str]:
    """Why many runs fail together.

    The mean score of the runs that have one must be at least the bound, and none may have such a
    finding.
    """
    return [*_mean_too_low(gate, summary.all), *_found_among(gate, summary)]


def doubts(gate: Gate, summary: "Summary") -> list[str]:
    """Why many runs do not pass: those without a score decide nothing, and are no pass."""
    return [*_without_score(summary.all), *_not_final(gate, summary.all)]


def _end_for(reasons: Iterable[str], code: int) -> None:
    told = list(reasons)
    for reason in told:
        say(reason)
    if told:
        raise Exit(code)


def _mean_too_low(gate: Gate, tally: "Tally") -> Iterable[str]:
    if gate.under is not None and tally.at_most is not None and tally.at_most < gate.under:
        yield f"the mean score {tally.mean('score')!r} is below {gate.under!r}"


def _found_among(gate: Gate, summary: "Summary") -> Iterable[str]:
    for one in gate.on:
        named = (found for found in summary.findings if one.names(*found))
        runs = sum(summary.findings[found] for found in named)
        if runs:
            yield f"--fail-on {shown(one.text)}: {count_text(runs, 'finding')} in all runs"


def _not_final(gate: Gate, tally: "Tally") -> Iterable[str]:
    mean = tally.mean("score")
    low = gate.under is not None and mean is not None and mean < gate.under
    if tally.unconverged and (low or gate.on):
        runs = count_text(tally.unconverged, "run")
        yield f"the solver did not converge for {runs}: their scores may be higher"


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
