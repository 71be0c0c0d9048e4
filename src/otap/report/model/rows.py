"""The alignment in reading order: what the run did beside what the reference has there.

One list for all views, so that they never tell different stories.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, product
from math import inf

from otap.alignment import SEVERITIES, Change, Finding, PairDetails, Severity
from otap.report.model.words import MOVED, ORDER_KINDS, SIGNS, Relation, Sign
from otap.scoring import Against, Side
from otap.trajectory import Step

# Findings of which a step of the run without a counterpart has one; and a pair.
_ALONE: tuple[Relation, ...] = ("failed", "repeated", "invented")
_PAIRED: tuple[Relation, ...] = ("tool", "arguments")
SMALLEST = 1e-12  # a cost or a part of a loss below it is rounding
FEW_SLIGHT = 2  # steps one after the other that hardly count, and are not folded yet
Places = tuple[int, ...]
_Group = tuple[Places, Places]


def worst_first(findings: Sequence[Finding]) -> list[Finding]:
    """Returns findings, the worst first."""
    return sorted(findings, key=lambda one: SEVERITIES.index(one.severity))


@dataclass(frozen=True)
class Row:
    """What belongs together: counterparts, a union and what it stands for, or a step alone.

    Attributes:
        run: the places of the run's steps among those compared, in their order.
        reference: the same of the reference.
        relation: how they stand to each other.
        findings: those that name one of the steps, the worst first; not those of order.
        order: findings of order that name one of the steps.
        cost: what the pair costs, in [0, 1]; None for what is no pair.
        details: of the pair; of a union that of its first known pair.
        steps: the steps of the run, and those of the reference.
    """

    run: Places
    reference: Places
    relation: Relation
    findings: tuple[Finding, ...] = ()
    order: tuple[Finding, ...] = ()
    cost: float | None = None
    details: PairDetails | None = None
    steps: tuple[tuple[Step, ...], tuple[Step, ...]] = ((), ())

    @property
    def signs(self) -> list[Sign]:
        """How its sides stand to each other, and whether they are out of order."""
        return [SIGNS[self.relation], *([MOVED] if self.order else [])]

    @property
    def first_step(self) -> Step:
        """The run's first step, else the reference's."""
        return [*self.steps[0], *self.steps[1]][0]

    @property
    def is_paired(self) -> bool:
        """Whether both sides have a step."""
        return bool(self.run and self.reference)

    @property
    def all_findings(self) -> list[Finding]:
        """All that is said of it, the worst first."""
        return worst_first((*self.findings, *self.order))

    @property
    def severity(self) -> Severity | None:
        """How bad the worst of it is; None: nothing is said."""
        found = self.all_findings
        return found[0].severity if found else None

    @property
    def is_slight(self) -> bool:
        """Whether it is the same, or only something minor is said of it."""
        return self.severity in (None, SEVERITIES[-1])

    @property
    def is_dull(self) -> bool:
        """Whether it is as good as the same, or a step alone that matters little."""
        return self.is_slight and (not self.is_paired or self.relation in ("same", "close"))

    @property
    def changes(self) -> tuple[Change, ...]:
        """Which values of two counterparts differ."""
        if self.details is None or len(self.run) != 1 or len(self.reference) != 1:
            return ()
        return tuple(self.details.changes)


def list_rows(against: Against) -> list[Row]:
    """Returns the rows in the order of the run; what only the reference has comes where it should.

    That is behind the counterpart of the step that the reference has before it.
    """
    groups = sorted(_pair_steps(against))
    met = {place for _, reference in groups for place in reference}
    unmet = [((), (k,)) for k in range(len(against.reference.steps)) if k not in met]
    named = _index_findings(against)
    return [_build_row(against, named, *group) for group in _insert_unmet(groups, unmet)]


def fold_rows(rows: Sequence[Row], whole: int) -> list[Row | tuple[Row, ...]]:
    """Returns the rows, with neighbours that one need not see as a tuple in their place.

    Those are steps of the run alone that hardly count; and, among more than ``whole`` rows, all
    that are dull and beside nothing else.

    Args:
        rows: of an alignment.
        whole: how many rows are seen one by one whatever they say.
    """
    seen = [not row.is_dull for row in rows]
    kinds = []
    for k, row in enumerate(rows):
        is_far = len(rows) > whole and not any(seen[max(0, k - 1) : k + 2])
        is_light = not row.reference and row.is_slight
        kinds.append("far" if is_far else "slight" if is_light else "")
    parts: list[Row | tuple[Row, ...]] = []
    for kind, group in groupby(zip(kinds, rows, strict=True), key=lambda pair: pair[0]):
        found = tuple(row for _, row in group)
        least = {"far": 1, "slight": FEW_SLIGHT}.get(kind, inf)
        parts += [found] if len(found) > least else found
    return parts


def list_signs(rows: Iterable[Row]) -> list[Sign]:
    """Returns the signs that occur in rows, for a legend."""
    found = {sign for row in rows for sign in row.signs}
    return [sign for sign in (*SIGNS.values(), MOVED) if sign in found]


def place_steps(side: Side) -> dict[str, int]:
    """Returns the place of each step of a side, by its id."""
    return {step.id: place for place, step in enumerate(side.steps)}


def _pair_steps(against: Against) -> Iterator[_Group]:
    """Yields each union with what it stands for, and each other step of the run with its own."""
    ours, theirs = place_steps(against.run), place_steps(against.reference)
    used: set[int] = set()
    for one in against.score.findings:
        run = tuple(sorted(ours[step] for step in one.agent if one.kind in ("split", "merged")))
        if run and used.isdisjoint(run):
            yield run, tuple(sorted(theirs[step] for step in one.reference))
            used.update(run)
    counterparts = {share.id: share.counterpart for share in against.score.alignment.agent}
    for step, place in ours.items():
        if place not in used:
            other = counterparts.get(step)
            yield (place,), () if other is None else (theirs[other],)


def _insert_unmet(groups: Sequence[_Group], unmet: Sequence[_Group]) -> Iterator[_Group]:
    """Puts what only the reference has behind the row of the last step before it that has one."""
    met = sorted((reference, number) for number, (_, reference) in enumerate(groups) if reference)
    behind: dict[int, list[_Group]] = {}
    for one in unmet:
        place = bisect_left(met, (one[1], -1))
        behind.setdefault(met[place - 1][1] if place else -1, []).append(one)
    for number, group in enumerate([((), ()), *groups], start=-1):
        yield from (group,) if number >= 0 else ()
        yield from behind.get(number, ())


_Named = tuple[Mapping[str, list[int]], Mapping[str, list[int]]]


def _index_findings(against: Against) -> _Named:
    """The numbers of the findings by the steps of either side that they name."""
    named: tuple[dict[str, list[int]], dict[str, list[int]]] = {}, {}
    for number, one in enumerate(against.score.findings):
        for known, ids in zip(named, (one.agent, one.reference), strict=True):
            for step in ids:
                known.setdefault(step, []).append(number)
    return named


def _build_row(against: Against, known: _Named, run: Places, reference: Places) -> Row:
    steps = (
        tuple(against.run.steps[place] for place in run),
        tuple(against.reference.steps[place] for place in reference),
    )
    ours, theirs = ([step.id for step in side] for side in steps)
    numbers = {k for step in ours for k in known[0].get(step, ())}
    numbers |= {k for step in theirs for k in known[1].get(step, ())}
    about = [against.score.findings[number] for number in sorted(numbers)]
    order = tuple(one for one in about if one.kind in ORDER_KINDS)
    # That a step is repeated is said of the second alone.
    own = [one for one in about if one.kind != "repeated" or one.agent[-1] in ours]
    own = [one for one in own if one.kind not in ORDER_KINDS]
    pairs = [found for pair in product(ours, theirs) if (found := against.details.get(pair))]
    cost = max((one.cost for one in pairs), default=None)
    relation = _relate_steps(own, run, reference, cost)
    details = pairs[0] if pairs else None
    return Row(run, reference, relation, tuple(own), order, cost, details, steps)


def _relate_steps(
    findings: Sequence[Finding], run: Places, reference: Places, cost: float | None
) -> Relation:
    kinds = {one.kind for one in findings}
    if not run:
        return "missing"
    if not reference:
        return next((one for one in _ALONE if one in kinds), "invented")
    if len(reference) > 1:
        return "merged"
    if len(run) > 1:
        return "split"
    same: Relation = "same" if cost is not None and cost <= SMALLEST else "close"
    return next((one for one in _PAIRED if one in kinds), same)
