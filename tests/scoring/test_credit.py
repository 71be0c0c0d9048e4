"""Credit by step: costs that sum to the loss, and rewards that leave the best policy unchanged."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

import otap
from otap.alignment.comparison import BAND_WIDTH
from otap.scoring import parse_config
from otap.trajectory import Trajectory, parse_trajectory
from strategies import trajectories

HOTEL = Path(__file__).parents[2] / "examples" / "hotel-booking"
PRESETS = ("default", "paper")


@pytest.fixture(scope="module", params=PRESETS)
def scorer(request) -> otap.Scorer:
    """The scorers of both presets, with one encoder."""
    return otap.Scorer(otap.Config.preset(request.param), encoder="wordllama")


def hotel(name: str) -> Trajectory:
    """A run of the hotel example, or its reference."""
    return otap.read(HOTEL / name)


@given(run=trajectories(), one=trajectories(), other=trajectories())
def test_costs_are_not_negative_and_sum_to_the_loss(run, one, other, scorer) -> None:
    """Whatever the run and its references are, with and without a soft-min over these."""
    result = scorer.score(run, [one, other])
    rewards = result.step_rewards
    assert rewards.ids == tuple(step.id for step in run.steps)
    assert min(rewards.costs) >= 0
    assert math.fsum(rewards.costs) == pytest.approx(result.loss, abs=1e-12)


@given(run=trajectories(), other=trajectories(), gold=trajectories(chain=True))
def test_what_shaped_rewards_add_to_the_loss_is_the_references_own(
    run, other, gold, scorer
) -> None:
    """So of two runs the one with the greater return is the one with the lower loss."""
    sums = []
    for one in (run, other, gold):
        result = scorer.score(one, [gold])
        sums.append(math.fsum(result.step_rewards.hindsight) + result.loss)
    assert sums == pytest.approx([sums[0]] * 3, abs=1e-12)


def test_each_step_of_the_reference_brings_its_weight() -> None:
    """A run that is the reference loses nothing; rewards go by weight, and by what is critical."""
    gold = hotel("reference.json")
    rewards = otap.score(gold, gold).step_rewards
    assert rewards.costs == (0.0,) * 6
    assert math.fsum(rewards.hindsight) == pytest.approx(1.0 + BAND_WIDTH)
    # Two steps only read, two are critical; the last one ends what was critical before.
    hindsight = [*rewards.hindsight[:-1], rewards.hindsight[-1] - BAND_WIDTH]
    assert np.divide(hindsight, hindsight[1]) == pytest.approx([0.1, 1, 1, 0.1, 2, 2])


def test_what_stands_for_nothing_costs_and_brings_nothing() -> None:
    """The invented steps have a cost, and a negative reward."""
    rewards = otap.score(hotel("runs/invented_steps.json"), hotel("reference.json")).step_rewards
    for step in ("weather", "restaurants"):
        place = rewards.ids.index(step)
        assert rewards.costs[place] > 0
        assert rewards.hindsight[place] == pytest.approx(-rewards.costs[place], abs=1e-3)


def test_what_is_missing_is_charged_where_the_run_ended() -> None:
    """The run that never booked was as good as the reference until it stopped."""
    result = otap.score(hotel("runs/missing_book.json"), hotel("reference.json"))
    *before, last = result.step_rewards.costs
    assert before == pytest.approx([0.0] * len(before), abs=1e-12)
    assert last == pytest.approx(result.loss)


def test_steps_that_do_not_count_cost_nothing() -> None:
    """They have their places, and the end is the last of them."""
    steps = [{"id": "1", "tool": "refund", "arguments": {"id": "W1"}}, {"id": "2", "tool": "look"}]
    config = parse_config({"tools": {"ignore": ["look"]}})
    run, gold = parse_trajectory({"steps": steps}), parse_trajectory({"steps": steps[:1]})
    result = otap.Scorer(config).score(run, gold)
    assert result.loss == 0
    assert result.step_rewards.ids == ("1", "2")
    assert result.step_rewards.costs == (0.0, 0.0)
    missing = otap.Scorer(config).score(parse_trajectory({"steps": steps[1:]}), gold)
    assert missing.step_rewards.costs == (missing.loss,)


def test_without_steps_there_is_nobody_to_pay() -> None:
    """A run that did nothing has a loss and no step."""
    result = otap.score(parse_trajectory({"steps": []}), hotel("reference.json"))
    assert result.loss > 0
    assert result.step_rewards is None


def test_against_nothing_to_do_each_step_costs_its_weight() -> None:
    """Two equal writes share the loss; that it is critical falls due at the end."""
    steps = [{"id": k, "tool": "refund", "arguments": {"id": k}} for k in ("1", "2")]
    result = otap.score(parse_trajectory({"steps": steps}), parse_trajectory({"steps": []}))
    each = (result.loss - BAND_WIDTH) / 2
    assert result.step_rewards.costs == pytest.approx([each, each + BAND_WIDTH])
    assert math.fsum(result.step_rewards.hindsight) == pytest.approx(-2 * each)


def test_parts_of_a_union_pay_alike() -> None:
    """Two steps that together stand for one divide its cost."""
    one, two = hotel("runs/merged_filters.json"), hotel("reference.json")
    rewards = otap.score(two, one).step_rewards
    prices = [rewards.costs[rewards.ids.index(f"filter-{name}")] for name in ("price", "location")]
    assert prices[0] == pytest.approx(prices[1])


def test_an_answer_is_told_at_the_end() -> None:
    """Who tells what was asked is paid for it with the last step."""
    step = {"id": "1", "tool": "refund", "arguments": {"id": "W1"}}
    gold = parse_trajectory({"steps": [step], "required_answers": ["54.04"]})
    rewards = [
        otap.score(parse_trajectory({"steps": [step], "messages_to_user": told}), gold).step_rewards
        for told in (["It is 54.04."], ["Done."])
    ]
    assert rewards[0].costs == (0.0,)
    assert rewards[0].hindsight == pytest.approx([1.0 + BAND_WIDTH])
    assert rewards[1].costs[0] == pytest.approx(1 + BAND_WIDTH - rewards[1].hindsight[0])


def test_long_runs_are_summed_in_blocks() -> None:
    """Beyond a block of rows the sums go on."""
    steps = [{"id": str(k), "tool": f"t{k % 7}", "arguments": {"id": f"A-{k}"}} for k in range(300)]
    run, gold = parse_trajectory({"steps": steps[10:]}), parse_trajectory({"steps": steps})
    result = otap.score(run, gold)
    assert math.fsum(result.step_rewards.costs) == pytest.approx(result.loss, abs=1e-9)
    assert min(result.step_rewards.hindsight[:-1]) > 0
