"""An alignment: the run on the left, the reference beside it, ribbons as wide as the mass."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from otap._numbers import score_text
from otap.report.picture import BLACK, GREY, ORANGE, RED
from otap.report.plots.axes import GREEN, SKY, axes_of, with_rest, written
from otap.report.story.labels import step_label
from otap.report.story.rows import Relation, Row, rows
from otap.report.story.short import relation_words
from otap.scoring import Against

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROWS_DRAWN = 60
_LEFT, _RIGHT, _BOX = 0.0, 1.6, 1.0  # where the boxes begin, and how wide they are
_APART, _BAND = 0.3, 0.6  # between boxes; of a ribbon that carries the most


class _Look(NamedTuple):
    colour: str
    hatch: str = ""
    line: str = "-"


_LOOKS: Mapping[Relation, _Look] = {
    "same": _Look(GREEN),
    "close": _Look(SKY),
    "split": _Look(GREEN, "||"),
    "merged": _Look(GREEN, "||"),
    "arguments": _Look(RED, "//"),
    "tool": _Look(RED, "xx"),
    "missing": _Look(RED, "", "--"),
    "failed": _Look(RED, "..", "--"),
    "invented": _Look(GREY, "", ":"),
    "repeated": _Look(ORANGE, "", ":"),
}


def draw_alignment(against: Against, axes: "Axes | None" = None) -> "Axes":
    """Draws the rows of an alignment from the top, each with its sign and word."""
    listed = rows(against)
    drawn = listed[:ROWS_DRAWN]
    heights = [max(len(row.run), len(row.reference)) for row in drawn]
    on = axes_of(axes, 8, 1 + 0.42 * max(sum(heights), 1))
    top = 0.0
    for row, height in zip(drawn, heights, strict=True):
        _draw(on, against, row, top, height)
        top += height
    on.set_xlim(_LEFT - 0.02, _RIGHT + _BOX + 0.02)
    on.set_ylim(max(top, 1.0), -0.6)
    on.set_axis_off()
    for x, name in ((_LEFT, "run"), (_RIGHT, "reference")):
        on.text(x, -0.2, name, fontweight="bold")
    title = f"score {score_text(against.score.score)}"
    on.set_title(with_rest(title, listed, ROWS_DRAWN, "row"), loc="left")
    return on


def _draw(on: "Axes", against: Against, row: Row, top: float, height: int) -> None:
    """A row: its ribbons, its boxes, and what it says in the middle or on the empty side."""
    look = _LOOKS[row.relation]
    for band in _ribbons(against, row, top, height):
        _ribbon(on, *band, look)
    sides = (
        (_LEFT, against.run.steps, row.run), (_RIGHT, against.reference.steps, row.reference),
    )  # fmt: skip
    for x, steps, places in sides:
        for middle, place in zip(_middles(len(places), top, height), places, strict=True):
            _box(on, x, middle, height / len(places) - _APART, look)
            on.text(x + 0.03, middle, written(step_label(steps[place])), va="center", fontsize=9)
    x = (_LEFT + _RIGHT + _BOX) / 2
    if not row.run:
        x = _LEFT + _BOX / 2
    elif not row.reference:
        x = _RIGHT + _BOX / 2
    weight = "normal" if row.is_slight else "bold"
    ground = {"facecolor": "white", "edgecolor": GREY, "boxstyle": "round,pad=0.25"}
    said, middle = relation_words(row), top + height / 2
    on.text(x, middle, said, ha="center", va="center", fontsize=8, weight=weight, color=BLACK,
            bbox=ground)  # fmt: skip


def _middles(count: int, top: float, height: int) -> Sequence[float]:
    """The heights of the middles of so many parts of a row."""
    return [top + height * (2 * part + 1) / (2 * count) for part in range(count)]


def _ribbons(against: Against, row: Row, top: float, height: int) -> Iterator[tuple[float, float]]:
    """The middle of each ribbon of a row, and its width."""
    moved = {(pair.agent, pair.reference): pair.mass for pair in against.score.alignment.pairs}
    most = max(moved.values(), default=1.0)
    pairs = list(product(row.run, row.reference))
    for (i, j), middle in zip(pairs, _middles(len(pairs), top, height), strict=True):
        pair = against.run.steps[i].id, against.reference.steps[j].id
        yield middle, max(0.03, _BAND * moved.get(pair, 0.0) / most)


def _ribbon(on: "Axes", middle: float, width: float, look: _Look) -> None:
    on.barh(
        middle, _RIGHT - _LEFT - _BOX, width, left=_LEFT + _BOX, color=look.colour, alpha=0.4,
        hatch=look.hatch, linewidth=0, edgecolor=look.colour,
    )  # fmt: skip


def _box(on: "Axes", x: float, middle: float, high: float, look: _Look) -> None:
    from matplotlib.patches import Rectangle

    frame = Rectangle(
        (x, middle - high / 2), _BOX, high, facecolor="white", edgecolor=look.colour,
        linestyle=look.line, linewidth=1.5,
    )  # fmt: skip
    on.add_patch(frame)
