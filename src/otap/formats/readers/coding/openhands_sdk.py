"""Events of OpenHands' software-agent SDK, each of which says its ``kind``."""

import re
from collections.abc import Mapping
from typing import Any, Literal

from otap.formats.json.places import Place
from otap.formats.readers.coding.openhands_run import Event, Run, made_call, tool_named
from otap.formats.readers.coding.shell import status_of
from otap.formats.steps.calls import Call
from otap.formats.steps.content import joined, said

_INNER_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SOURCES = ("agent", "user", "environment", "hook")
_SILENT = (
    *("ConversationStateUpdateEvent", "Condensation", "CondensationRequest", "PauseEvent"),
    *("CondensationSummaryEvent", "InterruptEvent", "TokenEvent", "LLMCompletionLogEvent"),
    *("StreamingDeltaEvent", "HookExecutionEvent", "SecurityAnalysisEvent"),
    *("ConversationErrorEvent", "ServerErrorEvent"),
)
_TOLD = (
    *("SystemPromptEvent", "MessageEvent", "ActionEvent", "ObservationEvent", "AgentErrorEvent"),
    *("UserRejectObservation", "ACPToolCallEvent"),
)
_ENDED: dict[Any, Literal["ok", "error"]] = {"completed": "ok", "failed": "error"}


def is_event(value: Mapping[str, Any]) -> bool:
    """Says whether this is an event of the SDK."""
    kind = value.get("kind")
    if not isinstance(kind, str) or value.get("source") not in _SOURCES:
        return False
    return kind in (*_TOLD, *_SILENT) or (kind.endswith("Event") and "timestamp" in value)


def record(run: Run, event: dict[str, Any], place: Place) -> None:
    """Records one event.

    Raises:
        FormatError: with the place of the first thing that no event may hold.
    """
    kind = event["kind"]
    if kind == "SystemPromptEvent":
        run.recorder.ignored("system prompt")
        run.defines([_defined(tool) for tool in place["tools"].array(event.get("tools") or [])])
    elif kind == "MessageEvent":
        _message(run, event, place)
    elif kind == "ActionEvent":
        _act(run, event, place)
    elif kind == "ACPToolCallEvent":
        _served(run, event, place)
    elif kind in _TOLD:
        _observe(run, event, place)
    elif kind in _SILENT:
        run.recorder.ignored(kind)
    else:
        run.recorder.unknown(f"event of kind '{kind}'")


def _defined(tool: Any) -> Any:
    """Returns a definition with the name that the SDK makes of its class, where it has none."""
    if not isinstance(tool, dict) or "name" in tool or not isinstance(tool.get("kind"), str):
        return tool
    name = _INNER_CAPITAL.sub("_", tool["kind"]).lower()
    return {**tool, "name": tool_named(name.removesuffix("_tool"))}


def _texts(content: Any, place: Place) -> list[str]:
    return said(content, place, _part_text)


def _part_text(part: Any, place: Place) -> str | None:
    text = place.object(part).get("text")
    return text if isinstance(text, str) else None


def _message(run: Run, event: dict[str, Any], place: Place) -> None:
    where = place["llm_message"]
    message = where.object(event.get("llm_message"))
    texts = _texts(message.get("content"), where["content"])
    if event.get("source") == "user":
        run.user(texts)
    elif event.get("source") == "agent":
        run.agent(texts)
    else:
        run.recorder.ignored("message of the environment")


def _act(run: Run, event: dict[str, Any], place: Place) -> None:
    """Records an action, with those that come from the same answer: they are one turn."""
    answer = place["llm_response_id"].label(event.get("llm_response_id"))
    if answer is None:
        together: list[Event] = [(event, place)]
    elif run.first_of(answer):
        together = run.group("answers", _answer)[answer]
    else:
        return
    texts = [text for one, at in together for text in _texts(one.get("thought"), at["thought"])]
    run.calls(list(dict.fromkeys(texts)), [_call(one, at) for one, at in together], place)
    for one, _ in together:
        _finish(run, one)


def _answer(event: dict[str, Any]) -> str | None:
    return _label(event.get("llm_response_id")) if event.get("kind") == "ActionEvent" else None


def _label(value: Any) -> str | None:
    named = isinstance(value, str | int) and not isinstance(value, bool) and value != ""
    return str(value) if named else None


def _call(event: dict[str, Any], place: Place) -> Call:
    name = place["tool_name"].text(event.get("tool_name"))
    identifier = place["tool_call_id"].label(event.get("tool_call_id"))
    asked = place["tool_call"].object(event.get("tool_call") or {})
    if "arguments" in asked:
        return made_call(name, asked["arguments"], identifier)
    action = place["action"].object(event.get("action") or {})
    arguments = {key: value for key, value in action.items() if key != "kind"}
    return made_call(name, arguments, identifier)


def _finish(run: Run, event: dict[str, Any]) -> None:
    action = event.get("action")
    if isinstance(action, dict) and action.get("kind") == "FinishAction":
        message = action.get("message")
        run.tell([message] if isinstance(message, str) and message.strip() else [])


def _observe(run: Run, event: dict[str, Any], place: Place) -> None:
    identifier = place["tool_call_id"].label(event.get("tool_call_id"))
    if event["kind"] == "AgentErrorEvent":
        run.result(identifier, event.get("error"), "error")
        return
    if event["kind"] == "UserRejectObservation":
        call = run.result(identifier, event.get("rejection_reason"), "error")
        if call is not None:
            call.notes["not_run"] = True
        return
    found = place["observation"].object(event.get("observation") or {})
    effect = joined(found.get("content"), "text")
    if effect in (None, [], "") and found.get("output") is not None:
        effect = found["output"]
    run.result(identifier, "" if effect == [] else effect, _status(found))


def _status(found: Mapping[str, Any]) -> Literal["ok", "error"] | None:
    about = found.get("metadata")
    codes = [found.get("exit_code"), about.get("exit_code") if isinstance(about, dict) else None]
    code = next((code for code in codes if code is not None), None)
    if found.get("is_error") is True:
        return "error"
    if code is not None:
        return None if code == -1 else status_of(code)
    return "ok" if found.get("is_error") is False else None


def _served(run: Run, event: dict[str, Any], place: Place) -> None:
    """Records a call that another agent's server made: each event tells more of the same call."""
    identifier = place["tool_call_id"].label(event.get("tool_call_id"))
    if identifier is not None and not run.first_of(identifier):
        return
    told = run.group("served", _served_id).get(identifier or "") or [(event, place)]
    last = told[-1][0]
    name = _label(last.get("tool_kind")) or place["title"].text(last.get("title"))
    run.calls([], [made_call(name, last.get("raw_input"), identifier)], place)
    effect = last.get("raw_output")
    ended = _ENDED.get(_label(last.get("status")))
    status = "error" if last.get("is_error") is True else ended
    if status is not None or effect is not None:
        run.result(identifier, last.get("content") if effect is None else effect, status)


def _served_id(event: dict[str, Any]) -> str | None:
    served = event.get("kind") == "ACPToolCallEvent"
    return _label(event.get("tool_call_id")) if served else None
