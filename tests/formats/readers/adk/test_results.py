"""Results of evaluations with Google's ADK: what was done, and what was expected."""

from pathlib import Path

import pytest

from otap import formats

MADE = Path(__file__).parents[2] / "made"


def invocation(*tools, text="A room."):
    """Returns an invocation with these tool uses."""
    return {
        "user_content": {"parts": [{"text": text}]},
        "final_response": {"parts": [{"text": "There."}]},
        "intermediate_data": {"tool_uses": [{"name": name, "args": {}} for name in tools]},
    }


def result(actual, expected=None, **more):
    """Returns the result of an evaluation of one case."""
    tried = {"actual_invocation": actual, "expected_invocation": expected}
    case = {
        "eval_id": "rome",
        "eval_set_id": "hotels",
        "session_id": "s",
        "final_eval_status": 1,
        "eval_metric_result_per_invocation": [tried],
        **more,
    }
    return {"eval_set_result_id": "r", "eval_set_id": "hotels", "eval_case_results": [case]}


def test_run_and_gold(write):
    """The run is what was done, with whether it passed; the gold what was expected."""
    path = write(result(invocation("search", "pay"), invocation("search")))
    run = formats.read(path)
    assert (run.id, run.task, run.outcome, run.request) == ("s", "rome", 1.0, ("A room.",))
    assert [step.tool for step in run.steps] == ["search", "pay"]
    (gold,) = formats.own_references(path)
    assert (gold.id, gold.task, [step.tool for step in gold.steps]) == (
        "rome/gold",
        "rome",
        ["search"],
    )


@pytest.mark.parametrize(("status", "outcome"), [(1, 1.0), (2, 0.0), (3, None), ([], None)])
def test_outcome(write, status, outcome):
    """A case that was not evaluated has no outcome."""
    value = result(invocation(), final_eval_status=status)
    assert formats.read(write(value)).outcome == outcome
    assert formats.own_references(write(value)) == []


def test_session(write):
    """Where the session is kept, its events are what was done, in either spelling."""
    call = {"functionCall": {"name": "search", "args": {}, "id": "1"}}
    answer = {"functionResponse": {"name": "search", "id": "1", "response": {"error": "x"}}}
    events = [
        {"invocationId": "i", "author": "a", "content": {"parts": [call]}},
        {"invocationId": "i", "author": "a", "content": {"parts": [answer]}},
    ]
    details = {"id": "s", "appName": "hotel", "events": events}
    (step,) = formats.read(write(result(invocation("pay"), session_details=details))).steps
    assert (step.tool, step.status, step.agent) == ("search", "error", "a")


def test_made():
    """What ADK kept of an evaluation: a case that failed, and what was expected of it."""
    run = formats.read(MADE / "adk_results.json")
    assert (run.id, run.task, run.outcome) == ("session-1", "rome", 0.0)
    assert [step.tool for step in run.steps][:3] == ["search", "search", "book"]
    (gold,) = formats.read_references(MADE / "adk_results.json")
    assert [step.tool for step in gold.steps][:2] == ["search", "search"]
    assert len(gold.steps) < len(run.steps)
