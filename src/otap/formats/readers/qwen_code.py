"""Sessions of Qwen Code: records with a message in the form of Google's Gemini API.

The shape is that of ``~/.qwen/projects/.../chats/*.jsonl`` (``ChatRecord`` in
``packages/core/src/services/chatRecordingService.ts`` of github.com/QwenLM/qwen-code) since 0.5.
"""

from typing import Any, ClassVar

from otap.formats.chats import Message
from otap.formats.content import drop_nulls, object_in
from otap.formats.events import EventLog
from otap.formats.json.documents import first_of
from otap.formats.json.paths import JsonObject
from otap.formats.json.times import parse_time
from otap.formats.readers import gemini
from otap.formats.tool_calls import ToolResult

_MAX_RECORDS = 100  # in which a message may show the format
# Records of type 'user' that the program writes.
_OF_PROGRAM = ("notification", "cron", "background_task_completed", "goal_runtime")

NAME = "qwen-code"
DESCRIPTION = "sessions of Qwen Code: ~/.qwen/projects/.../chats/*.jsonl"
STEP = "each function call of the model"
KNOWN_BY = "records with 'uuid', 'sessionId' and a 'message' with 'parts'"


def recognises(value: Any) -> bool:
    """Returns whether this is a record, or a list that begins with one."""
    records = value[:_MAX_RECORDS] if isinstance(value, list) else [value]
    first = first_of(value)
    if not isinstance(first, dict) or not {"uuid", "sessionId", "type"} <= first.keys():
        return False
    if "message" in first:
        return _has_parts(first)
    return first["type"] == "system" and any(_has_parts(record) for record in records)


def _has_parts(record: Any) -> bool:
    """Returns whether a record has a message in the form of Google's API."""
    return isinstance(record, dict) and isinstance(object_in(record, "message").get("parts"), list)


class _QwenSession(EventLog):
    silent = ("system",)

    def _read_message(self, record: JsonObject) -> None:
        if not self.fields:
            names = {"id": record.get("sessionId"), "cwd": record.get("cwd")}
            self.fields = drop_nulls(names)
        if record.get("type") == "user" and record.get("subtype") in _OF_PROGRAM:
            self.recorder.ignored("message of the program")
            return
        if "message" not in record.mapping:
            self.recorder.unknown(f"record of type '{record.get('type')}' without a message")
            return
        self.recorder.add_usage(record.mapping)
        message = gemini.SCHEMA.read_message(*record.object("message"))
        agent = record.get("agentName")
        message.agent = agent if isinstance(agent, str) else None
        message.is_hidden = record.get("isSidechain") is True
        time = parse_time(record.get("timestamp"), record.at("timestamp"))
        failed = object_in(record.mapping, "toolCallResult").get("status") in ("error", "cancelled")
        for index, item in enumerate(message.items):
            if isinstance(item, ToolResult):
                status = "error" if failed else item.status
                message.items[index] = item._replace(status=status, ended_at=time)
        self._record(message, str(record.get("type")))

    def _record(self, message: Message, kind: str) -> None:
        gemini.SCHEMA.record(self.recorder, message, {"record": kind})

    readers: ClassVar = dict.fromkeys(("user", "assistant", "tool_result"), _read_message)


read = _QwenSession.read
