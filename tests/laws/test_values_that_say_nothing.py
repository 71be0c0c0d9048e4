"""Values that say nothing by themselves: an explicit false, and what anyone could have written."""

import json
from typing import Any

import pytest

import otap


def run_of(arguments: dict[str, Any]) -> otap.Trajectory:
    """A run with one call that worked."""
    function = {"name": "book_room", "arguments": json.dumps(arguments)}
    call = {"id": "c1", "type": "function", "function": function}
    return otap.parse(
        [
            {"role": "user", "content": "Do it for R7."},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": "ok"},
            {"role": "assistant", "content": "Done."},
        ]
    )


@pytest.mark.parametrize("more", [{}, {"room": "R7"}])
@pytest.mark.parametrize(
    "option",
    [{"quiet": False}, {"quiet": False, "sunny": False}, {"options": {"quiet": False, "sea": {}}}],
)
def test_an_explicit_false(option: dict[str, Any], more: dict[str, Any]) -> None:
    """It costs nothing on either side, alone or beside other arguments, and is disclosed."""
    full, bare = run_of({**more, **option}), run_of(more)
    for run, reference in ((full, bare), (bare, full)):
        result = otap.score(run, reference)
        assert (result.score, result.precision, result.recall) == (1, 1, 1)
        assert result.severity == "minor"


@pytest.mark.parametrize("arguments", [{"quiet": True}, {"floor": 0}, {"options": {"quiet": True}}])
def test_another_value_is_another_call(arguments: dict[str, Any]) -> None:
    """True, and a zero that stands alone, are no defaults."""
    assert otap.score(run_of(arguments), run_of({})).severity == "critical"
    assert otap.score(run_of({}), run_of(arguments)).severity == "critical"


@pytest.mark.parametrize(
    ("value", "of_reference"),
    [("DOUBLE", "double"), (0.30000000000000004, 0.3), ("EUR 0.50", "0.5 EUR")],
)
def test_the_same_value_in_another_notation(value: Any, of_reference: Any) -> None:
    """It is grounded if the reference has it in a notation that can come from anywhere."""
    result = otap.score(run_of({"kind": value}), run_of({"kind": of_reference}))
    assert (result.score, result.severity, result.findings) == (1, None, ())


def test_a_value_that_must_come_from_somewhere() -> None:
    """A reference that was shown its value grounds none of a run that was not."""

    def looking(code: str) -> otap.Trajectory:
        look = {"name": "find_code", "arguments": "{}"}
        book = {"name": "book_room", "arguments": '{"code": "QX4471"}'}
        calls = [
            {"id": name, "type": "function", "function": function}
            for name, function in (("c1", look), ("c2", book))
        ]
        return otap.parse(
            [
                {"role": "user", "content": "Do it."},
                {"role": "assistant", "content": None, "tool_calls": calls[:1]},
                {"role": "tool", "tool_call_id": "c1", "content": code},
                {"role": "assistant", "content": None, "tool_calls": calls[1:]},
                {"role": "tool", "tool_call_id": "c2", "content": "ok"},
            ]
        )

    result = otap.score(looking("no code"), looking("QX4471"))
    assert "ungrounded" in [finding.kind for finding in result.findings]
