"""Conditional gradient [Frank1956], [Lacoste2016]: linearise the structure, solve, move.

The entropy and the marginal penalties stay as they are: only the quadratic structure term is
linearised, as for Gromov-Wasserstein in [Peyre2016] and [Vayer2020].
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from otap.transport.arrays import Array
from otap.transport.epsilon_scaling import FACTORS, MOVED, inner_tolerance
from otap.transport.numpy.linear import Duals, Linear
from otap.transport.numpy.newton import newton
from otap.transport.numpy.sinkhorn import sinkhorn, sweep
from otap.transport.objective import objective, structure_gradient
from otap.transport.stack import Stack, flat_sum

# Newton solves a system of the smaller side's size; above this Sinkhorn's sweeps are cheaper.
_NEWTON_LARGEST = 1000
_BISECTIONS = 50
# The smallest tolerance of an inner problem, relative to the mass of a step.
_TIGHTEST = 1e-9


@dataclass
class Descent:
    """B descents side by side; every field has a leading axis of length B.

    T: the couplings; G: the gradient of the structure term Q at T, both (B, n, m).
    f, g: the dual potentials of the last linearisation, (B, n) and (B, m).
    change: the last |dT|_1; epsilon: the weight at which T was found; iterations: linearisations
    so far.
    """

    T: Array
    G: Array
    f: Array
    g: Array
    change: Array
    epsilon: Array
    iterations: NDArray[np.int64]
    converged: NDArray[np.bool_]

    def take(self, members: NDArray[Any]) -> "Descent":
        """The members named by an index or a mask, copied."""
        return Descent(*(getattr(self, field.name)[members] for field in fields(self)))

    def joined(self, other: "Descent") -> "Descent":
        """These members and then those of another descent."""
        pairs = [(getattr(self, field.name), getattr(other, field.name)) for field in fields(self)]
        return Descent(*map(np.concatenate, pairs))

    def put(self, members: NDArray[Any], other: "Descent") -> None:
        """Write the members of another descent into these places."""
        for field in fields(self):
            getattr(self, field.name)[members] = getattr(other, field.name)


def descend(
    stack: Stack, T: Array, weights: Sequence[float], max_outer: int, tolerance: float
) -> Descent:
    """Conditional gradient from T: one linearisation at each epsilon, the last to convergence.

    Converged means that the coupling moved by less than the tolerance at the last epsilon, with its
    inner problem solved. A member that has converged costs nothing more.

    Args:
        stack: B problems.
        T: where to start, (B, n, m).
        weights: the entropy weights of epsilon scaling, falling.
        max_outer: linearisations in all.
        tolerance: the change of the coupling, a sum of absolute differences.
    """
    state = begin(stack, T)
    *stages, last = weights
    for epsilon in stages[:max_outer]:
        state = _linearise(stack, state, epsilon)
    active, first = np.arange(len(T)), True
    for _ in range(max_outer - len(stages)):
        before = state.take(active)
        moved = _linearise(stack.take(active), before, last, True, first)
        # An inner problem solved loosely can meet its tolerance at once, at the potentials it had:
        # then the coupling stands still, where an exact solution would have moved it.
        exact = inner_tolerance(before.change, _TIGHTEST) <= tolerance
        moved.converged &= (moved.change < tolerance) & exact
        state.put(active, moved)
        active, first = active[~moved.converged], False
        if not len(active):
            return state
    state.converged[active] = False
    return state


def begin(stack: Stack, T: Array) -> Descent:
    """Descents that have not moved yet."""
    size = len(T)
    return Descent(
        T=T,
        G=structure_gradient(stack.D_p, stack.D_r, T),
        f=np.zeros(T.shape[:2]),
        g=np.zeros((size, T.shape[2])),
        change=np.full(size, np.inf),
        epsilon=np.zeros(size),
        iterations=np.zeros(size, dtype=np.int64),
        converged=np.zeros(size, dtype=np.bool_),
    )


def _linearise(
    stack: Stack, state: Descent, epsilon: float, last: bool = False, first: bool = True
) -> Descent:
    """One linearisation. Only at the last epsilon is the objective kept from rising."""
    M = _linear_cost(stack, state.G)
    linear = Linear(M, stack.mu, stack.nu, stack.lambda_1, stack.lambda_2, epsilon)
    duals = _solve(linear, state, first)
    G = structure_gradient(stack.D_p, stack.D_r, duals.S)
    move, turn = duals.S - state.T, G - state.G
    if last:
        length = _line_search(stack, state, move, turn, epsilon)[:, None, None]
        T = np.where(length == 1.0, duals.S, state.T + length * move)
        G = np.where(length == 1.0, G, state.G + length * turn)
    else:
        T = duals.S
    return Descent(
        T,
        G,
        duals.f,
        duals.g,
        change=flat_sum(abs(T - state.T)),
        epsilon=np.full(len(T), epsilon),
        iterations=state.iterations + 1,
        converged=duals.converged,
    )


def _linear_cost(stack: Stack, G: Array) -> Array:
    """The cost of the linearisation, (1 - theta) C + theta G, with G the gradient of Q."""
    theta = stack.theta[:, None, None]
    cost: Array = (1.0 - theta) * stack.C + theta * G
    return cost


def _solve(linear: Linear, state: Descent, first: bool) -> Duals:
    """The inner problem from the last potentials, after a Sinkhorn step where these are far off."""
    f, g = state.f.copy(), state.g.copy()
    swept = np.flatnonzero((state.change > MOVED) | first)
    if len(swept):
        f[swept], g[swept] = sweep(linear.take(swept), g[swept])
    return solve_linear(linear, f, g, inner_tolerance(state.change, _TIGHTEST))


def solve_linear(linear: Linear, f: Array, g: Array, tolerance: Array) -> Duals:
    """The dual potentials of the linearised problem, by the method that suits it.

    Newton; where that fails, Newton with epsilon scaling; where that fails, or both sides are very
    long, Sinkhorn.

    Args:
        linear: B problems.
        f: the agent's potentials to start from, (B, n).
        g: the reference's, (B, m).
        tolerance: the largest error of a marginal relative to mu and nu, (B,).
    """
    if min(linear.M.shape[1:]) > _NEWTON_LARGEST:
        return sinkhorn(linear, g, tolerance)
    duals = newton(linear, f, g, tolerance)
    for other in (_by_epsilon_scaling, _by_sinkhorn):
        failed = np.flatnonzero(~duals.converged)
        if len(failed):
            repaired = other(linear.take(failed), tolerance[failed])
            for into, value in zip(duals, repaired, strict=True):
                into[failed] = value
    return duals


def _by_epsilon_scaling(linear: Linear, tolerance: Array) -> Duals:
    g = np.zeros(linear.nu.shape)
    for factor in FACTORS:
        smoother = linear._replace(epsilon=linear.epsilon * factor)
        duals = newton(smoother, *sweep(smoother, g), tolerance)
        g = np.where(np.isfinite(duals.g), duals.g, 0.0)
    return duals


def _by_sinkhorn(linear: Linear, tolerance: Array) -> Duals:
    return sinkhorn(linear, np.zeros(linear.nu.shape), tolerance)


def _line_search(stack: Stack, state: Descent, move: Array, turn: Array, epsilon: float) -> Array:
    """The line search of the conditional gradient: the best step in [0, 1] along the move, (B,).

    The linearised objective is least at 1, so with curvature a = Q(move) <= 0 the full step is
    best; with a > 0 the objective is convex along the move. -b / 2a, which solves balanced
    problems, is wrong here: KL and entropy are not quadratic.
    """
    length = np.ones(len(move))
    convex = np.flatnonzero(flat_sum(turn * move) > 0)
    if not len(convex):
        return length
    part, T, step = stack.take(convex), state.T[convex], move[convex]
    rises = objective(part, T + step, epsilon) > objective(part, T, epsilon) + 1e-13
    search = convex[np.flatnonzero(rises)]
    if len(search):
        part = stack.take(search)
        length[search] = _bisect(part, state.take(search), move[search], turn[search], epsilon)
    return length


def _bisect(stack: Stack, state: Descent, move: Array, turn: Array, epsilon: float) -> Array:
    low, high = np.zeros(len(move)), np.ones(len(move))
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        rising = _slope(stack, state, move, turn, epsilon, middle) > 0
        low, high = np.where(rising, low, middle), np.where(rising, middle, high)
    return low


def _slope(
    stack: Stack, state: Descent, move: Array, turn: Array, epsilon: float, length: Array
) -> Array:
    """The derivative of the objective along the move, at this length, (B,)."""
    step = length[:, None, None]
    T = state.T + step * move
    M = _linear_cost(stack, state.G + step * turn)
    # What is 0 at both ends, an entry or all mass of a step, stays 0 and has no slope.
    entropy = epsilon * np.log(np.where(T > 0, T, 1.0))
    rows, columns = T.sum(axis=-1), T.sum(axis=-2)
    rows = stack.lambda_1 * np.log(np.where(rows > 0, rows / stack.mu, 1.0))
    columns = stack.lambda_2 * np.log(np.where(columns > 0, columns / stack.nu, 1.0))
    slope: Array = flat_sum((M + entropy + rows[:, :, None] + columns[:, None, :]) * move)
    return slope
