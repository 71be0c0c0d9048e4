"""An alignment as a Mermaid flowchart: the run on the left, the reference beside it.

Each relation has its own line and frame besides its colour. The colours are seen on white and on
black; texts keep those of the page.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from otap._numbers import count_text
from otap.errors import shown
from otap.report.markdown.stretches import Stretch, folded
from otap.report.mermaid import quoted
from otap.report.story.labels import step_label
from otap.report.story.rows import Relation, Row, differing
from otap.report.story.short import relation_words
from otap.scoring import Against

PARTS_SHOWN = 20  # rows and stretches; Mermaid draws no more than 50,000 characters
VALUES_SHOWN = 2  # of a call with other values
_WIDTH = 64  # characters of a value that differs
_SHAPES: Mapping[str, str] = {"missing": "([{}])", "extra": "{{{{{}}}}}", "failed": "[[{}]]"}
_LINES: Mapping[Relation, str] = {
    "close": "-.-", "arguments": "===", "tool": "x==x", "missing": "-.-x", "invented": "x-.-",
    "repeated": "x-.-", "failed": "x-.-",
}  # fmt: skip
_CLASS_OF: Mapping[Relation, str] = {
    "arguments": "differs", "tool": "differs", "missing": "missing", "failed": "failed",
    "invented": "extra", "repeated": "extra",
}  # fmt: skip
_CLASSES = (
    "classDef same fill:transparent,stroke:#808080,stroke-width:1px",
    "classDef differs fill:transparent,stroke:#D55E00,stroke-width:3px",
    "classDef failed fill:transparent,stroke:#D55E00,stroke-width:3px",
    "classDef missing fill:transparent,stroke:#D55E00,stroke-width:3px,stroke-dasharray:6 4",
    "classDef extra fill:transparent,stroke:#3D8BC9,stroke-width:2px",
    "classDef nothing fill:transparent,stroke:transparent,font-style:italic",
    "classDef side fill:transparent,stroke:#808080",
)


@dataclass
class _Chart:
    """What is drawn so far: the nodes of both sides, and the lines between them."""

    run: list[str] = field(default_factory=list)
    reference: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def node(self, side: str, text: str, kind: str) -> str:
        """Adds a node, and returns its name."""
        nodes: list[str] = getattr(self, side)
        name = f"{side[:3]}{len(nodes)}"
        nodes.append(f"{name}{_SHAPES.get(kind, '[{}]').format(text)}:::{kind}")
        return name

    def line(self, one: str, other: str, sign: str, label: str) -> None:
        """Adds a line between two nodes."""
        self.lines.append(f"{one} {sign}|{quoted(label)}| {other}")


def alignment_flowchart(against: Against, rows: Sequence[Row]) -> str:
    """Returns a run beside one reference; of many steps, only what differs and what is beside it.

    Args:
        against: the run and the reference.
        rows: their alignment.
    """
    parts, chart = folded(rows), _Chart()
    for part in parts[:PARTS_SHOWN]:
        _add_stretch(chart, part) if isinstance(part, Stretch) else _add_row(chart, against, part)
    rest = len(parts) - PARTS_SHOWN
    if rest > 0:
        chart.node("run", quoted(f"and {count_text(rest, 'more row')}"), "nothing")
    return "\n".join(_text(chart))


def _text(chart: _Chart) -> Iterator[str]:
    yield "flowchart LR"
    for name, title, nodes in (("R", "run", chart.run), ("G", "reference", chart.reference)):
        yield f"  subgraph {name}[{quoted(title)}]"
        yield from (f"    {node}" for node in nodes)
        yield "  end"
    yield from (f"  {line}" for line in chart.lines)
    yield from (f"  {line}" for line in _CLASSES)
    yield "  class R,G side"


def _add_stretch(chart: _Chart, part: Stretch) -> None:
    """Both sides of a stretch, as far as they have steps."""
    sides = [(side, count) for side, count in part.steps.items() if count]
    words = [part.words] if len(sides) == 1 else []
    ends = [
        chart.node(side, quoted(count_text(count, "step"), *words), "same") for side, count in sides
    ]
    if len(ends) == 2:
        chart.line(ends[0], ends[1], "---", part.words)


def _add_row(chart: _Chart, against: Against, row: Row) -> None:
    """The steps of a row; where one side has none, an empty place says so."""
    kind = _CLASS_OF.get(row.relation, "same")
    values = [shown(one, _WIDTH) for one in differing(against, row)[:VALUES_SHOWN]]
    ours = [quoted(step_label(against.run.steps[place]), *values) for place in row.run]
    theirs = [quoted(step_label(against.reference.steps[place])) for place in row.reference]
    left = [chart.node("run", text, kind) for text in ours]
    right = [chart.node("reference", text, kind) for text in theirs]
    left = left or [chart.node("run", quoted("not done"), "nothing")]
    right = right or [chart.node("reference", quoted("no such step"), "nothing")]
    for one, other in product(left, right):
        chart.line(one, other, _LINES.get(row.relation, "---"), relation_words(row))
