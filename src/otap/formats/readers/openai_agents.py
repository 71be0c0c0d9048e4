"""Traces of OpenAI's Agents SDK, as its tracing exports them: traces and spans."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from otap.formats.chats import Status
from otap.formats.content import drop_nulls, object_in, unless_blank
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonObject, JsonPath
from otap.formats.json.times import parse_time, to_nanoseconds
from otap.formats.readers.model_spans import end_call
from otap.formats.readers.openai_responses import read_item
from otap.formats.spans import Span, read_spans
from otap.formats.tokens import find_usage
from otap.formats.tool_calls import ToolCall, ToolResult, new_call, parse_call, parse_calls
from otap.trajectory import Trajectory

NAME = "openai-agents"
DESCRIPTION = (
    "traces of OpenAI's Agents SDK: its traces and spans as JSONL, a list, {'data': [...]}"
)
STEP = "each span of a function, and each handoff; calls inside a call are its substeps"
KNOWN_BY = "objects 'trace' and 'trace.span'"

_OBJECTS = ("trace", "trace.span")
_BETWEEN = ("turn", "task")  # spans between that of an agent and those of its calls
_MODELS = ("generation", "response")
_SILENT = (
    *("guardrail", "custom", "mcp_tools", "transcription", "speech", "speech_group"),
    *_BETWEEN,
)


def recognises(value: Any) -> bool:
    """Returns whether this is a trace or span, or a list or batch that begins with one."""
    first = first_of(value)
    if isinstance(first, dict) and "object" not in first:
        first = first_of(first.get("data"))
    return isinstance(first, dict) and first.get("object") in _OBJECTS


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Yields one run for each trace."""
    traces: dict[str, _Trace] = {}
    for item in _traces_and_spans(document):
        key = "id" if item.get("object") == "trace" else "trace_id"
        name = item.text(key)
        trace = traces.setdefault(name, _Trace(name, item.path))
        if key == "id":
            trace.fields = item.mapping
        else:
            trace.spans.append(item)
    for trace in traces.values():
        yield trace.run(reasoning=reasoning)


def _traces_and_spans(document: Document) -> Iterator[JsonObject]:
    """Yields each trace and span, including those in batches."""
    for item in document.objects():
        if "data" in item.mapping:
            item.at("data").array(item.get("data"))
            yield from item.objects("data")
        else:
            yield item


@dataclass
class _Trace:
    """The fields and spans of one trace."""

    name: str
    path: JsonPath
    fields: dict[str, Any] = field(default_factory=dict)
    spans: list[JsonObject] = field(default_factory=list)

    def run(self, *, reasoning: bool) -> Trajectory:
        """Returns the run."""
        duplicates = self._duplicate_handoffs()
        spans = (_read_span(span, duplicates) for span in self.spans)
        conversation = read_spans(spans, reasoning=reasoning)
        notes = {key: self.fields.get(key) for key in ("workflow_name", "group_id")}
        metadata = object_in(self.fields, "metadata") | drop_nulls(notes)
        return conversation.to_trajectory(self.path, {"id": self.name, "metadata": metadata})

    def _duplicate_handoffs(self) -> set[str]:
        """Returns the ids of handoff spans that repeat a call of a model or of a function."""
        by_id: dict[str, dict[str, Any]] = {}
        for span in self.spans:
            if isinstance(span.get("id"), str):
                by_id[span.mapping["id"]] = span.mapping
        callers: set[str | None] = set()  # ids of agents, and "<agent>/<function>"
        for span in self.spans:
            value, data = span.mapping, _data_of(span).mapping
            if data.get("type") == "generation" and data.get("output"):
                callers.add(_agent_span_of(value, by_id))
            elif data.get("type") == "function" and isinstance(data.get("name"), str):
                callers.add(f"{_agent_span_of(value, by_id)}/{data['name']}")
        duplicates = set()
        for identifier, value in by_id.items():
            agent = _agent_span_of(value, by_id)
            if agent in callers or f"{agent}/{_handoff_tool(value)}" in callers:
                duplicates.add(identifier)
        return duplicates


def _agent_span_of(value: dict[str, Any], by_id: Mapping[str, dict[str, Any]]) -> str | None:
    """Returns the id of the agent's span around a span, beyond spans of a turn or a task."""
    parent_id = value.get("parent_id")
    for _ in _BETWEEN:
        parent = by_id.get(parent_id) if isinstance(parent_id, str) else None
        if parent is None or object_in(parent, "span_data").get("type") not in _BETWEEN:
            break
        parent_id = parent.get("parent_id")
    return parent_id if isinstance(parent_id, str) else None


def _handoff_tool(value: dict[str, Any]) -> str | None:
    """Returns the default tool of a handoff; None for other spans."""
    data = object_in(value, "span_data")
    agent = data.get("to_agent") if data.get("type") == "handoff" else None
    return _tool_for(agent) if isinstance(agent, str) else None


def _tool_for(agent: str) -> str:
    """Returns the name that the SDK by default gives to the tool for a handoff to an agent."""
    return f"transfer_to_{re.sub('[^a-zA-Z0-9_]', '_', agent).lower()}"


def _data_of(span: JsonObject) -> JsonObject:
    path = span.at("span_data")
    return JsonObject(path.object(span.get("span_data")), path)


def _read_span(recorded: JsonObject, duplicates: Collection[str]) -> Span:
    data = _data_of(recorded)
    span = Span(recorded.text("id"), recorded.label("parent_id"), recorded.path)
    start = parse_time(recorded.get("started_at"), recorded.at("started_at"))
    end = parse_time(recorded.get("ended_at"), recorded.at("ended_at"))
    span.start, span.end = to_nanoseconds(start), to_nanoseconds(end)
    _fill_by_type(span, data, duplicates)
    error = recorded.get("error")
    if span.call is not None:
        span.call.started_at, span.call.ended_at = start, end
        status: Status = "ok" if end is not None and "error" in recorded.mapping else None
        end_call(span.call, status if error is None else "error", error)
    elif span.has_answer is False and error is not None:
        span.has_answer = True  # a failure counts as an answer
    return span


def _fill_by_type(span: Span, data: JsonObject, duplicates: Collection[str]) -> None:
    kind = data.get("type")
    span.tokens = find_usage(data.mapping) if kind in _MODELS else None
    if kind == "agent":
        span.agent = data.label("name")
    elif kind == "generation":
        _read_model(span, data)
    elif kind == "response":
        span.is_model, span.has_answer = True, False  # the answer is not exported
    elif kind == "function":
        span.call = parse_call(data.label("name"), data.get("input"), None, data.at("name"))
        span.call.notes.update(drop_nulls({"mcp_data": data.get("mcp_data")}))
        span.call.effect = data.get("output")
    elif kind == "handoff":
        span.call = None if span.id in duplicates else _call_of_handoff(data)
    elif kind in _SILENT:
        span.ignored.append(f"span of type '{kind}'")
    else:
        span.unknown.append("span of an unknown type")


def _read_answer(span: Span, data: JsonObject) -> list[str]:
    """Adds the calls of an answer to the span, and returns the texts of the answer."""
    texts: list[str] = []
    for item in data.objects("output"):
        message = read_item(*item)
        calls = message.calls or parse_calls(*item)
        span.requested_calls += calls
        if item.get("role") == "assistant":
            texts += unless_blank("\n".join(message.texts))
        elif item.get("type") == "reasoning":
            span.ignored.append("reasoning")
        elif not calls:
            span.unknown.append("item of an unknown type in an answer")
    return texts


def _read_model(span: Span, data: JsonObject) -> None:
    """Fills the span of a model from its answer, and from texts and results in its input."""
    span.is_model, span.has_answer = True, bool(data.get("output"))
    span.answer = "\n".join(_read_answer(span, data)) or None
    for item in data.objects("input"):
        if item.get("role") == "tool":
            span.results.append(ToolResult(item.label("tool_call_id"), None, item.get("content")))
        elif item.get("role") == "assistant":
            calls = parse_calls(item.mapping, item.path)
            span.earlier_calls += [calls] if calls else []
        elif item.mapping.get("role", "user") == "user":
            message = read_item(*item)
            is_message = "role" in item.mapping
            span.user_texts += unless_blank("\n".join(message.texts)) if is_message else []
            span.results += message.results
            span.earlier_calls += [message.calls] if message.calls else []


def _call_of_handoff(data: JsonObject) -> ToolCall:
    """Returns a handoff as a call of the tool that the SDK creates for it by default."""
    agent = data.label("to_agent")
    call = new_call(None if agent is None else _tool_for(agent), None, None, data.path)
    call.notes["handoff"] = agent
    return call
