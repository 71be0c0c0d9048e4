"""Shows a calibration: the threshold and its guarantee, then the runs that it catches.

The picture uses the colours of Okabe and Ito; hatches repeat the meaning of colours.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from otap import _numbers
from otap._numbers import ABSENT, percent_text, plain_number_text
from otap.findings import SEVERITIES
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
    "P1": "reworded",
    "P2": "reordered",
    "P3": "merged or split",
    "P4": "wrong order",
    "P5": "deleted, added, wrong tool",
}
_LOOKS = {"good": (BLUE, ""), "bad": (RED, "xxx"), "broken": (ORANGE, "///")}


def calibration_view(calibration: Calibration) -> View:
    """Returns the threshold of a calibration, its guarantee, and the runs that it catches."""
    words = {"bound": _write_bound(calibration), "promise": _word_promise(calibration)}
    return render_view(
        "calibration.txt", calibration=calibration, names=_NAMES, range=_write_range, **words
    )


def _write_bound(calibration: Calibration) -> str:
    """Returns the threshold with all its digits, which are few."""
    threshold = calibration.threshold
    text = ABSENT if threshold is None else _numbers.threshold_text(threshold)
    return calibration.severity or text


def _word_promise(calibration: Calibration) -> str:
    rate = f"{plain_number_text(100 * calibration.false_alarms)} %"
    alarm = "are below it"
    if calibration.on == "severity":
        alarm = "have such a finding or a worse one"
    scope = "on average over calibrations"
    if calibration.confidence is not None:
        scope = f"in {plain_number_text(100 * calibration.confidence)} % of calibrations"
    return f"at most {rate} of good runs of new tasks {alarm}, {scope}"


def _write_range(low: float, high: float) -> str:
    return f"{percent_text(low).removesuffix(' %')} to {percent_text(high)}"


def calibration_picture(calibration: Calibration) -> Picture:
    """Returns a picture of the scores of runs, and of the share of them that is stopped."""
    sentences = [f"Threshold of {calibration.on}: {_write_bound(calibration)}."]
    promise = _word_promise(calibration).capitalize()
    sentences.append(f"{promise if calibration.has_gate else calibration.reason}.")
    if calibration.bad is not None:
        share = percent_text(calibration.bad.of_runs.share)
        sentences.append(f"Of {calibration.bad.runs} bad runs it stops {share}.")
    sentences += [
        f"{family.family}, {_NAMES[family.family]}: {percent_text(share.share)} stopped."
        for family, share in _list_families(calibration)
    ]
    title, text = f"Calibration of {calibration.on}", " ".join(sentences)
    return Picture(title, text, (9.0, 4.0), lambda figure: _fill_figure(figure, calibration))


def _list_families(calibration: Calibration) -> list[tuple[Broken, Share]]:
    return [
        (family, family.alarms.of_runs)
        for family in calibration.broken
        if family.edits is None and family.alarms is not None
    ]


def _fill_figure(figure: "Figure", calibration: Calibration) -> None:
    scores = {name: getattr(calibration.values, name) for name in _LOOKS}
    samples = {name: sample for name, sample in scores.items() if sample}
    families = _list_families(calibration)
    grid = figure.add_gridspec(max(1, len(samples)), 2 if families else 1)
    axes: Axes | None = None
    for row, (name, sample) in enumerate(samples.items()):
        axes = figure.add_subplot(grid[row, 0], sharex=axes)
        _draw_histogram(axes, name, sample, calibration)
        axes.tick_params(labelbottom=row == len(samples) - 1)
    if axes is not None:
        axes.set_xlabel(f"{calibration.on}; dashed: the threshold, {_write_bound(calibration)}")
    if families:
        _draw_bars(figure.add_subplot(grid[:, 1]), families, calibration.false_alarms)


def _draw_histogram(
    axes: "Axes", name: str, sample: Sequence[float], calibration: Calibration
) -> None:
    """Draws the distribution of a sample of runs in percent, with the threshold."""
    scores = calibration.values.good + calibration.values.bad + calibration.values.broken
    bins, span = BINS, (min(scores), max(*scores, min(scores) + 1e-6))
    if calibration.on == "severity":
        bins, span = 4, (-0.5, 3.5)
        axes.set_xticks(range(4), (*SEVERITIES, "none"))
    colour, hatch = _LOOKS[name]
    axes.hist(
        sample, bins=bins, range=span, weights=[100 / len(sample)] * len(sample), color=colour,
        hatch=hatch, edgecolor="white", linewidth=0.4,
    )  # fmt: skip
    axes.set_title(f"{name}: {len(sample)} runs", loc="left", fontsize=9)
    axes.set_ylabel("%")
    axes.spines[["top", "right"]].set_visible(False)
    bound = calibration.threshold
    if calibration.severity is not None:
        bound = SEVERITIES.index(calibration.severity) + 0.5
    if bound is not None:
        axes.axvline(bound, color=BLACK, linestyle="--", linewidth=1.2)


def _draw_bars(axes: "Axes", families: Sequence[tuple[Broken, Share]], rate: float) -> None:
    """Draws the share of each family that is stopped, with the guaranteed rate of false alarms."""
    names = []
    for row, (family, share) in enumerate(reversed(families)):
        colour, hatch = _LOOKS["good" if family.valid else "broken"]
        error = [[100 * (share.share - share.low)], [100 * (share.high - share.share)]]
        axes.barh(
            row, 100 * share.share, xerr=error, color=colour, hatch=hatch, edgecolor="white",
            ecolor=BLACK, capsize=3,
        )  # fmt: skip
        kind = "valid" if family.valid else "damaged"
        names.append(f"{family.family} {_NAMES[family.family]}\n({kind})")
    axes.set_yticks(range(len(families)), names)
    axes.set_xlim(0, 100)
    axes.set_xlabel("% stopped, 95 % interval; dashed: guaranteed maximum")
    axes.axvline(100 * rate, color=BLACK, linestyle="--", linewidth=1.2)
    axes.spines[["top", "right"]].set_visible(False)
