"""AUROC within tasks and over all runs, held to definitions written out."""

from itertools import permutations

import numpy as np
import pytest

from otap.learning.card import Ranking

VALUES = np.array([0.9, 0.5, 0.5, 0.2, 0.7, 0.1, 0.3, 0.3])
GOOD = np.array([True, False, True, False, False, True, True, False])
TASKS = ["a", "a", "a", "b", "b", "b", "c", "c"]


def won(pairs: list[tuple[int, int]]) -> float:
    """The share of pairs whose first scores more; a tie is a half."""
    points = [float(np.sign(VALUES[i] - VALUES[j]) + 1) / 2 for i, j in pairs]
    return sum(points) / len(points)


def pairs_of(good: np.ndarray) -> list[tuple[int, int]]:
    """Pairs of a good and a bad run."""
    return [(i, j) for i in range(8) for j in range(8) if good[i] and not good[j]]


def test_shares_of_pairs() -> None:
    """Counted pair by pair: those of one task, and all of them."""
    ranking = Ranking(VALUES, GOOD, TASKS)
    within = [(i, j) for i, j in pairs_of(GOOD) if TASKS[i] == TASKS[j]]
    assert ranking.within().value == won(within)
    assert (ranking.pairs, ranking.tasks_with_pairs) == (len(within), 3)
    assert ranking.overall().value == won(pairs_of(GOOD))


def test_the_null_is_the_mean_over_all_shuffles_within_tasks() -> None:
    """Every way to give the outcomes of a task to its runs, written out."""
    found = []
    for a in set(permutations(GOOD[:3])):
        for b in set(permutations(GOOD[3:6])):
            found += [won(pairs_of(np.array([*a, *b, *c]))) for c in permutations(GOOD[6:])]
    null = Ranking(VALUES, GOOD, TASKS).null()
    assert null.value == pytest.approx(np.mean(found))
    assert (null.low, null.high) == pytest.approx(
        tuple(np.quantile(found, [0.025, 0.975])), abs=0.05
    )


def test_what_cannot_be_said() -> None:
    """No pair, no interval of one task, no null without both outcomes; rounding makes ties."""
    one_sided = Ranking(VALUES, np.ones(8, dtype=bool), TASKS)
    assert one_sided.within().value is one_sided.overall().value is one_sided.null().value is None
    alone = Ranking(np.array([0.5, 0.5 + 1e-12]), np.array([False, True]), ["a", "a"])
    assert (alone.within().value, alone.within().low) == (0.5, None)


def test_few_tasks_that_are_all_right_prove_little() -> None:
    """The interval is that of a share of tasks of which none is wrong [Clopper1934]."""
    tasks = [name for name in "abcd" for _ in range(2)]
    values = np.array([0.9, 0.1] * 4)
    found = Ranking(values, values > 0.5, tasks).within()
    assert (found.value, found.low, found.high) == (1, pytest.approx(0.025**0.25), 1)
    worst = Ranking(-values, values > 0.5, tasks).within()
    assert (worst.value, worst.low, worst.high) == (0, 0, pytest.approx(1 - 0.025**0.25))


def test_no_order_of_runs_or_names_matters() -> None:
    """Intervals too are the same to the last bit, in whatever order the runs come."""
    order = np.random.default_rng(1).permutation(8)
    first = Ranking(VALUES, GOOD, TASKS)
    second = Ranking(VALUES[order], GOOD[order], [TASKS[k] for k in order])
    assert first.within() == second.within()
    assert first.overall() == second.overall()
    assert first.null().value == pytest.approx(second.null().value)
