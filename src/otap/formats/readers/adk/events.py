"""Events and invocations of Google's ADK -> what was said, called and answered."""

from collections import defaultdict, deque
from collections.abc import Iterator
from typing import Any, Literal

from otap.formats.readers.adk.objects import Fields
from otap.formats.steps.calls import Call, call_notes
from otap.formats.steps.recorder import Recorder

_CODE = "code_execution"  # what a model ran by itself
_CALLS = ("function_call", "executable_code", "tool_call")
_RESULTS = ("function_response", "code_execution_result", "tool_response")
_KNOWN = (*_CALLS, *_RESULTS, "text", "thought")
_SILENT = ("inline_data", "file_data")
_BESIDE = ("thought_signature", "video_metadata", "media_resolution", "part_metadata")
_OUTCOMES: dict[Any, Literal["ok", "error"]] = {
    "OUTCOME_OK": "ok",
    "OUTCOME_FAILED": "error",
    "OUTCOME_DEADLINE_EXCEEDED": "error",
}


def record_events(recorder: Recorder, events: list[Fields]) -> None:
    """Records events in order; what another agent said leads to no call of this one.

    Raises:
        FormatError: with the place of the first thing that no event may hold.
    """
    before = None
    for index, event in enumerate(events):
        author = event.label("author")
        if author != before:
            recorder.interrupted()
        _record(recorder, event, author, index)
        before = author


def record_invocation(recorder: Recorder, invocation: Fields, index: int) -> None:
    """Records what the user asked, what was done, and what was answered at last.

    Raises:
        FormatError: with the place of the first thing that no invocation may hold.
    """
    asked, final = invocation.object("user_content"), invocation.object("final_response")
    recorder.user(_texts(asked.objects("parts")) if asked else [])
    between = invocation.object("intermediate_data")
    if between is not None:
        record_events(recorder, between.objects("invocation_events"))
        _record_uses(recorder, between, index)
        _record_between(recorder, between, index)
    if final is not None:
        _say(recorder, final.objects("parts"), None, index)
    else:
        recorder.interrupted()


def declared(invocation: Fields) -> Iterator[Any]:
    """Yields the tools that each agent was given, where an invocation says so."""
    about = invocation.object("app_details")
    agents = about.get("agent_details") if about is not None else None
    for agent in agents.values() if isinstance(agents, dict) else ():
        if isinstance(agent, dict):
            yield Fields(agent, invocation.place).get("tool_declarations")


def _record(recorder: Recorder, event: Fields, author: str | None, index: int) -> None:
    """Records one event; a partial one comes again when it is whole."""
    content = event.object("content")
    if event.get("partial") is True:
        return
    recorder.spent(event.value)
    if content is None:
        return
    parts = content.objects("parts")
    if author == "user":
        recorder.user(_texts(parts))
        _tell(recorder, parts)
        _answer(recorder, parts, index)
    else:
        _say(recorder, parts, author, index)


def _say(recorder: Recorder, parts: list[Fields], author: str | None, index: int) -> None:
    calls = [_call(kind, call) for part in parts for kind, call in _found(part, _CALLS)]
    texts = _texts(parts)
    if texts or calls:
        recorder.assistant(texts, calls, author)
    _tell(recorder, parts)
    _answer(recorder, parts, index)


def _found(part: Fields, kinds: tuple[str, ...]) -> Iterator[tuple[str, Fields]]:
    for kind in kinds:
        found = part.object(kind)
        if found is not None:
            yield kind, found


def _answer(recorder: Recorder, parts: list[Fields], index: int) -> None:
    for part in parts:
        for kind, response in _found(part, _RESULTS):
            if kind == "code_execution_result":
                _ran(recorder, response, index)
            else:
                _result(recorder, response, index)


def _tell(recorder: Recorder, parts: list[Fields]) -> None:
    """Notes parts of which no step is made."""
    for part in parts:
        for kind in _SILENT:
            if part.get(kind) is not None:
                recorder.ignored(f"part with '{kind}'")
        known = (*_KNOWN, *_SILENT, *_BESIDE)
        if not any(part.get(kind) is not None for kind in known):
            for kind in (key for key, value in part.value.items() if value is not None):
                recorder.unknown(f"part with '{kind}'")


def _texts(parts: list[Fields]) -> list[str]:
    """Returns what is said as one text; a model's thoughts are not said."""
    said = [part.at("text").text(part.get("text")) for part in parts if _speaks(part)]
    text = "\n".join(said)
    return [text] if text.strip() else []


def _speaks(part: Fields) -> bool:
    return part.get("text") not in (None, "") and part.get("thought") is not True


def _call(kind: str, call: Fields) -> Call:
    identifier = call.label("id")
    notes = call_notes(identifier)
    if kind == "executable_code":
        asked = {key: call.get(key) for key in ("language", "code") if call.get(key) is not None}
        return Call(_CODE, asked, identifier, notes)
    name = "tool_type" if kind == "tool_call" else "name"
    return Call(call.at(name).text(call.get(name)), call.get("args"), identifier, notes)


def _result(recorder: Recorder, response: Fields, index: int) -> None:
    content = response.get("response")
    name = response.get("name") or response.get("tool_type")
    identifier = response.label("id")
    kept = {"event": index, "id": identifier, "name": name}
    recorder.result(identifier, name, content, _status(content), kept=kept)


def _ran(recorder: Recorder, result: Fields, index: int) -> None:
    identifier, outcome = result.label("id"), result.get("outcome")
    status = _OUTCOMES.get(outcome) if isinstance(outcome, str) else None
    recorder.result(identifier, _CODE, result.get("output"), status, kept={"event": index})


def _status(response: Any) -> Literal["ok", "error"] | None:
    """ADK itself answers with an ``error``; it asks tools to answer with a ``status``."""
    if not isinstance(response, dict):
        return None
    if response.get("error") is not None or response.get("status") == "error":
        return "error"
    return "ok" if response.get("status") in ("ok", "success") else None


def _record_uses(recorder: Recorder, between: Fields, index: int) -> None:
    """Records calls and responses that lie side by side: each response by id and name, in order."""
    waiting: dict[Any, deque[Fields]] = defaultdict(deque)
    for response in between.objects("tool_responses"):
        waiting[response.label("id"), response.label("name")].append(response)
    for use in between.objects("tool_uses"):
        call = _call("function_call", use)
        recorder.assistant((), [call])
        answers = waiting[call.id, call.tool]
        if answers:
            _result(recorder, answers.popleft(), index)
    for response in (one for answers in waiting.values() for one in answers):
        _result(recorder, response, index)


def _record_between(recorder: Recorder, between: Fields, index: int) -> None:
    """Records what agents said on the way: pairs of an author and parts."""
    where = between.at("intermediate_responses")
    found = between.get("intermediate_responses")
    for number, pair in enumerate(where.array(found) if found is not None else []):
        author, parts = _pair(where[number].array(pair))
        name = where[number][0].label(author)
        listed = [Fields(part, at) for part, at in where[number][1].objects(parts)]
        _say(recorder, listed, name, index)
        recorder.interrupted()


def _pair(pair: list[Any]) -> tuple[Any, Any]:
    return (pair[0], pair[1]) if len(pair) == 2 else (None, None)
