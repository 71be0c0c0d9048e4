"""The coupling as a heat map: how much of each step of the run goes to each of the reference."""

from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from otap._numbers import brief_text
from otap.report.picture import RED
from otap.report.plots.axes import axes_of, with_rest, written
from otap.report.story.labels import step_label
from otap.report.model.rows import list_rows
from otap.scoring import Against, Side

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

STEPS_DRAWN = 60  # of each side
NUMBERED = 15  # up to so many steps of a side, each cell has its number
_LEAST = 0.005  # mass that has a number


def draw_coupling(against: Against, axes: "Axes | None" = None) -> "Axes":
    """Draws the mass of every pair of steps; a frame marks those that stand for each other."""
    mass = _mass(against)[:STEPS_DRAWN, :STEPS_DRAWN]
    height, width = mass.shape
    on = axes_of(axes, 5 + 0.45 * width, 4 + 0.4 * height)
    image = on.imshow(mass if mass.size else [[0.0]], cmap="cividis", vmin=0, aspect="auto")
    on.figure.colorbar(image, ax=on, label="mass", shrink=0.8)
    for names, steps in (
        (on.set_yticks, against.run.steps),
        (on.set_xticks, against.reference.steps),
    ):
        drawn = steps[:STEPS_DRAWN]
        names(range(len(drawn)), [written(step_label(step)) for step in drawn])
    on.tick_params(axis="x", labelrotation=90)
    on.set_ylabel(with_rest("run", against.run.steps, STEPS_DRAWN, "step"))
    on.set_xlabel(with_rest("reference", against.reference.steps, STEPS_DRAWN, "step"))
    on.set_title("Which step stands for which", loc="left")
    _frames(on, against)
    if max(height, width) <= NUMBERED:
        _numbers(on, mass)
    return on


def _names(side: Side) -> list[str]:
    return [written(step_label(step)) for step in side.steps[:STEPS_DRAWN]]


def _mass(against: Against) -> "NDArray[np.float64]":
    ours = {step.id: place for place, step in enumerate(against.run.steps)}
    theirs = {step.id: place for place, step in enumerate(against.reference.steps)}
    mass = np.zeros((len(ours), len(theirs)))
    for pair in against.score.alignment.pairs:
        mass[ours[pair.agent], theirs[pair.reference]] += pair.mass
    return mass


def _frames(on: "Axes", against: Against) -> None:
    from matplotlib.patches import Rectangle

    for row in rows(against):
        for y, x in product(row.run, row.reference):
            if max(x, y) < STEPS_DRAWN:
                corner = x - 0.5, y - 0.5
                on.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor=RED, linewidth=2))


def _numbers(on: "Axes", mass: "NDArray[np.float64]") -> None:
    """Writes the mass into its cells, in what is seen on them."""
    middle = mass.max(initial=0.0) / 2
    for (y, x), value in np.ndenumerate(mass):
        if value >= _LEAST:
            colour = "black" if value > middle else "white"
            on.text(x, y, brief_text(value), ha="center", va="center", color=colour, fontsize=8)
