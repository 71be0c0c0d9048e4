"""Traces of OpenAI's Agents SDK, as its tracing exports them: traces and spans."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from otap.formats.json.documents import Document
from otap.formats.json.places import Place
from otap.formats.json.times import moment, nanoseconds
from otap.formats.readers.openai.items import call_of, identifier_of, is_output, returned, texts_of
from otap.formats.steps.calls import Call, calls_of, parsed_arguments
from otap.formats.steps.content import recorded
from otap.formats.steps.spans import Result, Span, read_spans
from otap.trajectory import Trajectory, parse_trajectory

NAME = "openai-agents"
DESCRIPTION = (
    "traces of OpenAI's Agents SDK: its traces and spans as JSONL, a list, {'data': [...]}"
)
STEP = "each span of a function, and each handoff; calls inside a call are its substeps"
KNOWN_BY = "objects 'trace' and 'trace.span'"

_OBJECTS = ("trace", "trace.span")


def recognises(value: Any) -> bool:
    """Says whether this is a trace or span, or a list or batch that begins with one."""
    first = _first(value)
    if isinstance(first, dict) and "object" not in first:
        first = _first(first.get("data"))
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


def _first(value: Any) -> Any:
    return (value[0] if value else None) if isinstance(value, list) else value


def _exported(document: Document) -> Iterator[tuple[dict[str, Any], Place]]:
    """Returns each trace and span; an exporter sends them in batches."""
    for value, place in document.items():
        if "data" not in place.object(value):
            yield value, place
            continue
        for index, item in enumerate(place["data"].array(value["data"])):
            yield place["data"][index].object(item), place["data"][index]


@dataclass
class _Trace:
    """What was exported of one trace."""

    name: str
    place: Place
    about: dict[str, Any] = field(default_factory=dict)
    spans: list[tuple[dict[str, Any], Place]] = field(default_factory=list)

    def run(self, *, reasoning: bool) -> Trajectory:
        """Returns the run."""
        asking = {
            value.get("parent_id")
            for value, place in self.spans
            if _data(value, place).get("type") == "generation" and value["span_data"].get("output")
            if isinstance(value.get("parent_id"), str)
        }
        told = read_spans((_span(*span, asking) for span in self.spans), reasoning=reasoning)
        fields = {"id": self.name, **vars(told), "metadata": self._metadata()}
        return parse_trajectory(fields, str(self.place))

    def _metadata(self) -> dict[str, Any]:
        own = self.about.get("metadata")
        notes = {key: self.about.get(key) for key in ("workflow_name", "group_id")}
        return {**(own if isinstance(own, dict) else {}), **recorded(notes)}


def _data(value: dict[str, Any], place: Place) -> dict[str, Any]:
    return place["span_data"].object(value.get("span_data"))


def _span(value: dict[str, Any], place: Place, asking: Collection[Any]) -> Span:
    data, where = _data(value, place), place["span_data"]
    span = Span(
        place["id"].text(value.get("id")), place["parent_id"].label(value.get("parent_id")), place
    )
    started = moment(value.get("started_at"), place["started_at"])
    ended = moment(value.get("ended_at"), place["ended_at"])
    span.start, span.end = nanoseconds(started), nanoseconds(ended)
    kind = data.get("type")
    if kind == "agent":
        span.agent = where["name"].label(data.get("name"))
    elif kind == "generation":
        _hear(span, data, where)
    elif kind == "response":
        span.is_model = True  # what it said is not exported
    elif kind == "function":
        span.call = _function(data, where)
    elif kind == "handoff" and span.parent not in asking:
        span.call = _handoff(data, where)
    if span.call is not None:
        span.call.started_at, span.call.ended_at = started, ended
        _judge(span.call, value, ended is not None)
    return span


def _hear(span: Span, data: dict[str, Any], place: Place) -> None:
    """Takes what a model said and called, and the results that it was told."""
    span.is_model = True
    said: list[str] = []
    for message, where in place["output"].objects(data.get("output")):
        call = call_of(message, where)
        span.asked += calls_of(message, where) if call is None else [call]
        if call is None and message.get("role") == "assistant":
            said += texts_of(message.get("content"), where["content"])
    span.said = "\n".join(said) or None
    for message, where in place["input"].objects(data.get("input")):
        if message.get("role") == "user":
            span.heard += texts_of(message.get("content"), where["content"])
        elif message.get("role") == "tool":
            name = where["tool_call_id"].label(message.get("tool_call_id"))
            span.results.append(Result(name, None, message.get("content")))
        elif is_output(message):
            span.results.append(Result(identifier_of(message, where), None, returned(message)))


def _function(data: dict[str, Any], place: Place) -> Call:
    arguments, parsed = parsed_arguments(data.get("input"))
    notes: dict[str, Any] = {} if parsed else {"arguments_unparsed": True}
    if data.get("mcp_data") is not None:
        notes["mcp_data"] = data["mcp_data"]
    name = place["name"].label(data.get("name"))
    if name is None:
        notes["unnamed"] = True
    return Call(name, arguments, None, notes, effect=data.get("output"))


def _handoff(data: dict[str, Any], place: Place) -> Call:
    """Returns a handoff as the call of the tool that the SDK makes of it by default."""
    to = place["to_agent"].label(data.get("to_agent"))
    notes = {"handoff": to}
    if to is None:
        return Call(None, None, None, {**notes, "unnamed": True})
    return Call(f"transfer_to_{re.sub('[^a-zA-Z0-9_]', '_', to).lower()}", None, None, notes)


def _judge(call: Call, value: dict[str, Any], ended: bool) -> None:
    """A span that ended says whether there was an error."""
    if value.get("error") is not None:
        call.status = "error"
        call.notes["error"] = value["error"]
    elif ended and "error" in value:
        call.status = "ok"
