"""The inputs and outputs of the spans of models and tools, where they hold messages.

Tracers write there the messages that the model's own library uses: LangChain's, those of the
server of a model, or a text.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Literal

from otap.formats.dialects import langchain, openai
from otap.formats.json.paths import JsonPath
from otap.formats.steps import tables
from otap.formats.steps.calls import Call, Result, call_notes, parse_call
from otap.formats.steps.content import drop_nulls, list_at
from otap.formats.steps.spans import Span, read_spans
from otap.formats.steps.tables import Message
from otap.trajectory import Trajectory, parse_trajectory

_SYSTEM = ("system", "developer")
_RESULTS = ("tool", "function")
_ROLES = (
    *("user", "human", "assistant", "ai", "model", "chatbot", "tool-call", "tool-response"),
    *_RESULTS,
)
_CALL_IDS = ("id", "call_id", "toolCallId", "tool_call_id")
_RESULT_IDS = ("id", "tool_use_id", "call_id", "toolCallId", "tool_call_id")
_FLAT = (
    tables.CallKeys("name", ("arguments", "args", "input"), _CALL_IDS),
    tables.CallKeys("toolName", ("input", "args"), _CALL_IDS),
)
# How the first part of a tool's message is known to hold a result of its own.
_HOLDS_RESULT = ("tool-result", "tool-error", "tool_result", "tool_call_response")
_THOUGHTS = ("reasoning", "thinking", "redacted_thinking", "reasoning_content", "thought")
_FILES = (
    *("image", "image_url", "input_image", "blob", "uri", "file", "input_file", "document"),
    *("audio", "input_audio", "video", "media", "image-url", "image-data", "file-data", "file-url"),
)


def _status_of_part(part: tables.Object) -> Literal["error"] | None:
    failed = part.get("status") == "error" or part.get("type") == "tool-error"
    failed = failed or True in (part.get("is_error"), part.get("isError"))
    return "error" if failed else None


def _add_vercel(message: tables.Message, part: Any, place: JsonPath) -> None:
    """Adds a result of Vercel's SDK, whose type says whether the tool failed."""
    result = _result_keys("output", "result", name="toolName").read(part, place)
    output = result.content
    kind = output.get("type") if isinstance(output, dict) and "value" in output else None
    if isinstance(kind, str):
        status = "error" if kind.startswith("error") else result.status
        result = result._replace(content=output["value"], status=status)
    message.items.append(result)


def _add_function(message: tables.Message, part: Any, place: JsonPath) -> None:
    call = call_in(part, place)
    if call is None:
        message.note_part("function")
    else:
        message.items.append(call)


def _add_text(message: tables.Message, part: Any, _: JsonPath) -> None:
    text = next((part[key] for key in _TEXT_KEYS if isinstance(part.get(key), str)), "")
    if part.get("thought") is True:  # Google's models think in parts of text
        message.ignored.append("reasoning")
    elif text.strip():
        message.items.append(text)


def _result_keys(*contents: str, name: str = "name") -> tables.ResultKeys:
    return tables.ResultKeys(contents, _RESULT_IDS, name, _status_of_part, tables.identity)


_TEXT_KEYS = ("content", "text", "refusal")
_TYPED: dict[str, tables.Entry] = {
    **dict.fromkeys(("text", "input_text", "output_text", "refusal"), _add_text),
    "function": _add_function,
    "tool_call": tables.CallKeys("name", ("arguments", "args", "input"), _CALL_IDS),
    "server_tool_call": tables.CallKeys("name", ("server_tool_call", "arguments"), _CALL_IDS),
    **dict.fromkeys(
        ("tool_use", "server_tool_use", "mcp_tool_use"),
        tables.CallKeys("name", ("input",), _CALL_IDS),
    ),
    "function_call": tables.CallKeys("name", ("arguments",), _CALL_IDS),
    "tool-call": tables.CallKeys("toolName", ("input", "args"), _CALL_IDS),
    "tool_call_response": _result_keys("response", "result", "content"),
    "server_tool_call_response": _result_keys("server_tool_call_response", "response"),
    **dict.fromkeys(
        (
            *("tool_result", "mcp_tool_result", "web_search_tool_result"),
            *("web_fetch_tool_result", "code_execution_tool_result"),
        ),
        _result_keys("content"),
    ),
    "function_call_output": _result_keys("output"),
    "tool-result": _add_vercel,
    "tool-error": _result_keys("error", name="toolName"),
    **dict.fromkeys((*_THOUGHTS, "reasoningContent"), "reasoning"),
    **dict.fromkeys((*_FILES, "inlineData", "inline_data", "fileData", "file_data"), "file"),
    **dict.fromkeys(("cachePoint", "cache_point", "guardContent", "source-url", "source"), "note"),
}
# Parts in which a call, or a result, is an object of its own: Google's and Amazon's.
_WRAPPED: dict[str, tables.CallKeys | tables.ResultKeys] = {
    **dict.fromkeys(("function_call", "functionCall"), tables.CallKeys("name", ("args",))),
    "toolUse": tables.CallKeys("name", ("input",), ("toolUseId",)),
    **dict.fromkeys(
        ("function_response", "functionResponse"),
        tables.ResultKeys(("response",), status=_status_of_part, clean=tables.identity),
    ),
    "toolResult": tables.ResultKeys(
        ids=("toolUseId",), status=_status_of_part, clean=tables.identity
    ),
}


def read_message(value: tables.Object, place: JsonPath) -> tables.Message:
    """Reads a message with parts, with content, or with calls beside its content.

    Raises:
        FormatError: if a call has no text for a name, or an id that is none.
    """
    role = value.get("role")
    message = tables.Message(role.lower() if isinstance(role, str) else None)
    if message.role in _SYSTEM:
        return message
    if message.role is not None and message.role not in _ROLES:
        message.unknown.append(f"message of role '{message.role}'")
    whole = _result_of_tool_message(value) if message.role in _RESULTS else None
    if whole is not None:
        message.items.append(whole)
        return message
    key = "parts" if "parts" in value else "content"
    parts = value.get(key)
    for index, part in enumerate(parts if isinstance(parts, list) else [parts]):
        add_part(message, part, place[key][index])
    if not message.calls:  # parts may tell the same
        _add_beside(message, value, place)
    if key not in value and not (message.items or message.unknown or message.ignored):
        message.unknown.append("message without 'content'")
    return message


def _result_of_tool_message(value: tables.Object) -> Result | None:
    """Returns the result that the whole of a tool's message is, unless its parts hold results."""
    parts = value.get("parts", value.get("content"))
    if isinstance(value.get("parts"), list) or parts is None:
        return None
    first = parts[0] if isinstance(parts, list) and parts else None
    if isinstance(first, dict) and (
        first.get("type") in _HOLDS_RESULT or "toolResult" in first or "response" in first
    ):
        return None
    identifier = tables.label_if_any(value, ("tool_call_id", "id"))
    failed = value.get("status") == "error" or value.get("is_error") is True
    # OpenInference writes every result as a list with one text.
    content = first if isinstance(parts, list) and len(parts) == 1 else parts
    return Result(identifier, None, content, "error" if failed else None)


def _add_beside(message: tables.Message, value: tables.Object, place: JsonPath) -> None:
    """Adds the calls that stand beside the content; those with invalid arguments never ran."""
    add_calls(message, value.get("tool_calls"), place["tool_calls"])
    if not message.calls:  # as LangChain keeps those of OpenAI
        where = place["additional_kwargs"]["tool_calls"]
        add_calls(message, list_at(value, "additional_kwargs", "tool_calls"), where)
    if isinstance(legacy := value.get("function_call"), dict):
        add_calls(message, [legacy], place["function_call"])
    known = len(message.calls)
    add_calls(message, value.get("invalid_tool_calls"), place["invalid_tool_calls"])
    for call in message.calls[known:]:
        call.status = "error"


def add_calls(message: tables.Message, listed: Any, place: JsonPath) -> None:
    """Adds the calls of a list, as any library writes them."""
    for number, value in enumerate(listed if isinstance(listed, list) else ()):
        call = call_in(value, place[number]) if isinstance(value, dict) else None
        message.items += [call] if call is not None else []
        message.unknown += ["call of an unknown form"] if call is None else []


def call_in(value: tables.Object, place: JsonPath) -> Call | None:
    """Returns a call that stands in a list of calls, as any library writes it, or nothing."""
    function = value.get("function")
    if isinstance(function, dict):
        identifier = tables.label_of(value, _CALL_IDS, place)
        return parse_call(
            function.get("name"), function.get("arguments"), identifier, place["name"]
        )
    flat = next((keys for keys in _FLAT if isinstance(value.get(keys.name), str)), None)
    return None if flat is None else flat.read(value, place)


def add_part(message: tables.Message, part: Any, place: JsonPath) -> None:
    """Adds what one part of a message says.

    Raises:
        FormatError: if a call has no text for a name, or an id that is none.
    """
    if isinstance(part, str):
        message.items += [part] if part.strip() else []
    elif not isinstance(part, dict):
        message.unknown += [] if part is None else ["part of a message that is no object"]
    elif wrapped := [key for key in _WRAPPED if isinstance(part.get(key), dict)]:
        for key in wrapped:
            _WRAPPED[key](message, part[key], place[key])
        _add_text(message, {"text": part.get("text")}, place)
    else:
        _add_typed(message, part, place)


def _add_typed(message: tables.Message, part: dict[str, Any], place: JsonPath) -> None:
    """Adds a part by its type; one without a type is text, or known by a key."""
    kind = part.get("type", part.get("kind"))
    entry = _TYPED.get(kind) if isinstance(kind, str) and ("type" in part) else None
    spoken = any(isinstance(part.get(key), str) for key in _TEXT_KEYS)
    if part.get("type") is None and spoken:
        _add_text(message, part, place)
    elif entry is not None and not isinstance(entry, str):
        entry(message, part, place)
    else:
        named = [kind] if isinstance(kind, str) else list(part)
        words = [word for name in named if isinstance(word := _TYPED.get(name), str)]
        if words:
            message.ignored.append(words[0])
        elif part:
            message.unknown.append(f"part of type '{kind}'" if kind else f"part with '{named[0]}'")


_SPEAKERS = {"ai": "assistant", "human": "user"}
_ASKED = ("messages", "input", "contents", "prompt", "items")  # where inputs have the messages
_ANSWERED = (  # where outputs have the answer
    *("generations", "choices", "candidates", "messages", "message", "output", "content"),
    *("text", "completion", "response"),
)
_NOT_SAID = ("user", "human", "system", "tool")
_SEVERAL = ("generations", "choices", "candidates")
_DEPTH = 8  # of an answer in what a server returned


def fill_model_span(
    span: Span, inputs: tuple[Any, JsonPath], outputs: tuple[Any, JsonPath], *, failed: bool
) -> None:
    """Fills a model's span: what the user said, what the model answered, which calls it asked for.

    Args:
        span: the span.
        inputs: what the tracer recorded as input, with its place.
        outputs: what it recorded as output, with its place.
        failed: whether the model failed, which is an answer, too.

    Raises:
        FormatError: with the place of the first thing that no message may hold.
    """
    span.is_model = True
    asked, answered = list(_messages_asked(*inputs)), list(_messages_answered(*outputs, _DEPTH))
    for message in asked:
        span.user_texts += message.texts if message.role in ("user", "human") else []
        span.results += message.results
    for message in answered:
        span.answer = span.answer or next(iter(message.texts), None)
        span.requested_calls += message.calls
        span.results += message.results
    span.has_answer = failed or bool(answered)
    for message in (*asked, *answered):
        span.note(message.unknown, message.ignored)


def call_that_ran(
    tool: str | None,
    arguments: Any,
    identifier: str | None,
    output: tuple[Any, JsonPath],
    *,
    parsed: bool = True,
    status: tables.Status = None,
    error: Any = None,
    times: tuple[datetime | None, datetime | None] = (None, None),
) -> Call:
    """Returns the call of a tool's span.

    Args:
        tool: the name of the tool, if it has one.
        arguments: the input of the span.
        identifier: the id of the call, if the span has one.
        output: what the tracer recorded as output, with its place: the result itself, or the
            message that took it to the model, which may have an id, a status and an artifact.
        parsed: whether the arguments could be read.
        status: how the span says that it ended; a message may tell a failure, too.
        error: what went wrong, as the span tells it.
        times: when it began and ended.

    Raises:
        FormatError: with the place of the first thing that no message may hold.
    """
    value, place = output
    results = []
    if langchain.is_langchain_message(value):
        results = langchain.DIALECT.read_message(*langchain.open_message(value, place)).results
    elif openai.is_chat_message(value) and value["role"] in ("tool", "function"):
        results = openai.DIALECT.read_message(value, place).results
    call = Call(tool, arguments, identifier, call_notes(identifier), effect=value)
    for result in results:
        call.id = identifier or result.call_id
        call.notes = {**call_notes(call.id), **dict(result.notes)}
        call.effect, call.status = result.content, result.status
    if tool is None:
        call.notes["unnamed"] = True
    if not parsed:
        call.notes["arguments_unparsed"] = True
    end_call(call, status, error)
    call.started_at, call.ended_at = times
    return call


def end_call(call: Call, status: tables.Status, error: Any) -> None:
    """Notes how the span of a call says that it ended; a failure counts, whoever tells of it."""
    call.notes.update(drop_nulls({"error": error}))
    call.status = status if status == "error" else call.status or status


def run_of_trace(
    spans: Iterable[Span],
    fields: Mapping[str, Any],
    asked: Any,
    answered: Any,
    place: JsonPath,
    *,
    reasoning: bool,
) -> Trajectory:
    """Returns the run that the spans of one trace tell of.

    Args:
        spans: the spans, in any order.
        fields: what else is known of the run.
        asked: what went into the run as a whole, the request where no model heard one.
        answered: what came out of it, which is told beside what the models say.
        place: where the trace stands, for errors.
        reasoning: whether an answer that leads to no call becomes a reasoning step.

    Raises:
        FormatError: if it is no trajectory.
    """
    found = read_spans(spans, reasoning=reasoning)
    told = found.messages_to_user or ()
    told = (*told, *(text for text in _single_text(answered) if text not in told))
    said = {"request": found.request or _single_text(asked), "told": told or None}
    return parse_trajectory({**found.trajectory_fields(), **said, **fields}, str(place))


def _single_text(recorded: Any) -> tuple[str, ...]:
    """Returns the one text in what went in, or came out, if there is one and nothing else."""
    values = list(recorded.values()) if isinstance(recorded, dict) else []
    return (values[0],) if len(values) == 1 and isinstance(values[0], str) and values[0] else ()


def _messages_asked(value: Any, place: JsonPath) -> Iterator[Message]:
    """Yields what a model was asked: a text, or messages, as a list of lists in LangChain."""
    if isinstance(value, dict) and "role" not in value:
        key = _key_in(value, _ASKED) or _ASKED[0]
        value, place = value.get(key), place[key]
    if isinstance(value, str):
        yield Message("user", [value] if value.strip() else [])
    elif isinstance(value, dict):
        yield _read_any(value, place)
    elif isinstance(value, list):
        yield from _messages_listed(value, place)


def _messages_listed(value: list[Any], place: JsonPath) -> Iterator[Message]:
    if value and isinstance(value[0], list):
        value, place = value[0], place[0]
    return (_read_any(item, place[index]) for index, item in enumerate(value))


def _key_in(value: dict[str, Any], keys: tuple[str, ...]) -> str | None:
    """Returns the first of these keys under which there is anything."""
    return next((key for key in keys if value.get(key) is not None), None)


def _messages_answered(value: Any, place: JsonPath, depth: int) -> Iterator[Message]:
    """Yields what a model answered: in LangChain's generations, in a server's response, or bare."""
    if isinstance(value, str):
        yield Message("assistant", [value] if value.strip() else [])
    elif isinstance(value, list):
        yield from _listed_answers(value, place)
    elif isinstance(value, dict) and (langchain.is_langchain_message(value) or "role" in value):
        yield _read_any(value, place)
    elif isinstance(value, dict) and value:
        yield from _inner_answers(value, place, depth)


def _listed_answers(value: list[Any], place: JsonPath) -> Iterator[Message]:
    """Yields the answers in a list: of messages, of which models say some, or of parts."""
    told = (_read_any(item, place[index]) for index, item in enumerate(value))
    return (message for message in told if message.role not in _NOT_SAID)


def _inner_answers(value: dict[str, Any], place: JsonPath, depth: int) -> Iterator[Message]:
    key = _key_in(value, _ANSWERED)
    if key is None and "type" in value:
        yield _read_any(value, place)
    elif key is None or depth == 0:
        yield Message("assistant", unknown=["answer of an unknown form"])
    elif key == "content" and isinstance(value[key], list):
        yield read_message({"role": "assistant", "content": value[key]}, place)
    elif key in _SEVERAL:
        inner, where = _first_answer(value[key], place[key])
        yield from _messages_answered(inner, where, depth - 1) if isinstance(inner, dict) else ()
    else:
        yield from _messages_answered(value[key], place[key], depth - 1)


def _first_answer(value: Any, place: JsonPath) -> tuple[Any, JsonPath]:
    """Returns the first of several answers, which LangChain has in a list of lists."""
    while isinstance(value, list) and value:
        value, place = value[0], place[0]
    return value, place


def _read_any(value: Any, place: JsonPath) -> Message:
    """Reads a message, or a part that stands where a message would, as in OpenAI's Responses."""
    if langchain.is_langchain_message(value):
        message = langchain.DIALECT.read_message(*langchain.open_message(value, place))
        message.role = _SPEAKERS.get(message.role or "", message.role)
        return message
    if isinstance(value, dict) and "role" in value:
        return read_message(value, place)
    message = Message("assistant" if isinstance(value, dict) else None)
    add_part(message, value, place)
    return message
