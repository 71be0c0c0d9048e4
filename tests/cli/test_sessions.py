"""``--session``: the sessions of coding agents, in the layouts in which they store them."""

import json
import os
import shutil
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from commands import Otap

import otap
from otap.errors import FormatError
from otap.formats import sessions
from otap.formats.sessions import find_session, list_sessions, open_session

MADE = Path(__file__).parents[1] / "formats" / "made"
GEMINI = "chats/session-2026-11-21T10-14-5f0c1a52"
CODEX = "2026/11/21/rollout-2026-11-21T10-16-12-01a1fd9b-0000-7000-8000-000000000001"
VARIABLES = (
    "CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "COPILOT_HOME", "XDG_DATA_HOME",
)  # fmt: skip
COPILOT = [
    {"type": "session.start", "data": {"sessionId": "s1"}, "id": "e1", "parentId": None},
    {"type": "user.message", "data": {"content": "Rename it."}, "id": "e2", "parentId": "e1"},
    {
        "type": "assistant.message",
        "data": {
            "messageId": "m1",
            "content": "",
            "toolRequests": [
                {"toolCallId": "c1", "name": "bash", "arguments": {"command": "mv a b"}}
            ],
        },
        "id": "e3",
        "parentId": "e2",
    },
]
MESSAGES: list[tuple[str, Any, list[Any]]] = [
    ("msg_1", {"role": "user"}, [{"type": "text", "text": "Rename a.txt."}]),
    (
        "msg_2",
        {"role": "assistant"},
        [
            {"type": "step-start"},
            {
                "type": "tool",
                "callID": "c1",
                "tool": "bash",
                "state": {"status": "completed", "input": {"command": "mv a b"}, "output": ""},
            },
        ],
    ),
]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def store(path: Path, content: str, age: int) -> None:
    """Writes a file that changed some seconds ago."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, "utf-8")
    os.utime(path, (2_000_000_000 - age,) * 2)


def store_opencode(folder: Path, age: int) -> None:
    """Writes a session as opencode stores it in files."""
    storage = folder / "opencode" / "storage"
    for message, info, parts in MESSAGES:
        store(storage / "message" / "ses_1" / f"{message}.json", json.dumps(info), age)
        for number, part in enumerate(parts):
            name = f"prt_{number}.json"
            store(storage / "part" / message / name, json.dumps(part), age)
    info = {"id": "ses_1", "title": "Rename", "directory": "/home/me"}
    store(storage / "session" / "global" / "ses_1.json", json.dumps(info), age)


def store_database(folder: Path) -> None:
    """Writes a session as newer releases of opencode store it."""
    folder.mkdir(parents=True)
    with sqlite3.connect(folder / "opencode.db") as database:
        database.executescript(
            "CREATE TABLE session (id TEXT, title TEXT, directory TEXT, time_updated INTEGER);"
            "CREATE TABLE message (id TEXT, session_id TEXT, data TEXT);"
            "CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT);"
            "INSERT INTO session VALUES ('ses_1', 'Rename', '/home/me', 2000000000000);"
        )
        for message, info, parts in MESSAGES:
            database.execute(
                "INSERT INTO message VALUES (?, 'ses_1', ?)", (message, json.dumps(info))
            )
            database.executemany(
                "INSERT INTO part VALUES (?, ?, 'ses_1', ?)",
                [(f"prt_{i}", message, json.dumps(part)) for i, part in enumerate(parts)],
            )
    database.close()


def store_all(home: Path) -> None:
    """One session of each agent; that of Claude Code is the latest."""
    made = {name: (MADE / f"{name}.jsonl").read_text("utf-8") for name in ("codex", "gemini_cli")}
    claude = home / ".claude" / "projects" / "-home-me"
    claude.mkdir(parents=True)
    shutil.copy(MADE / "claude_code_session.jsonl", claude / "1f2e3d4c.jsonl")
    os.utime(claude / "1f2e3d4c.jsonl", (2_000_000_000,) * 2)
    store(claude / "agent-77aa.jsonl", "{}", -60)
    store(claude / "1f2e3d4c" / "subagents" / "agent-77ab.jsonl", "{}", -60)
    store(home / ".codex" / "sessions" / f"{CODEX}.jsonl", made["codex"], 10)
    store(home / ".gemini" / "tmp" / "shop" / f"{GEMINI}.jsonl", made["gemini_cli"], 20)
    events = "\n".join(map(json.dumps, COPILOT))
    store(home / ".copilot" / "session-state" / "s1-copilot" / "events.jsonl", events, 30)
    store_opencode(home / ".local" / "share", 40)


NAMES: Mapping[str, str] = {
    "Claude Code": "1f2e3d4c",
    "Codex": Path(CODEX).name,
    "Gemini CLI": Path(GEMINI).name,
    "Copilot CLI": "s1-copilot",
    "opencode": "ses_1",
}


def test_the_sessions_of_all_agents_are_found(home: Path) -> None:
    """Where each agent stores them; those of sub-agents are no sessions."""
    store_all(home)
    assert {s.agent: s.id for s in list_sessions()} == NAMES
    for agent, name in NAMES.items():
        session = find_session(name)
        assert session.agent == agent
        [file] = open_session(session)
        [run] = file.runs()
        assert run.steps, agent
    assert find_session("latest").agent == "Claude Code"
    assert find_session("1f2e").agent == "Claude Code"
    assert find_session("01a1fd9b").agent == "Codex"


def test_variables_move_the_sessions(home: Path) -> None:
    """The folder of each agent is where its variable says."""
    store_all(home)
    for name, folder in zip(
        VARIABLES, (".claude", ".codex", "", ".copilot", ".local/share"), strict=True
    ):
        elsewhere = {other: str(home / "nowhere") for other in VARIABLES}
        [session] = list_sessions({**elsewhere, name: str(home / folder)})
        assert find_session("latest", {**elsewhere, name: str(home / folder)}) == session


def test_opencode_is_read_as_its_export(home: Path, tmp_path: Path) -> None:
    """From files, from the database, and as 'opencode export' writes it."""
    export = {
        "info": {"id": "ses_1", "title": "Rename", "directory": "/home/me"},
        "messages": [{"info": info, "parts": parts} for _, info, parts in MESSAGES],
    }
    expected = otap.parse(export)
    store_opencode(tmp_path / "files", 0)
    store_database(tmp_path / "base" / "opencode")
    for folder in ("files", "base"):
        session = find_session("ses_1", {"XDG_DATA_HOME": str(tmp_path / folder)})
        assert session.modified == 2_000_000_000
        [file] = open_session(session)
        [run] = file.runs()
        assert run.steps == expected.steps
        assert (run.id, run.request) == (expected.id, expected.request)


def test_what_is_not_found_is_one_line(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No session, an unknown one, several, and a database of another kind."""
    with pytest.raises(FormatError, match=r"no session of a coding agent in .*\.claude/projects"):
        find_session("latest")
    store_all(home)
    with pytest.raises(FormatError, match="no session 'abcd'; the latest are 1f2e3d4c"):
        find_session("abcd")
    other = home / ".claude" / "projects" / "-home-you"
    store(other / "1f2e9999.jsonl", "{}", 90)
    with pytest.raises(FormatError, match=r"several sessions match: 1f2e3d4c .*1f2e9999"):
        find_session("1f2e")
    monkeypatch.setattr(sessions, "MAX_PARTS", 3)
    with pytest.raises(FormatError, match="more than 3 messages and parts"):
        open_session(find_session("ses_1"))
    store(home / ".local" / "share" / "opencode" / "opencode.db", "no database", 0)
    with pytest.raises(FormatError, match=r"opencode\.db: cannot be read: file is not a database"):
        find_session("latest")


def test_score_and_convert_take_a_session(otap_: Otap, home: Path, tmp_path: Path) -> None:
    """Both say which session it was; a session that is its own reference scores 1."""
    store_all(home)
    done = otap_("convert", "--session", "latest", "-o", tmp_path / "good.json")
    assert done.code == 0
    assert "session of Claude Code: 1f2e3d4c, changed 2033-05-1" in done.err
    for name in ("latest", "1f2e3d4c", home / ".claude/projects/-home-me/1f2e3d4c.jsonl"):
        done = otap_("score", "--session", name, "-r", tmp_path / "good.json", "--json")
        assert done.code == 0
        assert json.loads(done.out)["score"] == 1
        assert "session of " in done.err


def test_a_file_and_a_session_exclude_each_other(otap_: Otap, home: Path) -> None:
    """Usage errors say how to fix them."""
    done = otap_("score", "run.json", "--session", "latest")
    assert (done.code, done.err) == (2, "otap: run.json: give a file or --session, not both\n")
    done = otap_("score", "-r", "gold")
    assert done.code == 2
    assert "--session latest" in done.err
    assert otap_("convert", "--plan", "--session", "latest").code == 2


ROOT = Path(__file__).parents[2]
SKILL = ROOT / "skills" / "otap" / "SKILL.md"


def test_the_skill_has_a_head_and_commands_that_run(
    otap_: Otap, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent reads the name and the description; each command is understood."""
    _, head, body = SKILL.read_text("utf-8").split("---\n", 2)
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    assert fields["name"] == SKILL.parent.name
    assert 100 < len(fields["description"]) <= 1024
    store_all(home)
    monkeypatch.chdir(home)
    assert otap_("convert", "--session", "latest", "-o", "run.json").code == 0
    assert otap_("record", "run.json").code == 0
    (home / "runs").mkdir()
    shutil.copy("run.json", home / "runs")
    commands = [line for line in body.splitlines() if line.startswith("otap ")]
    codes = {command: otap_(*command.split()[1:]).code for command in commands}
    assert len(codes) >= 5
    assert {command: code for command, code in codes.items() if code} == {}


def test_the_plugin_is_this_repository() -> None:
    """Its skill is where Claude Code looks for it, and its release is that of the package."""
    plugin = json.loads((ROOT / ".claude-plugin" / "plugin.json").read_text("utf-8"))
    market = json.loads((ROOT / ".claude-plugin" / "marketplace.json").read_text("utf-8"))
    [entry] = market["plugins"]
    assert (entry["name"], entry["source"]) == (plugin["name"], "./")
    assert plugin["version"] == otap.__version__
