"""OpenAI: items of the Responses API, rollouts of Codex, traces of its Agents SDK."""

import re
from pathlib import Path
from typing import Any

from formats.counts.counted import Counts, Run, documents

_FAILED = re.compile(r"unsupported |An error occurred|.*\nProcess exited with code [1-9]", re.S)
_HARNESS = "<environment_context>"  # how Codex begins what it says in the user's name


def _of_items(items: list[dict[str, Any]]) -> Run:
    """Calls by name; those that the server runs by their type; a failure by status or words."""
    run = Run()
    for item in items:
        kind = item.get("type", "message")
        if kind.endswith("_call"):
            run.calls[item.get("name") or kind.removesuffix("_call")] += 1
        output = str(item.get("output"))
        run.failed += item.get("status") == "failed" or bool(_FAILED.match(output))
        if item.get("role") == "user":
            run.said += _HARNESS not in str(item["content"])
    return run


def responses(file: Path) -> Counts:
    """Items: a list, or those of a response, under 'output', or of a file, under 'items'."""
    (made,) = documents(file)
    if isinstance(made, dict):
        made = made.get("items") or made["output"]
    return Counts([_of_items(made)])


def codex(file: Path) -> Counts:
    """Codex: the items among the lines; 'event_msg' repeats them."""
    lines = documents(file)
    return Counts([_of_items([x["payload"] for x in lines if x["type"] == "response_item"])])


def agents(file: Path) -> Counts:
    """The Agents SDK: spans of functions, and of handoffs, which are calls 'transfer_to_AGENT'.

    The user spoke where a model that answers him (not inside a tool) was asked with his message.
    """
    runs: dict[str, Run] = {}
    lines = [line for line in documents(file) if line["object"] == "trace.span"]
    parents = {line["id"]: line["parent_id"] for line in lines}
    functions = {line["id"] for line in lines if line["span_data"]["type"] == "function"}
    for line in lines:
        run, data = runs.setdefault(line["trace_id"], Run()), line["span_data"]
        run.failed += bool(line["error"])
        if data["type"] == "function":
            run.calls[data["name"]] += 1
        elif data["type"] == "handoff":
            run.calls["transfer_to_" + data["to_agent"].lower().replace(" ", "_")] += 1
        elif data["type"] == "generation" and not _within(line["id"], parents, functions):
            run.said = max(run.said, sum(m["role"] == "user" for m in data["input"]))
    return Counts(list(runs.values()))


def _within(span: str | None, parents: dict[str, str | None], some: set[str]) -> bool:
    while span:
        if span in some:
            return True
        span = parents.get(span)
    return False
