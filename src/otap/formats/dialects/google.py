"""Contents of Google's models and agents: one table for both spellings of their keys."""

import re
from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from otap.formats.json.places import Place
from otap.formats.steps import tables
from otap.formats.steps.calls import Call, Result, call_notes

MODEL = "model"
_SPEAKERS = tables.speakers(assistant=MODEL, tool="function tool", system="system")
_CALLS = ("function_call", "executable_code", "tool_call")
_RESULTS = ("function_response", "code_execution_result", "tool_response")
_CODE = "code_execution"  # the tool, in whose name a model writes and runs code
_BESIDE = (
    *("thought_signature", "media_resolution", "media_processing", "part_metadata"),
    *("video_metadata", "audio_metadata", "speech_metadata"),
    *("document_metadata", "spreadsheet_metadata"),
)
_outcome = tables.StatusKey(
    "outcome",
    {"OUTCOME_OK": "ok", "OUTCOME_FAILED": "error", "OUTCOME_DEADLINE_EXCEEDED": "error"},
)
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def key_of(value: tables.Object, name: str) -> str:
    """Returns the key of a field as it is written here, by its name in snake_case."""
    first, *others = name.split("_")
    camel = first + "".join(word.capitalize() for word in others)
    return camel if camel in value else name


def field_of(value: tables.Object, name: str) -> Any:
    """Returns a field, or nothing, by its name in snake_case."""
    return value.get(key_of(value, name))


class Fields(NamedTuple):
    """A JSON object and its place; its fields are found by either spelling of their names."""

    value: dict[str, Any]
    place: Place

    def get(self, name: str) -> Any:
        """Returns a field, or nothing."""
        return field_of(self.value, name)

    def at(self, name: str) -> Place:
        """Returns the place of a field."""
        return self.place[key_of(self.value, name)]

    def object(self, name: str) -> "Fields | None":
        """Returns a field that is an object, or null."""
        found = self.get(name)
        return None if found is None else Fields(self.at(name).object(found), self.at(name))

    def objects(self, name: str) -> "list[Fields]":
        """Returns a field that is a list of objects, or null."""
        return [Fields(item, place) for item, place in self.at(name).objects(self.get(name))]

    def label(self, name: str) -> str | None:
        """Returns a field that names something."""
        return self.at(name).label(self.get(name))


def is_content(value: Any) -> bool:
    """Says whether this looks like one content: parts of nobody else's kind, and a role."""
    if not isinstance(value, dict) or not isinstance(value.get("parts"), list | None):
        return False
    if "parts" not in value or not {"messageId", "message_id", "kind"}.isdisjoint(value):
        return False
    known = value.get("role") in (*_SPEAKERS, None)
    return known and all(map(_is_part, value["parts"] or ()))


def _is_part(part: Any) -> bool:
    if not isinstance(part, dict):
        return isinstance(part, str)
    told = {_snake(key) for key, value in part.items() if value is not None}
    own = not told or not told.isdisjoint(PARTS)
    return own and not {"type", "kind", "part_kind"} & part.keys()


def _snake(key: str) -> str:
    return _HUMP.sub("_", key).lower()


def _told_parts(part: dict[str, Any], place: Place) -> Iterable[tables.Part]:
    """Tells a part by its keys; the text of a thought is not said."""
    for key, value in part.items():
        kind = _snake(key)
        if value is None or (kind == "text" and part.get("thought") is True):
            continue
        if kind in (*_CALLS, *_RESULTS):
            value = {_snake(name): item for name, item in place[key].object(value).items()}
        yield kind, value, place[key]


def _role_of(content: tables.Object) -> Any:
    """Returns who says a content; what calls something is of the model."""
    if content.get("role") not in (None, ""):
        return content["role"]
    parts = content.get("parts")
    called = [
        part
        for part in (parts if isinstance(parts, list) else ())
        if isinstance(part, dict) and any(field_of(part, kind) is not None for kind in _CALLS)
    ]
    return MODEL if called else "user"


def _add_thought(message: tables.Message, thought: Any, _: Place) -> None:
    message.ignored += ["thought"] if thought is True else []


def _add_code(message: tables.Message, code: Any, place: Place) -> None:
    identifier = place["id"].label(code.get("id"))
    asked = {key: code[key] for key in ("language", "code") if code.get(key) is not None}
    message.items.append(Call(_CODE, asked, identifier, call_notes(identifier)))


def _add_output(message: tables.Message, result: Any, place: Place) -> None:
    identifier = place["id"].label(result.get("id"))
    message.items.append(Result(identifier, _CODE, result.get("output"), _outcome(result)))


def _status_of(result: tables.Object) -> tables.Status:
    """The API asks for an ``error`` where a function failed; its own library writes it so."""
    returned = result.get("response")
    told = returned.get("error") if isinstance(returned, dict) else None
    failed: Literal["error"] | None = "error" if isinstance(told, str | dict) and told else None
    return failed


PARTS: dict[str, tables.Entry] = {
    "text": tables.add_text,
    "thought": _add_thought,
    "function_call": tables.CallKeys("name", ("args",)),
    "executable_code": _add_code,
    "tool_call": tables.CallKeys("tool_type", ("args",)),
    "function_response": tables.ResultKeys(
        ("response",), status=_status_of, clean=tables.as_recorded
    ),
    "code_execution_result": _add_output,
    "tool_response": tables.ResultKeys(
        ("response",), name="tool_type", status=_status_of, clean=tables.as_recorded
    ),
    **dict.fromkeys(("inline_data", "file_data", "audio_transcription"), "file"),
    **dict.fromkeys(_BESIDE, ""),
}
DIALECT = tables.Dialect(
    is_content, _SPEAKERS, PARTS, _told_parts, role=_role_of, content=("parts",)
)
