"""Plans drafted out of good runs."""

import tomllib
from typing import Any

import pytest

import otap
from builders import StepData, call, run_of
from otap.errors import FormatError
from otap.learning.plans import draft_plan
from otap.plans import parse_plan
from otap.trajectory import Trajectory


def run(name: str, *calls: StepData, **fields: Any) -> Trajectory:
    """A run of one task, by name."""
    return run_of(*calls, id=name, task="t", **fields)


def order(number: str, **more: Any) -> StepData:
    """A call that makes an order with this number."""
    return call("create_order", {"item": "lamp", **more}, {"order_id": number})


def pay(number: str, how: str = "card") -> StepData:
    """A call that pays an order."""
    return call("pay_order", {"order_id": number, "method": how}, "paid")


def drafted(*runs: Trajectory) -> dict[str, Any]:
    """The data of a draft, whose text is the same plan; every source fulfils it."""
    draft = draft_plan(runs)
    data = tomllib.loads(draft.text)
    assert parse_plan(data) == draft.plan
    assert all(score.severity in (None, "minor") for score in draft.scores), draft.text
    return data


def test_one_run() -> None:
    """All of its changes, in the order in which their values flow, for a person to loosen."""
    data = drafted(run("a", call("list_items", {}, ["lamp"]), order("W7711"), pay("W7711")))
    assert [step["tool"] for step in data["steps"]] == ["create_order", "pay_order"]
    assert data["steps"][1]["after"] == ["create_order"]
    assert data["steps"][1]["arguments"] == {"order_id": "W7711", "method": "card"}


def test_values_that_vary() -> None:
    """From three runs on: what a result showed, what some have, one of few, in other words."""
    runs = [
        run("a", order("W7711", note="Please be quick about it"), pay("W7711")),
        run("b", order("W8822", note="Please hurry up with this"), pay("W8822", "gift card")),
        run("c", order("W9933", note="Be quick about this, please", color="red"), pay("W9933")),
    ]
    first, second = drafted(*runs)["steps"]
    assert first["arguments"]["item"] == "lamp"
    assert set(first["arguments"]["note"]) == {"like"}
    assert first["arguments"]["color"] == {"optional": "red"}
    assert second["arguments"]["order_id"] == {"from": "create_order.order_id"}
    assert second["arguments"]["method"] == {"one_of": ["card", "gift card"]}


def test_two_runs_say_only_what_both_do() -> None:
    """What one of them does besides is a suggestion; the source that departs is named."""
    mail = call("send_mail", {"to": "mia"}, "sent")
    draft = draft_plan([run("a", order("W1111")), run("b", order("W1111"), mail)])
    assert [step["tool"] for step in tomllib.loads(draft.text)["steps"]] == ["create_order"]
    assert "# 1 of 2 runs called send_mail, which is not in the plan." in draft.text
    assert "# b does not fulfil it" in draft.text


def test_options_and_alternatives() -> None:
    """What some runs did, and what each did one of."""
    card, gift = call("pay_by_card", {"n": 1}, "ok"), call("pay_by_voucher", {"n": 1}, "ok")
    mail = call("send_mail", {"to": "mia"}, "sent")
    runs = [run("a", card, mail), run("b", gift), run("c", card, mail), run("d", gift)]
    choice, option = sorted(drafted(*runs)["steps"], key=lambda step: "one_of" not in step)
    assert [[one["tool"] for one in several] for several in choice["one_of"]] in (
        [["pay_by_card"], ["pay_by_voucher"]],
        [["pay_by_voucher"], ["pay_by_card"]],
    )
    assert (option["tool"], option["need"]) == ("send_mail", "optional")


def test_data_that_looks_like_a_pattern_is_none() -> None:
    """In a run it is a value, and so it is in its plan."""
    made = call("create_filter", {"price": {"max": 5}, "from": "x"}, "ok")
    (step,) = drafted(run("a", made))["steps"]
    assert step["arguments"] == {"price": {"equals": {"max": 5}}, "from": "x"}


def test_arguments_that_look_like_a_pattern() -> None:
    """All arguments of a call together are no pattern either."""
    (step,) = drafted(run("a", call("set_limit", {"max": 5}, "ok")))["steps"]
    assert step["arguments"] == {"max": 5}


def test_runs_without_results() -> None:
    """Nothing is known of the data flow, so no step comes after another."""
    calls = [call("create_order", {"item": "lamp"}), call("send_mail", {"to": "mia"})]
    assert ["after" in step for step in drafted(run("a", *calls))["steps"]] == [False, False]


def test_a_run_that_did_nothing() -> None:
    """Then nothing may be done; and nothing at all is an error."""
    assert drafted(run("a", call("get_order", {"id": 1}, "x")))["steps"][0]["tool"] == "get_order"
    assert "steps" not in drafted(run("a"))
    with pytest.raises(FormatError, match="there is none"):
        draft_plan([])


def test_known_tools_that_nobody_called() -> None:
    """Are suggested as forbidden, in a comment."""
    tools = {"delete_all": {"read_only": False}, "get_x": {"read_only": True}}
    draft = draft_plan([run("a", order("W1"), tools=tools)])
    assert '# No run called delete_all: to forbid it, need = "forbidden".' in draft.text
    assert isinstance(otap.score(run("b", order("W1")), draft.plan).score, float)


def test_values_that_a_look_showed() -> None:
    """The look becomes a step, so that the draft fits runs of other things, too."""
    runs = [
        run(
            name,
            call("get_order", {"user": name}, {"order_id": number}),
            call("refund_order", {"order_id": number}, "ok"),
        )
        for name, number in (("mia", "W7711"), ("leo", "W8822"), ("zoe", "W9933"))
    ]
    data = drafted(*runs)
    assert data["steps"][0]["arguments"] == {"order_id": {"from": "get_order.order_id"}}
    other = run(
        "kim",
        call("get_order", {"user": "kim"}, {"order_id": "W1234"}),
        call("refund_order", {"order_id": "W1234"}, "ok"),
    )
    assert otap.score(other, parse_plan(data)).score == 1


def test_an_order_that_all_runs_share_is_suggested() -> None:
    """Nothing but the runs says that the refund comes first; a comment says so."""
    refund = call("issue_refund", {"order_id": "A-1", "amount": 5}, "ok")
    close = call("close_ticket", {"ticket_id": "T-1"}, "ok")
    lights = [call("light_off", {"room": room}, "ok") for room in ("hall", "bath")]
    runs = [run(name, refund, close, *lights) for name in "abc"]
    by_tool = {step["id"]: step for step in drafted(*runs)["steps"]}
    assert by_tool["close_ticket"]["after"] == ["issue_refund"]
    text = draft_plan(runs).text
    assert 'after = ["issue_refund"]  # a suggestion: all 3 runs have this order' in text
    # The order of the lights is free, whatever the runs have in common.
    assert "light_off" not in by_tool["light_off-2"].get("after", [])
    for other_runs in (runs[:2], [*runs, run("d", close, refund, *lights)]):
        by_tool = {step["id"]: step for step in drafted(*other_runs)["steps"]}
        assert "issue_refund" not in by_tool["close_ticket"].get("after", [])
