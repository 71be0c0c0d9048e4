"""Grounding: each rule by itself, on runs of two or three steps."""

from typing import Any

import pytest

from builders import run_of
from otap.run.grounding import MAX_UNGROUNDED, Ungrounded, find_assumed, find_ungrounded
from otap.run.index import FieldValues, ValueIndex
from otap.trajectory import Trajectory


def run(*steps: dict[str, Any], request: tuple[str, ...] = ("Help me.",)) -> Trajectory:
    """Calls with ids 1, 2, ...; each shows something unless it says what."""
    return run_of(*({"tool": "t", "effect": "ok", **step} for step in steps), request=request)


def ungrounded(trajectory: Trajectory) -> tuple[Ungrounded, ...]:
    """The values of a run without a source."""
    return find_ungrounded(trajectory, ValueIndex(trajectory))


def after(effect: Any, argument: Any, *said: str) -> list[str]:
    """What has no ground in a call with one argument after one effect."""
    steps = {"effect": effect}, {"arguments": {"x": argument}}
    return [one.value for one in ungrounded(run(*steps, request=("Help me.", *said)))]


def test_an_invented_identifier_is_found() -> None:
    """With its step, its path and its value; no step shows it."""
    found = ungrounded(
        run({"effect": [{"flight": "HAT001"}]}, {"arguments": {"flights": [{"id": "HAT999"}]}})
    )
    assert [(one.step, one.path, one.value, one.shown_by) for one in found] == [
        (1, "flights[0].id", "HAT999", None)
    ]


def test_a_value_of_a_later_effect_was_read_early() -> None:
    """The first step that shows it, and was not told it, is named."""
    found = ungrounded(
        run(
            {"arguments": {"id": "rs-4410"}, "effect": "rs-4410 is unknown"},
            {"arguments": {"id": "rs-4410"}, "effect": "rs-4410 again"},
            {"effect": "stored as rs-4410"},
        )
    )
    assert [(one.step, one.shown_by) for one in found] == [(0, 2)]


def test_an_effect_of_the_same_turn_is_no_ground() -> None:
    """Calls side by side did not see each other's results; those of the turn before did."""
    first, second = {"effect": "id HAT001"}, {"arguments": {"id": "HAT001"}}
    assert not ungrounded(run({**first, "turn": 1}, {**second, "turn": 2}))
    assert [
        one.shown_by for one in ungrounded(run({**first, "turn": 1}, {**second, "turn": 1}))
    ] == [0]


def test_dependencies_say_what_is_earlier() -> None:
    """Where all are recorded, listing order says nothing."""
    use = {"id": "use", "arguments": {"id": "HAT001"}, "depends_on": ["show"]}
    show = {"id": "show", "effect": "HAT001", "depends_on": []}
    assert not ungrounded(run(use, show))
    assert ungrounded(run({**use, "depends_on": []}, show))


@pytest.mark.parametrize("field", ["effect", "state"])
def test_a_state_and_an_inner_effect_are_grounds(field: str) -> None:
    """What the environment is, and what a sub-step showed, was seen."""
    use = {"arguments": {"id": "HAT001"}}
    assert not ungrounded(run({field: {"id": "HAT001"}}, use))
    assert not ungrounded(run({"substeps": [{"id": "in", field: "HAT001"}]}, use))


@pytest.mark.parametrize(("said", "found"), [(1, 1), (2, 0), (None, 0)])
def test_what_the_user_said_counts_once_it_was_said(said: int | None, found: int) -> None:
    """By ``said`` of the step; without it everything was said before."""
    call = {"arguments": {"id": "HAT001"}, "metadata": {} if said is None else {"said": said}}
    assert len(ungrounded(run(call, request=("Hello", "It is HAT001")))) == found


def test_the_name_of_the_task_is_given() -> None:
    """Nobody needs to show it."""
    told = run({"arguments": {"id": "HAT001"}})
    assert ungrounded(told)
    assert not ungrounded(told.model_copy(update={"task": "rebook HAT001"}))


def test_what_was_not_recorded_is_not_missing() -> None:
    """No request: nothing is judged. A call without a result: nothing after it."""
    call = {"arguments": {"id": "HAT001"}}
    assert ungrounded(run(call, call, request=())) == ()
    assert [one.step for one in ungrounded(run(call, call, {**call, "effect": None}, call))] == [
        0,
        1,
        2,
    ]
    thought = {"kind": "reasoning", "tool": None, "effect": None, "action": "Think."}
    assert [one.step for one in ungrounded(run(thought, call))] == [1]


def test_what_is_assumed_is_so_whatever_is_recorded() -> None:
    """Of a reference without effects all telling values that nobody said."""
    calls = {"arguments": {"id": "HAT001", "n": 3}, "effect": None}, {"arguments": {"id": "HAT002"}}
    trajectory = run(*calls, request=("HAT002",))
    values = {"HAT001", "HAT002", "HAT003"}
    assert find_assumed(trajectory, ValueIndex(trajectory), values) == {"HAT001"}


@pytest.mark.parametrize(
    "value",
    [
        True, None, "economy", "Omar Rossi", "", "JFK", "EUR", 7, 42, 99, 100, 2500, 0.5, 0.005, -3,
        "3rd", "20 %", "device_name", "Please refund order W4711 to the card.", "12:30", "top-10",
    ],
)  # fmt: skip
def test_what_is_not_judged(value: Any) -> None:
    """Switches, words, names, known codes, small and round numbers, prose."""
    assert after("ok", value) == []


@pytest.mark.parametrize(
    ("value", "parts"),
    [
        ("HAT001", ["HAT001"]),
        ("QKRTDX", ["QKRTDX"]),
        ("yara_garcia_1905", ["yara_garcia_1905"]),
        ("2024-05-19", ["2024-05-19"]),
        (247, ["247"]),
        ("$1,957.20", ["1957.2"]),
        ("417 EUR", ["417"]),
        ("HAT001, HAT002", ["HAT001", "HAT002"]),
        ("158 + 141 + 30", ["158", "141"]),
        ("rs-441,rs-442", ["rs-441", "rs-442"]),
    ],
)
def test_what_is_judged(value: Any, parts: list[str]) -> None:
    """Each value of a text that joins several; without a ground, each is found."""
    assert [part for claim in FieldValues({"x": value}).claims for part, _ in claim.parts] == parts
    assert after("ok", value) == parts


@pytest.mark.parametrize(
    ("effect", "value"),
    [
        ("your code is hat001", "HAT001"),
        ("HAT 001", "HAT001"),
        ({"id": "HAT001"}, "hat-001"),
        ('{"id": "HAT001"}', "HAT001"),
        ({"HAT001": {"seats": 3}}, "HAT001"),
        ("card gift_5634230", 5634230),
        ("rs-441 and rs-442", "rs-441,rs-442"),
        ("order W4711 of yara1905", "https://x.org/W4711?by=yara1905"),
        ("2024-05-18", "20240518"),
        ("2024-05-18", "2024-05-18T12:30"),
        ("2024-05-18", "2024-05-25"),
        ("150.0 and 141", 141.0),
        ("375 and 128", 247),
        ("158 and 141", 299),
        ("158 and 141", -299),
        ("142 a night", 426),
        ("1957 cents", 19.57),
        ("in all $1,957", "1957 USD"),
        ("It leaves on 20 May 2024.", "2024-05-20"),
        ({"day": "20.05.2024"}, "2024-05-20"),
        ({"start": "2024-05-20 16:45 +02:00"}, "2024-05-20T14:45Z"),
        ("See http://www.x.org/ab12 for more", "x.org/ab12"),
        ("It takes two hundred fifty-seven steps", 257),
    ],
)
def test_what_has_a_ground(effect: Any, value: Any) -> None:
    """Another spelling, a part of something longer, or what follows from it; none from nothing."""
    assert after(effect, value) == []
    assert after("ok", value) != []


@pytest.mark.parametrize(
    ("effect", "value"),
    [
        ("HAT001", "HAT002"),
        ("gift_card_5634230", "credit_card_5634230"),
        ("rs-440", "rs-441"),
        ("2024-05-18", "2024-05-26"),
        ("375 and 127", 247),
        ("2024-05-18", "2024-13-41"),
        ("It leaves on 20 May 2023.", "2024-05-20"),
        ("See http://x.org/ab12 for more", "x.org/ab13"),
        ("12345678901234567890", "12345678901234567891"),
    ],
)
def test_what_is_near_but_has_none(effect: str, value: Any) -> None:
    """One digit, another kind of identifier, a day too far, a sum that is not right."""
    assert after(effect, value) == [str(value)]


def test_what_the_user_says_in_words() -> None:
    """A date as people say it, and a day near it."""
    assert after("ok", "2024-05-20", "on May 20") == []
    assert after("ok", "2024-05-21", "the day after May 20") == []
    assert after("ok", "2024-07-20", "on May 20") == ["2024-07-20"]


def test_there_is_an_end() -> None:
    """Of too many values the first are found; data within data is read to a depth."""
    calls = [{"arguments": {"id": f"HAT{k:05}"}} for k in range(MAX_UNGROUNDED + 5)]
    assert [one.step for one in ungrounded(run(*calls))] == list(range(MAX_UNGROUNDED))
    deep: Any = "HAT001"
    for _ in range(200):
        deep = [deep]
    assert FieldValues(deep).claims == []
