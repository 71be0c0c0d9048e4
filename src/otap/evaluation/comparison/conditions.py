"""Tasks that both sides did not measure in the same way, and what differs."""

from collections.abc import Iterable, Sequence

from otap.evaluation.comparison.comparison import ConditionChange
from otap.evaluation.comparison.pairing import Task
from otap.evaluation.comparison.run import MEASURED, Run


def condition_changes(tasks: Iterable[Task], same_references: bool) -> list[ConditionChange]:
    """Returns what differs, for each task in which something does.

    Args:
        tasks: those that are compared.
        same_references: whether both files are known to have had the same references.
    """
    found = [_change(task, same_references) for task in tasks]
    return [change for change in found if change is not None]


def _change(task: Task, same_references: bool) -> ConditionChange | None:
    base, new = task.counted
    what = [text for name in MEASURED if (text := _difference(name, base, new))]
    if not same_references and _references(base) != _references(new):
        what.append("references: other files")
    return ConditionChange(task=task.name, what=tuple(what)) if what else None


def _difference(name: str, base: Sequence[Run], new: Sequence[Run]) -> str | None:
    """How a condition differs; a run without anything to compare decides none."""
    sides = [_seen(name, side) for side in (base, new)]
    if not all(sides) or sides[0] == sides[1]:
        return None
    return f"{name}: {' or '.join(sides[0])} -> {' or '.join(sides[1])}"


def _seen(name: str, side: Sequence[Run]) -> list[str]:
    place = MEASURED.index(name)
    return sorted({run.conditions[place][1] for run in side if run.conditions})


def _references(side: Sequence[Run]) -> set[tuple[str, ...]]:
    return {run.references for run in side}
