"""A calibration: the threshold and its promise first, then what it catches; also as a picture.

Colours of the picture are those of Okabe and Ito; hatches say the same.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from otap import _numbers
from otap._numbers import ABSENT, count_text, given_text, percent_text
from otap.alignment import SEVERITIES
from otap.learning.calibration import Calibration
from otap.learning.calibration.calibration import Broken, Share
from otap.report.picture import BLACK, BLUE, ORANGE, RED, Picture
from otap.report.view import Cell, Line, Table, View, line, make_cells, section, severity_cell

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BINS = 40
_WIDTH = 20  # characters of a bar
_NAMES = {
    "P1": "other words",
    "P2": "another order",
    "P3": "merged or split",
    "P4": "wrong order",
    "P5": "deleted, added, wrong tool",
}
_GATES = ("--fail-on", "good runs stopped", "of new tasks at most", "bad runs caught", "")
_CAUGHT = ("", "runs", "caught", "95 % interval", "")
_BROKEN = ("", "edits", "runs", "stopped", "95 % interval", "")
_LEGEND = (
    "  P1 to P3 ░: still valid, false alarms; P4 and P5 █: damaged, caught"
    " (what changes nothing, as a look-up, hardly counts)"
)
_LOOKS = {"good": (BLUE, ""), "bad": (RED, "xxx"), "broken": (ORANGE, "///")}


def calibration_view(found: Calibration) -> View:
    """Returns everything that a person wants to know of a calibration."""
    return tuple(_list_lines(found))


def _list_lines(found: Calibration) -> Iterator[Line | Table]:
    if found.found:
        yield line(f"{found.on} {_write_bound(found)}", "bold green")
        yield line(f"  {_word_promise(found)}")
        yield line(f"  {_word_spread(found)}", "dim")
        yield line(f"  {_write_command(found)}", "cyan")
    else:
        yield Line((Cell("NO THRESHOLD", "bold yellow"), Cell(f": {found.reason}")))
    if found.gates:
        yield from section("Gates on findings", Table(_list_gates(found), _GATES, indent=2))
    if (bad := found.bad) is not None:
        shares = (("of all", bad.of_runs), ("mean of tasks", bad.of_tasks))
        rows = [(Cell(name), *_share_cells(bad.runs, share, "█")) for name, share in shares]
        yield from section("Bad runs caught", Table(rows, _CAUGHT, indent=2))
    if found.broken:
        changed = [_broken_cells(one) for one in found.broken]
        yield from section("Good runs changed on purpose", Table(changed, _BROKEN, indent=2))
        yield line(_LEGEND, "dim")
    yield from [line()] if found.warnings else []
    yield from (line(f"warning: {text}", "yellow") for text in found.warnings)


def _write_bound(found: Calibration) -> str:
    """The threshold with all its digits: it is a number with few."""
    known = ABSENT if found.threshold is None else _numbers.bound_text(found.threshold)
    return found.severity or known


def _word_promise(found: Calibration) -> str:
    rate = f"{given_text(100 * found.false_alarms)} %"
    does = "has such a finding, or a worse one," if found.on == "severity" else "is below it"
    over = "on average over calibrations"
    if found.confidence is not None:
        over = f"in {given_text(100 * found.confidence)} % of calibrations"
    return f"a good run of a new task {does} in at most {rate} of cases, {over}"


def _word_spread(found: Calibration) -> str:
    assert found.spread is not None
    counts = f"{count_text(found.runs, 'good run')} of {count_text(found.tasks, 'task')}"
    spread = _write_range(*found.spread)
    return f"from {counts}; of single ones of this size nine in ten are at {spread}"


def _write_command(found: Calibration) -> str:
    """What to paste for the gate."""
    bound = _write_bound(found)
    gates = {"severity": f"--fail-on {bound}", "skill": f"--json | jq -e '.skill >= {bound}'"}
    return f"otap score RUN -r REF {gates.get(found.on, f'--fail-under {bound}')}"


def _write_range(low: float, high: float) -> str:
    return f"{percent_text(low).removesuffix(' %')} to {percent_text(high)}"


def _list_gates(found: Calibration) -> list[Sequence[Cell]]:
    rows: list[Sequence[Cell]] = []
    for one in found.gates:
        caught = ABSENT
        if (share := one.caught) is not None:
            caught = f"{percent_text(share.share)} ({_write_range(share.low, share.high)})"
        shares = percent_text(one.stopped), percent_text(one.most), caught
        holds = "holds" if one.allowed else "stops too many"
        rows.append(make_cells(severity_cell(one.severity), *shares, holds))
    return rows


def _share_cells(runs: int, one: Share, fill: str) -> Sequence[Cell]:
    """A share with its interval, and a bar in which a little never looks like nothing."""
    bar = fill * max(round(one.share * _WIDTH), int(one.share > 0))
    return make_cells(runs, percent_text(one.share), _write_range(one.low, one.high), bar)


def _broken_cells(one: Broken) -> Sequence[Cell]:
    family, edits, style = one.family, _NAMES[one.family], "bold"
    if one.edits is not None:
        family, edits, style = "", f"  {' + '.join(one.edits)}", ""
    shares = make_cells("0", ABSENT, "", "")
    if one.alarms is not None:
        shares = (*_share_cells(one.alarms.runs, one.alarms.of_runs, "░" if one.valid else "█"),)
    return Cell(family, style), Cell(edits, style), *shares


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
