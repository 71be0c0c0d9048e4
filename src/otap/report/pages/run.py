"""One run beside its references: what a reader sees first, and everything that they can open."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product, zip_longest
from typing import NamedTuple

from markupsafe import Markup

from otap.dependencies import Evidence
from otap.report.model.rows import Row
from otap.report.model.score import (
    AlignmentReport,
    describe_alignment,
    list_doubts,
    list_numbers,
    list_uncounted,
    word_closeness,
)
from otap.report.pages.diagram import draw_diagram
from otap.report.pages.document import render_document, render_template
from otap.report.pages.fields import Field, FieldReader
from otap.scoring import Against, Explanation, Side
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


class Need(NamedTuple):
    """A step that another one needs, and the value that proves it, if it is known."""

    of: str
    step: Step
    evidence: Evidence | None


class OpenedRow(NamedTuple):
    """A row with what a reader finds when they open it.

    Attributes:
        place: among all rows.
        row: what belongs together.
        run: the run's steps, each with the values that tell it from others.
        reference: the reference's.
        fields: what the steps say, side by side.
        needs: the steps that they need.
        share: the share of the loss that the steps account for.
        mass: what the pair moves.
    """

    place: int
    row: Row
    run: Sequence[tuple[Step, str]]
    reference: Sequence[tuple[Step, str]]
    fields: Sequence[Field]
    needs: Sequence[Need]
    share: float
    mass: float


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
        closeness=word_closeness(found.score),
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


def _describe_reference(report: AlignmentReport, count: int, of: int) -> Mapping[str, object]:
    """All that is shown of one reference, in a page of so many rows."""
    limit = min(max(SHORTEST, CHARACTERS // (_FIELDS * max(of, 1))), LONGEST)
    reader = FieldReader(limit, min(max(FEWEST, VALUES // max(of, 1)), MOST))
    places = choose_rows(report.rows, count)
    against = report.against
    pairs = {(pair.agent, pair.reference): pair for pair in against.score.alignment.pairs}
    sides = [
        _select_steps(side, {pair[k] for pair in pairs})
        for k, side in enumerate(_list_sides(against))
    ]
    return {
        "it": against,
        "report": report,
        "diagram": draw_diagram(report),
        "opened": list(_open_rows(report, places, reader)),
        "rest": len(report.rows) - len(places),
        "pairs": pairs,
        "run": sides[0],
        "reference": sides[1],
        "left_out": sum(len(side.steps) for side in _list_sides(against)) - sum(map(len, sides)),
    }


def choose_rows(rows: Sequence[Row], count: int) -> list[int]:
    """Returns the places of the rows that are shown: of too many, first what has to be said."""
    telling = sorted(range(len(rows)), key=lambda place: (rows[place].is_slight, place))
    return sorted(telling[:count])


def _list_sides(against: Against) -> tuple[Side, Side]:
    return against.run, against.reference


def _select_steps(side: Side, moved: set[str]) -> Sequence[Step]:
    if len(side.steps) <= WIDEST:
        return side.steps
    return [step for step in side.steps if step.id in moved][:WIDEST]


def _open_rows(
    report: AlignmentReport, places: Sequence[int], reader: FieldReader
) -> Iterator[OpenedRow]:
    against = report.against
    score, alignment = against.score, against.score.alignment
    mass = {(pair.agent, pair.reference): pair.mass for pair in alignment.pairs}
    shares = [
        {one.id: one.contribution for one in side}
        for side in (alignment.agent, alignment.reference)
    ]
    needs = _index_needs("run", against.run), _index_needs("reference", against.reference)
    for place in places:
        row, marks = report.rows[place], report.marks.mark_row(report.rows[place])
        run = [against.run.steps[k] for k in row.run]
        reference = [against.reference.steps[k] for k in row.reference]
        whole = sum(shares[0].get(one.id, 0.0) for one in run)
        whole += sum(shares[1].get(one.id, 0.0) for one in reference)
        needed = [need for k in row.run for need in needs[0].get(k, ())[:NEEDS]]
        needed += [need for k in row.reference for need in needs[1].get(k, ())[:NEEDS]]
        yield OpenedRow(
            place=place,
            row=row,
            run=list(zip(run, marks[0], strict=True)),
            reference=list(zip(reference, marks[1], strict=True)),
            fields=[
                field
                for one, other in zip_longest(run, reference)
                for field in reader.list_fields(one, other, row)
            ],
            needs=needed,
            share=min(1.0, whole / score.loss) if score.loss > 0 else 0.0,
            mass=sum(mass.get((a.id, b.id), 0.0) for a, b in product(run, reference)),
        )


def _index_needs(name: str, side: Side) -> Mapping[int, list[Need]]:
    """What each step needs; nothing where each needs the one before."""
    found: dict[int, list[Need]] = {}
    for edge in side.graph.edges if side.graph.mechanism != "sequential" else ():
        evidence = edge.evidence[0] if edge.evidence else None
        found.setdefault(edge.target, []).append(Need(name, side.steps[edge.source], evidence))
    return found
