"""The progress of a run step by step, from the steps so far alone: a reward, and a guard.

Each step of a run is compared with the steps of a reference when it is added; nothing is solved
again. An assignment of the steps so far to the steps of the reference gives the potential

    P_t = (saved - extra - order) / needed

``saved`` is the part of the price of missing steps that the matched pairs save. ``extra`` is the
price of the steps that match nothing; an attempt at a missing step costs little, as in the score,
and in full once that step is done. ``order`` is a charge for pairs whose order contradicts the
reference's dependencies, and ``needed`` the price of an empty run. All are the prices of the score.

The reward of a step is P_t - P_(t-1). That of the stop is V - P_T, with the value V of the whole
run. This is potential-based shaping [Ng1999] with P as the potential and V as the reward at the
end. The rewards of a run sum to V, and the policy that is best for V stays the best one.
"""

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from otap.alignment import StepProblem
from otap.errors import ConfigError, FormatError, LimitError, shown
from otap.findings import Finding
from otap.findings.budget import find_exceeded
from otap.findings.finding import WRITES, name_step, name_steps
from otap.graph import DependencyGraph
from otap.plans import Plan, list_expansions
from otap.run.generated_ids import Renaming
from otap.run.identifiers import read_positions
from otap.scoring.metric import Metric
from otap.scoring.near_misses import compute_discounts
from otap.scoring.references import ReferenceComparisons, solve_together
from otap.scoring.work import open_account
from otap.trajectory import Step, Trajectory, parse_trajectory
from otap.transport.assignment import assignment
from otap.transport.parameters import FORBIDDEN

if TYPE_CHECKING:
    from otap.scoring.scorer import Scorer

Value = Literal["skill", "score"]
Array = npt.NDArray[np.float64]
# The findings about a call itself; others are about the whole run.
_ABOUT_CALLS = frozenset(("invented", "arguments", "tool"))
_ROUNDING = 1e-9
# Maximum comparisons of a step of the run with a step of a reference, about ten seconds. Apart from
# its steps, a whole reference costs as much as _PAIRS_OF_REFERENCE of them.
_MAX_PAIRS = 100_000
_PAIRS_OF_REFERENCE = 30
_MAX_STORED = 10_000  # steps whose comparison with a reference is stored, for later runs
# Fields that do not change how a step compares with the steps of a reference.
_NO_CONTENT = {"id", "turn", "started_at", "ended_at"}


@dataclass(frozen=True)
class StepReward:
    """The reward of one step, or of the stop.

    Attributes:
        step: the id of the step; None for the stop.
        reward: the change of the progress; all rewards of a run sum to its value.
        progress: the progress after the step: 1 if all work of the reference is done and nothing
            else; after the stop the value of the run.
        counterpart: the step of the nearest reference whose work the step does; None if there is
            none.
    """

    step: str | None
    reward: float
    progress: float
    counterpart: str | None = None


class _Row(NamedTuple):
    """A step of the run as one row of the assignment with a reference."""

    gains: Array  # of each pair, against leaving both steps unmatched, (m,)
    discounts: Array  # of its price, as an attempt at each step of the reference, (m,)
    price: float  # of the step if it matches nothing and is no attempt
    role: str


class _Match(NamedTuple):
    """An assignment of steps, and the loss that it saves."""

    saved: float
    counterparts: Mapping[int, int] = {}  # of the rows


class _ReferenceProgress:
    """The steps so far against one reference.

    Args:
        reference: a known-good run, or a run that a plan allows.
        metric: the settings, and the runs prepared so far.
    """

    def __init__(self, reference: Trajectory, metric: Metric) -> None:
        self.reference, self._metric = reference, metric
        self.match, self.needed = _Match(0.0), 0.0
        self._rows: list[_Row] = []
        self._rows_by_step: dict[str, list[_Row]] = {}
        self._ids: dict[str, str] = {}  # of the run, with the ids that the reference has for them
        # Compared with itself, a reference shows its own dependencies and prices.
        self._problem = self._pose(reference)[1]
        if self._problem is not None:
            self.needed = float(self._prices.sum())

    def restart(self) -> "_ReferenceProgress":
        """Returns the progress of a run without steps, which shares the comparisons of steps."""
        side = copy.copy(self)
        side.match, side._rows, side._ids = _Match(0.0), [], {}
        return side

    @property
    def loss(self) -> float:
        """The price of missing and of extra steps, before the severity band."""
        return self.needed - self.match.saved

    def rename(self, run: Trajectory) -> Trajectory:
        """Returns a run with the reference's ids for the things that both made.

        The run's own things lose these ids, so that a copied id names another thing.
        """
        return self._exchange.rename_run(run) if self._ids else run

    def rename_back(self, text: str) -> str:
        """Returns a text about a renamed run with the run's own ids."""
        return str(self._exchange.rename_data(text)) if self._ids else text

    def try_step(self, run: Trajectory) -> tuple[_Match, list[_Row]]:
        """Returns the assignment with one step more, and the rows of that step.

        Args:
            run: a run of that step alone.
        """
        rows = self._compare_step(self.rename(run))
        return self._assign([*self._rows, *rows]), rows

    def add(self, run: Trajectory) -> str | None:
        """Adds a step, and returns the id of its counterpart.

        Args:
            run: a run of that step alone.
        """
        self.match, rows = self.try_step(run)
        first = len(self._rows)
        self._rows += rows
        counterpart = None
        for row in range(first, len(self._rows)):
            j = self.match.counterparts.get(row)
            if j is not None:
                counterpart = self._list_steps()[j].id
                self._ids |= self._pair_ids(run.steps[0], j)
        return counterpart

    def list_next(self) -> list[Step]:
        """Returns the steps that are left and need none that is left, with the run's ids."""
        done = set(self.match.counterparts.values())
        parents, names = self._graph.parents, {name: run_id for run_id, name in self._ids.items()}
        steps = [
            step
            for j, step in enumerate(self._list_steps())
            if j not in done and done.issuperset(parents[j])
        ]
        return [*Renaming(names).rename_run(Trajectory(steps=tuple(steps))).steps]

    def object_to(self, run: Trajectory) -> tuple[str, tuple[Step, ...]] | None:
        """Returns what speaks against a step that equals one of the reference, or None.

        Args:
            run: a run of that step alone.

        Returns:
            "repeated" and no steps if it was done already. "reversed" and the steps that it needs
            if these are left. "invented" and no steps if it equals none.
        """
        match, rows = self.try_step(run)
        if not any(row.role in (WRITES, "forbidden") for row in rows):
            return None
        if match.saved <= self.match.saved + _ROUNDING:
            equals = any((row.gains > 0).any() for row in rows)
            return ("repeated" if equals else "invented"), ()
        done, steps = set(self.match.counterparts.values()), self._list_steps()
        new = set(match.counterparts.values()) - done
        left = sorted({k for j in new for k in self._graph.parents[j]} - done - new)
        return ("reversed", tuple(steps[k] for k in left)) if left else None

    @property
    def _exchange(self) -> Renaming:
        return Renaming({**{name: run_id for run_id, name in self._ids.items()}, **self._ids})

    @property
    def _graph(self) -> DependencyGraph:
        if self._problem is None:
            return DependencyGraph(0, (), "explicit")
        graph = self._problem.reference.graph
        return graph if self._problem.order_scored else DependencyGraph(graph.size, (), "explicit")

    @property
    def _prices(self) -> Array:
        """The price of each step of the reference if it is missing."""
        if self._problem is None:
            return np.zeros(0)
        prices: Array = self._problem.arrays.lambda_2 * self._problem.arrays.nu
        return prices

    def _list_steps(self) -> Sequence[Step]:
        return () if self._problem is None else self._problem.reference.steps

    def _compare_step(self, run: Trajectory) -> list[_Row]:
        """The rows of a run of one step; equal steps are compared once."""
        content = run.steps[0].model_dump_json(exclude=_NO_CONTENT)
        rows = self._rows_by_step.get(content)
        if rows is None:
            rows, _ = self._pose(run)
            if len(self._rows_by_step) < _MAX_STORED:
                self._rows_by_step[content] = rows
        return rows

    def _pose(self, run: Trajectory) -> tuple[list[_Row], StepProblem | None]:
        """The rows of a run's steps, and their problem; None if either side has no steps."""
        comparisons = ReferenceComparisons(run, [self.reference], self._metric)
        problem = comparisons.problems([0]).get(0)
        if problem is None:
            solve_together([comparisons])
            view, price = comparisons.views[0][0], comparisons.solved[0].losses["extra_steps"]
            none = np.zeros(comparisons.views[0][1].size)
            return [_Row(none, none, price / view.size, role) for role in view.roles], None
        arrays = problem.arrays
        moved = np.minimum.outer(arrays.mu, arrays.nu)
        per_mass = arrays.lambda_1[:, None] + arrays.lambda_2 - (1 - arrays.theta) * arrays.C
        gains = np.where(arrays.C < FORBIDDEN, np.maximum(per_mass * moved, 0.0), 0.0)
        # The missing steps change as the run goes on, so attempts are excused in each assignment.
        C, has_pair = problem.costs.total, (arrays.C < FORBIDDEN).any(axis=1)
        charged = np.ones(len(C)) if problem.nearness is None else problem.nearness
        full, nearness = arrays.lambda_1 * arrays.mu / charged, np.ones(len(C))
        nearness[~has_pair] = (1 + C[~has_pair].min(axis=1)) / 2
        discounts = compute_discounts(full, nearness, arrays.lambda_2 * arrays.nu, C)
        discounts[has_pair] = 0.0
        prices = (nearness * full).tolist()
        rows = zip(gains, discounts, prices, problem.run.roles, strict=True)
        return [_Row(*row) for row in rows], problem

    def _assign(self, rows: Sequence[_Row]) -> _Match:
        """The assignment that saves most, less the prices of other steps and of its order."""
        extra = sum(row.price for row in rows)
        if not rows or not rows[0].gains.size:
            return _Match(-extra)
        gains = np.array([row.gains for row in rows])
        pairs = zip(*(side.tolist() for side in assignment(gains, maximize=True)), strict=True)
        counterparts = {i: j for i, j in pairs if gains[i, j] > 0}
        saved = float(sum(gains[i, j] for i, j in counterparts.items()))
        discounts = np.array([row.discounts for row in rows])
        discounts[:, list(counterparts.values())] = 0.0
        if discounts.any():  # each missing step excuses one attempt
            saved += float(discounts[assignment(discounts, maximize=True)].sum())
        return _Match(saved - extra - self._charge_order(counterparts), counterparts)

    def _charge_order(self, counterparts: Mapping[int, int]) -> float:
        """The charge for steps that ran before one that they need in the reference."""
        row_of, prices = {j: i for i, j in counterparts.items()}, self._prices.tolist()
        parents, theta = self._graph.parents, float(self._metric.config.theta)
        late = [
            min(prices[j], prices[k])
            for j, i in row_of.items()
            for k in parents[j]
            if row_of.get(k, i) > i
        ]
        return theta * float(sum(late))

    def _pair_ids(self, step: Step, j: int) -> dict[str, str]:
        """The ids that a step of the run made, each with the id that its counterpart made."""
        assert self._problem is not None
        run = self._problem.recorded[1].run
        created = run.generated_ids.by_step.get(run.scored_indices[j], ())
        pairs: dict[str, str] = {}
        for letter, data in (("e", step.effect), ("s", step.state)):
            expected = {at[1:]: name for at, name in created if at[0] == letter}
            if not expected:
                continue
            positions = read_positions(data, {}, run.roles[j] == WRITES)
            shown_ids = {at: name for name, at in positions}
            if len(shown_ids) == len(expected) == 1:
                pairs |= dict(zip(shown_ids.values(), expected.values(), strict=True))
            pairs |= {shown_ids[at]: expected[at] for at in shown_ids.keys() & expected.keys()}
        return {name: other for name, other in pairs.items() if name != other}


class Progress:
    """A run that grows step by step, against one or more references.

    Args:
        scorer: the settings and the encoder.
        references: known-good runs or plans, at least one.
        value: the value of a whole run: its skill, which is 0 for doing nothing, or its score.

    Raises:
        ConfigError: under the paper's metric, which has no price of a single step.
    """

    def __init__(
        self, scorer: "Scorer", references: Sequence[Trajectory], value: Value = "skill"
    ) -> None:
        if scorer.config.paper:
            raise ConfigError("progress: the preset 'paper' has no price of a step; use 'default'")
        self._scorer, self._metric = scorer, scorer.metric
        self._references, self._value = references, value
        self._run = Trajectory(steps=(), request=references[0].request)
        self._by_reference: dict[str, _ReferenceProgress] = {}
        self._unused: dict[str, _ReferenceProgress] = {}  # shared with the runs that restart
        self._progress, self._pairs = 0.0, 0
        self._sides = self._list_sides()

    @property
    def run(self) -> Trajectory:
        """The run of the steps so far."""
        return self._run

    @property
    def progress(self) -> float:
        """The progress so far: 0 at the start, 1 if all work is done and nothing else."""
        return self._progress

    def restart(self) -> "Progress":
        """Returns the progress of another run, without steps, against the same references.

        It is faster than a new one for runs that share steps, such as the runs of a group.
        """
        other = copy.copy(self)
        other._run = self._run.model_copy(update={"steps": ()})
        other._by_reference = {}
        other._progress, other._pairs = 0.0, 0
        other._sides = other._list_sides()
        return other

    def add(self, step: Step | Mapping[str, Any]) -> StepReward:
        """Adds a step that was carried out, and returns its reward.

        Args:
            step: with its arguments and its result. A mapping has the fields of a step of OTAP's
                format; id and turn are optional.

        Raises:
            FormatError: if the mapping is no step, or its id is taken.
            LimitError: if the run or the references are too long to be followed step by step.
        """
        new_step = self._read(step)
        isolated = self._isolate(new_step)
        self._count_pairs([side.reference for side in self._sides], 1)
        counterparts = {id(side): side.add(isolated) for side in self._sides}
        steps = (*self._run.steps, new_step)
        self._run = self._run.model_copy(update={"steps": steps})
        self._sides = self._list_sides()
        nearest = self._find_nearest()
        progress = nearest.match.saved / (nearest.needed or 1.0)
        reward, self._progress = progress - self._progress, progress
        return StepReward(new_step.id, reward, progress, counterparts.get(id(nearest)))

    def stop(self, run: Trajectory | None = None) -> StepReward:
        """Returns the reward of stopping, which pays for the missing steps.

        Args:
            run: the whole run, if more than its steps is known, such as its messages to the user.
        """
        score = self._scorer.score(run or self._run, self._references)
        value = score.score if self._value == "score" or score.skill is None else score.skill
        reward, self._progress = value - self._progress, value
        return StepReward(None, reward, value)

    def check(self, step: Step | Mapping[str, Any]) -> tuple[Finding, ...]:
        """Returns what speaks against a step before it is carried out; nothing is added.

        A step that changes something is objected to if the plan forbids it, no reference has it,
        each reference has another value (such as a recipient), it was done already, or it needs
        another step first. Any step is objected to with which the run exceeds a limit of the
        settings or of the plan.

        Args:
            step: as for :meth:`add`, without a result.
        """
        new_step = self._read(step)
        isolated = self._isolate(new_step)
        longer = self._run.model_copy(update={"steps": (*self._run.steps, new_step)})
        objections: tuple[Finding, ...] = ()
        for side in self._sides:
            objections = (*self._object(side, isolated), *self._exceed(side, longer))
            if not objections:
                break
        return objections

    def what_next(self) -> tuple[Step, ...]:
        """Returns the steps of the nearest reference that can come next, with the run's ids."""
        return tuple(self._find_nearest().list_next())

    def _read(self, step: Step | Mapping[str, Any]) -> Step:
        fields = dict(step) if isinstance(step, Mapping) else step.model_dump(exclude_unset=True)
        number = len(self._run.steps) + 1
        fields = {"id": str(number), "turn": number, **fields}
        needed = fields.pop("depends_on", None)
        new_step = parse_trajectory({"steps": [fields]}, "progress").steps[0]
        earlier_ids = {earlier.id for earlier in self._run.steps}
        if new_step.id in earlier_ids:
            raise FormatError(
                f"progress: step {shown(new_step.id)} was added already; use another id"
            )
        if needed is None:
            return new_step
        unknown = [name for name in needed if name not in earlier_ids]
        if unknown:
            raise FormatError(
                f"progress: step {shown(new_step.id)} depends on {shown(unknown[0])}, which was "
                "not added; add it first"
            )
        return new_step.model_copy(update={"depends_on": tuple(needed)})

    def _isolate(self, step: Step) -> Trajectory:
        """A run of one step, which then depends on no other."""
        alone = step if step.depends_on is None else step.model_copy(update={"depends_on": ()})
        return self._run.model_copy(update={"steps": (alone,)})

    def _list_sides(self) -> list[_ReferenceProgress]:
        """The progress against each reference, and against the runs that plans allow."""
        expanded: list[Trajectory] = []
        for reference in self._references:
            if isinstance(reference, Plan):
                scored = self._metric.runs.of(self._run, is_transient=True).scored
                encode, account = self._metric.encoder.encode, open_account(scored, 1, self._metric)
                expanded += list_expansions(reference, scored, encode, account)
            else:
                expanded.append(reference)
        # A reference that is listed twice is followed once.
        return list(dict.fromkeys(self._follow(reference) for reference in expanded))

    def _follow(self, reference: Trajectory) -> _ReferenceProgress:
        """The progress against a reference; a new one catches up with the steps so far."""
        content = reference.to_json()
        side = self._by_reference.get(content)
        if side is not None:
            return side
        self._count_pairs([reference], len(self._run.steps) + 1)
        if content not in self._unused:
            self._unused[content] = _ReferenceProgress(reference, self._metric)
        side = self._unused[content].restart()
        for step in self._run.steps:
            side.add(self._isolate(step))
        self._by_reference[content] = side
        return side

    def _count_pairs(self, references: Sequence[Trajectory], step_count: int) -> None:
        """Counts the comparisons of some steps, and refuses those above the limit."""
        sizes = [len(reference.steps) + _PAIRS_OF_REFERENCE for reference in references]
        self._pairs += step_count * sum(sizes)
        if self._pairs > _MAX_PAIRS:
            raise LimitError(
                f"progress: step {len(self._run.steps) + 1} needs more than {_MAX_PAIRS:,} "
                "comparisons of steps; give fewer or shorter references, or score the whole run"
            )

    def _find_nearest(self) -> _ReferenceProgress:
        """The side with the least loss, the first on a tie."""
        return min(self._sides, key=lambda side: round(side.loss, 9))

    def _exceed(self, side: _ReferenceProgress, longer: Trajectory) -> Iterator[Finding]:
        """The limits that the run exceeds with its next step, by one reference."""
        sides = (self._metric.runs.of(run, is_transient=True) for run in (longer, side.reference))
        step = longer.steps[-1]
        for deviation in find_exceeded(*sides):
            if deviation.severity != "minor":  # minor: the run lacks the number
                yield Finding(
                    kind=deviation.kind,
                    severity=deviation.severity,
                    agent=(step.id,),
                    tools=() if step.tool is None else (step.tool,),
                    paths=deviation.paths,
                    share=None,
                    sentence=f"with {name_step(step)} {deviation.sentence}",
                )

    def _object(self, side: _ReferenceProgress, isolated: Trajectory) -> tuple[Finding, ...]:
        """What speaks against a step by one reference."""
        objection = side.object_to(isolated)
        if objection is None:
            return ()
        kind, needed = objection
        step = isolated.steps[0]
        if kind == "invented":
            findings = self._scorer.score(side.rename(isolated), side.reference).findings
            about = [
                finding.model_copy(update={"sentence": side.rename_back(finding.sentence)})
                for finding in findings
                if step.id in finding.agent and finding.kind in _ABOUT_CALLS
            ]
            if about:
                return tuple(about)
        sentence = f"{name_step(step)} is extra; the reference has no such step"
        if kind == "repeated":
            sentence = f"{name_step(step)} was done already"
        elif kind == "reversed":
            sentence = (
                f"{name_step(step)} is too early; the reference has {name_steps(needed)} first"
            )
        return (
            Finding(
                kind=kind,
                severity="critical",
                agent=(step.id,),
                reference=tuple(before.id for before in needed),
                tools=() if step.tool is None else (step.tool,),
                share=None,
                sentence=sentence,
            ),
        )
