"""The page of one run beside its references: first its score and findings, then all details."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product, zip_longest
from typing import Any

from markupsafe import Markup

from otap.graph import Edge
from otap.report.model.alignment_report import (
    AlignmentReport,
    describe_alignment,
    list_doubts,
    list_numbers,
    list_uncounted,
)
from otap.report.pages.diagram import draw_diagram
from otap.report.pages.document import render_document
from otap.report.pages.step_fields import FieldReader
from otap.report.rendering import render_template
from otap.scoring import Explanation, Side
from otap.scoring.alignment import Pair
from otap.trajectory import Step

# Limits that let a page open at once, however long its runs are.
ROWS = 1000  # of all references together
OF_OTHERS = 60  # rows of each reference except the best
MAX_CHARACTERS = 1_000_000  # of the fields of all steps together
MIN_FIELD, MAX_FIELD = 120, 4000  # characters of one field
MAX_PAGE_VALUES = 6000  # argument values on lines of their own, on the whole page
MIN_VALUES, MAX_VALUES = 4, 60  # of one step
MAX_NEEDS = 8  # dependencies of one step that are shown with evidence
MAX_TABLE_STEPS = 60  # of a side in the table of masses; of more steps, only those with mass
_FIELDS = 6  # usual number of long fields in a row


def score_page(explanation: Explanation) -> str:
    """Returns the page of one run, with a tab for each reference."""
    title = f"OTAP: {explanation.score.id or 'run'}"
    return render_document(title, run_body(explanation), ["run"])


def run_body(explanation: Explanation, prefix: str = "") -> Markup:
    """Returns the markup of one run; the page needs the part ``run``.

    The markup is complete without its script, which only adds tabs and jumps. If the markup is put
    into a page later, ``otap.start(element)`` starts the script on it.

    Args:
        explanation: the run with its references.
        prefix: of all element ids, so that a page can have several runs.
    """
    reports = [describe_alignment(against) for against in explanation.against]
    counts = share_rows([len(report.rows) for report in reports])
    return render_template(
        "run/run.html",
        explanation=explanation,
        prefix=prefix,
        doubts=list_doubts(explanation.score),
        uncounted=list_uncounted(explanation.score),
        numbers=list_numbers(explanation.score),
        references=[
            _describe_reference(report, count, sum(counts))
            for report, count in zip(reports, counts, strict=True)
        ],
    )


def share_rows(rows: Sequence[int]) -> list[int]:
    """Returns how many rows of each reference are shown; the best gets those that others leave.

    Args:
        rows: the number of rows of each reference, the best first.
    """
    other_rows = [min(OF_OTHERS, count) for count in rows[1:]]
    return [min(rows[0], ROWS - sum(other_rows)), *other_rows]


def _describe_reference(report: AlignmentReport, count: int, page_rows: int) -> Mapping[str, Any]:
    """Returns all data about one reference, in a page with a total number of rows."""
    page_rows = max(page_rows, 1)
    limit = min(max(MIN_FIELD, MAX_CHARACTERS // (_FIELDS * page_rows)), MAX_FIELD)
    max_values = min(max(MIN_VALUES, MAX_PAGE_VALUES // page_rows), MAX_VALUES)
    against = report.against
    pairs = {(pair.agent, pair.reference): pair for pair in against.score.alignment.pairs}
    rows = _describe_rows(report, report.choose_rows(count), FieldReader(limit, max_values), pairs)
    return {
        "against": against,
        "report": report,
        "diagram": draw_diagram(report),
        "rows": list(rows),
        "pairs": pairs,
        "run": _select_steps(against.run, {step for step, _ in pairs}),
        "reference": _select_steps(against.reference, {step for _, step in pairs}),
    }


def _select_steps(side: Side, matched: set[str]) -> Sequence[Step]:
    if len(side.steps) <= MAX_TABLE_STEPS:
        return side.steps
    return [step for step in side.steps if step.id in matched][:MAX_TABLE_STEPS]


def _describe_rows(
    report: AlignmentReport,
    indices: Sequence[int],
    reader: FieldReader,
    pairs: Mapping[tuple[str, str], Pair],
) -> Iterator[Mapping[str, Any]]:
    """Yields the details of rows: fields side by side, and the dependencies of their steps."""
    score, sides = report.against.score, (report.against.run, report.against.reference)
    contributions = [
        {share.id: share.contribution for share in shares}
        for shares in (score.alignment.agent, score.alignment.reference)
    ]
    edges = [_index_edges(side) for side in sides]
    for index in indices:
        row = report.rows[index]
        loss = sum(
            of_side.get(step.id, 0.0)
            for of_side, steps in zip(contributions, row.steps, strict=True)
            for step in steps
        )
        row_pairs = (pairs.get((step.id, match.id)) for step, match in product(*row.steps))
        yield {
            "index": index,
            "row": row,
            "marks": report.marks.mark_row(row),
            "fields": [
                field
                for step, counterpart in zip_longest(*row.steps)
                for field in reader.list_fields(step, counterpart, row)
            ],
            "needs": [
                (k, sides[k].steps[edge.source], edge.evidence[:1])
                for k, steps in enumerate((row.run, row.reference))
                for step in steps
                for edge in edges[k].get(step, ())[:MAX_NEEDS]
            ],
            "share": min(1.0, loss / score.loss) if score.loss > 0 else 0.0,
            "mass": sum(pair.mass for pair in row_pairs if pair),
        }


def _index_edges(side: Side) -> Mapping[int, list[Edge]]:
    """Returns the edges into each step; none if each step only needs the previous one."""
    edges: dict[int, list[Edge]] = {}
    for edge in side.graph.edges if side.graph.mechanism != "sequential" else ():
        edges.setdefault(edge.target, []).append(edge)
    return edges
