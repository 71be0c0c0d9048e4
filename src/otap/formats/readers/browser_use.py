"""Histories of browser-use, as its agents save them: each step with what the model wanted."""

from collections.abc import Iterator
from typing import Any

from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath
from otap.formats.json.times import time_from_epoch
from otap.formats.steps import tables
from otap.formats.steps.calls import Result, new_call
from otap.formats.steps.content import drop_nulls, list_at, object_in, unless_blank
from otap.formats.steps.conversation import RawConversation
from otap.formats.steps.recorder import Recorder
from otap.trajectory import Trajectory

NAME = "browser-use"
DESCRIPTION = "histories of browser-use (AgentHistoryList): one, a list of them, or JSONL"
STEP = "each action in the browser"
KNOWN_BY = "a 'history' of steps with 'model_output', 'result' and 'state'"

_OF_A_STEP = {"model_output", "result", "state"}


def recognises(value: Any) -> bool:
    """Says whether this is a history, or a list that begins with one."""
    first = first_of(list_at(first_of(value), "history"))
    return isinstance(first, dict) and first.keys() >= _OF_A_STEP


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one trajectory for each history."""
    for value, place in document.items():
        history = place.object(value)
        recorder = Recorder(reasoning, "none")
        told: list[str] = []
        for step, where in place["history"].objects(history.get("history")):
            told += _record(recorder, step, where)
        around = drop_nulls({key: history.get(key) for key in ("id", "task_id", "task", "trial")})
        run = RawConversation([], around, place).to_trajectory(recorder.conversation())
        yield run.model_copy(update={"told": tuple(told)})


def _record(recorder: Recorder, step: dict[str, Any], place: JsonPath) -> list[str]:
    """Records a step; returns what it told the user: what it says where it is done."""
    output = object_in(step, "model_output")
    goal = object_in(output, "current_state").get("next_goal") or output.get("next_goal")
    listed = place["model_output"]["action"].objects(output.get("action"))
    calls = [
        new_call(name, arguments, None, where)
        for action, where in listed
        for name, arguments in action.items()  # of all actions that there are one is set
        if arguments is not None
    ]
    times = object_in(step, "metadata")
    results = [result for result, _ in place["result"].objects(step.get("result"))]
    if any(result.get("error") for result in results):  # what comes after an error is not done
        recorder.note((), ["action that was not reached"] * max(0, len(calls) - len(results)))
        calls = calls[: len(results)]
    for number, call in enumerate(calls):  # one after the other
        call.started_at = time_from_epoch(times.get("step_start_time"))
        recorder.assistant(unless_blank(goal) if number == 0 else (), [call])
        if number < len(results):
            error, content = results[number].get("error"), results[number].get("extracted_content")
            ended = time_from_epoch(times.get("step_end_time"))
            status: tables.Status = "error" if error else "ok"
            recorder.tool_result(Result(None, None, error or content, status, ended), {})
    if not calls:
        recorder.assistant(unless_blank(goal))
        recorder.note((), ["step that did nothing"])
    done = [result for result in results if result.get("is_done") is True]
    return [text for result in done for text in unless_blank(result.get("extracted_content"))]
