"""Reads the inputs and outputs of models, in the forms in which tracers record messages."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from otap.formats.chats import Message, value_in
from otap.formats.content import list_at, parse_inner, unless_blank, value_at
from otap.formats.json.paths import JsonPath
from otap.formats.readers.model_spans import add_calls, add_part, read_message
from otap.formats.readers.otel_attributes import parse_object
from otap.formats.readers.otel_envelopes import Event, RawSpan
from otap.formats.tool_calls import ToolResult

# For each side of a model: its names in older tracers and in Google's, and its events.
_SIDES: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "input": (
        "prompt",
        "llm_request",
        ("gen_ai.user.message", "gen_ai.assistant.message", "gen_ai.tool.message"),
    ),
    "output": ("completion", "llm_response", ("gen_ai.choice",)),
}
_JSON_PARTS = ("gen_ai.prompt", "gen_ai.completion")  # messages with their parts as JSON
_NOT_JSON = "messages that are not JSON"
_ALL_MESSAGES = "pydantic_ai.all_messages"
_TOOL_OUTPUT = {"tool_name", "raw_input", "raw_output", "is_error"}  # of LlamaIndex


def defined_in(span: RawSpan) -> Iterator[Any]:
    """Yields the tool definitions that a model received."""
    for key in ("gen_ai.tool.definitions", "model_request_parameters"):
        yield span.attributes.get(key)
    tools = span.attributes.get("ai.prompt.tools")
    yield [parse_inner(tool) for tool in tools] if isinstance(tools, list) else tools
    for _, fields in _indexed(span.attributes, "llm.tools"):
        yield fields.get("tool.json_schema")
    settings = parse_object(span.attributes.get("gcp.vertex.agent.llm_request")).get("config")
    if isinstance(settings, dict):
        yield settings.get("tools")


def arguments_and_result(span: RawSpan) -> tuple[Any, Any]:
    """Returns the arguments and the result in the messages of a tool's span, as in Strands."""
    inputs, outputs = messages_of(span, "input"), messages_of(span, "output")
    calls = (call.arguments for message in inputs for call in message.calls)
    results = (result.content for message in outputs for result in message.results)
    events = {event.name: event.attributes for event in span.events}
    arguments = next(calls, events.get("gen_ai.tool.message", {}).get("content"))
    effect = next(results, events.get("gen_ai.choice", {}).get("message"))
    if arguments is None:
        arguments = next(_contents(inputs), None)
    return arguments, next(_contents(outputs), None) if effect is None else effect


def _contents(messages: Iterable[Message]) -> Iterator[Any]:
    """Yields the results and texts of messages."""
    for message in messages:
        yield from (result.content for result in message.results)
        yield from message.texts


def messages_of(span: RawSpan, side: str) -> list[Message]:
    """Returns the input or the output of a model or an agent.

    A span may record its messages in several forms. The first form with content counts. If none
    has any, the first form with something unknown counts.
    """
    unread: list[Message] = []
    for messages in _forms(span, side, *_SIDES[side]):
        if any(message.items for message in messages):
            return messages
        unread = unread or messages
    return unread


def _forms(
    span: RawSpan, side: str, older: str, google: str, event_names: tuple[str, ...]
) -> Iterator[list[Message]]:
    attributes, path = span.attributes, span.path["attributes"]
    events = [*span.events, *_events_in_attributes(span)]
    sources = [(attributes, path), *((event.attributes, event.path) for event in events)]
    for source, source_path in sources:
        for name in (f"gen_ai.{side}.messages", f"gen_ai.{older}"):
            yield _messages(source.get(name), source_path[name])
    for prefix in (f"llm.{side}_messages", f"gen_ai.{older}"):
        yield _indexed_messages(attributes, prefix, path)
    google_key = f"gcp.vertex.agent.{google}"
    yield _google(attributes.get(google_key), path[google_key])
    yield _vercel_input(span) if side == "input" else _vercel_output(span)
    yield [_message_of_event(event) for event in events if event.name in event_names]
    for event in events:
        yield _messages_in_record(event, side)
    if side == "input":  # agents of Pydantic AI, which may trace models without content
        yield _messages(attributes.get(_ALL_MESSAGES), path[_ALL_MESSAGES])


def _events_in_attributes(span: RawSpan) -> Iterator[Event]:
    """Yields the events that early versions of Pydantic AI record in an attribute."""
    for key in ("events", "all_messages_events"):
        path = span.path["attributes"][key]
        for index, event in enumerate(list_at(parse_inner(span.attributes.get(key)))):
            name = value_at(event, ("event.name",))
            if isinstance(name, str):
                yield Event(name, event, path[index])


def _google(value: Any, path: JsonPath) -> list[Message]:
    """Reads a request to Google's API, with ``contents``, or a response, with ``content``."""
    body = parse_object(value)
    content = body.get("content")
    if isinstance(content, dict):
        return [read_message({"role": "model", **content}, path["content"])]
    return _messages(body.get("contents"), path["contents"])


def _vercel_input(span: RawSpan) -> list[Message]:
    """Reads the messages of a model of Vercel's SDK, or the prompt of the whole call."""
    attributes, path = span.attributes, span.path["attributes"]
    key = "ai.prompt.messages"
    if attributes.get(key) is not None:
        return _messages(attributes[key], path[key])
    prompt = value_in(parse_object(attributes.get("ai.prompt")), ("prompt", "messages"))
    if isinstance(prompt, str):
        return [Message("user", [prompt])]
    return _messages(prompt, path["ai.prompt"])


def _vercel_output(span: RawSpan) -> list[Message]:
    """Reads an answer of Vercel's SDK; older versions have ``result`` instead of ``response``."""
    attributes, path = span.attributes, span.path["attributes"]
    message = Message("assistant")
    for key in ("ai.response", "ai.result"):
        message.items += unless_blank(attributes.get(f"{key}.text"))
        message.items += unless_blank(attributes.get(f"{key}.object"))
        calls_json = attributes.get(f"{key}.toolCalls")
        calls = parse_inner(calls_json)
        add_calls(message, calls, path[f"{key}.toolCalls"])
        message.unknown += [_NOT_JSON] if calls_json is not None and calls is None else []
    return [message]


def _messages(value: Any, path: JsonPath) -> list[Message]:
    """Reads a list of messages, or one message, possibly as JSON in a text."""
    parsed = parse_inner(value)
    if isinstance(parsed, dict) and "role" in parsed:
        parsed = [parsed]
    if not isinstance(parsed, list):
        return [] if value is None else [Message(None, unknown=[_NOT_JSON])]
    return [_read_if_object(message, path[index]) for index, message in enumerate(parsed)]


def _read_if_object(value: Any, path: JsonPath) -> Message:
    if isinstance(value, dict):
        return read_message(value, path)
    return Message(None, unknown=["message that is not an object"])


def _messages_in_record(event: Event, side: str) -> list[Message]:
    """Reads the messages that AWS keeps in the body of a log record."""
    path = event.path[side]["messages"]
    messages = list_at(event.attributes, side, "messages")
    return [_message_in_record(message, path[index]) for index, message in enumerate(messages)]


def _message_in_record(value: Any, path: JsonPath) -> Message:
    """Reads a message whose content may be an object with its content or message, also as JSON."""
    if not isinstance(value, dict):
        return _read_if_object(value, path)
    content = value.get("content")
    outer = content if isinstance(content, dict) else {}
    inner = outer.get("content", outer.get("message", None if outer else content))
    parsed = parse_inner(inner)
    message = read_message(
        {
            "role": outer.get("role", value.get("role")),
            "content": parsed if isinstance(parsed, list) else inner,
            "id": outer.get("id"),
        },
        path,
    )
    for index, part in enumerate(list_at(parse_inner(outer.get("tool.result")))):
        add_part(message, part, path["tool.result"][index])
    return message


def _message_of_event(event: Event) -> Message:
    """Reads an event of the older kind; a choice contains its message."""
    fields = {**event.attributes, **parse_object(event.attributes.get("gen_ai.event.content"))}
    fields |= parse_object(fields.get("message"))
    text = fields.get("message")
    if isinstance(text, str):
        fields.setdefault("content", text)
    # Lists may be JSON in a text.
    parts = list_at(parse_inner(text)) or list_at(parse_inner(fields.get("content")))
    calls = list_at(parse_inner(fields.get("tool_calls")))
    if parts:
        fields["content"] = parts
    if calls:
        fields["tool_calls"] = calls
    role = event.name.split(".")[1]
    fields.setdefault("role", "assistant" if role == "choice" else role)
    return read_message(fields, event.path)


def _indexed_messages(attributes: Mapping[str, Any], prefix: str, path: JsonPath) -> list[Message]:
    """Reads messages whose fields are attributes, as in OpenLLMetry and OpenInference.

    ``message.contents`` may repeat the calls. Only its texts are read.
    """
    messages = []
    for index, message_attributes in _indexed(attributes, prefix):
        fields = {key.removeprefix("message."): value for key, value in message_attributes.items()}
        calls = [_flat_call(call) for _, call in _indexed(fields, "tool_calls")]
        name = fields.get("function_call_name")
        if name:
            arguments = fields.get("function_call_arguments_json")
            calls.append({"function": {"name": name, "arguments": arguments}})
        texts = [part.get("message_content.text") for _, part in _indexed(fields, "contents")]
        texts += [part[""] for _, part in _indexed(fields, "content") if "" in part]
        content = fields.get("content", texts or None)
        parts = list_at(parse_inner(content)) if prefix in _JSON_PARTS else []
        if parts and all(isinstance(part, dict) for part in parts):
            content = parts
        message = {
            "role": fields.get("role"),
            "content": content,
            "tool_call_id": fields.get("tool_call_id"),
            "tool_calls": calls,
        }
        messages.append(read_message(message, path[f"{prefix}.{index}"]))
    return messages


def _flat_call(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a call in OpenAI's form."""
    bare = {key.removeprefix("tool_call.").removeprefix("function."): fields[key] for key in fields}
    function = {"name": bare.get("name"), "arguments": bare.get("arguments")}
    return {"id": bare.get("id"), "function": function}


def _indexed(attributes: Mapping[str, Any], prefix: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yields the attributes under ``prefix.0.``, ``prefix.1.`` and so on, in order."""
    by_index: dict[int, dict[str, Any]] = {}
    for key, value in attributes.items():
        if key.startswith(f"{prefix}."):
            index, _, name = key[len(prefix) + 1 :].partition(".")
            if index.isdecimal() and len(index) < 8:
                by_index.setdefault(int(index), {})[name] = value
    yield from sorted(by_index.items())


def result_in(effect: Any) -> ToolResult:
    """Returns a tool's result with its own status, from a flag or from a message of LangChain.

    The span may have status ok although the tool failed.
    """
    fields, content = _unwrapped(parse_object(effect), effect)
    identifier = fields.get("tool_call_id") if "content" in fields else None
    failed = True in (fields.get("isError"), fields.get("is_error"))
    failed = failed or bool(identifier and fields.get("status") == "error")
    call_id = identifier if isinstance(identifier, str) else None
    return ToolResult(call_id, None, content, "error" if failed else None)


def _unwrapped(value: dict[str, Any], effect: Any) -> tuple[dict[str, Any], Any]:
    """Returns the object with the flags of a result, and the result without its wrapper."""
    if value.get("lc") == 1 and isinstance(value.get("kwargs"), dict):
        return value["kwargs"], value["kwargs"].get("content")
    if isinstance(value.get("data"), dict) and value.get("type") == "tool":
        return value["data"], value["data"].get("content", effect)
    return value, value["raw_output"] if value.keys() >= _TOOL_OUTPUT else effect
