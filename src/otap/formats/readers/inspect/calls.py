"""The calls of Inspect's messages and tool events, and what came back."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Literal

from otap.formats.json.places import Place
from otap.formats.json.times import moment
from otap.formats.steps.calls import Call, Result, call_notes, made_call
from otap.formats.steps.content import Noting, is_text, joined, note_part, said

_ATTACHMENT = "attachment://"
_NOT_NOTED = ("text", "tool_use", "data")  # a call of the provider's own is read with the calls


def resolve_attachments(value: Any, attachments: Mapping[str, Any]) -> Any:
    """Returns ``value`` with each reference replaced by the long text that is kept apart."""
    if isinstance(value, str) and value.startswith(_ATTACHMENT):
        return attachments.get(value.removeprefix(_ATTACHMENT), value)
    if isinstance(value, list):
        return [resolve_attachments(item, attachments) for item in value]
    if isinstance(value, dict):
        return {key: resolve_attachments(item, attachments) for key, item in value.items()}
    return value


def text_of_content(content: Any, place: Place, noting: Noting | None = None) -> str | None:
    """Returns the text of a message's content; pictures and thoughts are left out.

    Args:
        content: the content.
        place: where it stands.
        noting: who is told of the parts that are left out.

    Raises:
        FormatError: if it is no content, or a part is no object.
    """
    return next(iter(said(content, place, partial(_text_of_part, noting))), None)


def _text_of_part(noting: Noting | None, part: Any, place: Place) -> str | None:
    """Returns the text of a part of type "text"; in the logs of tools it may be anything else."""
    if is_text(place.object(part), "text"):
        return part["text"] or None
    if noting is not None and part.get("type") not in _NOT_NOTED:
        note_part(noting, part.get("type"))
    return None


def part_of(value: Mapping[str, Any], key: str, place: Place) -> dict[str, Any]:
    """Returns an object that stands inside another; an empty one where it is null or left out.

    Args:
        value: the outer object.
        key: where the inner one stands in it.
        place: the place of the outer one.

    Raises:
        FormatError: if something else stands there.
    """
    found = value.get(key)
    return {} if found is None else place[key].object(found)


def calls_in_message(message: Mapping[str, Any], place: Place) -> Iterator[Call]:
    """Yields the calls of one message: those that the provider itself answered, and the others.

    Raises:
        FormatError: with the place of the first thing that no message may hold.
    """
    content = message.get("content")
    for part, where in place["content"].objects(content) if isinstance(content, list) else ():
        if part.get("type") == "tool_use":
            yield _read_answered_call(part, where)
    for call, where in place["tool_calls"].objects(message.get("tool_calls")):
        yield _read_call(call, where)


def _read_call(value: dict[str, Any], place: Place) -> Call:
    identifier = place.label_in(value, "id")
    notes = call_notes(identifier)
    if value.get("parse_error") is not None:
        notes["arguments_unparsed"] = True
    return Call(
        place["function"].text(value.get("function")), value.get("arguments"), identifier, notes
    )


def _read_answered_call(value: dict[str, Any], place: Place) -> Call:
    identifier, name = place.label_in(value, "id"), place["name"].text(value.get("name"))
    call = made_call(name, value.get("arguments"), identifier, place["name"])
    call.effect = joined(value.get("result"), "text")
    if value.get("error") is not None:
        call.status, call.effect = "error", call.effect or value["error"]
    return call


def call_of_event(value: dict[str, Any], place: Place) -> Call:
    """Returns the call of a tool's event; one that is pending has no result.

    Raises:
        FormatError: with the place of the first thing that no event may hold.
    """
    call = _read_call(value, place)
    call.started_at = moment(value.get("timestamp"), place["timestamp"])
    call.ended_at = moment(value.get("completed"), place["completed"])
    if value.get("pending") is not True:
        call.effect, call.status = _effect_and_status(value, "result", place)
    if value.get("failed") is True:
        call.status = "error"
    elif call.status is None and call.ended_at is not None:
        call.status = "ok"
    return call


def _effect_and_status(
    value: Mapping[str, Any], key: str, place: Place
) -> tuple[Any, Literal["error"] | None]:
    """Returns a result and its status; of a call that failed, its message if nothing else."""
    effect, error = joined(value.get(key), "text"), value.get("error")
    if error is None:
        return effect, None
    message = place["error"].object(error).get("message")
    return (message if effect in (None, "") else effect), "error"


def results_in(value: Mapping[str, Any], key: str, place: Place) -> Iterator[Result]:
    """Yields the results that the messages of tools hold, of the messages under a key.

    Raises:
        FormatError: if one's error is no object, or its id no text.
    """
    for message, where in place[key].objects(value.get(key)):
        if message.get("role") == "tool":
            yield read_result(message, where)


def read_result(message: dict[str, Any], place: Place) -> Result:
    """Returns the result that the message of a tool is.

    Raises:
        FormatError: if its error is no object, or its id no text.
    """
    content, status = _effect_and_status(message, "content", place)
    name, identifier = message.get("function"), place.label_in(message, "tool_call_id")
    return Result(identifier, name if isinstance(name, str) else None, content, status)
