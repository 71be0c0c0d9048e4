"""Contents of the Gemini API, in the shapes in which people store them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from otap.formats import chats
from otap.formats.chats import Message
from otap.formats.content import drop_nulls, list_at, value_at
from otap.formats.conversations import RawConversation
from otap.formats.json.documents import Document
from otap.formats.json.paths import JsonObject, JsonPath, described
from otap.formats.recorder import Recorder
from otap.formats.tokens import find_usage
from otap.formats.tool_calls import ToolCall, ToolResult, call_notes
from otap.trajectory import Trajectory

MODEL = "model"
_ROLES = chats.speakers(assistant=MODEL, tool="function tool", system="system")
_CALLS = ("function_call", "executable_code", "tool_call")
_RESULTS = ("function_response", "code_execution_result", "tool_response")
_CODE = "code_execution"  # the tool name for code that the model writes and the server runs
_PART_METADATA = (
    *("thought_signature", "media_resolution", "media_processing", "part_metadata"),
    *("video_metadata", "audio_metadata", "speech_metadata"),
    *("document_metadata", "spreadsheet_metadata"),
)
_outcome = chats.StatusKey(
    "outcome",
    {"OUTCOME_OK": "ok", "OUTCOME_FAILED": "error", "OUTCOME_DEADLINE_EXCEEDED": "error"},
)
_FOREIGN_KEYS = {"messageId", "message_id", "kind"}  # of messages of other formats
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def key_of(mapping: chats.Object, name: str) -> str:
    """Returns the key of a field as this object spells it: camelCase, or the given snake_case."""
    first, *words = name.split("_")
    camel = first + "".join(word.capitalize() for word in words)
    return camel if camel in mapping else name


def field_of(mapping: chats.Object, name: str) -> Any:
    """Returns a field by its name in snake_case, or None if it is missing."""
    return mapping.get(key_of(mapping, name))


class Fields(JsonObject):
    """A JSON object with fields in snake_case or camelCase, which are named in snake_case."""

    __slots__ = ()

    def key_of(self, name: str) -> str:
        """Returns the key of a field as this object spells it."""
        return key_of(self.mapping, name)


def is_content(value: Any) -> bool:
    """Returns whether this looks like one content: a role, and parts of no other format."""
    if not isinstance(value, dict) or not isinstance(value.get("parts", ""), list | None):
        return False
    if value.get("role") not in (*_ROLES, None) or not _FOREIGN_KEYS.isdisjoint(value):
        return False
    return all(_is_part(part) for part in value["parts"] or ())


def _is_part(part: Any) -> bool:
    if not isinstance(part, dict):
        return isinstance(part, str)
    kinds = {_snake_case(key) for key, content in part.items() if content is not None}
    is_gemini_part = not kinds or not kinds.isdisjoint(PARTS)
    return is_gemini_part and not {"type", "kind", "part_kind"} & part.keys()


def _snake_case(key: str) -> str:
    return _HUMP.sub("_", key).lower()


def parts_in_snake_case(part: dict[str, Any], path: JsonPath) -> Iterable[chats.Part]:
    """Yields the fields of a part with their kinds in snake_case, without the text of thoughts."""
    for key, content in part.items():
        kind = _snake_case(key)
        if content is None or (kind == "text" and part.get("thought") is True):
            continue
        if kind in (*_CALLS, *_RESULTS):
            fields = path[key].object(content).items()
            content = {_snake_case(name): inner for name, inner in fields}
        yield kind, content, path[key]


def _role_of(content: chats.Object) -> Any:
    """Returns the role of a content; without one, calls come from the model."""
    if content.get("role") not in (None, ""):
        return content["role"]
    parts = [part for part in list_at(content, "parts") if isinstance(part, dict)]
    has_call = any(field_of(part, kind) is not None for part in parts for kind in _CALLS)
    return MODEL if has_call else "user"


def _add_thought(message: chats.Message, is_thought: Any, _: JsonPath) -> None:
    if is_thought is True:
        message.ignored.append("thought")


def _add_code(message: chats.Message, code: Any, path: JsonPath) -> None:
    call_id = path.label_in(code, "id")
    arguments = {key: code[key] for key in ("language", "code") if code.get(key) is not None}
    message.items.append(ToolCall(_CODE, arguments, call_id, call_notes(call_id)))


def _add_output(message: chats.Message, execution: Any, path: JsonPath) -> None:
    call_id = path.label_in(execution, "id")
    message.items.append(ToolResult(call_id, _CODE, execution.get("output"), _outcome(execution)))


def _status_of_response(result: chats.Object) -> chats.Status:
    """Returns "error" for a response with an ``error``, as the API asks and its library writes."""
    match result:
        case {"response": {"error": str() | dict() as error}} if error:
            return "error"
    return None


_RESPONSE = chats.ResultKeys(("response",), status=_status_of_response, clean=chats.identity)
PARTS: dict[str, chats.Entry] = {
    "text": chats.add_text,
    "thought": _add_thought,
    "function_call": chats.CallKeys("name", ("args",)),
    "executable_code": _add_code,
    "tool_call": chats.CallKeys("tool_type", ("args",)),
    "function_response": _RESPONSE,
    "code_execution_result": _add_output,
    "tool_response": replace(_RESPONSE, name="tool_type"),
    **dict.fromkeys(("inline_data", "file_data", "audio_transcription"), "file"),
    **dict.fromkeys(_PART_METADATA, ""),
}
SCHEMA = chats.MessageSchema(
    is_content, _ROLES, PARTS, parts_in_snake_case, role=_role_of, content=("parts",)
)


NAME = "gemini"
DESCRIPTION = "contents of Google's Gemini API: a chat's history, requests, responses, or JSONL"
STEP = "each function call of the model, and each code execution or search on the server"
KNOWN_BY = "'parts' without a type in contents of the roles 'user' and 'model', or 'candidates'"

# The keys under which an object may have its contents; the first that it has is read.
_CONTENT_KEYS = (
    "automatic_function_calling_history",
    *("client_history", "contents", "history", "messages"),
)
_SYSTEM = "system_instruction"
# Settings of a request, and counts of a response.
_LEFT_OUT = (
    *("request", "response", "candidates", "tools", "config", _SYSTEM, "safety_settings"),
    *("generation_config", "tool_config", "usage_metadata", "sdk_http_response", "parsed"),
    *("prompt_feedback", "model_status"),
)
# Finish reasons of answers that failed to make their call.
_FAILED_CALLS = (
    *("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"),
    "MALFORMED_RESPONSE",
)
# The searches of the server for an answer: the field of the queries, and the tool.
_QUERIES = {"web_search_queries": "google_search", "retrieval_queries": "retrieval"}


@dataclass(slots=True)
class _Contents:
    """Records contents in order; consecutive contents of the model are one answer.

    A streamed answer is stored in pieces, each a content, and a word may be split between two.
    """

    recorder: Recorder
    _pieces: list[Message] = field(default_factory=list)

    def record(self, content: Fields, index: int, role: str | None = None) -> None:
        """Records one content; ``role`` is the default if it has no role."""
        fields = {**content.mapping, "role": content.get("role") or role}
        message = SCHEMA.read_message(fields, content.path)
        if message.role == MODEL:
            self._pieces.append(message)
        else:
            self.end(index)
            SCHEMA.record(self.recorder, message, {"message": index})

    def record_candidate(self, candidate: Fields, index: int) -> None:
        """Records an answer, after the searches of the server for it."""
        searches = list(_searches_of(candidate))
        if searches:
            self._pieces.append(Message(MODEL, searches))
        content = candidate.object_if_any("content")
        if content is not None:
            self.record(content, index, MODEL)
        reason = candidate.get("finish_reason")
        if isinstance(reason, str) and reason in _FAILED_CALLS:
            self.recorder.unknown(f"answer that ended with {reason}")

    def end(self, index: int) -> None:
        """Records the model's answer, which ended before the content of this index."""
        if not self._pieces:
            return
        answer = Message(MODEL)
        for piece in self._pieces:
            answer.unknown += piece.unknown
            answer.ignored += piece.ignored
        parts = (part for piece in self._pieces for part in piece.items)
        for is_text, group in groupby(parts, lambda part: isinstance(part, str)):
            if is_text:
                answer.items.append("".join(str(text) for text in group))
            else:
                answer.items += group
        SCHEMA.record(self.recorder, answer, {"message": index - 1})
        self._pieces.clear()


def recognises(value: Any) -> bool:
    """Returns whether this is a content, a conversation, an answer, or a list of these."""
    first = value[0] if isinstance(value, list) and value else value
    if is_content(value):
        return _has_parts([value])
    return _is_conversation(value) or _is_conversation(first)


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Yields one trajectory for each conversation; the pieces of a streamed answer are one."""
    value = document.value
    if is_content(value) or (isinstance(value, list) and is_content(value[0])):
        contents = [Fields(path.object(content), path) for content, path in document.items()]
        yield _run_of([], contents, document.root, reasoning)
        return
    for exchanges in _group_exchanges(document):
        yield _run_of(exchanges, [], exchanges[0].path, reasoning)


def _is_conversation(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and is_content(value[0]) and _has_parts(value)
    if not isinstance(value, dict):
        return False
    if _has_candidates(value) or _has_candidates(value.get("response")):
        return True
    request = value["request"] if value_at(value, ("request", "contents")) is not None else value
    return any(_is_list_of_contents(field_of(request, key), key) for key in _CONTENT_KEYS)


def _is_list_of_contents(value: Any, key: str) -> bool:
    if key == "contents" and is_content(value) and _has_parts([value]):
        return True
    return isinstance(value, list) and _is_conversation(value)


def _has_candidates(value: Any) -> bool:
    match value:
        case {"candidates": [dict() as first, *_]}:
            return is_content(first.get("content")) or key_of(first, "finish_reason") in first
    return False


def _group_exchanges(document: Document) -> Iterator[list[Fields]]:
    """Yields the exchanges of each run: consecutive pieces of one answer form one group."""
    group: list[Fields] = []
    for value, path in document.items():
        mapping = {"contents": value} if isinstance(value, list) else path.object(value)
        exchange = Fields(mapping, path)
        if group and not _continues(group[-1], exchange):
            yield group
            group = []
        group.append(exchange)
    yield group


def _continues(before: Fields, exchange: Fields) -> bool:
    """Returns whether this is a bare response with the same id as the one before."""
    response_id = exchange.get("response_id")
    if response_id is None or response_id != before.get("response_id"):
        return False
    return not any(exchange.get(key) for key in (*_CONTENT_KEYS, "request"))


def _run_of(
    exchanges: list[Fields], contents: list[Fields], path: JsonPath, reasoning: bool
) -> Trajectory:
    recording = _Contents(Recorder(reasoning))
    for index, content in enumerate(contents):
        recording.record(content, index)
    for exchange in exchanges:
        _record_exchange(recording, exchange)
    recording.end(len(contents))
    left_out = {*_CONTENT_KEYS, *_LEFT_OUT}  # the other fields may name the run
    first = drop_nulls(exchanges[0].mapping) if exchanges else {}
    other_fields = {key: first[key] for key in first if _snake_case(key) not in left_out}
    # The last piece of a streamed answer has the tokens of the whole answer.
    tokens = find_usage(exchanges[-1].mapping) if exchanges else None
    settings = [fields for exchange in exchanges for fields in _settings_in(exchange)]
    tools = tuple(fields.get("tools") for fields in settings)
    conversation = RawConversation((), other_fields, path, tools, tokens=tokens)
    return conversation.to_trajectory(recording.recorder.conversation())


def _record_exchange(recording: _Contents, exchange: Fields) -> None:
    """Records the contents of a request, if they are stored, and the answer to it."""
    request = exchange.object_if_any("request") or exchange
    response = exchange.object_if_any("response") or exchange
    sources = ((fields, key) for fields in (response, request) for key in _CONTENT_KEYS)
    # The history of automatic function calls, which comes first, has all contents.
    source, key = next((pair for pair in sources if pair[0].get(pair[1])), (request, ""))
    contents = list(_contents_in(source.get(key) or [], source.at(key)))
    if not contents and response.get("candidates") is None:
        raise exchange.at("contents").error("expected at least one content, found none")
    if any(settings.get(_SYSTEM) is not None for settings in _settings_in(exchange)):
        recording.recorder.ignored("system prompt")
    for index, content in enumerate(contents):
        recording.record(content, index)
    for index, candidate in enumerate(response.objects("candidates")):
        if index:
            recording.recorder.ignored("other candidate of an answer")
        else:
            recording.record_candidate(candidate, len(contents))


def _settings_in(exchange: Fields) -> Iterator[Fields]:
    """Yields the objects that may hold the settings of a request."""
    request = exchange.object_if_any("request")
    for fields in [exchange] if request is None else [exchange, request]:
        yield fields
        config = fields.get("config")
        if isinstance(config, dict):
            yield Fields(config, fields.at("config"))


def _has_parts(contents: list[Any]) -> bool:
    """Returns whether any of these contents has a part, which identifies the format."""
    return any(isinstance(content, dict) and content.get("parts") for content in contents)


def _searches_of(candidate: Fields) -> Iterator[chats.Item]:
    """Yields the searches and page visits of the server for an answer, with their results."""
    grounding = candidate.object("grounding_metadata")
    for name, tool in _QUERIES.items():
        if queries := grounding.get(name):
            yield ToolCall(tool, {"queries": queries}, None, {})
            yield ToolResult(None, tool, grounding.get("grounding_chunks"), "ok")
    for page in candidate.object("url_context_metadata").objects("url_metadata"):
        succeeded = page.get("url_retrieval_status") == "URL_RETRIEVAL_STATUS_SUCCESS"
        yield ToolCall("url_context", {"url": page.get("retrieved_url")}, None, {})
        yield ToolResult(None, "url_context", None, "ok" if succeeded else "error")


def _contents_in(contents: Any, path: JsonPath) -> Iterator[Fields]:
    """Yields the contents of a list, a single content, or a text of the user."""
    if isinstance(contents, str):
        yield Fields({"role": "user", "parts": [contents]}, path)
    elif isinstance(contents, dict):
        yield Fields(contents, path)
    elif isinstance(contents, list):
        for index, content in enumerate(contents):
            yield from _contents_in(content, path[index])
    else:
        raise path.error(f"expected a list, found {described(contents)}")
