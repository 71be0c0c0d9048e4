"""Removes what tracers and servers put around a call: its tool, its arguments and its result.

The steps of every reader pass through :func:`unwrap_calls`.
"""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from otap.formats.content import is_text, join_texts, parse_inner
from otap.formats.failures import states_failure
from otap.trajectory import Step, Trajectory

# Tracers name a span after the operation and the tool.
_SPAN_NAME = re.compile(r"(?:execute_tool |running tool:? )?(?P<tool>\S+?)(?:\.tool)?")
# Tools that call another tool, in lower case and without punctuation.
_META_TOOLS = frozenset(
    f"{verb}{server}tool{suffix}"
    for verb in ("call", "execute", "invoke", "run", "use")
    for server in ("", "mcp", "server")
    for suffix in ("", "byname")
) | {"mcpcalltool", "mcpexecutetool", "toolcall"}
_SERVER_PREFIX = re.compile(r"(?:.*__|.*[./:])(?=\w)", re.DOTALL)
_NAMES = ("tool_name", "toolName", "name", "tool")
_ARGUMENTS = (
    *("arguments", "args", "params", "parameters", "input", "tool_arguments", "toolArguments"),
    *("tool_args", "toolArgs", "tool_input", "toolInput"),
)
_SERVERS = ("server", "server_name", "serverName", "server_label")
_TEXT_KEYS = {"type", "text"}
_MAX_WRAPPERS = 5  # around one call
WRAPPER = "wrapper"  # the note on a call that a tool made for the model


class Unwrapped(NamedTuple):
    """The tool and the arguments of a call without wrappers, and the outer tool if it has one."""

    tool: str | None
    arguments: Any
    wrapper: str | None


def unwrap_calls(run: Trajectory) -> Trajectory:
    """Returns a run whose steps have no wrappers."""
    steps = _unwrap_steps(run.steps)
    return run if steps is run.steps else run.model_copy(update={"steps": steps})


def unwrap(tool: str | None, arguments: Any) -> Unwrapped:
    """Returns the tool and the arguments of a call without wrappers.

    Args:
        tool: the name of the tool, or of the span in which it ran.
        arguments: the arguments of the call.
    """
    wrapper = None
    for _ in range(_MAX_WRAPPERS):
        span_name = _SPAN_NAME.fullmatch(tool or "")
        tool = span_name["tool"] if span_name else tool
        arguments = _without_message(arguments)
        inner = _inner_call(tool, arguments)
        if inner is None:
            break
        wrapper, (tool, arguments) = wrapper or tool, inner
    return Unwrapped(tool, arguments, wrapper)


def _unwrap_steps(steps: Sequence[Step]) -> Sequence[Step]:
    """Returns the steps without wrappers; the same sequence if there are none."""
    unwrapped = tuple(_unwrap_step(step) for step in steps)
    is_same = all(new is old for new, old in zip(unwrapped, steps, strict=True))
    return steps if is_same else unwrapped


def _unwrap_step(step: Step) -> Step:
    changes: dict[str, Any] = {}
    if step.substeps:
        substeps = _unwrap_steps(step.substeps)
        changes |= {} if substeps is step.substeps else {"substeps": substeps}
    if step.kind == "tool":
        tool, arguments, wrapper = unwrap(step.tool, step.arguments)
        changes |= {} if tool == step.tool else {"tool": tool}
        changes |= {} if arguments is step.arguments else {"arguments": arguments}
        if wrapper is not None:
            changes["metadata"] = {**step.metadata, WRAPPER: wrapper}
        if _is_list_of_texts(step.effect):
            changes["effect"] = join_texts(step.effect)
            changes |= {"status": "error"} if states_failure(changes["effect"]) else {}
    return step.model_copy(update=changes) if changes else step


def _without_message(arguments: Any) -> Any:
    """Returns the content of a single message whose content is an object; else the arguments."""
    match arguments:
        case [{"role": str(), "content": dict(content), **rest}] if not rest:
            return content
    return arguments


def _inner_call(tool: str | None, arguments: Any) -> tuple[str, Any] | None:
    """Returns the call in the arguments of a tool that calls another tool, or None."""
    name = re.sub(r"[\W_]", "", _without_servers(tool or "")).lower()
    if name not in _META_TOOLS or not isinstance(arguments, dict):
        return None
    name_keys = [key for key in _NAMES if isinstance(arguments.get(key), str)]
    argument_keys = [key for key in _ARGUMENTS if key in arguments]
    call_keys = {*name_keys[:1], *argument_keys[:1], *_SERVERS}
    if not name_keys or not arguments[name_keys[0]].strip() or not arguments.keys() <= call_keys:
        return None
    inner = arguments[argument_keys[0]] if argument_keys else {}
    inner = {} if inner is None else parse_inner(inner)
    return (arguments[name_keys[0]], inner) if isinstance(inner, dict) else None


def _without_servers(tool: str) -> str:
    """Returns the name of a tool without the names of servers before it."""
    while prefix := _SERVER_PREFIX.match(tool):  # no search: it would begin at each character
        tool = tool[prefix.end() :]
    return tool


def _is_list_of_texts(effect: Any) -> bool:
    """Returns whether a result is a list of texts as servers write them."""
    if not isinstance(effect, list) or not effect:
        return False
    return all(is_text(part) and part.keys() <= _TEXT_KEYS for part in effect)
