"""Steps in the memory of an agent of smolagents, alone or in the result of its run."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from otap.formats import chats
from otap.formats.content import drop_nulls, is_text
from otap.formats.conversations import Conversation, find_conversations
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonObject, JsonPath, described
from otap.formats.recorder import Recorder
from otap.formats.tool_calls import ToolCall, parse_calls
from otap.trajectory import Trajectory

NAME = "smolagents"
DESCRIPTION = "steps or results of agents of smolagents: one run, a list of runs, or JSONL"
STEP = "each call of a tool; for a CodeAgent, each piece of code"
KNOWN_BY = "steps with 'step_number', or a run with these 'steps'"

_LEFT_OUT = ("token_usage", "timing")


def recognises(value: Any) -> bool:
    """Returns whether this is a step, a run, or a list that begins with one."""
    first = first_of(value)
    return is_step(first) or _has_steps(first)


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Yields one trajectory for each run."""
    for run in find_conversations(document, is_step, keys=("steps",), ignored_keys=_LEFT_OUT):
        yield run.to_trajectory(_read_steps(run.messages, reasoning))


def is_step(value: Any) -> bool:
    """Returns whether this is one step in the memory of an agent of smolagents."""
    return isinstance(value, dict) and any(
        keys <= value.keys()
        for keys in (
            {"step_number", "timing", "model_output"},
            {"task", "task_images"},
            {"plan", "timing", "model_output_message"},
        )
    )


def _has_steps(value: Any) -> bool:
    if isinstance(value, dict):
        value = value.get("steps") if "state" in value else None
    return isinstance(value, list) and bool(value) and is_step(value[0])


def _read_steps(steps: Iterable[tuple[Any, JsonPath]], reasoning: bool) -> Conversation:
    recorder = Recorder(reasoning, "none")  # other texts than the final answer are plans
    answers: list[str] | None = None
    for value, path in steps:
        step = path.object(value)
        if not is_step(step):
            raise path.error(f"expected a step of smolagents, found {described(step)}")
        _SCHEMA.record(recorder, _SCHEMA.read_message(step, path), {})
        recorder.interrupted()
        recorder.add_usage(step)
        if "is_final_answer" in step:
            answers = [*(answers or ()), *_final_answer_of(step)]
    return replace(
        recorder.conversation(), messages_to_user=None if answers is None else tuple(answers)
    )


def _final_answer_of(step: dict[str, Any]) -> list[str]:
    """Returns the final answer, if the step has it; ToolCallingAgent has it as observation."""
    output = step.get("action_output")
    answer = step.get("observations") if output is None else output
    if step["is_final_answer"] is not True or answer is None:
        return []
    return [answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)]


def _add_calls(message: chats.Message, step: dict[str, Any], path: JsonPath) -> None:
    if "step_number" in step:
        calls = _calls_of_step(step, path)
        _add_results(calls, step, path)
        message.items += calls
    elif step.get("task_images"):
        message.ignored.append("picture")


def _calls_of_step(step: dict[str, Any], path: JsonPath) -> list[ToolCall]:
    """Returns the calls in the model's message; a failed step has them nowhere else."""
    message = JsonObject(step, path).object("model_output_message")
    calls = parse_calls(*message) or parse_calls(step, path)
    if step.get("code_action") is not None and calls:
        calls[0].arguments = path["code_action"].text(step["code_action"])  # code, no JSON
        calls[0].notes.pop("arguments_unparsed", None)
    return calls


def _add_results(calls: list[ToolCall], step: dict[str, Any], path: JsonPath) -> None:
    """Adds the result to a single call; several calls share one text, which becomes a note."""
    error = path["error"].object(step.get("error") or {})
    message, observations = error.get("message"), step.get("observations")
    if len(calls) > 1:
        calls[0].notes.update(drop_nulls({"observations": observations, "error": message}))
        parts = [f"'{call.tool}' with arguments {call.arguments}:" for call in calls]
        failed = [call for call, part in zip(calls, parts, strict=True) if part in str(message)]
        if len(failed) == 1:  # the error names the call by its tool and its arguments
            failed[0].effect, failed[0].status = message, "error"
    elif calls and error:
        calls[0].effect, calls[0].status = message, "error"
    elif calls:
        calls[0].effect, calls[0].status = observations, None
    if "error" in step and not error:
        for call in calls:
            call.status = "ok"


_SCHEMA = chats.MessageSchema(
    is_step,
    chats.speakers(user="task", assistant="agent"),
    {"text": chats.TextKeys()},
    lambda block, path: [("text" if is_text(block) else block.get("type"), block, path)],
    role=lambda step: "agent" if "step_number" in step or "plan" in step else "task",
    content=("model_output", "plan", "task"),
    read_extra_fields=_add_calls,
    joined_roles=(),
)
