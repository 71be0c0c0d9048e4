"""The gate of a command: what fails a run, or many, ends the program with a code that says how."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from typer import Exit

from otap._numbers import count_text
from otap.cli.output import GATE_FAILED, INCONCLUSIVE, say
from otap.errors import shown
from otap.scoring import Score
from otap.scoring.gate import Gate

if TYPE_CHECKING:
    from otap.evaluation import Summary


def check(gate: Gate, score: Score) -> None:
    """Ends the program if a run fails, in a line for each reason.

    Raises:
        Exit: with GATE_FAILED or INCONCLUSIVE.
    """
    doubt = gate.doubt(score) if gate.asks else None
    _end_for([doubt] if doubt else [], INCONCLUSIVE)
    _end_for(gate.reasons(score), GATE_FAILED)


def check_all(gate: Gate, summary: "Summary") -> None:
    """Ends the program if many runs fail together, in a line for each reason.

    Raises:
        Exit: with GATE_FAILED or INCONCLUSIVE.
    """
    _end_for(faults(gate, summary), GATE_FAILED)
    _end_for(doubts(gate, summary), INCONCLUSIVE)


def _end_for(reasons: Sequence[str], code: int) -> None:
    for reason in reasons:
        say(reason)
    if reasons:
        raise Exit(code)


def faults(gate: Gate, summary: "Summary") -> list[str]:
    """Why many runs fail together.

    The mean score of the runs that have one must be at least the bound, and none may have such a
    finding.
    """
    reasons, most = [], summary.all.at_most
    if gate.under is not None and most is not None and most < gate.under:
        reasons.append(f"the mean score {summary.all.mean('score')!r} is below {gate.under!r}")
    for one in gate.on:
        runs = sum(count for found, count in summary.findings.items() if one.names(*found))
        if runs:
            count = count_text(runs, "finding")
            reasons.append(f"--fail-on {shown(one.text)}: {count} in all runs")
    return reasons


def doubts(gate: Gate, summary: "Summary") -> list[str]:
    """Why many runs do not pass: those without a score decide nothing, and are no pass."""
    tally = summary.all
    counts = (
        (tally.unread, "that could not be read or scored"),
        (tally.unmatched, "without a reference of their task"),
        (tally.not_understood, "not understood"),
        (tally.of_nothing, "without a step, against a reference without one"),
    )
    told = ", ".join(f"{count_text(count, 'run')} {what}" for count, what in counts if count)
    reasons = [told or "there was nothing to score"] if told or not tally.scored else []
    mean = tally.mean("score")
    low = gate.under is not None and mean is not None and mean < gate.under
    if tally.unconverged and (low or gate.on):
        runs = count_text(tally.unconverged, "run")
        reasons.append(f"the solver did not converge for {runs}: their scores may be higher")
    return reasons
