"""Bare calls: lists of tool names and arguments, as matchers of tool calls take them.

This format is the last to be tried.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from otap.formats.content import drop_nulls, list_at
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath
from otap.formats.tool_calls import parse_arguments
from otap.trajectory import Trajectory, parse_trajectory

NAME = "bare-calls"
DESCRIPTION = "bare calls: a list of names and arguments, objects with such a list, or JSONL"
STEP = "each call"
KNOWN_BY = "objects with the name of a tool beside its arguments, if no other format fits"

_NAME_KEYS = ("name", "tool", "tool_name", "toolName", "function", "function_name")
_ARGUMENT_KEYS = (
    *("arguments", "args", "input", "parameters", "params", "kwargs"),
    *("tool_input", "tool_args", "tool_arguments", "input_parameters"),
)
_EFFECT_KEYS = ("output", "result", "response", "observation", "tool_output")
# Actual calls come before expected ones, if an object has both.
_LIST_KEYS = (
    *("tool_calls", "calls", "tools_called", "actual_tools", "actions", "trajectory"),
    *("expected_tool_calls", "expected_tools", "expected_calls"),
)
_REQUEST_KEYS = ("request", "query", "question", "prompt", "input")
# Other keys of a call that may hold a list or an object.
_NOTE_KEYS = ("metadata", "meta", "extra", "annotations", "error", "function", "_meta")
_RUN_KEYS = ("id", "task", "task_id", "trial")


def recognises(value: Any) -> bool:
    """Returns whether this is a call, a list of calls, or an object with such a list."""
    first = first_of(value)
    if _is_call(first) or _is_call(first_of(first)):
        call = first if _is_call(first) else first_of(first)
        return not _has_other_data(call)
    return _list_key_of(first) is not None


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Yields a single run for a list of calls, or one for each object or list with calls."""
    del reasoning
    if _is_call(first_of(document.value)):
        yield _run(list(document.items()), {}, document.root)
        return
    for value, path in document.items():
        run_fields = {} if isinstance(value, list) else path.object(value)
        key = _list_key_of(run_fields)
        if key is None:
            key = next((name for name in _LIST_KEYS if run_fields.get(name) == []), None)
        calls, list_path = (value, path) if key is None else (value[key], path[key])
        yield _run(list_path.items(calls), run_fields, path)


def _is_call(value: Any) -> bool:
    """Returns whether this has a name and arguments; OpenAI has both inside ``function``."""
    if not isinstance(value, dict) or "role" in value:
        return False
    inner = value.get("function")
    call = inner if isinstance(inner, dict) else value
    if _first_in(call, _NAME_KEYS, str) is None:
        return False
    key = next((key for key in _ARGUMENT_KEYS if key in call), None)
    return key is not None and not _is_schema(call[key])


def _has_other_data(call: dict[str, Any]) -> bool:
    """Returns whether an object holds more than a call: it may be a test case, or a message."""
    keys = {*_NAME_KEYS, *_ARGUMENT_KEYS, *_EFFECT_KEYS, *_NOTE_KEYS}
    others = (value for key, value in call.items() if key not in keys)
    return any(isinstance(value, list | dict) and bool(value) for value in others)


def _is_schema(arguments: Any) -> bool:
    """Returns whether this is the JSON schema of a tool definition, which is not a call."""
    if not isinstance(arguments, dict):
        return False
    return arguments.get("type") == "object" and "properties" in arguments


def _list_key_of(value: Any) -> str | None:
    if not isinstance(value, dict):
        return None
    return next((key for key in _LIST_KEYS if _is_call(first_of(list_at(value, key)))), None)


def _first_in(fields: Mapping[str, Any], keys: tuple[str, ...], kind: type) -> Any:
    """Returns the first field under these keys that has this type and is not empty."""
    candidates = (fields.get(key) for key in keys)
    return next((field for field in candidates if isinstance(field, kind) and field), None)


def _is_failed(call: Mapping[str, Any]) -> bool:
    """Returns whether a call is marked as failed, in the ways of matchers and frameworks."""
    if any(call.get(key) is True for key in ("is_error", "isError", "failed")):
        return True
    if call.get("success") is False or call.get("status") in ("error", "failed", "failure"):
        return True
    return bool(call.get("error"))


def _run(
    calls: list[tuple[Any, JsonPath]], run_fields: Mapping[str, Any], path: JsonPath
) -> Trajectory:
    steps = [_step(*call, str(number)) for number, call in enumerate(calls, 1)]
    fields: dict[str, Any] = {}
    for key in _RUN_KEYS:
        if run_fields.get(key) is not None:
            name = run_fields[key]
            fields[key.removesuffix("_id")] = name if key == "trial" else str(name)
    request = _first_in(run_fields, _REQUEST_KEYS, str)
    if request is not None:
        fields["request"] = [request]
    outcome = run_fields.get("outcome", run_fields.get("reward"))
    if isinstance(outcome, int | float):
        fields["outcome"] = float(outcome)
    return parse_trajectory({**fields, "steps": steps}, str(path))


def _step(value: Any, path: JsonPath, number: str) -> dict[str, Any]:
    call = path.object(value)
    if not _is_call(call):
        raise path.error("expected a call: the name of a tool beside its arguments")
    inner = call["function"] if isinstance(call.get("function"), dict) else call
    arguments, _ = parse_arguments(next(inner[key] for key in _ARGUMENT_KEYS if key in inner))
    effect = next((call[key] for key in _EFFECT_KEYS if key in call), None)
    failed = _is_failed(call)
    if failed and effect is None:
        effect = call.get("error")
    return drop_nulls(
        {
            "id": number,
            "tool": _first_in(inner, _NAME_KEYS, str),
            "arguments": {} if arguments is None else arguments,
            "effect": effect,
            "status": "error" if failed else None,
        }
    )
