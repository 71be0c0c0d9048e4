"""Spans of OpenTelemetry and OpenInference, in every envelope: flat, OTLP, Jaeger, AgentCore."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from formats.counts.counted import Counts, Object, Run, documents, inside, unfolded
from formats.counts.messages import asked, is_bad_result, said

_IDS = ("span_id", "spanId", "spanID")
_TRACES = ("trace_id", "traceId", "traceID")
_PARENTS = ("parent_span_id", "parentSpanId", "parent_id")
_NAMES = ("mlflow.spanFunctionName", "gen_ai.tool.name", "tool.name", "ai.toolCall.name")
_ERRORS = (2, "ERROR", "STATUS_CODE_ERROR")


def otel(file: Path) -> Counts:
    """A span of a tool is a call, and so is what a model asked for beyond these.

    A trace is a run; one that calls no tool and in which nobody said a thing (of HTTP, of messages
    between AutoGen's agents) is none. The user's texts, each once, stand in spans outside of tools.
    """
    traces: dict[Any, list[Object]] = {}
    for span in map(_flat, _spans(unfolded(documents(file)))):
        traces.setdefault(_first(span, _TRACES), []).append(span)
    runs = [_run(spans) for spans in traces.values() if any(map(_tells, spans))]
    return Counts(runs)


def _tells(span: Object) -> bool:
    return "body" not in span and (bool(_tool(span)) or any(said(span)))


def _run(spans: list[Object]) -> Run:
    named = {_first(span, _IDS): span for span in spans if "body" not in span}
    tools = {key: _tool(span) for key, span in named.items()}
    texts: dict[str, None] = {}
    for key, span in ((_first(span, _IDS), span) for span in spans):
        if not any(tools.get(each) for each in _up(key, named)):
            texts.update(dict.fromkeys(said(span)))
    calls = Counter(tool for tool in tools.values() if tool) | Counter(asked(spans).values())
    failed = sum(_failed(span) or is_bad_result(span) for key, span in named.items() if tools[key])
    return Run(calls, failed, len(texts))


def _spans(value: Any) -> Iterator[Object]:
    """Objects with the id of a span; log records of AgentCore have it too, beside a body."""
    for each in inside(value):
        here = {**each, **each["context"]} if "parent_id" in each and "context" in each else each
        if any(key in here for key in _IDS) and ("name" in here or "body" in here):
            yield here
        elif "operationName" in each:  # Jaeger's
            yield {**each, "name": each["operationName"]}


def _flat(span: Object) -> Object:
    """A span whose attributes are a mapping, those of its events too."""
    events = [_flat(event) for event in span.get("events") or span.get("logs") or []]
    made = span.get("attributes") or span.get("tags") or {}
    if isinstance(made, list):
        values = {each["key"]: each.get("value") for each in made}
        is_one = {key: isinstance(value, dict) and len(value) == 1 for key, value in values.items()}
        made = {k: next(iter(v.values())) if is_one[k] else v for k, v in values.items()}
    return {**span, "attributes": made, "events": events}


def _first(span: Object, keys: tuple[str, ...]) -> Any:
    return next((span[key] for key in keys if span.get(key)), None)


def _up(key: Any, named: dict[Any, Object]) -> Iterator[Any]:
    """The ids of a span and of those that it is in."""
    while key in named:
        yield key
        references = named[key].get("references") or [{}]
        key = _first(named[key], _PARENTS) or references[0].get("spanID")


def _tool(span: Object) -> str | None:
    """The tool that a span is of; ADK's '(merged tools)' is none."""
    at = span["attributes"]
    kinds = (at.get("openinference.span.kind"), at.get("mlflow.spanType"))
    executed = at.get("gen_ai.operation.name") == "execute_tool"
    if not ("TOOL" in kinds or executed or at.get("ai.operationId") == "ai.toolCall"):
        return None
    name = str(_first(at, _NAMES) or span["name"])
    return None if name == "(merged tools)" else name


def _failed(span: Object) -> bool:
    status = span.get("status") or span.get("status_code")
    codes = status.values() if isinstance(status, dict) else [status]
    return any(code in _ERRORS for code in codes)
