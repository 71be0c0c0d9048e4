"""Many scores, task by task: a mark for each run, told apart by how bad its worst finding is."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from otap._numbers import ABSENT, count_text
from otap.report.picture import BLUE, GREY, ORANGE, RED
from otap.report.plots.axes import axes_of, bare, with_rest, written
from otap.scoring import Score

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TASKS_DRAWN = 60
_MEAN = "mean of the task"
# Marker and colour by the worst finding.
_MARKS: Mapping[str | None, tuple[str, str]] = {
    "critical": ("X", RED), "major": ("^", ORANGE), "minor": ("s", BLUE), None: ("o", GREY),
}  # fmt: skip


def draw_runs(scores: Sequence[Score], axes: "Axes | None" = None) -> "Axes":
    """Draws the scores of runs by their tasks, the worst task first; a line marks its mean."""
    tasks: dict[str | None, list[Score]] = {}
    for one in scores:
        tasks.setdefault(one.task, []).append(one)
    means = {task: fmean(one.score for one in found) for task, found in tasks.items()}
    ordered = sorted(tasks, key=lambda task: means[task])
    drawn = ordered[:TASKS_DRAWN]
    on = axes_of(axes, 7, 1.4 + 0.24 * max(len(drawn), 1))
    _marks(on, [(one, y) for y, task in enumerate(drawn) for one in tasks[task]])
    heights = range(len(drawn))
    on.scatter([means[t] for t in drawn], heights, marker="|", c="black", s=120, label=_MEAN)
    on.set_yticks(heights, [written(task or ABSENT, 24) for task in drawn])
    title = with_rest(count_text(len(scores), "run"), ordered, TASKS_DRAWN, "task")
    on.set_title(title, loc="left")
    _frame(on, len(drawn))
    return on


def _marks(on: "Axes", placed: Sequence[tuple[Score, int]]) -> None:
    """A mark for each run; those whose worst findings are as bad are drawn together."""
    for worst, (marker, colour) in _MARKS.items():
        found = [(one.score, y) for one, y in placed if one.severity == worst]
        if found:
            x, heights = zip(*found, strict=True)
            on.scatter(x, heights, marker=marker, c=colour, label=worst or "none")


def _frame(on: "Axes", tasks: int) -> None:
    on.set_ylabel("task, the worst first")
    on.set_xlabel("score; 1 is the same as a reference")
    on.set_xlim(0, 1.02)
    on.set_ylim(max(tasks, 1) - 0.5, -0.5)  # the first above; no mark lies on the frame
    on.legend(title="worst finding", loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    bare(on, "left", "bottom")
