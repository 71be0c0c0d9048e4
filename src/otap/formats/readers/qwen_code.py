"""Sessions of Qwen Code: records with a message in the form of Google's Gemini API.

The shape is that of ``~/.qwen/projects/.../chats/*.jsonl`` (``ChatRecord``) since version 0.5.
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

NAME = "qwen-code"
DESCRIPTION = "sessions of Qwen Code: ~/.qwen/projects/.../chats/*.jsonl"
STEP = "each function call of the model"
KNOWN_BY = "records with 'uuid', 'sessionId' and a 'message' with 'parts'"


def recognises(value: Any) -> bool:
    """Returns whether this is a record, or a list that begins with one."""
    first = first_of(value)
    if not isinstance(first, dict) or not {"uuid", "sessionId", "type"} <= first.keys():
        return False
    return isinstance(object_in(first, "message").get("parts"), list)


class _QwenSession(EventLog):
    silent = ("system",)

    def _read_message(self, record: JsonObject) -> None:
        if not self.fields:
            names = {"id": record.get("sessionId"), "cwd": record.get("cwd")}
            self.fields = drop_nulls(names)
        self.recorder.add_usage(record.mapping)
        message = gemini.SCHEMA.read_message(*record.object("message"))
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
