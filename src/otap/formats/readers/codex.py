"""Rollouts of OpenAI's Codex: the record of a session that it keeps itself."""

import re
from collections.abc import Iterator
from typing import Any

from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath
from otap.formats.json.times import parse_time
from otap.formats.readers.coding import status_of
from otap.formats.readers.openai_responses import ItemReader, lists_tools
from otap.formats.steps.content import object_in, parse_inner, unless_blank
from otap.formats.steps.definitions import tool_facts
from otap.formats.steps.recorder import Recorder
from otap.formats.steps.tables import Status, StatusKey
from otap.formats.steps.tokens import parse_usage
from otap.trajectory import Tokens, Trajectory, parse_trajectory

NAME = "codex"
DESCRIPTION = "rollouts of OpenAI's Codex: ~/.codex/sessions/.../rollout-*.jsonl, a session each"
STEP = "each call that an item of a response makes"
KNOWN_BY = "lines with 'type' and 'payload'"

_LINES = ("session_meta", "response_item", "event_msg", "turn_context", "world_state", "compacted")
_SILENT = (
    *("session_meta", "turn_context", "world_state", "token_usage_record", "compacted"),
    *("inter_agent_communication", "inter_agent_communication_metadata"),
)
_ENDED = StatusKey("status", {"completed": "ok", "failed": "error", "declined": "error"})
_DONE = StatusKey("success", {True: "ok", False: "error"})
# How outputs begin that say themselves how a command ended, and of calls that were not let run.
_CODE = re.compile(
    r"(?:Exit code: |(?:(?:Chunk ID|Wall time):[^\n]{0,99}\n){1,3}Process exited with code )"
    r"(-?\d{1,10})\b"
)
_OF_CALLS = ("exec_command_end", "tool_call_end", "patch_apply_end", "web_search_end")
_ABORTED = "aborted"
_NOT_RUN = (
    *("exec command rejected by user", "patch rejected by user"),
    *("unsupported call: ", "unsupported custom tool call: "),
)
# What Codex itself says in the user's name, in sessions that do not say who wrote what.
_NOT_THE_USER = ("<environment_context>", "<user_instructions>", "# AGENTS.md instructions")


def recognises(value: Any) -> bool:
    """Says whether this is a line of a rollout, or a list that begins with one."""
    first = first_of(value)
    if not isinstance(first, dict):
        return False
    if first.get("type") in _LINES and isinstance(first.get("payload"), dict):
        return True
    return isinstance(value, list) and _is_older(value)


def _is_older(lines: list[Any]) -> bool:
    """Says whether these are lines of the first versions: a head, then the items themselves."""
    head, *rest = lines
    about = {"id", "timestamp"} <= head.keys() and ("instructions" in head or "git" in head)
    return about and "type" not in head and bool(rest) and _is_older_line(rest[0])


def _is_older_line(line: Any) -> bool:
    return isinstance(line, dict) and ("record_type" in line or line.get("type") == "message")


def _as_later_line(line: dict[str, Any]) -> dict[str, Any]:
    """Returns a line of the first versions as later ones have it."""
    if "payload" in line or "record_type" in line:
        return line
    if "type" in line:
        return {"type": "response_item", "payload": line}
    return {"type": "session_meta", "payload": line, "timestamp": line.get("timestamp")}


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns the session: one run."""
    lines = [(_as_later_line(place.object(value)), place) for value, place in document.items()]
    told = any(map(_prompt_of_event, _payloads(lines, "event_msg")))
    reader = ItemReader(Recorder(reasoning))
    for index, (line, place) in enumerate(lines):
        at = parse_time(line.get("timestamp"), place["timestamp"])
        for event in _payload(line, "event_msg"):
            reader.user(_prompt_of_event(event))
        for item in _payload(line, "response_item"):
            if not (_is_prompt(item) and (told or _is_not_the_users(item))):
                reader.read(item, place["payload"], {"line": index}, at)
        _note_line(reader, line)
    _note_events(reader, lines)
    _judge_calls(reader, lines)
    facts = tool_facts(*_tools_defined(lines))
    fields = {**reader.conversation().trajectory_fields(), "id": _name_of_session(lines), **facts}
    fields["tokens"] = _tokens_of_session(lines)
    yield parse_trajectory(fields, str(document.root))


def _note_line(reader: ItemReader, line: dict[str, Any]) -> None:
    """Notes a line that is neither an item nor an event."""
    kind = line.get("type")
    if kind in _SILENT:
        reader.recorder.ignored(f"line of type '{kind}'")
    elif "record_type" in line:
        reader.recorder.ignored("state of the session")
    elif kind not in ("response_item", "event_msg"):
        reader.recorder.unknown(f"line of type '{kind}'")


def _note_events(reader: ItemReader, lines: list[tuple[dict[str, Any], JsonPath]]) -> None:
    """Notes the calls that only events tell of: of a session whose items were not kept."""
    for event in () if reader.calls else _payloads(lines, "event_msg"):
        kind = event.get("type")
        if isinstance(kind, str) and kind.endswith(_OF_CALLS):
            reader.recorder.unknown(f"event of type '{kind}'")


def _tokens_of_session(lines: list[tuple[dict[str, Any], JsonPath]]) -> Tokens | None:
    """Returns what the session cost: each event tells all that it cost until then."""
    events = _payloads(lines, "event_msg")
    counted = [object_in(event, "info") for event in events if event.get("type") == "token_count"]
    totals = [parse_usage(one.get("total_token_usage")) for one in counted]
    return next((one for one in reversed(totals) if one is not None), None)


def _name_of_session(lines: list[tuple[dict[str, Any], JsonPath]]) -> str | None:
    """Returns the id of the session; a file that goes on with another begins with its own."""
    for line, place in lines:
        for session in _payload(line, "session_meta"):
            return place["payload"]["id"].label(session.get("id"))
    return None


def _tools_defined(lines: list[tuple[dict[str, Any], JsonPath]]) -> Iterator[Any]:
    """Yields what the session says of the tools that it could call."""
    for session in _payloads(lines, "session_meta"):
        yield session.get("dynamic_tools")
    yield from filter(lists_tools, _payloads(lines, "response_item"))


def _payloads(lines: list[tuple[dict[str, Any], JsonPath]], kind: str) -> Iterator[dict[str, Any]]:
    return (payload for line, _ in lines for payload in _payload(line, kind))


def _payload(line: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """Returns what a line holds, if it is of this kind."""
    payload = line.get("payload")
    return [payload] if line.get("type") == kind and isinstance(payload, dict) else []


def _completed_item(event: dict[str, Any]) -> dict[str, Any]:
    item = event.get("item")
    return item if event.get("type") == "item_completed" and isinstance(item, dict) else {}


def _prompt_of_event(event: dict[str, Any]) -> list[str]:
    """Returns what the user said, if an event has it; in older versions it is an event itself."""
    texts = [event.get("message")] if event.get("type") == "user_message" else []
    item = _completed_item(event)
    if item.get("type") == "UserMessage":
        parts = item.get("content")
        parts = parts if isinstance(parts, list) else []
        texts = [part.get("text") for part in parts if isinstance(part, dict)]
    return unless_blank("\n".join(text for text in texts if isinstance(text, str)))


def _is_prompt(item: dict[str, Any]) -> bool:
    return item.get("type") == "message" and item.get("role") == "user"


def _is_not_the_users(item: dict[str, Any]) -> bool:
    parts = item.get("content")
    first = parts[0] if isinstance(parts, list) and parts else None
    text = first.get("text") if isinstance(first, dict) else None
    return isinstance(text, str) and text.startswith(_NOT_THE_USER)


def _judge_calls(reader: ItemReader, lines: list[tuple[dict[str, Any], JsonPath]]) -> None:
    """Takes from the events how calls ended, else from what came back: the items do not say."""
    told = dict(filter(None, map(_ending, _payloads(lines, "event_msg"))))
    for call in reader.calls:
        if call.status is None and call.id is not None:
            call.status = told.get(call.id)
        if call.status is None:
            call.status = _status_told(call.effect)
        if isinstance(call.effect, str) and call.effect.startswith(_NOT_RUN):
            call.notes["not_run"] = True


def _ending(event: dict[str, Any]) -> tuple[str, Status] | None:
    """Returns the call that an event says the end of, and how it ended."""
    name, status = event.get("call_id"), None
    if item := _completed_item(event):
        name, status = item.get("id"), _ENDED(item)
    elif event.get("type") == "exec_command_end":
        status = status_of(event.get("exit_code"))
    elif event.get("type") == "patch_apply_end":
        status = _DONE(event)
    return (name, status) if isinstance(name, str) and status is not None else None


def _status_told(effect: Any) -> Status:
    """Returns what an output says itself: a code, in the first versions as JSON, or a refusal."""
    if not isinstance(effect, str):
        return None
    if effect.startswith((_ABORTED, *_NOT_RUN)):
        return "error"
    code = _CODE.match(effect)
    if code is not None:
        return status_of(int(code[1]))
    value = parse_inner(effect) if effect.startswith('{"output"') else None
    return status_of(object_in(value, "metadata").get("exit_code")) if value else None
