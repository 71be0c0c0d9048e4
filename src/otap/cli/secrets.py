"""Hides the secrets of runs that a command copies into files, and says how many."""

from collections.abc import Sequence

from otap.cli.output import say
from otap.trajectory import Trajectory


def hide_secrets(runs: Sequence[Trajectory]) -> list[Trajectory]:
    """Returns runs without what looks like a secret; prints the numbers of values and secrets."""
    from otap.learning.secrets import Redaction

    redaction = Redaction()
    hidden = [redaction.hide(run) for run in runs]
    hint = "; --with-secrets copies them" if redaction.secrets else ""
    say(redaction.describe() + hint)
    return hidden
