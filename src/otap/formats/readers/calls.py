"""Bare calls: what matchers of tool calls are given, as lists of names and arguments.

Tried last, where no other format recognises a file.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath
from otap.formats.steps.calls import parse_arguments
from otap.formats.steps.content import drop_nulls, list_at
from otap.trajectory import Trajectory, parse_trajectory

NAME = "bare-calls"
DESCRIPTION = "bare calls: a list of names and arguments, objects with such a list, or JSONL"
STEP = "each call"
KNOWN_BY = "objects with the name of a tool beside its arguments, and nothing else is known of it"

_NAMES = ("name", "tool", "tool_name", "toolName", "function", "function_name")
_ARGUMENTS = (
    *("arguments", "args", "input", "parameters", "params", "kwargs"),
    *("tool_input", "tool_args", "tool_arguments", "input_parameters"),
)
_EFFECTS = ("output", "result", "response", "observation", "tool_output")
# What was called before what was expected, where an object has both.
_LISTS = (
    *("tool_calls", "calls", "tools_called", "actual_tools", "actions", "trajectory"),
    *("expected_tool_calls", "expected_tools", "expected_calls"),
)
_NOTHING = object()
_KEPT = ("id", "task", "task_id", "trial")


def recognises(value: Any) -> bool:
    """Says whether this is a call, a list of calls, or an object with one."""
    first = first_of(value)
    return _is_call(first) or _is_call(first_of(first)) or _calls_key(first) is not None


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one run for a list of calls, or for each object or list that has some."""
    del reasoning
    if _is_call(first_of(document.value)):
        yield _run(list(document.items()), {}, document.root)
        return
    for value, place in document.items():
        key = None if isinstance(value, list) else _calls_key(place.object(value))
        if isinstance(value, dict) and key is None:
            key = next((name for name in _LISTS if value.get(name) == []), None)
        where = place if key is None else place[key]
        listed = where.array(value if key is None else value[key])
        about = value if isinstance(value, dict) else {}
        yield _run([(one, where[n]) for n, one in enumerate(listed)], about, place)


def _is_call(value: Any) -> bool:
    """Says whether this has a name and arguments; OpenAI's calls have both in ``function``."""
    if not isinstance(value, dict) or "role" in value:
        return False
    inner = value.get("function")
    call = inner if isinstance(inner, dict) else value
    if _find(call, _NAMES, str) is None:
        return False
    said = next((call[key] for key in _ARGUMENTS if key in call), _NOTHING)
    return said is not _NOTHING and not _is_schema(said)


def _is_schema(said: Any) -> bool:
    """Says whether this is what a tool can be called with: its definition is no call of it."""
    return isinstance(said, dict) and said.get("type") == "object" and "properties" in said


def _calls_key(value: Any) -> str | None:
    if not isinstance(value, dict):
        return None
    return next((key for key in _LISTS if _is_call(first_of(list_at(value, key)))), None)


def _find(call: Mapping[str, Any], keys: tuple[str, ...], kind: type) -> Any:
    return next((call[key] for key in keys if isinstance(call.get(key), kind) and call[key]), None)


def _is_failed(call: Mapping[str, Any]) -> bool:
    """Says whether a call says that it failed, as matchers and frameworks mark it."""
    marked = any(call.get(key) is True for key in ("is_error", "isError", "failed"))
    told = call.get("success") is False or call.get("status") in ("error", "failed", "failure")
    return marked or told or bool(call.get("error"))


def _run(
    calls: list[tuple[Any, JsonPath]], about: Mapping[str, Any], place: JsonPath
) -> Trajectory:
    steps = [_step(where.object(call), str(n), where) for n, (call, where) in enumerate(calls, 1)]
    names = {key.removesuffix("_id"): about[key] for key in _KEPT if about.get(key) is not None}
    fields: dict[str, Any] = {
        key: name if key == "trial" else str(name) for key, name in names.items()
    }
    query = _find(about, ("request", "query", "question", "prompt", "input"), str)
    if query is not None:
        fields["request"] = [query]
    outcome = next((about[key] for key in ("outcome", "reward") if key in about), None)
    if isinstance(outcome, int | float):
        fields["outcome"] = float(outcome)
    return parse_trajectory({**fields, "steps": steps}, str(place))


def _step(call: dict[str, Any], number: str, place: JsonPath) -> dict[str, Any]:
    if not _is_call(call):
        raise place.error("expected a call: the name of a tool beside its arguments")
    inner = call["function"] if isinstance(call.get("function"), dict) else call
    arguments, _ = parse_arguments(next(inner[key] for key in _ARGUMENTS if key in inner))
    effect, failed = next((call[key] for key in _EFFECTS if key in call), None), _is_failed(call)
    if failed and effect is None:
        effect = call.get("error")
    return drop_nulls(
        {
            "id": number,
            "tool": _find(inner, _NAMES, str),
            "arguments": {} if arguments is None else arguments,
            "effect": effect,
            "status": "error" if failed else None,
        }
    )
