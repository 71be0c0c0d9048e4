"""Rules that were planted in made runs are found, and none is where outcomes say nothing."""

from typing import Any

import pytest

from learning.rules import worlds
from learning.rules.worlds import Known, World, shuffled
from otap.learning.rules import Rule, learned_rules
from otap.learning.runs import Scores
from otap.learning.setting import with_settings
from otap.scoring import Config

PLANTED: dict[str, tuple[World, tuple[str, ...], Any]] = {
    "failures": (World(worlds.failing), ("counts", "failed"), {0.1, 1.0}),
    "hand-overs": (World(worlds.wrapping_up), ("tools", "hands_over"), {"wrap_up"}),
    "ignored": (World(worlds.noting, True), ("parameters", "refund", "ignore"), {"mark"}),
    "text": (World(worlds.telling_why, True), ("parameters", "refund", "text"), {"reason"}),
    "sets": (World(worlds.listing, True), ("parameters", "refund", "sets"), {"shelves"}),
    "tolerance": (
        World(worlds.measuring, True),
        ("parameters", "refund", "tolerance", "weight_grams"),
        {"5%"},
    ),
}


def rules_of(scores: Scores, config: Config | None = None) -> list[Rule]:
    """The rules that all tasks of a sample teach."""
    return list(learned_rules(scores, scores.sample.tasks, config or Config()))


def kept(scores: Scores, config: Config | None = None) -> list[Rule]:
    """Those that are kept."""
    return [rule for rule in rules_of(scores, config) if rule.kept]


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_rule_is_found_and_only_it(name: str) -> None:
    """It becomes a setting; where outcomes are those of other runs there is none."""
    world, path, values = PLANTED[name]
    scores = world.scores()
    [rule] = kept(scores)
    [setting] = rule.settings
    assert (setting.path, setting.value in values) == (path, True)
    assert setting.evidence == rule.evidence
    assert kept(Known(shuffled(scores.sample), scores)) == []


def test_a_rule_that_is_in_force_is_not_found_again() -> None:
    """What the settings say is no news."""
    world, *_ = PLANTED["sets"]
    scores = world.scores()
    [rule] = kept(scores)
    assert kept(scores, with_settings(Config(), rule.settings)) == []


def test_tools_that_do_the_same_are_substitutes() -> None:
    """As near as can be, as runs with the one are as good as those with the other."""
    scores = World(worlds.reimbursing).scores()
    [rule] = kept(scores)
    assert rule.about == "refund and reimburse"
    assert rule.settings[0].value == {"tools": ["refund", "reimburse"], "distance": 0.1}
    assert kept(scores, with_settings(Config(), rule.settings)) == []
    assert kept(Known(shuffled(scores.sample), scores)) == []


def test_a_tool_that_does_something_else_is_no_substitute() -> None:
    """It stands in the place of the right one, with its arguments, in bad runs alone."""
    found = rules_of(World(worlds.charging_back).scores())
    [rule] = [one for one in found if one.kind == "substitutes"]
    assert not rule.kept
    assert rule.about == "charge_back and refund"
    assert "0 of them good" in rule.evidence


def test_an_order_that_bad_runs_break_is_a_rule() -> None:
    """The check before the refund: no value flows between them."""
    scores = World(worlds.checking_late).scores()
    [rule] = kept(scores)
    assert [(one.path, one.value) for one in rule.settings] == [
        (("order",), ["check_policy", "refund"])
    ]
    assert kept(Known(shuffled(scores.sample), scores)) == []


def test_a_payment_at_the_end_hands_nothing_over() -> None:
    """Its position alone says nothing: no good run goes without it."""
    found = rules_of(World(worlds.paying_out, True).scores())
    [rule] = [one for one in found if one.kind == "hand-overs"]
    assert not rule.kept
    assert rule.about == "pay_out"
    assert "it matters" in rule.evidence


def test_what_is_plainly_wrong_or_chance_makes_no_rule() -> None:
    """Failures that are made good, habits, another tool in bad runs, and judges who err."""
    assert kept(World(worlds.careless).scores()) == []


def test_below_twelve_tasks_it_says_what_it_would_take() -> None:
    """Each kind has a line, and no settings."""
    found = rules_of(World(worlds.failing, tasks=6).scores())
    assert [rule.kind for rule in found] == [
        "failures",
        "hand-overs",
        "substitutes",
        "arguments",
        "order",
    ]
    assert not any(rule.kept for rule in found)
    assert all("12" in rule.evidence for rule in found if rule.kind != "substitutes")


def test_other_tasks_are_not_looked_at() -> None:
    """What is held out does not show in a rule, nor in its evidence."""
    scores = World(worlds.noting, True, tasks=24).scores()
    known = set(scores.sample.tasks[::2])
    alone = Scores(scores.sample.of(known))
    assert learned_rules(scores, known, Config()) == rules_of(alone)
