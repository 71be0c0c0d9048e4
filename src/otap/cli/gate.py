"""The gate of a command: what fails a run ends the program, with a code that says how."""

import typer

from otap.cli.exits import GATE_FAILED, INCONCLUSIVE
from otap.cli.output import say
from otap.evaluation.gate import Gate
from otap.scoring import Score


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
        raise typer.Exit(INCONCLUSIVE)
    reasons = gate.reasons(score)
    for reason in reasons:
        say(reason)
    if reasons:
        raise typer.Exit(GATE_FAILED)
