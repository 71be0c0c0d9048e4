"""The rewards of a run that grows: causal, exact in sum, and what is objected to beforehand."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings

import otap
from builders import StepData, call, run_of, with_arguments
from hotel import NAMES, reference
from hotel import run_of as hotel_run
from otap.errors import ConfigError, FormatError, LimitError
from otap.scoring.progress import Progress, Value
from otap.trajectory import Trajectory
from strategies import trajectories

SCORER = otap.Scorer()
LOOK = call("get_order", {"order_id": "A-1"}, {"payment_id": "pay_81"})
TICKET = call("create_ticket", {"title": "Refund"}, {"ticket_id": "T-771"})
REFUND = call("issue_refund", {"payment_id": "pay_81", "amount": 20}, {"refund_id": "re_551"})
MAIL = call("send_email", {"to": "ana@example.com", "body": "You got 20 back."}, {"ok": True})
CLOSE = call("close_ticket", {"ticket_id": "T-771"}, {"ok": True})
OTHER_LOOK = call("get_weather", {"city": "Oslo"}, {"celsius": 4})
HARM = call("delete_account", {"user": "u-9"}, {"ok": True})


def gold(*steps: StepData) -> Trajectory:
    """A reference whose calls ran one after the other."""
    return run_of(*({**step, "turn": k} for k, step in enumerate(steps, 1)))


GOLD = gold(LOOK, TICKET, REFUND, MAIL, CLOSE)


def follow(run: Sequence[StepData], references: object = GOLD) -> tuple[list[float], float]:
    """The rewards of some steps, and of the stop after them."""
    progress = SCORER.progress(references)  # type: ignore[arg-type]
    added = [progress.add(step).reward for step in run]
    return added, progress.stop().reward


def test_all_work_pays_one_and_the_stop_nothing() -> None:
    """Each step pays by its weight: a change more than a look."""
    added, end = follow([LOOK, TICKET, REFUND, MAIL, CLOSE])
    assert sum(added) == pytest.approx(1)
    assert end == pytest.approx(0, abs=1e-9)
    assert 0 < added[0] < min(added[1:])


def test_doing_nothing_pays_nothing() -> None:
    """The empty run has a value: 0 as skill, and its score as score."""
    assert follow([]) == ([], 0.0)
    empty = Trajectory(steps=())
    assert SCORER.progress(GOLD, value="score").stop().reward == SCORER.score(empty, GOLD).score


@pytest.mark.parametrize("name", NAMES)
def test_rewards_sum_to_the_value(name: str) -> None:
    """To 1e-9, whatever the run did."""
    run, hotel = hotel_run(name), reference()
    score = SCORER.score(run, hotel)
    by_value: tuple[tuple[Value, float | None], ...] = (
        ("skill", score.skill),
        ("score", score.score),
    )
    for value, expected in by_value:
        progress = SCORER.progress(hotel, value=value)
        rewards = [progress.add(step).reward for step in run.steps]
        rewards.append(progress.stop(run).reward)
        assert sum(rewards) == pytest.approx(expected, abs=1e-9)


@given(trajectories(), trajectories())
@settings(max_examples=20)
def test_a_prefix_has_the_same_rewards_when_the_run_goes_on(
    run: Trajectory, reference: Trajectory
) -> None:
    """Causality: no reward depends on a later step; and the rewards sum to the value."""
    whole = SCORER.progress(reference)
    rewards = [whole.add(step) for step in run.steps]
    half = len(run.steps) // 2
    prefix = SCORER.progress(reference)
    assert [prefix.add(step) for step in run.steps[:half]] == rewards[:half]
    prefix.stop()
    total = sum(reward.reward for reward in [*rewards, whole.stop()])
    assert total == pytest.approx(SCORER.score(run, reference).skill, abs=1e-9)


def test_harm_costs_and_another_look_next_to_nothing() -> None:
    """A look that the reference has pays; one that it lacks does not."""
    [wanted, other], _ = follow([LOOK, OTHER_LOOK])
    assert wanted > 0
    assert abs(other) < wanted / 10
    [_, harm], _ = follow([LOOK, HARM])
    assert harm < -0.1
    [_, again], _ = follow([TICKET, TICKET])
    assert again < -0.1


def test_a_wrong_change_costs_in_full_once_the_right_one_is_made() -> None:
    """Before, it may be an attempt at it, which costs little beyond what is missing."""
    wrong = with_arguments(REFUND, payment_id="pay_99")
    attempt = follow([LOOK, wrong])[0][1]
    after = follow([LOOK, REFUND, wrong])[0][2]
    assert after < 5 * attempt < 0
    made_later = follow([LOOK, wrong, REFUND])[0]
    assert sum(made_later) == pytest.approx(sum(follow([LOOK, REFUND, wrong])[0]))


def test_padding_does_not_pay() -> None:
    """Repeating a look, or a look that nobody asked for, pays nothing."""
    added, _ = follow([LOOK, LOOK, LOOK, OTHER_LOOK, OTHER_LOOK])
    assert max(added[1:]) <= 0


def test_a_change_before_what_it_needs_pays_less() -> None:
    """The later look pays less than it would have paid first, since the order is wrong then."""
    in_order, _ = follow([LOOK, REFUND])
    reversed_order, _ = follow([REFUND, LOOK])
    assert sum(reversed_order) < sum(in_order)


def test_two_valid_orders_pay_the_same() -> None:
    """Steps that need nothing of each other may change places."""
    first, _ = follow([LOOK, TICKET, REFUND])
    second, _ = follow([TICKET, LOOK, REFUND])
    assert sum(first) == pytest.approx(sum(second), abs=1e-12)


def test_generated_ids_may_differ() -> None:
    """The ticket of the run has another id, and closing that one is right."""
    ticket = {**TICKET, "effect": {"ticket_id": "T-900"}}
    right = follow([ticket, with_arguments(CLOSE, ticket_id="T-900")])[0]
    copied = follow([ticket, CLOSE])[0]
    assert right[1] > 0 > copied[1]


def test_the_nearest_reference_counts() -> None:
    """One way of several is enough."""
    other = gold(MAIL, HARM)
    added, end = follow([MAIL, HARM], [GOLD, other])
    assert sum(added) == pytest.approx(1)
    assert end == pytest.approx(0, abs=1e-9)


@given(trajectories(), trajectories(), trajectories())
@settings(max_examples=20)
def test_a_restart_has_the_rewards_of_a_new_run(
    first: Trajectory, second: Trajectory, reference: Trajectory
) -> None:
    """Whatever the run before it did, and whether it recorded its dependencies."""
    earlier = SCORER.progress(reference)
    for step in first.steps:
        earlier.add(step)
    again, new = earlier.restart(), SCORER.progress(reference)
    assert [again.add(step) for step in second.steps] == [new.add(step) for step in second.steps]
    assert again.stop() == new.stop()
    assert len(earlier.run.steps) == len(first.steps)


def test_a_reference_may_be_listed_twice() -> None:
    """Each step is then added to it once."""
    assert follow([LOOK, TICKET], [GOLD, GOLD]) == follow([LOOK, TICKET])


def test_a_plan_is_a_reference() -> None:
    """With a member that may be left out, and one that never may happen."""
    plan = otap.parse_references(
        {
            "schema_version": "otap.plan/1",
            "steps": [
                {"tool": "get_order", "need": "optional"},
                {"tool": "send_email", "arguments": {"to": "ana@example.com"}, "partial": True},
                {"tool": "delete_*", "need": "forbidden"},
            ],
        }
    )
    added, end = follow([LOOK, MAIL], plan)
    assert sum([*added, end]) == pytest.approx(1)
    progress = SCORER.progress(plan)
    assert progress.check(HARM)
    assert not progress.check(MAIL)


def objections(progress: Progress, step: StepData) -> list[tuple[str, str]]:
    """The kinds and severities of what speaks against a step."""
    return [(finding.kind, finding.severity) for finding in progress.check(step)]


def test_a_wrong_change_is_objected_to_before_it_is_made() -> None:
    """Another recipient or amount, a change nobody asked for, a repeat, and a step too early."""
    progress = SCORER.progress(GOLD)
    assert objections(progress, REFUND) == [("reversed", "critical")]
    progress.add(LOOK)
    assert objections(progress, REFUND) == []
    for wrong in ({"payment_id": "pay_99"}, {"amount": 2000}):
        assert objections(progress, with_arguments(REFUND, **wrong)) == [("arguments", "critical")]
    progress.add(REFUND)
    assert objections(progress, REFUND) == [("repeated", "critical")]
    assert objections(progress, with_arguments(MAIL, to="eve@evil.com"))[0][1] == "critical"
    assert objections(progress, HARM) == [("invented", "critical")]
    assert objections(progress, OTHER_LOOK) == []


def test_a_step_above_the_budget_is_objected_to_before_it_is_made() -> None:
    """By the settings, and by a plan, whose limit replaces that of the settings."""
    progress = otap.Scorer(otap.Config(budget={"max_tool_calls": 2})).progress(GOLD)
    for step in (LOOK, TICKET):
        assert progress.check(step) == ()
        progress.add(step)
    [finding] = progress.check(REFUND)
    assert (finding.kind, finding.severity) == ("budget", "major")
    assert finding.sentence == (
        "with step 3 (issue_refund) the run has 3 tool calls; max_tool_calls is 2"
    )
    assert objections(progress, OTHER_LOOK) == [("budget", "major")]
    assert objections(progress, HARM) == [("invented", "critical"), ("budget", "major")]


def test_a_limit_of_a_plan_replaces_that_of_the_settings() -> None:
    """One of two plans with room for the step is enough."""
    steps = [{"id": "look", "tool": "get_order"}]
    plans = [
        otap.parse_references({"schema_version": "otap.plan/1", "steps": steps, "max_steps": n})[0]
        for n in (1, 2)
    ]
    scorer = otap.Scorer(otap.Config(budget={"max_steps": 0}))
    tight, both = scorer.progress(plans[0]), scorer.progress(plans)
    for progress in (tight, both):
        assert progress.check(LOOK) == ()
        progress.add(LOOK)
    assert objections(tight, OTHER_LOOK) == [("budget", "major")]
    assert both.check(OTHER_LOOK) == ()


def test_checking_adds_nothing() -> None:
    """The rewards are the same with and without checks before each step."""
    progress, checked = SCORER.progress(GOLD), SCORER.progress(GOLD)
    for step in (LOOK, HARM, REFUND):
        checked.check(HARM)
        checked.check(step)
        assert progress.add(step) == checked.add(step)


def test_one_reference_that_allows_a_step_is_enough() -> None:
    """An objection holds only if each reference objects."""
    progress = SCORER.progress([GOLD, gold(HARM)])
    assert progress.check(HARM) == ()


def test_what_next_lists_the_steps_that_need_no_other() -> None:
    """With the ids that the run itself got."""
    progress = SCORER.progress(GOLD)
    assert [step.tool for step in progress.what_next()] == [
        "get_order",
        "create_ticket",
        "send_email",
    ]
    progress.add({**TICKET, "effect": {"ticket_id": "T-900"}})
    close = next(step for step in progress.what_next() if step.tool == "close_ticket")
    assert close.arguments == {"ticket_id": "T-900"}
    for step in (LOOK, REFUND, MAIL, with_arguments(CLOSE, ticket_id="T-900")):
        progress.add(step)
    assert progress.what_next() == ()


def test_bad_steps_are_named() -> None:
    """An id that is taken, a dependency that was not added, an unknown field."""
    progress = SCORER.progress(GOLD)
    progress.add({**LOOK, "id": "a"})
    with pytest.raises(FormatError, match="step a was added already"):
        progress.add({**LOOK, "id": "a"})
    with pytest.raises(FormatError, match="depends on z, which was not added"):
        progress.add({**LOOK, "id": "b", "depends_on": ["z"]})
    with pytest.raises(FormatError, match="colour"):
        progress.add({**LOOK, "colour": "red"})
    assert [step.id for step in progress.run.steps] == ["a"]


def test_work_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long run is refused before it takes minutes, and so are many references."""
    pairs = len(GOLD.steps) + 30
    monkeypatch.setattr("otap.scoring.progress._MAX_PAIRS", 3 * pairs)
    progress = SCORER.progress(GOLD)
    progress.add(LOOK)
    progress.add(TICKET)
    with pytest.raises(LimitError, match=r"step 3 .*; give fewer or shorter references"):
        progress.add(REFUND)
    with pytest.raises(LimitError):
        SCORER.progress([gold(LOOK), gold(TICKET), gold(REFUND), gold(MAIL)])


def test_the_paper_has_no_price_of_a_step() -> None:
    """Its penalties depend on the whole run."""
    scorer = otap.Scorer(otap.Config.preset("paper"), encoder="wordllama")
    with pytest.raises(ConfigError, match="preset 'paper'"):
        scorer.progress(GOLD)
