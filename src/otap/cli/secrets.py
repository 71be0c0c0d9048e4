"""Hides private values of runs that a command copies into files, and says how many and where."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from otap._numbers import number_text
from otap.cli.output import say
from otap.errors import shown
from otap.run.placeholders import REDACTED, count_kinds
from otap.run.redaction import Redaction, RunRedactor
from otap.trajectory import Step, Trajectory, kinds_text

MAX_LISTED = 20  # values of one command
MIN_TYPED = 2  # characters of an argument that a message repeats as it was typed


class MessageFilter:
    """Replaces private values in messages, but not in typed words.

    Args:
        arguments: of the command line.
    """

    def __init__(self, arguments: Sequence[str]) -> None:
        typed = {word for word in arguments if len(word) >= MIN_TYPED}
        words = sorted(typed, key=lambda word: (-len(word), word))
        self._typed = re.compile(f"({'|'.join(map(re.escape, words))})" if words else "($^)")
        self._redactor = RunRedactor()

    def __call__(self, message: str) -> str:
        """Returns a message without private values."""
        parts = self._typed.split(message)
        hidden = [part if k % 2 else self._redactor.hide(part) for k, part in enumerate(parts)]
        return "".join(hidden)


def redact_runs(runs: Sequence[Trajectory]) -> list[Redaction]:
    """Returns runs with placeholders for secrets and personal data, equal ones in one task."""
    by_task: dict[str | None, list[Trajectory]] = {}
    for run in runs:
        by_task.setdefault(run.task, []).append(run)
    redactions = {
        task: iter(RunRedactor().redact_all(task_runs)) for task, task_runs in by_task.items()
    }
    return [next(redactions[run.task]) for run in runs]


def copy_redacted(redactions: Sequence[Redaction]) -> list[Trajectory]:
    """Returns the redacted runs, with the number of their replaced values."""
    return [
        redaction.run.model_copy(
            update={"metadata": {**redaction.run.metadata, REDACTED: redaction.counts}}
        )
        if redaction.originals
        else redaction.run
        for redaction in redactions
    ]


def say_replaced(redactions: Sequence[Redaction]) -> None:
    """Prints how many values of runs are copied, and which of them are replaced."""
    sites: dict[tuple[str | None, str], str] = {}
    for redaction in redactions:
        for name, site in redaction.sites.items():
            if (redaction.run.task, name) not in sites or site != "metadata":
                sites[redaction.run.task, name] = site
    values = sum(_count_values(step) for redaction in redactions for step in redaction.run.steps)
    kinds = kinds_text(count_kinds(name for _, name in sites))
    hidden = f"; {len(sites)} private ones are replaced: {kinds}" if sites else ", none private"
    say(f"{number_text(values)} values are copied{hidden}")
    for (_, name), site in list(sites.items())[:MAX_LISTED]:
        say(f"  {name}: {shown(site)}")
    if len(sites) > MAX_LISTED:
        say(f"  and {len(sites) - MAX_LISTED} more")
    if sites:
        say("--no-redaction copies them as they are")


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
