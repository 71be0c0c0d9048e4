"""Rollouts of OpenAI's Codex: the record of a session that it keeps itself."""

from collections.abc import Iterator
from typing import Any, Literal

from otap.formats.json.documents import Document, first_of
from otap.formats.json.places import Place
from otap.formats.json.times import moment
from otap.formats.readers.openai.items import ItemReader, lists_tools
from otap.formats.steps.definitions import tool_facts
from otap.formats.steps.nested import NestedRecorder
from otap.trajectory import Trajectory, parse_trajectory

NAME = "codex"
DESCRIPTION = "rollouts of OpenAI's Codex: ~/.codex/sessions/.../rollout-*.jsonl, a session each"
STEP = "each call that an item of a response makes"
KNOWN_BY = "lines with 'type' and 'payload'"

_LINES = ("session_meta", "response_item", "event_msg", "turn_context", "world_state", "compacted")
_ENDED: dict[Any, Literal["ok", "error"]] = {"completed": "ok", "failed": "error"}
# What Codex itself says in the user's name, in sessions that do not say who wrote what.
_NOT_THE_USER = ("<environment_context>", "<user_instructions>", "# AGENTS.md instructions")


def recognises(value: Any) -> bool:
    """Says whether this is a line of a rollout, or a list that begins with one."""
    first = first_of(value)
    return (
        isinstance(first, dict)
        and first.get("type") in _LINES
        and isinstance(first.get("payload"), dict)
    )


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns the session: one run."""
    lines = [(place.object(value), place) for value, place in document.items()]
    told = any(_prompt(event) for line, _ in lines for event in _payload(line, "event_msg"))
    reader = ItemReader(NestedRecorder(reasoning))
    for index, (line, place) in enumerate(lines):
        at = moment(line.get("timestamp"), place["timestamp"])
        for event in _payload(line, "event_msg"):
            reader.user(_prompt(event))
        for item in _payload(line, "response_item"):
            if not (_is_prompt(item) and (told or _is_not_the_users(item))):
                reader.read(item, place["payload"], {"line": index}, at)
    _judge(reader, lines)
    facts = tool_facts(*_defined(lines))
    fields = {**vars(reader.conversation()), "id": _name(lines), **facts}
    yield parse_trajectory(fields, str(document.place))


def _name(lines: list[tuple[dict[str, Any], Place]]) -> str | None:
    """Returns the id of the session; a file that goes on with another begins with its own."""
    for line, place in lines:
        for session in _payload(line, "session_meta"):
            return place["payload"]["id"].label(session.get("id"))
    return None


def _defined(lines: list[tuple[dict[str, Any], Place]]) -> Iterator[Any]:
    """Yields what the session says of the tools that it could call."""
    for line, _ in lines:
        for session in _payload(line, "session_meta"):
            yield session.get("dynamic_tools")
        yield from filter(lists_tools, _payload(line, "response_item"))


def _payload(line: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """Returns what a line holds, if it is of this kind."""
    payload = line.get("payload")
    return [payload] if line.get("type") == kind and isinstance(payload, dict) else []


def _item(event: dict[str, Any]) -> dict[str, Any]:
    item = event.get("item")
    return item if event.get("type") == "item_completed" and isinstance(item, dict) else {}


def _prompt(event: dict[str, Any]) -> list[str]:
    """Returns what the user said, if an event has it; in older versions it is an event itself."""
    if event.get("type") == "user_message":
        texts = [event.get("message")]
    elif _item(event).get("type") == "UserMessage":
        parts = _item(event).get("content")
        parts = parts if isinstance(parts, list) else []
        texts = [part.get("text") for part in parts if isinstance(part, dict)]
    else:
        return []
    said = "\n".join(text for text in texts if isinstance(text, str))
    return [said] if said.strip() else []


def _is_prompt(item: dict[str, Any]) -> bool:
    return item.get("type") == "message" and item.get("role") == "user"


def _is_not_the_users(item: dict[str, Any]) -> bool:
    parts = item.get("content")
    first = parts[0] if isinstance(parts, list) and parts else None
    text = first.get("text") if isinstance(first, dict) else None
    return isinstance(text, str) and text.startswith(_NOT_THE_USER)


def _judge(reader: ItemReader, lines: list[tuple[dict[str, Any], Place]]) -> None:
    """Takes from the events how calls ended: the items do not say."""
    completed = [_item(event) for line, _ in lines for event in _payload(line, "event_msg")]
    ended = {
        item["id"]: _ENDED[item["status"]]
        for item in completed
        if isinstance(item.get("id"), str) and item.get("status") in ("completed", "failed")
    }
    for call in reader.calls:
        if call.status is None and call.id is not None:
            call.status = ended.get(call.id)
