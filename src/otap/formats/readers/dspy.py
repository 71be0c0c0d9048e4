"""Trajectories of DSPy's agents, alone and in predictions."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal

from otap.formats.content import unless_blank
from otap.formats.conversations import RawConversation
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath
from otap.formats.recorder import Recorder
from otap.formats.tool_calls import ToolCall, parse_call
from otap.trajectory import Trajectory

NAME = "dspy"
DESCRIPTION = "trajectories of DSPy's ReAct and CodeAct, alone or in predictions, a list, or JSONL"
STEP = "each call of a tool except 'finish'; each piece of code"
KNOWN_BY = "'trajectory' with keys such as 'tool_name_0' and 'tool_args_0', or 'generated_code_0'"

_KEY = re.compile(r"(thought|tool_name|tool_args|observation|generated_code|code_output)_(\d{1,6})")
_CALL_KEYS = ("tool_name_", "generated_code_")
_FINISH = "finish"  # the tool with which an agent ends its run
_FAILED = re.compile(r"Execution error in \S+:|Failed to (?:execute|parse|run)\b")
_TRAJECTORY, _REASONING = "trajectory", "reasoning"
# Names of inputs that are words of the user; a stored prediction alone has only outputs.
_REQUEST_KEYS = ("question", "query", "request", "user_request", "input", "prompt", "instruction")


def recognises(value: Any) -> bool:
    """Returns whether this is a trajectory, a prediction, or a list that begins with one."""
    first = first_of(value)
    if not isinstance(first, dict):
        return False
    return _is_trajectory(first) or _is_trajectory(first.get(_TRAJECTORY))


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Yields one trajectory for each prediction."""
    for value, path in document.items():
        prediction = path.object(value)
        recorder = Recorder(reasoning, "none")
        if _is_trajectory(prediction):
            _record_trajectory(recorder, prediction, path)
            yield RawConversation((), {}, path).to_trajectory(
                replace(recorder.conversation(), messages_to_user=None)
            )
            continue
        inputs, outputs = _texts_around_trajectory(prediction)
        recorder.user(inputs)
        trajectory_path = path[_TRAJECTORY]
        trajectory = trajectory_path.object(prediction.get(_TRAJECTORY))
        _record_trajectory(recorder, trajectory, trajectory_path)
        fields = {key: field for key, field in prediction.items() if key != _TRAJECTORY}
        conversation = replace(recorder.conversation(), messages_to_user=tuple(outputs) or None)
        yield RawConversation((), fields, path).to_trajectory(conversation)


def _is_trajectory(value: Any) -> bool:
    return isinstance(value, dict) and any(
        key.startswith(_CALL_KEYS) and _KEY.fullmatch(key) for key in value
    )


def _texts_around_trajectory(prediction: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Returns the texts of the inputs before the trajectory, and of the outputs after it."""
    keys = list(prediction)
    middle = keys.index(_TRAJECTORY) if _TRAJECTORY in prediction else 0
    inputs = [key for key in keys[:middle] if key in _REQUEST_KEYS]
    outputs = [key for key in keys[middle + 1 :] if key != _REASONING]
    return (
        [text for key in inputs for text in unless_blank(prediction[key])],
        [text for key in outputs for text in unless_blank(prediction[key])],
    )


def _record_trajectory(recorder: Recorder, trajectory: dict[str, Any], path: JsonPath) -> None:
    """Records the rounds of a trajectory; DSPy cuts the first rounds of a long one."""
    rounds: dict[int, dict[str, Any]] = {}
    for key, content in trajectory.items():
        match = _KEY.fullmatch(key)
        if match is None:
            recorder.unknown(f"'{key}' of a trajectory")
        else:
            rounds.setdefault(int(match[2]), {})[match[1]] = content
    if rounds and min(rounds) > 0:
        recorder.unknown("steps left out of a trajectory")
    for number in sorted(rounds):
        _record_round(recorder, rounds[number], number, path)


def _record_round(recorder: Recorder, fields: dict[str, Any], number: int, path: JsonPath) -> None:
    texts = unless_blank(fields.get("thought"))
    call = _call_of_round(fields, number, path)
    if call is None:
        recorder.assistant(texts)
        if fields.get("tool_name") == _FINISH:
            recorder.ignored("end marker")
    else:
        call.effect = fields.get("code_output", fields.get("observation"))
        call.status = _status_of_round(fields)
        recorder.assistant(texts, [call])
    recorder.interrupted()


def _call_of_round(fields: dict[str, Any], number: int, path: JsonPath) -> ToolCall | None:
    """Returns the tool call or the code of a round, or None if it has neither."""
    code = fields.get("generated_code")
    if code is not None:
        return ToolCall("code_execution", {"code": code}, None, {})
    if fields.get("tool_name") in (None, _FINISH):
        return None
    name_path = path[f"tool_name_{number}"]
    name = name_path.text(fields["tool_name"])
    return parse_call(name, fields.get("tool_args"), None, name_path)


def _status_of_round(fields: dict[str, Any]) -> Literal["ok", "error"] | None:
    """Returns the status: the error of a tool or of code is the text of the observation."""
    observation = fields.get("observation")
    if isinstance(observation, str) and _FAILED.match(observation):
        return "error"
    return "ok" if "observation" in fields or "code_output" in fields else None
