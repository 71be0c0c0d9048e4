"""Rows for the evaluators of Azure AI: the query, the answer and the tool calls of an agent.

The shapes are those of azure-ai-evaluation 1.5 to 1.13 (github.com/Azure/azure-sdk-for-python): the
data that its converter of agents writes (``_converters/_models.py``), the samples of its
documentation, and the rows in the output of ``evaluate``.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from otap.formats import chats
from otap.formats.content import join_texts, object_in, parse_inner
from otap.formats.conversations import RawConversation
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonObject, JsonPath
from otap.formats.tool_calls import ToolResult, parse_call
from otap.trajectory import Trajectory

NAME = "azure-ai-evaluation"
DESCRIPTION = "rows for Azure AI's evaluators of agents, or their results: a list, or JSONL"
STEP = "each tool call in the response"
KNOWN_BY = "'query' and 'response', with parts of type 'tool_call' or 'tool_definitions'"

_COLUMNS = ("query", "response", "tool_calls", "tool_definitions")
_NAMES = ("id", "task", "task_id", "trial")
_CALL_TYPE, _RESULT_TYPE = "tool_call", "tool_result"


def recognises(value: Any) -> bool:
    """Returns whether this is a row, results with rows, or a list that begins with a row."""
    first = first_of(value)
    if not isinstance(first, dict):
        return False
    rows = first.get("rows")
    return _is_row(first_of(rows) if isinstance(rows, list) and rows else first)


def _is_row(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    columns = {column: _column(value, column) for column in _COLUMNS}
    response, calls = columns["response"], columns["tool_calls"]
    if columns["query"] is None or not (isinstance(response, list) or calls is not None):
        return False
    return (
        columns["tool_definitions"] is not None or _has_parts(response) or _is_call(first_of(calls))
    )


def _column(row: dict[str, Any], name: str) -> Any:
    """Returns a column, which results name ``inputs.query``, and which may be JSON in a text."""
    value = row.get(name, row.get(f"inputs.{name}"))
    is_json = isinstance(value, str) and value.lstrip()[:1] in ("[", "{")
    return parse_inner(value, value) if is_json else value


def _has_parts(response: Any) -> bool:
    """Returns whether a response is a list of messages of which a part is a call or a result."""
    messages = response if isinstance(response, list) else []
    parts = (
        part
        for message in messages
        if isinstance(message, dict) and isinstance(message.get("content"), list)
        for part in message["content"]
    )
    return any(_is_call(part) or _type_of(part) == _RESULT_TYPE for part in parts)


def _is_call(part: Any) -> bool:
    return _type_of(part) == _CALL_TYPE and ("tool_call" in part or "tool_call_id" in part)


def _type_of(part: Any) -> Any:
    return part.get("type") if isinstance(part, dict) else None


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Yields one trajectory for each row."""
    for item in document.objects():
        rows = item.objects("rows") if isinstance(item.get("rows"), list) else [item]
        for row in rows:
            yield _read_row(row, reasoning)


def _read_row(row: JsonObject, reasoning: bool) -> Trajectory:
    messages = [
        *_messages(_column(row.mapping, "query"), "user", row.at("query")),
        *_messages(_column(row.mapping, "response"), "assistant", row.at("response")),
    ]
    calls = _column(row.mapping, "tool_calls")
    if isinstance(calls, dict):
        calls = [calls]
    if isinstance(calls, list) and not _has_parts([message for message, _ in messages]):
        message = {"role": "assistant", "content": calls}
        index = next((i for i, (m, _) in enumerate(messages) if m.get("role") == "assistant"), None)
        messages.insert(len(messages) if index is None else index, (message, row.at("tool_calls")))
    names = {key: row.get(key) for key in _NAMES if row.get(key) is not None}
    definitions = _column(row.mapping, "tool_definitions")
    raw = RawConversation(messages, names, row.path, (definitions,))
    return raw.to_trajectory(_SCHEMA.read_messages(messages, reasoning=reasoning))


def _messages(column: Any, role: str, path: JsonPath) -> list[tuple[dict[str, Any], JsonPath]]:
    """Returns the messages of a column: a list of them, or a text of this role."""
    if column is None:
        return []
    if isinstance(column, list):
        return list(path.objects(column))
    if isinstance(column, dict):
        return [(column, path)]
    return [({"role": role, "content": column}, path)]


def _parts_of(part: dict[str, Any], path: JsonPath) -> Iterable[chats.Part]:
    kind = part.get("type")
    if kind in ("input_text", "output_text"):
        kind = "text"
    return [(kind, part, path)]


def _add_call(message: chats.Message, part: dict[str, Any], path: JsonPath) -> None:
    """Adds a call, in the part or under ``tool_call``, with a function of its own or without."""
    call = JsonObject(part, path)
    if isinstance(part.get("tool_call"), dict):
        call = call.object("tool_call")
    call_id = call.label("id") or call.label("tool_call_id") or JsonObject(part, path).label("id")
    function = object_in(call.mapping, "function") or call.mapping
    name = function.get("name", call.get("type") if call.mapping is not part else None)
    arguments = function.get("arguments", call.get(str(call.get("type"))))
    message.items.append(parse_call(name, arguments, call_id, call.at("name")))


def _results_of(message: dict[str, Any], path: JsonPath) -> list[ToolResult]:
    """Returns the results in a message of a tool."""
    content, message_id = message.get("content"), path.label_in(message, "tool_call_id")
    if not isinstance(content, list):
        return [ToolResult(message_id, None, content)]
    results = []
    for part, part_path in path["content"].objects(content):
        call_id = part_path.label_in(part, "tool_call_id") or message_id
        result = part.get("tool_result", part.get("text"))
        results.append(ToolResult(call_id, None, join_texts(result)))
    return results


_SCHEMA = chats.MessageSchema(
    lambda message: chats.has_role(message, ("system", "user", "assistant", "tool", "developer")),
    chats.speakers(system="system developer", tool="tool"),
    {"text": chats.TextKeys(), _CALL_TYPE: _add_call},
    _parts_of,
    results_of_message=_results_of,
    joined_roles=(chats.USER, chats.ASSISTANT),
    time="createdAt",
)
