"""The context of findings: a comparison, and its unmatched steps that repeat, split or merge."""

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from itertools import product

import numpy as np
import numpy.typing as npt
from pydantic import JsonValue

from otap._caching import cached_property
from otap._patterns import regex
from otap.alignment.comparison import MATCHED, ROUNDING, Comparison
from otap.errors import shown
from otap.findings.finding import MAX_VALUE, READS
from otap.findings.record import Record
from otap.findings.requested import LeftOut
from otap.graph import Edge, turn_ranks
from otap.run.change_facts import ChangeFacts
from otap.run.free_order import FreeOrder
from otap.run.index import FieldValues, StepValues
from otap.run.objects import NamedObjects
from otap.run.precedence import Judgement, ends_object, find_worst, judge_order
from otap.run.scalars import IDENTIFIER, specificity
from otap.trajectory import Step
from otap.transport import FORBIDDEN

# The node cost up to which a second step does the job of the first again.
REPEATED = 0.25
_NUMBER = regex(r"\d{1,12}(?:\.\d{1,12})?")
MAX_PARTS = 4  # steps of a merged step whose contents are read

Array = npt.NDArray[np.float64]
# Whether another reference has the counterpart of one step of the run before that of another one;
# both are indices of steps of the run that count.
OrderElsewhere = Callable[[int, int], bool]
# The texts that other references have in calls of one tool under one key.
TextsElsewhere = Callable[[str, str], Sequence[str]]


class FindingContext:
    """The part of one comparison that all rules of findings share.

    Args:
        comparison: the comparison.
        order_elsewhere: the order of the other references (default: there are none).
        texts_elsewhere: the texts of the other references (default: there are none).

    Attributes:
        comparison: the comparison, with its ``problem``.
        run: the nodes of the run, in the names of the reference.
        reference: the nodes of the reference.
        run_steps: each node of the run as a step.
        reference_steps: each node of the reference as a step.
        recorded: both sides as they were recorded.
        reference_of: the one-to-one counterparts, by nodes of the run.
        run_of: the same by nodes of the reference.
        full_weight_roles: the roles with full weight against the reference.
        full_weight_extra_roles: the same for extra steps of the run.
        plan_constraints: the constraints of the plan that the reference is an instance of.
        unmet: the nodes of the reference without a counterpart.
        repeats: for each node of the run without a counterpart, the node that it repeats, or the
            node that made up for its failure, or None.
        given_up: the nodes that failed, and for which no other node made up.
        parts: for a node of the reference, the unmatched nodes of the run that do part of its job.
        wholes: for a node of the run, the unmatched nodes of the reference whose job it also does.
    """

    def __init__(
        self,
        comparison: Comparison,
        order_elsewhere: OrderElsewhere | None = None,
        texts_elsewhere: TextsElsewhere | None = None,
    ) -> None:
        self.comparison = comparison
        self._order_elsewhere = order_elsewhere
        self.texts_elsewhere = texts_elsewhere
        self.problem = problem = comparison.problem
        self.run, self.reference = problem.run, problem.reference
        self.run_steps, self.reference_steps = self.run.steps, self.reference.steps
        self.recorded = problem.recorded
        self.plan_constraints = problem.recorded[1].run.plan_constraints
        self.reference_of, self.run_of = comparison.reference_of, comparison.run_of
        self.full_weight_roles = problem.recorded[1].run.full_weight
        self.full_weight_extra_roles = problem.recorded[1].run.full_weight_extra
        extra = sorted(set(range(len(self.run.parts))).difference(self.reference_of))
        self.unmet = sorted(set(range(len(self.reference.parts))).difference(self.run_of))
        self.repeats = {i: self._find_repeated(i) for i in extra}
        self.given_up: list[int] = []
        self.parts: dict[int, list[int]] = {}
        self.wholes: dict[int, list[int]] = {}
        is_plan = self.plan_constraints.is_plan  # each step of a plan is a call of its own
        for i, first in self.repeats.items():
            if first is None and self.run.failed[i]:
                self.given_up.append(i)
            elif first is None and not is_plan and (j := self._find_whole(i)) is not None:
                self.parts.setdefault(j, []).append(i)
        for j in self.unmet:
            if not is_plan and (target := self._find_merged(j)) is not None:
                self.wholes.setdefault(target, []).append(j)

    @cached_property
    def detours(self) -> Collection[int]:
        """The missing reads of the reference whose values the run had from other steps.

        Every value that a later step of the reference has from such a read was shown to the run
        before it did that step; or the run left that step out in the same way.
        """
        edges_from: dict[int, list[Edge]] = defaultdict(list)
        for edge in self.reference.graph.edges:
            # Evidence without a value proves only the order of two steps.
            if not edge.evidence or _list_flows(edge):
                edges_from[edge.source].append(edge)
        first_shown, detours = self.recorded[0].index.first_shown, set[int]()
        for j in reversed(self.reference.graph.order):
            is_missing_read = self.reference.roles[j] == READS and j not in self.run_of
            edges = edges_from[j]
            if (
                is_missing_read
                and edges
                and all(_had(self, e, first_shown, detours) for e in edges)
            ):
                detours.add(j)
        return detours

    @cached_property
    def left_out(self) -> LeftOut:
        """The requested looks and statements that the run leaves out."""
        return LeftOut(self.recorded[0].run, self.recorded[1].run)

    @cached_property
    def record(self) -> Record:
        """The values that the run shows."""
        return Record(self.recorded[0].run)

    @cached_property
    def replaced_numbers(self) -> Mapping[tuple[float, float], int]:
        """The first node whose result shows a number in place of the reference's, by both.

        A number that the call itself has is only repeated by its result.
        """
        nodes: dict[tuple[float, float], int] = {}
        for i, j in self.counterparts:
            values, recorded = self.get_values(0, i), self.get_values(1, j).effect
            if values.effect.values != recorded.values:
                texts = {leaf.path: leaf.value for leaf in values.effect.leaves if not leaf.is_part}
                for leaf in recorded.leaves:
                    if not leaf.is_part and leaf.path in texts:
                        for number, expected in _pair_numbers(texts[leaf.path], leaf.value):
                            if number not in values.arguments.text:
                                nodes.setdefault((float(number), float(expected)), i)
        return nodes

    @cached_property
    def counterparts(self) -> list[tuple[int, int]]:
        """The pairs of counterparts that are single steps, neither split nor merged."""
        pairs = []
        for i, j in sorted(self.reference_of.items()):
            is_single = len(self.run.parts[i]) == len(self.reference.parts[j]) == 1
            if is_single and i not in self.wholes and j not in self.parts:
                pairs.append((i, j))
        return pairs

    @cached_property
    def merged_pairs(self) -> Collection[tuple[int, int]]:
        """The pairs of counterparts of which one is a merged step."""
        pairs, parts, wholes = self.reference_of.items(), self.run.parts, self.reference.parts
        if len(parts) == len(self.run.side_steps) and len(wholes) == len(self.reference.side_steps):
            return ()
        return {(i, j) for i, j in pairs if len(parts[i]) + len(wholes[j]) > 2}

    def list_objects(self, side: int, node: int) -> NamedObjects:
        """Returns the objects that a single step names.

        Args:
            side: 0 for the run, 1 for the reference.
            node: a node of one step.
        """
        return self.get_values(side, node).objects

    def get_values(self, side: int, node: int) -> StepValues:
        """Returns the values of a single step.

        Args:
            side: 0 for the run, 1 for the reference.
            node: a node of one step.
        """
        nodes = (self.run, self.reference)[side]
        return self.recorded[side].index.steps[nodes.parts[node][0]]

    def list_run_steps(self, i: int) -> list[Step]:
        """Returns the steps that a node of the run consists of, as they were recorded."""
        steps = self.recorded[0].run.scored.steps
        return [steps[index] for index in sorted(self.run.parts[i])]

    def name_object(self, object_id: str) -> str:
        """Returns the name that the run has for an object that both sides name."""
        return shown(self.recorded[0].names.inverse().rename_data(object_id, "id"), MAX_VALUE)

    @property
    def recognises(self) -> bool:
        """Whether the settings recognise which steps change something."""
        return self.recorded[0].run.settings.config.recognise

    @cached_property
    def turn_bounds(self) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        """The first and the last turn of each node, (n, 2), of the run and of the reference."""
        bounds = []
        for side in (self.run, self.reference):
            ranks = turn_ranks(side.side_steps)
            of_nodes = [[ranks[k] for k in parts] for parts in side.parts]
            pairs = [(min(turns), max(turns)) for turns in of_nodes]
            bounds.append(np.array(pairs, dtype=np.intp).reshape(-1, 2))
        return bounds[0], bounds[1]

    def comes_before(self, side: int, first: int, second: int) -> bool:
        """Returns whether a node ended in an earlier turn than the one in which another began.

        Args:
            side: 0 for the run, 1 for the reference.
            first: a node.
            second: another node.
        """
        bounds = self.turn_bounds[side]
        return bool(bounds[first, 1] < bounds[second, 0])

    def read_changes(self, j: int) -> list[ChangeFacts]:
        """Returns the facts of the calls of a node of the reference, at most MAX_PARTS."""
        parts = sorted(self.reference.parts[j])[:MAX_PARTS]
        return [self.recorded[1].read_change(k) for k in parts]

    def judge_order(self, j: int, m: int) -> Judgement:
        """Returns whether the order of two changes of the reference matters, by their contents."""
        pairs = product(self.read_changes(j), self.read_changes(m))
        return find_worst(judge_order(*facts) for facts in pairs)

    def ends_object(self, j: int, m: int) -> bool:
        """Returns whether a change of the reference has to come before another in any case."""
        pairs = product(self.read_changes(j), self.read_changes(m))
        return any(ends_object(*facts) for facts in pairs)

    def is_free_order(self, first: int, second: int) -> bool:
        """Returns whether the settings or another reference allow the order of two nodes.

        Args:
            first: the node of the run that ran first.
            second: the node that ran after it.
        """
        if self._free_order.allows(self.run_steps[first].tool, self.run_steps[second].tool):
            return True
        elsewhere = self._order_elsewhere
        return elsewhere is not None and all(
            elsewhere(k, i) for k in self.run.parts[first] for i in self.run.parts[second]
        )

    @cached_property
    def _free_order(self) -> FreeOrder:
        return FreeOrder(self.recorded[0].run.settings.config.order_free)

    def list_sources(self, i: int) -> Collection[int]:
        """Returns the earlier nodes of the run whose results have an identifier that node i uses.

        Only the first result that shows a value counts, and no value that the user mentioned.
        """
        return [k for k in self._sources[i] if self.comes_before(0, k, i)]

    def list_later_sources(self, i: int) -> Collection[int]:
        """Returns the later nodes whose results first show an identifier that node i uses."""
        return [k for k in self._sources[i] if self.comes_before(0, i, k)]

    def hands_on(self, first: int, second: int) -> bool:
        """Returns whether a node of the run ran before another and shows a value that it uses.

        Other nodes may show the value too, and earlier.

        Args:
            first: a node of the run.
            second: another node.
        """
        if not self.comes_before(0, first, second):
            return False
        values, parts = self.recorded[0].index.steps, self.run.parts
        shown = {value for k in parts[first] for value in values[k].effect.values}
        used = {value for k in parts[second] for value in values[k].arguments.values}
        echoed = {value for k in parts[first] for value in values[k].arguments.values}
        return any(specificity(value) >= IDENTIFIER for value in shown & used - echoed)

    @cached_property
    def _sources(self) -> Sequence[Collection[int]]:
        """For each node of the run those whose results first show an identifier that it uses."""
        sources, parts = self.recorded[0].index.sources, self.run.parts
        node_of = {k: node for node, steps in enumerate(parts) for k in steps}
        return [{node_of[source] for k in steps for source in sources[k]} for steps in parts]

    def is_lookup(self, i: int, j: int) -> bool:
        """Returns whether a node is another look-up that shows the values of its counterpart."""
        return self.problem.share_shown(i, j) is not None

    def is_allowed(self, i: int, j: int) -> bool:
        """Returns whether mass may move between two nodes."""
        return bool(self.problem.arrays.C[i, j] < FORBIDDEN)

    def cost_of_field(self, field: str, i: int, j: int) -> float:
        """Returns the part of a pair's node cost that a field adds; 0 for a field not compared."""
        costs = self.problem.costs
        if field not in costs.distances:
            return 0.0
        return costs.weights[field] * float(costs.distances[field][i, j])

    def share_of_field(self, field: str, i: int, j: int, *, with_penalties: bool = True) -> float:
        """Returns the share of the loss that a field of a pair accounts for, in [0, 1].

        It includes the mass penalties of both steps. If no mass may move between the two, these
        penalties are the whole price of the difference.

        Args:
            field: the field that differs.
            i: the node of the run.
            j: the node of the reference.
            with_penalties: whether to include the penalties; False if another finding has them.
        """
        solution = self.comparison.solution
        loss = (1 - solution.problem.theta) * self.cost_of_field(field, i, j) * solution.T[i, j]
        if with_penalties:
            extra, missing = self.comparison.mass_penalties
            loss += extra[i] + missing[j]
        return self.share_of_loss(loss)

    def share_of_loss(self, part: float) -> float:
        """Returns the share of a part in the loss, in [0, 1]."""
        loss = self.comparison.loss_before_band
        return min(1.0, float(part) / loss) if loss > 0 else 0.0

    def list_aims(self, i: int) -> list[int]:
        """Returns the reference steps of the same tool that failed step i is nearest to."""
        tool, cost = self.run.steps[i].tool, self.problem.costs.total[i]
        same_tool = [
            j
            for j, step in enumerate(self.reference_steps)
            if tool is not None and step.tool == tool and not self.reference.failed[j]
        ]
        least = min((cost[j] for j in same_tool), default=0.0) + ROUNDING
        return [j for j in same_tool if cost[j] <= least]

    def is_attempt(self, i: int, aims: Sequence[int]) -> bool:
        """Returns whether a step is nearly the same call as one of some reference steps."""
        return any(self.problem.costs.total[i, j] <= REPEATED for j in aims)

    def _find_repeated(self, i: int) -> int | None:
        """The step that unmatched step i repeats: an equal call, or a similar counterpart."""
        if self.run.failed[i]:
            return self._find_mending(i)
        equal = self._find_equal_call(i)
        if equal is not None:
            return equal
        steps, cost = self.run.steps, self.problem.costs.total[i]
        similar = [
            (cost[j], k)
            for k, j in self.reference_of.items()
            if steps[i].tool == steps[k].tool
            and cost[j] <= REPEATED
            and not self._is_for_another(i, k)
        ]
        return min(similar)[1] if similar else None

    def _is_for_another(self, i: int, k: int) -> bool:
        """Whether step i of the run does the job of step k once more, for another object."""
        differing, j = self.problem.costs.differing, self.reference_of[k]
        if differing is None or not differing.row_only[i, j]:
            return False
        leaves, leaves_of_k = (set(list_leaves(self.run_steps[at].arguments)) for at in (i, k))
        return len(leaves - leaves_of_k) > REPEATED * len(leaves)

    def _find_mending(self, i: int) -> int | None:
        """The step that made up for step i, which failed.

        It is the first later call of the same agent and tool that worked, and that has the same
        arguments or is the counterpart of a reference step that i was aimed at.
        """
        steps, aims = self.run.steps, self.list_aims(i)
        for k in range(i + 1, len(steps)):
            if self.run.failed[k] or not _is_same_caller(steps[i], steps[k]):
                continue
            if self.reference_of.get(k) in aims or is_same_call(steps[i], steps[k]):
                return k
        return None

    def _find_equal_call(self, i: int) -> int | None:
        """The equal call that ran earlier and worked, or that has a counterpart."""
        steps = self.run.steps
        for k in self._calls_by_outline[outline_call(steps[i])]:
            is_done = k in self.reference_of or (k < i and not self.run.failed[k])
            if k != i and is_done and is_same_call(steps[i], steps[k]):
                return k
        return None

    @cached_property
    def _calls_by_outline(self) -> Mapping[Hashable, Sequence[int]]:
        """The steps of the run by the outlines of their calls, in their order."""
        calls: dict[Hashable, list[int]] = {}
        for k, step in enumerate(self.run_steps):
            calls.setdefault(outline_call(step), []).append(k)
        return calls

    def _find_merged(self, j: int) -> int | None:
        """The step of the run that unmatched reference step j was merged into, if there is one.

        Most of the mass of j flows to it. If arguments are recorded, it has one of j's arguments
        that its own counterpart lacks.
        """
        T, cost = self.comparison.solution.T, self.problem.costs.total
        i = _find_main_flow(T[:, j], cost[:, j])
        if i is None or i not in self.reference_of:
            return None
        steps = self.reference_steps
        counterpart = steps[self.reference_of[i]]
        return i if _adds_argument(steps[j], counterpart, self.run_steps[i]) else None

    def _find_whole(self, i: int) -> int | None:
        """The reference step that unmatched run step i is a part of, if there is one.

        Most of the mass of i flows to it. If arguments are recorded, i has one of its arguments
        that its counterpart lacks.
        """
        T, cost = self.comparison.solution.T, self.problem.costs.total
        j = _find_main_flow(T[i], cost[i])
        if j is None or j not in self.run_of:
            return None
        steps = self.run.steps
        counterpart = steps[self.run_of[j]]
        return j if _adds_argument(steps[i], counterpart, self.reference.steps[j]) else None


def _find_main_flow(flow: Array, cost: Array) -> int | None:
    """The step that receives at least half of the flow, if it costs at most MATCHED."""
    main = int(flow.argmax())
    is_main = flow[main] >= flow.sum() / 2 and flow[main] > 0
    return main if is_main and cost[main] <= MATCHED + ROUNDING else None


def is_mended(steps: Sequence[Step], failed: npt.NDArray[np.bool_], i: int) -> bool:
    """Returns whether the same call worked later: the only evidence without a reference."""
    return any(
        not failed[k] and _is_same_caller(steps[i], steps[k]) and is_same_call(steps[i], steps[k])
        for k in range(i + 1, len(steps))
    )


def _is_same_caller(step: Step, other_step: Step) -> bool:
    return (step.agent, step.tool) == (other_step.agent, other_step.tool)


def is_same_call(step: Step, other_step: Step) -> bool:
    """Returns whether two steps call the same tool with the same arguments."""
    same_tool = step.tool is not None and step.tool == other_step.tool
    return same_tool and step.arguments == other_step.arguments


def outline_call(step: Step) -> Hashable:
    """Returns a key that equal calls share: the tool, and the arguments without nested values."""
    if not isinstance(step.arguments, dict):
        return step.tool, _outline_value(step.arguments)
    outlines = ((key, _outline_value(value)) for key, value in step.arguments.items())
    return step.tool, frozenset(outlines)


def _outline_value(data: JsonValue) -> Hashable:
    return type(data) if isinstance(data, dict | list) else data


def _adds_argument(part: Step, counterpart: Step, target: Step) -> bool:
    """Whether ``target`` has an argument of ``part`` that ``counterpart`` lacks.

    If one of ``part`` and ``counterpart`` records no arguments, the flow of mass has to decide.
    """
    if not part.arguments or not counterpart.arguments:
        return True
    of_part, of_counterpart, of_target = (
        set(list_leaves(step.arguments)) for step in (part, counterpart, target)
    )
    return not (of_part - of_counterpart).isdisjoint(of_target)


def _pair_numbers(text: str, other: str) -> Iterator[tuple[str, str]]:
    """The numbers of two texts that differ in their numbers alone."""
    if text != other and _NUMBER.sub("0", text) == _NUMBER.sub("0", other):
        for number, expected in zip(_NUMBER.findall(text), _NUMBER.findall(other), strict=True):
            if number != expected:
                yield number, expected


def list_leaves(data: JsonValue, key: str = "") -> Iterator[tuple[str, str]]:
    """Yields (path of keys, text) of each leaf; the members of a list share its path."""
    if isinstance(data, dict):
        for name, value in data.items():
            yield from list_leaves(value, f"{key}.{name}" if key else name)
    elif isinstance(data, list):
        for value in data:
            yield from list_leaves(value, key)
    elif data is not None:
        yield key, str(data)


def _list_flows(edge: Edge) -> set[str]:
    """The values that flow along an edge."""
    return {proof.value for proof in edge.evidence if proof.source_path.startswith("effect")}


def _had(
    context: FindingContext, edge: Edge, first_shown: Mapping[str, int], detours: set[int]
) -> bool:
    """Whether the run had the values of an edge before its later step, or left that step out."""
    k = context.run_of.get(edge.target)
    if k is None:
        return edge.target in detours
    if context.is_lookup(k, edge.target):  # it came to the same values without this one
        return True
    steps = context.reference_steps
    values = _list_flows(edge) or _list_handed_on(steps[edge.source], steps[edge.target])
    index = min(context.run.parts[k])
    return bool(values) and all(first_shown.get(value, index) < index for value in values)


def _list_handed_on(source: Step, target: Step) -> set[str]:
    """The specific values that one step shows and another uses."""
    used = FieldValues(target.arguments).values
    return {value for value in _list_shown(source) & used if specificity(value)}


def _list_shown(step: Step) -> frozenset[str]:
    """The values in the effect of a step, without an echo of its own arguments."""
    return FieldValues(step.effect).values - FieldValues(step.arguments).values
