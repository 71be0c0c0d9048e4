"""Chats: lists of messages, as libraries for models keep them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from formats.counts.counted import Counts, Run, documents


def _conversations(file: Path) -> list[list[dict[str, Any]]]:
    """One a document, plain or under 'messages'."""
    return [each["messages"] if isinstance(each, dict) else each for each in documents(file)]


def _blocks(message: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """The parts of a message; a text is one."""
    parts = message.get(key) or []
    return [{"type": "text", "text": parts}] if isinstance(parts, str) else parts


def _of(file: Path, add: Callable[[Run, dict[str, Any]], None]) -> Counts:
    runs = []
    for messages in _conversations(file):
        runs.append(Run())
        for message in messages:
            add(runs[-1], message)
    return Counts(runs)


def anthropic(file: Path) -> Counts:
    """Anthropic: blocks 'tool_use' and 'server_tool_use'; a result says 'is_error'."""

    def add(run: Run, message: dict[str, Any]) -> None:
        for block in _blocks(message, "content"):
            if block["type"] in ("tool_use", "server_tool_use"):
                run.calls[block["name"]] += 1
            run.failed += bool(block.get("is_error"))
            run.said += message["role"] == "user" and block["type"] == "text"

    return _of(file, add)


def ai_sdk(file: Path) -> Counts:
    """Vercel's AI SDK: model messages have calls and results; UI messages have both in a part.

    In version 4 UI messages repeat their parts under 'toolInvocations' and 'content'.
    """

    def add(run: Run, message: dict[str, Any]) -> None:
        parts = _blocks(message, "parts") or _blocks(message, "content")
        for part in parts:
            call = part.get("toolInvocation", part)
            kind = part["type"].removeprefix("dynamic-")
            name = call.get("toolName") or kind.removeprefix("tool-")
            if kind not in ("tool-result", "text") and "toolCallId" in call:
                run.calls[name] += 1
            kinds = (call.get("state"), (part.get("output") or {}))
            run.failed += kinds[0] == "output-error" or _is_error(kinds[1])
            run.said += message["role"] == "user" and kind == "text"

    return _of(file, add)


def _is_error(output: Any) -> bool:
    return isinstance(output, dict) and str(output.get("type")).startswith("error-")


def llama_index(file: Path) -> Counts:
    """LlamaIndex: blocks 'tool_call'; no message says that a tool failed. A memory has a store."""
    runs = []
    for made in documents(file):
        store = made.get("chat_store", {}).get("store", {"one": made.get("messages")})
        for messages in store.values():
            run = Run(said=sum(message["role"] == "user" for message in messages))
            blocks = [block for message in messages for block in message["blocks"]]
            run.calls.update(b["tool_name"] for b in blocks if b["block_type"] == "tool_call")
            runs.append(run)
    return Counts(runs)


def pydantic_ai(file: Path) -> Counts:
    """Pydantic AI: parts 'tool-call'; 'retry-prompt', or an outcome but 'success', is a failure."""

    def add(run: Run, message: dict[str, Any]) -> None:
        for part in message["parts"]:
            kind = part["part_kind"]
            if kind == "tool-call":
                run.calls[part["tool_name"]] += 1
            returned = kind == "tool-return" and part.get("outcome", "success") != "success"
            run.failed += kind == "retry-prompt" or returned
            run.said += kind == "user-prompt"

    return _of(file, add)


def langchain(file: Path) -> Counts:
    """LangChain: 'tool_calls' and 'invalid_tool_calls' of AI messages; a result has a status."""

    def add(run: Run, message: dict[str, Any]) -> None:
        said = message.get("data") or message.get("kwargs") or message
        for key in ("tool_calls", "invalid_tool_calls"):
            run.calls.update(call["name"] for call in said.get(key) or [])
        run.failed += said.get("status") == "error"
        run.said += said["type"] == "human"

    return _of(file, add)


def semantic_kernel(file: Path) -> Counts:
    """Semantic Kernel: items 'function_call'; no item says that a function failed."""
    run = Run()
    for message in documents(file)[0]["messages"]:
        items = [item for item in message["items"] if item["content_type"] == "function_call"]
        run.calls.update(item["name"] for item in items)
        run.said += message["role"] == "user"
    return Counts([run])
