"""Contents of the Gemini API, in the shapes in which people keep them."""

from collections.abc import Iterator
from typing import Any

from otap.formats.json.documents import Document
from otap.formats.json.places import Place
from otap.formats.readers.adk.objects import Fields, field_of, key_of
from otap.formats.readers.gemini.contents import Contents, has_parts, is_content, placed
from otap.formats.steps.conversation import Kept
from otap.formats.steps.recorder import Recorder
from otap.formats.steps.tokens import tokens_beside
from otap.trajectory import Trajectory

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


def recognises(value: Any) -> bool:
    """Says whether this is a content, a conversation, an answer, or a list that begins with one."""
    first = value[0] if isinstance(value, list) and value else value
    if is_content(value):
        return has_parts([value])
    return _is_conversation(value) or _is_conversation(first)


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one trajectory for each conversation; the pieces of a streamed answer are one."""
    value = document.value
    if is_content(value) or (isinstance(value, list) and is_content(value[0])):
        contents = [Fields(place.object(item), place) for item, place in document.items()]
        yield _run([], contents, document.place, reasoning)
        return
    for group in _groups(document):
        yield _run(group, [], group[0].place, reasoning)


def _is_conversation(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and is_content(value[0]) and has_parts(value)
    if not isinstance(value, dict):
        return False
    if _is_answer(value) or _is_answer(value.get("response")):
        return True
    request = value.get("request")
    asked = request if isinstance(request, dict) and "contents" in request else value
    return any(_is_list(field_of(asked, key), key) for key in _LISTS)


def _is_list(value: Any, key: str) -> bool:
    if key == "contents" and is_content(value):
        return has_parts([value])
    return isinstance(value, list) and _is_conversation(value)


def _is_answer(value: Any) -> bool:
    listed = value.get("candidates") if isinstance(value, dict) else None
    first = listed[0] if isinstance(listed, list) and listed else None
    if not isinstance(first, dict):
        return False
    return is_content(first.get("content")) or key_of(first, "finish_reason") in first


def _groups(document: Document) -> Iterator[list[Fields]]:
    """Yields what is one run together: bare answers of one id are the pieces of one answer."""
    group: list[Fields] = []
    for value, place in document.items():
        item = Fields(
            {"contents": value} if isinstance(value, list) else place.object(value), place
        )
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


def _run(group: list[Fields], contents: list[Fields], place: Place, reasoning: bool) -> Trajectory:
    recorder = Recorder(reasoning)
    recording = Contents(recorder)
    for index, content in enumerate(contents):
        recording.record(content, index)
    for item in group:
        _record(recording, item)
    recording.end()
    around = _around(group[0]) if group else {}
    tokens = tokens_beside(group[-1].value) if group else None  # the last piece tells it of all
    kept = Kept((), around, place, tuple(_defined(group)), tokens=tokens)
    return kept.run(recorder.conversation())


def _record(recording: Contents, item: Fields) -> None:
    """Records what was asked, where it is kept, and what was answered."""
    request, response = item.object("request") or item, item.object("response") or item
    contents = list(_asked(request, response))
    if not contents and response.get("candidates") is None:
        raise item.at("contents").error("expected at least one content, found none")
    if any(found.get(_SYSTEM) is not None for found in _settings(item)):
        recording.recorder.ignored("system prompt")
    for index, content in enumerate(contents):
        recording.record(content, index)
    for number, candidate in enumerate(response.objects("candidates")):
        if number:
            recording.recorder.ignored("other candidate of an answer")
        else:
            recording.candidate(candidate, len(contents))


def _asked(request: Fields, response: Fields) -> Iterator[Fields]:
    """Yields the contents before an answer; those of functions called on the way have them all."""
    for found in (response, request):
        for key in _LISTS:
            if found.get(key):
                yield from placed(found.get(key), found.at(key))
                return


def _settings(item: Fields) -> Iterator[Fields]:
    """Yields the objects that may say what a request is made with."""
    for found in (item, item.object("request")):
        if found is not None:
            yield found
            config = found.get("config")
            if isinstance(config, dict):
                yield Fields(config, found.at("config"))


def _defined(group: list[Fields]) -> Iterator[Any]:
    for item in group:
        yield from (found.get("tools") for found in _settings(item))


def _around(item: Fields) -> dict[str, Any]:
    """Returns what stands beside the contents, by which the run may be named."""
    dropped = {key_of(item.value, name) for name in (*_LISTS, *_LEFT_OUT)}
    return {
        key: value for key, value in item.value.items() if key not in dropped and value is not None
    }
