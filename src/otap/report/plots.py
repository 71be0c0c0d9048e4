"""What is drawn on axes of matplotlib: ``otap.plot`` is the door to it.

Colours are of Okabe and Ito, or of a map that grows in lightness; hatches and signs say the same.
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate, product
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from otap._numbers import ABSENT, brief_text, count_text, loss_text, percent_text, score_text
from otap.errors import shown
from otap.report.model.rows import Row, list_rows, place_steps
from otap.report.model.score import list_parts, relate_row
from otap.report.model.words import Relation, label_step
from otap.report.picture import BLACK, BLUE, GREEN, GREY, ORANGE, RED, SKY
from otap.scoring import Against, Explanation, Score

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

DRAWN = 60  # rows of an alignment, steps of a side of a coupling, tasks
LONGEST = 36  # characters of a label
NUMBERED = 15  # up to so many steps of a side, each cell of a coupling has its number
_SMALLEST = 0.005  # mass that has a number
_LEFT, _RIGHT, _BOX = 0.0, 1.6, 1.0  # where the boxes of steps begin, and how wide they are
_APART, _BAND = 0.3, 0.6  # between boxes; of a ribbon that carries the most
# Colour, hatch of ribbons and line of boxes.
_LOOKS: Mapping[Relation, tuple[str, str, str]] = {
    "same": (GREEN, "", "-"), "close": (SKY, "", "-"), "split": (GREEN, "||", "-"),
    "merged": (GREEN, "||", "-"), "arguments": (RED, "//", "-"), "tool": (RED, "xx", "-"),
    "missing": (RED, "", "--"), "failed": (RED, "..", "--"), "invented": (GREY, "", ":"),
    "repeated": (ORANGE, "", ":"),
}  # fmt: skip
_HATCHES = ("//", "\\\\", "xx", "..", "++", "--", "oo", "||", "**", "")
# Marker and colour by the worst finding.
_MARKS: Mapping[str | None, tuple[str, str]] = {
    "critical": ("X", RED), "major": ("^", ORANGE), "minor": ("s", BLUE), None: ("o", GREY),
}  # fmt: skip


def draw_alignment(against: Against, axes: "Axes | None" = None) -> "Axes":
    """Draws the rows of an alignment from the top, each with its sign and word."""
    listed = list_rows(against)
    heights = [max(len(row.run), len(row.reference)) for row in listed[:DRAWN]]
    on = _make_axes(axes, 8, 1 + 0.42 * max(sum(heights), 1))
    for row, top, height in zip(listed, accumulate(heights, initial=0), heights, strict=False):
        _draw_row(on, against, row, top, height)
    on.set_xlim(_LEFT - 0.02, _RIGHT + _BOX + 0.02)
    on.set_ylim(max(sum(heights), 1.0), -0.6)
    on.set_axis_off()
    for x, name in ((_LEFT, "run"), (_RIGHT, "reference")):
        on.text(x, -0.2, name, fontweight="bold")
    title = f"score {score_text(against.score.score)}"
    on.set_title(_count_rest(title, len(listed), "row"), loc="left")
    return on


def _draw_row(on: "Axes", against: Against, row: Row, top: float, height: int) -> None:
    """A row: its ribbons, its boxes, and what it says in the middle or on the empty side."""
    from matplotlib.patches import Rectangle

    colour, hatch, line = _LOOKS[row.relation]
    moved = {(pair.agent, pair.reference): pair.mass for pair in against.score.alignment.pairs}
    pairs = [moved.get((a.id, b.id), 0.0) for a, b in product(*row.steps)]
    for mass, middle in zip(pairs, _divide(len(pairs), top, height), strict=True):
        width = max(0.03, _BAND * mass / max(moved.values(), default=1.0))
        on.barh(
            middle, _RIGHT - _LEFT - _BOX, width, left=_LEFT + _BOX, color=colour, alpha=0.4,
            hatch=hatch, linewidth=0, edgecolor=colour,
        )  # fmt: skip
    for x, steps in zip((_LEFT, _RIGHT), row.steps, strict=True):
        for middle, step in zip(_divide(len(steps), top, height), steps, strict=True):
            high = height / len(steps) - _APART
            on.add_patch(
                Rectangle((x, middle - high / 2), _BOX, high, facecolor="white", edgecolor=colour,
                          linestyle=line, linewidth=1.5)
            )  # fmt: skip
            on.text(x + 0.03, middle, _write_label(label_step(step)), va="center", fontsize=9)
    x = (_LEFT + _RIGHT + _BOX) / 2 if row.is_paired else _BOX / 2 + (_RIGHT if row.run else _LEFT)
    on.text(
        x, top + height / 2, relate_row(row), ha="center", va="center", fontsize=8, color=BLACK,
        weight="normal" if row.is_slight else "bold",
        bbox={"facecolor": "white", "edgecolor": GREY, "boxstyle": "round,pad=0.25"},
    )  # fmt: skip


def _divide(count: int, top: float, height: int) -> Sequence[float]:
    """The heights of the middles of so many parts of a row."""
    return [top + height * (2 * part + 1) / (2 * count) for part in range(count)]


def draw_coupling(against: Against, axes: "Axes | None" = None) -> "Axes":
    """Draws the mass of every pair of steps; a frame marks those that stand for each other."""
    from matplotlib.patches import Rectangle

    run, reference = against.run.steps, against.reference.steps
    mass = _collect_mass(against)[:DRAWN, :DRAWN]
    height, width = mass.shape
    on = _make_axes(axes, 5 + 0.45 * width, 4 + 0.4 * height)
    image = on.imshow(mass if mass.size else [[0.0]], cmap="cividis", vmin=0, aspect="auto")
    on.figure.colorbar(image, ax=on, label="mass", shrink=0.8)
    for set_ticks, steps in ((on.set_yticks, run[:DRAWN]), (on.set_xticks, reference[:DRAWN])):
        set_ticks(range(len(steps)), [_write_label(label_step(step)) for step in steps])
    on.tick_params(axis="x", labelrotation=90)
    on.set_ylabel(_count_rest("run", len(run), "step"))
    on.set_xlabel(_count_rest("reference", len(reference), "step"))
    on.set_title("Which step stands for which", loc="left")
    for y, x in (pair for row in list_rows(against) for pair in product(row.run, row.reference)):
        if max(x, y) < DRAWN:
            on.add_patch(
                Rectangle((x - 0.5, y - 0.5), 1, 1, fill=False, edgecolor=RED, linewidth=2)
            )
    if max(height, width) <= NUMBERED:
        _write_mass(on, mass)
    return on


def _collect_mass(against: Against) -> "NDArray[np.float64]":
    ours, theirs = place_steps(against.run), place_steps(against.reference)
    mass = np.zeros((len(ours), len(theirs)))
    for pair in against.score.alignment.pairs:
        mass[ours[pair.agent], theirs[pair.reference]] += pair.mass
    return mass


def _write_mass(on: "Axes", mass: "NDArray[np.float64]") -> None:
    """Writes the mass into its cells, in what is seen on them."""
    middle = mass.max(initial=0.0) / 2
    for (y, x), value in np.ndenumerate(mass):
        if value >= _SMALLEST:
            colour = "black" if value > middle else "white"
            on.text(x, y, brief_text(value), ha="center", va="center", color=colour, fontsize=8)


def draw_loss(result: Score | Explanation, axes: "Axes | None" = None) -> "Axes":
    """Draws the parts of a loss, each beginning where the one before it ends."""
    if isinstance(result, Score):
        score, found = result, list_parts(result)
    else:
        score, found = result.score, list_parts(result.score, result.best.calculation)
    on = _make_axes(axes, 7, 1.2 + 0.42 * (len(found) + 1))
    start = 0.0
    for place, one in enumerate(found):
        hatch = _HATCHES[place % len(_HATCHES)]
        on.barh(place, one.loss, left=start, color=ORANGE, edgecolor=BLACK, hatch=hatch, alpha=0.8)
        start += one.loss
        told = f" {loss_text(one.loss)}"
        if one.share is not None:
            told += f", {percent_text(one.share)}"
        on.text(start, place, told, va="center")
    on.barh(len(found), score.loss, color=GREY, edgecolor=BLACK)
    on.text(score.loss, len(found), f" {loss_text(score.loss)}", va="center")
    on.set_yticks(range(len(found) + 1), [*(one.word for one in found), "all"])
    on.invert_yaxis()
    on.margins(x=0.25)
    on.set_xlim(left=0)
    on.set_xlabel("loss; the score is exp(-loss)")
    on.set_title(f"What the run lost: score {score_text(score.score)}", loc="left")
    on.spines[["top", "right"]].set_visible(False)
    return on


def draw_runs(scores: Sequence[Score], axes: "Axes | None" = None) -> "Axes":
    """Draws the scores of runs by their tasks, the worst task first; a line marks its mean."""
    tasks: dict[str | None, list[Score]] = {}
    for one in scores:
        tasks.setdefault(one.task, []).append(one)
    means = {task: fmean(one.score for one in found) for task, found in tasks.items()}
    drawn = sorted(tasks, key=lambda task: means[task])[:DRAWN]
    on = _make_axes(axes, 7, 1.4 + 0.24 * max(len(drawn), 1))
    for worst, (marker, colour) in _MARKS.items():
        found = [(s.score, y) for y, t in enumerate(drawn) for s in tasks[t] if s.severity == worst]
        if found:
            x, heights = zip(*found, strict=True)
            on.scatter(x, heights, marker=marker, c=colour, label=worst or "none")
    places, label = range(len(drawn)), "mean of the task"
    on.scatter([means[task] for task in drawn], places, marker="|", c="black", s=120, label=label)
    on.set_yticks(places, [_write_label(task or ABSENT, 24) for task in drawn])
    on.set_title(_count_rest(count_text(len(scores), "run"), len(tasks), "task"), loc="left")
    on.set_ylabel("task, the worst first")
    on.set_xlabel("score; 1 is the same as a reference")
    on.set_xlim(0, 1.02)
    on.set_ylim(max(len(drawn), 1) - 0.5, -0.5)  # the first above; no mark lies on the frame
    on.legend(title="worst finding", loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    on.spines[["top", "right"]].set_visible(False)
    return on


def _make_axes(axes: "Axes | None", width: float, height: float) -> "Axes":
    """The axes that were given, else new ones of a size in inches."""
    if axes is not None:
        return axes
    from matplotlib import pyplot

    return pyplot.subplots(figsize=(width, height), layout="constrained")[1]


def _write_label(text: object, limit: int = LONGEST) -> str:
    """Foreign text on one line, of which matplotlib makes no formula."""
    return shown(text, limit).replace("$", r"\$")


def _count_rest(title: str, count: int, noun: str) -> str:
    """A title, and how many are not drawn."""
    rest = count - DRAWN
    return f"{title}; {count_text(rest, f'more {noun}')} not drawn" if rest > 0 else title
