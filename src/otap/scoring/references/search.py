"""The losses of one run against its references: of all, or by bounds of those that can matter."""

from collections.abc import Callable, Iterator, Sequence
from itertools import count, islice

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
from otap.scoring.prepare.prepared import PreparedRun
from otap.trajectory import Trajectory
from otap.transport import Columns, lower_bound, lower_bounds

# References of the first batch; each later one is twice as large. Several are solved in the time
# of one, and few are needed.
_FIRST = 4
# What rounding may add to a bound, or take from a loss.
_SLACK = 1e-9
# Pairs of steps in the problems that are kept once they were needed for a bound.
_KEPT = 2_000_000
Array = npt.NDArray[np.float64]


class Search:
    """The references of one run: a lower bound of each loss, and the comparisons made so far.

    Args:
        run: the run as it was recorded.
        references: at least one, as recorded.
        metric: the settings, and the runs prepared so far.

    Raises:
        LimitError: if a side is too long, or its sub-steps too deep.
        NoReferenceError: if no field is recorded on both sides.
    """

    def __init__(self, run: Trajectory, references: Sequence[Trajectory], metric: Metric) -> None:
        self.found: dict[int, Compared] = {}
        self._given, self.metric = (run, references), metric  # prepared runs do not keep them
        self._references = [metric.runs.of(reference) for reference in references]
        prepared = metric.runs.passing(run)
        self._runs = [prepared.beside(reference) for reference in self._references]
        self.run = prepared.trajectory
        self.references = [reference.trajectory for reference in self._references]
        self._matrices = list(self._cost_matrices())
        self._made: dict[int, StepProblem] = {}
        self._united: dict[StepProblem, StepProblem | None] = {}
        self._room = _KEPT

    def _cost_matrices(self) -> Iterator[tuple[list[int], FieldCosts]]:
        """The cost matrices of references with steps that see the run alike, and whose they are."""
        seen: dict[PreparedRun, list[int]] = {}
        for k, (run, reference) in enumerate(zip(self._runs, self._references, strict=True)):
            if run.size and reference.size:
                seen.setdefault(run, []).append(k)
        for run, places in seen.items():
            others = [self._references[k] for k in places]
            for part, costs in cost_matrices(run, others, self.metric):
                yield [places[k] for k in part], costs

    @property
    def pairs(self) -> int:
        """The pairs of a step of the run and one of its references, whose costs are held."""
        return sum(reference.size for reference in self._references) * self._runs[0].size

    def problems(self, places: Sequence[int]) -> dict[int, StepProblem]:
        """Returns the problems with these references, by place; one without steps has none."""
        return {k: self._problem(k) for k in places if k in self._columns}

    def _problem(self, k: int) -> StepProblem:
        if k in self._made:
            return self._made[k]
        made = self._made_problem(k)
        self._room -= made.costs.total.size
        if self._room >= 0:
            self._made[k] = made
        return made

    def _made_problem(self, k: int) -> StepProblem:
        costs, start = self._columns[k]
        run, reference = self.prepared(k)
        own = costs.columns(start, start + reference.size)
        run = run.in_names_of(reference)
        nested = with_substeps(run, reference, own, self.metric)
        return step_problem(run, reference, nested, self.metric)

    @cached_property
    def _columns(self) -> dict[int, tuple[FieldCosts, int]]:
        """For each reference with steps the matrix that it is part of, and its first column."""
        return {
            k: (costs, start)
            for places, costs in self._matrices
            for k, start in zip(places, self._starts(places).tolist(), strict=True)
        }

    def _starts(self, places: Sequence[int]) -> npt.NDArray[np.intp]:
        sizes = [self._references[k].size for k in places]
        return np.cumsum([0, *sizes[:-1]])

    def prepared(self, place: int) -> tuple[PreparedRun, PreparedRun]:
        """Returns the run and a reference as they were prepared."""
        return self._runs[place], self._references[place]

    @property
    def given(self) -> tuple[Trajectory, Sequence[Trajectory]]:
        """The run and all its references as they were recorded."""
        return self._given

    def recorded(self, place: int) -> tuple[Trajectory, Trajectory]:
        """Returns the run and a reference as they were recorded."""
        run, references = self._given
        return run, references[place]

    def left_out(self, place: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Returns the steps of the run, and of a reference, that do not count."""
        return self._runs[place].left_out, self._references[place].left_out

    def take(self, places: Sequence[int], found: dict[int, Compared]) -> None:
        """Keeps the comparisons with some references.

        Args:
            places: the references.
            found: comparisons by place; a reference that has none is one without steps on a side,
                whose comparison needs no solver.
        """
        for k in places:
            self.found[k] = found.get(k) or self._without_steps(k)

    def _without_steps(self, k: int) -> WithoutSteps:
        config, (run, reference) = self.metric.config, self.prepared(k)
        telling = telling_of(run, reference, self.metric)
        weight = 0.0
        if config.mass == "relative":
            losses = config.lambda_agent, config.lambda_reference
        else:
            ours, theirs = (side.weights(reference.in_full) for side in (run, reference))
            weight = float(theirs.sum())
            M, _ = units_of_mass(ours.sum() + telling.run, weight + telling.reference, config)
            telling = priced(telling, M, config)
            losses = (
                config.lambda_agent * float(ours @ run.penalties(reference)) / M,
                config.lambda_reference * weight / M,
            )
        sides = run, reference
        return WithoutSteps(run.trajectory, self.references[k], *losses, sides, weight, telling)

    def solve(self, reach: Callable[[list[float]], float]) -> None:
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
            solved = compare(list(problems.values()), self.metric, self._with_unions)
            self.take(batch, dict(zip(problems, solved, strict=True)))

    def converged(self, reach: Callable[[list[float]], float]) -> bool:
        """Whether the solver is done with all references that can still matter, as in `solve`."""
        unfinished = [k for k, compared in self.found.items() if not compared.converged]
        limit = reach(sorted(self.losses)) if unfinished else 0.0
        return all(self.bounds[k] > limit + _SLACK for k in unfinished)

    @property
    def losses(self) -> list[float]:
        """The loss against each reference, or its bound where it was not solved."""
        return [
            self.found[k].loss if k in self.found else float(self.bounds[k])
            for k in range(len(self.references))
        ]

    @cached_property
    def bounds(self) -> Array:
        """A lower bound of each loss; 0 where nothing is known before it is solved."""
        bounds = np.zeros(len(self._references))
        for places, costs in self._matrices:
            bounds[places] = self._bounds_of(places, costs.total)
        pairs = enumerate(zip(self._runs, self._references, strict=True))
        nested = [k for k, sides in pairs if any(side.has_substeps for side in sides)]
        # Sub-steps can bring steps together: what their fields cost is then no bound.
        bounds[nested] = 0.0
        for k, united in self._unions():
            bounds[k] = min(bounds[k], lower_bound(united.arrays) + united.telling.loss)
        return bounds

    def _unions(self) -> Iterator[tuple[int, StepProblem]]:
        """The references whose problem has unions, with that problem."""
        if not self.metric.config.contraction:
            return
        for k in self._columns:
            united = self._with_unions(self._problem(k), self.metric)
            if united is not None:
                yield k, united

    def _with_unions(self, problem: StepProblem, metric: Metric) -> StepProblem | None:
        """A problem with unions; of one that is kept they are sought once."""
        if problem not in self._united:
            self._united[problem] = with_unions(problem, metric)
        return self._united[problem]

    def _bounds_of(self, places: list[int], C: Array) -> Array:
        config, seen = self.metric.config, self._runs[places[0]]
        references = [self._references[k] for k in places]
        ours = [seen.weights(reference.in_full) for reference in references]
        theirs = [reference.weights(reference.in_full) for reference in references]
        units, untold = self._units(seen, references, ours, theirs)
        # Which steps are critical is read off the graph, which is not looked for here: the least
        # that the mass or the penalty of any step can be.
        least = 1.0 / (1.0 + config.kappa)
        by_mass = config.criticality == "mass"
        nu = [other / unit[1] for other, unit in zip(theirs, units, strict=True)]
        columns = Columns(
            self.metric.moving_cost(C),
            self._starts(places),
            (least if by_mass else 1.0) * np.concatenate(nu),
            np.full(C.shape[1], config.lambda_reference * (1.0 if by_mass else least)),
        )
        mu = np.array([run / unit[0] for run, unit in zip(ours, units, strict=True)]).T
        penalties = np.array([seen.penalties(reference) for reference in references]).T
        return lower_bounds(columns, mu, config.lambda_agent * penalties, config.theta) + untold

    def _units(
        self,
        run: PreparedRun,
        references: Sequence[PreparedRun],
        ours: Sequence[Array],
        theirs: Sequence[Array],
    ) -> tuple[list[tuple[float, float]], Array]:
        """The units of mass against each reference, and the loss of what was not told."""
        config = self.metric.config
        told = [telling_of(run, reference, self.metric) for reference in references]
        units = [
            units_of_mass(own.sum() + one.run, other.sum() + one.reference, config)
            for own, other, one in zip(ours, theirs, told, strict=True)
        ]
        losses = [priced(one, unit[1], config).loss for one, unit in zip(told, units, strict=True)]
        return units, np.array(losses)


def solve_together(searches: Sequence[Search]) -> None:
    """Makes the comparisons with all references of some searches, in one batch."""
    wanted = [search.problems(range(len(search.references))) for search in searches]
    everything = [one for problems in wanted for one in problems.values()]
    found = iter(compare(everything, searches[0].metric) if searches else [])
    for search, problems in zip(searches, wanted, strict=True):
        mine: dict[int, Compared] = {place: next(found) for place in problems}
        search.take(range(len(search.references)), mine)
