"""Sessions of goose: JSONL with a line about each, exports, and rows of its database."""

from collections.abc import Iterator, Mapping
from typing import Any

from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath
from otap.formats.steps import tables
from otap.formats.steps.calls import Result, parse_call
from otap.formats.steps.content import join_texts, list_at, parse_inner
from otap.formats.steps.conversation import RawConversation
from otap.formats.steps.tables import Message

NAME = "goose"
DESCRIPTION = "sessions of goose: JSONL, what it exports as JSON, or rows of its database"
STEP = "each tool request of the agent"
KNOWN_BY = "messages with 'role', 'created' and typed parts, or rows with 'content_json'"

_LISTS = ("conversation", "messages")
_LEFT_OUT = {"extension_data", "accumulated_total_tokens", "total_tokens", "message_count"}


def _is_goose_message(value: Any) -> bool:
    """Says whether this is a message, or a row that has its content as a text."""
    if not isinstance(value, dict) or value.get("role") not in ("user", "assistant"):
        return False
    if isinstance(value.get("content_json"), str):
        return True
    parts = value.get("content")
    has_parts = isinstance(parts, list) and all(
        isinstance(part, dict) and "type" in part for part in parts
    )
    return has_parts and type(value.get("created")) is int


def _is_about(value: Any) -> bool:
    """Says whether this is the line that says what a session is about."""
    return isinstance(value, dict) and {"working_dir", "message_count"} <= value.keys()


def _messages_of(value: Any) -> list[Any]:
    return value if isinstance(value, list) else next(filter(None, _lists_in(value)), [])


def _lists_in(value: Any) -> Iterator[list[Any]]:
    return (list_at(value, key) for key in _LISTS)


def recognises(value: Any) -> bool:
    """Says whether this is a session, or begins as one."""
    return _is_about(first_of(value)) or DIALECT.recognises(value)


def _sessions(document: Document) -> Iterator[RawConversation]:
    """Yields each session with its messages; a line about one begins the next."""
    about: dict[str, Any] = {}
    messages: list[tuple[Any, JsonPath]] = []
    begun, session = False, None
    for value, place in document.items():
        one = place.object(value)
        if one.get("role") in ("user", "assistant"):
            if one.get("session_id") != session and messages:  # a row of another one
                yield RawConversation(messages, about, document.root)
                messages = []
            session = one.get("session_id")
            about = {"id": session} if session is not None else about
            messages.append((_with_parts(one), place))
            continue
        if begun or messages:
            yield RawConversation(messages, about, document.root)
        about, messages, begun = _what_is_kept(one), [], True
        for key in _LISTS:
            listed = place[key].objects(one.get(key) if isinstance(one.get(key), list) else None)
            messages += [(_with_parts(message), where) for message, where in listed]
    if begun or messages:
        yield RawConversation(messages, about, document.root)


def _what_is_kept(about: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in about.items() if key not in {*_LISTS, *_LEFT_OUT}}
    return {key: value for key, value in kept.items() if value not in (None, "", [], {})}


def _with_parts(message: dict[str, Any]) -> dict[str, Any]:
    """A message with its parts, which a row of the database has as JSON in a text."""
    if "content_json" not in message:
        return message
    return {**message, "content": parse_inner(message["content_json"])}


def _add_request(message: Message, part: dict[str, Any], place: JsonPath) -> None:
    where = place["toolCall"]
    told = where.object(part.get("toolCall") or {})
    called = where["value"].object(told.get("value") or told)
    identifier = place["id"].label(part.get("id"))
    call = parse_call(called.get("name"), called.get("arguments"), identifier, where["name"])
    message.items.append(call)
    if told.get("status") == "error":  # it asked for what is no call
        message.items.append(Result(identifier, None, told.get("error"), "error", waits=True))


def _add_response(message: Message, part: dict[str, Any], place: JsonPath) -> None:
    told = place["toolResult"].object(part.get("toolResult") or {})
    value, failed = told.get("value"), told.get("status") == "error"
    if isinstance(value, dict) and "content" in value:
        failed = failed or value.get("isError") is True or value.get("is_error") is True
        value = value["content"]
    content = told.get("error") if value is None else join_texts(value)
    status: tables.Status = "error" if failed else "ok"
    message.items.append(Result(place["id"].label(part.get("id")), None, content, status))


DIALECT = tables.MessageSchema(
    _is_goose_message,
    tables.speakers(),
    {
        "text": tables.TextKeys(),
        **dict.fromkeys(("toolRequest", "frontendToolRequest"), _add_request),
        "toolResponse": _add_response,
        "toolConfirmationRequest": "question for a confirmation",
        **dict.fromkeys(("thinking", "redactedThinking", "reasoning"), "thought"),
        **dict.fromkeys(("systemNotification", "contextLengthExceeded"), "notice"),
        **dict.fromkeys(("summarizationRequested", "conversationCompacted"), "notice"),
    },
    tables.parts_by_type("type"),
    joined_roles=(tables.USER, tables.ASSISTANT),
    find_conversations=_sessions,
    messages_in=_messages_of,
)
read = DIALECT.read
