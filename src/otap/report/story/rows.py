"""The alignment in reading order: what the run did beside what the reference has there.

One list for the terminal, Markdown and pages, so that they never tell different stories.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
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
_ANOTHER: tuple[Relation, ...] = ("tool", "arguments")
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
    said = _Said(against)
    groups = list(_unions(against, said))
    together = {place for run, _ in groups for place in run}
    groups += _single(against, said, together)
    met = {place for _, reference in groups for place in reference}
    unmet = [((), (place,)) for place in range(len(said.theirs)) if place not in met]
    return [said.row(run, reference) for run, reference in _placed(sorted(groups), unmet)]


def differing(against: Against, row: Row) -> list[str]:
    """Returns which values of a row are others than the reference's, a sentence's part each."""
    if len(row.run) != 1 or len(row.reference) != 1:
        return []
    pair = against.run.steps[row.run[0]].id, against.reference.steps[row.reference[0]].id
    found = against.details.get(pair)
    return [] if found is None else [str(change) for change in found.changes]


Places = tuple[int, ...]
_Group = tuple[Places, Places]


class _Said:
    """What a score says of steps and of pairs, found by their ids."""

    def __init__(self, against: Against) -> None:
        self.ours = {step.id: place for place, step in enumerate(against.run.steps)}
        self.theirs = {step.id: place for place, step in enumerate(against.reference.steps)}
        self._steps = against.run.steps, against.reference.steps
        self._details = against.details
        self._findings = against.score.findings
        self._of_run: dict[str, list[int]] = {}
        self._of_reference: dict[str, list[int]] = {}
        for number, one in enumerate(self._findings):
            for known, ids in ((self._of_run, one.agent), (self._of_reference, one.reference)):
                for step in ids:
                    known.setdefault(step, []).append(number)

    def row(self, run: Places, reference: Places) -> Row:
        """Returns the row of some steps of both sides."""
        named = {self._steps[0][place].id for place in run}
        wanted = {self._steps[1][place].id for place in reference}
        about = self._about(named, wanted)
        order = tuple(one for one in about if one.kind in _ORDER)
        own = tuple(one for one in about if one.kind not in _ORDER and _is_of(one, named, wanted))
        cost = self._cost(named, wanted)
        return Row(run, reference, _relation(own, run, reference, cost), own, order, cost)

    def _about(self, named: set[str], wanted: set[str]) -> list[Finding]:
        """The findings that name one of some steps, in their order."""
        found = {number for step in named for number in self._of_run.get(step, ())}
        found |= {number for step in wanted for number in self._of_reference.get(step, ())}
        return [self._findings[number] for number in sorted(found)]

    def _cost(self, named: set[str], wanted: set[str]) -> float | None:
        """The cost of the pair; of a union that of its dearest pair."""
        known = map(self._details.get, product(named, wanted))
        return max((one.cost for one in known if one is not None), default=None)


def _unions(against: Against, said: _Said) -> Iterator[_Group]:
    """Each union of steps, with what it stands for; a step of the run is in one alone."""
    used: set[int] = set()
    for one in against.score.findings:
        if one.kind in ("split", "merged"):
            run = tuple(sorted(said.ours[step] for step in one.agent))
            if not used & {*run}:
                yield run, tuple(sorted(said.theirs[step] for step in one.reference))
                used |= {*run}


def _single(against: Against, said: _Said, together: set[int]) -> Iterator[_Group]:
    """Each other step of the run, with its counterpart if it has one."""
    shares = {share.id: share.counterpart for share in against.score.alignment.agent}
    for step, place in said.ours.items():
        if place not in together:
            other = shares.get(step)
            yield (place,), () if other is None else (said.theirs[other],)


def _placed(groups: Sequence[_Group], unmet: Sequence[_Group]) -> list[_Group]:
    """Puts what only the reference has behind the row of the last step before it that has one."""
    met = sorted((reference, number) for number, (_, reference) in enumerate(groups) if reference)
    behind: dict[int, list[_Group]] = {}
    for one in unmet:
        place = bisect_left(met, (one[1], -1))
        behind.setdefault(met[place - 1][1] if place else -1, []).append(one)
    placed = list(behind.get(-1, ()))
    for number, group in enumerate(groups):
        placed += [group, *behind.get(number, ())]
    return placed


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
        return _first(_LEFT_OVER, kinds) or "invented"
    if len(reference) > 1:
        return "merged"
    if len(run) > 1:
        return "split"
    same: Relation = "same" if cost is not None and cost <= _NOTHING else "close"
    return _first(_ANOTHER, kinds) or same


def _first(relations: Sequence[Relation], kinds: set[str]) -> Relation | None:
    return next((one for one in relations if one in kinds), None)
