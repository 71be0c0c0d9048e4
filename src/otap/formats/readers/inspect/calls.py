"""The calls of Inspect's messages and tool events, and what came back."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from otap.formats.json.places import Place
from otap.formats.json.times import moment
from otap.formats.steps.calls import Call, Result, call_notes, made_call
from otap.formats.steps.content import Noting, is_text, joined, note_part, said

_ATTACHMENT = "attachment://"
_NOT_NOTED = ("text", "tool_use", "data")  # a call of the provider's own is read with the calls


@dataclass(frozen=True)
class Texts:
    """The texts of one sample; long ones are kept apart, and referred to."""

    attachments: Mapping[str, Any]

    def resolved(self, value: Any) -> Any:
        """Returns ``value`` with each reference replaced by what it refers to."""
        if isinstance(value, str) and value.startswith(_ATTACHMENT):
            return self.attachments.get(value.removeprefix(_ATTACHMENT), value)
        if isinstance(value, list):
            return [self.resolved(item) for item in value]
        if isinstance(value, dict):
            return {key: self.resolved(item) for key, item in value.items()}
        return value

    def said(self, content: Any, place: Place, noting: Noting | None = None) -> str | None:
        """Returns the text of a message's content; pictures and thoughts are left out.

        Args:
            content: the content.
            place: where it stands.
            noting: who is told of the parts that are left out.

        Raises:
            FormatError: if it is no content, or a part is no object.
        """
        text_in = partial(_part_text, noting)
        return next(iter(said(self.resolved(content), place, text_in)), None)

    def effect(self, content: Any) -> Any:
        """Returns a result as it was recorded; a list of texts is their text."""
        return joined(self.resolved(content), "text")


def _part_text(noting: Noting | None, part: Any, place: Place) -> str | None:
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


def listed(value: Mapping[str, Any], key: str, place: Place) -> list[tuple[dict[str, Any], Place]]:
    """Returns the objects of a list with their places; none where it is null or left out.

    Args:
        value: the object that holds the list.
        key: where the list stands in it.
        place: the place of that object.

    Raises:
        FormatError: if it is no list of objects.
    """
    return list(place[key].objects(value.get(key)))


def asked_in(message: Mapping[str, Any], place: Place, texts: Texts) -> list[Call]:
    """Returns the calls of one message: those that the provider itself answered, and the others.

    Args:
        message: a message of Inspect's.
        place: where it stands.
        texts: the attachments of its sample.

    Raises:
        FormatError: with the place of the first thing that no message may hold.
    """
    content = message.get("content")
    parts = listed(message, "content", place) if isinstance(content, list) else []
    calls = [_answered(part, at, texts) for part, at in parts if part.get("type") == "tool_use"]
    return calls + [_call(c, where, texts) for c, where in listed(message, "tool_calls", place)]


def _call(value: Mapping[str, Any], place: Place, texts: Texts) -> Call:
    identifier = place["id"].label(value.get("id"))
    notes = call_notes(identifier)
    if value.get("parse_error") is not None:
        notes["arguments_unparsed"] = True
    tool = place["function"].text(value.get("function"))
    return Call(tool, texts.resolved(value.get("arguments")), identifier, notes)


def _answered(value: Mapping[str, Any], place: Place, texts: Texts) -> Call:
    identifier = place["id"].label(value.get("id"))
    name, arguments = place["name"].text(value.get("name")), texts.resolved(value.get("arguments"))
    call = made_call(name, arguments, identifier, place["name"])
    call.effect = texts.effect(value.get("result"))
    if value.get("error") is not None:
        call.status, call.effect = "error", call.effect or texts.resolved(value["error"])
    return call


def executed(value: Mapping[str, Any], place: Place, texts: Texts) -> Call:
    """Returns the call of a tool's event; one that is pending has no result.

    Args:
        value: the event.
        place: where it stands.
        texts: the attachments of its sample.

    Raises:
        FormatError: with the place of the first thing that no event may hold.
    """
    call = _call(value, place, texts)
    call.started_at = moment(value.get("timestamp"), place["timestamp"])
    call.ended_at = moment(value.get("completed"), place["completed"])
    if value.get("pending") is not True:
        call.effect, call.status = _came_back(value, "result", place, texts)
    if value.get("failed") is True:
        call.status = "error"
    elif call.status is None and call.ended_at is not None:
        call.status = "ok"
    return call


def _came_back(
    value: Mapping[str, Any], key: str, place: Place, texts: Texts
) -> tuple[Any, Literal["error"] | None]:
    """Returns a result and its status; of a call that failed, its message if nothing else."""
    effect = texts.effect(value.get(key))
    error = value.get("error")
    if error is None:
        return effect, None
    message = texts.resolved(place["error"].object(error).get("message"))
    return (message if effect in (None, "") else effect), "error"


def result_in(message: Mapping[str, Any], place: Place, texts: Texts) -> Result | None:
    """Returns the result that a message of a tool holds; none of any other message.

    Args:
        message: a message of Inspect's.
        place: where it stands.
        texts: the attachments of its sample.

    Raises:
        FormatError: if its error is no object, or its id no text.
    """
    if message.get("role") != "tool":
        return None
    content, status = _came_back(message, "content", place, texts)
    name, identifier = message.get("function"), place["tool_call_id"]
    called = identifier.label(message.get("tool_call_id"))
    return Result(called, name if isinstance(name, str) else None, content, status)
