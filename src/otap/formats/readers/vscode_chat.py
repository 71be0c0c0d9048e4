"""Chats of Copilot in VS Code, as the editor stores them: a session, or the log of its changes.

The shape is that of ``chatSessions/*.json`` (session version 3; ``chatService.ts`` in
github.com/microsoft/vscode) and of ``chatSessions/*.jsonl``, which VS Code writes since 1.109: the
session, followed by the changes to it.
"""

from collections.abc import Iterator
from typing import Any

from otap.formats.chats import Status
from otap.formats.content import drop_nulls, list_at, object_in, unless_blank, value_at
from otap.formats.conversations import RawConversation
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonObject
from otap.formats.json.times import time_from_epoch
from otap.formats.recorder import Recorder
from otap.formats.tool_calls import ToolCall, ToolResult, parse_call
from otap.trajectory import Trajectory

NAME = "vscode-chat"
DESCRIPTION = "chats of Copilot in VS Code: chatSessions/*.json or .jsonl, or an export of a chat"
STEP = "each tool call; the calls of a sub-agent are substeps of the call that started it"
KNOWN_BY = "'requests' with 'message' and 'response', or lines with 'kind' and such a session"

_SET, _PUSH, _DELETE = 1, 2, 3  # kinds of changes; 0 is the session itself
_SUBAGENT = "runSubagent"
_CALL = "toolInvocationSerialized"
_NAMES = {"sessionId": "id", "customTitle": "title"}
_TEXTS = ("markdownContent", "text", "markdown")
# Parts of a response that show what happened, or wait for the user.
_DISPLAYED = (
    *("progressMessage", "progressTask", "progressTaskSerialized", "prepareToolInvocation"),
    *("inlineReference", "codeblockUri", "undoStop", "mcpServersStarting", "confirmation"),
    *("elicitation", "elicitationSerialized", "warning", "reference", "references", "command"),
    *("markdownVuln", "treeData", "multiDiffData", "pullRequest", "codeCitation", "hook"),
    *("questionCarousel", "notebookEditGroup", "textEditGroup", "workspaceEdit", "extensions"),
    *("usedContext", "contentReference", "autoModeResolution", "disabledClaudeHooks"),
)


def recognises(value: Any) -> bool:
    """Returns whether this is a session, the log of one, or a list that begins with one."""
    first = first_of(value)
    if not isinstance(first, dict):
        return False
    if first.get("kind") == 0 and isinstance(first.get("v"), dict):
        return _is_session(first["v"])
    return _is_session(first) and bool(first["requests"])


def _is_session(value: dict[str, Any]) -> bool:
    requests = value.get("requests")
    has_name = "sessionId" in value or "initialLocation" in value
    if not isinstance(requests, list) or not has_name:
        return False
    return all(isinstance(request, dict) and "message" in request for request in requests[:1])


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Yields one trajectory for each session."""
    first = first_of(document.value)
    if "kind" in first:
        session = _replay([change.mapping for change in document.objects()])
        yield _read_session(JsonObject(session, document.root), reasoning)
        return
    for item in document.objects():
        yield _read_session(item, reasoning)


def _replay(changes: list[dict[str, Any]]) -> dict[str, Any]:
    """Returns the session after all changes. A change to a missing object has no effect."""
    state: dict[str, Any] = {}
    for change in changes:
        keys, value = list_at(change, "k"), change.get("v")
        if change.get("kind") == 0 and isinstance(value, dict):
            state = value
        elif keys:
            _apply(value_at(state, keys[:-1]), keys[-1], change)
        elif change.get("kind") == _PUSH and isinstance(value, list):
            state.setdefault("requests", []).extend(value)  # a file that was cut down by a tool
    return state


def _apply(parent: Any, key: Any, change: dict[str, Any]) -> None:
    """Applies one change to the member of an object or a list."""
    kind, value = change.get("kind"), change.get("v")
    is_member = isinstance(parent, dict) and isinstance(key, str)
    if isinstance(parent, list) and type(key) is int:
        is_member = 0 <= key < len(parent)
    if not is_member:
        return
    if kind == _SET:
        parent[key] = value
    elif kind == _DELETE and isinstance(parent, dict):
        parent.pop(key, None)
    elif kind == _PUSH:
        items = parent.setdefault(key, []) if isinstance(parent, dict) else parent[key]
        if isinstance(items, list):
            if type(change.get("i")) is int:
                del items[max(0, change["i"]) :]
            items.extend(value if isinstance(value, list) else [])


def _read_session(session: JsonObject, reasoning: bool) -> Trajectory:
    recorder = Recorder(reasoning)
    for request in session.objects("requests"):
        _read_request(recorder, request)
    names = {name: session.get(key) for key, name in _NAMES.items()}
    raw = RawConversation([], drop_nulls(names), session.path)
    return raw.to_trajectory(recorder.conversation())


def _read_request(recorder: Recorder, request: JsonObject) -> None:
    """Records a message of the user and the answer to it: its rounds if they are recorded."""
    message = request.get("message")
    text = message.get("text") if isinstance(message, dict) else message
    recorder.user(unless_blank(text))
    parts = request.objects("response")
    invocations = [part for part in parts if part.get("kind") == _CALL]
    metadata = request.object("result").object("metadata")
    rounds = metadata.objects("toolCallRounds")
    has_calls = any(turn.get("toolCalls") for turn in rounds)
    if rounds and (has_calls or not invocations):
        ids = _read_rounds(recorder, rounds, metadata.object("toolCallResults"))
        _read_unlisted(recorder, invocations, ids)
        _note_parts(recorder, parts)
    else:
        _read_parts(recorder, parts)
    recorder.add_usage(request.object("result").mapping)
    if request.object("result").get("errorDetails") is not None:
        recorder.ignored("answer that ended in an error")


def _read_rounds(
    recorder: Recorder, rounds: list[JsonObject], results: JsonObject
) -> set[str | None]:
    """Records each round: the model's text, its calls, and their results. Returns their ids."""
    ids: set[str | None] = set()
    for turn in rounds:
        calls = []
        for call in turn.objects("toolCalls"):
            name, arguments = call.get("name"), call.get("arguments")
            calls.append(parse_call(name, arguments, call.label("id"), call.at("name")))
        recorder.assistant(unless_blank(turn.get("response")), calls)
        for called in calls:
            ids.add(called.id)
            result = results.object_if_any(called.id or "")
            if result is not None:
                content = _texts_in(result.get("content"))
                recorder.tool_result(ToolResult(called.id, called.tool, content), {})
    return ids


def _texts_in(content: Any) -> Any:
    """Returns the texts of a result, joined; prompt trees of VS Code hold them in nodes."""
    texts: list[str] = []
    for part in content if isinstance(content, list) else ():
        value = part.get("value") if isinstance(part, dict) else None
        if isinstance(value, str):
            texts.append(value)
        elif isinstance(value, dict):
            texts.append("".join(_leaves(value)))
    return "\n".join(texts) if texts else content


def _leaves(tree: Any) -> Iterator[str]:
    """Yields the texts in a tree of VS Code's prompts, in order."""
    pending = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            if isinstance(node.get("text"), str):
                yield node["text"]
            pending += reversed([*list_at(node, "children"), *list_at(node, "node", "children")])


def _read_unlisted(recorder: Recorder, invocations: list[JsonObject], ids: set[str | None]) -> None:
    """Records the calls of sub-agents, which no round lists, and counts the others."""
    displayed = 0
    for part, parent in zip(invocations, _parents_of(invocations), strict=True):
        if parent is not None and part.label("toolCallId") not in ids:
            call, result = _invocation(part)
            inner = recorder.in_call(parent)
            inner.assistant((), [call])
            if result is not None:
                inner.tool_result(result, {})
        else:
            displayed += 1
    # Older versions give a call another id in the response.
    listed_count = min(displayed, len(ids))
    if listed_count:
        recorder.ignored("display of a call", listed_count)
    if displayed > listed_count:
        recorder.unknown("tool call that no round lists", displayed - listed_count)


def _parents_of(invocations: list[JsonObject]) -> list[str | None]:
    """Returns the call that contains each call. Versions before 1.109 only say that one does."""
    parents: list[str | None] = []
    subagent = None  # the last call that started one
    for part in invocations:
        parent = part.label("subAgentInvocationId")
        is_inside = part.get("fromSubAgent") is True
        parents.append(subagent if parent is None and is_inside else parent)
        if not is_inside and part.get("toolId") == _SUBAGENT:
            subagent = part.label("toolCallId")
    return parents


def _read_parts(recorder: Recorder, parts: list[JsonObject]) -> None:
    """Records the parts of a response, if the rounds are not recorded."""
    texts: list[str] = []
    parents = iter(_parents_of([part for part in parts if part.get("kind") == _CALL]))
    for part in parts:
        if part.get("kind") == _CALL:
            call, result = _invocation(part)
            inner = recorder.in_call(next(parents))
            inner.assistant(["".join(texts)] if texts else (), [call])
            texts = []
            if result is not None:
                inner.tool_result(result, {})
        else:
            texts += _text_of(part)
    if "".join(texts).strip():
        recorder.assistant(["".join(texts)])
    _note_parts(recorder, parts)


def _text_of(part: JsonObject) -> list[str]:
    """Returns the text of a part of the answer: a bare value, or one under ``content``."""
    if part.get("kind") not in (None, *_TEXTS):
        return []
    value = part.get("value")
    if value is None:
        value = value_at(part.mapping, ("content", "value"))
    return [value] if isinstance(value, str) else []


def _note_parts(recorder: Recorder, parts: list[JsonObject]) -> None:
    """Counts the parts of a response that are neither text nor call."""
    for part in parts:
        kind = part.get("kind")
        if kind == "thinking":
            recorder.ignored("thought")
        elif kind in _DISPLAYED:
            recorder.ignored("display of the editor")
        elif kind not in (None, _CALL, *_TEXTS):
            recorder.unknown(f"part of kind '{kind}'")


def _invocation(part: JsonObject) -> tuple[ToolCall, ToolResult | None]:
    """Returns the call that a part displays, and its result if the editor keeps it."""
    data, details = part.object("toolSpecificData"), object_in(part.mapping, "resultDetails")
    name = next((part.get(key) for key in ("toolId", "toolName") if part.get(key)), None)
    call = parse_call(name, _arguments_of(data, details), part.label("toolCallId"), part.path)
    call.started_at = time_from_epoch(part.get("startTime"), 1e-3)
    output = details.get("output")
    if data.get("kind") == "subagent" and output is None:
        output = data.get("result")
    elif data.get("kind") == "terminal" and output is None:
        output = value_at(data.mapping, ("terminalCommandOutput", "text"))
    failed = details.get("isError") is True or _is_denied(part.get("isConfirmed"))
    code = value_at(data.mapping, ("terminalCommandState", "exitCode"))
    failed = failed or (type(code) is int and code != 0)
    if output is None and not failed:
        return call, None
    status: Status = "error" if failed else None
    return call, ToolResult(call.id, call.tool, _texts_in(output), status)


def _arguments_of(data: JsonObject, details: dict[str, Any]) -> Any:
    """Returns the arguments of a displayed call, which the editor keeps for some tools only."""
    if data.get("rawInput") is not None:
        return data.get("rawInput")
    if details.get("input") is not None:
        return details["input"]
    if data.get("kind") == "terminal":
        line = data.get("commandLine")
        command = data.get("command") if line is None else line
        return {"command": command.get("original") if isinstance(command, dict) else command}
    if data.get("kind") == "subagent":
        return drop_nulls({key: data.get(key) for key in ("description", "prompt")})
    return None


def _is_denied(confirmed: Any) -> bool:
    """Returns whether the user denied or skipped a call."""
    return confirmed is False or (isinstance(confirmed, dict) and confirmed.get("type") in (0, 5))
