"""Draws scores on axes of matplotlib; ``otap.plot`` is the public interface.

Colours are those of Okabe and Ito, or of a map whose lightness grows. Hatches and signs repeat
the meaning of colours.
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate, product
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from otap._numbers import ABSENT, count_text, loss_text, percent_text, score_text, two_digit_text
from otap.errors import shown
from otap.report.model.alignment_report import list_parts, relate_row
from otap.report.model.alignment_rows import Row, list_rows
from otap.report.model.vocabulary import Relation, label_step
from otap.scoring import Against, Explanation, Score

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

# The palette of Okabe and Ito, for colour-blind readers.
BLUE, SKY, GREEN, RED, ORANGE = "#0072B2", "#56B4E9", "#009E73", "#D55E00", "#E69F00"
GREY, BLACK = "#767676", "#000000"
MAX_DRAWN = 60  # rows of an alignment, steps of each side of a coupling, or tasks
MAX_LABEL = 36  # characters
MAX_NUMBERED = 15  # steps of each side up to which the cells of a coupling show their mass
_MIN_MASS = 0.005  # smaller masses are not written
_LEFT, _RIGHT, _BOX = 0.0, 1.6, 1.0  # where the boxes of each side begin, and their width
_GAP, _BAND = 0.3, 0.6  # gap between boxes, and width of the widest band, in rows
# Colour, hatch of the bands and line style of the boxes.
_LOOKS: Mapping[Relation, tuple[str, str, str]] = {
    "same": (GREEN, "", "-"), "close": (SKY, "", "-"), "split": (GREEN, "||", "-"),
    "merged": (GREEN, "||", "-"), "arguments": (RED, "//", "-"), "tool": (RED, "xx", "-"),
    "missing": (RED, "", "--"), "failed": (RED, "..", "--"), "invented": (GREY, "", ":"),
    "repeated": (ORANGE, "", ":"),
}  # fmt: skip
_HATCHES = ("//", "\\\\", "xx", "..", "++", "--", "oo", "||", "**", "")
# Marker and colour by severity of the worst finding.
_MARKERS: Mapping[str | None, tuple[str, str]] = {
    "critical": ("X", RED), "major": ("^", ORANGE), "minor": ("s", BLUE), None: ("o", GREY),
}  # fmt: skip


def draw_alignment(against: Against, axes: "Axes | None" = None) -> "Axes":
    """Draws the rows of an alignment from top to bottom, each with its sign and word."""
    rows = list_rows(against)
    heights = [max(len(row.run), len(row.reference)) for row in rows[:MAX_DRAWN]]
    axes = _make_axes(axes, 8, 1 + 0.42 * max(sum(heights), 1))
    for row, top, height in zip(rows, accumulate(heights, initial=0), heights, strict=False):
        _draw_row(axes, against, row, top, height)
    axes.set_xlim(_LEFT - 0.02, _RIGHT + _BOX + 0.02)
    axes.set_ylim(max(sum(heights), 1.0), -0.6)
    axes.set_axis_off()
    for x, name in ((_LEFT, "run"), (_RIGHT, "reference")):
        axes.text(x, -0.2, name, fontweight="bold")
    title = f"score {score_text(against.score.score)}"
    axes.set_title(_add_omitted(title, len(rows), "row"), loc="left")
    return axes


def _draw_row(axes: "Axes", against: Against, row: Row, top: float, height: int) -> None:
    """Draws the bands and boxes of a row, and its relation in the middle or on the empty side."""
    from matplotlib.patches import Rectangle

    colour, hatch, line = _LOOKS[row.relation]
    masses = {(pair.agent, pair.reference): pair.mass for pair in against.score.alignment.pairs}
    pairs = [masses.get((step.id, match.id), 0.0) for step, match in product(*row.steps)]
    for mass, middle in zip(pairs, _list_middles(len(pairs), top, height), strict=True):
        width = max(0.03, _BAND * mass / max(masses.values(), default=1.0))
        axes.barh(
            middle, _RIGHT - _LEFT - _BOX, width, left=_LEFT + _BOX, color=colour, alpha=0.4,
            hatch=hatch, linewidth=0, edgecolor=colour,
        )  # fmt: skip
    for x, steps in zip((_LEFT, _RIGHT), row.steps, strict=True):
        for middle, step in zip(_list_middles(len(steps), top, height), steps, strict=True):
            box_height = height / len(steps) - _GAP
            axes.add_patch(
                Rectangle((x, middle - box_height / 2), _BOX, box_height, facecolor="white",
                          edgecolor=colour, linestyle=line, linewidth=1.5)
            )  # fmt: skip
            axes.text(x + 0.03, middle, _write_label(label_step(step)), va="center", fontsize=9)
    x = (_LEFT + _RIGHT + _BOX) / 2 if row.is_paired else _BOX / 2 + (_RIGHT if row.run else _LEFT)
    axes.text(
        x, top + height / 2, relate_row(row), ha="center", va="center", fontsize=8, color=BLACK,
        weight="normal" if row.is_slight else "bold",
        bbox={"facecolor": "white", "edgecolor": GREY, "boxstyle": "round,pad=0.25"},
    )  # fmt: skip


def _list_middles(count: int, top: float, height: int) -> Sequence[float]:
    """Returns the middle of each of the equal parts of a row."""
    return [top + height * (2 * part + 1) / (2 * count) for part in range(count)]


def draw_coupling(against: Against, axes: "Axes | None" = None) -> "Axes":
    """Draws the mass of every pair of steps; matched steps have a frame."""
    from matplotlib.patches import Rectangle

    run, reference = against.run.steps, against.reference.steps
    mass = _collect_mass(against)[:MAX_DRAWN, :MAX_DRAWN]
    height, width = mass.shape
    axes = _make_axes(axes, 5 + 0.45 * width, 4 + 0.4 * height)
    image = axes.imshow(mass if mass.size else [[0.0]], cmap="cividis", vmin=0, aspect="auto")
    axes.figure.colorbar(image, ax=axes, label="mass", shrink=0.8)
    for set_ticks, steps in ((axes.set_yticks, run), (axes.set_xticks, reference)):
        labels = [_write_label(label_step(step)) for step in steps[:MAX_DRAWN]]
        set_ticks(range(len(labels)), labels)
    axes.tick_params(axis="x", labelrotation=90)
    axes.set_ylabel(_add_omitted("run", len(run), "step"))
    axes.set_xlabel(_add_omitted("reference", len(reference), "step"))
    axes.set_title("Matched steps of run and reference", loc="left")
    for row in list_rows(against):
        for y, x in product(row.run, row.reference):
            if max(x, y) < MAX_DRAWN:
                axes.add_patch(
                    Rectangle((x - 0.5, y - 0.5), 1, 1, fill=False, edgecolor=RED, linewidth=2)
                )
    if max(height, width) <= MAX_NUMBERED:
        _write_mass(axes, mass)
    return axes


def _collect_mass(against: Against) -> "NDArray[np.float64]":
    run_indices, reference_indices = against.run.step_indices, against.reference.step_indices
    mass = np.zeros((len(run_indices), len(reference_indices)))
    for pair in against.score.alignment.pairs:
        mass[run_indices[pair.agent], reference_indices[pair.reference]] += pair.mass
    return mass


def _write_mass(axes: "Axes", mass: "NDArray[np.float64]") -> None:
    """Writes each mass into its cell, in a colour that contrasts with it."""
    middle = mass.max(initial=0.0) / 2
    for (y, x), cell_mass in np.ndenumerate(mass):
        if cell_mass >= _MIN_MASS:
            colour, text = "black" if cell_mass > middle else "white", two_digit_text(cell_mass)
            axes.text(x, y, text, ha="center", va="center", color=colour, fontsize=8)


def draw_loss(result: Score | Explanation, axes: "Axes | None" = None) -> "Axes":
    """Draws the parts of a loss; each begins where the previous one ends."""
    if isinstance(result, Score):
        score, parts = result, list_parts(result)
    else:
        score, parts = result.score, list_parts(result.score, result.best.calculation)
    axes = _make_axes(axes, 7, 1.2 + 0.42 * (len(parts) + 1))
    start = 0.0
    for y, part in enumerate(parts):
        hatch = _HATCHES[y % len(_HATCHES)]
        axes.barh(y, part.loss, left=start, color=ORANGE, edgecolor=BLACK, hatch=hatch, alpha=0.8)
        start += part.loss
        label = f" {loss_text(part.loss)}"
        if part.share is not None:
            label += f", {percent_text(part.share)}"
        axes.text(start, y, label, va="center")
    axes.barh(len(parts), score.loss, color=GREY, edgecolor=BLACK)
    axes.text(score.loss, len(parts), f" {loss_text(score.loss)}", va="center")
    axes.set_yticks(range(len(parts) + 1), [*(part.word for part in parts), "all"])
    axes.invert_yaxis()
    axes.margins(x=0.25)
    axes.set_xlim(left=0)
    axes.set_xlabel("loss; score = exp(-loss)")
    axes.set_title(f"Parts of the loss: score {score_text(score.score)}", loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def draw_runs(scores: Sequence[Score], axes: "Axes | None" = None) -> "Axes":
    """Draws the scores of runs by task, worst task first; a line marks the mean of each task."""
    tasks: dict[str | None, list[Score]] = {}
    for score in scores:
        tasks.setdefault(score.task, []).append(score)
    means = {task: fmean(score.score for score in of_task) for task, of_task in tasks.items()}
    worst_tasks = sorted(tasks, key=lambda task: means[task])[:MAX_DRAWN]
    axes = _make_axes(axes, 7, 1.4 + 0.24 * max(len(worst_tasks), 1))
    for severity, (marker, colour) in _MARKERS.items():
        points = [
            (score.score, y)
            for y, task in enumerate(worst_tasks)
            for score in tasks[task]
            if score.severity == severity
        ]
        if points:
            x, heights = zip(*points, strict=True)
            axes.scatter(x, heights, marker=marker, c=colour, label=severity or "none")
    ticks = range(len(worst_tasks))
    task_means = [means[task] for task in worst_tasks]
    axes.scatter(task_means, ticks, marker="|", c="black", s=120, label="mean of the task")
    axes.set_yticks(ticks, [_write_label(task or ABSENT, 24) for task in worst_tasks])
    axes.set_title(_add_omitted(count_text(len(scores), "run"), len(tasks), "task"), loc="left")
    axes.set_ylabel("task, worst first")
    axes.set_xlabel("score (1 = same as a reference)")
    axes.set_xlim(0, 1.02)
    # The first task is at the top; no marker touches the frame.
    axes.set_ylim(max(len(worst_tasks), 1) - 0.5, -0.5)
    axes.legend(title="worst finding", loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def _make_axes(axes: "Axes | None", width: float, height: float) -> "Axes":
    """Returns the given axes, or new ones of a size in inches."""
    if axes is not None:
        return axes
    from matplotlib import pyplot

    return pyplot.subplots(figsize=(width, height), layout="constrained")[1]


def _write_label(text: object, limit: int = MAX_LABEL) -> str:
    """Returns foreign text on one line, escaped so that matplotlib reads no formula in it."""
    return shown(text, limit).replace("$", r"\$")


def _add_omitted(title: str, count: int, noun: str) -> str:
    """Returns a title with the number of parts that are not drawn, if any."""
    omitted = count - MAX_DRAWN
    return f"{title}; {count_text(omitted, f'more {noun}')} not drawn" if omitted > 0 else title
