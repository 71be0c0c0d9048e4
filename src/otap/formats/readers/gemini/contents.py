"""Contents of the Gemini API -> what was said, called and answered."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from otap.formats.json.places import Place, described
from otap.formats.readers.adk.objects import Fields, field_of
from otap.formats.readers.chats.turns import Turns
from otap.formats.steps.calls import Call, call_notes
from otap.formats.steps.recorder import Recorder

_Status = Literal["ok", "error"] | None

_MODEL, _SYSTEM = "model", "system"
_ROLES = ("user", _MODEL, "function", "tool", _SYSTEM)
_CODE = "code_execution"  # the tool, in whose name a model writes and runs code
_CALLS = ("function_call", "executable_code", "tool_call")
_RESULTS = ("function_response", "code_execution_result", "tool_response")
_FILES = ("inline_data", "file_data", "audio_transcription")
_KINDS = (*_CALLS, *_RESULTS, *_FILES, "text")
_BESIDE = (
    *("thought", "thought_signature", "media_resolution", "media_processing", "part_metadata"),
    *("video_metadata", "audio_metadata", "speech_metadata"),
    *("document_metadata", "spreadsheet_metadata"),
)
# How an answer ended that was to call something, and did not.
_BROKEN = (
    *("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"),
    "MALFORMED_RESPONSE",
)
_OUTCOMES: dict[Any, _Status] = {
    "OUTCOME_OK": "ok",
    "OUTCOME_FAILED": "error",
    "OUTCOME_DEADLINE_EXCEEDED": "error",
}
# Where an answer tells what the server looked up for it: the field, and the tool that did.
_QUERIES = {"web_search_queries": "google_search", "retrieval_queries": "retrieval"}


def is_content(value: Any) -> bool:
    """Says whether this looks like one content: parts of nobody else's kind, and a role."""
    if not isinstance(value, dict) or not isinstance(value.get("parts"), list | None):
        return False
    if "parts" not in value or not {"messageId", "message_id", "kind"}.isdisjoint(value):
        return False
    return value.get("role") in (*_ROLES, None) and all(map(_is_part, value["parts"] or ()))


def has_parts(contents: list[Any]) -> bool:
    """Says whether any of these contents has a part, by which they are known."""
    return any(isinstance(content, dict) and content.get("parts") for content in contents)


def _is_part(part: Any) -> bool:
    if not isinstance(part, dict):
        return isinstance(part, str)
    return not {"type", "kind", "part_kind"} & part.keys() and (
        any(field_of(part, kind) is not None for kind in (*_KINDS, *_BESIDE)) or not _told(part)
    )


def _told(part: Mapping[str, Any]) -> list[str]:
    return [key for key, value in part.items() if value is not None]


@dataclass(slots=True)
class Contents:
    """Records contents in order; those of the model that follow each other are one answer.

    A streamed answer is kept in pieces, each a content, with texts that end inside a word.
    """

    recorder: Recorder
    _turns: Turns | None = None
    _text: list[str] = field(default_factory=list)

    def record(self, content: Fields, index: int, role: str | None = None) -> None:
        """Records one content.

        Args:
            content: the content.
            index: its number, kept where a result in it belongs to no call.
            role: who says it where the content does not.

        Raises:
            FormatError: with the place of the first thing that no content may hold.
        """
        parts = list(_parts(content))
        role = _role(content) or role or (_MODEL if _calls(parts) else "user")
        if role == _MODEL:
            self._answer(parts, index)
            return
        self.end()
        if role in _ROLES:
            self._other(parts, index, role)
        else:
            self.recorder.interrupted()
            self.recorder.unknown(f"content of role '{role}'")

    def candidate(self, candidate: Fields, index: int) -> None:
        """Records an answer with what the server looked up for it before.

        Args:
            candidate: the answer.
            index: its number.

        Raises:
            FormatError: with the place of the first thing that no answer may hold.
        """
        for tool, arguments, effect, status in _looked_up(candidate):
            turns = self._begun(index)
            turns.call(Call(tool, arguments, None, {}))
            turns.result(None, tool, effect, status)
        content = candidate.object("content")
        if content is not None:
            self.record(content, index, _MODEL)
        reason = candidate.get("finish_reason")
        if isinstance(reason, str) and reason in _BROKEN:
            self.recorder.unknown(f"answer that ended with {reason}")

    def end(self) -> None:
        """Says that the model's answer is over."""
        self._say()
        if self._turns is not None:
            self._turns.end()
        self._turns = None

    def _begun(self, index: int) -> Turns:
        if self._turns is None:
            self._turns = Turns(self.recorder, {"content": index}, together=True)
        return self._turns

    def _say(self) -> None:
        text = "".join(self._text)
        self._text.clear()
        if self._turns is not None and text.strip():
            self._turns.say(text)

    def _answer(self, parts: list[Fields], index: int) -> None:
        turns = self._begun(index)
        for part in parts:
            text = _text(self.recorder, part)
            if text is not None:
                self._text.append(text)
            for kind, call in _found(part, _CALLS):
                self._say()
                turns.call(_call(kind, call))
            for kind, result in _found(part, _RESULTS):
                self._say()
                turns.result(*_result(kind, result))
            _note(self.recorder, part)

    def _other(self, parts: list[Fields], index: int, role: str) -> None:
        texts = []
        self.recorder.interrupted()
        for part in parts:
            texts.append(_text(self.recorder, part) or "")
            for kind, result in _found(part, _RESULTS):
                identifier, name, effect, status = _result(kind, result)
                kept = {"content": index, "id": identifier, "name": name}
                self.recorder.result(identifier, name, effect, status, kept=kept)
            for kind, _ in _found(part, _CALLS):
                self.recorder.unknown(f"'{kind}' of role '{role}'")
            _note(self.recorder, part)
        if role == _SYSTEM:
            self.recorder.ignored("system prompt")
        elif said := "\n".join(text for text in texts if text.strip()):
            self.recorder.user([said])


def _role(content: Fields) -> str | None:
    role = content.get("role")
    if role is None or role == "":
        return None
    return content.at("role").text(role)


def _parts(content: Fields) -> Iterator[Fields]:
    """Yields the parts of a content; a bare text is a part, too."""
    listed, where = content.get("parts"), content.at("parts")
    for index, part in enumerate([] if listed is None else where.array(listed)):
        value = {"text": part} if isinstance(part, str) else where[index].object(part)
        yield Fields(value, where[index])


def _calls(parts: list[Fields]) -> bool:
    return any(part.get(kind) is not None for part in parts for kind in _CALLS)


def _found(part: Fields, kinds: tuple[str, ...]) -> Iterator[tuple[str, Fields]]:
    for kind in kinds:
        found = part.object(kind)
        if found is not None:
            yield kind, found


def _text(recorder: Recorder, part: Fields) -> str | None:
    """Returns what a part says; a thought of the model is not said."""
    text = part.get("text")
    if part.get("thought") is True:
        recorder.ignored("thought")
        return None
    if text is None or text == "":
        return None
    return part.at("text").text(text)


def _note(recorder: Recorder, part: Fields) -> None:
    """Notes what else a part holds."""
    if any(part.get(kind) is not None for kind in _FILES):
        recorder.ignored("file")
    if not any(part.get(kind) is not None for kind in (*_KINDS, *_BESIDE)):
        for key in _told(part.value):
            recorder.unknown(f"part with '{key}'")


def _call(kind: str, call: Fields) -> Call:
    identifier = call.label("id")
    if kind == "executable_code":
        asked = {key: call.get(key) for key in ("language", "code") if call.get(key) is not None}
        return Call(_CODE, asked, identifier, call_notes(identifier))
    key = "tool_type" if kind == "tool_call" else "name"
    name = call.at(key).text(call.get(key))
    return Call(name, call.get("args"), identifier, call_notes(identifier))


def _result(kind: str, result: Fields) -> tuple[str | None, Any, Any, _Status]:
    identifier = result.label("id")
    if kind == "code_execution_result":
        outcome = result.get("outcome")
        status = _OUTCOMES.get(outcome) if isinstance(outcome, str) else None
        return identifier, _CODE, result.get("output"), status
    name = result.get("tool_type" if kind == "tool_response" else "name")
    returned = result.get("response")
    return identifier, name, returned, "error" if _failed(returned) else None


def _failed(returned: Any) -> bool:
    """The API asks for an ``error`` where a function failed; its own library writes it so."""
    told = returned.get("error") if isinstance(returned, dict) else None
    return isinstance(told, str | dict) and bool(told)


def _looked_up(candidate: Fields) -> Iterator[tuple[str, Any, Any, _Status]]:
    """Yields what the server did for an answer: the tool, its arguments, what it found."""
    grounding = candidate.object("grounding_metadata")
    for name, tool in _QUERIES.items() if grounding is not None else ():
        queries = grounding.get(name) if grounding is not None else None
        if queries and grounding is not None:
            yield tool, {"queries": queries}, grounding.get("grounding_chunks"), "ok"
    pages = candidate.object("url_context_metadata")
    for page in pages.objects("url_metadata") if pages is not None else ():
        status = page.get("url_retrieval_status")
        good = status == "URL_RETRIEVAL_STATUS_SUCCESS"
        yield "url_context", {"url": page.get("retrieved_url")}, None, "ok" if good else "error"


def placed(value: Any, place: Place) -> Iterator[Fields]:
    """Yields the contents of a list, of one content, or of a text, which the user said.

    Raises:
        FormatError: if it is none of these, or a content is no object.
    """
    if isinstance(value, str):
        yield Fields({"role": "user", "parts": [value]}, place)
    elif isinstance(value, dict):
        yield Fields(value, place)
    elif isinstance(value, list):
        for index, content in enumerate(value):
            yield from placed(content, place[index])
    else:
        raise place.error(f"expected a list, found {described(value)}")
