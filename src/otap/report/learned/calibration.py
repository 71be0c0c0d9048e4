"""A calibration as text and as a picture.

The picture uses the colours of Okabe and Ito, and hatches that show the same.
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

BINS = 40  # of a histogram of scores
_FAMILY_NAMES = {
    "P1": "other words",
    "P2": "another order",
    "P3": "merged or split",
    "P4": "wrong order",
    "P5": "deleted, added, wrong tool",
}
_STYLES = {"good": (BLUE, ""), "bad": (RED, "xxx"), "broken": (ORANGE, "///")}


def calibration_view(calibration: Calibration) -> View:
    """Returns a calibration as lines and tables: the gate, its promise, and its alarms."""
    return render_view(
        "calibration.txt",
        found=calibration,
        names=_FAMILY_NAMES,
        bound=_gate_text(calibration),
        promise=_promise_text(calibration),
        range=_range_text,
    )


def _gate_text(calibration: Calibration) -> str:
    """Returns the severity, or the threshold with all its digits."""
    if calibration.severity is not None:
        return calibration.severity
    if calibration.threshold is None:
        return ABSENT
    return _numbers.threshold_text(calibration.threshold)


def _promise_text(calibration: Calibration) -> str:
    rate = f"{plain_number_text(100 * calibration.false_alarms)} %"
    alarm = "is below it"
    if calibration.on == "severity":
        alarm = "has a finding of this severity or worse"
    validity = "on average over calibrations"
    if calibration.confidence is not None:
        validity = f"in {plain_number_text(100 * calibration.confidence)} % of calibrations"
    return f"a good run of a new task {alarm} in at most {rate} of cases, {validity}"


def _range_text(low: float, high: float) -> str:
    return f"{percent_text(low).removesuffix(' %')} to {percent_text(high)}"


def calibration_picture(calibration: Calibration) -> Picture:
    """Returns the histograms of the runs with the gate, and the alarms of each family."""
    sentences = [f"Threshold of {calibration.on}: {_gate_text(calibration)}."]
    if calibration.has_gate:
        sentences.append(f"{_promise_text(calibration).capitalize()}.")
    else:
        sentences.append(f"{calibration.reason}.")
    if calibration.bad is not None:
        share = percent_text(calibration.bad.of_runs.share)
        sentences.append(f"Of {calibration.bad.runs} bad runs it stops {share}.")
    sentences += [
        f"{broken.family}, {_FAMILY_NAMES[broken.family]}: {percent_text(share.share)} stopped."
        for broken, share in _family_shares(calibration)
    ]
    return Picture(
        f"Calibration of {calibration.on}",
        " ".join(sentences),
        (9.0, 4.0),
        lambda figure: _fill_figure(figure, calibration),
    )


def _family_shares(calibration: Calibration) -> list[tuple[Broken, Share]]:
    """Returns the families that have alarms, with the share of runs stopped."""
    return [
        (broken, broken.alarms.of_runs)
        for broken in calibration.broken
        if broken.edits is None and broken.alarms is not None
    ]


def _fill_figure(figure: "Figure", calibration: Calibration) -> None:
    groups = {name: getattr(calibration.values, name) for name in _STYLES}
    groups = {name: numbers for name, numbers in groups.items() if numbers}
    families = _family_shares(calibration)
    grid = figure.add_gridspec(max(1, len(groups)), 2 if families else 1)
    axes: Axes | None = None
    for row, (name, numbers) in enumerate(groups.items()):
        axes = figure.add_subplot(grid[row, 0], sharex=axes)
        _draw_histogram(axes, name, numbers, calibration)
        axes.tick_params(labelbottom=row == len(groups) - 1)
    if axes is not None:
        axes.set_xlabel(f"{calibration.on}; dashed: the threshold, {_gate_text(calibration)}")
    if families:
        _draw_bars(figure.add_subplot(grid[:, 1]), families, calibration.false_alarms)


def _draw_histogram(
    axes: "Axes", name: str, numbers: Sequence[float], calibration: Calibration
) -> None:
    """Draws the share of some runs by value, with the gate."""
    if calibration.on == "severity":
        bins, low, high = len(SEVERITIES) + 1, -0.5, len(SEVERITIES) + 0.5
        axes.set_xticks(range(bins), (*SEVERITIES, "none"))
    else:
        groups = calibration.values
        all_numbers = groups.good + groups.bad + groups.broken
        bins, low = BINS, min(all_numbers)
        high = max(*all_numbers, low + 1e-6)
    colour, hatch = _STYLES[name]
    axes.hist(
        numbers, bins=bins, range=(low, high), weights=[100 / len(numbers)] * len(numbers),
        color=colour, hatch=hatch, edgecolor="white", linewidth=0.4,
    )  # fmt: skip
    axes.set_title(f"{name}: {len(numbers)} runs", loc="left", fontsize=9)
    axes.set_ylabel("%")
    axes.spines[["top", "right"]].set_visible(False)
    bound = calibration.threshold
    if calibration.severity is not None:
        bound = SEVERITIES.index(calibration.severity) + 0.5
    if bound is not None:
        axes.axvline(bound, color=BLACK, linestyle="--", linewidth=1.2)


def _draw_bars(axes: "Axes", families: Sequence[tuple[Broken, Share]], promised: float) -> None:
    """Draws the share of runs of each family that the gate stops, the first family on top."""
    labels = []
    for row, (broken, share) in enumerate(reversed(families)):
        colour, hatch = _STYLES["good" if broken.valid else "broken"]
        error = [[100 * (share.share - share.low)], [100 * (share.high - share.share)]]
        axes.barh(
            row, 100 * share.share, xerr=error, color=colour, hatch=hatch, edgecolor="white",
            ecolor=BLACK, capsize=3,
        )  # fmt: skip
        kind = "valid" if broken.valid else "damaged"
        labels.append(f"{broken.family} {_FAMILY_NAMES[broken.family]}\n({kind})")
    axes.set_yticks(range(len(families)), labels)
    axes.set_xlim(0, 100)
    axes.set_xlabel("% stopped, 95 % interval; dashed: promised")
    axes.axvline(100 * promised, color=BLACK, linestyle="--", linewidth=1.2)
    axes.spines[["top", "right"]].set_visible(False)
