"""Finds the sessions that coding agents store on this machine.

Each agent has a folder below the user's home, which an environment variable can move. Most write
one file a session, which the format of the agent reads. opencode writes a file for each part of a
message, or a database; its session is assembled as ``opencode export`` writes it.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from otap.errors import FormatError, LimitError, shown, shown_path
from otap.formats.json.documents import Document, check_limits
from otap.formats.json.paths import JsonPath
from otap.formats.limits import LIMITS
from otap.formats.registry import load_format
from otap.formats.trace_files import TraceFile, open_files, read_document

LATEST = "latest"
MAX_LISTED = 5  # sessions in an error
MIN_ID = 4  # characters of the beginning of an id
MAX_PARTS = 200_000  # messages and parts of one session
_OPENCODE = "opencode"
_DATABASE = "opencode.db"


class _Store(NamedTuple):
    """The sessions of one agent: patterns of files below its folder.

    Attributes:
        agent: the name of the agent.
        variable: the environment variable that names the folder's parent.
        parent: the parent, if the variable is not set, below the user's home.
        folder: the folder.
        patterns: the files of sessions, below the folder.
    """

    agent: str
    variable: str
    parent: str
    folder: str
    patterns: tuple[str, ...]


_STORES = (
    _Store("Claude Code", "CLAUDE_CONFIG_DIR", ".claude", "projects", ("*/*.jsonl",)),
    _Store("Codex", "CODEX_HOME", ".codex", "sessions", ("*/*/*/rollout-*.jsonl",)),
    _Store(
        "Gemini CLI", "GEMINI_CLI_HOME", "", ".gemini/tmp",
        ("*/chats/session-*.json", "*/chats/session-*.jsonl"),
    ),
    _Store(
        "Copilot CLI", "COPILOT_HOME", ".copilot", "",
        ("session-state/*/events.jsonl", "session-state/*.jsonl", "history-session-state/*.json"),
    ),
    _Store(
        _OPENCODE, "XDG_DATA_HOME", ".local/share", "opencode",
        ("storage/session/*/ses_*.json", _DATABASE),
    ),
)  # fmt: skip
_SUB_AGENT = "agent-"  # the beginning of the names of files of sub-agents


@dataclass(frozen=True)
class Session:
    """A session of a coding agent.

    Attributes:
        agent: the name of the agent.
        id: the id of the session, or the name of its file.
        path: the file of the session.
        modified: the time of its last change, in seconds since 1970.
    """

    agent: str
    id: str
    path: Path
    modified: float


def find_session(name: str, environment: Mapping[str, str] = os.environ) -> Session:
    """Returns a session by its name.

    Args:
        name: "latest" for the one that changed last; an id, or the beginning of an id; or the path
            of a file.
        environment: the environment variables.

    Raises:
        FormatError: if there is no such session, or several; lists the latest sessions.
    """
    if name != LATEST and Path(name).is_file():
        return Session("file", Path(name).stem, Path(name), Path(name).stat().st_mtime)
    sessions = sorted(list_sessions(environment), key=lambda s: (-s.modified, str(s.path), s.id))
    if name == LATEST:
        matches = sessions[:1]
    else:
        matches = [s for s in sessions if name == s.id]
        if not matches and len(name) >= MIN_ID:
            matches = [s for s in sessions if _has_word(s.id, name)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise FormatError(f"--session {shown(name)}: several sessions match: {_list(matches)}")
    if not sessions:
        folders = ", ".join(shown_path(folder) for _, folder in _folders(environment))
        raise FormatError(f"--session: no session of a coding agent in {folders}; name a file")
    raise FormatError(f"--session: no session '{shown(name)}'; the latest are {_list(sessions)}")


def list_sessions(environment: Mapping[str, str] = os.environ) -> Iterator[Session]:
    """Yields the sessions of all agents, without those of sub-agents.

    Args:
        environment: the environment variables.

    Raises:
        FormatError: if the database of an agent cannot be read.
    """
    for store, folder in _folders(environment):
        for path in (path for pattern in store.patterns for path in folder.glob(pattern)):
            if path.name == _DATABASE:
                yield from _sessions_of_database(path)
            elif path.is_file() and not path.name.startswith(_SUB_AGENT):
                name = path.parent.name if path.name == "events.jsonl" else path.stem
                yield Session(store.agent, name, path, path.stat().st_mtime)


def open_session(session: Session, *, format: str | None = None) -> list[TraceFile]:
    """Opens a session as a file of runs.

    Args:
        session: the session.
        format: the name of its format (default: recognised from the file).

    Raises:
        FormatError: if it cannot be read.
        LimitError: if it has too many parts.
    """
    if session.agent != _OPENCODE:
        return list(open_files(session.path, format=format))
    is_database = session.path.name == _DATABASE
    rows = _rows_of_database(session) if is_database else _rows_of_files(session)
    root = JsonPath(shown_path(session.path))
    value = check_limits(_assemble(rows), root, LIMITS)
    digest = hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
    return [TraceFile(Document(str(session.path), value, digest), load_format(_OPENCODE))]


def _folders(environment: Mapping[str, str]) -> Iterator[tuple[_Store, Path]]:
    """Yields each store with its folder."""
    for store in _STORES:
        parent = environment.get(store.variable) or Path.home() / store.parent
        yield store, Path(parent) / store.folder


def _has_word(identifier: str, start: str) -> bool:
    """Returns whether an id begins with a text, or has it after a hyphen."""
    return identifier.startswith(start) or f"-{start}" in identifier


def _list(sessions: list[Session]) -> str:
    names = [f"{s.id} ({s.agent}, {shown_path(s.path)})" for s in sessions[:MAX_LISTED]]
    more = f" and {len(sessions) - MAX_LISTED} more" if len(sessions) > MAX_LISTED else ""
    return f"{', '.join(shown(name, 200) for name in names)}{more}"


class _Rows(NamedTuple):
    """The parts of a session: its info, its messages, and the parts of each message by its id."""

    info: dict[str, Any]
    messages: list[tuple[str, Any]]
    parts: dict[str, list[Any]]


def _assemble(rows: _Rows) -> dict[str, Any]:
    messages = [
        {"info": message, "parts": rows.parts.get(identifier, [])}
        for identifier, message in rows.messages
    ]
    return {"info": rows.info, "messages": messages}


def _rows_of_files(session: Session) -> _Rows:
    """Reads the files of a session, each of which is named after the id of its content."""
    storage = session.path.parents[2]
    messages = sorted((storage / "message" / session.id).glob("*.json"))
    parts: dict[str, list[Any]] = {}
    count = len(messages)
    for message in messages:
        files = sorted((storage / "part" / message.stem).glob("*.json"))
        count += len(files)
        _check_count(count, session.path)
        parts[message.stem] = [read_document(file).value for file in files]
    info = read_document(session.path).value
    return _Rows(info, [(file.stem, read_document(file).value) for file in messages], parts)


def _check_count(count: int, path: Path) -> None:
    if count > MAX_PARTS:
        raise LimitError(
            f"{shown_path(path)}: holds more than {MAX_PARTS:,} messages and parts"
            " (MAX_PARTS); export a part with 'opencode export'"
        )


def _query(path: Path, query: str, *values: str) -> list[tuple[Any, ...]]:
    """Returns the rows of a query of a database, which is not changed.

    Raises:
        FormatError: if it cannot be read, or has other tables.
    """
    import sqlite3

    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
            return database.execute(f"{query} LIMIT {MAX_PARTS + 1}", values).fetchall()
    except sqlite3.Error as error:
        raise FormatError(
            f"{shown_path(path)}: cannot be read: {shown(error)}; use 'opencode export SESSION'"
        ) from None


def _sessions_of_database(path: Path) -> Iterator[Session]:
    for identifier, updated in _query(path, "SELECT id, time_updated FROM session"):
        yield Session(_OPENCODE, str(identifier), path, float(updated) / 1000)


def _rows_of_database(session: Session) -> _Rows:
    path, identifier = session.path, session.id
    [(title, directory)] = _query(
        path, "SELECT title, directory FROM session WHERE id = ?", identifier
    )
    messages = _query(
        path, "SELECT id, data FROM message WHERE session_id = ? ORDER BY id", identifier
    )
    rows = _query(
        path, "SELECT message_id, data FROM part WHERE session_id = ? ORDER BY id", identifier
    )
    _check_count(len(messages) + len(rows), path)
    parts: dict[str, list[Any]] = {}
    for message_id, text in rows:
        parts.setdefault(message_id, []).append(_parse(text, path))
    info = {"id": identifier, "title": title, "directory": directory}
    return _Rows(info, [(key, _parse(text, path)) for key, text in messages], parts)


def _parse(text: str, path: Path) -> Any:
    try:
        return json.loads(text)
    except (ValueError, TypeError, RecursionError):
        raise FormatError(f"{shown_path(path)}: a row of the database is not JSON") from None
