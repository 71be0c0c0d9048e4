"""Events of ``opencode run --format json``: the stream of opencode as a command.

The shape is that of ``packages/opencode/src/cli/cmd/run.ts`` since 1.0, seen in Hona/opencode: each
event has a part of a message. Events of sub-agents are not among them.
"""

from typing import Any, ClassVar

from otap.formats.chats import Message
from otap.formats.events import EventLog
from otap.formats.json.documents import first_of
from otap.formats.json.paths import JsonObject
from otap.formats.readers import opencode

NAME = "opencode-run"
DESCRIPTION = "events of 'opencode run --format json': one session, an event a line"
STEP = "each part in which the agent calls a tool"
KNOWN_BY = "events with 'sessionID' and a 'part'"


def recognises(value: Any) -> bool:
    """Returns whether this is an event, or a list that begins with one."""
    first = first_of(value)
    return isinstance(first, dict) and "sessionID" in first and isinstance(first.get("part"), dict)


class _OpencodeRun(EventLog):
    silent = ("error",)

    def _read_part(self, event: JsonObject) -> None:
        if not self.fields and event.get("sessionID"):
            self.fields = {"id": event.get("sessionID")}
        part = event.object("part")
        message = Message("assistant")
        opencode.SCHEMA.add_part(message, part.mapping, part.path)
        if part.get("type") == "step-finish":
            self.recorder.add_usage(part.mapping)
        if message.items:
            opencode.SCHEMA.record(self.recorder, message, {"event": event.get("type")})
        else:
            self.recorder.note(message.unknown, message.ignored)

    readers: ClassVar = dict.fromkeys(
        ("text", "tool_use", "reasoning", "step_start", "step_finish"), _read_part
    )


read = _OpencodeRun.read
