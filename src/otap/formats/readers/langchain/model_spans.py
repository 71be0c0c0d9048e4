"""The inputs and outputs of the spans of models and tools, where they hold messages.

Tracers write there the messages that the model's own library uses: LangChain's, or OpenAI's.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from otap.formats.json.places import Place
from otap.formats.readers.langchain import messages as langchain
from otap.formats.readers.openai.messages import is_message
from otap.formats.steps.calls import Call, call_notes, calls_of
from otap.formats.steps.content import joined
from otap.formats.steps.conversation import Conversation
from otap.formats.steps.spans import Result, Span

_SPEAKERS = {"assistant": "ai", "user": "human", "tool": "tool", "function": "tool"}


@dataclass(frozen=True, slots=True)
class Message:
    """One message; who speaks is one of LangChain's kinds."""

    speaker: str | None
    fields: dict[str, Any]
    place: Place
    of_langchain: bool

    def calls(self) -> list[Call]:
        """Returns the calls that it makes."""
        read = langchain.calls_in if self.of_langchain else calls_of
        return read(self.fields, self.place)

    def texts(self) -> list[str]:
        """Returns what it says."""
        return langchain.texts_of(self.fields.get("content"), self.place["content"])

    def result(self) -> Result:
        """Returns what it says of a call, as a tool's message."""
        call_id = self.place["tool_call_id"].label(self.fields.get("tool_call_id"))
        name = self.place["name"].label(self.fields.get("name"))
        status = self.fields.get("status") if self.of_langchain else None
        content = joined(self.fields.get("content"))
        return Result(call_id, name, content, langchain.status_of(status, self.place["status"]))


def message_of(value: Any, place: Place) -> Message | None:
    """Returns a message, or nothing where it is none: inputs and outputs may be anything."""
    if langchain.is_message(value):
        speaker, fields, where = langchain.opened(value, place)
        return Message(speaker, fields, where, True)
    if is_message(value):
        return Message(_SPEAKERS.get(value["role"]), value, place, False)
    return None


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
    for message in _messages(*inputs):
        if message.speaker == "human":
            span.heard += message.texts()
        elif message.speaker in ("tool", "function"):
            span.results.append(message.result())
    for message in _answers(*outputs):
        span.said = span.said or next(iter(message.texts()), None)
        span.asked += message.calls()


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
    told = message_of(value, place)
    if told is None or told.speaker != "tool":
        return Call(tool, arguments, identifier, call_notes(identifier), effect=value)
    result = told.result()
    identifier = identifier or result.call_id
    notes = call_notes(identifier)
    if told.fields.get("artifact") is not None:
        notes["artifact"] = told.fields["artifact"]
    effect, status = result.content, result.status
    return Call(tool, arguments, identifier, notes, effect=effect, status=status)


def single_text(recorded: Any) -> tuple[str, ...]:
    """Returns the one text in what went in, or came out, if there is one and nothing else."""
    values = list(recorded.values()) if isinstance(recorded, dict) else []
    return (values[0],) if len(values) == 1 and isinstance(values[0], str) and values[0] else ()


def told_in(found: Conversation, outputs: Any) -> tuple[str, ...] | None:
    """Returns what was told: by the models, and what came out of the run as a whole."""
    told = found.told or ()
    return (*told, *(text for text in single_text(outputs) if text not in told)) or None


def _answers(outputs: Any, place: Place) -> Iterator[Message]:
    """Returns the answers: of LangChain's generations, or OpenAI's choices, the first."""
    for key in ("generations", "choices"):
        value, where = outputs.get(key) if isinstance(outputs, dict) else None, place[key]
        while isinstance(value, list) and value:
            value, where = value[0], where[0]
        found = value.get("message") if isinstance(value, dict) else None
        message = message_of(found, where["message"])
        if message is not None:
            yield message
            return
    yield from (message for message in _messages(outputs, place) if message.speaker == "ai")


def _messages(value: Any, place: Place) -> Iterator[Message]:
    """Returns the messages of inputs or outputs; a chat model of LangChain has a list of lists."""
    value, place = value.get("messages") if isinstance(value, dict) else None, place["messages"]
    if isinstance(value, list) and value and isinstance(value[0], list):
        value, place = value[0], place[0]
    for index, item in enumerate(value if isinstance(value, list) else ()):
        message = message_of(item, place[index])
        if message is not None:
            yield message
