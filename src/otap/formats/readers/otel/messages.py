"""What went into a model and came out of it, in the ways in which tracers write messages."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from otap.formats.json.paths import JsonPath
from otap.formats.readers.model_spans import add_calls, add_part, read_message
from otap.formats.readers.otel.attributes import parse_object
from otap.formats.readers.otel.envelopes import Event, RawSpan
from otap.formats.steps.calls import Result
from otap.formats.steps.content import list_at, parse_inner, unless_blank, value_at
from otap.formats.steps.tables import Message, value_in

# What older tracers and Google's call each side of a model, and the events that tell of it.
_SIDES: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "input": (
        "prompt",
        "llm_request",
        ("gen_ai.user.message", "gen_ai.assistant.message", "gen_ai.tool.message"),
    ),
    "output": ("completion", "llm_response", ("gen_ai.choice",)),
}
_JSON = ("gen_ai.prompt", "gen_ai.completion")  # whose messages have their parts as JSON
_CUT = "messages that are no JSON"
_TOOL_OUTPUT = {"tool_name", "raw_input", "raw_output", "is_error"}  # of LlamaIndex


def defined_in(span: RawSpan) -> Iterator[Any]:
    """Yields the definitions of the tools that a model was given."""
    for key in ("gen_ai.tool.definitions", "model_request_parameters"):
        yield span.attributes.get(key)
    given = span.attributes.get("ai.prompt.tools")
    yield [parse_inner(each) for each in given] if isinstance(given, list) else given
    for _, fields in _indexed(span.attributes, "llm.tools"):
        yield fields.get("tool.json_schema")
    settings = parse_object(span.attributes.get("gcp.vertex.agent.llm_request")).get("config")
    if isinstance(settings, dict):
        yield settings.get("tools")


def told_of_tool(span: RawSpan) -> tuple[Any, Any]:
    """Returns arguments and result of a tool's span from its messages, where Strands has them."""
    asked, answered = messages_of(span, "input"), messages_of(span, "output")
    calls = (call.arguments for message in asked for call in message.calls)
    results = (result.content for message in answered for result in message.results)
    told = {event.name: event.attributes for event in span.events}
    arguments = next(calls, told.get("gen_ai.tool.message", {}).get("content"))
    effect = next(results, told.get("gen_ai.choice", {}).get("message"))
    if arguments is None:
        arguments = next(_contents(asked), None)
    return arguments, next(_contents(answered), None) if effect is None else effect


def _contents(messages: Iterable[Message]) -> Iterator[Any]:
    """Yields what messages hold, whatever it is."""
    for message in messages:
        yield from (result.content for result in message.results)
        yield from message.texts


_WHOLE = "pydantic_ai.all_messages"


def messages_of(span: RawSpan, side: str) -> list[Message]:
    """Returns the input, or the output, of a model or an agent.

    It is read in the first known way that the span uses; it may use several. Where none of them
    is understood, what was not is returned.
    """
    unclear: list[Message] = []
    for found in _ways(span, side, *_SIDES[side]):
        if any(message.items for message in found):
            return found
        unclear = unclear or found
    return unclear


def _ways(
    span: RawSpan, side: str, older: str, google: str, events: tuple[str, ...]
) -> Iterator[list[Message]]:
    attributes, place = span.attributes, span.place["attributes"]
    happened = [*span.events, *_written_events(span)]
    for at, where in ((attributes, place), *((e.attributes, e.place) for e in happened)):
        for name in (f"gen_ai.{side}.messages", f"gen_ai.{older}"):
            yield _messages(at.get(name), where[name])
    for prefix in (f"llm.{side}_messages", f"gen_ai.{older}"):
        yield _indexed_messages(attributes, prefix, place)
    yield _google(attributes.get(f"gcp.vertex.agent.{google}"), place[f"gcp.vertex.agent.{google}"])
    yield _of_vercel_in(span) if side == "input" else _of_vercel_out(span)
    yield [_message_of_event(event) for event in happened if event.name in events]
    for event in happened:
        yield _logged(event, side)
    if side == "input":  # of Pydantic AI's agents, whose models may be traced without content
        yield _messages(attributes.get(_WHOLE), place[_WHOLE])


def _written_events(span: RawSpan) -> Iterator[Event]:
    """Yields the events that Pydantic AI writes into an attribute, in its first versions."""
    for key in ("events", "all_messages_events"):
        place = span.place["attributes"][key]
        for number, value in enumerate(list_at(parse_inner(span.attributes.get(key)))):
            name = value_at(value, ("event.name",))
            if isinstance(name, str):
                yield Event(name, value, place[number])


def _google(value: Any, place: JsonPath) -> list[Message]:
    """Reads a request of Google's, which has ``contents``, or a response, which has one."""
    written = parse_object(value)
    content = written.get("content")
    if isinstance(content, dict):
        return [read_message({"role": "model", **content}, place["content"])]
    return _messages(written.get("contents"), place["contents"])


def _of_vercel_in(span: RawSpan) -> list[Message]:
    """Reads what Vercel's SDK was asked: a model's messages, or the prompt of the whole."""
    attributes, place = span.attributes, span.place["attributes"]
    key = "ai.prompt.messages"
    if attributes.get(key) is not None:
        return _messages(attributes[key], place[key])
    whole = parse_object(attributes.get("ai.prompt"))
    asked = value_in(whole, ("prompt", "messages"))
    if isinstance(asked, str):
        return [Message("user", [asked])]
    return _messages(asked, place["ai.prompt"])


def _of_vercel_out(span: RawSpan) -> list[Message]:
    """Reads what Vercel's SDK was answered; older versions write ``result`` for response."""
    attributes, place = span.attributes, span.place["attributes"]
    message = Message("assistant")
    for key in ("ai.response", "ai.result"):
        message.items += unless_blank(attributes.get(f"{key}.text"))
        message.items += unless_blank(attributes.get(f"{key}.object"))
        written = attributes.get(f"{key}.toolCalls")
        add_calls(message, parse_inner(written), place[f"{key}.toolCalls"])
        message.unknown += [_CUT] if written is not None and parse_inner(written) is None else []
    return [message]


def _messages(value: Any, place: JsonPath) -> list[Message]:
    """Reads a list of messages, or one, that may be JSON in a text."""
    parsed = parse_inner(value)
    if isinstance(parsed, dict) and "role" in parsed:
        parsed = [parsed]
    if not isinstance(parsed, list):
        return [] if value is None else [Message(None, unknown=[_CUT])]
    return [_any_message(message, place[index]) for index, message in enumerate(parsed)]


def _any_message(value: Any, place: JsonPath) -> Message:
    if isinstance(value, dict):
        return read_message(value, place)
    return Message(None, unknown=["message that is no object"])


def _logged(event: Event, side: str) -> list[Message]:
    """Reads the messages that AWS keeps in the body of a log record."""
    listed, place = list_at(event.attributes, side, "messages"), event.place[side]["messages"]
    return [_message_with_inner_content(each, place[n]) for n, each in enumerate(listed)]


def _message_with_inner_content(value: Any, place: JsonPath) -> Message:
    """Reads a message whose content may have its content, or message, inside as JSON in a text."""
    if not isinstance(value, dict):
        return _any_message(value, place)
    content = value.get("content")
    around = content if isinstance(content, dict) else {}
    inner = around.get("content", around.get("message", None if around else content))
    parsed = parse_inner(inner)
    message = read_message(
        {
            "role": around.get("role", value.get("role")),
            "content": parsed if isinstance(parsed, list) else inner,
            "id": around.get("id"),
        },
        place,
    )
    for number, part in enumerate(list_at(parse_inner(around.get("tool.result")))):
        add_part(message, part, place["tool.result"][number])
    return message


def _message_of_event(event: Event) -> Message:
    """Reads an event of the older kind; a choice has its message inside."""
    inside = parse_object(event.attributes.get("gen_ai.event.content"))
    fields = {**event.attributes, **inside}
    fields |= parse_object(fields.get("message"))
    written = fields.get("message")
    if isinstance(written, str):
        fields.setdefault("content", written)
    told = {"content": fields.get("content"), "tool_calls": fields.get("tool_calls")}
    lists = {key: list_at(parse_inner(value)) for key, value in told.items()}
    lists["content"] = list_at(parse_inner(written)) or lists["content"]
    fields |= {key: listed for key, listed in lists.items() if listed}
    spoken = event.name.split(".")[1]
    fields.setdefault("role", "assistant" if spoken == "choice" else spoken)
    return read_message(fields, event.place)


def _indexed_messages(attributes: Mapping[str, Any], prefix: str, place: JsonPath) -> list[Message]:
    """Reads messages that are spread over attributes, as OpenLLMetry and OpenInference do it.

    ``message.contents`` may repeat the calls; only its texts are read.
    """
    found = []
    for index, told in _indexed(attributes, prefix):
        fields = {key.removeprefix("message."): value for key, value in told.items()}
        calls = [_flat_call(call) for _, call in _indexed(fields, "tool_calls")]
        if name := fields.get("function_call_name"):
            arguments = fields.get("function_call_arguments_json")
            calls.append({"function": {"name": name, "arguments": arguments}})
        texts = [part.get("message_content.text") for _, part in _indexed(fields, "contents")]
        texts += [part[""] for _, part in _indexed(fields, "content") if "" in part]
        content = fields.get("content", texts or None)
        parts = list_at(parse_inner(content)) if prefix in _JSON else []
        message = {
            "role": fields.get("role"),
            "content": parts if parts and all(isinstance(p, dict) for p in parts) else content,
            "tool_call_id": fields.get("tool_call_id"),
            "tool_calls": calls,
        }
        found.append(read_message(message, place[f"{prefix}.{index}"]))
    return found


def _flat_call(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a call as OpenAI writes it."""
    bare = {key.removeprefix("tool_call.").removeprefix("function."): fields[key] for key in fields}
    function = {"name": bare.get("name"), "arguments": bare.get("arguments")}
    return {"id": bare.get("id"), "function": function}


def _indexed(attributes: Mapping[str, Any], prefix: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Returns what stands under ``prefix.0.``, ``prefix.1.`` and so on, in this order."""
    found: dict[int, dict[str, Any]] = {}
    for key, value in attributes.items():
        if key.startswith(f"{prefix}."):
            number, _, rest = key[len(prefix) + 1 :].partition(".")
            if number.isdecimal() and len(number) < 8:
                found.setdefault(int(number), {})[rest] = value
    yield from sorted(found.items())


def result_in(effect: Any) -> Result:
    """Returns what a tool's result says of itself: by a flag, or as a message of LangChain.

    The span around it may well be ok where the tool was not.
    """
    value, content = _unwrapped(parse_object(effect), effect)
    identifier = value.get("tool_call_id") if "content" in value else None
    failed = True in (value.get("isError"), value.get("is_error"))
    failed = failed or bool(identifier and value.get("status") == "error")
    call_id = identifier if isinstance(identifier, str) else None
    return Result(call_id, None, content, "error" if failed else None)


def _unwrapped(value: dict[str, Any], effect: Any) -> tuple[dict[str, Any], Any]:
    """Returns what has the flags of a result, and the result without what is around it."""
    if value.get("lc") == 1 and isinstance(value.get("kwargs"), dict):
        return value["kwargs"], value["kwargs"].get("content")
    if isinstance(value.get("data"), dict) and value.get("type") == "tool":
        return value["data"], value["data"].get("content", effect)
    return value, value["raw_output"] if value.keys() >= _TOOL_OUTPUT else effect
