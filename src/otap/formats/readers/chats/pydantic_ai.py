"""Messages of Pydantic AI, as ``all_messages_json()`` writes them: requests and responses."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from otap.formats.json.documents import Document, first_of
from otap.formats.json.places import Place, described
from otap.formats.json.times import moment
from otap.formats.readers.chats.turns import Turns
from otap.formats.steps.calls import Call, made_call
from otap.formats.steps.content import said, text_of
from otap.formats.steps.conversation import Kept, conversations
from otap.formats.steps.recorder import Recorder
from otap.formats.steps.silent import note_part
from otap.trajectory import Trajectory

NAME = "pydantic-ai"
DESCRIPTION = "messages of Pydantic AI: a list, {'messages': [...]}, a list of these, or JSONL"
STEP = "each tool call of a response, those that the model's server ran included"
KNOWN_BY = "messages with 'kind' request or response, and 'parts'"

_KINDS = ("request", "response")
_CALLS = ("tool-call", "builtin-tool-call")
_RETURNS = ("tool-return", "builtin-tool-return")
# Parts that prepare what the model is told, or ask it to try its answer again.
_PREPARED = {
    **dict.fromkeys(("system-prompt", "instruction", "instruction-delta"), "system prompt"),
    **dict.fromkeys(("instruction-baseline", "instruction-digest"), "system prompt"),
    **dict.fromkeys(("tool-availability-delta", "capability-load-delta"), "list of tools"),
    "model-settings-delta": "setting",
    "retry-feedback": "request to try again",
    "retry-prompt": "request to try again",
    "compaction": "summary of what was before",
}


def recognises(value: Any) -> bool:
    """Says whether this is a message, a conversation, or a list that begins with one."""
    first = first_of(value)
    return is_message(first) or _is_conversation(first)


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one trajectory for each conversation."""
    for kept in conversations(document, is_message):
        recorder = Recorder(reasoning)
        messages = [(place.object(value), place) for value, place in kept.messages]
        for index, (message, place) in enumerate(messages):
            _record(recorder, index, message, place)
        yield _named(kept, [message for message, _ in messages]).run(recorder.conversation())


def is_message(value: Any) -> bool:
    """Says whether this is a request or a response of Pydantic AI."""
    if not isinstance(value, dict) or value.get("kind") not in _KINDS:
        return False
    parts = value.get("parts")
    return isinstance(parts, list) and all(
        isinstance(part, dict) and "part_kind" in part for part in parts[:1]
    )


def _is_conversation(value: Any) -> bool:
    messages = value.get("messages") if isinstance(value, dict) else value
    return isinstance(messages, list) and bool(messages) and is_message(messages[0])


def _named(kept: Kept, messages: Iterable[dict[str, Any]]) -> Kept:
    """Names the run as its messages do, where all that name one name the same."""
    names = {str(message["run_id"]) for message in messages if message.get("run_id")}
    if len(names) != 1:
        return kept
    return replace(kept, around={"id": names.pop(), **kept.around})


def _record(recorder: Recorder, index: int, message: dict[str, Any], place: Place) -> None:
    kind = message.get("kind")
    if kind not in _KINDS:
        raise place["kind"].error(f"expected one of {', '.join(_KINDS)}, found {described(kind)}")
    parts = place["parts"].objects(message.get("parts"))
    if kind == "request":
        for part, where in parts:
            _request(recorder, index, part, where)
        return
    turns = Turns(recorder, {"message": index})
    at = moment(message.get("timestamp"), place["timestamp"])
    for part, where in parts:
        _response(turns, part, where, at)
    turns.end()


def _request(recorder: Recorder, index: int, part: dict[str, Any], place: Place) -> None:
    """Records what the program told the model: the user's words, and results."""
    kind = part.get("part_kind")
    if kind == "user-prompt":
        texts = partial(_prompt_text, recorder)
        recorder.user(said(part.get("content"), place["content"], texts))
    elif kind in _RETURNS or (kind == "retry-prompt" and part.get("tool_name") is not None):
        identifier = place["tool_call_id"].label(part.get("tool_call_id"))
        kept = {"message": index, "tool_call_id": identifier}
        call = recorder.result(
            identifier, part.get("tool_name"), part.get("content"), _status(part), kept=kept
        )
        if call is not None:
            call.ended_at = moment(part.get("timestamp"), place["timestamp"])
    else:
        recorder.interrupted()
        _note(recorder, kind)


def _response(turns: Turns, part: dict[str, Any], place: Place, at: Any) -> None:
    """Records what the model said and called."""
    kind = part.get("part_kind")
    if kind == "text":
        text = text_of(part, place, "content")
        if text is not None and text.strip():
            turns.say(text)
    elif kind in _CALLS:
        call = _call(part, place)
        call.started_at = at
        turns.call(call)
    elif kind in _RETURNS:
        identifier = place["tool_call_id"].label(part.get("tool_call_id"))
        turns.result(identifier, part.get("tool_name"), part.get("content"), _status(part))
    else:
        _note(turns.recorder, kind)


def _call(part: dict[str, Any], place: Place) -> Call:
    identifier = place["tool_call_id"].label(part.get("tool_call_id"))
    return made_call(part.get("tool_name"), part.get("args"), identifier, place["tool_name"])


def _status(part: dict[str, Any]) -> Literal["ok", "error"]:
    """Returns how a call ended; before version 2 what is not to be tried again returned."""
    retried = part.get("part_kind") == "retry-prompt"
    return "error" if retried or part.get("outcome") not in (None, "success") else "ok"


def _prompt_text(recorder: Recorder, item: Any, place: Place) -> str | None:
    """Returns what an item of the user's prompt says; other items are pictures and files."""
    if isinstance(item, str):
        return item or None
    kind = place.object(item).get("kind")
    if kind == "text-content":
        return text_of(item, place, "content")
    note_part(recorder, kind)
    return None


def _note(recorder: Recorder, kind: Any) -> None:
    if isinstance(kind, str) and kind in _PREPARED:
        recorder.ignored(_PREPARED[kind])
    else:
        note_part(recorder, kind)
