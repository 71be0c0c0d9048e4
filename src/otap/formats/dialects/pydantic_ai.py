"""Messages of Pydantic AI, as ``all_messages_json()`` writes them: requests and responses."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from otap.formats.json.documents import Document
from otap.formats.json.paths import JsonPath
from otap.formats.steps import tables
from otap.formats.steps.content import message_texts, text_of
from otap.formats.steps.conversation import RawConversation, find_conversations

NAME = "pydantic-ai"
DESCRIPTION = "messages of Pydantic AI: a list, {'messages': [...]}, a list of these, or JSONL"
STEP = "each tool call of a response, those that the model's server ran included"
KNOWN_BY = "messages with 'kind' request or response, and 'parts'"

_KINDS = {"request": tables.USER, "response": tables.ASSISTANT}


def _is_request_or_response(value: Any) -> bool:
    if not isinstance(value, dict) or value.get("kind") not in tuple(_KINDS):
        return False
    parts = value.get("parts")
    return isinstance(parts, list) and all(
        isinstance(part, dict) and "part_kind" in part for part in parts[:1]
    )


def _named_conversations(document: Document) -> Iterator[RawConversation]:
    """Yields the conversations, named as their messages do where all that name one agree."""
    for kept in find_conversations(document, _is_request_or_response):
        messages = [place.object(value) for value, place in kept.messages]
        names = {str(message["run_id"]) for message in messages if message.get("run_id")}
        named = {"id": names.pop()} if len(names) == 1 else {}
        yield replace(kept, extra_fields={**named, **kept.extra_fields})


def _status_of_return(part: Mapping[str, Any]) -> tables.Status:
    """Returns how a call ended; before version 2 what is not to be tried again returned."""
    retried = part.get("part_kind") == "retry-prompt"
    return "error" if retried or part.get("outcome") not in (None, "success") else "ok"


def _add_prompt(message: tables.Message, part: dict[str, Any], place: JsonPath) -> None:
    """Adds what the user said; items of a prompt that are no text are pictures and files."""

    def text_in(item: Any, where: JsonPath) -> str | None:
        if isinstance(item, str):
            return item or None
        kind = where.object(item).get("kind")
        if kind == "text-content":
            return text_of(item, where, "content")
        message.note_part(kind)
        return None

    message.items += message_texts(part.get("content"), place["content"], text_in)


def _add_retry(message: tables.Message, part: dict[str, Any], place: JsonPath) -> None:
    """Adds what a call is to be tried again for; without a call it is no result."""
    if part.get("tool_name") is None:
        message.ignored.append("request to try again")
    else:
        _RETURN(message, part, place)


_CALL = tables.CallKeys("tool_name", ("args",), ("tool_call_id",))
_RETURN = tables.ResultKeys(
    ids=("tool_call_id",),
    name="tool_name",
    status=_status_of_return,
    clean=tables.identity,
    time="timestamp",
)
_DIALECT = tables.MessageSchema(
    _is_request_or_response,
    _KINDS,
    {
        "text": tables.TextKeys(("content",)),
        "user-prompt": _add_prompt,
        **dict.fromkeys(("tool-call", "builtin-tool-call"), _CALL),
        **dict.fromkeys(("tool-return", "builtin-tool-return"), _RETURN),
        "retry-prompt": _add_retry,
        "retry-feedback": "request to try again",
        **dict.fromkeys(("system-prompt", "instruction", "instruction-delta"), tables.SYSTEM),
        **dict.fromkeys(("instruction-baseline", "instruction-digest"), tables.SYSTEM),
        **dict.fromkeys(("tool-availability-delta", "capability-load-delta"), "list of tools"),
        "model-settings-delta": "setting",
        "compaction": "summary of what was before",
    },
    tables.parts_by_type("part_kind"),
    role="kind",
    content=("parts",),
    time="timestamp",
    joined_roles=(),
    text_continues_turn=False,
    find_conversations=_named_conversations,
)
recognises, read = _DIALECT.recognises, _DIALECT.read
