"""The solver in plain NumPy: the definition of the method, for one problem at a time.

It is the reference for the native core, and solves if no core was built. The method is conditional
gradient [Frank1956], [Lacoste2016]. The structure term of eq. 3 is linearised at the coupling, as
in [Peyre2016] and [Vayer2020]. The remaining problem, unbalanced transport with entropy
[Chizat2018], is solved by damped Newton on its dual [Brauer2017]. The entropy weight decreases
[Schmitzer2019]. The resulting coupling is rounded to a partial permutation if this costs less, and
polished to the exact local minimum nearby. Unless weak duality proves that the loss is minimal,
other starts are tried.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from otap.errors import ConfigError
from otap.transport import parameters as par
from otap.transport.assignment import assignment
from otap.transport.core import one_thread
from otap.transport.isomorphism import zero_loss
from otap.transport.objective import entropy, gradient, objective, structure_gradient, terms
from otap.transport.problem import Problem
from otap.transport.schedule import epsilons, inner_tolerance, random_matchings
from otap.transport.solution import Solution
from otap.transport.structure import SMALL, Array, dense, is_graded

# Steps of the shorter side, which is the size of the systems in Newton's method.
MAX_STEPS = 1000
_EVALUATIONS, _HALVINGS, _BISECTIONS, _ROUNDINGS, _SHORTER = 60, 30, 50, 9, 40
_FLOOR, _FLAT, _FASTEST = 1e-200, 1e-9, -500.0
Pairs = NDArray[np.bool_]
Cells = NDArray[np.intp]


def solve_plainly(
    problem: Problem, epsilon: float = 0.0, *, max_outer: int = 1000, tolerance: float = 1e-6
) -> Solution:
    """Returns the solution of a problem, as described at `otap.transport.solve`.

    Args:
        problem: a problem with at most 1,000 steps on the shorter side.
        epsilon: the entropy weight, or 0 for epsilon scaling, rounding and polishing.
        max_outer: linearisations from the product coupling; other starts have at most 40.
        tolerance: the coupling has converged if it changes by less.

    Raises:
        ConfigError: if both sides have more than 1,000 steps, which only the native core solves.
    """
    with one_thread(max(problem.shape)):
        zero = zero_loss(problem) if epsilon == 0 else None
        if zero is not None:
            return zero
        if min(problem.shape) > MAX_STEPS:
            n, m = problem.shape
            raise ConfigError(
                f"{n} steps against {m} need the native core, which was not built or not chosen; "
                f"without it, one side may have at most {MAX_STEPS} steps"
            )
        return _Search(problem, epsilon, max_outer, tolerance).run()


class _Search:
    """Descents from several starts; the best one is the solution."""

    def __init__(self, problem: Problem, epsilon: float, max_outer: int, tolerance: float) -> None:
        self.problem, self.epsilon = problem, epsilon
        self.max_outer, self.tolerance = max_outer, tolerance
        self.weights = epsilons(epsilon, max(problem.shape))
        # Descents that stop before the last epsilon have not converged, so they are not polished.
        polishes, longest = epsilon == 0 and max_outer >= len(self.weights), max(problem.shape)
        self.polishes = polishes and longest <= SMALL
        self.searches = polishes and longest <= par.SEARCHED
        self.ends: list[Solution] = []

    def run(self) -> Solution:
        self.descend(product(self.problem), self.weights, self.max_outer)
        starts, used = list(_matchings(self.problem)), 0
        for count in par.ROUNDS if self.searches else (0, par.SHUFFLES):
            if not self.in_doubt(used):
                break
            for pairs in starts[used : count + 2]:
                self.begin_at(pairs)
            used = count + 2
        values = self.values()
        # Differences below SAME_LOSS are rounding errors: take the first.
        best = self.ends[int((values <= values.min() + par.SAME_LOSS).argmax())]
        return replace(best, starts=len(self.ends))

    def values(self) -> Array:
        """Returns the objective at each end; converged ends win against others of the same loss."""
        return np.array([
            end.terms.loss + self.epsilon * entropy(end.T) + 2 * par.SAME_LOSS * (not end.converged)
            for end in self.ends
        ])  # fmt: skip

    def in_doubt(self, used: int) -> bool:
        """Returns whether this number of further starts may have missed a lower loss."""
        problem, values = self.problem, self.values()
        if not used and self.searches:
            return bool(values[0] - lower_bound(problem, self.ends[0].T) >= par.CERTAIN)
        if not used:
            # A graded structure makes the term affine between couplings of equal marginals.
            return not any(is_graded(dense(D)) for D in (problem.D_p, problem.D_r))
        first = used == par.ROUNDS[0] + 2
        if first and problem.theta * problem.mu.sum() > problem.lambda_1 @ problem.mu:
            return True
        hits = np.count_nonzero(values < values.min() + par.AGREEMENT)
        return bool(np.ptp(values) >= par.AGREEMENT and (first or hits < par.ENOUGH))

    def begin_at(self, pairs: Pairs) -> None:
        """Adds a further start: polished if the problem is short, else the start of a descent."""
        problem = self.problem
        if self.searches:
            T = _with_masses(problem, pairs, (1.0 - problem.theta) * problem.C)
            self.keep(Solution(problem, T, terms(problem, T), 0.0, False, 0, 0, np.inf))
        else:
            mass = np.minimum(problem.mu[:, None], problem.nu) * pairs
            weights = (
                self.weights[1:] or self.weights
            )  # the first weight would lead back to the same coupling
            start = par.KEEP * mass + (1.0 - par.KEEP) * product(problem)
            self.descend(start, weights, min(self.max_outer, par.PATIENCE))

    def descend(self, T: Array, weights: Sequence[float], max_outer: int) -> None:
        """Adds a descent from T, rounded if there is no entropy."""
        end = descend(self.problem, T, weights, max_outer, self.tolerance)
        if self.epsilon == 0:
            X = rounded(self.problem, end.T)
            parts = terms(self.problem, X)
            if parts.loss < end.terms.loss:
                end = replace(end, T=X, terms=parts, epsilon=0.0)
        self.keep(end)

    def keep(self, end: Solution) -> None:
        """Adds an end, polished if this can lower the loss."""
        if self.polishes and end.terms.loss - lower_bound(self.problem, end.T) > par.STILL:
            T, ended = polish(self.problem, end.T)
            parts = terms(self.problem, T)
            if parts.loss <= end.terms.loss + 1e-15 or not end.iterations:
                end = replace(end, T=T, terms=parts)
                end = replace(end, epsilon=0.0, converged=True) if ended else end
        self.ends.append(end)


# Starts.


def product(problem: Problem) -> Array:
    """Returns the product coupling mu nu', scaled to the geometric mean of the masses, (n, m)."""
    total = np.sqrt(problem.mu.sum() * problem.nu.sum())
    return np.asarray(np.outer(problem.mu, problem.nu) / total)


def _matchings(problem: Problem) -> Iterator[Pairs]:
    """Yields matchings by node cost, by position, and at random, independent of the step order.

    The position of a step is the mean of its column of D.
    """
    x, y = dense(problem.D_p).mean(axis=0), dense(problem.D_r).mean(axis=0)
    yield _pairs_at(problem.shape, *assignment(problem.C))
    yield _pairs_at(problem.shape, *assignment((x[:, None] - y) ** 2))
    agent, reference = _ranked(x, problem.C.mean(axis=1)), _ranked(y, problem.C.mean(axis=0))
    for rows, columns in random_matchings(*problem.shape):
        yield _pairs_at(problem.shape, agent[rows], reference[columns])


def _pairs_at(shape: tuple[int, int], rows: Any, columns: Any) -> Pairs:
    pairs = np.zeros(shape, dtype=np.bool_)
    pairs[rows, columns] = True
    return pairs


def _ranked(position: Array, cost: Array) -> Cells:
    return np.lexsort((np.round(cost, 9), np.round(position, 9)))


# The conditional gradient.


def descend(
    problem: Problem, T: Array, weights: Sequence[float], max_outer: int, tolerance: float
) -> Solution:
    """Runs conditional gradient from T: a linearisation per epsilon, the last to convergence.

    It has converged if the coupling changed by less than the tolerance at the last epsilon, and its
    inner problem was solved.

    Args:
        problem: the problem.
        T: the start, (n, m).
        weights: the decreasing entropy weights of epsilon scaling.
        max_outer: the number of all linearisations.
        tolerance: the change of the coupling, a sum of absolute differences.
    """
    G, change = structure_gradient(problem.D_p, problem.D_r, T), np.inf
    z = np.zeros(sum(problem.shape))
    for count in range(1, max_outer + 1):
        epsilon, last = weights[min(count, len(weights)) - 1], count >= len(weights)
        linear = Linear.of(problem, (1.0 - problem.theta) * problem.C + problem.theta * G, epsilon)
        exactness = inner_tolerance(change, par.TIGHTEST)
        far = count <= len(weights) or change > par.MOVED
        point, solved = linear.solve(linear.sweep(z[len(T) :]) if far else z, exactness)
        z, S = point.z, point.S
        there = structure_gradient(problem.D_p, problem.D_r, S)
        length = _line_search(problem, (T, G), (S, there), epsilon) if last else 1.0
        before, T, G = T, (1 - length) * T + length * S, (1 - length) * G + length * there
        change = float(abs(T - before).sum())
        # With a loose tolerance the old potentials can solve the inner problem at once. Then the
        # coupling does not change, although an exact solution would change it.
        if last and solved and exactness <= tolerance and change < tolerance:
            return Solution(problem, T, terms(problem, T), epsilon, True, count, 1, change)
    return Solution(problem, T, terms(problem, T), epsilon, False, count, 1, change)


_Iterate = tuple[Array, Array]  # a coupling, and the gradient of Q at it


def _line_search(problem: Problem, here: _Iterate, there: _Iterate, epsilon: float) -> float:
    """Returns the best step in [0, 1] towards the solution of the linearised problem.

    The linearised objective is lowest at 1, so with curvature Q(move) <= 0 the full step is best.
    Otherwise the objective is convex along the move. The step of balanced problems, -b / 2a, is
    wrong here, because KL and entropy are not quadratic.
    """
    (T, G), (S, there_G) = here, there
    move, turn = S - T, there_G - G
    objectives = [objective(problem, X, epsilon) for X in (T, S)]
    if (turn * move).sum() <= 0 or objectives[1] <= objectives[0] + 1e-13:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        length = (low + high) / 2
        X, M = T + length * move, problem.theta * (G + length * turn)
        slope = (1.0 - problem.theta) * problem.C + M + epsilon * _log(X) + _penalties(problem, X)
        low, high = (low, length) if (slope * move).sum() > 0 else (length, high)
    return low


def _penalties(problem: Problem, T: Array) -> Array:
    """Returns the slope of both marginal penalties in each entry of T, (n, m)."""
    rows = problem.lambda_1 * _log(T.sum(axis=1) / problem.mu)
    return rows[:, None] + problem.lambda_2 * _log(T.sum(axis=0) / problem.nu)


def _log(x: Array) -> Array:
    """Returns the logarithm, and 0 for x = 0: an entry that stays 0 has no slope."""
    return np.log(np.where(x > 0, x, 1.0))


# The inner problem.


class _Point(NamedTuple):
    """The dual objective at the potentials z = (f, g), with its parts.

    S: the coupling; sums: its marginals; target: the marginals that the potentials require. The
    dual is solved if sums and target agree.
    """

    z: Array
    S: Array
    sums: Array
    target: Array
    value: float


class Linear(NamedTuple):
    """Unbalanced transport with entropy [Chizat2018]: eq. 3 with Q linearised.

    minimise  <M, S> + sum lambda_1 kl(S 1 | mu) + sum lambda_2 kl(S' 1 | nu)
              + epsilon sum S (log S - 1)

    The dual potentials have one number a step, f for the agent's and g for the reference's, and
    S_ij = exp((f_i + g_j - M_ij) / epsilon). mass: mu and nu; weight: lambda_1 and lambda_2.
    """

    M: Array
    mass: Array
    weight: Array
    epsilon: float

    @classmethod
    def of(cls, problem: Problem, M: Array, epsilon: float) -> "Linear":
        """Returns the problem with a linear cost instead of its node and structure terms."""
        mass = np.concatenate([problem.mu, problem.nu])
        return cls(M, mass, np.concatenate([problem.lambda_1, problem.lambda_2]), epsilon)

    def solve(self, z: Array, tolerance: float) -> tuple[_Point, bool]:
        """Solves the dual by Newton, with epsilon scaling if this fails; returns whether it did.

        Args:
            z: the start.
            tolerance: the largest error of a marginal relative to mu and nu.
        """
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            point, solved = self.newton(z, tolerance)
            g = np.zeros(self.M.shape[1])
            for factor in () if solved else par.FACTORS:
                smoother = self._replace(epsilon=self.epsilon * factor)
                point, solved = smoother.newton(smoother.sweep(g), tolerance)
                g = np.where(np.isfinite(point.z), point.z, 0.0)[len(self.M) :]
        return point, solved

    def sweep(self, g: Array) -> Array:
        """Makes a Sinkhorn step in the logarithmic domain [Cuturi2013]: f from g, then g from f.

        Each maximises the dual in one potential, so both are finite for any finite g, and the
        coupling has the column sums that g requires.
        """
        n, power = len(self.M), self.epsilon * self.weight / (self.epsilon + self.weight)
        f = power[:n] * (np.log(self.mass[:n]) - _log_sum((g - self.M) / self.epsilon))
        g = power[n:] * (np.log(self.mass[n:]) - _log_sum((f - self.M.T) / self.epsilon))
        return np.concatenate([f, g])

    def newton(self, z: Array, tolerance: float) -> tuple[_Point, bool]:
        """Runs damped Newton [Nocedal2006] on the dual from z; fails if it is not finite.

        It makes a step even if the tolerance is met at once, because otherwise the outer iteration
        would see no change and stop.
        """
        point, bound = self.at(z), par.ALREADY_SOLVED
        for _ in range(_EVALUATIONS):
            if (abs(point.target - point.sums) / self.mass).max() < bound:
                return point, True
            if not np.isfinite(point.value):
                break
            try:
                point, bound = self.step(point), tolerance
            except np.linalg.LinAlgError:
                break
        return point, False

    def at(self, z: Array) -> _Point:
        """Returns the point of the dual at z, (n + m,)."""
        n = len(self.M)
        S = np.exp((z[:n, None] + z[n:] - self.M) / self.epsilon)
        sums = np.concatenate([S.sum(axis=1), S.sum(axis=0)])
        # expm1 leaves out the constant, which at a weight of 1e7 would hide all differences.
        drop = self.mass * np.expm1(-z / self.weight)
        value = -float(self.weight @ drop) - self.epsilon * float(sums[:n].sum())
        return _Point(z, S, sums, self.mass + drop, value)

    def step(self, point: _Point) -> _Point:
        """Makes a Newton step, halved until the dual does not decrease."""
        dz, lowest = self.direction(point), point.value - 1e-13 * (1.0 + abs(point.value))
        for _ in range(_HALVINGS):
            trial = self.at(point.z + dz)
            if trial.value >= lowest:
                break
            dz = dz / 2
        return trial

    def direction(self, point: _Point) -> Array:
        """Returns the Newton direction with limited length.

        S is an exponential in z / epsilon. Far from the solution its slope is valid only for steps
        of a few epsilon: a full step overflows, or ends where S is 0.
        """
        epsilon, n = self.epsilon, len(self.M)
        scale = 1.0 / np.sqrt(point.sums / epsilon + point.target / self.weight + _FLOOR)
        B = point.S * scale[:n, None] * (scale[n:] / epsilon)
        right = scale * (point.target - point.sums)
        dz = scale * np.concatenate(_solve_symmetric(B, right[:n], right[n:]))
        cap = min(1.0, max(100.0 * epsilon, 1e-2))
        longest = float(abs(dz).max())
        return np.asarray(dz * min(1.0, cap / (longest + _FLOOR)))


def _log_sum(exponent: Array) -> Array:
    top = exponent.max(axis=1)
    log_sums: Array = top + np.log(np.exp(exponent - top[:, None]).sum(axis=1))
    return log_sums


def _solve_symmetric(B: Array, a: Array, b: Array) -> tuple[Array, Array]:
    """Solves x + B y = a, B' x + y = b for x and y, by the Schur complement of the longer side."""
    if len(a) < len(b):
        return _solve_symmetric(B.T, b, a)[::-1]
    # The ridge keeps the matrix definite despite rounding errors.
    H = np.eye(len(b)) * (1.0 + 1e-14) - B.T @ B
    y: Array = np.linalg.solve(H, b - B.T @ a).astype(np.float64)
    return a - B @ y, y


# Rounding and polishing.


def rounded(problem: Problem, T: Array) -> Array:
    """Returns the partial permutation with the most mass of T, with nearly its best masses."""
    pairs, M = _pairs_at(T.shape, *assignment(T, maximize=True)), np.zeros(T.shape)
    for _ in range(_ROUNDINGS):
        X = _with_masses(problem, pairs, M)
        M = gradient(problem, X)
    return X


def _with_masses(problem: Problem, pairs: Pairs, M: Array) -> Array:
    """Returns the best masses of pairs that share no step, at a fixed cost M.

    A mass is the geometric mean of mu and nu with weights lambda, times exp(-M / (lambda_1 +
    lambda_2)). If mu and nu agree and M is 0, the mass is exactly mu.
    """
    i, j = np.nonzero(pairs)
    pull = problem.lambda_2[j] * np.log(problem.nu[j] / problem.mu[i])
    X = np.zeros(pairs.shape)
    X[i, j] = problem.mu[i] * np.exp((pull - M[i, j]) / (problem.lambda_1[i] + problem.lambda_2[j]))
    return X


def lower_bound(problem: Problem, T: Array) -> float:
    """Returns a lower bound of the loss by weak duality, from the potentials of the sums of T.

    It equals the loss if T is a minimum and its structure term is 0.
    """
    r, c = T.sum(axis=1), T.sum(axis=0)
    if min(r.min(), c.min()) <= 0:
        return 0.0
    g = -problem.lambda_2 * np.log(c / problem.nu)
    f = ((1.0 - problem.theta) * problem.C - g).min(axis=1)
    f = np.minimum(f, -problem.lambda_1 * np.log(r / problem.mu))
    with np.errstate(over="ignore"):
        agent = problem.lambda_1 * problem.mu * -np.expm1(-f / problem.lambda_1)
    return float(agent.sum() + problem.lambda_2 @ (problem.nu - c))


def polish(problem: Problem, T: Array, most_steps: int = 200) -> tuple[Array, bool]:
    """Descends from T to the local minimum without entropy; returns whether it was reached.

    This is an active-set method: Newton [Nocedal2006] on the active cells. A cell that reaches 0
    leaves; cells in which the objective decreases enter, a few at a time. A T with many cells is
    returned unchanged.
    """
    polisher = _Polisher(problem, T)
    if np.count_nonzero(polisher.T) > max(150, 3 * sum(problem.shape)):
        return T, False
    # The loss after a step that is too long is NaN, and such a step is rejected.
    with np.errstate(all="ignore"):
        ended = polisher.run(most_steps)
    return polisher.T, ended


class _Polisher:
    """A coupling with its loss and the slope of the loss in each cell."""

    def __init__(self, problem: Problem, T: Array) -> None:
        self.problem, self.D_p, self.D_r = problem, dense(problem.D_p), dense(problem.D_r)
        lighter = np.minimum(T.sum(axis=1)[:, None], T.sum(axis=0))
        self.T = np.where(par.SLIGHT * lighter <= T, T, 0.0)
        _feed(self.T, self.find_slope(), problem.mu, problem.lambda_1)
        _feed(self.T.T, self.find_slope().T, problem.nu, problem.lambda_2)
        self.loss = objective(problem, self.T)

    def find_slope(self) -> Array:
        """Returns the slope of the loss in each cell, (n, m)."""
        return gradient(self.problem, self.T) + _penalties(self.problem, self.T)

    def run(self, most_steps: int) -> bool:
        """Descends; returns whether it ended because no step promises a decrease."""
        for _ in range(most_steps):
            self.slope = self.find_slope()
            cells, d, promise = self.choose()
            if promise < par.STILL:
                # The decrease is below the rounding error, but the step squares the slopes.
                self.take(cells, d, promise)
                return True
            if not self.search(cells, d, promise):
                return False
        return False

    def choose(self) -> tuple[Cells, Array, float]:
        """Chooses a direction in the active cells, and in cells that promise more than these."""
        T, p = self.T, self.problem
        slight = par.NOTHING * np.minimum(p.mu[:, None], p.nu) >= T
        active = np.flatnonzero(np.where(slight, (T > 0) & (self.slope < 0), True))
        current = self.direct(active)
        rows, columns = np.maximum(T.sum(axis=1), p.mu), np.maximum(T.sum(axis=0), p.nu)
        offer = np.where(T > 0, 0.0, -self.slope * np.minimum(rows[:, None], columns)).ravel()
        best = np.argsort(-offer, kind="stable")[: par.ENTERING]
        entering = best[offer[best] > max(current[2], par.STILL)]
        wider = self.direct(np.append(active, entering)) if len(entering) else current
        return wider if wider[2] >= par.STILL else current

    def direct(self, cells: Cells) -> tuple[Cells, Array, float]:
        """Returns Newton's direction, downhill even if the loss is concave, and its promise."""
        mass, slope = self.T.ravel(), self.slope.ravel()
        while len(cells):
            H = self.curve(cells)
            scale = 1.0 / np.sqrt(np.diag(H))
            values, V = np.linalg.eigh(H * scale[:, None] * scale)
            along = V.T @ (scale * slope[cells]) / np.maximum(abs(values), _FLAT)
            d = -scale * (V @ along)
            stays = (mass[cells] > 0) | (d > 0)  # an empty cell cannot lose mass
            if stays.all():
                return cells, d, float(-slope[cells] @ d)
            cells = cells[stays]
        return cells, np.zeros(0), 0.0

    def curve(self, cells: Cells) -> Array:
        """Returns the Hessian of the loss in some cells."""
        p, (i, j) = self.problem, np.divmod(cells, self.T.shape[1])
        gap = self.D_p[np.ix_(i, i)] - self.D_r[np.ix_(j, j)]
        same_row, same_column = i[:, None] == i, j[:, None] == j
        H: Array = 2.0 * p.theta * gap * gap
        H += same_row * (p.lambda_1 / self.T.sum(axis=1))[i]
        H += same_column * (p.lambda_2 / self.T.sum(axis=0))[j]
        return H

    def search(self, cells: Cells, d: Array, promise: float) -> bool:
        """Tries the full step, cut at 0, then steps up to where the first cell becomes empty."""
        mass = self.T.ravel()[cells]
        losing = (d < 0) & (mass > 0)
        length = float((-mass[losing] / d[losing]).min(initial=1.0))
        lengths = [1.0, *(length * 0.5**count for count in range(_SHORTER))]
        return any(self.take(cells, t * d, t * promise) for t in lengths)

    def take(self, cells: Cells, d: Array, promise: float) -> bool:
        """Takes a step if the loss decreases by a part of the promise.

        If a row or column would lose nearly all its mass, its cells shrink by their rates instead,
        because the slope of the penalty is a logarithm.
        """
        T, mass = self.T.copy(), self.T.ravel()[cells]
        flat = T.ravel()
        flat[cells] = np.where(mass + d > 1e-12 * mass, mass + d, 0.0)
        rows, columns = (T.sum(axis=k) > par.KEEPS * self.T.sum(axis=k) for k in (1, 0))
        shrinks = ~(rows[:, None] & columns).ravel()[cells] & (mass > 0)
        rate = np.maximum(d[shrinks] / mass[shrinks], _FASTEST)
        flat[cells[shrinks]] = mass[shrinks] * np.exp(rate)
        loss = objective(self.problem, T)
        fell = loss <= self.loss - par.ARMIJO * promise + 1e-15
        if not fell or min(T.sum(axis=1).min(), T.sum(axis=0).min()) <= par.LEAST:
            return False
        self.T, self.loss = T, loss
        return True


def _feed(T: Array, slope: Array, mass: Array, weight: Array) -> None:
    """Gives each step without mass the best mass in its cheapest cell."""
    for i in np.flatnonzero(T.sum(axis=1) <= 0).tolist():
        j = int(slope[i].argmin())
        T[i, j] = max(mass[i] * np.exp(-max(slope[i, j], 0.0) / weight[i]), par.LEAST)
