"""Messages of Pydantic AI, as ``all_messages_json()`` writes them: requests and responses."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from otap.formats import chats
from otap.formats.content import message_texts, text_of
from otap.formats.conversations import RawConversation, find_conversations
from otap.formats.json.documents import Document
from otap.formats.json.paths import JsonPath

NAME = "pydantic-ai"
DESCRIPTION = "messages of Pydantic AI: a list, {'messages': [...]}, a list of these, or JSONL"
STEP = "each tool call of a response, server-side calls included"
KNOWN_BY = "messages with 'kind' request or response, and 'parts'"

_KINDS = {"request": chats.USER, "response": chats.ASSISTANT}


def _is_request_or_response(message: Any) -> bool:
    if not isinstance(message, dict) or message.get("kind") not in tuple(_KINDS):
        return False
    parts = message.get("parts")
    return isinstance(parts, list) and all(
        isinstance(part, dict) and "part_kind" in part for part in parts[:1]
    )


def _named_conversations(document: Document) -> Iterator[RawConversation]:
    """Yields the conversations, with the run id of their messages if all ids are equal."""
    for conversation in find_conversations(document, _is_request_or_response):
        messages = [path.object(value) for value, path in conversation.messages]
        run_ids = {str(message["run_id"]) for message in messages if message.get("run_id")}
        names = {"id": run_ids.pop()} if len(run_ids) == 1 else {}
        yield replace(conversation, extra_fields={**names, **conversation.extra_fields})


def _status_of_return(part: Mapping[str, Any]) -> chats.Status:
    """Returns the status of a call; before version 2 only retry prompts mark failures."""
    is_retry = part.get("part_kind") == "retry-prompt"
    return "error" if is_retry or part.get("outcome") not in (None, "success") else "ok"


def _add_prompt(message: chats.Message, part: dict[str, Any], path: JsonPath) -> None:
    """Adds the text of the user; pictures and files in the prompt are only counted."""

    def text_in(content: Any, content_path: JsonPath) -> str | None:
        if isinstance(content, str):
            return content or None
        kind = content_path.object(content).get("kind")
        if kind == "text-content":
            return text_of(content, content_path, "content")
        message.note_part(kind)
        return None

    message.items += message_texts(part.get("content"), path["content"], text_in)


def _add_retry(message: chats.Message, part: dict[str, Any], path: JsonPath) -> None:
    """Adds a request to try a call again as its result; without a call it is only counted."""
    if part.get("tool_name") is None:
        message.ignored.append("request to try again")
    else:
        _RETURN(message, part, path)


_CALL = chats.CallKeys("tool_name", ("args",), ("tool_call_id",))
_RETURN = chats.ResultKeys(
    ids=("tool_call_id",),
    name="tool_name",
    status=_status_of_return,
    clean=chats.identity,
    time="timestamp",
)
_SCHEMA = chats.MessageSchema(
    _is_request_or_response,
    _KINDS,
    {
        "text": chats.TextKeys(("content",)),
        "user-prompt": _add_prompt,
        **dict.fromkeys(("tool-call", "builtin-tool-call"), _CALL),
        **dict.fromkeys(("tool-return", "builtin-tool-return"), _RETURN),
        "retry-prompt": _add_retry,
        "retry-feedback": "request to try again",
        **dict.fromkeys(("system-prompt", "instruction", "instruction-delta"), chats.SYSTEM),
        **dict.fromkeys(("instruction-baseline", "instruction-digest"), chats.SYSTEM),
        **dict.fromkeys(("tool-availability-delta", "capability-load-delta"), "list of tools"),
        "model-settings-delta": "setting",
        "compaction": "summary of earlier messages",
    },
    chats.parts_by_type("part_kind"),
    role="kind",
    content=("parts",),
    time="timestamp",
    joined_roles=(),
    text_continues_turn=False,
    find_conversations=_named_conversations,
)
recognises, read = _SCHEMA.recognises, _SCHEMA.read
