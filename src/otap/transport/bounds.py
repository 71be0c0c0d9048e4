"""Lower bounds of the loss of a problem by weak duality, without solving it.

For any dual potentials with f_i + g_j <= (1 - theta) C_ij every coupling T costs at least

    sum_i lambda_1_i mu_i (1 - exp(-f_i / lambda_1_i))
      + sum_j lambda_2_j nu_j (1 - exp(-g_j / lambda_2_j))

since the structure term is never negative ([Chizat2018] has the dual). Such potentials are the row
minima with the minima of the remaining costs in the columns, and the same with rows and columns
exchanged. A row minimum counts up to a multiple of lambda: more adds nothing to the bound, and
takes it from the columns. If f and g are such potentials, then so are f + d and g - d for any
number d: the best d charges for the difference in mass between the sides.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from otap.transport.problem import Problem
from otap.transport.structure import Array

# One step finds the best shift if each side has one lambda, three find it up to 1e-4 otherwise.
_NEWTON_STEPS = 3


# The largest first potential of a step, in units of its lambda. It charges the whole penalty, but
# for a share of 4e-18. More would leave no costs to the other side where nothing may match.
_MOST = 40.0


class Columns(NamedTuple):
    """The reference sides of several problems with the same agent side, in columns.

    C: node costs, (n, M); starts: the first column of each problem; nu, lambda_2: (M,).
    """

    C: Array
    starts: NDArray[np.intp]
    nu: Array
    lambda_2: Array


def lower_bounds(columns: Columns, mu: Array, lambda_1: Array | float, theta: float) -> Array:
    """Returns a lower bound of the loss of each problem with the same agent side, (K,), >= 0.

    Args:
        columns: the reference sides, K problems.
        mu: masses of the agent's steps, (n,), or (n, K) if each problem has its own.
        lambda_1: weight of their marginal penalty, a number, (n,) or (n, K).
        theta: weight of structure against node cost, in [0, 1].
    """
    M, starts = (1.0 - theta) * columns.C, columns.starts
    owner = np.repeat(np.arange(len(starts)), np.diff(starts, append=M.shape[1]))
    sides = _Sides(_of_each(mu), _of_each(lambda_1), columns, owner)
    rows = np.minimum(np.minimum.reduceat(M, starts, axis=1), _MOST * sides.lambda_1)
    least = np.minimum(M.min(axis=0), _MOST * columns.lambda_2)
    by_rows = sides.best_value(rows, (M - rows[:, owner]).min(axis=0))
    by_columns = sides.best_value(np.minimum.reduceat(M - least, starts, axis=1), least)
    larger: Array = np.maximum(by_rows, by_columns)
    return larger


def lower_bound(problem: Problem) -> float:
    """Returns a lower bound of the loss of a problem, never negative."""
    columns = Columns(problem.C, np.zeros(1, dtype=np.intp), problem.nu, problem.lambda_2)
    return float(lower_bounds(columns, problem.mu, problem.lambda_1, problem.theta)[0])


class _Sides(NamedTuple):
    """Masses and weights of both sides; owner: the problem of each column, (M,).

    Dual potentials are f of the agent's steps, (n, K), and g of the columns, (M,).
    """

    mu: Array
    lambda_1: Array
    columns: Columns
    owner: NDArray[np.intp]

    def best_value(self, f: Array, g: Array) -> Array:
        """Returns the best bound of each problem, with the potentials unshifted or shifted, (K,).

        The shifted dual objective has its maximum where both sides move the same mass: its
        derivative is the mass of the rows, sum mu exp(-f / lambda_1), minus that of the columns.
        Newton's method equates the logarithms of both, which are linear if each side has one
        lambda. Any shift gives a valid bound; shifts lost to underflow, at a lambda near 0, are
        ignored.
        """
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            value = self.value(f, g)
            for _ in range(_NEWTON_STEPS):
                shift = self.newton_step(f, g)
                f, g = f + shift, g - shift[self.owner]
            shifted: Array = np.fmax(value, self.value(f, g))
        return shifted

    def value(self, f: Array, g: Array) -> Array:
        """Returns the dual objective of each problem, (K,)."""
        columns = self.columns
        rows = self.lambda_1 * self.mu * -np.expm1(-f / self.lambda_1)
        reference = columns.lambda_2 * columns.nu * -np.expm1(-g / columns.lambda_2)
        total: Array = rows.sum(axis=0) + np.add.reduceat(reference, columns.starts)
        return total

    def newton_step(self, f: Array, g: Array) -> Array:
        """Returns the next shift of the potentials of each problem, (K,)."""
        columns = self.columns
        rows = self.mu * np.exp(-f / self.lambda_1)
        moved = columns.nu * np.exp(-g / columns.lambda_2)
        row_mass, row_slope = rows.sum(axis=0), (rows / self.lambda_1).sum(axis=0)
        mass, slope = np.add.reduceat([moved, moved / columns.lambda_2], columns.starts, axis=1)
        step: Array = np.log(row_mass / mass) / (row_slope / row_mass + slope / mass)
        return step


def _of_each(values: Array | float) -> Array:
    """Returns an array that broadcasts to (agent steps, problems)."""
    array = np.asarray(values, dtype=np.float64)
    return array[:, None] if array.ndim == 1 else array
