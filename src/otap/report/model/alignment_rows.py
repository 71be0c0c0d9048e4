"""The alignment in reading order: the steps of the run beside those of the reference.

All views share this one list, so that they never contradict each other.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, product
from math import inf

from otap.findings import SEVERITIES, Change, Finding, Severity
from otap.report.model.vocabulary import (
    MOVED,
    ORDER_KINDS,
    RETRIED,
    SIGNS,
    UNLINKED,
    UNSIGNED,
    Relation,
    Sign,
    word_kind,
)
from otap.scoring import Against
from otap.scoring.alignment import PairDetails
from otap.trajectory import Step

# The kinds of findings about a step of the run without a counterpart, and about a pair.
_ALONE: tuple[Relation, ...] = ("failed", "repeated", "invented")
_PAIRED: tuple[Relation, ...] = ("tool", "arguments")
SMALLEST = 1e-12  # a cost or a part of a loss below it is rounding
FEW_SLIGHT = 2  # consecutive steps of little weight that are not folded yet
StepIndices = tuple[int, ...]
_Group = tuple[StepIndices, StepIndices]


def worst_first(findings: Sequence[Finding]) -> list[Finding]:
    """Returns findings, the worst first."""
    return sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))


@dataclass(frozen=True)
class Row:
    """Steps that belong together: counterparts, merged steps and theirs, or a single step.

    Attributes:
        run: the indices of the run's steps among those compared, in their order.
        reference: the indices of the reference's steps.
        relation: the relation of the two sides.
        findings: the findings that name one of the steps, the worst first; not those of order.
        order: the findings that say that the step of the run ran out of order.
        links: the findings that say that it lost a dependency, though it ran in order.
        cost: the node cost of the pair, in [0, 1]; None for a single step.
        details: of the pair; for a merged step, those of its first known pair.
        steps: the steps of the run, and those of the reference.
        is_failed_attempt: whether the step failed, and another step of the run made up for it.
    """

    run: StepIndices
    reference: StepIndices
    relation: Relation
    findings: tuple[Finding, ...] = ()
    order: tuple[Finding, ...] = ()
    links: tuple[Finding, ...] = ()
    cost: float | None = None
    details: PairDetails | None = None
    steps: tuple[tuple[Step, ...], tuple[Step, ...]] = ((), ())
    is_failed_attempt: bool = False

    @property
    def signs(self) -> list[Sign]:
        """The sign of the relation, and whether the row is out of order or lost a dependency."""
        signs = [RETRIED if self.is_failed_attempt else SIGNS[self.relation]]
        if self.order:
            signs.append(MOVED)
        if self.links:
            signs.append(UNLINKED)
        return signs

    @property
    def words(self) -> list[str]:
        """The words of its signs, or else of its findings without one; empty if it is the same."""
        words = [sign.word for sign in self.signs if sign is not SIGNS["same"]]
        if words:
            return words
        for finding in self.findings:
            if finding.kind in UNSIGNED:
                about = "order " if finding.kind == "unproven" and len(finding.agent) > 1 else ""
                words.append(f"{about}{word_kind(finding.kind)}")
        return list(dict.fromkeys(words))

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
        """All its findings, the worst first."""
        return worst_first((*self.findings, *self.order, *self.links))

    @property
    def severity(self) -> Severity | None:
        """The severity of its worst finding; None without findings."""
        findings = self.all_findings
        return findings[0].severity if findings else None

    @property
    def is_slight(self) -> bool:
        """Whether it has no finding, or only minor ones."""
        return self.severity in (None, SEVERITIES[-1])

    @property
    def is_dull(self) -> bool:
        """Whether it is practically the same, or a single step that matters little."""
        is_same = self.relation in ("same", "close") and not self.changes
        return self.is_slight and (not self.is_paired or is_same)

    @property
    def changes(self) -> tuple[Change, ...]:
        """The values that differ between two counterparts."""
        if self.details is None or len(self.run) != 1 or len(self.reference) != 1:
            return ()
        return tuple(self.details.changes)


def list_rows(against: Against) -> list[Row]:
    """Returns the rows in the order of the run.

    A step that only the reference has follows the counterpart of the reference's previous step.
    """
    groups = sorted(_pair_steps(against))
    matched = {index for _, reference in groups for index in reference}
    unmatched = [((), (k,)) for k in range(len(against.reference.steps)) if k not in matched]
    indexed = _index_findings(against)
    return [_build_row(against, indexed, *group) for group in _insert_unmatched(groups, unmatched)]


def fold_rows(rows: Sequence[Row], unfolded: int) -> list[Row | tuple[Row, ...]]:
    """Returns the rows; neighbours that a reader can skip are folded into a tuple.

    These are consecutive extra steps of little weight. Above ``unfolded`` rows, they are also all
    dull rows whose neighbours are dull.

    Args:
        rows: the rows of an alignment.
        unfolded: the number of rows up to which dull rows are not folded.
    """
    is_notable = [not row.is_dull for row in rows]
    kinds = []
    for k, row in enumerate(rows):
        is_far = len(rows) > unfolded and not any(is_notable[max(0, k - 1) : k + 2])
        is_light = not row.reference and row.is_slight
        kinds.append("far" if is_far else "slight" if is_light else "")
    parts: list[Row | tuple[Row, ...]] = []
    for kind, group in groupby(zip(kinds, rows, strict=True), key=lambda pair: pair[0]):
        neighbours = tuple(row for _, row in group)
        least = {"far": 1, "slight": FEW_SLIGHT}.get(kind, inf)
        parts += [neighbours] if len(neighbours) > least else neighbours
    return parts


def list_signs(rows: Iterable[Row]) -> list[Sign]:
    """Returns the signs that occur in rows, for a legend."""
    used = {sign for row in rows for sign in row.signs}
    return [sign for sign in (*SIGNS.values(), RETRIED, MOVED, UNLINKED) if sign in used]


def _pair_steps(against: Against) -> Iterator[_Group]:
    """Yields each merged step with its counterpart, and each other step of the run with its own."""
    run_places, reference_places = against.run.step_indices, against.reference.step_indices
    used: set[int] = set()
    for finding in against.score.findings:
        if finding.kind not in ("split", "merged"):
            continue
        run = tuple(sorted(run_places[step] for step in finding.agent))
        if run and used.isdisjoint(run):
            yield run, tuple(sorted(reference_places[step] for step in finding.reference))
            used.update(run)
    counterparts = {share.id: share.counterpart for share in against.score.alignment.agent}
    for step, index in run_places.items():
        if index not in used:
            counterpart = counterparts.get(step)
            yield (index,), () if counterpart is None else (reference_places[counterpart],)


def _insert_unmatched(groups: Sequence[_Group], unmatched: Sequence[_Group]) -> Iterator[_Group]:
    """Inserts each step of the reference alone after the row of the last matched step before it."""
    matched = sorted(
        (reference, number) for number, (_, reference) in enumerate(groups) if reference
    )
    following: dict[int, list[_Group]] = {}
    for group in unmatched:
        position = bisect_left(matched, (group[1], -1))
        number = matched[position - 1][1] if position else -1
        following.setdefault(number, []).append(group)
    yield from following.get(-1, ())
    for number, group in enumerate(groups):
        yield group
        yield from following.get(number, ())


_Indexed = tuple[Mapping[str, list[int]], Mapping[str, list[int]]]


def _index_findings(against: Against) -> _Indexed:
    """The numbers of the findings by the steps of either side that they name."""
    by_step: tuple[dict[str, list[int]], dict[str, list[int]]] = {}, {}
    for number, finding in enumerate(against.score.findings):
        for numbers, ids in zip(by_step, (finding.agent, finding.reference), strict=True):
            for step in ids:
                numbers.setdefault(step, []).append(number)
    return by_step


def _build_row(
    against: Against, indexed: _Indexed, run: StepIndices, reference: StepIndices
) -> Row:
    steps = (
        tuple(against.run.steps[index] for index in run),
        tuple(against.reference.steps[index] for index in reference),
    )
    run_ids, reference_ids = ([step.id for step in side] for side in steps)
    numbers = {k for step in run_ids for k in indexed[0].get(step, ())}
    numbers |= {k for step in reference_ids for k in indexed[1].get(step, ())}
    findings = [against.score.findings[number] for number in sorted(numbers)]
    of_order = [finding for finding in findings if finding.kind in ORDER_KINDS]
    order = tuple(finding for finding in of_order if _has_moved(against, finding))
    # A lost dependency is about the later step: the last that the finding names.
    broken = [finding for finding in of_order if finding not in order]
    links = tuple(finding for finding in broken if finding.agent[-1] in run_ids)
    # A repetition is about the second step alone.
    of_values = tuple(
        finding
        for finding in findings
        if finding.kind not in ORDER_KINDS
        and (finding.kind != "repeated" or finding.agent[-1] in run_ids)
    )
    pairs = [
        against.details[pair] for pair in product(run_ids, reference_ids) if pair in against.details
    ]
    cost = max((pair.cost for pair in pairs), default=None)
    details = pairs[0] if pairs else None
    relation = _relate_steps(of_values, run, reference, cost, details)
    is_failed_attempt = relation == "repeated" and all(against.run.failed[k] for k in run)
    return Row(
        run, reference, relation, of_values, order, links, cost, details, steps, is_failed_attempt
    )


def _has_moved(against: Against, finding: Finding) -> bool:
    """Whether the two steps of a finding of order ran the other way round, or in the same turn."""
    run = [against.run.step_indices[step] for step in finding.agent]
    turns = {against.run.steps[index].turn for index in run}
    if len(turns) == 1 and None not in turns:
        return True
    if finding.kind == "broken":
        return False
    reference = [against.reference.step_indices[step] for step in finding.reference]
    if min(len(run), len(reference)) < 2:
        return True
    return (run[0] < run[-1]) != (reference[0] < reference[-1])


def _relate_steps(
    findings: Sequence[Finding],
    run: StepIndices,
    reference: StepIndices,
    cost: float | None,
    details: PairDetails | None,
) -> Relation:
    kinds = {finding.kind for finding in findings}
    if not run:
        return "missing"
    if not reference:
        return next((relation for relation in _ALONE if relation in kinds), "invented")
    if len(reference) > 1:
        return "merged"
    if len(run) > 1:
        return "split"
    same: Relation = "same" if cost is not None and cost <= SMALLEST else "close"
    relation = next((relation for relation in _PAIRED if relation in kinds), same)
    # Other words have one sign, whether the step writes, which makes them a finding, or not.
    if relation == "arguments" and details and all(c.is_reworded for c in details.changes):
        return "close" if details.changes else relation
    return relation
