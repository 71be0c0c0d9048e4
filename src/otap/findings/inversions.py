"""Changes in an order that no reference has.

inverted: an inverted pair [Kendall1938] of counterparts: the run has them in another order than the
    reference, no dependency of the reference orders them, and nothing shows that their order is
    free. It costs nothing and has no share.

    Of two changes, the contents decide (:mod:`otap.run.precedence`): critical if the reference
    moves money or destroys something, and the run reports that or closes the case before; major if
    the order matters otherwise; minor if nothing decides. Such a finding names the settings that
    decide. A change that ran before a step whose result has a value that it used is critical if
    that step changes something too, and major if it only looks. A read and a change of one object
    are minor. A call that failed counts as the missing step that it was aimed at: if nothing else
    decides, its failure shows that the order matters.

    The order is free if another reference has it, if the reference records all dependencies, if
    the settings say so, or if the contents do.
"""

import json
from collections.abc import Iterable, Iterator
from itertools import pairwise, product

import numpy as np

from otap.errors import shown
from otap.findings.context import FindingContext
from otap.findings.finding import (
    READS,
    THINKS,
    WRITES,
    Deviation,
    Severity,
    list_ids,
    name_steps,
)
from otap.run import can_change, conflicting
from otap.run.change_facts import ChangeFacts
from otap.run.precedence import Judgement, find_worst, judge_check, judge_order
from otap.run.roles import names_change

MAX_JUDGED = 2_000  # inverted pairs whose contents are read, the nearest in the reference first
MAX_REPORTED = 30  # inverted pairs that are reported
_SEVERITY: dict[str, Severity] = {"vital": "critical", "matters": "major", "open": "minor"}
NodePair = tuple[int, int]  # a node of the run and its counterpart in the reference


def find_inverted_pairs(
    context: FindingContext, order_findings: Iterable[Deviation]
) -> Iterator[Deviation]:
    """Yields the inverted pairs, each once.

    Args:
        context: of the comparison.
        order_findings: the findings of lost edges, whose steps are not reported again if nothing
            decides about their order.
    """
    # A plan states which order matters, and so does a record of all dependencies.
    if context.plan_constraints.is_plan or not _has_inversion(context):
        return
    if context.reference.graph.mechanism != "explicit" and context.recognises:
        yield from _InvertedChanges(context, order_findings).report()
    yield from _find_late_reads(context)


def _has_inversion(context: FindingContext) -> bool:
    """Whether any two counterparts ran in another order, whatever they name."""
    pairs = [*context.reference_of.items(), *_list_failed_aims(context)]
    if len(pairs) < 2:
        return False
    i, j = np.transpose(pairs)
    run_turns, reference_turns = context.run.turns[i], context.reference.turns[j]
    in_order = run_turns[np.lexsort((run_turns, reference_turns))]
    has_merged = len(context.run.parts) < len(context.run.side_steps)
    has_merged |= len(context.reference.parts) < len(context.reference.side_steps)
    return has_merged or bool((in_order[1:] < in_order[:-1]).any())


class _InvertedChanges:
    """The inverted pairs of changes of one comparison.

    Args:
        context: of the comparison.
        order_findings: the findings of lost edges.
    """

    def __init__(self, context: FindingContext, order_findings: Iterable[Deviation]) -> None:
        self.context = context
        self._order_findings = [frozenset(finding.agent) for finding in order_findings]
        self._lost_steps = frozenset[str]().union(*self._order_findings)
        self._named_steps = set(self._lost_steps)
        repeat_targets = set(context.repeats.values())
        pairs = [
            (i, j)
            for i, j in context.reference_of.items()
            if i not in repeat_targets and not context.run.failed[i]
        ]
        pairs += _list_failed_aims(context)
        pairs.sort(key=lambda pair: (context.turn_bounds[1][pair[1], 0], pair[1]))
        self._pairs = pairs
        self._writes = [pair for pair in pairs if self._has_role(pair, WRITES)]
        # Some calls change nothing and prepare a change: they set a directory, check or wait.
        looks = [pair for pair in pairs if self._is_look(pair)]
        sets_context = any(
            facts.sets_context
            for _, j in (*self._writes, *looks)
            for facts in self.context.read_changes(j)
        )
        preparing = {
            pair
            for pair in looks
            if sets_context
            or any(facts.waits or facts.checks for facts in self.context.read_changes(pair[1]))
        }
        writes = set(self._writes)
        self._ordered = [pair for pair in pairs if pair in writes or pair in preparing]

    def _has_role(self, pair: NodePair, role: str) -> bool:
        i, j = pair
        return self.context.run.roles[i] == self.context.reference.roles[j] == role

    def _is_look(self, pair: NodePair) -> bool:
        return self._has_role(pair, READS) or self._has_role(pair, THINKS)

    def report(self) -> Iterator[Deviation]:
        """Yields the findings, those whose order matters first."""
        reported, undecided = list[Deviation](), list[tuple[NodePair, NodePair]]()
        after: dict[NodePair, set[NodePair]] = {}
        before: dict[NodePair, set[NodePair]] = {}
        for first, second in self._list_candidates():
            judgement = self._judge(first, second)
            if judgement.weight != "vital" and self._is_named(first, second):
                continue
            if judgement.weight == "open" and WRITES in (
                self.context.run.roles[first[0]],
                self.context.run.roles[second[0]],
            ):
                undecided.append((first, second))
            if judgement.weight in ("free", "open"):
                continue
            is_implied = not after.get(first, set()).isdisjoint(before.get(second, ()))
            if is_implied and judgement.weight != "vital":
                continue
            after.setdefault(first, set()).add(second)
            before.setdefault(second, set()).add(first)
            reported.append(self._report_pair(first, second, judgement))
        self._named_steps.update(step for finding in reported for step in finding.agent)
        for first, second in undecided:
            finding = self._report_pair(first, second, Judgement("open"))
            if self._named_steps.isdisjoint(finding.agent):
                self._named_steps.update(finding.agent)
                reported.append(finding)
        yield from reported[:MAX_REPORTED]

    def _list_candidates(self) -> Iterator[tuple[NodePair, NodePair]]:
        """Yields the inverted pairs that no dependency of the reference orders."""
        yield from self._list_flows()
        count = 0
        for first, second in _list_inverted(self.context, self._ordered):
            if not self._is_decided(first, second):
                count += 1
                yield first, second
                if count >= MAX_JUDGED:
                    return

    def _list_flows(self) -> Iterator[tuple[NodePair, NodePair]]:
        """Yields look-ups whose values an earlier change of the run used, with that change."""
        reads = {i: j for i, j in self._pairs if self._has_role((i, j), READS)}
        if not reads:
            return
        for k, m in self._writes:
            for i in self.context.list_later_sources(k):
                if i in reads and self.context.comes_before(1, reads[i], m):
                    pair = (i, reads[i]), (k, m)
                    if not self._is_decided(*pair):
                        yield pair

    def _is_decided(self, first: NodePair, second: NodePair) -> bool:
        """Whether a dependency, the settings or another reference decide about a pair."""
        (i, j), (k, m) = first, second
        problem, context = self.context.problem, self.context
        if problem.order_scored and problem.arrays.D_r[j, m] != 0:
            ids = {*context.run.ids[i], *context.run.ids[k]}
            is_reported = any(ids <= finding_ids for finding_ids in self._order_findings)
            return is_reported or not self._has_role(first, WRITES)
        return context.is_free_order(k, i)

    def _is_named(self, first: NodePair, second: NodePair) -> bool:
        """Whether the reference orders a pair, and a lost edge names one of its steps."""
        (i, j), (k, m) = first, second
        ids = {*self.context.run.ids[i], *self.context.run.ids[k]}
        is_ordered = self.context.problem.order_scored and self.context.problem.arrays.D_r[j, m]
        return bool(is_ordered) and not ids.isdisjoint(self._lost_steps)

    def _judge(self, first: NodePair, second: NodePair) -> Judgement:
        """The judgement of an inverted pair, by values that flow and by the contents."""
        (i, j), (k, m) = first, second
        context = self.context
        if i in context.list_later_sources(k):
            tools = [name_steps(context.list_run_steps(node)) for node in (k, i)]
            reason = f"{tools[0]} used a value that {tools[1]} shows"
            return Judgement("vital" if self._has_role(first, WRITES) else "matters", reason)
        if context.problem.order_scored and context.problem.arrays.D_r[j, m] != 0:
            judgement = context.judge_order(j, m)
            reason = "the second depends on the first there"
            return judgement if judgement.weight == "vital" else Judgement("matters", reason)
        is_look = self._is_look(first), self._is_look(second)
        judgements = [
            _judge_look(*facts, *is_look) if any(is_look) else judge_order(*facts)
            for facts in product(context.read_changes(j), context.read_changes(m))
        ]
        worst = find_worst(judgements)
        if worst.weight == "open" and (context.run.failed[i] or context.run.failed[k]):
            tool = name_steps(context.list_run_steps(i if context.run.failed[i] else k))
            return Judgement("matters", f"{tool} failed here")
        if worst.weight == "open" and k in context.list_sources(i):
            tool = name_steps(context.list_run_steps(i))
            return Judgement("matters", f"{tool} uses a result of the other here")
        return self._weigh_effects(first, second, worst)

    def _weigh_effects(self, first: NodePair, second: NodePair, judgement: Judgement) -> Judgement:
        """The judgement, unless both calls show that they made other objects of the shared one."""
        j, m = first[1], second[1]
        is_single = {first, second} <= set(self.context.counterparts)
        if judgement.weight not in ("matters", "vital") or not is_single:
            return judgement
        context, steps = self.context, self.context.reference_steps
        shared = conflicting(
            steps[j], steps[m], context.list_objects(1, j), context.list_objects(1, m)
        )
        if not shared or names_change(steps[j].tool or "") or names_change(steps[m].tool or ""):
            return judgement
        changing = [pair for pair in (first, second) if _can_both_change(context, pair, shared[0])]
        return judgement if changing else Judgement("free")

    def _report_pair(self, first: NodePair, second: NodePair, judgement: Judgement) -> Deviation:
        (i, j), (k, m) = first, second
        context = self.context
        earlier, later = context.list_run_steps(k), context.list_run_steps(i)
        references = context.reference.of(j), context.reference.of(m)
        order = f"{name_steps(earlier)} ran before {name_steps(later)}; in the reference "
        order += f"{name_steps(references[0])} comes before {name_steps(references[1])}"
        if judgement.weight == "open":
            tools = [steps[0].tool or "" for steps in references]
            reason = f". Nothing shows whether their order matters: {_name_settings(*tools)}"
        else:
            reason = f", and {judgement.reason}"
        return Deviation(
            kind="inverted",
            severity=_SEVERITY[judgement.weight],
            agent=list_ids(later, earlier),
            reference=list_ids(*references),
            share=None,
            sentence=f"{order}{reason}",
        )


def _can_both_change(context: FindingContext, pair: NodePair, name: str) -> bool:
    """Whether both steps of a pair, which write, can be seen to change an object."""
    return all(can_change(context.get_values(side, pair[side]), name) for side in (0, 1))


def _judge_look(
    earlier: ChangeFacts, later: ChangeFacts, earlier_looks: bool, later_looks: bool
) -> Judgement:
    """The judgement of two calls of which at least one changes nothing.

    A look-up in another state can be made again, so that its order is open.
    """
    sides = (earlier, earlier_looks), (later, later_looks)
    if any(facts.sets_context or facts.waits for facts, _ in sides):
        judgement = judge_order(earlier, later)
        is_plain = any(looks and not (facts.sets_context or facts.waits) for facts, looks in sides)
        return Judgement("open") if is_plain and judgement.weight != "free" else judgement
    return judge_check(earlier, later) if earlier.checks else Judgement("free")


def _list_failed_aims(context: FindingContext) -> list[NodePair]:
    """The calls that failed, each with the missing step of the reference that it was aimed at."""
    aims: dict[int, int] = {}
    for i in context.given_up:
        missing = [j for j in context.list_aims(i) if j in context.unmet]
        for j in missing[:1]:
            aims.setdefault(j, i)
    return [(i, j) for j, i in aims.items()]


def _name_settings(tool: str, other_tool: str) -> str:
    """The settings that decide about the order of two tools, as a sentence names them."""
    names = [shown(name, 60) for name in dict.fromkeys((tool, other_tool))]
    chain = json.dumps([names], ensure_ascii=False)
    if len(names) == 1:
        return f"`order_free = {chain}` allows any order"
    return f"`order = {chain}` requires this order, `order_free = {chain}` allows any"


def _list_inverted(
    context: FindingContext, pairs: list[NodePair]
) -> Iterator[tuple[NodePair, NodePair]]:
    """Yields the pairs that ran in another order, those nearest in the reference first.

    Args:
        context: of the comparison.
        pairs: counterparts in the order of the reference.
    """
    if len(pairs) < 2:
        return
    bounds = [context.turn_bounds[side][[pair[side] for pair in pairs]] for side in (0, 1)]
    for distance in range(1, len(pairs)):
        run, reference = ((side[:-distance], side[distance:]) for side in bounds)
        is_inverted = (run[1][:, 1] < run[0][:, 0]) & (reference[0][:, 1] < reference[1][:, 0])
        for start in np.flatnonzero(is_inverted).tolist():
            yield pairs[start], pairs[start + distance]


def _find_late_reads(context: FindingContext) -> Iterator[Deviation]:
    """Yields the reads and changes of one object that ran in another order.

    Only neighbours among the steps that name an object are compared.
    """
    if not _has_late_read(context):
        return
    run_turns, reference_turns = context.run.turns.tolist(), context.reference.turns.tolist()
    parts, reported = context.reference.parts, set[tuple[NodePair, NodePair]]()
    for pairs in _group_by_object(context).values():
        pairs.sort(key=lambda pair: parts[pair[1]][0])
        for first, second in pairwise(pairs):
            (i, j), (k, m) = first, second
            is_inverted = run_turns[k] < run_turns[i] and reference_turns[j] < reference_turns[m]
            if is_inverted and (first, second) not in reported:
                reported.add((first, second))
                yield from _report_late_read(context, first, second)


def _has_late_read(context: FindingContext) -> bool:
    """Whether any change and another step ran in another order, whatever they name."""
    pairs = [*context.reference_of.items()]
    if not pairs:
        return False
    i, j = np.transpose(pairs)
    writes = context.run.writes[i] & context.reference.writes[j]
    run, reference = (
        np.sign(np.subtract.outer(turns[writes], turns[~writes]))
        for turns in (context.run.turns[i], context.reference.turns[j])
    )
    return bool((run * reference < 0).any())


def _group_by_object(context: FindingContext) -> dict[str, list[NodePair]]:
    """The counterparts that name each object on both sides, without those done again."""
    pairs_by_object: dict[str, list[NodePair]] = {}
    repeat_targets = set(context.repeats.values())
    for i, j in context.counterparts:
        if i not in repeat_targets:
            reference_objects = context.list_objects(1, j).paths
            for object_id in context.list_objects(0, i).paths:
                if object_id in reference_objects:
                    pairs_by_object.setdefault(object_id, []).append((i, j))
    return pairs_by_object


def _report_late_read(
    context: FindingContext, first: NodePair, second: NodePair
) -> Iterator[Deviation]:
    (i, j), (k, m) = first, second
    problem = context.problem
    # If the reference has a path between the two, another finding reports its loss.
    if problem.order_scored and problem.arrays.D_r[j, m] != 0:
        return
    roles = [{context.run.roles[i], context.reference.roles[j]} for i, j in (first, second)]
    writing = [
        pair for pair, names in zip((first, second), roles, strict=True) if names == {WRITES}
    ]
    if len(writing) != 1 or THINKS in set.union(*roles) or context.is_free_order(k, i):
        return
    steps = context.reference_steps
    shared = conflicting(steps[j], steps[m], context.list_objects(1, j), context.list_objects(1, m))
    if not shared or not _can_both_change(context, writing[0], shared[0]):
        return
    earlier, later = context.list_run_steps(k), context.list_run_steps(i)
    yield Deviation(
        kind="inverted",
        severity="minor",
        agent=list_ids(later, earlier),
        reference=list_ids(context.reference.of(j), context.reference.of(m)),
        share=None,
        sentence=f"{name_steps(earlier)} ran before {name_steps(later)}, and both name "
        f"{context.name_object(shared[0])}; in the reference they ran the other way round",
    )
