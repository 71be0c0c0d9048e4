"""Steps that an agent of smolagents remembers, alone or in the result of its run."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath, described
from otap.formats.steps import tables
from otap.formats.steps.calls import Call, parse_calls
from otap.formats.steps.content import drop_nulls, is_text
from otap.formats.steps.conversation import Conversation, find_conversations
from otap.formats.steps.recorder import Recorder
from otap.trajectory import Trajectory

NAME = "smolagents"
DESCRIPTION = "steps or results of agents of smolagents: one run, a list of runs, or JSONL"
STEP = "each call of a tool; of an agent that writes code, each piece of code"
KNOWN_BY = "steps with 'step_number', or a run with such 'steps'"

_LEFT_OUT = ("token_usage", "timing")


def recognises(value: Any) -> bool:
    """Says whether this is a step, a run, or a list that begins with one."""
    first = first_of(value)
    return is_step(first) or _holds_steps(first)


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one trajectory for each run."""
    for kept in find_conversations(document, is_step, keys=("steps",), ignored_keys=_LEFT_OUT):
        yield kept.to_trajectory(_read_steps(kept.messages, reasoning))


def is_step(value: Any) -> bool:
    """Says whether this is one thing that an agent of smolagents remembers."""
    return isinstance(value, dict) and any(
        keys <= value.keys()
        for keys in (
            {"step_number", "timing", "model_output"},
            {"task", "task_images"},
            {"plan", "timing", "model_output_message"},
        )
    )


def _holds_steps(value: Any) -> bool:
    if isinstance(value, dict):
        value = value.get("steps") if "state" in value else None
    return isinstance(value, list) and bool(value) and is_step(value[0])


def _read_steps(steps: Iterable[tuple[Any, JsonPath]], reasoning: bool) -> Conversation:
    recorder = Recorder(reasoning, "none")  # what a model writes beside the final answer is a plan
    answers: list[str] | None = None
    for value, place in steps:
        step = place.object(value)
        if not is_step(step):
            raise place.error(f"expected a step of smolagents, found {described(step)}")
        _DIALECT.record(recorder, _DIALECT.read_message(step, place), {})
        recorder.interrupted()
        recorder.add_usage(step)
        if "is_final_answer" in step:
            answers = [*(answers or ()), *_final_answer(step)]
    return replace(
        recorder.conversation(), messages_to_user=None if answers is None else tuple(answers)
    )


def _final_answer(step: dict[str, Any]) -> list[str]:
    """Returns the final answer, if a step gives it; an agent that calls tools has it as a text."""
    output = step.get("action_output")
    found = step.get("observations") if output is None else output
    if step["is_final_answer"] is not True or found is None:
        return []
    return [found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)]


def _role_of(step: dict[str, Any]) -> str:
    return "agent" if "step_number" in step or "plan" in step else "task"


def _add_agent_calls(message: tables.Message, step: dict[str, Any], place: JsonPath) -> None:
    if "step_number" in step:
        calls = _calls_of_step(step, place)
        _give_results(calls, step, place)
        message.items += calls
    elif step.get("task_images"):
        message.ignored.append("picture")


def _calls_of_step(step: dict[str, Any], place: JsonPath) -> list[Call]:
    """Returns what the model asked for: a step that failed has only there what was called."""
    where = place["model_output_message"]
    message = where.object(step.get("model_output_message") or {})
    calls = parse_calls(message, where) or parse_calls(step, place)
    if step.get("code_action") is not None and calls:
        calls[0].arguments = place["code_action"].text(step["code_action"])  # no JSON, but code
        calls[0].notes.pop("arguments_unparsed", None)
    return calls


def _give_results(calls: list[Call], step: dict[str, Any], place: JsonPath) -> None:
    """Gives a call its result; those of several calls are one text, and which is whose is lost."""
    error = place["error"].object(step.get("error") or {})
    words, seen = error.get("message"), step.get("observations")
    if len(calls) > 1:
        calls[0].notes.update(drop_nulls({"observations": seen, "error": words}))
        _blame(calls, words)
    for call in calls if len(calls) == 1 else ():
        call.effect, call.status = (words, "error") if error else (seen, None)
    for call in calls if "error" in step and not error else ():
        call.status = "ok"


def _blame(calls: list[Call], message: Any) -> None:
    """Gives an error to the one of several calls that it names, by its tool and its arguments."""
    named = [
        call for call in calls if f"'{call.tool}' with arguments {call.arguments}:" in str(message)
    ]
    if len(named) == 1:
        named[0].effect, named[0].status = message, "error"


def _tell_block(block: dict[str, Any], place: JsonPath) -> Iterable[tables.Part]:
    return [("text" if is_text(block) else block.get("type"), block, place)]


_DIALECT = tables.MessageSchema(
    is_step,
    tables.speakers(user="task", assistant="agent"),
    {"text": tables.TextKeys()},
    _tell_block,
    role=_role_of,
    content=("model_output", "plan", "task"),
    read_extra_fields=_add_agent_calls,
    joined_roles=(),
)
