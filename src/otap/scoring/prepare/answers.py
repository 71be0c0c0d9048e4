"""The texts that a run told its user: its messages, and its calls of tools that answer."""

from collections.abc import Iterator

from pydantic import JsonValue

from otap.scoring.prepare.recognition import answers
from otap.trajectory import Step, Trajectory


def told_by(trajectory: Trajectory) -> list[str] | None:
    """Returns what a run told, messages first; None where it records neither."""
    calls = [step for step in trajectory.steps if _answers(step)]
    if trajectory.told is None and not calls:
        return None
    return [*(trajectory.told or ()), *(text for step in calls for text in _texts(step.arguments))]


def _answers(step: Step) -> bool:
    return step.status != "error" and step.tool is not None and answers(step.tool)


def _texts(data: JsonValue) -> Iterator[str]:
    """Yields the texts and numbers of a tree of data, in listing order."""
    waiting = [data]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting.extend(reversed(item.values()))
        elif isinstance(item, list):
            waiting.extend(reversed(item))
        elif item is not None and not isinstance(item, bool):
            yield str(item)
