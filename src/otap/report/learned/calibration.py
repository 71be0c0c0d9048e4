"""A calibration, as people read it: the threshold and its promise first, then what it catches."""

from collections.abc import Iterator

from otap import _numbers
from otap._numbers import ABSENT, count_text, given_text, percent_text
from otap.learning.calibration import Calibration
from otap.learning.calibration.calibration import Broken, Caught, Share
from otap.report.view import Cell, Line, Table, View, line, severity_cell

WIDTH = 20  # characters of a bar
DAMAGE, VALID = ("\u2588", "#"), ("\u2591", ".")  # how bars are filled, where blocks are to be had
NAMES = {
    "P1": "other words",
    "P2": "another order",
    "P3": "merged or split",
    "P4": "wrong order",
    "P5": "deleted, added, wrong tool",
}


def calibration_view(found: Calibration, *, blocks: bool = True) -> View:
    """Returns everything that a person wants to know of a calibration.

    Args:
        found: the calibration.
        blocks: whether bars may be drawn with block characters; else with ASCII.
    """
    return tuple(_parts(found, blocks))


def _parts(found: Calibration, blocks: bool) -> Iterator[Line | Table]:
    yield _headline(found)
    if found.found:
        yield line(f"  {promise_text(found)}")
        yield line(f"  {_spread_text(found)}", "dim")
        yield line(f"  {command(found)}", "cyan")
    if found.gates:
        yield from _section("Gates on findings", _gates(found))
    if found.bad is not None:
        yield from _section("Bad runs caught", _bad(found.bad, blocks))
    if found.broken:
        yield from _section("Good runs changed on purpose", _broken(found, blocks))
        yield line(_legend(blocks), "dim")
    if found.warnings:
        yield line()
    yield from (line(f"warning: {text}", "yellow") for text in found.warnings)


def _headline(found: Calibration) -> Line:
    if not found.found:
        return Line((Cell("NO THRESHOLD", "bold yellow"), Cell(f": {found.reason}")))
    return Line((Cell(f"{found.on} {bound_text(found)}", "bold green"),))


def bound_text(found: Calibration) -> str:
    """The threshold with all its digits: it is a number with few."""
    return found.severity or (
        ABSENT if found.threshold is None else _numbers.bound_text(found.threshold)
    )


def promise_text(found: Calibration) -> str:
    """What is promised, in one sentence."""
    rate = f"{given_text(100 * found.false_alarms)} %"
    does = "has such a finding, or a worse one," if found.on == "severity" else "is below it"
    over = "on average over calibrations"
    if found.confidence is not None:
        over = f"in {given_text(100 * found.confidence)} % of calibrations"
    return f"a good run of a new task {does} in at most {rate} of cases, {over}"


def _spread_text(found: Calibration) -> str:
    assert found.spread is not None
    low, high = found.spread
    counts = f"{count_text(found.runs, 'good run')} of {count_text(found.tasks, 'task')}"
    return f"from {counts}; of single ones of this size nine in ten are at {_range(low, high)}"


def command(found: Calibration) -> str:
    """What to paste for the gate."""
    gate = f"--fail-under {bound_text(found)}"
    if found.on == "severity":
        gate = f"--fail-on {found.severity}"
    if found.on == "skill":
        gate = f"--json | jq -e '.skill >= {bound_text(found)}'"
    return f"otap score RUN -r REF {gate}"


def _range(low: float, high: float) -> str:
    return f"{percent_text(low).removesuffix(' %')} to {percent_text(high)}"


def _section(title: str, body: Line | Table) -> Iterator[Line | Table]:
    yield line()
    yield line(title, "bold")
    yield body


def _gates(found: Calibration) -> Table:
    header = ("--fail-on", "good runs stopped", "of new tasks at most", "bad runs caught", "")
    rows = [
        (
            severity_cell(one.severity),
            Cell(percent_text(one.stopped)),
            Cell(percent_text(one.most)),
            Cell(ABSENT if one.caught is None else _share_text(one.caught)),
            Cell("holds" if one.allowed else "stops too many"),
        )
        for one in found.gates
    ]
    return Table(rows, header, indent=2)


def _share_text(one: Share) -> str:
    return f"{percent_text(one.share)} ({_range(one.low, one.high)})"


def _bad(bad: Caught, blocks: bool) -> Table:
    rows = [
        _caught("of all", bad.runs, bad.of_runs, DAMAGE[not blocks]),
        _caught("mean of tasks", bad.runs, bad.of_tasks, DAMAGE[not blocks]),
    ]
    return Table(rows, ("", "runs", "caught", "95 % interval", ""), indent=2)


def _caught(name: str, runs: int, share: Share, fill: str) -> tuple[Cell, ...]:
    texts = (name, str(runs), percent_text(share.share), _range(share.low, share.high))
    return *(Cell(text) for text in texts), Cell(bar(share.share, fill))


def bar(share: float, fill: str) -> str:
    """A share as a bar of text; a little never looks like nothing."""
    return fill * max(round(share * WIDTH), int(share > 0))


def _broken(found: Calibration, blocks: bool) -> Table:
    header = ("", "edits", "runs", "stopped", "95 % interval", "")
    return Table([_change(one, blocks) for one in found.broken], header, indent=2)


def _change(one: Broken, blocks: bool) -> tuple[Cell, ...]:
    family, edits = (one.family, NAMES[one.family]) if one.edits is None else ("", _edits(one))
    style = "" if one.edits is not None else "bold"
    if one.alarms is None:
        return Cell(family, style), Cell(edits, style), Cell("0"), Cell(ABSENT), Cell(""), Cell("")
    fill = (VALID if one.valid else DAMAGE)[not blocks]
    name, *rest = _caught(edits, one.alarms.runs, one.alarms.of_runs, fill)
    return Cell(family, style), Cell(name.text, style), *rest


def _edits(one: Broken) -> str:
    return f"  {' + '.join(one.edits or ())}"


def _legend(blocks: bool) -> str:
    valid, damage = VALID[not blocks], DAMAGE[not blocks]
    return (
        f"  P1 to P3 {valid}: still valid, false alarms; P4 and P5 {damage}: damaged, caught"
        " (what changes nothing, as a look-up, hardly counts)"
    )
