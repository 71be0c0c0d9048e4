"""Why tasks moved, as a Mermaid flowchart: each task beside what came in it, or went."""

from collections.abc import Iterator, Mapping, Sequence

from otap._numbers import difference_text, score_text
from otap.errors import shown
from otap.evaluation.comparison.comparison import TaskChange
from otap.report.mermaid import quoted

TASKS_DRAWN = 10
_CLASSES = (
    "classDef critical fill:transparent,stroke:#D55E00,stroke-width:3px",
    "classDef major fill:transparent,stroke:#D55E00,stroke-width:2px,stroke-dasharray:6 4",
    "classDef minor fill:transparent,stroke:#808080,stroke-width:1px",
    "classDef task fill:transparent,stroke:#808080,stroke-width:1px",
)
_Reason = tuple[str, ...]


def reasons_flowchart(tasks: Sequence[TaskChange]) -> str | None:
    """Returns the tasks that moved most beside their first findings; None: none has one.

    Tasks with the same reason lead to one node. What came is a thick line, what went a dotted one.

    Args:
        tasks: those that moved, the most first.
    """
    known = [one for one in tasks if one.kind is not None][:TASKS_DRAWN]
    if not known:
        return None
    reasons = dict.fromkeys(map(_reason, known))
    names = {reason: f"f{place}" for place, reason in enumerate(reasons)}
    lines = (*_nodes(known, names), *_edges(known, names), *_CLASSES)
    return "\n".join(["flowchart LR", *(f"  {one}" for one in lines)])


def _reason(task: TaskChange) -> _Reason:
    """What came or went: how bad, its kind, and of which tool."""
    return task.severity or "minor", task.kind or "", task.tool or ""


def _nodes(tasks: Sequence[TaskChange], names: Mapping[_Reason, str]) -> Iterator[str]:
    for place, task in enumerate(tasks):
        scores = f"{score_text(task.base)} → {score_text(task.new)}"
        yield f"t{place}[{quoted(f'task {shown(task.task, 40)}', scores)}]:::task"
    for (severity, kind, tool), name in names.items():
        what = shown(f"{kind}: {tool}" if tool else kind, 60)
        yield f"{name}([{quoted(what, severity)}]):::{severity}"


def _edges(tasks: Sequence[TaskChange], names: Mapping[_Reason, str]) -> Iterator[str]:
    for place, task in enumerate(tasks):
        line, word = ("===", "came") if task.difference < 0 else ("-.-", "gone")
        label = quoted(f"{difference_text(task.difference)}, {word}")
        yield f"t{place} {line}|{label}| {names[_reason(task)]}"
