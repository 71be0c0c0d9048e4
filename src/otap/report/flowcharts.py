"""Flowcharts of Mermaid: a run beside its reference, and why tasks moved.

Each relation has its own line and frame besides its colour. The colours are seen on white and on
black; texts keep those of the page.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING

from otap._numbers import count_text, difference_text, score_text
from otap.errors import shown
from otap.report.model.rows import Row, fold_rows
from otap.report.model.score import AlignmentReport, count_rows, relate_row
from otap.report.model.words import Relation, label_step

if TYPE_CHECKING:
    from otap.evaluation.comparison.comparison import TaskChange

WHOLE = 8  # so many rows are drawn one by one
PARTS_SHOWN = 20  # rows and folds; Mermaid draws no more than 50,000 characters
VALUES_SHOWN = 2  # of a call with other values
TASKS_DRAWN = 10
_WIDTH = 64  # characters of a value that differs
# Two in a row begin a formula even as character entities; nobody sees what keeps them apart.
_APART = "$\u200b"
_SHAPES: Mapping[str, str] = {"missing": "([{}])", "extra": "{{{{{}}}}}", "failed": "[[{}]]"}
# The line between both sides of a relation, and the class of its steps.
_LOOKS: Mapping[Relation, tuple[str, str]] = {
    "close": ("-.-", "same"), "arguments": ("===", "differs"), "tool": ("x==x", "differs"),
    "missing": ("-.-x", "missing"), "invented": ("x-.-", "extra"), "repeated": ("x-.-", "extra"),
    "failed": ("x-.-", "failed"),
}  # fmt: skip
_CLASS = "classDef {} fill:transparent,stroke:{}"
_CLASSES = tuple(
    _CLASS.format(*one)
    for one in (
        ("same", "#808080,stroke-width:1px"),
        ("differs", "#D55E00,stroke-width:3px"),
        ("failed", "#D55E00,stroke-width:3px"),
        ("missing", "#D55E00,stroke-width:3px,stroke-dasharray:6 4"),
        ("extra", "#3D8BC9,stroke-width:2px"),
        ("nothing", "transparent,font-style:italic"),
        ("side", "#808080"),
    )
)
_REASON_CLASSES = tuple(
    _CLASS.format(*one)
    for one in (
        ("critical", "#D55E00,stroke-width:3px"),
        ("major", "#D55E00,stroke-width:2px,stroke-dasharray:6 4"),
        ("minor", "#808080,stroke-width:1px"),
        ("task", "#808080,stroke-width:1px"),
    )
)


def quote_label(*lines: str) -> str:
    """Returns lines of text as a quoted label, with all that is syntax there as entities.

    Args:
        *lines: without control characters.
    """
    return f'"{"<br/>".join(map(_escape_line, lines))}"'


def _escape_line(line: str) -> str:
    """A colon is one of them: ``fa:fa-car`` would be an icon."""
    apart = line.replace("$$", f"{_APART}$").replace("$$", f"{_APART}$")
    return "".join(c if c.isalnum() or c in " _-.,/" else f"#{ord(c)};" for c in apart)


class _Chart:
    """What is drawn so far: the nodes of both sides, and the lines between them."""

    def __init__(self) -> None:
        self.nodes: dict[str, list[str]] = {"run": [], "reference": []}
        self.lines: list[str] = []

    def add_nodes(self, side: str, labels: Sequence[str], kind: str, none: str) -> list[str]:
        """Adds the nodes of one side of a row, and returns their names; an empty side says so."""
        nodes, names = self.nodes[side], []
        if not labels:
            labels, kind = [quote_label(none)], "nothing"
        for label in labels:
            names.append(f"{side[:3]}{len(nodes)}")
            nodes.append(f"{names[-1]}{_SHAPES.get(kind, '[{}]').format(label)}:::{kind}")
        return names

    def join_nodes(self, left: Sequence[str], right: Sequence[str], sign: str, word: str) -> None:
        """Adds a line between each two nodes of a row."""
        label = quote_label(word)
        self.lines += [f"{one} {sign}|{label}| {other}" for one, other in product(left, right)]

    def write_lines(self) -> Iterator[str]:
        """Yields the lines of the flowchart."""
        yield "flowchart LR"
        for name, (title, nodes) in zip("RG", self.nodes.items(), strict=True):
            yield f"  subgraph {name}[{quote_label(title)}]"
            yield from (f"    {node}" for node in nodes)
            yield "  end"
        yield from (f"  {line}" for line in (*self.lines, *_CLASSES, "class R,G side"))


def alignment_flowchart(report: AlignmentReport) -> str:
    """Returns a run beside one reference; of many steps, only what differs and what is beside."""
    parts, chart = fold_rows(report.rows, WHOLE), _Chart()
    for part in parts[:PARTS_SHOWN]:
        if isinstance(part, Row):
            _draw_row(chart, part)
        else:
            _draw_fold(chart, part)
    if (rest := len(parts) - PARTS_SHOWN) > 0:
        chart.add_nodes("run", [], "nothing", f"and {count_text(rest, 'more row')}")
    return "\n".join(chart.write_lines())


def _draw_row(chart: _Chart, row: Row) -> None:
    sign, kind = _LOOKS.get(row.relation, ("---", "same"))
    values = [shown(str(one), _WIDTH) for one in row.changes[:VALUES_SHOWN]]
    ours = [quote_label(label_step(step), *values) for step in row.steps[0]]
    theirs = [quote_label(label_step(step)) for step in row.steps[1]]
    left = chart.add_nodes("run", ours, kind, "not done")
    right = chart.add_nodes("reference", theirs, kind, "no such step")
    chart.join_nodes(left, right, sign, relate_row(row))


def _draw_fold(chart: _Chart, rows: Sequence[Row]) -> None:
    words = count_rows(rows)
    counts = {
        "run": sum(len(row.run) for row in rows),
        "reference": sum(len(row.reference) for row in rows),
    }
    beside = [] if all(counts.values()) else [words]
    ends = [
        chart.add_nodes(side, [quote_label(count_text(count, "step"), *beside)], "same", "")
        for side, count in counts.items()
        if count
    ]
    if len(ends) == 2:
        chart.join_nodes(ends[0], ends[1], "---", words)


def reasons_flowchart(tasks: "Sequence[TaskChange]") -> str | None:
    """Returns the tasks that moved most beside their first findings; None: none has one.

    Tasks with the same reason lead to one node. What came is a thick line, what went a dotted one.

    Args:
        tasks: those that moved, the most first.
    """
    known = [one for one in tasks if one.kind is not None][:TASKS_DRAWN]
    nodes, edges = [], []
    reasons: dict[tuple[str, ...], str] = {}
    for place, one in enumerate(known):
        scores = f"{score_text(one.base)} → {score_text(one.new)}"
        nodes.append(f"t{place}[{quote_label(f'task {shown(one.task, 40)}', scores)}]:::task")
        reason = one.severity or "minor", one.kind or "", one.tool or ""
        name = reasons.setdefault(reason, f"f{len(reasons)}")
        line, word = ("===", "came") if one.difference < 0 else ("-.-", "gone")
        label = quote_label(f"{difference_text(one.difference)}, {word}")
        edges.append(f"t{place} {line}|{label}| {name}")
    for (severity, kind, tool), name in reasons.items():
        what = shown(f"{kind}: {tool}" if tool else kind, 60)
        nodes.append(f"{name}([{quote_label(what, severity)}]):::{severity}")
    lines = (f"  {one}" for one in (*nodes, *edges, *_REASON_CLASSES))
    return "\n".join(["flowchart LR", *lines]) if known else None
