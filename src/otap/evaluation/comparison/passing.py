"""How often a task is solved in k tries: at least once, and each time."""

from collections.abc import Callable, Sequence
from math import comb
from statistics import fmean

from otap.evaluation.comparison.comparison import Tries
from otap.evaluation.comparison.pairing import Task
from otap.evaluation.comparison.run import MEASURES, Run

_OUTCOME = MEASURES.index("outcome")
PASSED = 1.0  # the outcome from which on a run has passed
SHOWN = (1, 2, 3, 4, 5, 8, 16, 32)  # numbers of tries


def pass_at(k: int, passed: int, runs: int) -> float:
    """Returns the chance that at least one of k runs passes, unbiased [Chen2021].

    Args:
        k: how many runs are drawn without putting back, at most ``runs``.
        passed: how many of them passed.
        runs: how many there are.
    """
    return 1 - comb(runs - passed, k) / comb(runs, k)


def pass_all(k: int, passed: int, runs: int) -> float:
    """Returns the chance that all of k runs pass, unbiased: pass^k of [Yao2024].

    Args:
        k: how many runs are drawn without putting back, at most ``runs``.
        passed: how many of them passed.
        runs: how many there are.
    """
    return comb(passed, k) / comb(runs, k)


Passes = tuple[int, int]  # how many runs passed, and how many there are


def tries(tasks: Sequence[Task]) -> list[Tries]:
    """Returns pass@k and pass^k, up to as many tries as each task has outcomes of on both sides."""
    both = [[_passes(side) for side in task.counted] for task in tasks]
    known = [sides for sides in both if _most(sides)]
    base, new = [sides[0] for sides in known], [sides[1] for sides in known]
    most = _most([*base, *new])
    return [_tries(k, base, new) for k in SHOWN if k <= most]


def _most(sides: Sequence[Passes]) -> int:
    """The fewest runs of a side: as many tries can be drawn of all."""
    return min((runs for _, runs in sides), default=0)


def _tries(k: int, base: Sequence[Passes], new: Sequence[Passes]) -> Tries:
    return Tries(
        k=k,
        tasks=len(base),
        pass_at=(_mean(pass_at, k, base), _mean(pass_at, k, new)),
        pass_all=(_mean(pass_all, k, base), _mean(pass_all, k, new)),
    )


def _passes(side: Sequence[Run]) -> Passes:
    outcomes = [value for run in side if (value := run.values[_OUTCOME]) is not None]
    return sum(outcome >= PASSED for outcome in outcomes), len(outcomes)


def _mean(chance: Callable[[int, int, int], float], k: int, side: Sequence[Passes]) -> float:
    return fmean(chance(k, *task) for task in side)
