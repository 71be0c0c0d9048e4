"""Compares one run with its references: with all of them, or with those that can matter."""

from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from heapq import heappop, heappush

import numpy as np
import numpy.typing as npt

from otap._caching import cached_property
from otap.alignment import Answers, Compared, StepProblem, WithoutSteps, apply_severity_band
from otap.alignment.comparison import Verdict
from otap.costs import FieldCosts, anchors, mass_moving_cost
from otap.findings import (
    Finding,
    FindingSearch,
    OrderElsewhere,
    Severity,
    is_surely_critical,
)
from otap.graph import DependencyGraph, turn_ranks
from otap.plans import Plan, list_expansions
from otap.run.generated_ids import Renaming
from otap.run.run import RunView, views_for
from otap.scoring.batches import CALLS
from otap.scoring.free_values import fill_free_values
from otap.scoring.hidden_values import fill_reference
from otap.scoring.lookups import shows_same
from otap.scoring.merge import StepFlags, find_mergeable
from otap.scoring.metric import Metric
from otap.scoring.near_misses import least_prices
from otap.scoring.problem import (
    RunNodes,
    compare_answers,
    cost_matrices,
    only_looks_up,
    price_answers,
    step_problem,
    unit_of_mass,
)
from otap.scoring.solve import compare
from otap.scoring.work import (
    draw_comparisons,
    draw_solving,
    open_account,
)
from otap.trajectory import Trajectory
from otap.transport import FORBIDDEN, Columns, lower_bound, lower_bounds
from otap.values.keys import canonical_key

# References in the first batch; each later batch is twice as large. A batch takes hardly longer
# than one problem, and few references are needed.
_FIRST_BATCH = 4
_POSED_AT_ONCE = 32  # references whose problems are posed together, for their bounds
_MAX_TEXTS = 20  # texts of other references with which one text of the run is compared
_SLACK = 1e-9  # the rounding error of a bound, and of a loss
_TINY = 1e-12  # the penalty, in a bound, of steps that may merge; 0 would be a division by zero
_MAX_STORED_PAIRS = 2_000_000  # pairs of steps in problems that were posed and may be needed again
Array = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
LossCutoff = Callable[[list[float]], float]
_Task = tuple[str, tuple[str, ...]]  # the name and the request of a task


def _name_task(reference: RunView) -> _Task:
    return reference.run.scored.task or "", reference.run.scored.request


class ReferenceComparisons:
    """A run, its references, lower bounds of the losses, and the comparisons solved so far.

    A reference that is a plan is replaced by the runs that it allows.

    Attributes:
        run: the run as it was recorded.
        references: the references as they were recorded.
        metric: the settings, and the runs prepared so far.
        views: for each reference the view of the run, and the view of the reference.
        solved: the comparisons, by the index of the reference.
        account: the work of the score, from which every stage draws.
        pair_count: pairs of a step of the run and a step of any reference, which bounds memory.

    Raises:
        LimitError: if a side is too long, its sub-steps nest too deep, or all references take too
            much work.
        NoReferenceError: if no field is recorded on both sides.
    """

    def __init__(self, run: Trajectory, references: Sequence[Trajectory], metric: Metric) -> None:
        is_reference = any(reference is run for reference in references)
        prepared = metric.runs.of(run, is_transient=not is_reference)
        self.account = account = open_account(run, len(references), metric)
        account.draw(prepared.reading_work, "to read the run")
        expanded: list[Trajectory] = []
        for reference in references:
            filled = fill_reference(reference, run)
            if isinstance(filled, Plan):
                encode = metric.encoder.encode
                expanded += list_expansions(filled, prepared.scored, encode, account)
            else:
                if metric.config.recognise:
                    strict = metric.config.strict
                    filled = fill_free_values(filled, prepared.scored, strict=strict)
                expanded.append(filled)
        self.run = run
        self.references = expanded  # prepared runs do not keep them alive
        self.metric = metric
        self.solved: dict[int, Compared] = {}
        self._charged: set[int] = set()  # references whose solving is drawn from the account
        self._searches: dict[int, FindingSearch] = {}
        reference_views = [metric.runs.of(reference).as_reference.view for reference in expanded]
        run_views = views_for(prepared, [view.run for view in reference_views])
        self.views = list(zip(run_views, reference_views, strict=True))
        sizes = [run_view.size * view.size for run_view, view in self.views]
        self.pair_count = sum(sizes)
        draw_comparisons(account, self.views, metric)
        with_steps = [index for index, size in enumerate(sizes) if size]
        self._matrices: list[tuple[list[int], FieldCosts]] = []
        for positions, costs in cost_matrices(
            [run_views[index] for index in with_steps],
            [reference_views[index] for index in with_steps],
            metric,
        ):
            self._matrices.append(([with_steps[position] for position in positions], costs))
        self._problems: dict[int, StepProblem] = {}
        self._anchors: dict[int, tuple[Mapping[int, int], Sequence[int]]] = {}
        self._run_nodes: RunNodes = {}
        self._room = _MAX_STORED_PAIRS

    @cached_property
    def answers(self) -> Sequence[Answers]:
        """For each reference the required answers that the run gave, without their price."""
        return [
            compare_answers(
                run.run, reference.run, self.metric, self._texts_of_task(reference, "", "")
            )
            for run, reference in self.views
        ]

    def _texts_of_task(self, reference: RunView, tool: str, key: str) -> Sequence[str]:
        """Returns what all references of one task have in a call; without a tool, their messages.

        References of which neither the task nor the request is known may be of any task.
        """
        task = _name_task(reference)
        texts = self._texts_by_call.get((task, tool, canonical_key(key)), ()) if any(task) else ()
        return sorted(texts)[:_MAX_TEXTS]

    @cached_property
    def _texts_by_call(self) -> Mapping[tuple[_Task, str, str], Collection[str]]:
        """The texts of all references by task, tool and key; their last messages without both."""
        texts: dict[tuple[_Task, str, str], set[str]] = {}
        for _, view in self.views if len(self.views) > 1 else ():
            task = _name_task(view)
            for message in (view.run.messages or ())[-1:]:
                texts.setdefault((task, "", ""), set()).add(message)
            for step in view.run.scored.steps:
                arguments = step.arguments if isinstance(step.arguments, Mapping) else {}
                for key, value in arguments.items():
                    if step.tool and isinstance(value, str) and " " in value:
                        call = task, step.tool, canonical_key(key)
                        texts.setdefault(call, set()).add(value)
        return texts

    def draw_solving(self, indices: Collection[int]) -> None:
        """Draws the work of solving some references, each once.

        Args:
            indices: the references.

        Raises:
            LimitError: if the score takes too much.
        """
        for index in [index for index in indices if index not in self._charged]:
            draw_solving(self.account, self.views[index], self.metric)
            self._charged.add(index)

    def problems(self, indices: Collection[int]) -> dict[int, StepProblem]:
        """Returns the problems with these references by index, except those without steps."""
        problems: dict[int, StepProblem] = {}
        for matrix_indices, costs in self._matrices:
            start = 0
            for index in matrix_indices:
                end = start + self.views[index][1].size
                if index in indices:
                    problems[index] = self._pose(index, costs, start, end)
                start = end
        return problems

    def _pose(self, index: int, costs: FieldCosts, start: int, end: int) -> StepProblem:
        """The problem with a reference, whose costs are some columns of a cost matrix."""
        if index in self._problems:
            return self._problems[index]
        run, reference = self.views[index]
        step_costs, paper = costs.columns(start, end), self.metric.paper
        if paper:
            step_costs = paper.with_substeps(run, reference, step_costs)
        problem = step_problem(
            run, reference, step_costs, self.metric, self.answers[index], self._run_nodes
        )
        self._room -= step_costs.total.size
        if self._room >= 0:
            self._problems[index] = problem
        return problem

    def store(self, indices: Collection[int], comparisons: Mapping[int, Compared]) -> None:
        """Stores the comparisons with some references, with the severity of their findings.

        The losses of the paper's metric have no severity.

        Args:
            indices: the references.
            comparisons: the solved ones, by index; if one is not there, a side has no steps.
        """
        for index in indices:
            compared = comparisons.get(index) or self._compare_without_steps(index)
            if not self.metric.paper:
                search = self._search_findings(index, compared)
                verdict: Verdict = "critical" if search.is_critical else "tolerated"
                self._searches[index] = search
                compared = compared.with_verdict(verdict)
            self.solved[index] = compared

    def findings(self, index: int) -> tuple[Finding, ...]:
        """Returns the findings of the comparison with a solved reference."""
        if index not in self._searches:
            self._searches[index] = self._search_findings(index, self.solved[index])
        return self._searches[index].findings

    def _search_findings(self, index: int, compared: Compared) -> FindingSearch:
        texts_elsewhere = partial(self._texts_of_task, self.views[index][1])
        is_alone = len(self.views) == 1
        order_elsewhere = self.order_elsewhere(index)
        return FindingSearch(compared, order_elsewhere, None if is_alone else texts_elsewhere)

    def find_severity(self, index: int) -> Severity | None:
        """Returns the severity of the worst finding; None if there is none."""
        if self.solved[index].verdict == "critical":
            return "critical"
        findings = self.findings(index)
        return findings[0].severity if findings else None

    def order_elsewhere(self, index: int) -> OrderElsewhere | None:
        """Returns whether a reference other than one has two steps of the run in an order.

        None if there is no other reference.

        Args:
            index: the reference whose own order does not count.
        """
        if len(self.views) == 1:
            return None
        run = self.views[index][0].run

        def has_order(first: int, second: int) -> bool:
            return any(
                view.run is run and other != index and self._has_order(other, first, second)
                for other, (view, _) in enumerate(self.views)
            )

        return has_order

    def _has_order(self, index: int, first: int, second: int) -> bool:
        """Whether a reference allows the order of two steps of the run, by its counterparts."""
        counterparts, turns = self._anchors_of(index)
        j, m = counterparts.get(first), counterparts.get(second)
        if j is None or m is None:
            return False
        reference = self.views[index][1]
        if reference.run.plan_constraints.is_plan:
            graph = reference.run.graph("explicit")
            return not _leads_to(graph, m, j)
        return turns[j] <= turns[m]

    def _anchors_of(self, index: int) -> tuple[Mapping[int, int], Sequence[int]]:
        """The nearest step of a reference to each step of the run, and the reference's turns."""
        if index not in self._anchors:
            self._anchors[index] = {}, ()
            for indices, costs in self._matrices:
                start = 0
                for other in indices:
                    end = start + self.views[other][1].size
                    if other == index:
                        self._anchors[index] = self._anchor(index, costs.columns(start, end))
                    start = end
        return self._anchors[index]

    def _anchor(self, index: int, costs: FieldCosts) -> tuple[Mapping[int, int], Sequence[int]]:
        run, reference = self.views[index]
        C = costs.total
        if costs.differing is not None:
            C = np.where(costs.differing.row_only, 1.0, C)
        turns = np.array(turn_ranks(run.trajectory.steps), dtype=np.intp)
        counterparts = dict(anchors(C, turns, range(reference.size)))
        return counterparts, turn_ranks(reference.trajectory.steps)

    def _compare_without_steps(self, index: int) -> WithoutSteps:
        config, (view, reference_view) = self.metric.config, self.views[index]
        run, reference, answers = view.run, reference_view.run, self.answers[index]
        reference_weight = 0.0
        if self.metric.paper:
            losses = config.lambda_agent, config.lambda_reference
        else:
            run_weights = view.weights(reference.full_weight)
            reference_weight = float(reference.reference_weights.sum())
            M = unit_of_mass(reference_weight + answers.reference)
            answers = price_answers(answers, M, config)
            losses = (
                config.lambda_agent * float(run_weights @ view.penalties(reference)) / M,
                config.lambda_reference * reference_weight / M,
            )
        return WithoutSteps(
            run.scored, reference.scored, *losses, (view, reference_view), reference_weight, answers
        )

    def solve(self, loss_cutoff: LossCutoff) -> None:
        """Solves references in the order of their bounds, until none is left that can matter.

        Args:
            loss_cutoff: returns the bound up to which a reference can still matter, given the
                losses so far in rising order.
        """
        waiting = deque[int](np.argsort(self.bounds, kind="stable").tolist())
        posed: list[tuple[float, int]] = []  # a heap, by the bound of the problem
        size = _FIRST_BATCH
        while True:
            cutoff = loss_cutoff(sorted(compared.loss for compared in self.solved.values()))
            cutoff += _SLACK
            self._pose_nearest(waiting, posed, size, cutoff)
            batch = [heappop(posed)[1] for _ in range(size) if posed and posed[0][0] <= cutoff]
            if not batch:
                return
            self.draw_solving(batch)
            problems = self.problems(batch)
            comparisons = compare(list(problems.values()), self.metric)
            self.store(batch, dict(zip(problems, comparisons, strict=True)))
            size *= 2

    def _pose_nearest(
        self, waiting: deque[int], posed: list[tuple[float, int]], count: int, cutoff: float
    ) -> None:
        """Poses references with small bounds, until these bounds are above those of the problems.

        Args:
            waiting: the references that are not posed yet, by rising bound.
            posed: the heap to which they are added.
            count: the least number of posed references.
            cutoff: the bound up to which a reference can still matter.
        """
        while waiting and self.bounds[waiting[0]] <= cutoff:
            if len(posed) >= count and posed[0][0] < self.bounds[waiting[0]]:
                return
            batch = [waiting.popleft() for _ in range(min(_POSED_AT_ONCE, len(waiting)))]
            self._tighten_bounds(batch)
            for index in batch:
                heappush(posed, (float(self.bounds[index]), index))

    def _tighten_bounds(self, indices: Collection[int]) -> None:
        """Raises the bounds of references to those of their problems, where steps do not merge.

        Posing a problem takes a third of the time of solving it and looking for its findings.
        """
        config = self.metric.config
        if self.metric.paper or config.contraction:
            return
        for index, problem in self.problems(indices).items():
            forbidden = problem.arrays.C >= FORBIDDEN
            is_critical = is_surely_critical(self.views[index], problem.costs, forbidden)
            bound = apply_severity_band(
                lower_bound(problem.arrays) + problem.answers.loss,
                "critical" if is_critical else "tolerated",
            )
            self.bounds[index] = max(self.bounds[index], bound)

    def has_converged(self, loss_cutoff: LossCutoff) -> bool:
        """Whether the solver finished all references that can still matter."""
        unfinished = [index for index, compared in self.solved.items() if not compared.converged]
        return not unfinished or bool(
            (self.bounds[unfinished] > loss_cutoff(sorted(self.losses)) + _SLACK).all()
        )

    @property
    def losses(self) -> list[float]:
        """The loss against each reference, or its bound if it was not solved."""
        return [
            self.solved[index].loss if index in self.solved else float(self.bounds[index])
            for index in range(len(self.views))
        ]

    @cached_property
    def bounds(self) -> Array:
        """A lower bound of each loss; 0 if none is known."""
        bounds, unmatchable = np.zeros(len(self.views)), set[int]()
        for indices, costs in self._matrices:
            bounds[indices] = self._bound_losses(indices, costs)
            unmatchable.update(self._list_unmatchable(indices, costs))
        # Under the paper's metric sub-steps can be closer than the fields of their parents, which
        # then give no bound.
        with_substeps = [
            index
            for index, views in enumerate(self.views)
            if any(view.run.has_substeps for view in views)
        ]
        bounds[with_substeps] = 0
        if self.metric.paper:
            return bounds
        unmatchable.difference_update(with_substeps)
        for index, bound in enumerate(bounds.tolist()):
            bounds[index] = apply_severity_band(
                bound, "critical" if index in unmatchable else "tolerated"
            )
        return bounds

    def _list_unmatchable(self, indices: list[int], costs: FieldCosts) -> Iterator[int]:
        """Yields references with a write that no single or merged step of the run may match.

        Every coupling then has a critical finding. If steps merge, no tool of a write on either
        side is a tool of the other side.
        """
        tools, start = costs.distances.get("tool"), 0
        may_merge = self.metric.config.contraction
        for index in indices:
            run, reference = self.views[index]
            end = start + reference.size
            run_writes, reference_writes = _writes(run), _writes(reference)
            if tools is not None and not may_merge:
                part = costs.columns(start, end)
                if is_surely_critical((run, reference), part, part.distances["tool"] >= 1):
                    yield index
            elif tools is not None and reference_writes.any():
                distances = tools[:, start:end]
                nearest = distances[run_writes].min(initial=1), distances[:, reference_writes].min()
                if min(nearest) >= 1:
                    yield index
            start = end

    def _bound_losses(self, indices: list[int], costs: FieldCosts) -> Array:
        """Lower bounds for references that share a matrix, from node costs alone.

        The critical steps depend on the graph, which is not built here. The bound uses the least
        mass and the least penalty that a step can have.
        """
        config = self.metric.config
        least, by_mass = 1.0 / (1.0 + config.kappa), self.metric.paper is not None
        mu, nu, penalties, missing = list[Array](), list[Array](), list[Array](), list[float]()
        for index in indices:
            view, reference = self.views[index][0], self.views[index][1].run
            answers = self.answers[index]
            run_weights = view.weights(reference.full_weight)
            reference_weights = reference.reference_weights
            unit = unit_of_mass(reference_weights.sum() + answers.reference)
            units = (run_weights.sum(), reference_weights.sum()) if by_mass else (unit, unit)
            mu.append(run_weights / units[0])
            nu.append(reference_weights / units[1])
            penalties.append(view.penalties(reference))
            missing.append(price_answers(answers, unit, config).loss)
        sizes = [self.views[index][1].size for index in indices]
        C, starts = costs.total, np.cumsum([0, *sizes[:-1]])
        lambda_1 = config.lambda_agent * np.array(penalties).T
        lambda_2 = np.full(C.shape[1], config.lambda_reference * (1.0 if by_mass else least))
        renamable = np.zeros(len(indices), dtype=np.bool_)
        if config.contraction:
            C, renamable = self._free_mergeable(indices, costs, lambda_1, lambda_2)
        for k, index in enumerate(indices):
            run, reference_view = self.views[index]
            if not by_mass and only_looks_up(run.roles, reference_view.roles):
                lambda_1[:, k] = _TINY  # extra look-ups may cost nothing
        if config.recognise and not by_mass:
            run_shares, reference_shares = least_prices(C, starts)
            lambda_1, lambda_2 = lambda_1 * run_shares, lambda_2 * reference_shares
        columns = Columns(
            C if self.metric.paper else mass_moving_cost(C),
            starts,
            (least if by_mass else 1.0) * np.concatenate(nu),
            lambda_2,
        )
        bounds: Array = lower_bounds(columns, np.array(mu).T, lambda_1, config.theta)
        bounds[renamable] = 0
        bounds += missing
        return bounds

    def _free_mergeable(
        self, indices: list[int], costs: FieldCosts, lambda_1: Array, lambda_2: Array
    ) -> tuple[Array, Flags]:
        """The node costs with 0 for steps that may merge; their penalties become 0 in place.

        No merged step can lower the loss below a bound of these. Ids that merged steps made are
        renamed, though, which lowers the costs of the steps that use them. Other look-ups may show
        the same values. The flags say for which references either may happen.
        """
        C, start = costs.total.copy(), 0
        renamable = np.zeros(len(indices), dtype=np.bool_)
        for k, index in enumerate(indices):
            run, reference = self.views[index]
            end = start + reference.size
            rows, columns = find_mergeable(
                _merge_flags(run),
                _merge_flags(reference),
                costs.columns(start, end),
                (run.columns.of(CALLS), reference.columns.of(CALLS)),
            )
            C[:, start:end][rows] = 0.0
            C[:, start:end][:, columns] = 0.0
            lambda_1[rows, k] = lambda_2[start:end][columns] = _TINY
            renamable[k] = _has_users_of_ids(run, rows) or _has_users_of_ids(reference, columns)
            if "reads" in reference.run.full_weight and shows_same(run.index, reference.index):
                renamable[k] = True  # other look-ups may do its work
            start = end
        return C, renamable


def _leads_to(graph: DependencyGraph, source: int, target: int) -> bool:
    """Whether a path leads from one node of a graph to another."""
    reached, nodes = {source}, [source]
    for node in nodes:
        new = set(graph.children[node]) - reached
        reached |= new
        nodes += new
    return target in reached


def _merge_flags(view: RunView) -> StepFlags:
    flat = view.columns.flat
    writes = np.array([role == "writes" for role in view.roles], dtype=np.bool_)
    return StepFlags(~view.run.failed & flat, flat, writes)


def _has_users_of_ids(view: RunView, makers: Flags) -> bool:
    """Whether any other step uses an id that some steps made."""
    by_step, indices = view.run.generated_ids.by_step, view.run.scored_indices
    ids = {
        view.names.ids.get(identifier, identifier)
        for k in np.flatnonzero(makers).tolist()
        for _, identifier in by_step.get(indices[k], ())
    }
    if not ids:
        return False
    trajectory = view.trajectory
    others = tuple(trajectory.steps[k] for k in np.flatnonzero(~makers).tolist())
    renaming = Renaming(merged={identifier: f"{identifier}'" for identifier in ids})
    renamed = renaming.rename_run(trajectory.model_copy(update={"steps": others}))
    return any(step is not other for step, other in zip(renamed.steps, others, strict=True))


def _writes(view: RunView) -> Flags:
    """The steps that write and did not fail."""
    writes = [role == "writes" for role in view.roles]
    return np.array(writes, dtype=np.bool_) & ~view.run.failed


def solve_together(runs: Sequence[ReferenceComparisons]) -> None:
    """Compares some runs with all of their references, in one batch."""
    for comparisons in runs:
        comparisons.draw_solving(range(len(comparisons.views)))
    problems = [comparisons.problems(range(len(comparisons.views))) for comparisons in runs]
    batch = [problem for by_index in problems for problem in by_index.values()]
    solved = iter(compare(batch, runs[0].metric) if runs else [])
    for comparisons, by_index in zip(runs, problems, strict=True):
        # The indices come first in zip, so that it takes no comparison of the next run.
        compared = dict(zip(by_index, solved, strict=False))
        comparisons.store(range(len(comparisons.views)), compared)


@dataclass(frozen=True)
class Neighbour:
    """A near trajectory: its index in the corpus, the trajectory, and the loss against it."""

    index: int
    trajectory: Trajectory
    loss: float


@dataclass(frozen=True)
class Nearest:
    """The nearest trajectories, best first; ties in the order of the corpus.

    ``solved`` of ``total`` transport problems had to be solved for a proof.
    """

    neighbours: tuple[Neighbour, ...]
    solved: int
    total: int


def find_nearest(run: Trajectory, corpus: Sequence[Trajectory], k: int, metric: Metric) -> Nearest:
    """Returns the k nearest neighbours of a run by loss, as if every problem were solved.

    Args:
        run: the query.
        corpus: the trajectories to search, at least one.
        k: the number of neighbours, at least 1.
        metric: the settings; without contraction.

    Raises:
        LimitError: if a side is too long, or its sub-steps nest too deep.
        NoReferenceError: if no field is recorded on both sides.
    """
    comparisons = ReferenceComparisons(run, corpus, metric)
    comparisons.solve(lambda losses: losses[k - 1] if len(losses) >= k else float("inf"))
    losses = {index: compared.loss for index, compared in comparisons.solved.items()}
    nearest = sorted(losses, key=lambda index: (losses[index], index))[:k]
    return Nearest(
        tuple(Neighbour(index, corpus[index], losses[index]) for index in nearest),
        solved=len(losses),
        total=len(corpus),
    )
