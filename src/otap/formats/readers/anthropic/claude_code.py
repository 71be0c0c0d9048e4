"""Transcripts of Claude Code, and the stream of messages of its SDK."""

from collections.abc import Iterable, Iterator
from typing import Any

from otap.formats.json.documents import Document
from otap.formats.json.places import Place
from otap.formats.json.times import moment
from otap.formats.readers.anthropic.blocks import Message, Part
from otap.formats.readers.anthropic.refusals import reason_in, said_by_user
from otap.formats.readers.anthropic.sessions import Line, is_spoken, sessions, text_at, unfolded
from otap.formats.steps.definitions import tool_facts
from otap.formats.steps.nested import NestedRecorder
from otap.formats.steps.tokens import tokens_beside, tokens_of_all
from otap.trajectory import Tokens, Trajectory, parse_trajectory

NAME = "claude-code"
DESCRIPTION = "transcripts of Claude Code, as in ~/.claude/projects, and the stream of its SDK"
STEP = "each use of a tool; what a sub-agent did are the substeps of the call that started it"
KNOWN_BY = "lines with 'type' and 'message', or with 'sessionId'"

_SPEAKERS = ("user", "assistant")
_MARKS = ("isMeta", "isCompactSummary", "isSynthetic", "isVisibleInTranscriptOnly")
# Lines that say nothing of what was done, by the names of their types or how these begin.
_KNOWN = (
    *("progress", "api-request-blob", "api-request", "attachment", "summary", "system", "result"),
    *("file-history-snapshot", "attribution-snapshot", "queue-operation", "stream_event", "tag"),
    *("custom-title", "ai-title", "mode", "last-prompt", "permission-mode", "pr-link", "started"),
    *("rate_limit_event", "auth_status", "keep_alive", "worktree-state", "task-summary"),
    *("prompt_suggestion", "tool_progress", "tool_use_summary", "saved_hook_context"),
)
_BEGIN = ("control_", "agent-", "marble-", "content-replacement", "speculation-", "streamlined_")
_REPEATING = ("progress", "api-request-blob", "api-request", "attachment")
_DEFINED = ("tools", "mcp_servers")  # where a session begins: what could be called
_MESSAGES = ("tool_use", "tool_result")


def recognises(value: Any) -> bool:
    """Says whether this is a line of a transcript, a list or an object that begins with one."""
    first = _first(value)
    if isinstance(first, dict) and _first(first.get("messages")) is not None:
        first = _first(first["messages"])
    if not isinstance(first, dict) or not isinstance(first.get("type"), str):
        return False
    if first["type"] in _SPEAKERS:
        message = first.get("message")
        return isinstance(message, dict) and message.get("role") in _SPEAKERS
    written = (
        {"sessionId"},
        {"session_id", "subtype"},
        {"summary", "leafUuid"},
        {"snapshot", "messageId"},
        {"session_id", "uuid"},
    )
    if first["type"] == "control_request":
        return {"request_id", "request"} <= first.keys()
    return any(keys <= first.keys() for keys in written)


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns a run for each session that begins in the file."""
    value, place = document.value, document.place
    if isinstance(value, dict) and "messages" in value:
        messages = place["messages"].array(value["messages"])
        placed = [(line, place["messages"][index]) for index, line in enumerate(messages)]
    else:
        placed = list(document.items())
    lines = [(unfolded(where.object(line)), where) for line, where in placed]
    for found in sessions(lines):
        yield _run(found, place, reasoning)


def _run(lines: list[Line], place: Place, reasoning: bool) -> Trajectory:
    session = _Session(lines)
    recorder = NestedRecorder(reasoning)
    for message in session.messages():
        message.record(recorder)
    for line, _ in lines:
        _note(recorder, line)
    found = recorder.conversation()
    facts = tool_facts(*(line.get(key) for line, _ in lines for key in _DEFINED))
    metadata = {**_ended(lines), **found.metadata}
    fields = {**vars(found), "id": session.name(), "metadata": metadata, **facts}
    fields["tokens"] = session.tokens()
    return parse_trajectory(fields, str(place))


def _note(recorder: NestedRecorder, line: dict[str, Any]) -> None:
    """Notes a line without a message; one that holds calls all the same is not known."""
    if is_spoken(line):
        return
    kind = line.get("type")
    known = isinstance(kind, str) and (kind in _KNOWN or kind.startswith(_BEGIN))
    note = recorder.ignored if known and not _holds_calls(line) else recorder.unknown
    note(f"line of type '{kind}'")


def _holds_calls(line: dict[str, Any]) -> bool:
    """Says whether a line of no speaker has blocks of calls; requests that are kept repeat them."""
    message = line.get("message")
    blocks = message.get("content") if isinstance(message, dict) else None
    if line.get("type") in _REPEATING or not isinstance(blocks, list):
        return False
    return any(isinstance(block, dict) and block.get("type") in _MESSAGES for block in blocks)


def _ended(lines: list[Line]) -> dict[str, Any]:
    """Returns how a run of the stream ended, as its last line says."""
    ended = [line for line, _ in lines if line.get("type") == "result"]
    ending = text_at(ended[-1], "subtype") if ended else None
    return {} if ending is None else {"result": ending}


def _first(value: Any) -> Any:
    return (value[0] if value else None) if isinstance(value, list) else value


class _Session:
    """The lines of a file, and which call each sub-agent works for."""

    def __init__(self, lines: list[Line]) -> None:
        self._lines = lines
        self._spoken = list(_once(line for line in lines if is_spoken(line[0])))
        self._alone = all(_is_aside(line) for line, _ in self._spoken)
        self._chains = _chains(line for line, _ in lines)
        self._calls = self._links()

    def name(self) -> str | None:
        """Returns the id of the session; the file of a sub-agent has that of the sub-agent."""
        keys = ("agentId", "sessionId") if self._alone else ("sessionId", "session_id")
        found = ((key, line, place) for key in keys for line, place in self._lines if key in line)
        key, line, place = next(found, ("", {}, None))
        return place[key].label(line[key]) if place is not None else None

    def tokens(self) -> Tokens | None:
        """Returns what all answers cost, those of sub-agents too.

        Each line of an answer that was written in parts tells what it had cost until then.
        """
        latest: dict[str, Tokens | None] = {}
        for number, (line, _) in enumerate(self._spoken):
            message = line["message"]
            name = text_at(message, "id") or f"line {number}"
            latest[name] = tokens_beside(message) or latest.get(name)
        return tokens_of_all(latest.values())

    def messages(self) -> Iterator[Message]:
        """Returns the messages; one that was written in parts, a line each, is whole again."""
        latest: dict[str | None, tuple[str | None, list[Line]]] = {}
        whole: list[list[Line]] = []
        for line, place in self._spoken:
            if line["type"] == "assistant":
                agent, name = self._agent(line), text_at(line["message"], "id")
                known, parts = latest.get(agent, (None, []))
                if name is not None and name == known:
                    parts.append((line, place))
                    continue
                latest[agent] = name, (parts := [(line, place)])
                whole.append(parts)
            else:
                whole.append([(line, place)])
        for written in whole:
            yield self._message(written)
            yield from self._reasons(written)

    def _reasons(self, lines: list[Line]) -> Iterator[Message]:
        """Returns what the user said when he refused a call, which stands in its result."""
        line, place = lines[0]
        for block in _blocks(line) if self._agent(line) is None else ():
            said = reason_in(block.get("content"))
            if said is not None:
                yield Message([Part({"role": "user", "content": said}, place["message"])], {})

    def _message(self, lines: list[Line]) -> Message:
        line, place = lines[0]
        parts = [
            Part(_heard(each), at["message"], moment(each.get("timestamp"), at["timestamp"]))
            for each, at in lines
        ]
        agent = self._agent(line)
        inside = self._calls.get(agent, agent) if agent is not None else None
        names = ("attributionAgent", "subagent_type", "agentId")
        kept = {"line": place.line} if place.line is not None else {}
        return Message(
            parts,
            kept,
            agent=next((name for key in names if (name := text_at(line, key))), None),
            inside=inside,
            heard=self._is_heard(line, agent),
        )

    def _is_heard(self, line: dict[str, Any], agent: str | None) -> bool:
        """Whether the user wrote this: Claude Code marks most messages that it wrote itself."""
        if any(line.get(mark) is True for mark in _MARKS) or not _is_from_user(line):
            return False
        return self._alone or agent is None or agent in self._calls

    def _agent(self, line: dict[str, Any]) -> str | None:
        """Returns what tells the lines of one sub-agent from others; None for the main agent."""
        if not _is_aside(line):
            return None
        keys = ("parent_tool_use_id", "agentId")
        named = next((name for key in keys if (name := text_at(line, key))), None)
        return named or self._chains.get(text_at(line, "uuid") or "", "")

    def _links(self) -> dict[str, str]:
        """Returns the call that each sub-agent works for: by its result, else by its prompt."""
        prompts: dict[str, list[str]] = {}
        links: dict[str, str] = {}
        for line, _ in self._spoken:
            agent, text = self._agent(line), _prompt(line)
            if agent is not None and agent not in links and text is not None and prompts.get(text):
                links[agent] = prompts[text].pop(0)
            for block in _blocks(line):
                _note_prompt(block, prompts)
                report, call = line.get("toolUseResult"), text_at(block, "tool_use_id")
                named = text_at(report, "agentId") if isinstance(report, dict) else None
                if named is not None and call is not None:
                    links[named] = call
        return links


def _once(lines: Iterable[Line]) -> Iterator[Line]:
    """Leaves out lines that were written again, as when a session goes on."""
    seen: set[str] = set()
    for line, place in lines:
        name = text_at(line, "uuid")
        if name is None or name not in seen:
            yield line, place
        if name is not None:
            seen.add(name)


def _is_from_user(line: dict[str, Any]) -> bool:
    origin = line.get("origin")
    return not isinstance(origin, dict) or origin.get("kind") in (None, "human")


def _heard(line: dict[str, Any]) -> dict[str, Any]:
    """Returns a message without what Claude Code itself says in the user's name."""
    message: dict[str, Any] = line["message"]
    content = message.get("content")
    if line["type"] != "user":
        return message
    if isinstance(content, str):
        return message if said_by_user(content) else {**message, "content": ""}
    if not isinstance(content, list) or all(map(_is_heard_block, content)):
        return message
    return {**message, "content": [block for block in content if _is_heard_block(block)]}


def _is_heard_block(block: Any) -> bool:
    text = block.get("text") if isinstance(block, dict) else None
    return not isinstance(text, str) or said_by_user(text)


def _is_aside(line: dict[str, Any]) -> bool:
    return line.get("isSidechain") is True or text_at(line, "parent_tool_use_id") is not None


def _chains(lines: Iterable[dict[str, Any]]) -> dict[str, str]:
    """Returns for each line of a sub-agent the first line that it goes back to."""
    first: dict[str, str] = {}
    for line in lines:
        name = text_at(line, "uuid")
        if name is not None and _is_aside(line):
            first[name] = first.get(text_at(line, "parentUuid") or "", name)
    return first


def _blocks(line: dict[str, Any]) -> list[dict[str, Any]]:
    content = line["message"].get("content")
    blocks = content if isinstance(content, list) else []
    return [block for block in blocks if isinstance(block, dict)]


def _prompt(line: dict[str, Any]) -> str | None:
    """Returns what a message of the user says, if it is one text."""
    if line["type"] != "user":
        return None
    content = line["message"].get("content")
    if isinstance(content, list) and len(content) == 1 and isinstance(content[0], dict):
        content = content[0].get("text")
    return content if isinstance(content, str) else None


def _note_prompt(block: dict[str, Any], prompts: dict[str, list[str]]) -> None:
    """Notes a call that may have started a sub-agent."""
    asked, name = block.get("input"), text_at(block, "id")
    prompt = text_at(asked, "prompt") if isinstance(asked, dict) else None
    if prompt is not None and name is not None:
        prompts.setdefault(prompt, []).append(name)
