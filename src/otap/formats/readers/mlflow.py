"""Traces of MLflow, as ``trace.to_json()`` writes them, in versions 2 and 3."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from otap.formats.content import object_in, parse_inner, unless_blank
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonObject, JsonPath, described
from otap.formats.json.times import time_from_nanoseconds
from otap.formats.readers.model_spans import call_that_ran, fill_model_span, run_of_trace
from otap.formats.spans import Span
from otap.formats.tokens import parse_usage
from otap.formats.tool_calls import ToolCall, parse_arguments
from otap.formats.tool_definitions import tool_facts
from otap.trajectory import Trajectory

NAME = "mlflow"
DESCRIPTION = "traces of MLflow, versions 2 and 3: one, a list, or JSONL"
STEP = "each span of type TOOL, and each tool call of a model without such a span"
KNOWN_BY = "'info' of a trace beside 'data' with spans"
BY_ITEM = True

_MODELS = ("CHAT_MODEL", "LLM")
_SILENT = (
    *("AGENT", "CHAIN", "RETRIEVER", "EMBEDDING", "RERANKER", "PARSER", "MEMORY", "UNKNOWN"),
    *("WORKFLOW", "TASK", "GUARDRAIL", "EVALUATOR"),
)
_INPUTS, _OUTPUTS = "mlflow.spanInputs", "mlflow.spanOutputs"
_TOOLS, _USAGE = "mlflow.chat.tools", "mlflow.chat.tokenUsage"
_STATUS: dict[str, Literal["ok", "error"]] = {
    "STATUS_CODE_OK": "ok",
    "STATUS_CODE_ERROR": "error",
    "OK": "ok",
    "ERROR": "error",
}
_NUMBERED = re.compile(r"(?P<name>.+)_[0-9]+", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _RawSpan:
    """One recorded span; the versions of MLflow differ in the names of its fields."""

    id: str
    parent: str | None
    name: str
    fields: JsonObject
    attributes: JsonObject

    def attribute(self, key: str) -> Any:
        """Returns an attribute; MLflow writes all of them as JSON in a text."""
        text = self.attributes.get(key)
        return parse_inner(text, text)

    def attribute_with_path(self, key: str) -> tuple[Any, JsonPath]:
        """Returns an attribute with its path."""
        return self.attribute(key), self.attributes.at(key)

    def time(self, name: str) -> int | None:
        """Returns the start or end in nanoseconds since 1970."""
        version_3_key = f"{name}_time_unix_nano"
        key = version_3_key if version_3_key in self.fields.mapping else f"{name}_time"
        time = self.fields.get(key)
        if time is None or (isinstance(time, int) and not isinstance(time, bool)):
            return time
        raise self.fields.at(key).error(f"expected nanoseconds since 1970, found {described(time)}")


def recognises(value: Any) -> bool:
    """Returns whether this is a trace of MLflow, or a list that begins with one."""
    first = first_of(value)
    if not isinstance(first, dict):
        return False
    info, data = first.get("info"), first.get("data")
    if not isinstance(info, dict) or not isinstance(data, dict):
        return False
    return isinstance(data.get("spans"), list) and ("trace_id" in info or "request_id" in info)


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one run for each trace."""
    return document.map(lambda item, path: _run_of_trace(item, path, reasoning))


def _run_of_trace(item: Any, path: JsonPath, reasoning: bool) -> Trajectory:
    trace = JsonObject(path.object(item), path)
    info, data = trace.object("info"), trace.object("data")
    spans_path = data.at("spans")
    values = spans_path.array(data.get("spans"))
    raw_spans = [_open_span(value, spans_path[index]) for index, value in enumerate(values)]
    names = _original_names(raw_spans)
    root = next((span for span in raw_spans if span.parent is None), None)
    fields = {
        "id": info.label("trace_id" if "trace_id" in info.mapping else "request_id"),
        **tool_facts(*(span.attribute(_TOOLS) for span in raw_spans)),
        "metadata": {"name": names[root.name]} if root else {},
    }
    inputs = root.attribute(_INPUTS) if root else None
    outputs = root.attribute(_OUTPUTS) if root else None
    spans = [_read_span(span, names) for span in raw_spans]
    return run_of_trace(spans, fields, inputs, outputs, path, reasoning=reasoning)


def _open_span(value: Any, path: JsonPath) -> _RawSpan:
    fields = JsonObject(path.object(value), path)
    if "context" in fields.mapping:  # version 2
        context, parent_key = fields.object("context"), "parent_id"
    else:
        context, parent_key = fields, "parent_span_id"
    attributes = JsonObject(
        fields.at("attributes").object(fields.get("attributes")), fields.at("attributes")
    )
    identifier, parent = context.text("span_id"), fields.label(parent_key)
    return _RawSpan(identifier, parent, fields.text("name"), fields, attributes)


def _original_names(spans: list[_RawSpan]) -> dict[str, str]:
    """Returns the original name of each span.

    Version 2 appends a number, from 1 on, to the names of spans that share a name.
    """
    names = {span.name: span.name for span in spans}
    for span in spans:
        numbered = _NUMBERED.fullmatch(span.name) if "context" in span.fields.mapping else None
        if numbered is None:
            continue
        name = numbered["name"]
        if name not in names and f"{name}_1" in names and f"{name}_2" in names:
            names[span.name] = name
    return names


def _read_span(raw: _RawSpan, names: dict[str, str]) -> Span:
    start, end = raw.time("start"), raw.time("end")
    span = Span(raw.id, raw.parent, raw.fields.path, start, end, agent=_agent_of(raw, names))
    kind = raw.attribute("mlflow.spanType")
    if kind == "TOOL":
        path = raw.fields.path
        times = time_from_nanoseconds(start, path), time_from_nanoseconds(end, path)
        span.call = _call_of_span(raw, names, times)
    elif kind in _MODELS:
        failed = _status_of_span(raw)[0] == "error"
        inputs, outputs = raw.attribute_with_path(_INPUTS), raw.attribute_with_path(_OUTPUTS)
        fill_model_span(span, inputs, outputs, failed=failed)
        span.tokens = parse_usage(raw.attribute(_USAGE))
    elif kind is None or kind in _SILENT:
        span.ignored.append(f"span of type '{kind or 'UNKNOWN'}'")
    else:
        span.unknown.append("span of an unknown type")
    return span


def _agent_of(span: _RawSpan, names: dict[str, str]) -> str | None:
    if span.attribute("mlflow.spanType") == "AGENT":
        return names[span.name]
    metadata = span.attribute("metadata")  # of LangChain's callbacks
    agent = metadata.get("lc_agent_name") if isinstance(metadata, dict) else None
    return agent if isinstance(agent, str) and agent else None


def _call_of_span(
    span: _RawSpan, names: dict[str, str], times: tuple[datetime | None, datetime | None]
) -> ToolCall:
    identifier = span.attributes.at("tool_call_id").label(span.attribute("tool_call_id"))
    name, inputs, parsed = names[span.name], span.attribute(_INPUTS), True
    # A toolset of Pydantic AI has the call in its inputs; its span has the name of a handler.
    call = object_in(inputs, "call") if isinstance(inputs, dict) else {}
    if "args" in call and unless_blank(call.get("tool_name")):
        name = call["tool_name"]
        inputs, parsed = parse_arguments(call["args"])
    status, error = _status_of_span(span)
    return call_that_ran(
        name,
        inputs,
        identifier,
        span.attribute_with_path(_OUTPUTS),
        parsed=parsed,
        status=status,
        error=error,
        times=times,
    )


def _status_of_span(span: _RawSpan) -> tuple[Literal["ok", "error"] | None, str | None]:
    """Returns the status of a span and its error message."""
    code, message = span.fields.get("status_code"), span.fields.get("status_message")
    status = span.fields.get("status")
    if isinstance(status, dict):
        code, message = status.get("code"), status.get("message")
    return (
        _STATUS.get(code) if isinstance(code, str) else None,
        message if isinstance(message, str) and message else None,
    )
