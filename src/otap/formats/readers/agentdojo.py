"""Logs of AgentDojo's benchmark: one task of a suite in a file, with utility and security.

The shape is that of ``TaskResults`` in agentdojo 0.1.20 to 0.1.35, and of 300 public runs of its
fork AgentDyn.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from otap.formats import chats
from otap.formats.conversations import RawConversation
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath
from otap.formats.tool_calls import ToolResult
from otap.trajectory import Trajectory

NAME = "agentdojo"
DESCRIPTION = "logs of AgentDojo: a user task of a suite, with utility and security"
STEP = "each tool call of the assistant"
KNOWN_BY = "'suite_name' and 'user_task_id' beside 'messages'"

_NO_ATTACK = "none"  # as in the paths of the files
_CALL = chats.CallKeys("function", ("args",))


def recognises(value: Any) -> bool:
    """Returns whether this is a log, or a list that begins with one."""
    first = first_of(value)
    if not isinstance(first, dict) or not isinstance(first.get("messages"), list):
        return False
    return {"suite_name", "user_task_id"} <= first.keys()


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Yields one trajectory for each log."""
    for log in document.objects():
        messages = log.at("messages").items(log.get("messages"))
        raw = RawConversation(messages, _fields_of(log.mapping), log.at("messages"))
        yield raw.to_trajectory(_SCHEMA.read_messages(raw.messages, reasoning=reasoning))


def _fields_of(log: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the other fields, with the task and the id as the paths of the files have them."""
    attack = log.get("attack_type") or _NO_ATTACK
    injection = log.get("injection_task_id") or _NO_ATTACK
    task = f"{log['suite_name']}/{log['user_task_id']}"
    fields = {key: value for key, value in log.items() if key not in ("messages", "injections")}
    return {**fields, "task": task, "id": f"{task}/{attack}/{injection}"}


def _parts_of(part: dict[str, Any], path: JsonPath) -> Iterable[chats.Part]:
    return [("text" if "content" in part else part.get("type"), part, path)]


def _add_calls(message: chats.Message, value: dict[str, Any], path: JsonPath) -> None:
    if message.role == "assistant":
        for call, call_path in path["tool_calls"].objects(value.get("tool_calls")):
            message.items.append(_CALL.read(call, call_path))


def _results_of(message: dict[str, Any], path: JsonPath) -> list[ToolResult]:
    """Returns the result in a message. A call that raised an error has its text beside."""
    call_id = path.label_in(message, "tool_call_id")
    call = message.get("tool_call")
    tool = call.get("function") if isinstance(call, dict) else None
    content, error = message.get("content"), message.get("error")
    if isinstance(content, list):
        texts = [part.get("content") for part in content if isinstance(part, dict)]
        content = "\n".join(text for text in texts if isinstance(text, str))
    failed = error is not None
    name = tool if isinstance(tool, str) else None
    return [ToolResult(call_id, name, error if failed else content, "error" if failed else "ok")]


_SCHEMA = chats.MessageSchema(
    lambda message: chats.has_role(message, ("system", "user", "assistant", "tool")),
    chats.speakers(system="system", tool="tool"),
    {"text": chats.TextKeys(("content",)), "thinking": "thought", "redacted_thinking": "thought"},
    _parts_of,
    read_extra_fields=_add_calls,
    results_of_message=_results_of,
    joined_roles=(chats.USER, chats.ASSISTANT),
)
