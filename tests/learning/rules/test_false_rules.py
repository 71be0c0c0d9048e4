"""How often a rule is found where there is none: in less than one of twenty samples.

Thresholds were chosen on one world of each kind, the first. OTAP_LONG=1 looks at 180 worlds without
a rule, and at 660 samples whose outcomes are those of other runs: in none a rule was found.
"""

import os

import pytest

from learning.rules import worlds
from learning.rules.worlds import Known, World, shuffled
from otap.learning.rules import learned_rules
from otap.learning.runs import Scores
from otap.scoring import Config

LONG = os.environ.get("OTAP_LONG") == "1"
WORLDS, SAMPLES, SHUFFLES = (60, 6, 10) if LONG else (1, 1, 3)
MOST = 0.05
EACH = [
    World(worlds.failing),
    World(worlds.wrapping_up),
    World(worlds.paying_out, on_both_sides=True),
    World(worlds.reimbursing),
    World(worlds.charging_back),
    World(worlds.noting, on_both_sides=True),
    World(worlds.telling_why, on_both_sides=True),
    World(worlds.listing, on_both_sides=True),
    World(worlds.measuring, on_both_sides=True),
    World(worlds.checking_late),
    World(worlds.careless),
]


def teaches(scores: Scores) -> bool:
    """Whether a sample teaches a rule."""
    return any(rule.kept for rule in learned_rules(scores, scores.sample.tasks, Config()))


@pytest.mark.parametrize("tasks", [15, 20, 40] if LONG else [15])
def test_worlds_without_a_rule(tasks: int) -> None:
    """Failures that are made good, habits, plain mistakes, and judges of whom one in ten errs."""
    world = World(worlds.careless, tasks=tasks)
    found = sum(teaches(world.scores(seed)) for seed in range(WORLDS))
    assert found <= MOST * WORLDS


@pytest.mark.parametrize("world", EACH if LONG else EACH[6:7], ids=lambda one: one.habit.__name__)
def test_outcomes_of_other_runs(world: World) -> None:
    """Nothing is learned from outcomes that have nothing to do with what runs did."""
    found = 0
    for seed in range(SAMPLES):
        scores = world.scores(seed)
        others = [shuffled(scores.sample, shuffle) for shuffle in range(SHUFFLES)]
        found += sum(teaches(Known(sample, scores)) for sample in others)
    assert found <= MOST * SAMPLES * SHUFFLES
