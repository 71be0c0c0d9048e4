"""Messages wherever they stand in a trace: calls that were asked for, bad results, user's texts."""

from collections.abc import Iterator
from typing import Any

from formats.counts.counted import Object, inside

_IDS = ("call_id", "id", "toolCallId", "toolUseId")
_TOLD_ON = "For context:"  # ADK tells an agent what another did, in the user's name
_ARGUMENTS = ("function", "args", "arguments", "toolCallId", "toolUseId")


def asked(value: Any) -> dict[str, str]:
    """The tools of all calls that models asked for, by the ids of the calls."""
    found: dict[str, str] = {}
    for each in inside(value):
        key = next((each[key] for key in _IDS if each.get(key)), None)
        name = each.get("name") or each.get("toolName") or _named(each)
        if key and isinstance(name, str) and any(part in each for part in _ARGUMENTS):
            found[str(key)] = name
        for path, identifier in each.items():
            if path.endswith((".tool_call.id", "tool_calls.0.id")):
                stem = path.removesuffix("id")
                found[identifier] = each.get(stem + "function.name") or each[stem + "name"]
    return found


def _named(call: Object) -> Any:
    function = call.get("function")
    return function.get("name") if isinstance(function, dict) else None


def bad_results(value: Any) -> set[str]:
    """The ids of calls whose result LangChain gave the status of an error."""
    messages = [each for each in inside(value) if each.get("type") == "tool"]
    return {each["tool_call_id"] for each in messages if each.get("status") == "error"}


def is_bad_result(span: Object) -> bool:
    """Whether a tool's span tells of such a result, or of one that is but an error (ADK)."""
    results = [value for value in span["attributes"].values() if isinstance(value, dict)]
    return bool(bad_results(results)) or any(next(iter(each), "") == "error" for each in results)


def said(span: Object) -> Iterator[str]:
    """What stands in a span in the user's name; a tool's result, said so, is no text."""
    attributes = span["attributes"]
    given = attributes.get("input.value")
    if attributes.get("openinference.span.kind") == "AGENT" and given:
        if attributes.get("input.mime_type") == "text/plain":
            yield given
        elif isinstance(given, dict) and "task" in given:
            yield given["task"]
    for each in inside(span):
        for key, role in each.items():
            if key.endswith("message.role") and role == "user":
                yield str(each.get(key.removesuffix("role") + "content"))
        if each.get("role") == "user":
            yield from _texts(each.get("parts") or each.get("content"))
        if each.get("name") == "gen_ai.user.message":
            yield from _texts(each["attributes"].get("content"))


def _texts(content: Any) -> list[str]:
    if isinstance(content, dict):  # AgentCore's, around the content
        content = content.get("content")
    parts = [content] if isinstance(content, str) else content or []
    texts = [p if isinstance(p, str) else p.get("text") or p.get("content") for p in parts]
    return [] if _TOLD_ON in texts else [text for text in texts if isinstance(text, str)]
