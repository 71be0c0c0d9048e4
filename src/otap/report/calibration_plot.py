"""A calibration as a picture: where good, bad and broken runs lie, and what of them is stopped.

Needs matplotlib, the extra ``plot``. Colours are those of Okabe and Ito; hatches say the same.
"""

from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from otap.errors import ConfigError, shown_path
from otap.learning.calibration import Calibration
from otap.report.calibration import NAMES, bound_text, promise_text
from otap.report.numbers import percent_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

KINDS = ("svg", "png")
BINS = 40
HATCHES = {"good": "", "bad": "xxx", "broken": "///"}
COLOURS = {"good": "#0072B2", "bad": "#D55E00", "broken": "#E69F00"}
LINE = "#000000"
SETTINGS: Any = {
    "svg.hashsalt": "otap",
    "svg.fonttype": "none",
    "hatch.linewidth": 0.6,
    "font.size": 9,
}


def check(path: Path) -> None:
    """Refuses what could not be drawn.

    Raises:
        ConfigError: for another kind of picture, or if matplotlib is not installed.
    """
    if path.suffix.lstrip(".").lower() not in KINDS:
        raise ConfigError(f"--plot {shown_path(path)}: name a file that ends with .svg or .png")
    if find_spec("matplotlib") is None:
        raise ConfigError("--plot needs matplotlib; install it with: pip install 'otap[plot]'")


def draw(found: Calibration, kind: str) -> bytes:
    """Returns the picture as a file of its kind, svg or png: the same bytes for the same."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    file = BytesIO()
    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(9, 4), layout="constrained")
        _fill(figure, found)
        about: dict[str, Any] = {"Date": None} if kind == "svg" else {"Description": text(found)}
        figure.savefig(file, format=kind, metadata=about, dpi=150)
    return _described(file.getvalue(), found) if kind == "svg" else file.getvalue()


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


def _described(picture: bytes, found: Calibration) -> bytes:
    """The picture with its text alternative, as who cannot see it is told."""
    start = picture.index(b"<svg ")
    end = picture.index(b">", start)
    said = (
        f'<title>Calibration of {found.on}</title>\n<desc id="about">{escape(text(found))}</desc>'
    )
    head = picture[:end] + b' role="img" aria-describedby="about">\n' + said.encode()
    return head + picture[end + 1 :]


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
        axes.axvline(bound, color=LINE, linestyle="--", linewidth=1.2)


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
            edgecolor="white", ecolor=LINE, capsize=3,
        )  # fmt: skip
    names = [f"{one.family} {NAMES[one.family]}\n({_kind(one.valid)})" for one in families]
    axes.set_yticks(range(len(families)), names[::-1])
    axes.set_xlim(0, 100)
    axes.set_xlabel("% stopped, with 95 % interval; dashed: the rate promised")
    axes.axvline(100 * found.false_alarms, color=LINE, linestyle="--", linewidth=1.2)
    axes.spines[["top", "right"]].set_visible(False)


def _kind(valid: bool) -> str:
    return "valid" if valid else "damaged"
