"""Every row of an alignment with all that its steps say, side by side."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product, zip_longest
from typing import NamedTuple

from otap.alignment import SEVERITIES, Finding, PairDetails
from otap.dependencies import Evidence
from otap.report.pages.run.fields import Field, alone, apart, beside, bounded
from otap.report.pages.run.room import Room
from otap.report.story.findings import worst
from otap.report.story.rows import Row
from otap.report.story.telling import Telling
from otap.scoring import Against, Side
from otap.trajectory import Step

NEEDS = 8  # steps that one needs, of which it is said why
_WORDS_COMPARED = 20_000  # of all rows together, since comparing words is slow


class Need(NamedTuple):
    """A step that another one needs, and the value that proves it, if it is known."""

    of: str
    step: Step
    evidence: Evidence | None


class Opened(NamedTuple):
    """A row with what a reader finds when they open it.

    Attributes:
        place: among all rows.
        row: what belongs together.
        run: the run's steps.
        reference: the reference's.
        marks: the values that tell each of the run's steps, and of the reference's, from others.
        findings: all that are about it.
        severity: of the worst; None: there is none.
        fields: what the steps say, side by side.
        details: the cost of the pair by field; None for what is no pair.
        needs: the steps that they need.
        share: the share of the loss that the steps account for.
        mass: what the pair moves.
    """

    place: int
    row: Row
    run: tuple[Step, ...]
    reference: tuple[Step, ...]
    marks: tuple[Sequence[str], Sequence[str]]
    findings: tuple[Finding, ...]
    severity: str | None
    fields: tuple[Field, ...]
    details: PairDetails | None
    needs: tuple[Need, ...]
    share: float
    mass: float


class Steps(NamedTuple):
    """The rows that are there to be opened, and how many are left out."""

    opened: tuple[Opened, ...]
    rest: int


def steps(against: Against, rows: Sequence[Row], room: Room) -> Steps:
    """Returns each row with its fields; of too many rows first those with something to say.

    Args:
        against: the run and the reference.
        rows: the alignment in reading order.
        room: what there is room for.
    """
    telling = sorted(range(len(rows)), key=lambda place: (rows[place].is_slight, place))
    chosen = sorted(telling[: room.rows])
    reader = _Reader(against, room)
    opened = tuple(reader.opened(place, rows[place]) for place in chosen)
    return Steps(opened, len(rows) - len(chosen))


class _Reader:
    """Reads rows of one alignment."""

    def __init__(self, against: Against, room: Room) -> None:
        self._against, self._room = against, room
        alignment = against.score.alignment
        self._mass = {(pair.agent, pair.reference): pair.mass for pair in alignment.pairs}
        self._share = [
            {one.id: one.contribution for one in side}
            for side in (alignment.agent, alignment.reference)
        ]
        self._needs = [_needs(side) for side in (against.run, against.reference)]
        self._words = _WORDS_COMPARED
        self._telling = Telling(against)

    def opened(self, place: int, row: Row) -> Opened:
        run = tuple(self._against.run.steps[k] for k in row.run)
        reference = tuple(self._against.reference.steps[k] for k in row.reference)
        found = sorted((*row.findings, *row.order), key=lambda one: SEVERITIES.index(one.severity))
        pairs = [(one.id, other.id) for one, other in product(run, reference)]
        details = (self._against.details.get(pair) for pair in pairs)
        return Opened(
            place=place,
            row=row,
            run=run,
            reference=reference,
            marks=self._telling.row(run, reference),
            findings=tuple(found),
            severity=worst(found),
            fields=tuple(self._fields(run, reference)),
            details=next((one for one in details if one is not None), None),
            needs=tuple(self._needed(row)),
            share=self._part(run, reference),
            mass=sum(self._mass.get(pair, 0.0) for pair in pairs),
        )

    def _fields(self, run: Sequence[Step], reference: Sequence[Step]) -> Iterator[Field]:
        """What the steps say: two side by side, those of a union one after the other."""
        single, limit = len(run) == len(reference) == 1, self._room.characters
        for one, other in zip_longest(run, reference):
            if one is None or other is None:
                found = alone(one or other, limit, ours=other is None)
            else:
                found = self._compared(one, other) if single else apart(one, other, limit)
            yield from bounded(found, self._room.values)

    def _compared(self, run: Step, reference: Step) -> list[Field]:
        details = self._against.details.get((run.id, reference.id))
        found = beside(run, reference, details, self._room.characters, self._words)
        self._words -= sum(one.words for one in found)
        return found

    def _needed(self, row: Row) -> Iterator[Need]:
        sides = zip(("run", "reference"), self._needs, (row.run, row.reference), strict=True)
        for name, needs, places in sides:
            for place in places:
                for step, evidence in needs.get(place, ())[:NEEDS]:
                    yield Need(name, step, evidence)

    def _part(self, run: Sequence[Step], reference: Sequence[Step]) -> float:
        loss = self._against.score.loss
        ours, theirs = self._share
        whole = sum(ours.get(one.id, 0.0) for one in run)
        whole += sum(theirs.get(one.id, 0.0) for one in reference)
        return min(1.0, whole / loss) if loss > 0 else 0.0


def _needs(side: Side) -> Mapping[int, list[tuple[Step, Evidence | None]]]:
    found: dict[int, list[tuple[Step, Evidence | None]]] = {}
    if side.graph.mechanism == "sequential":
        return found
    for edge in side.graph.edges:
        why = edge.evidence[0] if edge.evidence else None
        found.setdefault(edge.target, []).append((side.steps[edge.source], why))
    return found
