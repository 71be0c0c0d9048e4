"""Reads the inputs and outputs of the spans of models and tools as messages.

Tracers record there the messages of the model's own library, of LangChain, or plain text.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Literal

from otap.formats import chats
from otap.formats.chats import Message
from otap.formats.content import drop_nulls, list_at
from otap.formats.json.paths import JsonPath
from otap.formats.readers import langchain, openai
from otap.formats.spans import Span, read_spans
from otap.formats.tool_calls import ToolCall, ToolResult, call_notes, parse_call
from otap.trajectory import Trajectory

_SYSTEM_ROLES = ("system", "developer")
_TOOL_ROLES = ("tool", "function")
_ROLES = (
    *("user", "human", "assistant", "ai", "model", "chatbot", "tool-call", "tool-response"),
    *_TOOL_ROLES,
)
_CALL_IDS = ("id", "call_id", "toolCallId", "tool_call_id")
_RESULT_IDS = ("id", "tool_use_id", "call_id", "toolCallId", "tool_call_id")
_FLAT_CALLS = (
    chats.CallKeys("name", ("arguments", "args", "input"), _CALL_IDS),
    chats.CallKeys("toolName", ("input", "args"), _CALL_IDS),
)
# A tool's message whose first part has one of these types holds results in its parts.
_RESULT_PARTS = ("tool-result", "tool-error", "tool_result", "tool_call_response")
_THOUGHTS = ("reasoning", "thinking", "redacted_thinking", "reasoning_content", "thought")
_FILES = (
    *("image", "image_url", "input_image", "blob", "uri", "file", "input_file", "document"),
    *("audio", "input_audio", "video", "media", "image-url", "image-data", "file-data", "file-url"),
)


def _status_of_part(part: chats.Object) -> Literal["error"] | None:
    failed = part.get("status") == "error" or part.get("type") == "tool-error"
    failed = failed or True in (part.get("is_error"), part.get("isError"))
    return "error" if failed else None


def _add_vercel(message: Message, part: Any, path: JsonPath) -> None:
    """Adds a result of Vercel's SDK, whose type tells whether the tool failed."""
    result = _result_keys("output", "result", name="toolName").read(part, path)
    output = result.content
    kind = output.get("type") if isinstance(output, dict) and "value" in output else None
    if isinstance(kind, str):
        status = "error" if kind.startswith("error") else result.status
        result = result._replace(content=output["value"], status=status)
    message.items.append(result)


def _add_function(message: Message, part: Any, path: JsonPath) -> None:
    call = call_in(part, path)
    if call is None:
        message.note_part("function")
    else:
        message.items.append(call)


def _add_text(message: Message, part: Any, _: JsonPath) -> None:
    text = next((part[key] for key in _TEXT_KEYS if isinstance(part.get(key), str)), "")
    if part.get("thought") is True:  # Google's models think in parts of text
        message.ignored.append("reasoning")
    elif text.strip():
        message.items.append(text)


def _result_keys(*contents: str, name: str = "name") -> chats.ResultKeys:
    return chats.ResultKeys(contents, _RESULT_IDS, name, _status_of_part, chats.identity)


_TEXT_KEYS = ("content", "text", "refusal")
_BY_TYPE: dict[str, chats.Entry] = {
    **dict.fromkeys(("text", "input_text", "output_text", "refusal"), _add_text),
    "function": _add_function,
    "tool_call": chats.CallKeys("name", ("arguments", "args", "input"), _CALL_IDS),
    "server_tool_call": chats.CallKeys("name", ("server_tool_call", "arguments"), _CALL_IDS),
    **dict.fromkeys(
        ("tool_use", "server_tool_use", "mcp_tool_use"),
        chats.CallKeys("name", ("input",), _CALL_IDS),
    ),
    "function_call": chats.CallKeys("name", ("arguments",), _CALL_IDS),
    "tool-call": chats.CallKeys("toolName", ("input", "args"), _CALL_IDS),
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
# Keys of Google's and Amazon's parts, under which a call or a result is an object of its own.
_WRAPPERS: dict[str, chats.CallKeys | chats.ResultKeys] = {
    **dict.fromkeys(("function_call", "functionCall"), chats.CallKeys("name", ("args",))),
    "toolUse": chats.CallKeys("name", ("input",), ("toolUseId",)),
    **dict.fromkeys(
        ("function_response", "functionResponse"),
        chats.ResultKeys(("response",), status=_status_of_part, clean=chats.identity),
    ),
    "toolResult": chats.ResultKeys(
        ids=("toolUseId",), status=_status_of_part, clean=chats.identity
    ),
}


def read_message(value: chats.Object, path: JsonPath) -> Message:
    """Reads a message with parts, with content, or with calls beside its content.

    Raises:
        FormatError: if the name or id of a call has the wrong type.
    """
    role = value.get("role")
    message = Message(role.lower() if isinstance(role, str) else None)
    if message.role in _SYSTEM_ROLES:
        return message
    if message.role is not None and message.role not in _ROLES:
        message.unknown.append(f"message of role '{message.role}'")
    result = _result_of_tool_message(value) if message.role in _TOOL_ROLES else None
    if result is not None:
        message.items.append(result)
        return message
    key = "parts" if "parts" in value else "content"
    parts = value.get(key)
    for index, part in enumerate(parts if isinstance(parts, list) else [parts]):
        add_part(message, part, path[key][index])
    if not message.calls:  # else the calls of the message repeat those in its parts
        _add_calls_of_message(message, value, path)
    if key not in value and not (message.items or message.unknown or message.ignored):
        message.unknown.append("message without 'content'")
    return message


def _result_of_tool_message(value: chats.Object) -> ToolResult | None:
    """Returns a tool's message as one result; None if its parts hold results."""
    content = value.get("parts", value.get("content"))
    if isinstance(value.get("parts"), list) or content is None:
        return None
    if isinstance(content, list) and content:
        first = content[0]
        if isinstance(first, dict) and (
            first.get("type") in _RESULT_PARTS or "toolResult" in first or "response" in first
        ):
            return None
        if len(content) == 1:  # OpenInference records every result as a list with one text
            content = first
    identifier = chats.label_if_any(value, ("tool_call_id", "id"))
    failed = value.get("status") == "error" or value.get("is_error") is True
    return ToolResult(identifier, None, content, "error" if failed else None)


def _add_calls_of_message(message: Message, value: chats.Object, path: JsonPath) -> None:
    """Adds the calls beside the content; those with invalid arguments never ran."""
    add_calls(message, value.get("tool_calls"), path["tool_calls"])
    if not message.calls:  # LangChain keeps the calls of OpenAI here
        calls_path = path["additional_kwargs"]["tool_calls"]
        add_calls(message, list_at(value, "additional_kwargs", "tool_calls"), calls_path)
    legacy = value.get("function_call")
    if isinstance(legacy, dict):
        add_calls(message, [legacy], path["function_call"])
    count = len(message.calls)
    add_calls(message, value.get("invalid_tool_calls"), path["invalid_tool_calls"])
    for call in message.calls[count:]:
        call.status = "error"


def add_calls(message: Message, values: Any, path: JsonPath) -> None:
    """Adds the calls of a list, in the form of any library."""
    for index, value in enumerate(values if isinstance(values, list) else ()):
        call = call_in(value, path[index]) if isinstance(value, dict) else None
        if call is None:
            message.unknown.append("call of an unknown form")
        else:
            message.items.append(call)


def call_in(value: chats.Object, path: JsonPath) -> ToolCall | None:
    """Returns the call that an item of a list of calls holds, in the form of any library."""
    function = value.get("function")
    if isinstance(function, dict):
        identifier = chats.label_of(value, _CALL_IDS, path)
        return parse_call(function.get("name"), function.get("arguments"), identifier, path["name"])
    for keys in _FLAT_CALLS:
        if isinstance(value.get(keys.name), str):
            return keys.read(value, path)
    return None


def add_part(message: Message, part: Any, path: JsonPath) -> None:
    """Adds the text, call or result in one part of a message.

    Raises:
        FormatError: if the name or id of a call has the wrong type.
    """
    if isinstance(part, str):
        message.items += [part] if part.strip() else []
        return
    if not isinstance(part, dict):
        message.unknown += [] if part is None else ["part of a message that is not an object"]
        return
    wrappers = [key for key in _WRAPPERS if isinstance(part.get(key), dict)]
    if not wrappers:
        _add_typed(message, part, path)
        return
    for key in wrappers:
        _WRAPPERS[key](message, part[key], path[key])
    _add_text(message, {"text": part.get("text")}, path)


def _add_typed(message: Message, part: dict[str, Any], path: JsonPath) -> None:
    """Adds a part by its type; a part without a type is text, or recognised by its keys."""
    kind = part.get("type", part.get("kind"))
    entry = _BY_TYPE.get(kind) if isinstance(kind, str) and "type" in part else None
    has_text = any(isinstance(part.get(key), str) for key in _TEXT_KEYS)
    if part.get("type") is None and has_text:
        _add_text(message, part, path)
        return
    if entry is not None and not isinstance(entry, str):
        entry(message, part, path)
        return
    names = [kind] if isinstance(kind, str) else list(part)
    entries = [_BY_TYPE.get(name) for name in names]
    words = [entry for entry in entries if isinstance(entry, str)]
    if words:
        message.ignored.append(words[0])
    elif part:
        message.unknown.append(f"part of type '{kind}'" if kind else f"part with '{names[0]}'")


_ROLES_OF_LANGCHAIN = {"ai": "assistant", "human": "user"}
_INPUT_KEYS = ("messages", "input", "contents", "prompt", "items")  # of the messages in an input
_OUTPUT_KEYS = (  # of the answer in an output
    *("generations", "choices", "candidates", "messages", "message", "output", "content"),
    *("text", "completion", "response"),
)
_INPUT_ROLES = ("user", "human", "system", "tool")  # of messages that are not an answer
_ALTERNATIVES = ("generations", "choices", "candidates")
_MAX_DEPTH = 8  # objects around the answer in the response of a server


def fill_model_span(
    span: Span, inputs: tuple[Any, JsonPath], outputs: tuple[Any, JsonPath], *, failed: bool
) -> None:
    """Fills a model's span: the user's texts, the answer, its calls, earlier calls and results.

    Args:
        span: the span.
        inputs: the recorded input with its path.
        outputs: the recorded output with its path.
        failed: whether the model failed, which counts as an answer.

    Raises:
        FormatError: with the path of the first invalid part of a message.
    """
    span.is_model = True
    prompts, answers = list(_prompts_in(*inputs)), list(_answers_in(*outputs, _MAX_DEPTH))
    for message in prompts:
        span.user_texts += message.texts if message.role in ("user", "human") else []
        span.earlier_calls += [message.calls] if message.calls else []
        span.results += message.results
    for message in answers:
        span.answer = span.answer or next(iter(message.texts), None)
        span.requested_calls += message.calls
        span.results += message.results
    span.has_answer = failed or bool(answers)
    for message in (*prompts, *answers):
        span.note(message.unknown, message.ignored)


def call_that_ran(
    tool: str | None,
    arguments: Any,
    identifier: str | None,
    output: tuple[Any, JsonPath],
    *,
    parsed: bool = True,
    status: chats.Status = None,
    error: Any = None,
    times: tuple[datetime | None, datetime | None] = (None, None),
) -> ToolCall:
    """Returns the call of a tool's span.

    Args:
        tool: the name of the tool, if it has one.
        arguments: the input of the span.
        identifier: the id of the call, if the span has one.
        output: the recorded output with its path: the result, or the tool's message with the
            result, which may have an id, a status and an artifact.
        parsed: whether the arguments could be parsed.
        status: the status of the span; the tool's message may also report a failure.
        error: the error that the span records.
        times: start and end.

    Raises:
        FormatError: with the path of the first invalid part of a message.
    """
    value, path = output
    results = []
    if langchain.is_langchain_message(value):
        results = langchain.SCHEMA.read_message(*langchain.open_message(value, path)).results
    elif openai.is_chat_message(value) and value["role"] in _TOOL_ROLES:
        results = openai.SCHEMA.read_message(value, path).results
    call = ToolCall(tool, arguments, identifier, call_notes(identifier), effect=value)
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


def end_call(call: ToolCall, status: chats.Status, error: Any) -> None:
    """Sets the status of a call from its span; a failure in the span or in the result counts."""
    call.notes.update(drop_nulls({"error": error}))
    call.status = status if status == "error" else call.status or status


def run_of_trace(
    spans: Iterable[Span],
    fields: Mapping[str, Any],
    trace_input: Any,
    trace_output: Any,
    path: JsonPath,
    *,
    reasoning: bool,
) -> Trajectory:
    """Returns the run that the spans of one trace record.

    Args:
        spans: the spans, in any order.
        fields: other fields of the run.
        trace_input: the input of the trace, which is the request if no model has one.
        trace_output: the output of the trace, which is added to the answers of the models.
        path: the path of the trace, for errors.
        reasoning: whether an answer without calls becomes a reasoning step.

    Raises:
        FormatError: if the fields are not those of a trajectory.
    """
    conversation = read_spans(spans, reasoning=reasoning)
    answers = conversation.messages_to_user or ()
    answers = (*answers, *(text for text in _only_text(trace_output) if text not in answers))
    request = conversation.request or _only_text(trace_input)
    texts = {"request": request, "messages_to_user": answers or None}
    return conversation.to_trajectory(path, {**texts, **fields})


def _only_text(value: Any) -> tuple[str, ...]:
    """Returns the text of an object with a single field, if that is a text that is not empty."""
    values = list(value.values()) if isinstance(value, dict) else []
    return (values[0],) if len(values) == 1 and isinstance(values[0], str) and values[0] else ()


def _prompts_in(value: Any, path: JsonPath) -> Iterator[Message]:
    """Yields the input of a model: a text, or messages, which LangChain has in a list of lists."""
    if isinstance(value, dict) and "role" not in value:
        key = _first_key(value, _INPUT_KEYS) or _INPUT_KEYS[0]
        value, path = value.get(key), path[key]
    if isinstance(value, str):
        yield Message("user", [value] if value.strip() else [])
    elif isinstance(value, dict):
        yield _read_any(value, path)
    elif isinstance(value, list):
        if value and isinstance(value[0], list):
            value, path = value[0], path[0]
        for index, item in enumerate(value):
            yield _read_any(item, path[index])


def _first_key(value: dict[str, Any], keys: tuple[str, ...]) -> str | None:
    """Returns the first of these keys with a value."""
    return next((key for key in keys if value.get(key) is not None), None)


def _answers_in(value: Any, path: JsonPath, depth: int) -> Iterator[Message]:
    """Yields the messages in the output of a model.

    The output may be LangChain's generations, the response of a server, or the messages alone.
    """
    if isinstance(value, str):
        yield Message("assistant", [value] if value.strip() else [])
    elif isinstance(value, list):
        for index, item in enumerate(value):  # messages of any role, or parts of one message
            message = _read_any(item, path[index])
            if message.role not in _INPUT_ROLES:
                yield message
    elif isinstance(value, dict) and (langchain.is_langchain_message(value) or "role" in value):
        yield _read_any(value, path)
    elif isinstance(value, dict) and value:
        yield from _inner_answers(value, path, depth)


def _inner_answers(value: dict[str, Any], path: JsonPath, depth: int) -> Iterator[Message]:
    key = _first_key(value, _OUTPUT_KEYS)
    if key is None and "type" in value:
        yield _read_any(value, path)
    elif key is None or depth == 0:
        yield Message("assistant", unknown=["answer of an unknown form"])
    elif key == "content" and isinstance(value[key], list):
        yield read_message({"role": "assistant", "content": value[key]}, path)
    elif key in _ALTERNATIVES:
        answer, answer_path = value[key], path[key]
        while isinstance(answer, list) and answer:  # LangChain has a list of lists
            answer, answer_path = answer[0], answer_path[0]
        if isinstance(answer, dict):
            yield from _answers_in(answer, answer_path, depth - 1)
    else:
        yield from _answers_in(value[key], path[key], depth - 1)


def _read_any(value: Any, path: JsonPath) -> Message:
    """Reads a message, or a single part such as an item of OpenAI's Responses."""
    if langchain.is_langchain_message(value):
        message = langchain.SCHEMA.read_message(*langchain.open_message(value, path))
        message.role = _ROLES_OF_LANGCHAIN.get(message.role or "", message.role)
        return message
    if isinstance(value, dict) and "role" in value:
        return read_message(value, path)
    message = Message("assistant" if isinstance(value, dict) else None)
    add_part(message, value, path)
    return message
