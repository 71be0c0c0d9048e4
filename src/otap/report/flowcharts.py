"""Mermaid flowcharts of a run beside its reference, and of why the scores of tasks changed.

Line and frame styles repeat the meaning of colours. The colours are visible on white and on black;
texts have the colour of the page.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

from otap._numbers import count_text
from otap.errors import shown
from otap.report.model.alignment_report import AlignmentReport, count_rows, relate_row
from otap.report.model.alignment_rows import Row, fold_rows
from otap.report.model.vocabulary import label_step
from otap.report.rendering import MarkedText, render_text

if TYPE_CHECKING:
    from otap.evaluation.comparison.differences import TaskChange

MAX_UNFOLDED = 8  # rows up to which each one is drawn
MAX_PARTS = 20  # rows and folds; Mermaid draws no more than 50,000 characters
MAX_CHANGES = 2  # changed values of a call
MAX_TASKS = 10
_MAX_CHANGE = 64  # characters of a changed value
# Two dollar signs begin a formula even as character entities; an invisible space separates them.
_SPLIT_DOLLARS = "$\u200b$"


def quote_label(*lines: str) -> MarkedText:
    """Returns lines of text as a quoted label in which syntax characters are entities.

    Args:
        *lines: without control characters.
    """
    return MarkedText(f'"{"<br/>".join(_escape_line(line) for line in lines)}"')


def _escape_line(line: str) -> str:
    """Escapes colons, too, because ``fa:fa-car`` would be an icon."""
    text = line.replace("$$", _SPLIT_DOLLARS).replace("$$", _SPLIT_DOLLARS)
    return "".join(c if c.isalnum() or c in " _-.,/" else f"#{ord(c)};" for c in text)


def alignment_flowchart(report: AlignmentReport) -> str:
    """Returns a run beside one reference; if it is long, rows without differences are folded."""
    rows = fold_rows(report.rows, MAX_UNFOLDED)
    parts = [_label_part(part) for part in rows[:MAX_PARTS]]
    omitted = len(rows) - MAX_PARTS
    if omitted > 0:
        parts.append(("", "", [[quote_label(f"and {count_text(omitted, 'more row')}")], []]))
    return render_text("alignment.mmd", parts=list(_name_nodes(parts)))


def _name_nodes(
    parts: Sequence[tuple[str, str, Any]],
) -> Iterator[tuple[str, MarkedText, Any, Any]]:
    """Yields each part with its named nodes, and the pairs of nodes that are joined."""
    counts = [0, 0]
    for relation, word, labels in parts:
        sides = []
        for side, (prefix, texts) in enumerate(zip(("run", "ref"), labels, strict=True)):
            sides.append([(f"{prefix}{k}", text) for k, text in enumerate(texts, counts[side])])
            counts[side] += len(texts)
        yield relation, quote_label(word), sides, list(product(*sides))


def _label_part(part: Row | tuple[Row, ...]) -> tuple[str, str, Any]:
    """Returns the relation of a row or of folded rows, its words, and the labels of both sides."""
    if isinstance(part, Row):
        changes = [shown(str(change), _MAX_CHANGE) for change in part.changes[:MAX_CHANGES]]
        run = [quote_label(label_step(step), *changes) for step in part.steps[0]]
        reference = [quote_label(label_step(step)) for step in part.steps[1]]
        labels = [run or [quote_label("not done")], reference or [quote_label("no such step")]]
        return part.relation, relate_row(part), labels
    sizes = [sum(len(row.steps[side]) for row in part) for side in (0, 1)]
    words = count_rows(part)
    details = [] if all(sizes) else [words]
    labels = [[quote_label(count_text(n, "step"), *details)] if n else [] for n in sizes]
    return "same", words, labels


def reasons_flowchart(tasks: "Sequence[TaskChange]") -> str | None:
    """Returns the tasks that changed most with their first findings, or None if none has one.

    Tasks with the same reason share a node. A new finding has a thick line, a former one a dotted
    line.

    Args:
        tasks: those whose score changed, largest change first.
    """
    explained = [task for task in tasks if task.kind is not None][:MAX_TASKS]
    return render_text("reasons.mmd", tasks=explained, label=quote_label) if explained else None
