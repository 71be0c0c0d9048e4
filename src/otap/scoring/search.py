"""The losses of one run against its references: of all, or by bounds of those that can matter."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, islice
from operator import itemgetter

import numpy as np
import numpy.typing as npt

from otap._caching import cached_property
from otap.alignment import Compared, Finding, StepProblem, WithoutSteps, apply_severity_band, find
from otap.alignment.comparison import Verdict
from otap.matrices import FieldCosts
from otap.plans import Plan, list_expansions
from otap.run.run import RunView, views_for
from otap.scoring.compare import (
    compare,
    compare_answers,
    cost_matrices,
    price_answers,
    step_problem,
    units_of_mass,
    with_substeps,
)
from otap.scoring.merge import StepFlags, find_mergeable
from otap.scoring.metric import Metric
from otap.trajectory import Trajectory
from otap.transport import Columns, lower_bounds

# References of the first batch; each later one is twice as large. Several are solved in the time
# of one, and few are needed.
_FIRST = 4
# What rounding may add to a bound, or take from a loss.
_SLACK = 1e-9
_TINY = 1e-12  # the penalty of steps that may merge, in a bound: none, but for a division
# Pairs of steps in the problems that are kept once they were needed for a bound.
_KEPT = 2_000_000
Array = npt.NDArray[np.float64]
Reach = Callable[[list[float]], float]


class Search:
    """The references of one run: a lower bound of each loss, and the comparisons made so far.

    Attributes:
        given: the run and its references, as recorded; a plan as the runs that it stands for.
        metric: the settings, and the runs prepared so far.
        prepared: for each reference the run as it is compared with it, and the reference.
        found: the comparisons by the place of the reference.
        findings: those of the comparisons that have a verdict.
        pairs: the pairs of a step of the run and one of its references, whose costs are held.

    Raises:
        LimitError: if a side is too long, or its sub-steps too deep.
        NoReferenceError: if no field is recorded on both sides.
    """

    def __init__(self, run: Trajectory, references: Sequence[Trajectory], metric: Metric) -> None:
        prepared = metric.runs.of(run, is_transient=True)
        written: list[Trajectory] = []
        for one in references:
            if isinstance(one, Plan):
                written += list_expansions(one, prepared.scored, metric.encoder.encode)
            else:
                written.append(one)
        references = written
        self.given, self.metric = (run, references), metric  # prepared runs do not keep them
        self.found: dict[int, Compared] = {}
        self.findings: dict[int, tuple[Finding, ...]] = {}
        self.prepared: list[tuple[RunView, RunView]] = []
        self.pairs = 0
        filled: list[int] = []  # the references with which both sides have steps
        sides = [metric.runs.of(reference).view for reference in references]
        views = views_for(prepared, [side.run for side in sides])
        for place, (side, reference) in enumerate(zip(views, sides, strict=True)):
            self.prepared.append((side, reference))
            self.pairs += side.size * reference.size
            if side.size and reference.size:
                filled.append(place)
        self._matrices: list[tuple[list[int], FieldCosts]] = []
        runs = list(map(itemgetter(0), map(self.prepared.__getitem__, filled)))
        for part, costs in cost_matrices(runs, list(map(sides.__getitem__, filled)), metric):
            self._matrices.append((list(map(filled.__getitem__, part)), costs))
        self._problems: dict[int, StepProblem] = {}
        self._room = _KEPT

    def problems(self, places: Collection[int]) -> dict[int, StepProblem]:
        """Returns the problems with these references, by place; one without steps has none."""
        problems: dict[int, StepProblem] = {}
        for together, costs in self._matrices:
            start = 0
            for place in together:
                size = self.prepared[place][1].size
                if place in places:
                    problems[place] = self._pose(place, costs, start, start + size)
                start += size
        return problems

    def _pose(self, place: int, costs: FieldCosts, start: int, end: int) -> StepProblem:
        """The problem with a reference that has some columns of a cost matrix."""
        known = self._problems.get(place)
        if known is not None:
            return known
        run, reference = self.prepared[place]
        nested = with_substeps(run, reference, costs.columns(start, end), self.metric)
        problem = step_problem(run, reference, nested, self.metric)
        self._room -= nested.total.size
        if self._room >= 0:
            self._problems[place] = problem
        return problem

    def take(self, places: Collection[int], found: dict[int, Compared]) -> None:
        """Keeps the comparisons with some references, and their verdicts.

        Under relative mass there is none.

        Args:
            places: the references.
            found: comparisons by place; a reference that has none is one without steps on a side,
                whose comparison needs no solver.
        """
        for place in places:
            compared = found.get(place) or self._compare_without_steps(place)
            if self.metric.config.mass == "absolute":
                self.findings[place] = findings = find(compared)
                critical = findings and findings[0].severity == "critical"
                verdict: Verdict = "critical" if critical else "tolerated"
                compared = replace(compared, verdict=verdict)
            self.found[place] = compared

    def _compare_without_steps(self, place: int) -> WithoutSteps:
        config, (view, other) = self.metric.config, self.prepared[place]
        run, reference = view.run, other.run
        answers = compare_answers(run, reference, self.metric)
        weight = 0.0
        if config.mass == "relative":
            losses = config.lambda_agent, config.lambda_reference
        else:
            ours, theirs = (side.weights(reference.full_weight) for side in (run, reference))
            weight = float(theirs.sum())
            M, _ = units_of_mass(ours.sum() + answers.run, weight + answers.reference, config)
            answers = price_answers(answers, M, config)
            losses = (
                config.lambda_agent * float(ours @ view.penalties(reference)) / M,
                config.lambda_reference * weight / M,
            )
        both = run.scored, reference.scored
        return WithoutSteps(*both, *losses, (view, other), weight, answers)

    def solve(self, reach: Reach) -> None:
        """Solves references in the order of their bounds, until the next is out of reach.

        Args:
            reach: says from the losses found so far, in rising order, up to which bound a reference
                can still matter.
        """
        order = iter(np.argsort(self.bounds, kind="stable").tolist())
        for size in (_FIRST << k for k in count()):
            limit = reach(sorted(compared.loss for compared in self.found.values()))
            batch = [k for k in islice(order, size) if self.bounds[k] <= limit + _SLACK]
            if not batch:
                return
            problems = self.problems(batch)
            solved = compare(list(problems.values()), self.metric)
            self.take(batch, dict(zip(problems, solved, strict=True)))

    def converged(self, reach: Reach) -> bool:
        """Says whether the solver is done with all references that can still matter."""
        unfinished = []
        for place, compared in self.found.items():
            if not compared.converged:
                unfinished.append(place)
        return not unfinished or bool(
            (self.bounds[unfinished] > reach(sorted(self.losses)) + _SLACK).all()
        )

    @property
    def losses(self) -> list[float]:
        """The loss against each reference, or its bound where it was not solved."""
        losses = []
        for place in range(len(self.prepared)):
            compared = self.found.get(place)
            losses.append(compared.loss if compared else float(self.bounds[place]))
        return losses

    @cached_property
    def bounds(self) -> Array:
        """A lower bound of each loss; 0 where nothing is known before it is solved."""
        bounds, lost = np.zeros(len(self.prepared)), set[int]()
        for places, costs in self._matrices:
            bounds[places] = self._bound_losses(places, costs)
            lost.update(self._find_lost(places, costs))
        # Sub-steps can bring steps together: what their fields cost is then no bound.
        opened = [
            k for k, pair in enumerate(self.prepared) if any(s.run.has_substeps for s in pair)
        ]
        bounds[opened] = 0
        if self.metric.config.mass == "relative":
            return bounds
        lost.difference_update(opened)
        for place, bound in enumerate(bounds.tolist()):
            bounds[place] = apply_severity_band(bound, "critical" if place in lost else "tolerated")
        return bounds

    def _find_lost(self, places: list[int], costs: FieldCosts) -> Iterator[int]:
        """Yields references with a write for which no step, nor any union, of the run may stand.

        No tool of a write on either side is one of the other side's tools: whatever the coupling,
        something critical is found.
        """
        tools, start = costs.distances.get("tool"), 0
        for place in places:
            run, reference = self.prepared[place]
            end = start + reference.size
            writes = [_changing(side) for side in (run, reference)]
            if tools is not None and writes[1].any():
                distances = tools[:, start:end]
                if min(distances[writes[0]].min(initial=1), distances[:, writes[1]].min()) >= 1:
                    yield place
            start = end

    def _bound_losses(self, places: list[int], costs: FieldCosts) -> Array:
        """Lower bounds for references that share a matrix, of node costs alone.

        Which steps are critical is read off the graph, which is not looked for here: what is taken
        is the least that the mass or the penalty of any step can be.
        """
        config, view = self.metric.config, self.prepared[places[0]][0]
        run, references = view.run, [self.prepared[place][1].run for place in places]
        mu, nu, penalties, untold = list[Array](), list[Array](), list[Array](), list[float]()
        for reference in references:
            answers = compare_answers(run, reference, self.metric)
            ours, theirs = run.weights(reference.full_weight), reference.reference_weights
            weights = ours.sum() + answers.run, theirs.sum() + answers.reference
            units = units_of_mass(*weights, config)
            mu.append(ours / units[0])
            nu.append(theirs / units[1])
            penalties.append(view.penalties(reference))
            untold.append(price_answers(answers, units[1], config).loss)
        least, by_mass = 1.0 / (1.0 + config.kappa), config.criticality == "mass"
        C, starts = costs.total, np.cumsum([0, *(reference.size for reference in references[:-1])])
        lambda_1 = config.lambda_agent * np.array(penalties).T
        lambda_2 = np.full(C.shape[1], config.lambda_reference * (1.0 if by_mass else least))
        if config.contraction:
            C = self._free_mergeable(places, costs, lambda_1, lambda_2)
        columns = Columns(
            self.metric.moving_cost(C),
            starts,
            (least if by_mass else 1.0) * np.concatenate(nu),
            lambda_2,
        )
        bounds: Array = lower_bounds(columns, np.array(mu).T, lambda_1, config.theta)
        bounds += untold
        return bounds

    def _free_mergeable(
        self, places: list[int], costs: FieldCosts, lambda_1: Array, lambda_2: Array
    ) -> Array:
        """The node costs with 0 for steps that may merge, which cost nothing unmatched, in place.

        No merging can lower the loss below a bound of these.
        """
        C, start = costs.total.copy(), 0
        for k, place in enumerate(places):
            run, reference = self.prepared[place]
            end = start + reference.size
            rows, columns = find_mergeable(
                _merge_flags(run), _merge_flags(reference), costs.columns(start, end)
            )
            C[:, start:end][rows] = 0.0
            C[:, start:end][:, columns] = 0.0
            lambda_1[rows, k] = lambda_2[start:end][columns] = _TINY
            start = end
        return C


def _merge_flags(view: RunView) -> StepFlags:
    flat = view.columns.flat
    writes = np.array([role == "writes" for role in view.roles], dtype=np.bool_)
    return StepFlags(~view.run.failed & flat, flat, writes)


def _changing(side: RunView) -> npt.NDArray[np.bool_]:
    """Which steps change something: those that write and did not fail."""
    writes = [role == "writes" for role in side.roles]
    return np.array(writes, dtype=np.bool_) & ~side.run.failed


def solve_together(searches: Sequence[Search]) -> None:
    """Makes the comparisons with all references of some searches, in one batch."""
    wanted, everything = [], list[StepProblem]()
    for search in searches:
        problems = search.problems(range(len(search.prepared)))
        wanted.append((search, problems))
        everything += problems.values()
    found = iter(compare(everything, searches[0].metric) if searches else [])
    for search, problems in wanted:
        # The problems come first: they, and not what was found, say where to stop.
        search.take(range(len(search.prepared)), dict(zip(problems, found, strict=False)))


@dataclass(frozen=True)
class Neighbour:
    """One of the nearest: its place in the corpus, the trajectory, and the loss against it."""

    index: int
    trajectory: Trajectory
    loss: float


@dataclass(frozen=True)
class Nearest:
    """The nearest trajectories, best first; ties in the order of the corpus.

    ``solved`` of ``total`` transport problems had to be solved to be sure.
    """

    neighbours: tuple[Neighbour, ...]
    solved: int
    total: int


def find_nearest(run: Trajectory, corpus: Sequence[Trajectory], k: int, metric: Metric) -> Nearest:
    """Returns the k nearest neighbours of a run by loss, the same as if all were solved.

    Args:
        run: the query.
        corpus: the trajectories that are searched, at least one.
        k: how many are wanted, at least 1.
        metric: the settings; without contraction.

    Raises:
        LimitError: if a side is too long, or its sub-steps too deep.
        NoReferenceError: if no field is recorded on both sides.
    """
    search = Search(run, corpus, metric)
    search.solve(lambda losses: losses[k - 1] if len(losses) >= k else float("inf"))
    best = sorted(search.found, key=lambda place: (search.found[place].loss, place))[:k]
    return Nearest(
        tuple(Neighbour(place, corpus[place], search.found[place].loss) for place in best),
        solved=len(search.found),
        total=len(corpus),
    )
