"""The arguments of a call, out of what a tracer recorded of the function that ran it."""

from collections.abc import Mapping, Sequence
from typing import Any

from otap.formats.steps.content import parse_inner

# OpenLLMetry keeps what LangChain's callbacks were given, and what they returned.
_CALLED_BACK = {"input_str", "inputs", "tags", "metadata", "kwargs", "tool_call_id"}
_RETURNED = {"output", "kwargs", "tags"}
# Others keep how a function of Python was called; smolagents' tools have a flag of their own.
_PYTHON = {"args", "kwargs", "sanitize_inputs_outputs"}


def arguments_in(recorded: Any, names: Sequence[str] = ()) -> Any:
    """Returns what the model asked for, without what a tracer put around it.

    Args:
        recorded: the input of a tool's span, as JSON or as text.
        names: those of the tool's parameters, in order, for arguments without a name.
    """
    value = _object(recorded)
    if value is None:
        return recorded
    if value.keys() <= _CALLED_BACK and {"input_str", "inputs"} & value.keys():
        return _called_back(value, recorded)
    if value.keys() <= _PYTHON and "kwargs" in value and "args" in value:
        return _called(value, names, recorded)
    if value.keys() == {"kwargs"} and names and "kwargs" not in names:  # LlamaIndex, as it calls
        return value["kwargs"]
    return recorded


def result_out(recorded: Any) -> Any:
    """Returns what a tool returned, without what a tracer put around it."""
    if isinstance(recorded, str) and recorded[:1] == recorded[-1:] == '"':
        return _text(recorded)
    value = _object(recorded)
    if value is None or not {"output", "kwargs"} <= value.keys() <= _RETURNED:
        return recorded
    return value["output"]


def task_in(recorded: Any) -> str | None:
    """Returns the task of an agent of smolagents, among the settings of its run."""
    value = _object(recorded) or {}
    task = value.get("task") if "max_steps" in value else None
    return task if isinstance(task, str) and task.strip() else None


def parameters_of(recorded: Any) -> tuple[str, ...]:
    """Returns the names of a tool's parameters, in order, from its definition."""
    value = _object(recorded) or {}
    inner = value.get("properties")
    return tuple(inner if isinstance(inner, dict) else value)


def _text(recorded: str) -> str:
    """Returns a text that was written as JSON."""
    value = parse_inner(recorded)
    return value if isinstance(value, str) else recorded


def _object(recorded: Any) -> dict[str, Any] | None:
    value = recorded
    if isinstance(recorded, str) and recorded.lstrip().startswith("{"):
        value = parse_inner(recorded)
    return value if isinstance(value, dict) else None


def _called_back(value: Mapping[str, Any], recorded: Any) -> Any:
    inputs, text = value.get("inputs"), value.get("input_str")
    if isinstance(inputs, dict):
        return inputs
    return recorded if text is None else text


def _called(value: Mapping[str, Any], names: Sequence[str], recorded: Any) -> Any:
    args, kwargs = value.get("args"), value.get("kwargs")
    if not isinstance(args, list) or not isinstance(kwargs, dict):
        return recorded
    if not args:
        return kwargs
    only = args[0] if len(args) == 1 and not kwargs else None
    if isinstance(only, dict) and (not names or only.keys() <= {*names}):
        return only
    if len(args) <= len(names):
        return {**dict(zip(names, args, strict=False)), **kwargs}
    return {"args": args, **kwargs}
