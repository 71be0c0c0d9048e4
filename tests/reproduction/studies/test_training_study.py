"""The study of rewards: its environments, MatchTIR's rewards, and a small training."""

import numpy as np
import pytest

from reproduction.studies import training
from reproduction.studies.environments import Environment, list_environments, three_of_ten


@pytest.mark.parametrize("environment", list_environments(), ids=lambda e: e.name)
def test_references_succeed_without_faults(environment: Environment) -> None:
    """A run with harm, or without its last change, does not."""
    for run in environment.references:
        assert environment.has_succeeded(run)
        assert environment.list_faults(run) == (environment.list_faults(()))
        assert not environment.has_succeeded(run[:-1])
        harm = environment.stop - 1
        assert not environment.has_succeeded((*run, harm))
        assert environment.list_faults((*run, harm)).harm


def test_rewards_by_matching_are_those_of_the_method() -> None:
    """The right calls share one unit by transport, and get one each by assignment."""
    environment = three_of_ten()
    run = environment.references[0]
    hard = training.MatchedRewards(environment, training.match_hard)
    assert hard.reward([run, ()]) == [[1, 1, 1, 0], [0]]
    [soft] = training.MatchedRewards(environment, training.match_soft).reward([run])
    assert sum(soft) == pytest.approx(1, abs=0.01)
    similarity = np.array([[0.9, 0.8], [0.9, 0.1]])
    assert training.match_hard(similarity).tolist() == [0.9, 0.1]


def test_rewards_of_a_run_sum_to_its_value() -> None:
    """The prefix and the causal form to the skill."""
    environment = three_of_ten()
    rewards = training.RunRewards(environment)
    runs = [(), (0, 1), (1, 0, 2), (0, 6, 1, 3)]
    expected = [sum(of_run) for of_run in rewards.skill(runs)]
    for reward in (rewards.prefix, rewards.causal):
        assert [sum(of_run) for of_run in reward(runs)] == pytest.approx(expected, abs=1e-9)


def test_a_policy_learns_a_reward() -> None:
    """It makes the rewarded call first."""
    environment, random = three_of_ten(), np.random.default_rng(0)
    policy = training.Policy(environment)
    for _ in range(60):
        runs = policy.sample(training.GROUP, random)
        returns = [np.full(len(run) + 1, float(run[:1] == (4,))) for run in runs]
        policy.learn(runs, returns, 2.0)
    assert np.mean([run[:1] == (4,) for run in policy.sample(100, random)]) > 0.9
