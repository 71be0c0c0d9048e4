"""Histories of browser-use, as its agents save them: each step with the output of the model."""

from collections.abc import Iterator
from typing import Any

from otap.formats import chats
from otap.formats.content import drop_nulls, list_at, object_in, unless_blank
from otap.formats.conversations import RawConversation
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonObject
from otap.formats.json.times import time_from_epoch
from otap.formats.recorder import Recorder
from otap.formats.tool_calls import ToolResult, new_call
from otap.trajectory import Trajectory

NAME = "browser-use"
DESCRIPTION = "histories of browser-use (AgentHistoryList): one, a list of them, or JSONL"
STEP = "each action in the browser"
KNOWN_BY = "a 'history' of steps with 'model_output', 'result' and 'state'"

_STEP_KEYS = {"model_output", "result", "state"}


def recognises(value: Any) -> bool:
    """Returns whether this is a history, or a list that begins with one."""
    first = first_of(list_at(first_of(value), "history"))
    return isinstance(first, dict) and first.keys() >= _STEP_KEYS


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Yields one trajectory for each history."""
    for history in document.objects():
        recorder = Recorder(reasoning, "none")
        answers: list[str] = []
        for step in history.objects("history"):
            answers += _record(recorder, step)
        names = {key: history.get(key) for key in ("id", "task_id", "task", "trial")}
        raw = RawConversation([], drop_nulls(names), history.path)
        run = raw.to_trajectory(recorder.conversation())
        yield run.model_copy(update={"messages_to_user": tuple(answers)})


def _record(recorder: Recorder, step: JsonObject) -> list[str]:
    """Records a step, and returns its messages to the user: the text of a "done" action."""
    output = object_in(step.mapping, "model_output")
    goal = object_in(output, "current_state").get("next_goal") or output.get("next_goal")
    actions = step.at("model_output")["action"].objects(output.get("action"))
    calls = [
        new_call(name, arguments, None, action_path)
        for action, action_path in actions
        for name, arguments in action.items()  # one key for each type of action
        if arguments is not None
    ]
    times = object_in(step.mapping, "metadata")
    results = [result.mapping for result in step.objects("result")]
    if any(result.get("error") for result in results):  # an error stops the other actions
        recorder.note((), ["action that was not reached"] * max(0, len(calls) - len(results)))
        calls = calls[: len(results)]
    for index, call in enumerate(calls):  # one after the other
        call.started_at = time_from_epoch(times.get("step_start_time"))
        recorder.assistant(unless_blank(goal) if index == 0 else (), [call])
        if index < len(results):
            error, content = results[index].get("error"), results[index].get("extracted_content")
            ended_at = time_from_epoch(times.get("step_end_time"))
            status: chats.Status = "error" if error else "ok"
            recorder.tool_result(ToolResult(None, None, error or content, status, ended_at), {})
    if not calls:
        recorder.assistant(unless_blank(goal))
        recorder.note((), ["step that did nothing"])
    done = [result for result in results if result.get("is_done") is True]
    return [text for result in done for text in unless_blank(result.get("extracted_content"))]
