"""The losses of one run against its references: of all, or by bounds of those that can matter.

Several references count by the soft-min of their losses ([Barazandeh2026], eq. 5).
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from otap._caching import cached_property
from otap.alignment import Compared, StepProblem, WithoutSteps
from otap.matrices import FieldCosts
from otap.scoring.compare.metric import Metric
from otap.scoring.compare.problem import (
    cost_matrices,
    priced,
    step_problem,
    telling_of,
    units_of_mass,
)
from otap.scoring.compare.solve import compare, with_substeps, with_unions
from otap.trajectory import Trajectory
from otap.transport import Columns, lower_bound, lower_bounds

# References of the first batch; each later one is twice as large. Several are solved in the time
# of one, and few are needed.
_FIRST = 4
# What rounding may add to a bound, or take from a loss.
_SLACK = 1e-9
# Pairs of steps in the problems that are kept once they were needed for a bound.
_KEPT = 2_000_000
# What references that were not solved may change the soft-min by, together.
NEGLIGIBLE = 1e-9
TIE = 1e-12  # losses that differ by less differ by rounding
Array = npt.NDArray[np.float64]
Reach = Callable[[list[float]], float]


class SoftMinimum(NamedTuple):
    """The aggregate loss, the weight of each reference in it, and the spread term.

    loss = sum_k weights_k losses_k + spread, with 0 <= spread <= T log K.
    """

    loss: float
    weights: Array
    spread: float


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


class Search:
    """The references of one run: a lower bound of each loss, and the comparisons made so far.

    Args:
        run: the run as it was recorded.
        references: at least one, as recorded.
        metric: the settings, and the runs prepared so far.

    Attributes:
        found: the comparisons made so far, by the place of the reference.
        prepared: the references; runs: for each of them the run as it is compared with it.

    Raises:
        LimitError: if a side is too long, or its sub-steps too deep.
        NoReferenceError: if no field is recorded on both sides.
    """

    def __init__(self, run: Trajectory, references: Sequence[Trajectory], metric: Metric) -> None:
        self.found: dict[int, Compared] = {}
        # Prepared runs do not keep what they were made of.
        self.run, self.references, self.metric = run, references, metric
        self.prepared = list(map(metric.runs.of, references))
        prepared = metric.runs.passing(run)
        self.runs = list(map(prepared.beside, self.prepared))
        self.pairs = 0  # of a step of the run and one of its references, whose costs are held
        filled = []
        for k, (ours, theirs) in enumerate(zip(self.runs, self.prepared, strict=True)):
            self.pairs += ours.size * theirs.size
            if ours.size and theirs.size:
                filled.append(k)
        runs = list(map(self.runs.__getitem__, filled))
        others = list(map(self.prepared.__getitem__, filled))
        self._matrices: list[tuple[list[int], list[int], FieldCosts]] = []
        # For each reference with steps the matrix that it is part of, and its first column.
        self._columns: dict[int, tuple[FieldCosts, int]] = {}
        for part, costs in cost_matrices(runs, others, metric):
            places, starts, start = [filled[k] for k in part], [], 0
            for k in places:
                self._columns[k] = costs, start
                starts.append(start)
                start += self.prepared[k].size
            self._matrices.append((places, starts, costs))
        self._problems: dict[int, StepProblem] = {}
        self._united: dict[StepProblem, StepProblem | None] = {}
        self._room = _KEPT

    def problem(self, k: int) -> StepProblem | None:
        """Returns the problem with a reference; None if a side has no steps."""
        if k in self._problems or k not in self._columns:
            return self._problems.get(k)
        (costs, start), run, reference = self._columns[k], self.runs[k], self.prepared[k]
        own = costs.columns(start, start + reference.size)
        nested = with_substeps(run, reference, own, self.metric)
        problem = step_problem(run, reference, nested, self.metric)
        self._room -= own.total.size
        if self._room >= 0:
            self._problems[k] = problem
        return problem

    def without_steps(self, k: int) -> WithoutSteps:
        """Returns the comparison with a reference where a side has no steps: it needs no solver."""
        config, run, reference = self.metric.config, self.runs[k], self.prepared[k]
        telling = telling_of(run, reference, self.metric)
        weight = 0.0
        losses = config.lambda_agent, config.lambda_reference
        if config.mass != "relative":
            ours, theirs = (side.weights(reference.in_full) for side in (run, reference))
            weight = float(theirs.sum())
            M, _ = units_of_mass(
                float(ours.sum()) + telling.run, weight + telling.reference, config
            )
            telling = priced(telling, M, config)
            losses = (
                config.lambda_agent * float(ours @ run.penalties(reference)) / M,
                config.lambda_reference * weight / M,
            )
        sides = run, reference
        return WithoutSteps(run.counted, reference.counted, *losses, sides, weight, telling)

    def solve(self, reach: Reach | None = None) -> None:
        """Solves references in the order of their bounds, until the next is out of reach.

        Args:
            reach: says from the losses found so far, in rising order, up to which bound a reference
                can still matter; None: as long as it can move the soft-min.
        """
        reach, order = reach or self.reach, iter(np.argsort(self.bounds, kind="stable").tolist())
        for size in (_FIRST << k for k in count()):
            limit = reach(sorted(compared.loss for compared in self.found.values()))
            batch = [k for k in islice(order, size) if self.bounds[k] <= limit + _SLACK]
            if not batch:
                return
            solve_together([self], batch)

    def reach(self, losses: Sequence[float]) -> float:
        """Returns the loss up to which a reference can move the soft-min by NEGLIGIBLE or more."""
        if not losses:
            return math.inf
        temperature = self.metric.config.temperature
        weight = temperature * len(self.references) / NEGLIGIBLE
        return losses[0] + (temperature * math.log(weight) if weight > 1 else 0.0)

    @property
    def converged(self) -> bool:
        """Whether the solver is done with all references that can still matter."""
        unfinished = [k for k in self.found if not self.found[k].converged]
        limit = self.reach(sorted(self.losses)) if unfinished else 0.0
        return all(self.bounds[k] > limit + _SLACK for k in unfinished)

    @property
    def losses(self) -> list[float]:
        """The loss against each reference, or its bound where it was not solved."""
        places = range(len(self.references))
        return [self.found[k].loss if k in self.found else float(self.bounds[k]) for k in places]

    @cached_property
    def bounds(self) -> Array:
        """A lower bound of each loss; 0 where nothing is known before it is solved."""
        bounds = np.zeros(len(self.prepared))
        for places, starts, costs in self._matrices:
            bounds[places] = self._bounds_of(places, starts, costs.total)
        for k, run in enumerate(self.runs):
            # Sub-steps can bring steps together: what their fields cost is then no bound.
            if run.has_substeps or self.prepared[k].has_substeps:
                bounds[k] = 0.0
        for k, united in self._unions():
            bounds[k] = min(bounds[k], lower_bound(united.arrays) + united.telling.loss)
        return bounds

    def _unions(self) -> Iterator[tuple[int, StepProblem]]:
        """The references whose problem has unions, with that problem."""
        for k in self._columns if self.metric.config.contraction else ():
            problem = self.problem(k)
            united = problem and self.with_unions(problem, self.metric)
            if united is not None:
                yield k, united

    def with_unions(self, problem: StepProblem, metric: Metric) -> StepProblem | None:
        """Returns a problem with unions; of one that is kept they are sought once."""
        if problem not in self._united:
            self._united[problem] = with_unions(problem, metric)
        return self._united[problem]

    def _bounds_of(self, places: list[int], starts: list[int], C: Array) -> Array:
        config, run = self.metric.config, self.runs[places[0]]
        mu, nu, penalties, untold = [], [], [], []
        for reference in map(self.prepared.__getitem__, places):
            ours, theirs = (side.weights(reference.in_full) for side in (run, reference))
            told = telling_of(run, reference, self.metric)
            units = units_of_mass(ours.sum() + told.run, theirs.sum() + told.reference, config)
            mu.append(ours / units[0])
            nu.append(theirs / units[1])
            penalties.append(config.lambda_agent * run.penalties(reference))
            untold.append(priced(told, units[1], config).loss)
        # Which steps are critical is read off the graph, which is not looked for here: the least
        # that the mass or the penalty of any step can be.
        least = 1.0 / (1.0 + config.kappa)
        by_mass = config.criticality == "mass"
        columns = Columns(
            self.metric.moving_cost(C),
            np.array(starts),
            (least if by_mass else 1.0) * np.concatenate(nu),
            np.full(C.shape[1], config.lambda_reference * (1.0 if by_mass else least)),
        )
        masses, lambdas = np.array(mu).T, np.array(penalties).T
        bounds: Array = lower_bounds(columns, masses, lambdas, config.theta) + untold
        return bounds


def solve_together(searches: Sequence[Search], places: Sequence[int] | None = None) -> None:
    """Compares runs with their references, in one batch.

    Args:
        searches: the runs.
        places: of the references; None: all of each search.
    """
    wanted: list[tuple[Search, int]] = []
    problems: list[StepProblem] = []
    for search in searches:
        for k in range(len(search.references)) if places is None else places:
            problem = search.problem(k)
            if problem is None:
                search.found[k] = search.without_steps(k)
            else:
                wanted.append((search, k))
                problems.append(problem)
    if problems:
        known = searches[0].with_unions if len(searches) == 1 else with_unions
        compared = compare(problems, searches[0].metric, known)
        for (search, k), comparison in zip(wanted, compared, strict=True):
            search.found[k] = comparison


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
    search.solve(lambda losses: losses[k - 1] if len(losses) >= k else math.inf)
    losses = {place: found.loss for place, found in search.found.items()}
    best = sorted(losses, key=lambda place: (losses[place], place))[:k]
    neighbours = tuple(Neighbour(place, corpus[place], losses[place]) for place in best)
    return Nearest(neighbours, solved=len(losses), total=len(corpus))


def least_place(losses: Sequence[float]) -> int:
    """Returns the place of the least loss, the first on a tie.

    Args:
        losses: at least one.
    """
    least = min(losses) + TIE
    for place, loss in enumerate(losses):
        if loss <= least:
            return place
    return 0


def soft_minimum(losses: Sequence[float], temperature: float) -> SoftMinimum:
    """Returns -T log(mean exp(-L_k / T)); at temperature 0 the least loss, of the nearest alone.

    Args:
        losses: one of each reference, at least one.
        temperature: T, at least 0, in units of the loss.
    """
    if temperature == 0:
        weights = np.zeros(len(losses))
        weights[least_place(losses)] = 1.0
        return SoftMinimum(float(min(losses)), weights, 0.0)
    values = np.asarray(losses, dtype=np.float64)
    shifted = np.exp(-(values - values.min()) / temperature)
    weights = shifted / shifted.sum()
    entropy = -(weights * np.log(np.where(weights > 0, weights, 1.0))).sum()
    spread = temperature * max(0.0, float(np.log(len(values)) - entropy))
    return SoftMinimum(float(weights @ values) + spread, weights, spread)
