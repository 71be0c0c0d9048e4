"""A calibration as a picture: where good, bad and broken runs lie, and what of them is stopped.

Colours are those of Okabe and Ito; hatches say the same.
"""

from typing import TYPE_CHECKING

from otap._numbers import percent_text
from otap.learning.calibration import Calibration
from otap.report.learned.calibration import NAMES, bound_text, promise_text
from otap.report.picture import BLACK, BLUE, ORANGE, RED, Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BINS = 40
HATCHES = {"good": "", "bad": "xxx", "broken": "///"}
COLOURS = {"good": BLUE, "bad": RED, "broken": ORANGE}


def calibration_picture(found: Calibration) -> Picture:
    """Returns the picture of a calibration."""
    return Picture(
        f"Calibration of {found.on}", text(found), (9.0, 4.0), lambda figure: _fill(figure, found)
    )


def text(found: Calibration) -> str:
    """Returns what the picture shows, in words."""
    told = [f"Threshold of {found.on}: {bound_text(found)}."]
    told.append(f"{promise_text(found).capitalize()}." if found.found else f"{found.reason}.")
    if found.bad is not None:
        told.append(
            f"Of {found.bad.runs} bad runs it stops {percent_text(found.bad.of_runs.share)}."
        )
    for one in found.broken:
        if one.edits is None and one.alarms is not None:
            share = percent_text(one.alarms.of_runs.share)
            told.append(f"{one.family}, {NAMES[one.family]}: {share} stopped.")
    return " ".join(told)


def _fill(figure: "Figure", found: Calibration) -> None:
    values = {name: getattr(found.values, name) for name in HATCHES}
    shown = {name: held for name, held in values.items() if held}
    has_bars = any(one.alarms for one in found.broken)
    places = figure.add_gridspec(max(1, len(shown)), 2 if has_bars else 1)
    above: Axes | None = None
    for row, (name, held) in enumerate(shown.items()):
        above = figure.add_subplot(places[row, 0], sharex=above)
        _histogram(above, name, held, found)
        above.tick_params(labelbottom=row == len(shown) - 1)
    if above is not None:
        above.set_xlabel(f"{found.on}; dashed: the threshold, {bound_text(found)}")
    if has_bars:
        _bars(figure.add_subplot(places[:, 1]), found)


def _histogram(axes: "Axes", name: str, values: tuple[float, ...], found: Calibration) -> None:
    """Which share of some runs has which values, with the threshold."""
    spans = found.values.good + found.values.bad + found.values.broken
    weights = [100 / len(values)] * len(values)
    if found.on == "severity":
        bins, span = 4, (-0.5, 3.5)
        axes.set_xticks(range(4), ("critical", "major", "minor", "none"))
    else:
        bins, span = BINS, (min(spans), max(*spans, min(spans) + 1e-6))
    axes.hist(
        values, bins=bins, range=span, weights=weights, color=COLOURS[name], hatch=HATCHES[name],
        edgecolor="white", linewidth=0.4,
    )  # fmt: skip
    axes.set_title(f"{name}: {len(values)} runs", loc="left", fontsize=9)
    axes.set_ylabel("%")
    axes.spines[["top", "right"]].set_visible(False)
    bound = found.threshold
    if found.severity is not None:
        bound = ("critical", "major", "minor").index(found.severity) + 0.5
    if bound is not None:
        axes.axvline(bound, color=BLACK, linestyle="--", linewidth=1.2)


def _bars(axes: "Axes", found: Calibration) -> None:
    """What of each family is stopped."""
    families = [one for one in found.broken if one.edits is None and one.alarms is not None]
    for row, one in enumerate(reversed(families)):
        assert one.alarms is not None
        share = one.alarms.of_runs
        name = "good" if one.valid else "broken"
        error = [[100 * (share.share - share.low)], [100 * (share.high - share.share)]]
        axes.barh(
            row, 100 * share.share, xerr=error, color=COLOURS[name], hatch=HATCHES[name],
            edgecolor="white", ecolor=BLACK, capsize=3,
        )  # fmt: skip
    names = [f"{one.family} {NAMES[one.family]}\n({_kind(one.valid)})" for one in families]
    axes.set_yticks(range(len(families)), names[::-1])
    axes.set_xlim(0, 100)
    axes.set_xlabel("% stopped, 95 % interval; dashed: promised")
    axes.axvline(100 * found.false_alarms, color=BLACK, linestyle="--", linewidth=1.2)
    axes.spines[["top", "right"]].set_visible(False)


def _kind(valid: bool) -> str:
    return "valid" if valid else "damaged"
