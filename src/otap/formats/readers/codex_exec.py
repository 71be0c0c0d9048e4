"""Events of ``codex exec --json``: the stream of OpenAI's Codex when it runs as a command.

The shapes are those of ``exec_events.rs`` in github.com/openai/codex since 0.44. Its first versions
name the type of an item ``item_type``, and the agent's message ``assistant_message``.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from otap.formats.chats import Status, StatusKey
from otap.formats.content import drop_nulls, join_texts, object_in, unless_blank
from otap.formats.events import EventLog
from otap.formats.json.documents import first_of
from otap.formats.json.paths import JsonObject, JsonPath
from otap.formats.tool_calls import ToolCall, ToolResult, command_call, new_call, parse_call

NAME = "codex-exec"
DESCRIPTION = "events of 'codex exec --json': one session of OpenAI's Codex, an event a line"
STEP = "each item that runs a command, changes files, calls a tool or searches the web"
KNOWN_BY = "events of type 'thread.started' or 'item.completed', with an 'item'"

_ITEM_EVENTS = ("item.started", "item.updated", "item.completed")
_STATUS = StatusKey("status", {"completed": "ok", "failed": "error", "declined": "error"})
_IGNORED_ITEMS = {"reasoning": "thought", "todo_list": "list of things to do", "error": "notice"}
_WEB_KEYS = ("url", "pattern")  # of a search that opens a page, or looks for words in it
_TEXTS = ("agent_message", "assistant_message", "plan")


def recognises(value: Any) -> bool:
    """Returns whether this is an event, or a list that begins with one."""
    first = first_of(value)
    if not isinstance(first, dict):
        return False
    if first.get("type") == "thread.started":
        return "thread_id" in first
    item = first.get("item")
    return (
        first.get("type") in _ITEM_EVENTS and isinstance(item, dict) and _type_of(item) is not None
    )


def _type_of(item: Mapping[str, Any]) -> Any:
    return item.get("type", item.get("item_type"))


class _CodexThread(EventLog):
    silent = ("turn.", "error", "item.plan.")

    def __init__(self, path: JsonPath, reasoning: bool) -> None:
        super().__init__(path, reasoning)
        self._items: dict[str, str] = {}  # the kind of item with each id
        self._has_events = False

    def is_end(self, event: JsonObject) -> bool:
        return bool(event.get("type") == "thread.started" and self._has_events)

    def add(self, event: JsonObject) -> None:
        self._has_events = True
        super().add(event)

    def _read_start(self, event: JsonObject) -> None:
        self.fields = drop_nulls({"id": event.get("thread_id")})

    def _read_end_of_turn(self, event: JsonObject) -> None:
        self.recorder.add_usage(event.mapping)
        self.recorder.ignored("end of a turn")

    def _read_item(self, event: JsonObject) -> None:
        """Records an item when it first appears, and its result when it is completed."""
        item = event.object("item")
        kind, is_completed = _type_of(item.mapping), event.get("type") == "item.completed"
        if kind in _TEXTS:
            if is_completed:
                self.recorder.assistant(unless_blank(item.get("text")))
            return
        call = _call_of(item)
        if call is None:
            if is_completed or event.get("type") == "item.started":
                self._note_item(kind)
            return
        if call.id is None or self._items.get(call.id) != kind:
            self.recorder.assistant((), [call])
            self._items[call.id or ""] = str(kind)
        if is_completed:
            self._add_result(call, item)

    def _note_item(self, kind: Any) -> None:
        if kind in tuple(_IGNORED_ITEMS):
            self.recorder.ignored(_IGNORED_ITEMS[kind])
        else:
            self.recorder.unknown(f"item of type '{kind}'")

    def _add_result(self, call: ToolCall, item: JsonObject) -> None:
        status: Status = _STATUS(item.mapping)
        if _type_of(item.mapping) == "command_execution":
            content = item.get("aggregated_output")
        else:
            error = object_in(item.mapping, "error")
            result = item.get("result")
            content = result.get("content") if isinstance(result, dict) else result
            content = error.get("message", content)
            status = "error" if error else status
        result = ToolResult(call.id, call.tool, join_texts(content), status)
        self.recorder.tool_result(result, {"item": _type_of(item.mapping)})

    def _read_question(self, event: JsonObject) -> None:
        """Records a question to the user, which is an event of its own."""
        arguments = {"questions": event.get("questions")}
        call = new_call("request_user_input", arguments, event.label("call_id"), event.path)
        self.recorder.assistant((), [call])

    readers: ClassVar = {
        "thread.started": _read_start,
        "turn.completed": _read_end_of_turn,
        "request_user_input": _read_question,
        **dict.fromkeys(_ITEM_EVENTS, _read_item),
    }


def _call_of(item: JsonObject) -> ToolCall | None:
    """Returns the call in an item, or None if the item is no call."""
    call_id, kind = item.label("id"), _type_of(item.mapping)
    if kind == "command_execution":
        return command_call(item.text("command"), call_id)
    if kind == "file_change":
        return new_call("apply_patch", {"changes": item.get("changes")}, call_id, item.path)
    if kind == "web_search":
        action = object_in(item.mapping, "action")
        arguments = {"query": item.get("query"), **{key: action.get(key) for key in _WEB_KEYS}}
        return new_call("web_search", drop_nulls(arguments), call_id, item.path)
    if kind == "mcp_tool_call":
        tool = item.text("tool")
        name = f"{item.text('server')}__{tool}" if item.get("server") else tool
        return parse_call(name, item.get("arguments"), call_id, item.at("tool"))
    if kind == "collab_tool_call":
        arguments = {key: item.get(key) for key in ("prompt", "receiver_thread_ids")}
        return new_call(item.text("tool"), drop_nulls(arguments), call_id, item.at("tool"))
    return None


read = _CodexThread.read
