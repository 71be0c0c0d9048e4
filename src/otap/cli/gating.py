"""The gate of a command: exits with a code if a run, or many runs together, fail."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from typer import Exit

from otap._numbers import count_text, number_text
from otap.cli.output import GATE_FAILED, INCONCLUSIVE, say
from otap.errors import shown
from otap.scoring import Score
from otap.scoring.gate import FailOn, Gate

if TYPE_CHECKING:
    from otap.evaluation import Summary


def check(gate: Gate, score: Score) -> None:
    """Exits if a run fails the gate, and prints the reasons.

    Raises:
        Exit: with GATE_FAILED or INCONCLUSIVE.
    """
    doubt = gate.doubt(score) if gate.asks else None
    _exit_if([doubt] if doubt else [], INCONCLUSIVE)
    _exit_if(gate.reasons(score), GATE_FAILED)


def check_all(gate: Gate, summary: "Summary") -> None:
    """Exits if many runs together fail the gate, and prints the reasons.

    Raises:
        Exit: with GATE_FAILED or INCONCLUSIVE.
    """
    _exit_if(list_failures(gate, summary), GATE_FAILED)
    _exit_if(list_doubts(gate, summary), INCONCLUSIVE)


def _exit_if(reasons: Sequence[str], code: int) -> None:
    for reason in reasons:
        say(reason)
    if reasons:
        raise Exit(code)


def list_failures(gate: Gate, summary: "Summary") -> list[str]:
    """Returns why many runs together fail the gate.

    The mean of their scores must be at least the bound, and no run may have a finding of the gate.
    """
    reasons, highest = [], summary.all.at_most
    if gate.under is not None and highest is not None and highest < gate.under:
        reasons.append(f"the mean score {summary.all.mean('score')!r} is below {gate.under!r}")
    for pattern in gate.on:
        counts = [runs for finding, runs in summary.findings.items() if pattern.matches(*finding)]
        if counts:
            count = count_text(sum(counts), _name_finding(pattern))
            runs = _count_runs(pattern, counts, summary)
            reasons.append(f"--fail-on {shown(pattern.text)}: {count} {runs}")
    return reasons


def _name_finding(pattern: FailOn) -> str:
    """Returns a noun for the findings that a requirement concerns."""
    names = {"major": "critical or major finding", "minor": "finding"}
    return names.get(pattern.name, f"{pattern.name} finding")


def _count_runs(pattern: FailOn, counts: Sequence[int], summary: "Summary") -> str:
    """Returns how many of the scored runs have such a finding, if the summary shows it.

    Args:
        pattern: the requirement.
        counts: the number of runs with each finding that it concerns.
        summary: of all runs.
    """
    all_runs = count_text(summary.all.scored, "run")
    if pattern.severities and pattern.tool is None:
        runs = sum(summary.all.severities[severity] for severity in pattern.severities)
        return f"in {number_text(runs)} of {all_runs}"
    if pattern.tool is None:
        return f"in {number_text(summary.kinds[pattern.name])} of {all_runs}"
    return f"in {number_text(counts[0])} of {all_runs}" if len(counts) == 1 else f"among {all_runs}"


def list_doubts(gate: Gate, summary: "Summary") -> list[str]:
    """Returns why the gate is inconclusive: runs without a score neither pass nor fail."""
    tally = summary.all
    counts = (
        (tally.unread, "that could not be read or scored"),
        (tally.unmatched, "without a reference of their task"),
        (tally.not_understood, "not understood"),
        (tally.of_nothing, "without a step, against a reference without one"),
    )
    text = ", ".join(f"{count_text(count, 'run')} {reason}" for count, reason in counts if count)
    reasons = [text or "there was nothing to score"] if text or not tally.scored else []
    mean = tally.mean("score")
    is_below = gate.under is not None and mean is not None and mean < gate.under
    if tally.unconverged and (is_below or gate.on):
        runs = count_text(tally.unconverged, "run")
        reasons.append(f"the solver did not converge for {runs}: their scores may be higher")
    return reasons
