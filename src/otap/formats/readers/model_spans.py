"""The inputs and outputs of the spans of models and tools, where they hold messages.

Tracers write there the messages that the model's own library uses: LangChain's, those of the
server of a model, or a text.
"""

from collections.abc import Iterator
from typing import Any

from otap.formats.dialects import langchain, openai
from otap.formats.json.places import Place
from otap.formats.readers.any_messages import add_part, read_message
from otap.formats.steps.calls import Call, call_notes
from otap.formats.steps.conversation import Conversation
from otap.formats.steps.spans import Span
from otap.formats.steps.tables import Message

_ROLES = {"ai": "assistant", "human": "user"}
_ASKED = ("messages", "input", "contents", "prompt", "items")  # where inputs have the messages
_ANSWERED = (  # where outputs have the answer
    *("generations", "choices", "candidates", "messages", "message", "output", "content"),
    *("text", "completion", "response"),
)
_SEVERAL = ("generations", "choices", "candidates")
_DEPTH = 8  # of an answer in what a server returned


def fill_model_span(span: Span, inputs: tuple[Any, Place], outputs: tuple[Any, Place]) -> None:
    """Fills a model's span: what the user said, what the model answered, which calls it asked for.

    Args:
        span: the span.
        inputs: what the tracer recorded as input, with its place.
        outputs: what it recorded as output, with its place.

    Raises:
        FormatError: with the place of the first thing that no message may hold.
    """
    span.is_model = True
    asked, answered = list(_asked(*inputs)), list(_answers(*outputs, _DEPTH))
    for message in asked:
        span.heard += message.texts if message.role in ("user", "human") else []
        span.results += message.results
    for message in answered:
        span.said = span.said or next(iter(message.texts), None)
        span.asked += message.calls
        span.results += message.results
    span.tells = bool(answered)
    for message in (*asked, *answered):
        span.note(message.unknown, message.ignored)


def call_that_ran(
    tool: str, arguments: Any, identifier: str | None, output: tuple[Any, Place]
) -> Call:
    """Returns the call of a tool's span.

    Args:
        tool: the name of the tool.
        arguments: the input of the span.
        identifier: the id of the call, if the span has one.
        output: what the tracer recorded as output, with its place: the result itself, or the
            message that took it to the model, which may have an id, a status and an artifact.

    Raises:
        FormatError: with the place of the first thing that no message may hold.
    """
    value, place = output
    results = []
    if langchain.is_message(value):
        results = langchain.DIALECT.read_message(*langchain.opened(value, place)).results
    elif openai.is_message(value) and value["role"] in ("tool", "function"):
        results = openai.DIALECT.read_message(value, place).results
    call = Call(tool, arguments, identifier, call_notes(identifier), effect=value)
    for result in results:
        call.id = identifier or result.call_id
        call.notes = {**call_notes(call.id), **dict(result.notes)}
        call.effect, call.status = result.content, result.status
    return call


def single_text(recorded: Any) -> tuple[str, ...]:
    """Returns the one text in what went in, or came out, if there is one and nothing else."""
    values = list(recorded.values()) if isinstance(recorded, dict) else []
    return (values[0],) if len(values) == 1 and isinstance(values[0], str) and values[0] else ()


def told_in(found: Conversation, outputs: Any) -> tuple[str, ...] | None:
    """Returns what was told: by the models, and what came out of the run as a whole."""
    told = found.told or ()
    return (*told, *(text for text in single_text(outputs) if text not in told)) or None


def _asked(value: Any, place: Place) -> Iterator[Message]:
    """Yields what a model was asked: a text, or messages, as a list of lists in LangChain."""
    if isinstance(value, dict) and "role" not in value:
        key = _key_in(value, _ASKED) or _ASKED[0]
        value, place = value.get(key), place[key]
    if isinstance(value, str):
        yield Message("user", [value] if value.strip() else [])
    elif isinstance(value, dict):
        yield _message(value, place)
    elif isinstance(value, list):
        yield from _listed(value, place)


def _listed(value: list[Any], place: Place) -> Iterator[Message]:
    if value and isinstance(value[0], list):
        value, place = value[0], place[0]
    for index, item in enumerate(value):
        yield _message(item, place[index])


def _key_in(value: dict[str, Any], keys: tuple[str, ...]) -> str | None:
    """Returns the first of these keys under which there is anything."""
    return next((key for key in keys if value.get(key) is not None), None)


def _answers(value: Any, place: Place, depth: int) -> Iterator[Message]:
    """Yields what a model answered: in LangChain's generations, in a server's response, or bare."""
    if isinstance(value, str):
        yield Message("assistant", [value] if value.strip() else [])
    elif isinstance(value, list):
        yield from _listed_answers(value, place)
    elif isinstance(value, dict) and (langchain.is_message(value) or "role" in value):
        yield _message(value, place)
    elif isinstance(value, dict) and value:
        yield from _inner_answers(value, place, depth)


def _listed_answers(value: list[Any], place: Place) -> Iterator[Message]:
    """Yields the answers in a list: of messages, of which models say some, or of parts."""
    for index, item in enumerate(value):
        told = _message(item, place[index])
        if told.role not in ("user", "human", "system", "tool"):
            yield told


def _inner_answers(value: dict[str, Any], place: Place, depth: int) -> Iterator[Message]:
    key = _key_in(value, _ANSWERED)
    if key is None and "type" in value:
        yield _message(value, place)
    elif key is None or depth == 0:
        yield Message("assistant", unknown=["answer of an unknown form"])
    elif key == "content" and isinstance(value[key], list):
        yield read_message({"role": "assistant", "content": value[key]}, place)
    elif key in _SEVERAL:
        inner, where = _first(value[key], place[key])
        yield from _answers(inner, where, depth - 1) if isinstance(inner, dict) else ()
    else:
        yield from _answers(value[key], place[key], depth - 1)


def _first(value: Any, place: Place) -> tuple[Any, Place]:
    """Returns the first of several answers, which LangChain has in a list of lists."""
    while isinstance(value, list) and value:
        value, place = value[0], place[0]
    return value, place


def _message(value: Any, place: Place) -> Message:
    """Reads a message, or a part that stands where a message would, as in OpenAI's Responses."""
    if langchain.is_message(value):
        message = langchain.DIALECT.read_message(*langchain.opened(value, place))
        message.role = _ROLES.get(message.role or "", message.role)
        return message
    if isinstance(value, dict) and "role" in value:
        return read_message(value, place)
    message = Message("assistant" if isinstance(value, dict) else None)
    add_part(message, value, place)
    return message
