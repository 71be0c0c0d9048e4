"""Traces of OpenAI's Agents SDK, as its tracing exports them: traces and spans."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath
from otap.formats.json.times import parse_time, to_nanoseconds
from otap.formats.readers.model_spans import end_call
from otap.formats.readers.openai_responses import read_item
from otap.formats.steps.calls import Call, Result, new_call, parse_call, parse_calls
from otap.formats.steps.content import drop_nulls, object_in, unless_blank
from otap.formats.steps.spans import Span, read_spans
from otap.formats.steps.tables import Status
from otap.formats.steps.tokens import find_usage
from otap.trajectory import Trajectory, parse_trajectory

NAME = "openai-agents"
DESCRIPTION = (
    "traces of OpenAI's Agents SDK: its traces and spans as JSONL, a list, {'data': [...]}"
)
STEP = "each span of a function, and each handoff; calls inside a call are its substeps"
KNOWN_BY = "objects 'trace' and 'trace.span'"

_OBJECTS = ("trace", "trace.span")
_BETWEEN = ("turn", "task")
_MODELS = ("generation", "response")
_BESIDE = (
    *("guardrail", "custom", "mcp_tools", "transcription", "speech", "speech_group"),
    *_BETWEEN,
)


def recognises(value: Any) -> bool:
    """Says whether this is a trace or span, or a list or batch that begins with one."""
    first = first_of(value)
    if isinstance(first, dict) and "object" not in first:
        first = first_of(first.get("data"))
    return isinstance(first, dict) and first.get("object") in _OBJECTS


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one run for each trace."""
    traces: dict[str, _Trace] = {}
    for value, place in _exported(document):
        key = "id" if value.get("object") == "trace" else "trace_id"
        name = place[key].text(value.get(key))
        trace = traces.setdefault(name, _Trace(name, place))
        if key == "id":
            trace.about = value
        else:
            trace.spans.append((value, place))
    for trace in traces.values():
        yield trace.run(reasoning=reasoning)


def _exported(document: Document) -> Iterator[tuple[dict[str, Any], JsonPath]]:
    """Returns each trace and span; an exporter sends them in batches."""
    for value, place in document.items():
        if "data" in place.object(value):
            yield from place["data"].objects(place["data"].array(value["data"]))
        else:
            yield value, place


@dataclass
class _Trace:
    """What was exported of one trace."""

    name: str
    place: JsonPath
    about: dict[str, Any] = field(default_factory=dict)
    spans: list[tuple[dict[str, Any], JsonPath]] = field(default_factory=list)

    def run(self, *, reasoning: bool) -> Trajectory:
        """Returns the run."""
        handed = self._told_handoffs()
        told = read_spans((_read_span(*span, handed) for span in self.spans), reasoning=reasoning)
        fields = {"id": self.name, **told.trajectory_fields(), "metadata": self._metadata()}
        return parse_trajectory(fields, str(self.place))

    def _told_handoffs(self) -> set[str]:
        """Returns the handoffs that are told without their spans: by a model or as a function."""
        known = {i: value for value, _ in self.spans if isinstance(i := value.get("id"), str)}
        asking: set[str | None] = set()
        for value, place in self.spans:
            data = place["span_data"].object(value.get("span_data"))
            if data.get("type") == "generation" and data.get("output"):
                asking.add(_holder(value, known))
            elif data.get("type") == "function" and isinstance(data.get("name"), str):
                asking.add(f"{_holder(value, known)}/{data['name']}")
        return {
            identifier
            for identifier, value in known.items()
            if {_holder(value, known), f"{_holder(value, known)}/{_transfer(value)}"} & asking
        }

    def _metadata(self) -> dict[str, Any]:
        notes = {key: self.about.get(key) for key in ("workflow_name", "group_id")}
        return object_in(self.about, "metadata") | drop_nulls(notes)


def _holder(value: dict[str, Any], known: Mapping[str, dict[str, Any]]) -> str | None:
    """Returns the id of the agent's span around a span; turns and tasks may be between."""
    parent = value.get("parent_id")
    for _ in _BETWEEN:
        around = known.get(parent) if isinstance(parent, str) else None
        if around is None or object_in(around, "span_data").get("type") not in _BETWEEN:
            break
        parent = around.get("parent_id")
    return parent if isinstance(parent, str) else None


def _transfer(value: dict[str, Any]) -> str | None:
    """Returns the tool that a handoff is by default, where this is the span of one."""
    data = object_in(value, "span_data")
    to = data.get("to_agent") if data.get("type") == "handoff" else None
    return _tool_of(to) if isinstance(to, str) else None


def _tool_of(agent: str) -> str:
    return f"transfer_to_{re.sub('[^a-zA-Z0-9_]', '_', agent).lower()}"


def _read_span(value: dict[str, Any], place: JsonPath, handed: Collection[str]) -> Span:
    data, where = place["span_data"].object(value.get("span_data")), place["span_data"]
    span = Span(
        place["id"].text(value.get("id")), place["parent_id"].label(value.get("parent_id")), place
    )
    started = parse_time(value.get("started_at"), place["started_at"])
    ended = parse_time(value.get("ended_at"), place["ended_at"])
    span.start, span.end = to_nanoseconds(started), to_nanoseconds(ended)
    _fill_by_type(span, data, where, handed)
    failed = value.get("error") is not None
    if span.call is not None:
        span.call.started_at, span.call.ended_at = started, ended
        status: Status = "ok" if ended is not None and "error" in value else None
        end_call(span.call, "error" if failed else status, value.get("error"))
    elif span.has_answer is False and failed:
        span.has_answer = True  # that it failed
    return span


def _fill_by_type(
    span: Span, data: dict[str, Any], where: JsonPath, handed: Collection[str]
) -> None:
    """Fills in what a span says by its type."""
    kind = data.get("type")
    span.tokens = find_usage(data) if kind in _MODELS else None
    if kind == "agent":
        span.agent = where["name"].label(data.get("name"))
    elif kind == "generation":
        _read_model(span, data, where)
    elif kind == "response":
        span.is_model, span.has_answer = True, False  # what it said is not exported
    elif kind == "function":
        span.call = _call_of_function(data, where)
    elif kind == "handoff":
        span.call = None if span.id in handed else _call_of_handoff(data, where)
    elif kind in _BESIDE:
        span.ignored.append(f"span of type '{kind}'")
    else:
        span.unknown.append("span of an unknown type")


def _read_answer(span: Span, data: dict[str, Any], place: JsonPath) -> list[str]:
    """Takes the calls of an answer, and returns what is said."""
    said: list[str] = []
    for message, where in place["output"].objects(data.get("output")):
        told = read_item(message, where)
        calls = told.calls or parse_calls(message, where)
        span.requested_calls += calls
        if message.get("role") == "assistant":
            said += unless_blank("\n".join(told.texts))
        elif message.get("type") == "reasoning":
            span.ignored.append("reasoning")
        elif not calls:
            span.unknown.append("item of an unknown type in an answer")
    return said


def _read_model(span: Span, data: dict[str, Any], place: JsonPath) -> None:
    """Takes what a model said and called, and the results that it was told."""
    span.is_model, span.has_answer = True, bool(data.get("output"))
    span.answer = "\n".join(_read_answer(span, data, place)) or None
    for message, where in place["input"].objects(data.get("input")):
        if message.get("role") == "tool":
            name = where["tool_call_id"].label(message.get("tool_call_id"))
            span.results.append(Result(name, None, message.get("content")))
        elif message.get("role", "user") == "user":
            told = read_item(message, where)
            span.user_texts += unless_blank("\n".join(told.texts)) if "role" in message else []
            span.results += told.results


def _call_of_function(data: dict[str, Any], place: JsonPath) -> Call:
    name = place["name"].label(data.get("name"))
    call = parse_call(name, data.get("input"), None, place["name"])
    call.notes.update(drop_nulls({"mcp_data": data.get("mcp_data")}))
    call.effect = data.get("output")
    return call


def _call_of_handoff(data: dict[str, Any], place: JsonPath) -> Call:
    """Returns a handoff as the call of the tool that the SDK makes of it by default."""
    to = place["to_agent"].label(data.get("to_agent"))
    call = new_call(None if to is None else _tool_of(to), None, None, place)
    call.notes["handoff"] = to
    return call
