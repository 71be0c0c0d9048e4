"""The threshold holds what it promises, whatever the tasks are like, and promises no more."""

import numpy as np
import pytest

from otap.learning.calibration.conformal import (
    Promise,
    alarm_total,
    are_single,
    clustered_share,
    measure_alarms,
    spread,
    threshold,
)

Groups = list[np.ndarray]


def world(random: np.random.Generator, tasks: int, alike: float, sizes: list[int]) -> Groups:
    """Values of the runs of some tasks; ``alike`` is the share of the variance between tasks."""
    effects = random.normal(size=tasks) * np.sqrt(alike)
    return [one + np.sqrt(1 - alike) * random.normal(size=random.choice(sizes)) for one in effects]


def drawn(random: np.random.Generator, count: int, ties: bool) -> np.ndarray:
    """One run of each of many new tasks, in ascending order: however alike, of one variance."""
    values = random.normal(size=count)
    return np.sort(values.round() if ties else values)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("sizes", [[1], [1, 2, 5], [4]])
@pytest.mark.parametrize("alike", [0.0, 0.5, 1.0])
def test_false_alarms_stay_below_the_rate_on_average(
    alike: float, sizes: list[int], ties: bool
) -> None:
    """Worlds with task effects, ties, and unequal numbers of runs; one run of each new task."""
    random = np.random.default_rng(7)
    new = drawn(random, 20_000, ties)
    held, rates = Promise(0.1), []
    for _ in range(250):
        groups = world(random, 14, alike, sizes)
        groups = [group.round() for group in groups] if ties else groups
        bound = threshold(groups, held.allowed_alarms(groups))
        assert bound is not None
        rates.append(np.searchsorted(new, bound) / len(new))
    error = np.std(rates) / np.sqrt(len(rates))
    assert np.mean(rates) <= 0.1 + 2 * error


@pytest.mark.parametrize("sizes", [[1], [1, 3]])
def test_confidence_holds_in_so_many_calibrations(sizes: list[int]) -> None:
    """With 90 % confidence at most a tenth of calibrations stop more than the rate."""
    random = np.random.default_rng(3)
    held = Promise(0.1, 0.9)
    new = drawn(random, 40_000, False)
    allowed = held.allowed_alarms([np.zeros(size) for size in sizes * 40][:40])
    exceeded = []
    for _ in range(250):
        bound = threshold(world(random, 40, 0.7, sizes), allowed)
        assert bound is not None
        exceeded.append(np.searchsorted(new, bound) / len(new) > 0.1)
    assert np.mean(exceeded) <= 0.1 + 2 * np.sqrt(0.1 * 0.9 / 250)


@pytest.mark.parametrize(
    ("held", "tasks"),
    [
        (Promise(0.05), 19),
        (Promise(0.1), 9),
        (Promise(0.01), 99),
        (Promise(0.05, 0.9), 45),
        (Promise(0.1, 0.9), 22),
    ],
)
@pytest.mark.parametrize("runs", [1, 3])
def test_the_fewest_tasks(held: Promise, tasks: int, runs: int) -> None:
    """So many tasks give a threshold, and one fewer none, however many runs they have."""
    assert held.min_tasks == tasks
    groups = [np.arange(runs) + float(task) for task in range(tasks)]
    assert threshold(groups, held.allowed_alarms(groups)) is not None
    assert threshold(groups[1:], held.allowed_alarms(groups[1:])) is None


def test_one_run_a_task_is_split_conformal() -> None:
    """The threshold is the value at place floor(rate (K + 1)), and a tie with it is no alarm."""
    groups = [np.array([float(value)]) for value in range(59)]
    bound = threshold(groups, Promise(0.05).allowed_alarms(groups))
    assert bound == 2.0
    assert alarm_total(groups, bound) == 2


def test_the_runs_of_a_task_weigh_one_together() -> None:
    """A task with a hundred low runs moves the threshold no further than one with one."""
    many = [np.full(100, 0.1), *(np.array([float(value)]) for value in range(1, 40))]
    one = [np.array([0.1]), *many[1:]]
    held = Promise(0.05)
    assert (
        threshold(many, held.allowed_alarms(many))
        == threshold(one, held.allowed_alarms(one))
        == 1.0
    )


def test_a_part_of_a_task_counts_as_a_part() -> None:
    """Where a whole task would be too much, one of its ten runs is not."""
    groups = [np.linspace(0.1, 1, 10), *(np.array([2.0 + value]) for value in range(20))]
    held = Promise(0.05)
    assert held.allowed_alarms(groups) == pytest.approx(0.1)
    assert threshold(groups, held.allowed_alarms(groups)) == pytest.approx(0.2)


def test_the_most_that_a_sum_of_alarms_stands_for() -> None:
    """Without an alarm: 1 / (K + 1) on average, and the same with confidence for all numbers."""
    single = [np.array([1.0])] * 45
    several = [np.array([1.0, 1.0])] * 45
    assert Promise(0.05).rate_bound(single, 0) == pytest.approx(1 / 46)
    expected = 1 - 0.1 ** (1 / 45)
    assert Promise(0.05, 0.9).rate_bound(single, 0) == pytest.approx(expected)
    assert Promise(0.05, 0.9).rate_bound(several, 0) == pytest.approx(expected, abs=1e-6)
    assert Promise(0.05, 0.9).rate_bound(single, 45) == 1
    assert are_single(single) and not are_single(several)


def test_the_spread_of_single_calibrations() -> None:
    """Nineteen tasks: the lowest value of them has the Beta distribution of 1 and 19."""
    groups = [np.array([float(value)]) for value in range(19)]
    low, high = spread(groups, Promise(0.05).allowed_alarms(groups))
    assert low == pytest.approx(1 - 0.95 ** (1 / 19))
    assert high == pytest.approx(1 - 0.05 ** (1 / 19))


def test_an_interval_knows_of_tasks() -> None:
    """Tasks that are all or nothing tell no more than one run each; tasks alike tell more."""
    alarming, counts = np.array([4.0, 4, 0, 0] * 3), np.full(12, 4.0)
    apart, alike = clustered_share(alarming, counts), clustered_share(np.full(12, 2.0), counts)
    assert apart.share == alike.share == 0.5
    assert apart.high - apart.low > 1.5 * (alike.high - alike.low)
    assert clustered_share(np.zeros(10), np.full(10, 9.0)).high == pytest.approx(
        1 - 0.025 ** (1 / 10)
    )


def test_caught_over_runs_and_over_tasks() -> None:
    """Of all runs each counts, of tasks each task."""
    found = measure_alarms([np.array([0.1, 0.1, 0.1]), np.array([0.9])], 0.5)
    assert found is not None
    assert (found.runs, found.tasks) == (4, 2)
    assert (found.of_runs.share, found.of_tasks.share) == (0.75, 0.5)
    assert measure_alarms([], 0.5) is None
