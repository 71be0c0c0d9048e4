"""Trajectories of DSPy's agents, alone and in predictions."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal

from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath
from otap.formats.steps.calls import Call, parse_call
from otap.formats.steps.content import unless_blank
from otap.formats.steps.conversation import Conversation, RawConversation
from otap.formats.steps.recorder import Recorder
from otap.trajectory import Trajectory

NAME = "dspy"
DESCRIPTION = "trajectories of DSPy's ReAct and CodeAct, alone or in predictions, a list, or JSONL"
STEP = "each call of a tool, but for that which ends the run; each piece of code"
KNOWN_BY = "'trajectory' with keys as 'tool_name_0' and 'tool_args_0', or 'generated_code_0'"

_KEY = re.compile(r"(thought|tool_name|tool_args|observation|generated_code|code_output)_(\d{1,6})")
_CALLED = ("tool_name_", "generated_code_")
_END = "finish"  # the tool by which an agent says that it is done
_FAILED = re.compile(r"Execution error in \S+:|Failed to (?:execute|parse|run)\b")
_TRAJECTORY, _REASONING = "trajectory", "reasoning"
# How inputs are called that are the user's words; a prediction alone has only what came out.
_ASKED = ("question", "query", "request", "user_request", "input", "prompt", "instruction")


def recognises(value: Any) -> bool:
    """Says whether this is a trajectory, a prediction, or a list that begins with one."""
    first = first_of(value)
    return _is_trajectory(first) or _is_prediction(first)


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one trajectory for each prediction."""
    for value, place in document.items():
        around = place.object(value)
        recorder = Recorder(reasoning, "none")
        if _is_trajectory(around):
            _record_trajectory(recorder, around, place)
            yield RawConversation((), {}, place).to_trajectory(
                replace(recorder.conversation(), messages_to_user=None)
            )
            continue
        where = place[_TRAJECTORY]
        recorder.user(_texts_around(around, before=True))
        _record_trajectory(recorder, where.object(around.get(_TRAJECTORY)), where)
        beside = {key: item for key, item in around.items() if key != _TRAJECTORY}
        yield RawConversation((), beside, place).to_trajectory(
            _answered(recorder.conversation(), around)
        )


def _is_trajectory(value: Any) -> bool:
    return isinstance(value, dict) and any(
        key.startswith(_CALLED) and _KEY.fullmatch(key) for key in value
    )


def _is_prediction(value: Any) -> bool:
    return isinstance(value, dict) and _is_trajectory(value.get(_TRAJECTORY))


def _texts_around(around: dict[str, Any], *, before: bool) -> list[str]:
    """Returns what was asked, before the trajectory, or what came out, after it."""
    keys = list(around)
    middle = keys.index(_TRAJECTORY) if _TRAJECTORY in around else 0
    if before:
        chosen = [key for key in keys[:middle] if key in _ASKED]
    else:
        chosen = [key for key in keys[middle + 1 :] if key != _REASONING]
    return [text for key in chosen if isinstance(text := around[key], str) and text.strip()]


def _answered(found: Conversation, around: dict[str, Any]) -> Conversation:
    """Adds what was told: nothing is known of it where nothing came out."""
    texts = tuple(_texts_around(around, before=False))
    return replace(found, messages_to_user=texts or None)


def _record_trajectory(recorder: Recorder, trajectory: dict[str, Any], place: JsonPath) -> None:
    """Records the rounds of a trajectory; of a long one the first ones were left out."""
    rounds: dict[int, dict[str, Any]] = {}
    for key, value in trajectory.items():
        matched = _KEY.fullmatch(key)
        if matched is None:
            recorder.unknown(f"'{key}' of a trajectory")
        else:
            rounds.setdefault(int(matched[2]), {})[matched[1]] = value
    if rounds and min(rounds) > 0:
        recorder.unknown("steps left out of a trajectory")
    for number in sorted(rounds):
        _record_round(recorder, rounds[number], number, place)


def _record_round(recorder: Recorder, found: dict[str, Any], number: int, place: JsonPath) -> None:
    texts = unless_blank(found.get("thought"))
    call = _call_of_round(found, number, place)
    if call is None:
        recorder.assistant(texts)
        if found.get("tool_name") == _END:
            recorder.ignored("mark of the end")
    else:
        call.effect = found.get("code_output", found.get("observation"))
        call.status = _status_of_round(found)
        recorder.assistant(texts, [call])
    recorder.interrupted()


def _call_of_round(found: dict[str, Any], number: int, place: JsonPath) -> Call | None:
    """Returns what was called in a round; an agent that codes has its code."""
    code = found.get("generated_code")
    if code is not None:
        return Call("code_execution", {"code": code}, None, {})
    if found.get("tool_name") in (None, _END):
        return None
    where = place[f"tool_name_{number}"]
    return parse_call(where.text(found["tool_name"]), found.get("tool_args"), None, where)


def _status_of_round(found: dict[str, Any]) -> Literal["ok", "error"] | None:
    """An error stands where the result of a call does, and of code where none is expected."""
    seen = found.get("observation")
    if isinstance(seen, str) and _FAILED.match(seen):
        return "error"
    return "ok" if "observation" in found or "code_output" in found else None
