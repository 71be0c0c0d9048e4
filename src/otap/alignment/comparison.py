"""The comparison of one run with one reference: the source of an alignment.

It has the shares of its coupling: each step's quality, its part of the loss, its counterpart.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from otap._caching import cached_property
from otap.alignment.problem import NO_ANSWERS, Answers, StepProblem
from otap.costs import CostNodes
from otap.run.run import RunView
from otap.trajectory import Trajectory
from otap.transport import FORBIDDEN, Problem, Solution, contributions, kl
from otap.transport.native.short import read_shares

# Up to this node cost two steps stand for each other: calls of another tool with equal arguments,
# or of one tool with other arguments, still do.
MATCHED = 0.6
# The width of a severity band. All differences that are not critical cost less than this together,
# and a critical finding costs this much more. A score above 0.9 has no critical finding.
BAND_WIDTH = -math.log(0.9)
# A critical finding costs at least this much more than the width: its score is below 0.9 in
# double precision, even where the finding itself adds nothing.
MIN_CRITICAL_LOSS = 1e-12
# The most that rounding adds to a node cost.
ROUNDING = 1e-9
# The share of the lighter step's mass that flows between counterparts, at least.
FLOW = 0.1
# Up to this node cost two unmatched steps are counterparts even if no mass flows between them.
SAME = 0.1

Array = npt.NDArray[np.float64]
Index = npt.NDArray[np.intp]

Verdict = Literal["critical", "tolerated"]

_BLOCK = 256  # rows of a coupling that are summed at once: bounds memory at thousands of steps
_BUNDLE = 65_536  # ranked pairs that are looked at before the next ones
_PORTION = 4096  # ranked pairs that are read before the pairs of matched steps are dropped


class Credit(NamedTuple):
    """The loss by step of the run.

    Attributes:
        own_loss: the loss of each step by itself: of its pairs, and of its mass that does not move.
        surplus: the loss of the mass that it moves to steps of the reference that have enough.
        lacking: the mass penalty of the reference while only the first k steps of the run have
            moved their mass, for k from 0 to n, in the order in which they ended.
    """

    own_loss: Sequence[float]
    surplus: Sequence[float]
    lacking: Sequence[float]


class Shares(NamedTuple):
    """The shares of a coupling that belong to each step and to each field.

    Attributes:
        agent_quality: the match quality of each step of the run, sum_j T_ij^2 (1 - C_ij) over
            sum_j T_ij^2.
        reference_quality: the match quality of each step of the reference.
        agent_contribution: the part of the loss of each step of the run.
        reference_contribution: the part of the loss of each step of the reference.
        losses: the part of the loss of each field.
        counterparts: the pairs of steps that stand for each other, one to one.
        credit: the loss by step of the run.
    """

    agent_quality: Array
    reference_quality: Array
    agent_contribution: Array
    reference_contribution: Array
    losses: Mapping[str, float]
    counterparts: Sequence[tuple[int, int]]
    credit: Credit


def compute_shares(problem: StepProblem, solution: Solution) -> Shares:
    """Returns the shares; the native core computes them for short problems, if it is available.

    Args:
        problem: the problem between steps.
        solution: its solution.
    """
    costs, (n, m) = problem.costs, solution.T.shape
    flags = [
        bytes(problem.run.failed),
        bytes(problem.reference.failed),
        bytes(problem.run.has_error),
    ]
    fields = [(matrix, costs.weights[name]) for name, matrix in costs.distances.items()]
    C = np.where(solution.problem.C < FORBIDDEN, costs.total, FORBIDDEN)
    native_shares = read_shares(
        solution.problem, solution.T, C, fields, b"".join(flags),
        problem.run.by_last_step, MATCHED + ROUNDING, FLOW, SAME,
    )  # fmt: skip
    if native_shares is None:
        return shares_in_numpy(problem, solution)
    numbers, counterparts = native_shares
    contribution, credit = numbers[n + m :], numbers[2 * (n + m) :].tolist()
    return Shares(
        agent_quality=numbers[:n],
        reference_quality=numbers[n : n + m],
        agent_contribution=contribution[:n],
        reference_contribution=contribution[n : n + m],
        losses=dict(zip(costs.distances, credit[3 * n + 1 :], strict=True)),
        counterparts=[*counterparts, *_find_near_misses(problem, counterparts)],
        credit=Credit(credit[:n], credit[n : 2 * n], credit[2 * n : 3 * n + 1]),
    )


def shares_in_numpy(problem: StepProblem, solution: Solution) -> Shares:
    """Returns the shares by their definition."""
    arrays, T, C = solution.problem, solution.T, problem.costs.total
    paired = _sum_contributions(solution)
    masses = kl(T.sum(axis=1), arrays.mu), kl(T.sum(axis=0), arrays.nu)
    unmoved = arrays.lambda_1 * masses[0]
    flowing = list(_pair_counterparts(problem, solution))
    return Shares(
        agent_quality=_match_quality(T, C, axis=1),
        reference_quality=_match_quality(T, C, axis=0),
        agent_contribution=paired[0] / 2 + unmoved,
        reference_contribution=paired[1] / 2 + arrays.lambda_2 * masses[1],
        losses=_divide_losses(problem, solution),
        counterparts=[*flowing, *_find_near_misses(problem, flowing)],
        credit=Credit(
            own_loss=(paired[0] + unmoved).tolist(),
            surplus=_surplus_mass(arrays, T).tolist(),
            lacking=_lacking_mass(arrays, T[list(problem.run.by_last_step)]).tolist(),
        ),
    )


def _sum_contributions(solution: Solution) -> tuple[Array, Array]:
    """The contributions of the steps of the run, and of those of the reference."""
    paired = contributions(solution.problem, solution.T)
    return paired.sum(axis=1), paired.sum(axis=0)


def _divide_losses(problem: StepProblem, solution: Solution) -> dict[str, float]:
    """The loss of each field."""
    arrays, T, C = solution.problem, solution.T, problem.costs.total
    moved, weight = _moved_mass(arrays.C, C, T), 1 - arrays.theta
    return {
        name: weight * float((matrix * moved).sum()) for name, matrix in problem.costs.weighted()
    }


def _match_quality(T: Array, C: Array, axis: int) -> Array:
    squared = T**2
    weight = squared.sum(axis=axis)
    matched = (squared * (1 - C)).sum(axis=axis)
    quality: Array = np.divide(matched, weight, out=np.zeros_like(weight), where=weight > 0)
    return quality


def _moved_mass(moving: Array, C: Array, T: Array) -> Array:
    """The coupling, scaled up where moving mass costs more than the node cost."""
    if moving is C or (moving == C).all():
        return T
    factor: Array = np.divide(moving, C, out=np.ones_like(C), where=C > 0)
    return T * factor


def _surplus_mass(arrays: Problem, T: Array) -> Array:
    c = T.sum(axis=0)
    full = np.flatnonzero(c > arrays.nu)
    price = (arrays.lambda_2 * kl(c, arrays.nu))[full] / c[full]
    surplus: Array = T[:, full] @ price
    return surplus


def _lacking_mass(arrays: Problem, T: Array) -> Array:
    """The mass penalty of the reference after the first k rows of T, for k from 0 to n."""
    penalties = [np.array([arrays.lambda_2 @ arrays.nu])]
    c = np.zeros(T.shape[1])
    for start in range(0, len(T), _BLOCK):
        so_far = c + np.cumsum(T[start : start + _BLOCK], axis=0, dtype=np.float64)
        penalties.append(kl(so_far, arrays.nu) @ arrays.lambda_2)
        c = so_far[-1]
    return np.concatenate(penalties)


def _find_near_misses(
    problem: StepProblem, counterparts: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """The pairs between which no mass may move, though one step was an attempt at the other.

    Among the steps without a counterpart, these call another tool or have another exact value.
    They are taken by rising node cost, each step once.
    """
    C = problem.costs.total
    if len(counterparts) == min(C.shape):
        return []
    is_near = (problem.arrays.C >= FORBIDDEN) & (C <= MATCHED + ROUNDING)
    is_near &= problem.run.failed[:, None] == problem.reference.failed
    if not is_near.any():
        return []
    is_near[[i for i, _ in counterparts]] = False
    is_near[:, [j for _, j in counterparts]] = False
    rows, columns = np.nonzero(is_near)
    cost = np.round(C[rows, columns], 9)
    ranked = np.lexsort((columns, rows, problem.run.has_error[rows], cost))
    return list(_pair_greedily(rows, columns, ranked, C.shape))


def _pair_greedily(
    rows: Index, columns: Index, ranked: Index, shape: tuple[int, int]
) -> Iterator[tuple[int, int]]:
    """Yields pairs in their order, each row and each column once.

    Args:
        rows: the row of each pair.
        columns: its column.
        ranked: the indices of the pairs in their order.
        shape: the numbers of rows and columns.
    """
    are_rows_free, are_columns_free = (np.ones(size, dtype=np.bool_) for size in shape)
    for start in range(0, len(ranked), _BUNDLE):
        # A portion may match one pair only, so only the rest of its bundle is looked at again.
        bundle = ranked[start : start + _BUNDLE]
        bundle = bundle[are_rows_free[rows[bundle]] & are_columns_free[columns[bundle]]]
        while len(bundle):
            for index in bundle[:_PORTION].tolist():
                i, j = int(rows[index]), int(columns[index])
                if are_rows_free[i] and are_columns_free[j]:
                    are_rows_free[i] = are_columns_free[j] = False
                    yield i, j
            bundle = bundle[_PORTION:]
            bundle = bundle[are_rows_free[rows[bundle]] & are_columns_free[columns[bundle]]]


def _pair_counterparts(problem: StepProblem, solution: Solution) -> Iterator[tuple[int, int]]:
    """Returns one-to-one counterparts by greedy matching.

    Pairs are taken by falling T_ij (1 - C_ij), each step once; on a tie, a call that did not fail
    comes first. Steps that are nearly equal are counterparts even if no mass flows between them:
    one of them ran in the wrong place.
    """
    arrays, T, C = solution.problem, solution.T, problem.costs.total
    lighter = np.minimum(arrays.mu[:, None], arrays.nu[None, :])
    allowed = arrays.C < FORBIDDEN
    flows = (C <= MATCHED + ROUNDING) & (lighter * FLOW <= T)
    # A call that failed never stands for one that worked, however similar they are.
    same_state = np.equal.outer(problem.run.failed, problem.reference.failed)
    i, j = np.nonzero((flows | (C <= SAME)) & same_state & allowed)
    worth = np.round(T[i, j] * (1 - C[i, j]), 9)
    ranked = np.lexsort((j, i, problem.run.has_error[i], -worth))
    return _pair_greedily(i, j, ranked, C.shape)


@dataclass(frozen=True, eq=False)
class Comparison:
    """A problem between steps with its solution.

    Attributes:
        problem: the problem.
        solution: its solution.
        verdict: whether a finding is critical; None before the findings are known.
        answers: the required answers that the run gave, and those that are missing.
        loss_before_band: the loss of the coupling and of the missing answers.
        loss: the loss in its severity band.
        factor: the factor by which the severity band scales each part of the loss.
    """

    problem: StepProblem
    solution: Solution
    verdict: Verdict | None = None
    answers: Answers = field(init=False)
    loss_before_band: float = field(init=False)
    loss: float = field(init=False)
    factor: float = field(init=False)

    def __post_init__(self) -> None:
        answers = self.problem.answers
        before = self.solution.loss + answers.loss
        loss = apply_severity_band(before, self.verdict)
        vars(self).update(
            answers=answers,
            loss_before_band=before,
            loss=loss,
            factor=loss / before if self.verdict == "tolerated" and before > 0 else 1.0,
        )

    def with_verdict(self, verdict: Verdict) -> "Comparison":
        """Returns the comparison with its verdict; all that was read off the solution stays."""
        comparison = object.__new__(Comparison)
        vars(comparison).update(vars(self), verdict=verdict)
        comparison.__post_init__()
        return comparison

    @property
    def recorded(self) -> tuple[RunView, RunView]:
        """The views of the run and of the reference, as in `WithoutSteps`."""
        return self.problem.recorded

    @property
    def run(self) -> CostNodes:
        """The nodes of the run."""
        return self.problem.run

    @property
    def reference(self) -> CostNodes:
        """The nodes of the reference."""
        return self.problem.reference

    @property
    def losses(self) -> Mapping[str, float]:
        """The parts of the loss: each field, ``structure``, both mass penalties, answers."""
        terms = self.solution.terms
        parts = {
            **self.shares.losses,
            "structure": float(terms.structure),
            "extra_steps": float(terms.agent_mass),
            "missing_steps": float(terms.reference_mass),
            "answers": self.answers.loss,
        }
        return _apply_band_to_parts(parts, self.factor, self.verdict)

    @property
    def converged(self) -> bool:
        """Whether the solver reached its tolerance."""
        return self.solution.converged

    @property
    def mass(self) -> float:
        """The mass that moves."""
        return self.solution.mass

    @cached_property
    def shares(self) -> Shares:
        """The quality of each step and its contribution to the loss."""
        return compute_shares(self.problem, self.solution)

    @cached_property
    def reference_of(self) -> Mapping[int, int]:
        """The one-to-one counterparts: the node of the reference by node of the run."""
        return dict(self.shares.counterparts)

    @cached_property
    def run_of(self) -> Mapping[int, int]:
        """The one-to-one counterparts: the node of the run by node of the reference."""
        return dict(zip(self.reference_of.values(), self.reference_of, strict=True))

    @cached_property
    def mass_penalties(self) -> tuple[Array, Array]:
        """The mass penalty of each node of the run and of the reference, (n,) and (m,)."""
        arrays, T = self.solution.problem, self.solution.T
        extra = arrays.lambda_1 * kl(T.sum(axis=1), arrays.mu)
        missing = arrays.lambda_2 * kl(T.sum(axis=0), arrays.nu)
        return extra, missing

    @property
    def precision(self) -> float:
        """The share of the run that the reference also has, in [0, 1].

        It is sum min(w_i, w_j) (1 - C_ij) / W_run over counterparts; or, if ``counts_pairs`` is
        false, the mean quality of the run's steps, by their mass.
        """
        if self.problem.counts_pairs:
            return self._matched_shares[0]
        mu = self.solution.problem.mu
        return _share(float(mu @ self.shares.agent_quality), float(mu.sum()))

    @property
    def recall(self) -> float:
        """The share of the reference that the run also has, answers included, in [0, 1]."""
        if not self.problem.counts_pairs:
            nu = self.solution.problem.nu
            return _share(float(nu @ self.shares.reference_quality), float(nu.sum()))
        matched, answers = self._matched_shares[1], self.answers
        if not answers.reference:
            return matched
        steps = math.fsum(self.problem.reference.own_weights.tolist())
        return (matched * steps + answers.run) / (steps + answers.reference)

    @cached_property
    def _matched_shares(self) -> tuple[float, float]:
        """The matched share of each side's weight; a merged step counts as one pair."""
        run, reference = self.problem.run, self.problem.reference
        i, j = list(self.reference_of), list(self.reference_of.values())
        # A pair between which no mass may move is a counterpart for findings, but no match.
        allowed = self.problem.arrays.C[i, j] < FORBIDDEN
        similarity = (1 - self.problem.costs.total[i, j]) * allowed
        lighter = np.minimum(run.weights[i], reference.weights[j])
        matched_run = run.own_weights[i] * (lighter / run.weights[i] * similarity)
        matched_reference = reference.own_weights[j] * (lighter / reference.weights[j] * similarity)
        return (
            _share(math.fsum(matched_run.tolist()), math.fsum(run.own_weights.tolist())),
            _share(
                math.fsum(matched_reference.tolist()), math.fsum(reference.own_weights.tolist())
            ),
        )


@dataclass(frozen=True)
class WithoutSteps:
    """A run and a reference of which at least one has no steps, with nothing to transport.

    Two empty trajectories are the same.

    Attributes:
        run: the run.
        reference: the reference.
        extra_steps: the penalty of the unmatched steps of the run.
        missing_steps: the penalty of the unmatched steps of the reference.
        recorded: both sides as in `StepProblem`.
        reference_weight: the weight of the reference's steps.
        answers: the required answers.
        verdict: whether a finding is critical; None before the findings are known.
    """

    run: Trajectory
    reference: Trajectory
    extra_steps: float
    missing_steps: float
    recorded: tuple[RunView, RunView]
    reference_weight: float = 0.0
    answers: Answers = NO_ANSWERS
    verdict: Verdict | None = None

    def with_verdict(self, verdict: Verdict) -> "WithoutSteps":
        """Returns the comparison with its verdict."""
        return replace(self, verdict=verdict)

    @property
    def loss_before_band(self) -> float:
        """The loss against this reference before the severity band."""
        return float(sum(self._parts.values()))

    @property
    def loss(self) -> float:
        """The loss in its severity band."""
        return apply_severity_band(self.loss_before_band, self.verdict)

    @property
    def losses(self) -> Mapping[str, float]:
        """The parts of the loss."""
        before, verdict = self.loss_before_band, self.verdict
        factor = self.loss / before if verdict == "tolerated" and before > 0 else 1.0
        return _apply_band_to_parts(self._parts, factor, verdict)

    @property
    def _parts(self) -> dict[str, float]:
        parts = {"answers": self.answers.loss}
        if self.run.steps or self.reference.steps:
            parts |= {"extra_steps": self.extra_steps, "missing_steps": self.missing_steps}
        return parts

    @property
    def converged(self) -> bool:
        """True: there is nothing to solve."""
        return True

    @property
    def mass(self) -> None:
        """None: no mass could move."""
        return None

    @property
    def precision(self) -> float | None:
        """The share of the run that the reference has; None if only the run has no steps."""
        return _matched_without_steps(self.run, self.reference)

    @property
    def recall(self) -> float | None:
        """The share of the reference that the run has; None if the reference requires nothing."""
        answers = self.answers
        if not answers.reference:
            return _matched_without_steps(self.reference, self.run)
        return answers.run / (answers.reference + self.reference_weight)


Compared = Comparison | WithoutSteps


def apply_severity_band(loss: float, verdict: Verdict | None) -> float:
    """Returns a loss in its severity band: every critical loss is above all others.

    With tau = BAND_WIDTH, a loss without a critical finding becomes tau (1 - exp(-loss / tau)),
    which is below tau; a loss with one becomes loss + tau, which is above tau even for no loss.
    Both rise with the loss, and the first is at least loss - loss^2 / 2 tau.

    Args:
        loss: the loss of the coupling and the answers.
        verdict: whether a finding is critical; None leaves the loss unchanged.
    """
    if verdict is None:
        return loss
    if verdict == "critical":
        return max(loss, MIN_CRITICAL_LOSS) + BAND_WIDTH
    # Rounded to double precision, thousands of extra reads would reach the width.
    return BAND_WIDTH * min(-math.expm1(-loss / BAND_WIDTH), 1 - ROUNDING)


def _apply_band_to_parts(
    parts: Mapping[str, float], factor: float, verdict: Verdict | None
) -> dict[str, float]:
    scaled = {name: factor * part for name, part in parts.items()}
    if verdict != "critical":
        return scaled
    loss = math.fsum(parts.values())
    return {**scaled, "critical": BAND_WIDTH + max(0.0, MIN_CRITICAL_LOSS - loss)}


def _share(part: float, total: float) -> float:
    """The share of a total, in [0, 1]; two sums of the same numbers may differ by rounding."""
    return min(1.0, part / total)


def _matched_without_steps(side: Trajectory, other_side: Trajectory) -> float | None:
    """The precision or recall of a side if one has no steps: 0 with steps, 1 if both have none."""
    if side.steps:
        return 0.0
    return None if other_side.steps else 1.0
