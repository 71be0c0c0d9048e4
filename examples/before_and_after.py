"""Draws what learning does to scores: good and bad runs before and after, with the thresholds.

python examples/before_and_after.py BEFORE.json AFTER.json > scores.svg

Both files are the output of ``otap calibrate --json``: of the same runs, under other settings.
"""

import sys
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

from otap._numbers import percent_text, score_text
from otap.learning.calibration import Calibration

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAMES = ("before", "after")
BLUE, RED, BLACK = "#0072B2", "#D55E00", "#000000"  # the palette of Okabe and Ito
SETTINGS: Any = {"svg.hashsalt": "otap", "svg.fonttype": "none", "font.size": 9}
Array = NDArray[np.float64]
STEP = 0.02  # runs whose scores are as near as this are drawn above each other


def picture(before: Calibration, after: Calibration) -> bytes:
    """Returns the picture of two calibrations as SVG, with everything that it shows as text."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    told = [_told(name, one) for name, one in zip(NAMES, (before, after), strict=True)]
    file = BytesIO()
    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(8.0, 4.6), layout="constrained")
        _fill(figure, before, after)
        figure.savefig(file, format="svg", metadata={"Date": None})
    svg = file.getvalue()
    end = svg.index(b">", svg.index(b"<svg "))
    text = (
        ' role="img" aria-describedby="about">\n<title>Scores of good and bad runs</title>\n'
        f'<desc id="about">{escape(" ".join(told))}</desc>'
    )
    return svg[:end] + text.encode() + svg[end + 1 :]


def _told(name: str, found: Calibration) -> str:
    runs = f"{len(found.values.good)} good and {len(found.values.bad)} bad runs"
    return f"{name.capitalize()}, {runs}: {_threshold(found)}."


def _threshold(found: Calibration) -> str:
    if found.threshold is None:
        return "no threshold"
    caught = percent_text(found.bad.of_runs.share) if found.bad else "none"
    return f"below {score_text(found.threshold)} are {caught} of the bad runs"


def _fill(figure: "Figure", *found: Calibration) -> None:
    above: Axes | None = None
    for row, (name, one) in enumerate(zip(NAMES, found, strict=True)):
        above = figure.add_subplot(2, 1, row + 1, sharex=above)
        _draw(above, one)
        above.set_title(f"{name}: {_threshold(one)}", loc="left", fontsize=9)
    assert above is not None
    above.set_xlabel(
        f"{found[0].on}; dashed: the threshold of {found[0].false_alarms:.0%} false alarms"
    )


def _draw(axes: "Axes", found: Calibration) -> None:
    """Good runs as rings above the line, bad ones as crosses below it."""
    good, bad = (np.array(values) for values in (found.values.good, found.values.bad))
    up, down = _heights(good), _heights(bad)
    axes.scatter(good, up, marker="o", s=22, facecolors="none", edgecolors=BLUE)
    axes.scatter(bad, -down, marker="x", s=22, color=RED)
    axes.axhline(0, color=BLACK, linewidth=0.8)
    if found.threshold is not None:
        axes.axvline(found.threshold, color=BLACK, linestyle="--", linewidth=1.2)
    top, bottom = up.max(initial=1.0) + 2, -down.max(initial=1.0) - 2
    axes.set_ylim(min(bottom, -top / 3), top)
    axes.set_yticks([-top / 6, top / 2], ["bad runs\n(crosses)", "good runs\n(rings)"])
    axes.tick_params(left=False)
    axes.spines[["top", "right", "left"]].set_visible(False)


def _heights(scores: Array) -> Array:
    """How high each dot stands: above those of nearly the same score."""
    bins = np.round(scores / STEP)
    return np.array([1.0 + np.sum(bins[:k] == bins[k]) for k in range(len(bins))])


def main() -> None:
    """Writes the picture to standard output."""
    before, after = (Calibration.model_validate_json(Path(p).read_bytes()) for p in sys.argv[1:3])
    sys.stdout.buffer.write(picture(before, after))


if __name__ == "__main__":
    main()
