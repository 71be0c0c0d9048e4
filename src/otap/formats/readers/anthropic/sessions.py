"""The lines of a file of Claude Code, and which session each of them belongs to."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from otap.formats.json.places import Place

Line = tuple[dict[str, Any], Place]

_SPEAKERS = ("user", "assistant")


def text_at(value: dict[str, Any], key: str) -> str | None:
    """Returns a field that is text and not empty, or nothing."""
    text = value.get(key)
    return text if isinstance(text, str) and text else None


def is_spoken(line: dict[str, Any]) -> bool:
    """Says whether a line holds a message."""
    return line.get("type") in _SPEAKERS and isinstance(line.get("message"), dict)


def unfolded(line: dict[str, Any]) -> dict[str, Any]:
    """Returns the message of a sub-agent that a line of progress tells; any other line itself."""
    data = line.get("data")
    if line.get("type") != "progress" or not isinstance(data, dict):
        return line
    inner = data.get("message")
    if data.get("type") != "agent_progress" or not isinstance(inner, dict):
        return line
    around = {"isSidechain": True, "agentId": data.get("agentId")}
    names = {"parent_tool_use_id": line.get("parentToolUseID"), "sessionId": line.get("sessionId")}
    return {**inner, **around, **names}


def sessions(lines: Iterable[Line]) -> list[list[Line]]:
    """Returns the lines of each session, which is a conversation with a beginning of its own.

    A session that goes on under another id, as when it is resumed, is still the same.
    """
    sorting = _Sorting()
    for line in lines:
        sorting.add(line)
    return sorting.finish()


@dataclass(slots=True)
class _Sorting:
    _found: list[list[Line]] = field(default_factory=list)
    _by_id: dict[str, list[Line]] = field(default_factory=dict)
    _by_line: dict[str, list[Line]] = field(default_factory=dict)
    _waiting: list[Line] = field(default_factory=list)  # before the first message of their session

    def add(self, placed: Line) -> None:
        """Takes the next line."""
        line, _ = placed
        session = self._session(line)
        if session is None:
            self._waiting.append(placed)
            return
        session += [*self._waiting, placed]
        self._waiting.clear()
        for key in ("sessionId", "session_id"):
            if (name := text_at(line, key)) is not None:
                self._by_id.setdefault(name, session)
        if (own := text_at(line, "uuid")) is not None:
            self._by_line.setdefault(own, session)

    def finish(self) -> list[list[Line]]:
        """Returns the sessions; lines of which none has a message are one."""
        if self._waiting:
            (self._found or self._new())[-1].extend(self._waiting)
        return self._found or self._new()

    def _session(self, line: dict[str, Any]) -> list[Line] | None:
        """Returns the session of a line; nothing where only a later line can tell."""
        names = [name for key in ("sessionId", "session_id") if (name := text_at(line, key))]
        found = self._known(line, names)
        if found is not None:
            return found
        if is_spoken(line) and self._is_new(line, names):
            return self._new()[-1]
        return self._found[-1] if self._found and (is_spoken(line) or not names) else None

    def _known(self, line: dict[str, Any], names: list[str]) -> list[Line] | None:
        """Returns the session that has one of these ids, or the line that came before."""
        before = [text_at(line, key) or "" for key in ("parentUuid", "logicalParentUuid")]
        known = [self._by_id.get(name) for name in names]
        known += [self._by_line.get(name) for name in before]
        return next((session for session in known if session is not None), None)

    def _is_new(self, line: dict[str, Any], names: list[str]) -> bool:
        return not self._found or (bool(self._by_id) and self._begins(line, names))

    def _begins(self, line: dict[str, Any], names: list[str]) -> bool:
        """Says whether a session begins here: with the user's words, or in a stream as it says."""
        if not names or line.get("isSidechain") is True:
            return False
        opened = (one for one, _ in self._waiting if one.get("subtype") == "init")
        return line["type"] == "user" or any(one.get("session_id") in names for one in opened)

    def _new(self) -> list[list[Line]]:
        self._found.append([])
        return self._found
