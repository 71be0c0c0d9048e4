"""What one part of a message says, in the ways in which the libraries of models write parts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from otap.formats.json.places import Place
from otap.formats.steps.calls import Call, call_notes, parsed_arguments
from otap.formats.steps.spans import Result

_SYSTEM = ("system", "developer")
_ROLES = (
    *("user", "human", "assistant", "ai", "model", "tool", "function", "chatbot"),
    *("tool-call", "tool-response"),
)
_TEXTS = ("text", "input_text", "output_text", "refusal")
_TEXT_KEYS = ("content", "text", "refusal")

# The types of parts that are a call: where they have its id, its tool and its arguments.
_CALL_IDS = ("id", "call_id", "toolCallId", "tool_call_id")
_TYPED_CALLS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "tool_call": ("name", ("arguments", "args", "input")),
    "server_tool_call": ("name", ("server_tool_call", "arguments")),
    "tool_use": ("name", ("input",)),
    "server_tool_use": ("name", ("input",)),
    "mcp_tool_use": ("name", ("input",)),
    "function_call": ("name", ("arguments",)),
    "tool-call": ("toolName", ("input", "args")),
}
# The types of parts that are a result, and where they have its content.
_RESULT_IDS = ("id", "tool_use_id", "call_id", "toolCallId", "tool_call_id")
_TYPED_RESULTS: Mapping[str, tuple[str, ...]] = {
    "tool_call_response": ("response", "result", "content"),
    "server_tool_call_response": ("server_tool_call_response", "response"),
    "tool_result": ("content",),
    "mcp_tool_result": ("content",),
    "web_search_tool_result": ("content",),
    "web_fetch_tool_result": ("content",),
    "code_execution_tool_result": ("content",),
    "function_call_output": ("output",),
    "tool-result": ("output", "result"),
    "tool-error": ("error",),
}
# Parts in which a call, or a result, is an object of its own: Google's and Amazon's.
_CALLS = {
    "function_call": ("id", "args"),
    "functionCall": ("id", "args"),
    "toolUse": ("toolUseId", "input"),
}
_RESULTS = {
    "function_response": ("id", "response"),
    "functionResponse": ("id", "response"),
    "toolResult": ("toolUseId", "content"),
}
_THOUGHTS = ("reasoning", "thinking", "redacted_thinking", "reasoning_content", "thought")
_FILES = (
    *("image", "image_url", "input_image", "blob", "uri", "file", "input_file", "document"),
    *("audio", "input_audio", "video", "media", "image-url", "image-data", "file-data", "file-url"),
)
_SILENT = {
    **dict.fromkeys((*_THOUGHTS, "reasoningContent"), "reasoning"),
    **dict.fromkeys((*_FILES, "inlineData", "inline_data", "fileData", "file_data"), "file"),
    **dict.fromkeys(("cachePoint", "cache_point", "guardContent", "source-url", "source"), "note"),
}


@dataclass(slots=True)
class Message:
    """One message, as far as it says what was said, asked for, and answered.

    Attributes:
        role: who speaks.
        texts: what is said.
        calls: what is asked for.
        results: what came back.
        unknown: kinds of parts for which there is no rule.
        ignored: kinds of parts that say nothing of what was done.
    """

    role: str | None
    texts: list[str] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)

    def tells(self) -> bool:
        """Says whether anything in it was understood."""
        return bool(self.texts or self.calls or self.results)


def read_message(value: Mapping[str, Any], place: Place) -> Message:
    """Reads a message with parts, with content, or with calls beside its content.

    Raises:
        FormatError: if a call has no text for a name, or an id that is none.
    """
    message = Message(_role(value))
    if message.role in _SYSTEM:
        return message
    if message.role is not None and message.role not in _ROLES:
        message.unknown.append(f"message of role '{message.role}'")
    only = _only_result(value, place) if message.role in ("tool", "function") else None
    if only is not None:
        message.results.append(only)
        return message
    key = "parts" if "parts" in value else "content"
    parts = value.get(key)
    for index, part in enumerate(parts if isinstance(parts, list) else [parts]):
        add_part(message, part, place[key][index])
    if not message.calls:  # parts may tell the same
        _add_beside(message, value, place)
    return message


def _add_beside(message: Message, value: Mapping[str, Any], place: Place) -> None:
    """Adds the calls that stand beside the content; those with invalid arguments never ran."""
    add_calls(message, value.get("tool_calls"), place["tool_calls"])
    legacy = value.get("function_call")
    if isinstance(legacy, dict):
        add_calls(message, [legacy], place["function_call"])
    known = len(message.calls)
    add_calls(message, value.get("invalid_tool_calls"), place["invalid_tool_calls"])
    for call in message.calls[known:]:
        call.status = "error"


def add_calls(message: Message, listed: Any, place: Place) -> None:
    """Adds the calls of a list, as any library writes them."""
    for number, value in enumerate(listed if isinstance(listed, list) else ()):
        call = call_in(value, place[number]) if isinstance(value, dict) else None
        message.calls += [call] if call is not None else []
        message.unknown += ["call of an unknown form"] if call is None else []


def add_part(message: Message, part: Any, place: Place) -> None:
    """Adds what one part of a message says.

    Raises:
        FormatError: if a call has no text for a name, or an id that is none.
    """
    if isinstance(part, str):
        message.texts += [part] if part.strip() else []
    elif not isinstance(part, dict):
        message.unknown += [] if part is None else ["part of a message that is no object"]
    elif not (_add_wrapped(message, part, place) or _add_typed(message, part, place)):
        _leave(message, part)


def new_call(tool: str | None, recorded: Any, identifier: str | None) -> Call:
    """Returns a call with arguments as they were recorded, which may be text.

    Args:
        tool: its name, if it has one.
        recorded: the arguments, as JSON or as text.
        identifier: the id of the call, if it has one.
    """
    identifier = identifier and (identifier.strip() or None)
    arguments, parsed = parsed_arguments(recorded)
    call = Call(tool, arguments, identifier, call_notes(identifier))
    if not parsed:
        call.notes["arguments_unparsed"] = True
    if tool is None:
        call.notes["unnamed"] = True
    return call


def call_in(value: Mapping[str, Any], place: Place) -> Call | None:
    """Returns a call that stands in a list of calls, as any library writes it, or nothing."""
    function = value.get("function")
    if isinstance(function, dict):
        identifier = _id(value, _CALL_IDS, place)
        return _call({**function, "": identifier}, "name", ("arguments",), identifier, place)
    for name, keys in (("name", ("arguments", "args", "input")), ("toolName", ("input", "args"))):
        if isinstance(value.get(name), str):
            return _call(value, name, keys, _id(value, _CALL_IDS, place), place)
    return None


def _role(value: Mapping[str, Any]) -> str | None:
    role = value.get("role")
    return role.lower() if isinstance(role, str) else None


def _only_result(value: Mapping[str, Any], place: Place) -> Result | None:
    """Returns the result that the whole of a tool's message is, unless its parts hold results."""
    parts = value.get("parts", value.get("content"))
    if isinstance(value.get("parts"), list) or parts is None:
        return None
    identifier = _id(value, ("tool_call_id", "id"), place)
    failed = value.get("status") == "error" or value.get("is_error") is True
    status: Literal["error"] | None = "error" if failed else None
    return None if _holds_results(parts) else Result(identifier, None, _content(parts), status)


def _holds_results(parts: Any) -> bool:
    first = parts[0] if isinstance(parts, list) and parts else None
    if not isinstance(first, dict):
        return False
    typed = first.get("type") in ("tool-result", "tool-error", "tool_result", "tool_call_response")
    return typed or "toolResult" in first or "response" in first


def _content(parts: Any) -> Any:
    """Returns a list with one text as this text: OpenInference writes every result so."""
    return parts[0] if isinstance(parts, list) and len(parts) == 1 else parts


def _add_wrapped(message: Message, part: dict[str, Any], place: Place) -> bool:
    """Adds the calls and results that are objects of their own inside a part."""
    found = False
    for key, (identifier, arguments) in _CALLS.items():
        value = part.get(key)
        if isinstance(value, dict):
            at, found = place[key], True
            call_id = _id(value, (identifier,), at)
            message.calls.append(_call(value, "name", (arguments,), call_id, at))
    for key, (identifier, content) in _RESULTS.items():
        value = part.get(key)
        if isinstance(value, dict):
            found = True
            message.results.append(_result(value, (identifier,), (content,), place[key]))
    text = part.get("text")
    if found and isinstance(text, str) and text.strip():
        message.texts.append(text)
    return found


def _add_typed(message: Message, part: dict[str, Any], place: Place) -> bool:
    """Adds what a part says by its type; one without a type is text, if it has any."""
    kind = part.get("type")
    if kind is None or kind in _TEXTS:
        return _add_text(message, part, kind is not None)
    if isinstance(kind, str) and kind in _TYPED_CALLS:
        name, keys = _TYPED_CALLS[kind]
        message.calls.append(_call(part, name, keys, _id(part, _CALL_IDS, place), place))
        return True
    if isinstance(kind, str) and kind in _TYPED_RESULTS:
        message.results.append(_result(part, _RESULT_IDS, _TYPED_RESULTS[kind], place))
        return True
    call = call_in(part, place) if kind == "function" else None
    message.calls += [call] if call is not None else []
    return call is not None


def _add_text(message: Message, part: dict[str, Any], typed: bool) -> bool:
    key = next((key for key in _TEXT_KEYS if isinstance(part.get(key), str)), None)
    if key is None:
        return typed
    if part.get("thought") is True:  # Google's models think in parts of text
        message.ignored.append("reasoning")
    else:
        message.texts += [part[key]] if part[key].strip() else []
    return True


def _leave(message: Message, part: dict[str, Any]) -> None:
    """Notes a part that is left out, by its type, or by the key that stands for one."""
    kind = part.get("type", part.get("kind"))
    named = [kind] if isinstance(kind, str) else [key for key in part if isinstance(key, str)]
    silent = next((_SILENT[name] for name in named if name in _SILENT), None)
    if silent is not None:
        message.ignored.append(silent)
    elif part:
        message.unknown.append(f"part of type '{kind}'" if kind else f"part with '{named[0]}'")


def _call(
    value: Mapping[str, Any],
    name: str,
    keys: Iterable[str],
    identifier: str | None,
    place: Place,
) -> Call:
    written = value.get(name)
    tool = None if written is None or written == "" else place[name].text(written)
    recorded = next((value[key] for key in keys if value.get(key) is not None), None)
    return new_call(tool, recorded, identifier)


def _result(
    value: Mapping[str, Any], ids: Iterable[str], contents: Iterable[str], place: Place
) -> Result:
    name = value.get("name", value.get("toolName"))
    named = name if isinstance(name, str) else None
    content = next((value[key] for key in contents if value.get(key) is not None), None)
    failed = value.get("status") == "error" or value.get("type") == "tool-error"
    failed = failed or True in (value.get("is_error"), value.get("isError"))
    content, wrong = _of_vercel(content) if value.get("type") == "tool-result" else (content, False)
    status: Literal["error"] | None = "error" if failed or wrong else None
    return Result(_id(value, ids, place), named, content, status)


def _of_vercel(output: Any) -> tuple[Any, bool]:
    """Returns a tool's output, and whether it failed, which Vercel's SDK says by a type."""
    kind = output.get("type") if isinstance(output, dict) and "value" in output else None
    if not isinstance(kind, str):
        return output, False
    return output["value"], kind.startswith("error")


def _id(value: Mapping[str, Any], keys: Iterable[str], place: Place) -> str | None:
    for key in keys:
        found = place[key].label(value.get(key))
        if found is not None:
            return found.strip() or None
    return None
