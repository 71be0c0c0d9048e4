"""The alignment in reading order: what the run did beside what the reference has there.

One list for the terminal, Markdown and pages, so that they never tell different stories.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal, get_args

from otap.alignment import SEVERITIES, Finding
from otap.scoring import Against

Relation = Literal[
    "same", "close", "arguments", "tool", "split", "merged", "missing", "invented", "repeated",
    "failed",
]  # fmt: skip
RELATIONS: tuple[Relation, ...] = get_args(Relation)
# Findings of which a step of the run without a counterpart has one.
_LEFT_OVER: tuple[Relation, ...] = ("failed", "repeated", "invented")
_ORDER = ("reversed", "broken", "inverted")
_NOTHING = 1e-12  # a cost below it is rounding


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
    """

    run: tuple[int, ...]
    reference: tuple[int, ...]
    relation: Relation
    findings: tuple[Finding, ...] = ()
    order: tuple[Finding, ...] = ()
    cost: float | None = None

    @property
    def is_slight(self) -> bool:
        """Whether it is the same, or only something minor is said of it."""
        bad = [one for one in (*self.findings, *self.order) if one.severity != SEVERITIES[-1]]
        return not bad

    @property
    def is_dull(self) -> bool:
        """Whether it is as good as the same, or a step alone that matters little."""
        paired = self.run and self.reference and self.relation not in ("same", "close")
        return self.is_slight and not paired


def rows(against: Against) -> list[Row]:
    """Returns the rows in the order of the run; what only the reference has comes where it should.

    That is behind the counterpart of the step that the reference has before it.
    """
    ours = {step.id: place for place, step in enumerate(against.run.steps)}
    theirs = {step.id: place for place, step in enumerate(against.reference.steps)}
    groups = _groups(against, ours, theirs)
    met = {place for _, reference in groups for place in reference}
    unmet = [((), (place,)) for place in range(len(theirs)) if place not in met]
    placed = _placed(sorted(groups), unmet)
    return [_row(against, run, reference) for run, reference in placed]


def differing(against: Against, row: Row) -> list[str]:
    """Returns which values of a row are others than the reference's, a sentence's part each."""
    if len(row.run) != 1 or len(row.reference) != 1:
        return []
    pair = against.run.steps[row.run[0]].id, against.reference.steps[row.reference[0]].id
    found = against.details.get(pair)
    return [] if found is None else [str(change) for change in found.changes]


Places = tuple[int, ...]
_Group = tuple[Places, Places]


def _groups(against: Against, ours: Mapping[str, int], theirs: Mapping[str, int]) -> list[_Group]:
    """The rows that have a step of the run, by the places of their steps."""
    findings = against.score.findings
    unions = [one for one in findings if one.kind in ("split", "merged")]
    groups: list[_Group] = []
    used: set[int] = set()
    for one in unions:
        run = tuple(sorted(ours[step] for step in one.agent))
        if not used & {*run}:
            groups.append((run, tuple(sorted(theirs[step] for step in one.reference))))
            used |= {*run}
    shares = {share.id: share.counterpart for share in against.score.alignment.agent}
    for step, place in ours.items():
        if place not in used:
            other = shares.get(step)
            groups.append(((place,), () if other is None else (theirs[other],)))
    return groups


def _placed(groups: Sequence[_Group], unmet: Sequence[_Group]) -> list[_Group]:
    """Puts what only the reference has behind the row of the last step before it that has one."""
    placed = list(groups)
    for one in unmet:
        before = [k for k, (_, reference) in enumerate(placed) if reference < one[1] and reference]
        at = max(before, key=lambda k: placed[k][1], default=-1) + 1
        placed.insert(at, one)
    return placed


def _row(against: Against, run: Places, reference: Places) -> Row:
    named = {against.run.steps[place].id for place in run}
    wanted = {against.reference.steps[place].id for place in reference}
    about = [
        one for one in against.score.findings if named & {*one.agent} or wanted & {*one.reference}
    ]
    order = tuple(one for one in about if one.kind in _ORDER)
    own = tuple(one for one in about if one.kind not in _ORDER and _is_of(one, named, wanted))
    cost = _cost(against, run, reference)
    return Row(run, reference, _relation(own, run, reference, cost), own, order, cost)


def _is_of(finding: Finding, named: set[str], wanted: set[str]) -> bool:
    """Whether a finding is of this row: that a step is repeated is said of the second alone."""
    if finding.kind == "repeated":
        return finding.agent[-1] in named
    return bool(named & {*finding.agent} or wanted & {*finding.reference})


def _relation(
    findings: Sequence[Finding], run: Places, reference: Places, cost: float | None
) -> Relation:
    kinds = {one.kind for one in findings}
    if not run:
        return "missing"
    if not reference:
        return next((one for one in _LEFT_OVER if one in kinds), "invented")
    if len(run) > 1 or len(reference) > 1:
        return "merged" if len(reference) > 1 else "split"
    found: Iterator[Relation] = (one for one in ("tool", "arguments") if one in kinds)
    return next(found, "same" if cost is not None and cost <= _NOTHING else "close")


def _cost(against: Against, run: Places, reference: Places) -> float | None:
    """The cost of the pair; of a union that of its dearest pair."""
    ids = (against.run.steps[place].id for place in run)
    others = [against.reference.steps[place].id for place in reference]
    known = map(against.details.get, product(ids, others))
    return max((one.cost for one in known if one is not None), default=None)
