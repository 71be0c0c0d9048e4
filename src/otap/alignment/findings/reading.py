"""A comparison as the rules of findings read it: unmatched steps that repeat, split or merge."""

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from pydantic import JsonValue

from otap._caching import cached_property
from otap.alignment.comparison import Comparison
from otap.alignment.findings.finding import READS
from otap.alignment.parameters import MATCHED, REPEATED, ROUNDING
from otap.dependencies import Edge
from otap.dependencies.content import content, specificity
from otap.trajectory import Step

Array = npt.NDArray[np.float64]


class Reading:
    """What the rules of all findings share of one comparison.

    Attributes:
        comparison: what is read, with its ``problem``.
        run: the nodes of the run, in the names of the reference.
        reference: the nodes of the reference.
        recorded: both sides as they were recorded.
        reference_of: the one-to-one counterparts, by nodes of the run.
        run_of: the same by nodes of the reference.
        in_full: the roles that count in full against the reference.
        in_full_besides: the same of what the run does besides it.
        demands: what the plan that the reference stands for asks of the run.
        unmet: the nodes of the reference without a counterpart.
        repeats: for each node of the run without a counterpart the one that it repeats, or that
            made up for its failure, or None.
        given_up: those that failed and for which nothing made up.
        parts: for a node of the reference the unmatched nodes of the run that do its job in part.
        wholes: for a node of the run the unmatched nodes of the reference whose job it does along
            with its own.
    """

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        self.problem = problem = comparison.problem
        self.run, self.reference = problem.run, problem.reference
        self.recorded = problem.recorded
        self.demands = problem.recorded[1].demands
        self.reference_of, self.run_of = comparison.reference_of, comparison.run_of
        self.in_full = problem.recorded[1].in_full
        self.in_full_besides = problem.recorded[1].in_full_besides
        extra = sorted(set(range(len(self.run.parts))).difference(self.reference_of))
        self.unmet = sorted(set(range(len(self.reference.parts))).difference(self.run_of))
        self.repeats = dict(zip(extra, map(self._find_repeated, extra), strict=True))
        self.given_up: list[int] = []
        planned = problem.recorded[1].demands.is_plan  # of a plan each step is a call of its own
        self.parts: dict[int, list[int]] = {}
        for i, first in self.repeats.items():
            if first is None and self.run.failed[i]:
                self.given_up.append(i)
            elif first is None and not planned and (j := self._find_whole(i)) is not None:
                self.parts.setdefault(j, []).append(i)
        self.wholes: dict[int, list[int]] = {}
        for j in self.unmet:
            if not planned and (into := self._find_merged(j)) is not None:
                self.wholes.setdefault(into, []).append(j)

    @cached_property
    def detours(self) -> Collection[int]:
        """The missing reads of the reference whose values the run had by other steps.

        All that a later step of the reference has from such a read was shown to the run before it
        did that step; or that step was itself left out in this way.
        """
        needed: dict[int, list[Edge]] = defaultdict(list)
        for edge in self.reference.graph.edges:
            # Evidence without a value says only in which order two steps come.
            if not edge.evidence or _list_flows(edge):
                needed[edge.source].append(edge)
        known, found = _find_first_shown(self.problem.run.listed), set[int]()
        for j in reversed(self.reference.graph.order):
            is_read = self.reference.roles[j] == READS and j not in self.run_of
            if is_read and needed[j] and all(_had(self, e, known, found) for e in needed[j]):
                found.add(j)
        return found

    @cached_property
    def counterparts(self) -> list[tuple[int, int]]:
        """The pairs of counterparts that are single steps: neither split, merged nor in a union."""
        pairs = []
        for i, j in sorted(self.reference_of.items()):
            single = len(self.run.parts[i]) == len(self.reference.parts[j]) == 1
            if single and i not in self.wholes and j not in self.parts:
                pairs.append((i, j))
        return pairs

    @cached_property
    def unions(self) -> Collection[tuple[int, int]]:
        """The pairs of counterparts of which one is a union."""
        pairs, parts, wholes = self.reference_of.items(), self.run.parts, self.reference.parts
        if len(parts) == len(self.run.listed) and len(wholes) == len(self.reference.listed):
            return ()
        return {(i, j) for i, j in pairs if len(parts[i]) + len(wholes[j]) > 2}

    def list_run_steps(self, i: int) -> list[Step]:
        """Returns the steps that a node of the run consists of, as they were recorded."""
        counted = self.recorded[0].counted.steps
        return [counted[place] for place in sorted(self.run.parts[i])]

    def cost_of_field(self, field: str, i: int, j: int) -> float:
        """Returns what a field adds to the node cost of a pair; 0 where it takes no part."""
        costs = self.problem.costs
        if field not in costs.distances:
            return 0.0
        return costs.weights[field] * float(costs.distances[field][i, j])

    def share_of_field(self, field: str, i: int, j: int, *, with_penalties: bool = True) -> float:
        """Returns the share of the loss that a field of a pair accounts for, in [0, 1].

        It includes the mass penalties of both steps: no mass moves between steps that must not
        stand for each other, and these penalties are then all that the difference costs.

        Args:
            field: that differs.
            i: the node of the run.
            j: the node of the reference.
            with_penalties: whether the penalties count; False if another finding has them.
        """
        solution = self.comparison.solution
        cost = (1 - solution.problem.theta) * self.cost_of_field(field, i, j) * solution.T[i, j]
        if with_penalties:
            extra, missing = self.comparison.mass_penalties
            cost += extra[i] + missing[j]
        return self.share_of_loss(cost)

    def share_of_loss(self, part: float) -> float:
        """Returns a part of the loss as a share of it, in [0, 1]."""
        loss = self.comparison.unjudged_loss
        return min(1.0, float(part) / loss) if loss > 0 else 0.0

    def list_aims(self, i: int) -> list[int]:
        """Returns the reference steps of the same tool that failed step i is nearest to."""
        tool, cost = self.run.steps[i].tool, self.problem.costs.total[i]
        alike = [
            j
            for j, step in enumerate(self.reference.steps)
            if tool is not None and step.tool == tool and not self.reference.failed[j]
        ]
        least = min((cost[j] for j in alike), default=0.0) + ROUNDING
        return [j for j in alike if cost[j] <= least]

    def _find_repeated(self, i: int) -> int | None:
        """The step that unmatched step i repeats: an equal call, or a counterpart much like it."""
        if self.run.failed[i]:
            return self._find_mending(i)
        again = self._find_equal_call(i)
        if again is not None:
            return again
        steps, cost = self.run.steps, self.problem.costs.total[i]
        alike = [
            (cost[j], k)
            for k, j in self.reference_of.items()
            if steps[i].tool == steps[k].tool
            and cost[j] <= REPEATED
            and not self._is_for_another(i, k)
        ]
        return min(alike)[1] if alike else None

    def _is_for_another(self, i: int, k: int) -> bool:
        """Whether step i of the run does more of what step k did, for something else."""
        differing, j = self.problem.costs.differing, self.reference_of[k]
        if differing is None or not differing.own[i, j]:
            return False
        ours, theirs = (set(list_leaves(self.run.steps[at].arguments)) for at in (i, k))
        return len(ours - theirs) > REPEATED * len(ours)

    def _find_mending(self, i: int) -> int | None:
        """The step that made up for step i, which failed.

        The first later one of the same agent with the same tool that worked, and that has the same
        arguments or is the counterpart of what i would stand for.
        """
        steps, aims = self.run.steps, self.list_aims(i)
        for k in range(i + 1, len(steps)):
            if not self.run.failed[k] and _is_same_caller(steps[i], steps[k]):
                done = self.reference_of.get(k)
                if done in aims or is_same_call(steps[i], steps[k]):
                    return k
        return None

    def _find_equal_call(self, i: int) -> int | None:
        """The equal call that came before and worked, or that is a counterpart."""
        steps = self.run.steps
        for k in self._calls_by_outline[outline_call(steps[i])]:
            did = k in self.reference_of or (k < i and not self.run.failed[k])
            if k != i and did and is_same_call(steps[i], steps[k]):
                return k
        return None

    @cached_property
    def _calls_by_outline(self) -> Mapping[Hashable, Sequence[int]]:
        """The steps of the run by what their calls are in outline, in their order."""
        found: dict[Hashable, list[int]] = {}
        for k, step in enumerate(self.run.steps):
            found.setdefault(outline_call(step), []).append(k)
        return found

    def _find_merged(self, j: int) -> int | None:
        """The step of the run that unmatched reference step j was merged into, if there is one.

        Most of the mass of j flows to it. Where arguments are recorded, it has one of j's that its
        own counterpart lacks.
        """
        T, cost = self.comparison.solution.T, self.problem.costs.total
        i = _find_main_flow(T[:, j], cost[:, j])
        if i is None or i not in self.reference_of:
            return None
        wanted = self.reference.steps
        known = wanted[self.reference_of[i]]
        return i if _adds_argument(wanted[j], known, self.run.steps[i]) else None

    def _find_whole(self, i: int) -> int | None:
        """The reference step that unmatched run step i is a part of, if there is one.

        Most of the mass of i flows to it. Where arguments are recorded, i has one of its arguments
        that its counterpart lacks.
        """
        T, cost = self.comparison.solution.T, self.problem.costs.total
        j = _find_main_flow(T[i], cost[i])
        if j is None or j not in self.run_of:
            return None
        steps = self.run.steps
        return (
            j if _adds_argument(steps[i], steps[self.run_of[j]], self.reference.steps[j]) else None
        )


def _find_main_flow(flow: Array, cost: Array) -> int | None:
    """The step that at least half of the flow goes to, if it costs at most MATCHED."""
    main = int(flow.argmax())
    most = flow[main] >= flow.sum() / 2 and flow[main] > 0
    return main if most and cost[main] <= MATCHED + ROUNDING else None


def is_mended(steps: Sequence[Step], failed: npt.NDArray[np.bool_], i: int) -> bool:
    """Says whether the same call worked later: all that can be said without a reference."""
    return any(
        not failed[k] and _is_same_caller(steps[i], steps[k]) and is_same_call(steps[i], steps[k])
        for k in range(i + 1, len(steps))
    )


def _is_same_caller(step: Step, other: Step) -> bool:
    return (step.agent, step.tool) == (other.agent, other.tool)


def is_same_call(step: Step, other: Step) -> bool:
    """Says whether two steps call the same tool with the same arguments."""
    same_tool = step.tool is not None and step.tool == other.tool
    return same_tool and step.arguments == other.arguments


def outline_call(step: Step) -> Hashable:
    """Returns what is equal for equal calls: the tool, and the arguments without what is nested."""
    if not isinstance(step.arguments, dict):
        return step.tool, _outline_value(step.arguments)
    return step.tool, frozenset((key, _outline_value(one)) for key, one in step.arguments.items())


def _outline_value(data: JsonValue) -> Hashable:
    return type(data) if isinstance(data, dict | list) else data


def _adds_argument(part: Step, known: Step, whole: Step) -> bool:
    """Whether ``whole`` has something of ``part`` that ``known`` does not have.

    Arguments tell, where both parts record some; otherwise the flow of mass has to do.
    """
    if not part.arguments or not known.arguments:
        return True
    ours, theirs, all_ = (set(list_leaves(step.arguments)) for step in (part, known, whole))
    return not (ours - theirs).isdisjoint(all_)


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
    values = set()
    for one in edge.evidence:
        if one.source_path.startswith("effect"):
            values.add(one.value)
    return values


def _had(reading: Reading, edge: Edge, known: dict[str, int], found: set[int]) -> bool:
    """Whether the run had the values of an edge before it did the later step, or left that out."""
    k = reading.run_of.get(edge.target)
    if k is None:
        return edge.target in found
    steps = reading.reference.steps
    values = _list_flows(edge) or _list_handed_on(steps[edge.source], steps[edge.target])
    place = min(reading.run.parts[k])
    return bool(values) and all(known.get(value, place) < place for value in values)


def _list_handed_on(source: Step, target: Step) -> set[str]:
    """The telling values that one step shows and another uses."""
    used = content(target.arguments).values
    return {value for value in _list_shown(source) & used if specificity(value)}


def _find_first_shown(steps: Sequence[Step]) -> dict[str, int]:
    """For each value the place of the first step that showed it."""
    found: dict[str, int] = {}
    for place, step in enumerate(steps):
        for value in _list_shown(step):
            found.setdefault(value, place)
    return found


def _list_shown(step: Step) -> frozenset[str]:
    """The values in the effect of a step; an echo of its own arguments shows nothing."""
    return content(step.effect).values - content(step.arguments).values
