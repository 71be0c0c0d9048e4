"""Rollouts of OpenAI's Codex: its own record of a session."""

import re
import shlex
from collections.abc import Iterator
from typing import Any

from otap.formats.chats import Status, StatusKey
from otap.formats.content import drop_nulls, object_in, parse_inner, unless_blank, value_at
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonObject
from otap.formats.json.times import parse_time
from otap.formats.readers.openai_responses import ItemReader, lists_tools
from otap.formats.recorder import Recorder
from otap.formats.tokens import parse_usage
from otap.formats.tool_calls import status_of_exit_code
from otap.formats.tool_definitions import tool_facts
from otap.trajectory import Tokens, Trajectory

NAME = "codex"
DESCRIPTION = "rollouts of OpenAI's Codex, one session per file: ~/.codex/sessions/.../*.jsonl"
STEP = "each call in an item of a response"
KNOWN_BY = "lines with 'type' and 'payload'"

_LINES = ("session_meta", "response_item", "event_msg", "turn_context", "world_state", "compacted")
_SILENT = (
    *("session_meta", "turn_context", "world_state", "token_usage_record", "compacted"),
    *("inter_agent_communication", "inter_agent_communication_metadata"),
)
_ITEM_STATUS = StatusKey("status", {"completed": "ok", "failed": "error", "declined": "error"})
_PATCH_STATUS = StatusKey("success", {True: "ok", False: "error"})
# Outputs of commands begin with their exit code.
_EXIT_CODE = re.compile(
    r"(?:Exit code: |(?:(?:Chunk ID|Wall time):[^\n]{0,99}\n){1,3}Process exited with code )"
    r"(-?\d{1,10})\b"
)
# Suffixes of the types of events in which a call ended.
_CALL_EVENTS = ("exec_command_end", "tool_call_end", "patch_apply_end", "web_search_end")
_ABORTED = "aborted"
# Outputs of calls that were refused begin with one of these.
_NOT_RUN = (
    *("exec command rejected by user", "patch rejected by user"),
    *("unsupported call: ", "unsupported custom tool call: "),
)
# Codex writes these itself with the role of the user, in sessions without events of the user.
_GENERATED_PREFIXES = ("<environment_context>", "<user_instructions>", "# AGENTS.md instructions")


def recognises(value: Any) -> bool:
    """Returns whether this is a line of a rollout, or a list that begins with one."""
    first = first_of(value)
    if not isinstance(first, dict):
        return False
    if first.get("type") in _LINES and isinstance(first.get("payload"), dict):
        return True
    return isinstance(value, list) and _is_first_version(value)


def _is_first_version(lines: list[Any]) -> bool:
    """Returns whether a header comes first, then an item without an envelope."""
    if len(lines) < 2 or "type" in lines[0] or not {"id", "timestamp"} <= lines[0].keys():
        return False
    if "instructions" not in lines[0] and "git" not in lines[0]:
        return False
    item = lines[1]
    return isinstance(item, dict) and ("record_type" in item or item.get("type") == "message")


def _with_envelope(line: dict[str, Any]) -> dict[str, Any]:
    """Returns a line of the first versions in the form of later versions."""
    if "payload" in line or "record_type" in line:
        return line
    if "type" in line:
        return {"type": "response_item", "payload": line}
    return {"type": "session_meta", "payload": line, "timestamp": line.get("timestamp")}


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Yields the session as one run."""
    lines = [JsonObject(_with_envelope(line), path) for line, path in document.objects()]
    has_prompts = any(_prompt_of_event(event) for event in _payloads(lines, "event_msg"))
    reader = ItemReader(Recorder(reasoning))
    events = _CallEvents(lines)
    for index, line in enumerate(lines):
        time = parse_time(line.get("timestamp"), line.at("timestamp"))
        for event in _payload(line, "event_msg"):
            reader.user(_prompt_of_event(event))
            for item in events.items_of(event, reader.recorder):
                reader.read(item, line.at("payload"), {"line": index}, time)
        for item in _payload(line, "response_item"):
            is_prompt = item.get("type") == "message" and item.get("role") == "user"
            if not is_prompt or not (has_prompts or _is_generated(item)):
                reader.read(item, line.at("payload"), {"line": index}, time)
        _note_line(reader, line)
    _set_statuses(reader, lines)
    facts = tool_facts(*_tools_defined(lines))
    conversation = reader.conversation()  # completes the results that _set_statuses judges
    fields = {"id": _session_id(lines), **facts, "tokens": _tokens_of_session(lines)}
    yield conversation.to_trajectory(document.root, fields, {"parent": _parent_of(lines)})


def _note_line(reader: ItemReader, line: JsonObject) -> None:
    """Counts a line that is neither an item nor an event."""
    kind = line.get("type")
    if kind in _SILENT:
        reader.recorder.ignored(f"line of type '{kind}'")
    elif "record_type" in line.mapping:
        reader.recorder.ignored("state of the session")
    elif kind not in ("response_item", "event_msg"):
        reader.recorder.unknown(f"line of type '{kind}'")


class _CallEvents:
    """Reads the events of calls that no item of the session records, as those of scripts."""

    def __init__(self, lines: list[JsonObject]) -> None:
        items = list(_payloads(lines, "response_item"))
        self._ids = {
            item.get(key) for item in items for key in ("call_id", "id") if _has(item, key)
        }
        self._unnamed_searches = sum(
            item.get("type") == "web_search_call" and not _has(item, "id") for item in items
        )

    def items_of(self, event: dict[str, Any], recorder: Recorder) -> list[dict[str, Any]]:
        """Returns the items that would record the call of an event; none if the session has them.

        An event of another form counts as unknown, and a command of the user as ignored.
        """
        kind, call_id = event.get("type"), event.get("call_id")
        if not isinstance(kind, str) or not kind.endswith(_CALL_EVENTS):
            return []
        if isinstance(call_id, str) and call_id in self._ids:
            return []
        if kind == "web_search_end" and self._unnamed_searches:
            self._unnamed_searches -= 1
            return []
        if event.get("source") == "user_shell":
            recorder.ignored("command of the user")
            return []
        items = _items_of_call(event) if isinstance(call_id, str) else []
        if not items:
            recorder.unknown(f"event of type '{kind}'")
        self._ids |= {call_id} if items else set()
        return items


def _has(item: dict[str, Any], key: str) -> bool:
    return isinstance(item.get(key), str) and bool(item[key])


def _items_of_call(event: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns the call and the output in an event, in the form of items."""
    names = {"call_id": event["call_id"]}
    command, changes = event.get("command"), event.get("changes")
    invocation = object_in(event, "invocation")
    match event["type"]:
        case "web_search_end":
            action = event.get("action") or {"query": event.get("query")}
            return [{**names, "type": "web_search_call", "action": action, "status": "completed"}]
        case "mcp_tool_call_end" if _has(invocation, "tool"):
            result = object_in(event, "result")
            call = {
                **names,
                "type": "mcp_call",
                "name": invocation["tool"],
                "server_label": invocation.get("server"),
                "arguments": invocation.get("arguments") or {},
                "output": object_in(result, "Ok").get("content"),
                "error": result.get("Err"),
            }
            return [drop_nulls(call)]
        case "exec_command_end" if isinstance(command, list) and command:
            text = (
                command[-1] if command[1:2] in (["-lc"], ["-c"]) else shlex.join(map(str, command))
            )
            output = event.get("aggregated_output", event.get("stdout"))
            return _call_and_output(names, "exec_command", {"cmd": text}, output)
        case "patch_apply_end" if isinstance(changes, dict):
            return _call_and_output(names, "apply_patch", {"changes": changes}, event.get("stdout"))
    return []


def _call_and_output(
    names: dict[str, Any], tool: str, arguments: dict[str, Any], output: Any
) -> list[dict[str, Any]]:
    call = {**names, "type": "function_call", "name": tool, "arguments": arguments}
    return [call, {**names, "type": "function_call_output", "output": output}]


def _tokens_of_session(lines: list[JsonObject]) -> Tokens | None:
    """Returns the last total: each event has the tokens of the session so far."""
    for event in reversed(list(_payloads(lines, "event_msg"))):
        if event.get("type") == "token_count":
            tokens = parse_usage(object_in(event, "info").get("total_token_usage"))
            if tokens is not None:
                return tokens
    return None


def _session_id(lines: list[JsonObject]) -> str | None:
    """Returns the first id: a file that continues another session begins with its own id."""
    for line in lines:
        for session in _payload(line, "session_meta"):
            return line.at("payload").label_in(session, "id")
    return None


def _parent_of(lines: list[JsonObject]) -> str | None:
    """Returns the id of the session that started this one as a sub-agent, if one did."""
    for session in _payloads(lines, "session_meta"):
        keys = ("source", "subagent", "thread_spawn", "parent_thread_id")
        parent = value_at(session, keys) or session.get("parent_thread_id")
        return parent if isinstance(parent, str) else None
    return None


def _tools_defined(lines: list[JsonObject]) -> Iterator[Any]:
    """Yields the tool definitions of the session."""
    for session in _payloads(lines, "session_meta"):
        yield session.get("dynamic_tools")
    for item in _payloads(lines, "response_item"):
        if lists_tools(item):
            yield item


def _payloads(lines: list[JsonObject], kind: str) -> Iterator[dict[str, Any]]:
    return (payload for line in lines for payload in _payload(line, kind))


def _payload(line: JsonObject, kind: str) -> list[dict[str, Any]]:
    """Returns the payload of a line of this type, as a list of one or none."""
    payload = line.get("payload")
    return [payload] if line.get("type") == kind and isinstance(payload, dict) else []


def _completed_item(event: dict[str, Any]) -> dict[str, Any]:
    return object_in(event, "item") if event.get("type") == "item_completed" else {}


def _prompt_of_event(event: dict[str, Any]) -> list[str]:
    """Returns the user's message in an event; in older versions the event itself is the message."""
    texts = [event.get("message")] if event.get("type") == "user_message" else []
    item = _completed_item(event)
    if item.get("type") == "UserMessage":
        parts = item.get("content")
        parts = parts if isinstance(parts, list) else []
        texts = [part.get("text") for part in parts if isinstance(part, dict)]
    return unless_blank("\n".join(text for text in texts if isinstance(text, str)))


def _is_generated(prompt: dict[str, Any]) -> bool:
    """Returns whether Codex wrote this message itself, with the role of the user."""
    parts = prompt.get("content")
    text = value_at(parts, (0, "text")) if isinstance(parts, list) else None
    return isinstance(text, str) and text.startswith(_GENERATED_PREFIXES)


def _set_statuses(reader: ItemReader, lines: list[JsonObject]) -> None:
    """Sets the status of each call, which items leave out, from events or else from its output."""
    statuses: dict[str, Status] = {}
    for event in _payloads(lines, "event_msg"):
        call_id, status = _ending(event)
        if isinstance(call_id, str) and status is not None:
            statuses[call_id] = status
    for call in reader.calls:
        if call.status is None and call.id is not None:
            call.status = statuses.get(call.id)
        if call.status is None:
            call.status = _status_in_output(call.effect)
        if isinstance(call.effect, str) and call.effect.startswith(_NOT_RUN):
            call.notes["not_run"] = True


def _ending(event: dict[str, Any]) -> tuple[Any, Status]:
    """Returns the call that an event reports the end of, and its status."""
    item = _completed_item(event)
    if item:
        return item.get("id"), _ITEM_STATUS(item)
    if event.get("type") == "exec_command_end":
        return event.get("call_id"), status_of_exit_code(event.get("exit_code"))
    if event.get("type") == "mcp_tool_call_end":
        result = object_in(event, "result")
        has_failed = "Err" in result or value_at(result, ("Ok", "isError")) is True
        return event.get("call_id"), "error" if has_failed else "ok"
    if event.get("type") == "patch_apply_end":
        return event.get("call_id"), _PATCH_STATUS(event)
    return None, None


def _status_in_output(effect: Any) -> Status:
    """Returns the status by a refusal or the exit code in an output, in old versions as JSON."""
    if not isinstance(effect, str):
        return None
    if effect.startswith((_ABORTED, *_NOT_RUN)):
        return "error"
    code = _EXIT_CODE.match(effect)
    if code is not None:
        return status_of_exit_code(int(code[1]))
    output = parse_inner(effect) if effect.startswith('{"output"') else None
    return status_of_exit_code(object_in(output, "metadata").get("exit_code")) if output else None
