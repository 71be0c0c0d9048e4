"""One run beside its references: what a reader sees first, and everything that they can open."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product, zip_longest
from typing import Any

from markupsafe import Markup

from otap.alignment import Pair
from otap.report.model.score import (
    AlignmentReport,
    describe_alignment,
    list_doubts,
    list_numbers,
    list_uncounted,
)
from otap.report.pages.diagram import draw_diagram
from otap.report.pages.document import render_document
from otap.report.pages.fields import FieldReader
from otap.report.rendering import render_template
from otap.run import Edge
from otap.scoring import Explanation, Side
from otap.trajectory import Step

# What a page has room for: it opens at once, however long its runs are.
ROWS = 1000  # of all references together
OF_OTHERS = 60  # rows of each reference but the best
CHARACTERS = 1_000_000  # that the fields of all steps together take
SHORTEST, LONGEST = 120, 4000  # characters of one field, whatever there are
VALUES = 6000  # values of arguments that have a line of their own
FEWEST, MOST = 4, 60  # of one step
NEEDS = 8  # steps that one needs, of which it is said why
WIDEST = 60  # steps of a side in the table of masses; of more, those that share mass at all
_FIELDS = 6  # fields of a row that are long, as a rule


def score_page(found: Explanation) -> str:
    """Returns the page of one run: its score, alignment and findings, a tab each reference."""
    return render_document(f"OTAP: {found.score.id or 'run'}", run_body(found), ["run"])


def run_body(found: Explanation, prefix: str = "") -> Markup:
    """Returns the markup of one run; needs the part ``run``.

    It is whole without its script, which only adds tabs and jumps: ``otap.start(element)`` has it
    begin on a fragment that was put into a page later.

    Args:
        found: what is shown.
        prefix: of all element ids, so that several runs have room in one page.
    """
    reports = [describe_alignment(one) for one in found.against]
    counts = share_rows([len(one.rows) for one in reports])
    return render_template(
        "run/run.html",
        found=found,
        prefix=prefix,
        doubts=list_doubts(found.score),
        uncounted=list_uncounted(found.score),
        numbers=list_numbers(found.score),
        against=[
            _describe_reference(*one, sum(counts)) for one in zip(reports, counts, strict=True)
        ],
    )


def share_rows(rows: Sequence[int]) -> list[int]:
    """Returns how many rows of each reference there is room for; the best has what others leave.

    Args:
        rows: how many each reference has, the best first.
    """
    others = [min(OF_OTHERS, count) for count in rows[1:]]
    return [min(rows[0], ROWS - sum(others)), *others]


def _describe_reference(report: AlignmentReport, count: int, of: int) -> Mapping[str, Any]:
    """All that is shown of one reference, in a page of so many rows."""
    limit = min(max(SHORTEST, CHARACTERS // (_FIELDS * max(of, 1))), LONGEST)
    reader = FieldReader(limit, min(max(FEWEST, VALUES // max(of, 1)), MOST))
    sides = report.against.run, report.against.reference
    pairs = {(one.agent, one.reference): one for one in report.against.score.alignment.pairs}
    shown = [_select_steps(one, {pair[k] for pair in pairs}) for k, one in enumerate(sides)]
    return {
        "it": report.against,
        "report": report,
        "diagram": draw_diagram(report),
        "opened": list(_open_rows(report, report.choose_rows(count), reader, pairs)),
        "pairs": pairs,
        "run": shown[0],
        "reference": shown[1],
    }


def _select_steps(side: Side, moved: set[str]) -> Sequence[Step]:
    if len(side.steps) <= WIDEST:
        return side.steps
    return [step for step in side.steps if step.id in moved][:WIDEST]


def _open_rows(
    report: AlignmentReport,
    places: Sequence[int],
    reader: FieldReader,
    pairs: Mapping[tuple[str, str], Pair],
) -> Iterator[Mapping[str, Any]]:
    """What a reader finds when they open a row: fields side by side, what its steps need."""
    score, sides = report.against.score, (report.against.run, report.against.reference)
    shares = [
        {one.id: one.contribution for one in side}
        for side in (score.alignment.agent, score.alignment.reference)
    ]
    needs = [_index_needs(side) for side in sides]
    for place in places:
        row = report.rows[place]
        whole = sum(
            share.get(step.id, 0.0)
            for share, steps in zip(shares, row.steps, strict=True)
            for step in steps
        )
        pairs_moved = (pairs.get((a.id, b.id)) for a, b in product(*row.steps))
        yield {
            "place": place,
            "row": row,
            "marks": report.marks.mark_row(row),
            "fields": [
                field
                for one, other in zip_longest(*row.steps)
                for field in reader.list_fields(one, other, row)
            ],
            "needs": [
                (k, sides[k].steps[edge.source], edge.evidence[:1])
                for k, own in enumerate((row.run, row.reference))
                for step in own
                for edge in needs[k].get(step, ())[:NEEDS]
            ],
            "share": min(1.0, whole / score.loss) if score.loss > 0 else 0.0,
            "mass": sum(pair.mass for pair in pairs_moved if pair),
        }


def _index_needs(side: Side) -> Mapping[int, list[Edge]]:
    """What each step needs; nothing where each needs the one before."""
    found: dict[int, list[Edge]] = {}
    for edge in side.graph.edges if side.graph.mechanism != "sequential" else ():
        found.setdefault(edge.target, []).append(edge)
    return found
