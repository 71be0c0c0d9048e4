"""One run held against one reference: everything that an alignment is read from.

With the shares of its coupling: each step's quality, its part of the loss, its counterpart.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import mul
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from otap._caching import cached_property
from otap.alignment.parameters import FLOW, MATCHED, ROUNDING, SAME, TOLERATED
from otap.alignment.problem import NOTHING_ASKED, Answers, StepProblem
from otap.matrices import Nodes
from otap.prepare.prepared import PreparedRun
from otap.trajectory import Trajectory
from otap.transport import FORBIDDEN, Problem, Solution, contributions, kl
from otap.transport.native.short import read_shares

Array = npt.NDArray[np.float64]

Verdict = Literal["critical", "tolerated"]

_BLOCK = 256  # rows of a coupling that are summed at once: bounds memory at thousands of steps
_AT_ONCE = 4096  # pairs that are looked at before those of steps that are taken are left out


class Credit(NamedTuple):
    """What the loss is made of, step by step of the run.

    Attributes:
        own: what each adds to the loss by itself: its pairs, and its mass that does not move.
        surplus: what the mass adds that it moves to steps of the reference that have enough.
        lacking: what the masses of the reference's steps add while the first k of the run alone
            have moved theirs, in the order in which they ended; of n steps n + 1.
    """

    own: Sequence[float]
    surplus: Sequence[float]
    lacking: Sequence[float]


class Shares(NamedTuple):
    """What the steps of a run and of a reference, and the fields, have of a coupling.

    Attributes:
        agent_quality: how well each step of the run is matched, sum_j T_ij^2 (1 - C_ij) over
            sum_j T_ij^2.
        reference_quality: the same of each step of the reference.
        agent_contribution: what each step of the run adds to the loss.
        reference_contribution: the same of each step of the reference.
        losses: what each field adds to the loss.
        counterparts: the pairs of steps that stand for each other, one to one.
        credit: what the loss is made of, step by step of the run.
    """

    agent_quality: Array
    reference_quality: Array
    agent_contribution: Array
    reference_contribution: Array
    losses: Mapping[str, float]
    counterparts: Sequence[tuple[int, int]]
    credit: Credit


def compute_shares(problem: StepProblem, solution: Solution) -> Shares:
    """Returns the shares: by the native core where there is one, and the problem is short.

    Args:
        problem: the problem between steps.
        solution: its solution.
    """
    costs, (n, m) = problem.costs, solution.T.shape
    flags = problem.run.failed, problem.reference.failed, problem.run.erred
    weights = map(costs.weights.__getitem__, costs.distances)
    fields = list(zip(costs.distances.values(), weights, strict=True))
    C = np.where(solution.problem.C < FORBIDDEN, costs.total, FORBIDDEN)
    read = read_shares(
        solution.problem, solution.T, C, fields, b"".join(map(bytes, flags)),
        problem.run.ended, MATCHED + ROUNDING, FLOW, SAME,
    )  # fmt: skip
    if read is None:
        return shares_in_numpy(problem, solution)
    found, counterparts = read
    sides, both = n + m, 2 * (n + m)
    rest = found[both:].tolist()
    return Shares(
        agent_quality=found[:n],
        reference_quality=found[n:sides],
        agent_contribution=found[sides : sides + n],
        reference_contribution=found[sides + n : both],
        losses=dict(zip(costs.distances, rest[3 * n + 1 :], strict=True)),
        counterparts=[*counterparts, *_near_misses(problem, counterparts)],
        credit=Credit(rest[:n], rest[n : 2 * n], rest[2 * n : 3 * n + 1]),
    )


def shares_in_numpy(problem: StepProblem, solution: Solution) -> Shares:
    """The definition."""
    arrays, T, C = solution.problem, solution.T, problem.costs.total
    paired = contributions(arrays, T)
    masses = kl(T.sum(axis=1), arrays.mu), kl(T.sum(axis=0), arrays.nu)
    unmoved = arrays.lambda_1 * masses[0]
    moved, weight = _moved_mass(arrays.C, C, T), 1 - arrays.theta
    flowing = list(_pair_counterparts(problem, solution))
    return Shares(
        agent_quality=_match_quality(T, C, axis=1),
        reference_quality=_match_quality(T, C, axis=0),
        agent_contribution=paired.sum(axis=1) / 2 + unmoved,
        reference_contribution=paired.sum(axis=0) / 2 + arrays.lambda_2 * masses[1],
        losses={
            name: weight * float((matrix * moved).sum())
            for name, matrix in problem.costs.weighted.items()
        },
        counterparts=[*flowing, *_near_misses(problem, flowing)],
        credit=Credit(
            own=(paired.sum(axis=1) + unmoved).tolist(),
            surplus=_surplus_mass(arrays, T).tolist(),
            lacking=_lacking_mass(arrays, T[list(problem.run.ended)]).tolist(),
        ),
    )


def _match_quality(T: Array, C: Array, axis: int) -> Array:
    squared = T**2
    weight = squared.sum(axis=axis)
    matched = (squared * (1 - C)).sum(axis=axis)
    quality: Array = np.divide(matched, weight, out=np.zeros_like(weight), where=weight > 0)
    return quality


def _moved_mass(moving: Array, C: Array, T: Array) -> Array:
    """The coupling, and more of it where moving mass costs more than the node cost."""
    if moving is C or (moving == C).all():
        return T
    factor: Array = np.divide(moving, C, out=np.ones_like(C), where=C > 0)
    return T * factor


def _surplus_mass(arrays: Problem, T: Array) -> Array:
    c = T.sum(axis=0)
    too_much = np.flatnonzero(c > arrays.nu)
    price = (arrays.lambda_2 * kl(c, arrays.nu))[too_much] / c[too_much]
    found: Array = T[:, too_much] @ price
    return found


def _lacking_mass(arrays: Problem, T: Array) -> Array:
    """What the penalty of the reference's masses is after no row of T, the first, the first two."""
    penalties = [np.array([arrays.lambda_2 @ arrays.nu])]
    c = np.zeros(T.shape[1])
    for start in range(0, len(T), _BLOCK):
        so_far = c + np.cumsum(T[start : start + _BLOCK], axis=0, dtype=np.float64)
        penalties.append(kl(so_far, arrays.nu) @ arrays.lambda_2)
        c = so_far[-1]
    return np.concatenate(penalties)


def _near_misses(
    problem: StepProblem, counterparts: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """The pairs of steps that may not stand for each other, though one was meant for the other.

    Of what has no counterpart otherwise: another value or tool where the reference has this one. By
    rising node cost, each step once.
    """
    C = problem.costs.total
    meant = (problem.arrays.C >= FORBIDDEN) & (C <= MATCHED + ROUNDING)
    meant &= ~np.not_equal.outer(problem.run.failed, problem.reference.failed)
    taken = set[int](), set[int]()
    for i, j in counterparts:
        taken[0].add(i)
        taken[1].add(j)
    rows, columns = np.nonzero(meant)
    cost, found = np.round(C[rows, columns], 9), []
    for k in np.lexsort((columns, rows, problem.run.erred[rows], cost)).tolist():
        a, b = int(rows[k]), int(columns[k])
        if a not in taken[0] and b not in taken[1]:
            taken[0].add(a)
            taken[1].add(b)
            found.append((a, b))
    return found


def _pair_counterparts(problem: StepProblem, solution: Solution) -> Iterator[tuple[int, int]]:
    """One-to-one counterparts by greedy matching.

    Pairs are taken by falling T_ij (1 - C_ij), each step once; among equals, a call that did not
    fail. Steps that are nearly equal are counterparts even where no mass flows between them:
    one of them stands in the wrong place.
    """
    arrays, T, C = solution.problem, solution.T, problem.costs.total
    lighter = np.minimum(arrays.mu[:, None], arrays.nu[None, :])
    allowed = arrays.C < FORBIDDEN
    flows = (C <= MATCHED + ROUNDING) & (lighter * FLOW <= T)
    # A call that failed never stands for one that worked, however alike they are.
    apart = np.not_equal.outer(problem.run.failed, problem.reference.failed)
    i, j = np.nonzero((flows | (C <= SAME)) & ~apart & allowed)
    worth = np.round(T[i, j] * (1 - C[i, j]), 9)
    ranked = np.lexsort((j, i, problem.run.erred[i], -worth))
    free = np.ones(T.shape[0], dtype=np.bool_), np.ones(T.shape[1], dtype=np.bool_)
    while len(ranked):
        for place in ranked[:_AT_ONCE].tolist():
            a, b = int(i[place]), int(j[place])
            if free[0][a] and free[1][b]:
                free[0][a] = free[1][b] = False
                yield a, b
        ranked = ranked[_AT_ONCE:]
        ranked = ranked[free[0][i[ranked]] & free[1][j[ranked]]]


@dataclass(frozen=True, eq=False)
class Comparison:
    """A problem between steps with its solution.

    Attributes:
        problem: the problem.
        solution: its solution.
        verdict: whether something critical was found, once it is known: the loss depends on it.
        answers: what the run told of what it must.
        unjudged_loss: the loss of the coupling, and of the answers that were not given.
        loss: the same as the verdict has it.
        factor: what the verdict multiplies each part of the loss with.
    """

    problem: StepProblem
    solution: Solution
    verdict: Verdict | None = None
    answers: Answers = field(init=False)
    unjudged_loss: float = field(init=False)
    loss: float = field(init=False)
    factor: float = field(init=False)

    def __post_init__(self) -> None:
        answers = self.problem.answers
        unjudged = self.solution.loss + answers.loss
        loss = judge_loss(unjudged, self.verdict)
        vars(self).update(
            answers=answers,
            unjudged_loss=unjudged,
            loss=loss,
            factor=loss / unjudged if self.verdict == "tolerated" and unjudged > 0 else 1.0,
        )

    @property
    def run(self) -> Nodes:
        """The nodes of the run."""
        return self.problem.run

    @property
    def reference(self) -> Nodes:
        """The nodes of the reference."""
        return self.problem.reference

    @property
    def losses(self) -> Mapping[str, float]:
        """The parts of the loss: a field each, ``structure``, both penalties of mass, answers."""
        terms = self.solution.terms
        parts = {
            **self.shares.losses,
            "structure": float(terms.structure),
            "agent_mass": float(terms.agent_mass),
            "reference_mass": float(terms.reference_mass),
            "told": self.answers.loss,
        }
        return _judge_parts(parts, self.factor, self.verdict)

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
        """What each step has of the coupling: its quality and its contribution to the loss."""
        return compute_shares(self.problem, self.solution)

    @cached_property
    def reference_of(self) -> Mapping[int, int]:
        """The counterparts, one to one: nodes of the run with those of the reference."""
        return dict(self.shares.counterparts)

    @cached_property
    def run_of(self) -> Mapping[int, int]:
        """The same by nodes of the reference."""
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
        """How much of the run the reference has, in [0, 1].

        sum min(w_i, w_j) (1 - C_ij) / W_run over counterparts; or the mean quality of the run's
        steps, by their mass.
        """
        if self.problem.counts_pairs:
            return self._matched_shares[0]
        mu = self.solution.problem.mu
        return _share(float(mu @ self.shares.agent_quality), float(mu.sum()))

    @property
    def recall(self) -> float:
        """How much of the reference the run has: the same over W_reference, answers included."""
        if not self.problem.counts_pairs:
            nu = self.solution.problem.nu
            return _share(float(nu @ self.shares.reference_quality), float(nu.sum()))
        found, answers = self._matched_shares[1], self.answers
        if not answers.reference:
            return found
        steps = math.fsum(self.problem.reference.own.tolist())
        return (found * steps + answers.run) / (steps + answers.reference)

    @cached_property
    def _matched_shares(self) -> tuple[float, float]:
        """The matched share of each side's weight; a union and what it stands for are one pair."""
        run, reference = self.problem.run, self.problem.reference
        i, j = list(self.reference_of), list(self.reference_of.values())
        # What may not stand for the other is its counterpart for who reads findings, and no match.
        allowed = self.problem.arrays.C[i, j] < FORBIDDEN
        similarity = (1 - self.problem.costs.total[i, j]) * allowed
        lighter = np.minimum(run.weights[i], reference.weights[j])
        ours = run.own[i] * (lighter / run.weights[i] * similarity)
        theirs = reference.own[j] * (lighter / reference.weights[j] * similarity)
        return (
            _share(math.fsum(ours.tolist()), math.fsum(run.own.tolist())),
            _share(math.fsum(theirs.tolist()), math.fsum(reference.own.tolist())),
        )


@dataclass(frozen=True)
class WithoutSteps:
    """A run and a reference of which at least one has no steps: there is nothing to transport.

    Two empty trajectories are the same. ``agent_mass`` and ``reference_mass`` are what it costs to
    leave the steps of either side unmatched, ``reference_weight`` what those of the reference
    weigh; ``recorded`` are both sides as in `StepProblem`.
    """

    run: Trajectory
    reference: Trajectory
    agent_mass: float
    reference_mass: float
    recorded: tuple[PreparedRun, PreparedRun]
    reference_weight: float = 0.0
    answers: Answers = NOTHING_ASKED
    verdict: Verdict | None = None

    @property
    def unjudged_loss(self) -> float:
        """The loss against this reference before something was found or not."""
        return float(sum(self._parts.values()))

    @property
    def loss(self) -> float:
        """The same as the verdict has it."""
        return judge_loss(self.unjudged_loss, self.verdict)

    @property
    def losses(self) -> Mapping[str, float]:
        """Its parts."""
        loss, verdict = self.unjudged_loss, self.verdict
        factor = self.loss / loss if verdict == "tolerated" and loss > 0 else 1.0
        return _judge_parts(self._parts, factor, verdict)

    @property
    def _parts(self) -> dict[str, float]:
        told = {"told": self.answers.loss}
        if not self.run.steps and not self.reference.steps:
            return told
        return {**told, "agent_mass": self.agent_mass, "reference_mass": self.reference_mass}

    @property
    def converged(self) -> bool:
        """There is nothing to solve."""
        return True

    @property
    def mass(self) -> None:
        """No mass could move."""
        return None

    @property
    def precision(self) -> float | None:
        """None if the run has no steps but the reference has."""
        return _matched_without_steps(self.run, self.reference)

    @property
    def recall(self) -> float | None:
        """None if the reference asks for nothing but the run has steps."""
        answers = self.answers
        if not answers.reference:
            return _matched_without_steps(self.reference, self.run)
        return answers.run / (answers.reference + self.reference_weight)


Compared = Comparison | WithoutSteps


def judge_loss(loss: float, verdict: Verdict | None) -> float:
    """Returns a loss as a verdict has it: a critical one is above all others.

    tau (1 - exp(-loss / tau)) below tau = TOLERATED where nothing critical was found, loss + tau
    where something was. Both rise with the loss, and the first is at least loss - loss^2 / 2 tau.

    Args:
        loss: of the coupling and the answers.
        verdict: what was found; None: it is not asked for.
    """
    if verdict is None:
        return loss
    if verdict == "critical":
        return loss + TOLERATED
    # In rounded numbers thousands of looks would reach it.
    return TOLERATED * min(-math.expm1(-loss / TOLERATED), 1 - ROUNDING)


def _judge_parts(
    parts: Mapping[str, float], factor: float, verdict: Verdict | None
) -> dict[str, float]:
    judged = dict(zip(parts, map(partial(mul, factor), parts.values()), strict=True))
    return {**judged, "critical": TOLERATED} if verdict == "critical" else judged


def _share(part: float, whole: float) -> float:
    """The share of a whole, in [0, 1]: two sums of one thing may differ by their rounding."""
    return min(1.0, part / whole)


def _matched_without_steps(side: Trajectory, other: Trajectory) -> float | None:
    """Precision or recall where a side has no steps: 0 of steps, 1 if both have none, else None."""
    if side.steps:
        return 0.0
    return None if other.steps else 1.0
