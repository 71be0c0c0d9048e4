"""What other tools check, as plans."""

from typing import Any

import pytest

import otap
from builders import call, run_of
from otap.plans import parse_plan
from otap.plans.foreign import convert_checks, convert_reference
from otap.trajectory import Trajectory, parse_trajectory


def fulfils(one: Trajectory, data: dict[str, Any]) -> bool:
    """Whether a run does what a plan asks for."""
    return otap.score(one, parse_plan(data)).severity in (None, "minor")


def promptfoo(*asserts: dict[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The plan of one test of promptfoo."""
    tests = [{"description": "t", "assert": list(asserts)}]
    (found,) = convert_checks({"tests": tests}) or ()
    return found.data, found.lost


A, B, C = (call(f"create_{name}", {"x": k}) for k, name in enumerate("abc", 1))


def test_promptfoo_tools_used() -> None:
    """At least once each, so many times, or never."""
    data, _ = promptfoo({"type": "trajectory:tool-used", "value": ["create_a", "create_b"]})
    assert fulfils(run_of(A, B, A, C), data)
    assert not fulfils(run_of(A, C), data)
    data, _ = promptfoo(
        {"type": "trajectory:tool-used", "value": {"pattern": "create_*", "max": 2}}
    )
    assert fulfils(run_of(A, B), data)
    assert not fulfils(run_of(A, B, C), data)
    data, _ = promptfoo({"type": "not-trajectory:tool-used", "value": "create_b"})
    assert fulfils(run_of(A), data)
    assert not fulfils(run_of(A, B), data)


def test_promptfoo_sequences() -> None:
    """In order with others between, or exactly; a tool of one is not asked for twice."""
    used = {"type": "trajectory:tool-used", "value": "create_b"}
    data, _ = promptfoo(
        {"type": "trajectory:tool-sequence", "value": ["create_a", "create_b"]}, used
    )
    assert fulfils(run_of(A, C, B), data)
    assert not fulfils(run_of(B, A), data)
    value = {"mode": "exact", "steps": ["create_a", "create_b"]}
    data, _ = promptfoo({"type": "trajectory:tool-sequence", "value": value})
    assert fulfils(run_of(A, B), data)
    assert not fulfils(run_of(A, C, B), data)


def test_promptfoo_arguments() -> None:
    """Some or all, with defaults and what is ignored."""
    value: dict[str, Any] = {"name": "pay", "args": {"to": "A1"}}
    data, _ = promptfoo({"type": "trajectory:tool-args-match", "value": value})
    assert fulfils(run_of(call("pay", {"to": "A1", "note": "Z9"})), data)
    assert not fulfils(run_of(call("pay", {"to": "B2"})), data)
    value |= {"mode": "exact", "defaults": {"currency": "USD"}, "ignore": "id"}
    data, _ = promptfoo({"type": "trajectory:tool-args-match", "value": value})
    assert fulfils(run_of(call("pay", {"to": "A1", "currency": "USD", "id": "Z9"})), data)
    assert not fulfils(run_of(call("pay", {"to": "A1", "currency": "EUR"})), data)
    data, _ = promptfoo({"type": "not-trajectory:tool-args-match", "value": value})
    assert not fulfils(run_of(call("pay", {"to": "A1"})), data)


def test_promptfoo_says_what_does_not_fit() -> None:
    """Judges, other assertions, patterns among ignored keys; texts to contain are told."""
    data, lost = promptfoo(
        {"type": "trajectory:goal-success", "value": "all is well"},
        {"type": "contains", "value": "54.04"},
        {"type": "trajectory:tool-args-match", "value": {"name": "a", "args": {}, "ignore": "x*"}},
    )
    assert data["required_answers"] == ["54.04"]
    assert lost == ("t: ignored arguments by a pattern: x*", "t: trajectory:goal-success")


def test_answers_of_bfcl() -> None:
    """Lists of values; an empty text means that the argument may be left out."""
    task = {"id": "simple_1", "ground_truth": [{"area": {"b": [10, 11], "unit": ["units", ""]}}]}
    (found,) = convert_checks([task]) or ()
    assert fulfils(run_of(call("area", {"b": 10})), found.data)
    assert fulfils(run_of(call("area", {"b": 11, "unit": "units"})), found.data)
    assert not fulfils(run_of(call("area", {"b": 12})), found.data)
    assert not fulfils(run_of(call("area", {"b": 10, "unit": "feet"})), found.data)
    assert not fulfils(run_of(call("area", {"b": 10}), A), found.data)


def test_modes_of_agentevals() -> None:
    """The same four answers as its matchers give."""
    gold = run_of(A, B)
    cases = {
        "same": run_of(A, B),
        "turned": run_of(B, A),
        "more": run_of(A, B, C),
        "less": run_of(A),
    }
    expected = {
        "strict": {"same"},
        "unordered": {"same", "turned"},
        "subset": {"same", "turned", "less"},
        "superset": {"same", "turned", "more"},
    }
    for mode, names in expected.items():
        data = convert_reference(gold, mode).data  # type: ignore[arg-type]
        assert {name for name, one in cases.items() if fulfils(one, data)} == names, mode
    data = convert_reference(gold, "unordered", "ignore").data
    assert fulfils(run_of(call("create_a", {"x": 9}), B), data)
    data = convert_reference(gold, "unordered", "superset").data
    assert fulfils(run_of(call("create_a", {"x": 1, "y": "Z9"}), B), data)
    data = convert_reference(gold, "unordered", "subset").data
    assert fulfils(run_of(call("create_a", {}), B), data)


def test_a_reference_as_it_is_compared() -> None:
    """What it says of itself, and the arguments that count."""
    gold = parse_trajectory(
        {
            "task": "t",
            "required_answers": ["5"],
            "steps": [{"id": "a", "tool": "pay", "arguments": {"to": "A1", "note": "x"}}],
            "metadata": {
                "reference": "required",
                "compared": {"pay": ["to"]},
                "only_changes": True,
            },
        }
    )
    assert convert_reference(gold).data == {
        "schema_version": "otap.plan/1",
        "task": "t",
        "others": "reads",
        "required_answers": ["5"],
        "only_changes": True,
        "steps": [{"id": "a", "tool": "pay", "arguments": {"to": "A1"}, "partial": True}],
    }


def test_what_is_none_of_these() -> None:
    """Is for others to read."""
    assert convert_checks([{"role": "user", "content": "x"}]) is None
    assert convert_checks(None) is None


def test_promptfoo_variables_and_overlaps() -> None:
    """Of the test; what a sequence asks for is asked for once; what is broken is told."""
    test = {
        "description": "t",
        "vars": {"who": "A1"},
        "assert": [
            {"type": "trajectory:tool-sequence", "value": ["get_x", "book_flight"]},
            {"type": "trajectory:tool-used", "value": {"name": "book_*", "min": 1}},
            {
                "type": "trajectory:tool-args-match",
                "value": {"name": "get_x", "args": {"a": "{{who}}"}},
            },
            {"type": "not-contains", "value": "sorry"},
            {"type": "contains", "value": "{{unknown}}"},
            "trajectory:tool-used",
        ],
    }
    empty = {"description": "e", "assert": [{"type": "llm-rubric", "value": "nice"}]}
    one, other = convert_checks({"tests": [test, empty]}) or ()
    assert [step["tool"] for step in one.data["steps"]] == ["get_x", "book_flight"]
    assert one.data["steps"][0]["arguments"] == {"a": "A1"}
    assert one.lost == (
        "t: an assertion that is no table: trajectory:tool-used",
        "t: not-contains",
        "t: contains with a value from elsewhere: {{unknown}}",
    )
    assert (other.data, other.lost[-1]) == (
        {},
        "e: left out: no plan supports any of its assertions",
    )


def test_a_plan_stays_a_plan() -> None:
    """As its file has it."""
    data = {
        "schema_version": "otap.plan/1",
        "steps": [{"tool": "delete_*", "need": "forbidden"}, {"tool": "pay", "times": [1, 2]}],
    }
    assert parse_plan(convert_reference(parse_plan(data)).data) == parse_plan(data)


@pytest.mark.parametrize(
    "test",
    [
        {"vars": "file://x.csv"},
        {"description": 5, "assert": [{"type": "x"}]},
        {"assert": {"type": "llm-rubric"}},
        {"assert": [{"type": 5}, {"type": "trajectory:tool-used"}, None]},
        {"assert": [{"type": "trajectory:tool-used", "value": {"name": "a", "min": "2"}}]},
        {"assert": [{"type": "trajectory:tool-used", "value": {"name": "a", "min": 3, "max": 1}}]},
        {"assert": [{"type": "trajectory:tool-sequence", "value": {"steps": 5}}]},
    ],
)
def test_promptfoo_that_is_broken(test: dict[str, Any]) -> None:
    """Nothing of it is a plan, and what is lost is told."""
    ((data, lost),) = convert_checks({"tests": [test], "defaultTest": {"vars": 3}}) or ()
    assert data == {}
    assert lost[-1].endswith("left out: no plan supports any of its assertions")


def test_promptfoo_arguments_with_odd_options() -> None:
    """What is no table says nothing; a tool that is used at most never is forbidden."""
    value = {"name": "a", "args": {}, "mode": "exact", "defaults": [1], "ignore": 5}
    used = {"type": "trajectory:tool-used", "value": {"name": "b", "min": 0, "max": 0}}
    data, _ = promptfoo({"type": "trajectory:tool-args-match", "value": value}, used)
    assert fulfils(run_of(call("a", {"5": "x"})), data)
    assert not fulfils(run_of(call("a", {}), call("b", {})), data)
