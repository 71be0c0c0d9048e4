"""A calibration: the threshold and its promise first, then what it catches; also as a picture.

Colours of the picture are those of Okabe and Ito; hatches say the same.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from otap import _numbers
from otap._numbers import ABSENT, percent_text, plain_number_text
from otap.alignment import SEVERITIES
from otap.learning.calibration import Calibration
from otap.learning.calibration.calibration import Broken, Share
from otap.report.picture import BLACK, BLUE, ORANGE, RED, Picture
from otap.report.rendering import render_view
from otap.report.view import View

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BINS = 40
_NAMES = {
    "P1": "other words",
    "P2": "another order",
    "P3": "merged or split",
    "P4": "wrong order",
    "P5": "deleted, added, wrong tool",
}
_LOOKS = {"good": (BLUE, ""), "bad": (RED, "xxx"), "broken": (ORANGE, "///")}


def calibration_view(found: Calibration) -> View:
    """Returns everything that a person wants to know of a calibration."""
    words = {"bound": _write_bound(found), "promise": _word_promise(found), "range": _write_range}
    return render_view("calibration.txt", found=found, names=_NAMES, **words)


def _write_bound(found: Calibration) -> str:
    """The threshold with all its digits: it is a number with few."""
    known = ABSENT if found.threshold is None else _numbers.threshold_text(found.threshold)
    return found.severity or known


def _word_promise(found: Calibration) -> str:
    rate = f"{plain_number_text(100 * found.false_alarms)} %"
    does = "has such a finding, or a worse one," if found.on == "severity" else "is below it"
    over = "on average over calibrations"
    if found.confidence is not None:
        over = f"in {plain_number_text(100 * found.confidence)} % of calibrations"
    return f"a good run of a new task {does} in at most {rate} of cases, {over}"


def _write_range(low: float, high: float) -> str:
    return f"{percent_text(low).removesuffix(' %')} to {percent_text(high)}"


def calibration_picture(found: Calibration) -> Picture:
    """Returns the picture of a calibration: where runs lie, and what of them is stopped."""
    told = [f"Threshold of {found.on}: {_write_bound(found)}."]
    told += [f"{_word_promise(found).capitalize()}." if found.found else f"{found.reason}."]
    if found.bad is not None:
        share = percent_text(found.bad.of_runs.share)
        told += [f"Of {found.bad.runs} bad runs it stops {share}."]
    told += [
        f"{one.family}, {_NAMES[one.family]}: {percent_text(share.share)} stopped."
        for one, share in _list_families(found)
    ]
    title = f"Calibration of {found.on}"
    return Picture(title, " ".join(told), (9.0, 4.0), lambda figure: _fill_figure(figure, found))


def _list_families(found: Calibration) -> list[tuple[Broken, Share]]:
    return [(x, x.alarms.of_runs) for x in found.broken if x.edits is None and x.alarms is not None]


def _fill_figure(figure: "Figure", found: Calibration) -> None:
    values = {name: getattr(found.values, name) for name in _LOOKS}
    drawn = {name: held for name, held in values.items() if held}
    families = _list_families(found)
    places = figure.add_gridspec(max(1, len(drawn)), 2 if families else 1)
    above: Axes | None = None
    for row, (name, held) in enumerate(drawn.items()):
        above = figure.add_subplot(places[row, 0], sharex=above)
        _draw_histogram(above, name, held, found)
        above.tick_params(labelbottom=row == len(drawn) - 1)
    if above is not None:
        above.set_xlabel(f"{found.on}; dashed: the threshold, {_write_bound(found)}")
    if families:
        _draw_bars(figure.add_subplot(places[:, 1]), families, found.false_alarms)


def _draw_histogram(axes: "Axes", name: str, values: Sequence[float], found: Calibration) -> None:
    """Which share of some runs has which values, with the threshold."""
    spans = found.values.good + found.values.bad + found.values.broken
    bins, span = BINS, (min(spans), max(*spans, min(spans) + 1e-6))
    if found.on == "severity":
        bins, span = 4, (-0.5, 3.5)
        axes.set_xticks(range(4), (*SEVERITIES, "none"))
    colour, hatch = _LOOKS[name]
    axes.hist(
        values, bins=bins, range=span, weights=[100 / len(values)] * len(values), color=colour,
        hatch=hatch, edgecolor="white", linewidth=0.4,
    )  # fmt: skip
    axes.set_title(f"{name}: {len(values)} runs", loc="left", fontsize=9)
    axes.set_ylabel("%")
    axes.spines[["top", "right"]].set_visible(False)
    bound = found.threshold
    if found.severity is not None:
        bound = SEVERITIES.index(found.severity) + 0.5
    if bound is not None:
        axes.axvline(bound, color=BLACK, linestyle="--", linewidth=1.2)


def _draw_bars(axes: "Axes", families: Sequence[tuple[Broken, Share]], promised: float) -> None:
    """What of each family is stopped."""
    for row, (one, share) in enumerate(reversed(families)):
        colour, hatch = _LOOKS["good" if one.valid else "broken"]
        error = [[100 * (share.share - share.low)], [100 * (share.high - share.share)]]
        axes.barh(
            row, 100 * share.share, xerr=error, color=colour, hatch=hatch, edgecolor="white",
            ecolor=BLACK, capsize=3,
        )  # fmt: skip
    kinds = {True: "valid", False: "damaged"}
    names = [f"{x.family} {_NAMES[x.family]}\n({kinds[x.valid]})" for x, _ in reversed(families)]
    axes.set_yticks(range(len(families)), names)
    axes.set_xlim(0, 100)
    axes.set_xlabel("% stopped, 95 % interval; dashed: promised")
    axes.axvline(100 * promised, color=BLACK, linestyle="--", linewidth=1.2)
    axes.spines[["top", "right"]].set_visible(False)
