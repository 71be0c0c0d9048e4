"""Transcripts of Claude Code, and the stream of messages of its SDK."""

from collections.abc import Iterable, Iterator
from typing import Any

from otap.formats.json.documents import Document
from otap.formats.json.places import Place
from otap.formats.json.times import moment
from otap.formats.readers.anthropic.blocks import Message, Part
from otap.formats.steps.definitions import tool_facts
from otap.formats.steps.nested import NestedRecorder
from otap.trajectory import Trajectory, parse_trajectory

NAME = "claude-code"
DESCRIPTION = "transcripts of Claude Code, as in ~/.claude/projects, and the stream of its SDK"
STEP = "each use of a tool; what a sub-agent did are the substeps of the call that started it"
KNOWN_BY = "lines with 'type' and 'message', or with 'sessionId'"

_SPEAKERS = ("user", "assistant")
_DEFINED = ("tools", "mcp_servers")  # where a session begins: what could be called

_Line = tuple[dict[str, Any], Place]


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
    )
    return any(keys <= first.keys() for keys in written)


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns the session: one run."""
    value, place = document.value, document.place
    if isinstance(value, dict) and "messages" in value:
        messages = place["messages"].array(value["messages"])
        placed = [(line, place["messages"][index]) for index, line in enumerate(messages)]
    else:
        placed = list(document.items())
    lines = [(where.object(line), where) for line, where in placed]
    session = _Session(lines)
    recorder = NestedRecorder(reasoning)
    for message in session.messages():
        message.record(recorder)
    facts = tool_facts(*(line.get(key) for line, _ in lines for key in _DEFINED))
    fields = {**vars(recorder.conversation()), "id": session.name(), **facts}
    yield parse_trajectory(fields, str(place))


def _first(value: Any) -> Any:
    return (value[0] if value else None) if isinstance(value, list) else value


class _Session:
    """The lines of a file, and which call each sub-agent works for."""

    def __init__(self, lines: list[_Line]) -> None:
        self._lines = lines
        self._spoken = list(_once(line for line in lines if _is_spoken(line[0])))
        self._alone = all(_is_aside(line) for line, _ in self._spoken)
        self._chains = _chains(line for line, _ in lines)
        self._calls = self._links()

    def name(self) -> str | None:
        """Returns the id of the session; the file of a sub-agent has that of the sub-agent."""
        keys = ("agentId", "sessionId") if self._alone else ("sessionId", "session_id")
        found = ((key, line, place) for key in keys for line, place in self._lines if key in line)
        key, line, place = next(found, ("", {}, None))
        return place[key].label(line[key]) if place is not None else None

    def messages(self) -> Iterator[Message]:
        """Returns the messages; one that was written in parts, a line each, is whole again."""
        latest: dict[str | None, tuple[str | None, list[_Line]]] = {}
        whole: list[list[_Line]] = []
        for line, place in self._spoken:
            if line["type"] == "assistant":
                agent, name = self._agent(line), _text_at(line["message"], "id")
                known, parts = latest.get(agent, (None, []))
                if name is not None and name == known:
                    parts.append((line, place))
                    continue
                latest[agent] = name, (parts := [(line, place)])
                whole.append(parts)
            else:
                whole.append([(line, place)])
        return (self._message(parts) for parts in whole)

    def _message(self, lines: list[_Line]) -> Message:
        line, place = lines[0]
        parts = [
            Part(each["message"], at["message"], moment(each.get("timestamp"), at["timestamp"]))
            for each, at in lines
        ]
        agent = self._agent(line)
        inside = self._calls.get(agent, agent) if agent is not None else None
        names = ("attributionAgent", "subagent_type", "agentId")
        kept = {"line": place.line} if place.line is not None else {}
        return Message(
            parts,
            kept,
            agent=next((name for key in names if (name := _text_at(line, key))), None),
            inside=inside,
            heard=self._is_heard(line, agent),
        )

    def _is_heard(self, line: dict[str, Any], agent: str | None) -> bool:
        """Whether the user wrote this: Claude Code marks most messages that it wrote itself."""
        if line.get("isMeta") is True or line.get("isCompactSummary") is True:
            return False
        return self._alone or agent is None or agent in self._calls

    def _agent(self, line: dict[str, Any]) -> str | None:
        """Returns what tells the lines of one sub-agent from others; None for the main agent."""
        if not _is_aside(line):
            return None
        keys = ("parent_tool_use_id", "agentId")
        named = next((name for key in keys if (name := _text_at(line, key))), None)
        return named or self._chains.get(_text_at(line, "uuid") or "", "")

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
                report, call = line.get("toolUseResult"), _text_at(block, "tool_use_id")
                named = _text_at(report, "agentId") if isinstance(report, dict) else None
                if named is not None and call is not None:
                    links[named] = call
        return links


def _once(lines: Iterable[_Line]) -> Iterator[_Line]:
    """Leaves out lines that were written again, as when a session goes on."""
    seen: set[str] = set()
    for line, place in lines:
        name = _text_at(line, "uuid")
        if name is None or name not in seen:
            yield line, place
        if name is not None:
            seen.add(name)


def _is_spoken(line: dict[str, Any]) -> bool:
    return line.get("type") in _SPEAKERS and isinstance(line.get("message"), dict)


def _is_aside(line: dict[str, Any]) -> bool:
    return line.get("isSidechain") is True or _text_at(line, "parent_tool_use_id") is not None


def _chains(lines: Iterable[dict[str, Any]]) -> dict[str, str]:
    """Returns for each line of a sub-agent the first line that it goes back to."""
    first: dict[str, str] = {}
    for line in lines:
        name = _text_at(line, "uuid")
        if name is not None and _is_aside(line):
            first[name] = first.get(_text_at(line, "parentUuid") or "", name)
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
    asked, name = block.get("input"), _text_at(block, "id")
    prompt = _text_at(asked, "prompt") if isinstance(asked, dict) else None
    if prompt is not None and name is not None:
        prompts.setdefault(prompt, []).append(name)


def _text_at(value: dict[str, Any], key: str) -> str | None:
    text = value.get(key)
    return text if isinstance(text, str) and text else None
