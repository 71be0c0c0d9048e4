"""Flowcharts of Mermaid: a run beside its reference, and why tasks moved.

Each relation has its own line and frame besides its colour. The colours are seen on white and on
black; texts keep those of the page.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

from otap._numbers import count_text
from otap.errors import shown
from otap.report.model.rows import Row, fold_rows
from otap.report.model.score import AlignmentReport, count_rows, relate_row
from otap.report.model.words import label_step
from otap.report.rendering import Marked, render_text

if TYPE_CHECKING:
    from otap.evaluation.comparison.comparison import TaskChange

WHOLE = 8  # so many rows are drawn one by one
PARTS_SHOWN = 20  # rows and folds; Mermaid draws no more than 50,000 characters
VALUES_SHOWN = 2  # of a call with other values
TASKS_DRAWN = 10
_WIDTH = 64  # characters of a value that differs
# Two in a row begin a formula even as character entities; nobody sees what keeps them apart.
_APART = "$\u200b"


def quote_label(*lines: str) -> Marked:
    """Returns lines of text as a quoted label, with all that is syntax there as entities.

    Args:
        *lines: without control characters.
    """
    return Marked(f'"{"<br/>".join(map(_escape_line, lines))}"')


def _escape_line(line: str) -> str:
    """A colon is one of them: ``fa:fa-car`` would be an icon."""
    apart = line.replace("$$", f"{_APART}$").replace("$$", f"{_APART}$")
    return "".join(c if c.isalnum() or c in " _-.,/" else f"#{ord(c)};" for c in apart)


def alignment_flowchart(report: AlignmentReport) -> str:
    """Returns a run beside one reference; of many steps, only what differs and what is beside."""
    parts = fold_rows(report.rows, WHOLE)
    drawn = [_label_part(part) for part in parts[:PARTS_SHOWN]]
    if (rest := len(parts) - PARTS_SHOWN) > 0:
        drawn.append(("", "", [[quote_label(f"and {count_text(rest, 'more row')}")], []]))
    return render_text("alignment.mmd", parts=list(_name_nodes(drawn)))


def _name_nodes(drawn: Sequence[tuple[str, str, Any]]) -> Iterator[tuple[str, str, Any, Any]]:
    """Yields each part with the names of its nodes and labels, and which of them are joined."""
    counts = [0, 0]
    for relation, word, labels in drawn:
        sides = []
        for side, (name, of_side) in enumerate(zip(("run", "ref"), labels, strict=True)):
            sides.append([(f"{name}{counts[side] + k}", one) for k, one in enumerate(of_side)])
            counts[side] += len(of_side)
        yield relation, quote_label(word), sides, list(product(*sides))


def _label_part(part: Row | tuple[Row, ...]) -> tuple[str, str, Any]:
    """How a row, or several that are folded, stand to each other, and what their nodes say."""
    if isinstance(part, Row):
        values = [shown(str(one), _WIDTH) for one in part.changes[:VALUES_SHOWN]]
        ours = [quote_label(label_step(step), *values) for step in part.steps[0]]
        theirs = [quote_label(label_step(step)) for step in part.steps[1]]
        none = quote_label("not done"), quote_label("no such step")
        return part.relation, relate_row(part), [ours or none[:1], theirs or none[1:]]
    sizes = [sum(len(row.steps[side]) for row in part) for side in (0, 1)]
    words = count_rows(part)
    beside = [] if all(sizes) else [words]
    labels = [[quote_label(count_text(n, "step"), *beside)] if n else [] for n in sizes]
    return "same", words, labels


def reasons_flowchart(tasks: "Sequence[TaskChange]") -> str | None:
    """Returns the tasks that moved most beside their first findings; None: none has one.

    Tasks with the same reason lead to one node. What came is a thick line, what went a dotted one.

    Args:
        tasks: those that moved, the most first.
    """
    known = [one for one in tasks if one.kind is not None][:TASKS_DRAWN]
    return render_text("reasons.mmd", tasks=known, label=quote_label) if known else None
