"""A score, many results, a comparison as Markdown."""

from collections.abc import Iterable, Iterator, Sequence

from otap._numbers import count_text, number_text, percent_text, score_text
from otap._patterns import regex
from otap.errors import shown
from otap.evaluation import Summary
from otap.evaluation.comparison import Comparison
from otap.report.comparison import comparison_view
from otap.report.evaluation import evaluation_view
from otap.report.flowcharts import alignment_flowchart, reasons_flowchart
from otap.report.model.score import AlignmentReport, Group, describe_alignment, list_doubts
from otap.report.view import Cell, Line, Table, View
from otap.scoring import Explanation, Score

FINDINGS_SHOWN = 12  # of those that matter, and again of the slight ones
ROWS_SHOWN = 20
_SENTENCE, _CELL = 400, 240  # characters
_SPECIAL = regex(r"([\\`*_\[\]#|~$@^]|:(?=//)|(?<=www)\.)")
_MARKUP = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_MEANING = (
    "<sub>score: 1 is the same as a reference. skill: 0 has nothing to do with the task. "
    "precision: how much of the run the reference has. recall: how much of the reference "
    "the run has.</sub>"
)


def escape_markdown(text: str, limit: int = 160) -> str:
    """Returns foreign text on one line, with all that Markdown or HTML would obey escaped.

    No mention, link, reference to an issue or picture is made of it. Plain words stay as they are.
    """
    one = shown(text, limit).translate(_MARKUP).replace("&", "\0")
    return _SPECIAL.sub(lambda sign: f"&#{ord(sign[1])};", one).replace("\0", "&")


def score_markdown(found: Explanation) -> str:
    """Returns a score as Markdown: why it is not better, what differs, and a flowchart."""
    report, score = describe_alignment(found.best), found.score
    headline, title = (
        escape_markdown(one, _SENTENCE) for one in (report.headline, report.title(score))
    )
    chart = ("```mermaid", alignment_flowchart(report), "```", "") if report.rows else ()
    numbers = (score.score, score.skill, score.precision, score.recall)
    lines = (
        f"### OTAP: score {score_text(score.score)}, {score.severity or 'no findings'}\n",
        f"**{headline}**\n",
        f"{title}.\n",
        *_list_warnings(score),
        *_list_findings(report),
        *_list_differences(report),
        *chart,
        *_write_table(("score", "skill", "precision", "recall"), [map(score_text, numbers)]),
        f"{_MEANING}\n",
    )
    return "\n".join(lines)


def evaluation_markdown(summary: Summary, faults: Sequence[str] = ()) -> str:
    """Returns many results as Markdown.

    Args:
        summary: the results.
        faults: what their gate says against them.
    """
    return "\n".join(_write_view(evaluation_view(summary, faults))) + "\n"


def comparison_markdown(found: Comparison) -> str:
    """Returns a comparison as Markdown, with a flowchart of why tasks moved."""
    lines = [*_write_view(comparison_view(found))]
    reasons = reasons_flowchart(found.tasks)
    if reasons is not None:
        lines += ["Each task beside what came in it (thick line) or went (dotted):", ""]
        lines += ["```mermaid", reasons, "```", ""]
    return "\n".join(lines) + "\n"


def _list_warnings(score: Score) -> Iterator[str]:
    """What makes a score say less than it seems to."""
    yield from (f"> {escape_markdown(one, _SENTENCE)}\n" for one in list_doubts(score))


def _list_findings(report: AlignmentReport) -> Iterator[str]:
    """The findings, the worst first; what is slight can be unfolded."""
    yield from _list_groups(report.bad)
    if report.slight:
        count = count_text(report.slight_count, "minor finding")
        yield f"<details><summary>{count}</summary>\n"
        yield from _list_groups(report.slight)
        yield "</details>\n"


def _list_groups(groups: Sequence[Group]) -> Iterator[str]:
    for one in groups[:FINDINGS_SHOWN]:
        share = "" if one.share is None else f" ({percent_text(one.share)} of the loss)"
        yield f"- **{one.severity}**: {escape_markdown(one.sentence, _SENTENCE)}{share}"
    if (rest := len(groups) - FINDINGS_SHOWN) > 0:
        yield f"- and {number_text(rest)} more; `--json` has them all"
    if groups:
        yield ""


def _list_differences(report: AlignmentReport) -> Iterator[str]:
    """What differs, as a table, and what does not, in a sentence."""
    found = [[escape_markdown(text, _CELL) for text in words] for _, words in report.differing()]
    if found:
        yield from _write_table(("", "run", "reference", ""), found[:ROWS_SHOWN])
    if len(found) > ROWS_SHOWN:
        yield f"And {count_text(len(found) - ROWS_SHOWN, 'more row')} like these.\n"
    if rest := report.rest_sentence():
        yield f"{escape_markdown(rest, _SENTENCE)}\n"


def _write_table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    """The lines of a table, and an empty one behind it; cells are written as they are."""
    names = list(header)
    yield f"| {' | '.join(names)} |"
    yield "|---" * len(names) + "|"
    yield from (f"| {' | '.join(row)} |" for row in rows)
    yield ""


def _write_view(view: View) -> Iterator[str]:
    """Lines and tables: the first line is the title and what explains it; indented ones a list."""
    title, *body = view
    head, *rest = title.cells if isinstance(title, Line) else ()
    yield f"### OTAP: {escape_markdown(head.text.lower(), _SENTENCE)}\n"
    if reason := "".join(cell.text for cell in rest).lstrip(": "):
        yield f"{escape_markdown(reason[:1].upper() + reason[1:], _SENTENCE)}.\n"
    in_list = False
    for part in body:
        is_item = isinstance(part, Line) and bool(part.margin.text)
        if in_list and not is_item:
            yield ""
        in_list = is_item
        if isinstance(part, Table):
            rows = [row for row in part.rows if not isinstance(row, Line)]
            header = part.header or ("",) * len(rows[0])
            yield from _write_table(header, (map(_write_cell, row) for row in rows))
        elif text := _write_line(part):
            yield f"- {text}" if is_item else f"{text}\n"


def _write_line(one: Line) -> str:
    return escape_markdown("".join(cell.text for cell in one.cells).strip(), _SENTENCE)


def _write_cell(cell: Cell) -> str:
    text = escape_markdown(cell.text, _CELL)
    return f"**{text}**" if cell.style == "bold" and text else text
