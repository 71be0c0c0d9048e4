"""Agents that write code: SWE-agent, mini-swe-agent, OpenHands, Claude Code."""

import re
from pathlib import Path
from typing import Any

from formats.counts.counted import Counts, Run, documents

_OWN = {
    *("open", "goto", "scroll_up", "scroll_down", "create", "edit", "insert", "set_cursors"),
    *("search_dir", "search_file", "find_file", "submit", "decompile", "disassemble"),
    *("connect_start", "connect_sendline", "connect_exec"),
}
_REFUSED = ("Your proposed edit has introduced new syntax error", "\nEXECUTION TIMED OUT")


def swe_agent(file: Path) -> Counts:
    """SWE-agent: a step of 'trajectory' an action, else a message of 'history' that has one.

    The first word is a command of SWE-agent's own, else the line is one for the shell, and so is
    a chain of its own commands. It says of an edit that it was refused, and of a command that it
    took too long. One task is given.
    """
    (made,) = documents(file)
    steps = made.get("trajectory") or [m for m in made["history"] if m.get("action")]
    run = Run(said=1)
    for step in steps:
        word = step["action"].split()[0]
        own = word in _OWN and " && " not in step["action"].splitlines()[0]
        run.calls[word if own else "bash"] += 1
        run.failed += str(step.get("observation")).startswith(_REFUSED)
    return Counts([run])


def mini_swe_agent(file: Path) -> Counts:
    """mini-swe-agent: the commands of answered messages; a code but 0, or a time-out, is a failure.

    Version 2 says what was run under 'extra'; before, a command stands between backticks, one
    to a message, or the message is answered by words on how to write one.
    """
    (made,) = documents(file)
    messages = made if isinstance(made, list) else made["messages"]
    run = Run(said=1)
    for message, answer in zip(messages, [*messages[1:], {}], strict=True):
        content = str(message.get("content"))
        if message["role"] == "assistant":
            run.calls["bash"] += _commands(message, str(answer.get("content")))
        elif content.startswith(("<returncode>", "<exception>")) or "timed out" in content:
            run.failed += not content.startswith("<returncode>0<")
    return Counts([run])


def _commands(message: dict[str, Any], answer: str) -> int:
    if "actions" in message.get("extra", {}):
        return len(message["extra"]["actions"])
    blocks = re.findall(r"^```(?:bash|mswea_bash_command)\n", message["content"], re.M)
    return int(len(blocks) == 1 and "EXACTLY ONE action" not in answer)


def openhands(file: Path) -> Counts:
    """OpenHands' evaluation: entries of 'history' with an action that is no message.

    'run' is the shell's, which has a code. In brackets its editing commands say what went wrong.
    """
    runs = []
    for made in documents(file):
        run = Run()
        for entry in made["history"]:
            if entry.get("action") == "message":
                run.said += 1
            elif "action" in entry:
                run.calls["bash" if entry["action"] == "run" else entry["action"]] += 1
            wrong = entry.get("content", "").startswith(("[Your proposed edit", "[No exact match"))
            run.failed += "observation" in entry and (wrong or bool(entry.get("exit_code")))
        runs.append(run)
    return Counts(runs)


def openhands_events(file: Path) -> Counts:
    """OpenHands' SDK: an 'ActionEvent' a call; errors are events, or in an observation."""
    run = Run()
    for event in documents(file):
        if event["kind"] == "ActionEvent":
            run.calls[event["tool_name"]] += 1
        error = event["kind"] == "AgentErrorEvent"
        run.failed += error or bool(event.get("observation", {}).get("is_error"))
        run.said += event["kind"] == "MessageEvent" and event["source"] == "user"
    return Counts([run])


def claude_code(file: Path) -> Counts:
    """Claude Code: blocks 'tool_use' of the lines that hold a message of the session.

    A line of a sub-agent names the call that it works for; what is said there is no user's. A
    skill's text, which begins with its folder, is said in the user's name by the program.
    """
    run = Run()
    made = documents(file)
    for line in made[0]["messages"] if len(made) == 1 else made:
        content = line["message"]["content"] if line["type"] in ("user", "assistant") else []
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        for block in content:
            if block["type"] == "tool_use":
                run.calls[block["name"]] += 1
            run.failed += bool(block.get("is_error"))
            spoken = line["type"] == "user" and not line.get("parent_tool_use_id")
            skill = block.get("text", "").startswith("Base directory for this skill:")
            run.said += spoken and block["type"] == "text" and not skill
    return Counts([run])
