"""Hides private values of runs that a command copies into files, and says how many and where."""

from collections.abc import Iterator, Sequence
from typing import Any

from otap._numbers import number_text
from otap.cli.output import say
from otap.errors import shown
from otap.run.placeholders import REDACTED, Placeholders
from otap.trajectory import Step, Trajectory

MAX_LISTED = 20  # values of one command


def hide_private_values(runs: Sequence[Trajectory]) -> list[Trajectory]:
    """Returns runs with placeholders for secrets and personal data; prints a list of them."""
    placeholders = Placeholders()
    redactions = [placeholders.redact(run) for run in runs]
    sites = {name: site for redaction in redactions for name, site in redaction.sites.items()}
    values = sum(_count_values(step) for run in runs for step in run.steps)
    hidden = f"; {len(sites)} private ones are replaced" if sites else ", none private"
    say(f"{number_text(values)} values are copied{hidden}")
    for name in list(sites)[:MAX_LISTED]:
        say(f"  {name}: {shown(sites[name])}")
    if len(sites) > MAX_LISTED:
        say(f"  and {len(sites) - MAX_LISTED} more")
    if sites:
        say("--no-redaction copies them as they are")
    return [
        redaction.run.model_copy(
            update={"metadata": {**redaction.run.metadata, REDACTED: redaction.counts}}
        )
        if redaction.originals
        else redaction.run
        for redaction in redactions
    ]


def _count_values(step: Step) -> int:
    fields = step.action, step.arguments, step.effect, step.state
    inner = sum(_count_values(substep) for substep in step.substeps)
    return inner + sum(1 for field in fields for _ in _list_leaves(field))


def _list_leaves(data: Any) -> Iterator[Any]:
    """Yields the values in data that are no object, list or null."""
    waiting = [data]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            waiting += node.values()
        elif isinstance(node, list):
            waiting += node
        elif node is not None:
            yield node
