"""Anthropic's Claude Agent SDK: the messages that ``query()`` yields, as its parser makes them."""

from typing import Any

from claude_agent_sdk import ClaudeAgentOptions
from claude_agent_sdk._internal.message_parser import parse_message

from hosts.scenario import ANSWER, FAILURE, Call

PACKAGES = ("claude-agent-sdk",)


def file(calls: list[Call]) -> Any:
    """The stream of Claude Code that the SDK parses."""
    lines: list[dict[str, Any]] = [
        {"type": "system", "subtype": "init", "session_id": "s", "tools": ["Read"], "cwd": "/"}
    ]
    for call in calls:
        use = {"type": "tool_use", "id": call.id, "name": call.tool, "input": call.arguments}
        result = {
            "type": "tool_result",
            "tool_use_id": call.id,
            "content": call.result or FAILURE,
            "is_error": call.result is None,
        }
        lines += [_line("assistant", use), _line("user", result)]
    lines.append(_line("assistant", {"type": "text", "text": ANSWER}))
    lines.append(
        {
            "type": "result",
            "subtype": "success",
            "duration_ms": 1,
            "duration_api_ms": 1,
            "is_error": False,
            "num_turns": len(calls),
            "session_id": "s",
            "result": ANSWER,
        }
    )
    return lines


def _line(role: str, block: dict[str, Any]) -> dict[str, Any]:
    message = {"role": role, "content": [block], "model": "scripted"}
    return {"type": role, "message": message, "session_id": "s", "parent_tool_use_id": None}


def objects(calls: list[Call]) -> dict[str, Any]:
    """Objects of one run, by their names."""
    return {"messages of query()": [parse_message(line) for line in file(calls)]}


def unknown() -> Any:
    """An object that holds no run."""
    return ClaudeAgentOptions()
