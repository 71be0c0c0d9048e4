"""Contents of the Gemini API, in the shapes in which people keep them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NamedTuple

from otap.formats.json.documents import Document
from otap.formats.json.paths import JsonPath, described
from otap.formats.steps import tables
from otap.formats.steps.calls import Call, Result, call_notes
from otap.formats.steps.content import list_at, value_at
from otap.formats.steps.conversation import RawConversation
from otap.formats.steps.recorder import Recorder
from otap.formats.steps.tables import Message
from otap.formats.steps.tokens import find_usage
from otap.trajectory import Trajectory

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
    place: JsonPath

    def get(self, name: str) -> Any:
        """Returns a field, or nothing."""
        return field_of(self.value, name)

    def at(self, name: str) -> JsonPath:
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
    if not isinstance(value, dict) or not isinstance(value.get("parts", ""), list | None):
        return False
    known = value.get("role") in (*_SPEAKERS, None)
    known = known and {"messageId", "message_id", "kind"}.isdisjoint(value)
    return known and all(map(_is_part, value["parts"] or ()))


def _is_part(part: Any) -> bool:
    if not isinstance(part, dict):
        return isinstance(part, str)
    told = {_snake(key) for key, value in part.items() if value is not None}
    own = not told or not told.isdisjoint(PARTS)
    return own and not {"type", "kind", "part_kind"} & part.keys()


def _snake(key: str) -> str:
    return _HUMP.sub("_", key).lower()


def parts_in_snake_case(part: dict[str, Any], place: JsonPath) -> Iterable[tables.Part]:
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
    told = [part for part in list_at(content, "parts") if isinstance(part, dict)]
    called = any(field_of(part, kind) is not None for part in told for kind in _CALLS)
    return MODEL if called else "user"


def _add_code(message: tables.Message, code: Any, place: JsonPath) -> None:
    identifier = place.label_in(code, "id")
    asked = {key: code[key] for key in ("language", "code") if code.get(key) is not None}
    message.items.append(Call(_CODE, asked, identifier, call_notes(identifier)))


def _add_output(message: tables.Message, result: Any, place: JsonPath) -> None:
    identifier = place.label_in(result, "id")
    message.items.append(Result(identifier, _CODE, result.get("output"), _outcome(result)))


def _status_of_response(result: tables.Object) -> tables.Status:
    """The API asks for an ``error`` where a function failed; its own library writes it so."""
    match result:
        case {"response": {"error": str() | dict() as told}} if told:
            return "error"
    return None


PARTS: dict[str, tables.Entry] = {
    "text": tables.add_text,
    "thought": lambda message, told, _: message.ignored.extend(["thought"] * (told is True)),
    "function_call": tables.CallKeys("name", ("args",)),
    "executable_code": _add_code,
    "tool_call": tables.CallKeys("tool_type", ("args",)),
    "function_response": tables.ResultKeys(
        ("response",), status=_status_of_response, clean=tables.identity
    ),
    "code_execution_result": _add_output,
    "tool_response": tables.ResultKeys(
        ("response",), name="tool_type", status=_status_of_response, clean=tables.identity
    ),
    **dict.fromkeys(("inline_data", "file_data", "audio_transcription"), "file"),
    **dict.fromkeys(_BESIDE, ""),
}
DIALECT = tables.MessageSchema(
    is_content, _SPEAKERS, PARTS, parts_in_snake_case, role=_role_of, content=("parts",)
)


NAME = "gemini"
DESCRIPTION = "contents of Google's Gemini API: a chat's history, requests, responses, or JSONL"
STEP = "each function call of the model, and what the server ran for it: code, searches"
KNOWN_BY = "'parts' without a type in contents of the roles 'user' and 'model', or 'candidates'"

# Where an object may have its contents; the first of these that it has is read.
_LISTS = ("automatic_function_calling_history", "client_history", "contents", "history", "messages")
_SYSTEM = "system_instruction"
# What a request says beside its contents and an answer beside its candidates: settings and counts.
_LEFT_OUT = (
    *("request", "response", "candidates", "tools", "config", _SYSTEM, "safety_settings"),
    *("generation_config", "tool_config", "usage_metadata", "sdk_http_response", "parsed"),
    *("prompt_feedback", "model_status"),
)
# How an answer ended that was to call something, and did not.
_BROKEN = (
    *("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"),
    "MALFORMED_RESPONSE",
)
# Where an answer tells what the server looked up for it: the field, and the tool that did.
_QUERIES = {"web_search_queries": "google_search", "retrieval_queries": "retrieval"}


@dataclass(slots=True)
class _Contents:
    """Records contents in order; those of the model that follow each other are one answer.

    A streamed answer is kept in pieces, each a content, with texts that end inside a word.
    """

    recorder: Recorder
    _pieces: list[Message] = field(default_factory=list)

    def record(self, content: Fields, index: int, role: str | None = None) -> None:
        """Records one content, which somebody of this role says if it does not say who."""
        told = {**content.value, "role": content.get("role") or role}
        message = DIALECT.read_message(told, content.place)
        if message.role == MODEL:
            self._pieces.append(message)
        else:
            self.end(index)
            DIALECT.record(self.recorder, message, {"message": index})

    def candidate(self, candidate: Fields, index: int) -> None:
        """Records an answer with what the server looked up for it before."""
        found = list(_looked_up(candidate))
        self._pieces += [Message(MODEL, found)] if found else []
        content = candidate.object("content")
        if content is not None:
            self.record(content, index, MODEL)
        reason = candidate.get("finish_reason")
        if isinstance(reason, str) and reason in _BROKEN:
            self.recorder.unknown(f"answer that ended with {reason}")

    def end(self, index: int) -> None:
        """Records the model's answer, which is over before the content of this number."""
        if not self._pieces:
            return
        answer = Message(MODEL)
        for piece in self._pieces:
            answer.unknown += piece.unknown
            answer.ignored += piece.ignored
        items = (item for piece in self._pieces for item in piece.items)
        for is_text, each in groupby(items, lambda item: isinstance(item, str)):
            found = list(each)
            answer.items += ["".join(map(str, found))] if is_text else found
        DIALECT.record(self.recorder, answer, {"message": index - 1})
        self._pieces.clear()


def recognises(value: Any) -> bool:
    """Says whether this is a content, a conversation, an answer, or a list that begins with one."""
    first = value[0] if isinstance(value, list) and value else value
    if is_content(value):
        return _has_parts([value])
    return _is_conversation(value) or _is_conversation(first)


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one trajectory for each conversation; the pieces of a streamed answer are one."""
    value = document.value
    if is_content(value) or (isinstance(value, list) and is_content(value[0])):
        contents = [Fields(place.object(item), place) for item, place in document.items()]
        yield _run_of_group([], contents, document.root, reasoning)
        return
    for group in _group_answers(document):
        yield _run_of_group(group, [], group[0].place, reasoning)


def _is_conversation(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and is_content(value[0]) and _has_parts(value)
    if not isinstance(value, dict):
        return False
    if _has_candidates(value) or _has_candidates(value.get("response")):
        return True
    asked = value["request"] if value_at(value, ("request", "contents")) is not None else value
    return any(_is_list_of_contents(field_of(asked, key), key) for key in _LISTS)


def _is_list_of_contents(value: Any, key: str) -> bool:
    one = key == "contents" and is_content(value) and _has_parts([value])
    return one or (isinstance(value, list) and _is_conversation(value))


def _has_candidates(value: Any) -> bool:
    match value:
        case {"candidates": [dict() as first, *_]}:
            return is_content(first.get("content")) or key_of(first, "finish_reason") in first
    return False


def _group_answers(document: Document) -> Iterator[list[Fields]]:
    """Yields what is one run together: bare answers of one id are the pieces of one answer."""
    group: list[Fields] = []
    for value, place in document.items():
        about = {"contents": value} if isinstance(value, list) else place.object(value)
        item = Fields(about, place)
        if group and not _goes_on(group[-1], item):
            yield group
            group = []
        group.append(item)
    yield group


def _goes_on(before: Fields, item: Fields) -> bool:
    name = item.get("response_id")
    if name is None or name != before.get("response_id"):
        return False
    return not any(item.get(key) for key in (*_LISTS, "request"))


def _run_of_group(
    group: list[Fields], contents: list[Fields], place: JsonPath, reasoning: bool
) -> Trajectory:
    recording = _Contents(Recorder(reasoning))
    for index, content in enumerate(contents):
        recording.record(content, index)
    for item in group:
        _record_exchange(recording, item)
    recording.end(len(contents))
    left_out = {*_LISTS, *_LEFT_OUT}  # the rest stands beside the contents, and may name the run
    beside = group[0].value.items() if group else ()
    around = {key: v for key, v in beside if _snake(key) not in left_out and v is not None}
    tokens = find_usage(group[-1].value) if group else None  # the last piece tells it of all
    defined = tuple(found.get("tools") for item in group for found in _settings_in(item))
    kept = RawConversation((), around, place, defined, tokens=tokens)
    return kept.to_trajectory(recording.recorder.conversation())


def _record_exchange(recording: _Contents, item: Fields) -> None:
    """Records what was asked, where it is kept, and what was answered."""
    request, response = item.object("request") or item, item.object("response") or item
    asked = ((found, key) for found in (response, request) for key in _LISTS if found.get(key))
    found, key = next(asked, (request, ""))  # those of functions called on the way have them all
    contents = list(_contents_in(found.get(key) or [], found.at(key)))
    if not contents and response.get("candidates") is None:
        raise item.at("contents").error("expected at least one content, found none")
    if any(found.get(_SYSTEM) is not None for found in _settings_in(item)):
        recording.recorder.ignored("system prompt")
    for index, content in enumerate(contents):
        recording.record(content, index)
    for number, candidate in enumerate(response.objects("candidates")):
        if number:
            recording.recorder.ignored("other candidate of an answer")
        else:
            recording.candidate(candidate, len(contents))


def _settings_in(item: Fields) -> Iterator[Fields]:
    """Yields the objects that may say what a request is made with."""
    for found in filter(None, (item, item.object("request"))):
        yield found
        config = found.get("config")
        if isinstance(config, dict):
            yield Fields(config, found.at("config"))


def _has_parts(contents: list[Any]) -> bool:
    """Says whether any of these contents has a part, by which they are known."""
    return any(isinstance(content, dict) and content.get("parts") for content in contents)


def _looked_up(candidate: Fields) -> Iterator[tables.Item]:
    """Yields what the server did for an answer, and what it found."""
    nothing = Fields({}, candidate.place)
    grounding = candidate.object("grounding_metadata") or nothing
    for name, tool in _QUERIES.items():
        if queries := grounding.get(name):
            yield Call(tool, {"queries": queries}, None, {})
            yield Result(None, tool, grounding.get("grounding_chunks"), "ok")
    for page in (candidate.object("url_context_metadata") or nothing).objects("url_metadata"):
        good = page.get("url_retrieval_status") == "URL_RETRIEVAL_STATUS_SUCCESS"
        yield Call("url_context", {"url": page.get("retrieved_url")}, None, {})
        yield Result(None, "url_context", None, "ok" if good else "error")


def _contents_in(value: Any, place: JsonPath) -> Iterator[Fields]:
    """Yields the contents of a list, of one content, or of a text, which the user said."""
    if isinstance(value, str):
        yield Fields({"role": "user", "parts": [value]}, place)
    elif isinstance(value, dict):
        yield Fields(value, place)
    elif isinstance(value, list):
        for index, content in enumerate(value):
            yield from _contents_in(content, place[index])
    else:
        raise place.error(f"expected a list, found {described(value)}")
