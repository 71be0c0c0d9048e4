"""Problems of more than SMALL steps a side, solved in single precision."""

from otap.transport.epsilon_scaling import epsilons
from otap.transport.isomorphism import zero_loss
from otap.transport.native.descent import Descent
from otap.transport.native.rounding import rounded
from otap.transport.problem import Problem
from otap.transport.solution import Solution
from otap.transport.threads import one_thread

# Changes of T below this are the rounding of single precision.
_STILL = 3e-5
# Up to here the solver in double precision is quick enough where a linearisation fails; and where
# this one does not settle at an entropy weight that was asked for.
_SURE, _SURE_AT_A_WEIGHT = 200, 400


def solve_long(
    problem: Problem, epsilon: float, *, max_outer: int, tolerance: float, threads: int
) -> Solution | None:
    """Conditional gradient with epsilon scaling in single precision, from the product coupling.

    Args:
        problem: of more than SMALL steps on a side.
        epsilon: the entropy weight, or 0 for epsilon scaling and rounding.
        max_outer: linearisations.
        tolerance: the change of the coupling at which it is settled; 3e-5 where less is asked for.
        threads: the threads that may work.

    Returns:
        The solution; None where single precision does not suffice. The native core must be there.
        Without entropy it has converged also where the objective stands still.
    """
    with one_thread(max(problem.shape)):
        if epsilon == 0:
            zero = zero_loss(problem)
            if zero is not None:
                return zero
        tolerance = max(tolerance, _STILL)
        if epsilon > 0:
            return _at(problem, epsilon, max_outer, tolerance, threads)
        return _without_entropy(problem, max_outer, tolerance, threads)


def _at(
    problem: Problem, epsilon: float, max_outer: int, tolerance: float, threads: int
) -> Solution | None:
    """The solution at an entropy weight."""
    descent = Descent(problem, threads)
    if not descent.run([epsilon], max_outer, tolerance):
        return None
    sure = descent.converged or max(problem.shape) > _SURE_AT_A_WEIGHT
    return descent.solution() if sure else None


def _without_entropy(
    problem: Problem, max_outer: int, tolerance: float, threads: int
) -> Solution | None:
    """The solution at the last weight of epsilon scaling, or at an earlier one where it is stuck.

    It is taken as it is where it has not settled: the solver in double precision hardly would, and
    takes ten times as long.
    """
    weights = epsilons(0.0, max(problem.shape))
    last = weights[-1]
    while weights:
        descent = Descent(problem, threads)
        if descent.run(weights, max_outer, tolerance):
            descent.converged = (descent.converged or descent.stands) and weights[-1] == last
            return rounded(descent.solution(), descent.T, descent.cross)
        if max(problem.shape) <= _SURE:
            return None
        weights.pop()
    return None
