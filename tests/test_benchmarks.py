"""The benchmarks compare like with like: the rivals solve our problem, as far as is said."""

import json
import time

import numpy as np
import pytest
from scipy.stats import spearmanr

import otap
from benchmarks import guard, large_trace
from benchmarks.peak import operations, peak
from benchmarks.problems import plan_inputs, ragged_problems, short_inputs
from benchmarks.rivals import EPSILON, numpy_cg, pot_batch, pot_cg, pot_fugw
from benchmarks.sample import interleaved, ratios, stopped_after, times
from otap.transport import objective, solve, solve_batch
from otap.transport.core import native


@pytest.mark.parametrize("rival", [numpy_cg, pot_cg])
@pytest.mark.parametrize("n", [6, 20, 50, 120])
def test_a_rival_reaches_our_objective(rival, n):
    """A conditional gradient ends at our coupling: neither solver stops early."""
    for seed in range(3):
        problem = plan_inputs(np.random.default_rng(seed), n).problem()
        found, T = solve(problem, EPSILON), rival(problem)
        ours, theirs = (objective(problem, each, EPSILON) for each in (found.T, T))
        assert theirs == pytest.approx(ours, abs=1e-6)
        assert objective(problem, T) == pytest.approx(found.loss, abs=1e-5)


def test_fugw_ranks_as_we_do():
    """POT's problem is another, but orders runs alike; its coupling is never better for ours."""
    problems = ragged_problems(np.random.default_rng(0), 20)
    solutions, couplings = solve_batch(problems, EPSILON), [pot_fugw(each) for each in problems]
    for problem, found, T in zip(problems, solutions, couplings, strict=True):
        assert objective(problem, T, EPSILON) > objective(problem, found.T, EPSILON)
    losses = [objective(problem, T) for problem, T in zip(problems, couplings, strict=True)]
    assert spearmanr(losses, [found.loss for found in solutions]).statistic > 0.95


def test_the_batch_of_pot_is_balanced():
    """Its couplings have our masses as marginals, nearly, and no lower loss than ours."""
    problems = [plan_inputs(np.random.default_rng(seed), 6).problem() for seed in range(8)]
    for problem, found, T in zip(problems, solve_batch(problems), pot_batch(problems), strict=True):
        np.testing.assert_allclose(T.sum(axis=1), problem.mu, rtol=0.03)
        assert objective(problem, T) >= found.loss - 1e-3


@pytest.mark.parametrize(("name", "layout"), large_trace.HOTELS)
def test_a_large_trace_is_read_step_by_step(tmp_path, monkeypatch, name, layout):
    """Each format and layout of the large trace has its number of steps, with their results."""
    monkeypatch.setattr(large_trace, "STEPS", 3)
    path = tmp_path / f"{name}-{layout}.json"
    large_trace.write(path)
    seconds, megabytes = large_trace.read(str(path))
    assert seconds > 0
    assert megabytes > 1
    assert all(step.effect for step in otap.read(path).steps)


def test_tasks_are_timed_in_turn():
    """All tasks of a round run before the next round begins; each ratio is of one round."""
    order = []

    def task(name, seconds):
        return lambda: (order.append(name), time.sleep(seconds))

    found = interleaved([{"a": task("a", 0.01), "b": task("b", 0.03)}] * 3)
    assert order == ["a", "b"] * 3
    assert times(found["a"]).count == 3
    assert 1.5 < ratios(found["b"], found["a"]).median < 3.5


def test_a_round_that_would_end_too_late_is_not_begun():
    """One round is always run; a second only where there is time for another like it."""
    rounds = [{"a": lambda: time.sleep(0.05)}] * 9
    assert len(interleaved(rounds, seconds=0.0)["a"]) == 1
    assert len(interleaved(rounds, seconds=0.22)["a"]) < 5


def test_a_task_that_takes_too_long_is_stopped():
    """It returns nothing; one that is through in time returns what it has."""
    assert stopped_after(0.0, lambda: time.sleep(5)) is None
    assert stopped_after(5.0, lambda: 7) == 7


@pytest.mark.skipif(native() is None, reason="no native core was built")
def test_operations_are_counted_and_the_machine_measured():
    """The counts grow with the problem, and no core does less than a hundred million a second."""
    few, many = (
        operations([short_inputs(np.random.default_rng(0), n, n).problem()], 0.05) for n in (6, 12)
    )
    assert 1e4 < few < many
    assert peak() > 1e8


def test_the_guard_names_each_ratio_to_the_last_release():
    """Twice the time is a ratio of 2, and a figure that the release lacks is left out."""
    release = json.loads(guard.RELEASE_FILE.read_text())["figures"]
    doubled = {name: 2 * figure for name, figure in release.items()}
    assert set(release) == {"warm_score", "batch", "evaluate", "start_up"}
    assert guard.compare_with_release({**doubled, "new": 1.0}) == dict.fromkeys(release, 2.0)


@pytest.mark.parametrize("seed", range(6))
def test_a_perturbed_run_is_not_the_recorded_one(seed):
    """The runs of the guard's evaluation depart from the reference, and can be scored."""
    gold = otap.read(guard.HOTEL / "reference.json")
    run = guard.perturb(gold, seed)
    assert run == guard.perturb(gold, seed)
    assert otap.score(run, gold).score < 1
