"""Events of GitHub's Copilot CLI and SDK: one session per file, one event per line."""

from typing import Any, ClassVar

from otap.formats.chats import Status
from otap.formats.content import drop_nulls, join_texts, object_in, unless_blank, value_at
from otap.formats.events import EventLog
from otap.formats.json.documents import first_of
from otap.formats.json.paths import JsonObject, JsonPath
from otap.formats.json.times import parse_time
from otap.formats.tool_calls import ToolCall, ToolResult, parse_call

NAME = "copilot-cli"
DESCRIPTION = "events of GitHub's Copilot CLI: ~/.copilot/session-state/.../events.jsonl"
STEP = "each tool request of the assistant, and each execution without a request"
KNOWN_BY = "events with 'type', 'data' and 'parentId'"


def recognises(value: Any) -> bool:
    """Returns whether this is an event, or a list that begins with one."""
    first = first_of(value)
    if not isinstance(first, dict) or not {"type", "data", "parentId"} <= first.keys():
        return False
    return isinstance(first["type"], str) and "." in first["type"]


class _CopilotSession(EventLog):
    silent = (
        *("session.", "assistant.", "tool.execution_p", "system.", "hook.", "pending_", "abort"),
        "subagent.",
    )

    def __init__(self, path: JsonPath, reasoning: bool) -> None:
        super().__init__(path, reasoning)
        self._requested_ids: set[str | None] = set()

    def is_end(self, event: JsonObject) -> bool:
        return bool(event.get("type") == "session.start")

    def _read_start(self, event: JsonObject) -> None:
        data = event.object("data").mapping
        self.fields = drop_nulls({"id": data.get("sessionId"), **object_in(data, "context")})

    def _read_prompt(self, event: JsonObject) -> None:
        data = event.object("data")
        parent = data.label("parentToolCallId")
        recorder = self.recorder.in_call(parent)
        if parent is None or recorder is not self.recorder:
            recorder.user(unless_blank(data.get("content")))
        else:
            self.recorder.interrupted()
            self.recorder.ignored("message to a sub-agent")

    def _read_answer(self, event: JsonObject) -> None:
        data = event.object("data")
        calls = [_call_in(request, "name") for request in data.objects("toolRequests")]
        self._requested_ids.update(call.id for call in calls)
        parent, texts = data.label("parentToolCallId"), unless_blank(data.get("content"))
        self.recorder.in_call(parent).assistant(texts, calls, is_hidden=parent is not None)

    def _read_execution(self, event: JsonObject) -> None:
        """Records an execution that no answer requested, as those of sub-agents."""
        data = event.object("data")
        call = _call_in(data, "toolName")
        if call.id is None or call.id not in self._requested_ids:
            self.recorder.in_call(data.label("parentToolCallId")).assistant((), [call])

    def _read_result(self, event: JsonObject) -> None:
        data, time = event.object("data"), parse_time(event.get("timestamp"), event.at("timestamp"))
        failed = data.get("success") is False
        content = value_at(data.mapping, ("error", "message") if failed else ("result", "content"))
        status: Status = "error" if failed else "ok"
        result = ToolResult(data.label("toolCallId"), None, join_texts(content), status, time)
        self.recorder.tool_result(result, {"event": "tool.execution_complete"})

    readers: ClassVar = {
        "session.start": _read_start,
        "user.message": _read_prompt,
        "assistant.message": _read_answer,
        "tool.execution_start": _read_execution,
        "tool.execution_complete": _read_result,
    }


def _call_in(fields: JsonObject, name_key: str) -> ToolCall:
    name, arguments = fields.get(name_key), fields.get("arguments")
    return parse_call(name, arguments, fields.label("toolCallId"), fields.at(name_key))


read = _CopilotSession.read
