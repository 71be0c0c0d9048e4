"""Reads OpenTelemetry's spans from OTLP, Tempo, Jaeger, and plain lists.

Log records may be in the same file as the spans, or in a file of their own.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal, NamedTuple

from otap.formats.content import object_in
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath, described
from otap.formats.json.times import to_nanoseconds

Status = Literal["ok", "error"]

_RESOURCES = ("resourceSpans", "batches", "resourceLogs")
_SCOPES = ("scopeSpans", "instrumentationLibrarySpans", "scopeLogs", "instrumentationLibraryLogs")
_IDS = (("traceId", "spanId"), ("trace_id", "span_id"))
_LISTS = ("data", "traces", "spans")
_TIMES = ("timeUnixNano", "timestamp", "observedTimeUnixNano", "observed_timestamp")
_STATUS: dict[str, Status] = {
    **dict.fromkeys(("1", "OK", "STATUS_CODE_OK"), "ok"),
    **dict.fromkeys(("2", "ERROR", "STATUS_CODE_ERROR"), "error"),
}
_NESTED = ("llm", "openinference", "input", "output", "tool", "agent", "graph", "session")
_MAX_NAME = 200  # characters of an attribute's full name
# Phoenix's client records this attribute beside the others, as ``span_kind``.
_SPAN_KIND = "openinference.span.kind"
_SPAN_KINDS = (
    *("TOOL", "LLM", "AGENT", "CHAIN", "EMBEDDING", "RETRIEVER", "RERANKER"),
    *("GUARDRAIL", "EVALUATOR", "PROMPT"),
)
_MAX_TIME = 253402300799 * 10**9  # nanoseconds since 1970: the end of the year 9999
# Upper bounds of times in seconds, milliseconds and microseconds, and the nanoseconds in each
# unit, for files that do not state the unit. They hold for the years 2001 to 5138.
_UNITS = ((10**11, 10**9), (10**14, 10**6), (10**17, 10**3))


class Event(NamedTuple):
    """An event during a span."""

    name: str
    attributes: dict[str, Any]
    path: JsonPath


class Record(NamedTuple):
    """A log record that belongs to a span, as an event of that span."""

    trace: str
    span: str
    event: Event


@dataclass(frozen=True, slots=True)
class RawSpan:
    """One span from any envelope; times are in nanoseconds since 1970."""

    trace: str
    id: str
    parent: str | None
    name: str
    start: int | None
    end: int | None
    status: Status | None
    attributes: dict[str, Any]
    events: tuple[Event, ...]
    path: JsonPath


def is_export(value: Any) -> bool:
    """Returns whether this is an export of spans or log records, or one of them."""
    if not isinstance(value, dict):
        return False
    if _list_keys(value) or _is_otlp(value) or _is_otlp(value.get("trace")):
        return True
    return _is_jaeger(value) or _is_span(value) or _is_table_row(value) or _is_record(value)


def _list_keys(value: Any) -> list[str]:
    """Returns the keys under which an object lists spans, exports, or objects with such lists.

    Responses of Phoenix's server and sessions of AWS's tools have this form.
    """
    if not isinstance(value, dict) or _is_jaeger(value):
        return []
    keys = []
    for key in _LISTS:
        first = first_of(value[key]) if isinstance(value.get(key), list) else None
        if _is_span(first) or _is_otlp(first) or _list_keys(first):
            keys.append(key)
    return keys


def exported(document: Document) -> Iterator[RawSpan | Record]:
    """Yields the spans and log records of a document, in the order of the file.

    Raises:
        FormatError: with the path of the first invalid part of an envelope.
    """
    for value, path in document.items():
        yield from _spans_in(path.object(value), path)


def _is_otlp(value: Any) -> bool:
    return isinstance(value, dict) and any(isinstance(value.get(key), list) for key in _RESOURCES)


def _is_jaeger(value: dict[str, Any]) -> bool:
    first = first_of(value.get("data") or value)
    return isinstance(first, dict) and "traceID" in first and isinstance(first.get("spans"), list)


def _is_span(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        return False
    keys = {*value, *object_in(value, _context_key(value))}
    return any(keys >= {*ids} for ids in _IDS)


def _is_table_row(value: dict[str, Any]) -> bool:
    """Returns whether this is a row of a table of spans from Phoenix and pandas."""
    return "context.span_id" in value and "context.trace_id" in value


def _is_record(value: dict[str, Any]) -> bool:
    """Returns whether this is a log record that belongs to a span."""
    has_time = any(key in value for key in _TIMES)
    has_ids = any(value.get(trace) and value.get(span) for trace, span in _IDS)
    return "body" in value and "name" not in value and has_time and has_ids


def _spans_in(value: dict[str, Any], path: JsonPath) -> Iterator[RawSpan | Record]:
    if _is_otlp(value.get("trace")):
        value, path = value["trace"], path["trace"]
    list_keys = _list_keys(value)
    if _is_otlp(value):
        yield from _otlp(value, path)
    elif list_keys:
        for item, item_path in _objects_under(value, list_keys, path):
            yield from _spans_in(item, item_path)
    elif _is_jaeger(value):
        yield from _jaeger(value, path)
    elif _is_record(value):
        yield from _read_record(value, path)
    elif _is_table_row(value):
        yield _span_by_keys(_nest_row(value), path, _FLAT)
    elif _context_key(value) in _JAVASCRIPT_CONTEXTS:
        yield _span_by_keys(_flatten_context(value), path, _JAVASCRIPT)
    else:
        yield _span_by_keys(value, path, _OTLP if "traceId" in value else _FLAT)


def _context_key(value: dict[str, Any]) -> str:
    """Returns the key under which a span of an SDK has its ids."""
    for key in _JAVASCRIPT_CONTEXTS:
        if isinstance(value.get(key), dict):
            return key
    return "context"


def _flatten_context(value: dict[str, Any]) -> dict[str, Any]:
    """Returns a span of the SDK for JavaScript with its ids among the other fields.

    Times are pairs of seconds and nanoseconds.
    """
    parent = object_in(value, "parentSpanContext").get("spanId")
    times = {}
    for key in ("startTime", "endTime"):
        pair = value.get(key)
        if isinstance(pair, list) and [type(number) for number in pair] == [int, int]:
            times[key] = pair[0] * 10**9 + pair[1]
    return {"parentSpanId": parent, **value, **value[_context_key(value)], **times}


def _objects_under(
    value: dict[str, Any], keys: Iterable[str], path: JsonPath
) -> Iterator[tuple[dict[str, Any], JsonPath]]:
    """Yields the objects of lists, each of which may be missing, with their paths."""
    for key in keys:
        yield from path[key].objects(value.get(key) or [])


def _otlp(value: dict[str, Any], path: JsonPath) -> Iterator[RawSpan | Record]:
    for resource, resource_path in _objects_under(value, _RESOURCES, path):
        for scope, scope_path in _objects_under(resource, _SCOPES, resource_path):
            for span, span_path in _objects_under(scope, ("spans",), scope_path):
                yield _span_by_keys(span, span_path, _OTLP)
            for record, record_path in _objects_under(scope, ("logRecords",), scope_path):
                yield from _read_record(record, record_path)


def _read_record(value: dict[str, Any], path: JsonPath) -> Iterator[Record]:
    """Yields a log record, unless it belongs to no span."""
    ids = next((ids for ids in _IDS if value.get(ids[0]) and value.get(ids[1])), None)
    if ids is None:
        return
    attributes = _attributes(value.get("attributes"), path["attributes"])
    names = (value.get("eventName"), value.get("event_name"), attributes.get("event.name"))
    name = next((name for name in names if isinstance(name, str) and name), "")
    body = value.get("body")
    if isinstance(body, dict) and len(body) == 1 and next(iter(body)).endswith("Value"):
        body = _any_value(body, path["body"])
    fields = body if isinstance(body, dict) else {"content": body}
    event = Event(name, {**attributes, **fields}, path["body"])
    trace, span = (_identifier(value, key, path) for key in ids)
    yield Record(trace, span, event)


class _SpanKeys(NamedTuple):
    """The keys of a span in one envelope; of several keys the first that exists counts."""

    trace: str
    id: str
    parent: tuple[str, ...]
    start: str
    end: str
    status: tuple[str, ...]
    events: tuple[str, ...]
    unit: int | None = None  # nanoseconds in a unit of time, if the envelope defines it


_OTLP = _SpanKeys(
    *("traceId", "spanId", ("parentSpanId",), "startTimeUnixNano", "endTimeUnixNano"),
    *(("status",), ("events",), 1),
)
# The SDK for JavaScript has the ids under one of these keys, depending on its version.
_JAVASCRIPT_CONTEXTS = ("spanContext", "_spanContext")
_JAVASCRIPT = _OTLP._replace(start="startTime", end="endTime", unit=None)
# Spans of the SDK for Python, and spans in plain lists.
_FLAT = _SpanKeys(
    *("trace_id", "span_id", ("parent_id", "parent_span_id"), "start_time", "end_time"),
    *(("status", "status_code"), ("events", "span_events")),
)


def _span_by_keys(span: dict[str, Any], path: JsonPath, keys: _SpanKeys) -> RawSpan:
    context, context_path = span, path
    if keys is _FLAT and keys.trace not in span:
        context, context_path = path["context"].object(span.get("context")), path["context"]
    parent, status, events = (
        next((key for key in names if key in span), names[-1])
        for names in (keys.parent, keys.status, keys.events)
    )
    attributes = _attributes(span.get("attributes"), path["attributes"])
    if str(span.get("span_kind")) in _SPAN_KINDS:
        attributes = {_SPAN_KIND: span["span_kind"], **attributes}
    return RawSpan(
        trace=_identifier(context, keys.trace, context_path),
        id=_identifier(context, keys.id, context_path),
        parent=path.label_in(span, parent),
        name=_name_under(span, "name", path),
        start=_read_time(span.get(keys.start), path[keys.start], keys.unit),
        end=_read_time(span.get(keys.end), path[keys.end], keys.unit),
        status=_status_of_code(span.get(status)),
        attributes=_with_full_names(attributes) if keys is _FLAT else attributes,
        events=tuple(_read_event(*placed) for placed in _objects_under(span, (events,), path)),
        path=path,
    )


def _jaeger(value: dict[str, Any], path: JsonPath) -> Iterator[RawSpan]:
    data = value.get("data")
    traces = path["data"].objects(data) if isinstance(data, list) else [(value, path)]
    for trace, trace_path in traces:
        for span, span_path in _objects_under(trace, ("spans",), trace_path):
            yield _jaeger_span(span, span_path)


def _jaeger_span(span: dict[str, Any], path: JsonPath) -> RawSpan:
    start = _read_time(span.get("startTime"), path["startTime"], 1000)
    duration = _read_time(span.get("duration"), path["duration"], 1000)
    tags = _tags(span, "tags", path)
    failed = tags.get("error") in (True, "true")
    parents = (
        _identifier(reference, "spanID", reference_path)
        for reference, reference_path in _objects_under(span, ("references",), path)
        if reference.get("refType") == "CHILD_OF"
    )
    return RawSpan(
        trace=_identifier(span, "traceID", path),
        id=_identifier(span, "spanID", path),
        parent=next(parents, None),
        name=_name_under(span, "operationName", path),
        start=start,
        end=None if start is None else start + (duration or 0),
        status="error" if failed else _status_of_code(tags.get("otel.status_code")),
        attributes=tags,
        events=tuple(_read_log(*placed) for placed in _objects_under(span, ("logs",), path)),
        path=path,
    )


def _read_log(log: dict[str, Any], path: JsonPath) -> Event:
    fields = _tags(log, "fields", path)
    return Event(str(fields.get("event", "")), fields, path["fields"])


def _tags(value: dict[str, Any], key: str, path: JsonPath) -> dict[str, Any]:
    """Returns Jaeger's attributes, whose values are plain JSON."""
    tags = _objects_under(value, (key,), path)
    return {tag_path["key"].text(tag.get("key")): tag.get("value") for tag, tag_path in tags}


def _nest_row(row: dict[str, Any]) -> dict[str, Any]:
    """Returns a row, whose columns have dotted names, as a nested span of the SDK."""
    span: dict[str, Any] = {"context": {}, "attributes": {}}
    for column, value in row.items():
        group, _, name = column.partition(".")
        if not name or not isinstance(span.get(group), dict):
            span[column] = value
        elif value is not None:
            span[group][name] = value
    return span


def _identifier(value: dict[str, Any], key: str, path: JsonPath) -> str:
    identifier = path.label_in(value, key)
    if identifier is None:
        raise path[key].error("expected an id, found none")
    return identifier


def _name_under(value: dict[str, Any], key: str, path: JsonPath) -> str:
    name = value.get(key, "")
    return name if name == "" else path[key].text(name)


def _status_of_code(value: Any) -> Status | None:
    code = value.get("code", value.get("status_code")) if isinstance(value, dict) else value
    return _STATUS.get(str(code).upper()) if isinstance(code, str | int) else None


def _read_event(event: dict[str, Any], path: JsonPath) -> Event:
    name_key = "name" if "name" in event else "event_name"
    attributes = _attributes(event.get("attributes"), path["attributes"])
    return Event(_name_under(event, name_key, path), attributes, path["attributes"])


def _attributes(value: Any, path: JsonPath) -> dict[str, Any]:
    """Returns attributes by name, from an object or from OTLP's list."""
    if value is None:
        return {}
    if isinstance(value, dict):
        return value
    attributes: dict[str, Any] = {}
    for pair, pair_path in path.objects(value):
        attribute = _any_value(pair.get("value"), pair_path["value"])
        attributes[pair_path["key"].text(pair.get("key"))] = attribute
    return attributes


def _with_full_names(attributes: dict[str, Any]) -> dict[str, Any]:
    """Returns attributes by full names, which Phoenix nests for those of OpenInference."""
    flat = dict(attributes)
    for group in _NESTED:
        if isinstance(attributes.get(group), dict):
            flat.update(_flattened(flat.pop(group), group))
    for key, value in attributes.items():
        if key.startswith(_NESTED) and isinstance(value, list):
            flat.update(_flattened(value, key))
    return flat


def _flattened(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yields nested values by full names; only lists of objects count as nested."""
    pending = [(name, value)]
    while pending:
        name, value = pending.pop()
        if len(name) > _MAX_NAME:
            continue
        if isinstance(value, dict):
            pending.extend((f"{name}.{key}", inner) for key, inner in value.items())
        elif isinstance(value, list) and value and all(isinstance(v, dict) for v in value):
            pending.extend((f"{name}.{index}", inner) for index, inner in enumerate(value))
        else:
            yield name, value


def _any_value(value: Any, path: JsonPath) -> Any:
    """Returns an AnyValue of OTLP as plain JSON; an empty one is null."""
    if value is None:
        return None
    wrapper = path.object(value)
    for key, read in (("arrayValue", _any_values), ("kvlistValue", _attributes)):
        if key in wrapper:
            inner = path[key].object(wrapper[key] or {})
            return read(inner.get("values"), path[key]["values"])
    if "intValue" in wrapper:
        return _read_integer(wrapper["intValue"], path["intValue"])
    return next(iter(wrapper.values()), None)


def _any_values(values: Any, path: JsonPath) -> list[Any]:
    return [_any_value(*placed) for placed in path.objects(values or [])]


def _read_integer(value: Any, path: JsonPath) -> int:
    """Returns a whole number; JSON of protobuf has 64-bit numbers as text."""
    if isinstance(value, str) and len(value) <= 20 and value.removeprefix("-").isdecimal():
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise path.error(f"expected a whole number, found {described(value)}")


def _read_time(value: Any, path: JsonPath, unit: int | None = None) -> int | None:
    """Returns nanoseconds since 1970; 0 means that the time is not known."""
    if isinstance(value, str) and not value.isdecimal():
        return _read_date(value, path)
    number = value if isinstance(value, float) else _read_integer(value or 0, path)
    if unit is None:
        unit = next((factor for bound, factor in _UNITS if number < bound), 1)
    time = number * unit
    if not 0 <= time <= _MAX_TIME:
        raise path.error("is not a time from 1970 to 9999")
    return round(time) or None


def _read_date(text: str, path: JsonPath) -> int | None:
    if not text:
        return None
    try:
        time = to_nanoseconds(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        raise path.error(f"expected a time, found {described(text)}") from None
    if time is not None and time < 0:
        raise path.error("is not a time from 1970 to 9999")
    return time or None


# Names of events of a model, if the span of the model is missing.
_MODEL_EVENTS = (
    *("gen_ai.client.inference.operation.details", "gen_ai.choice"),
    *("gen_ai.user.message", "gen_ai.assistant.message", "gen_ai.tool.message"),
)
_OPERATION = "gen_ai.operation.name"


def with_records(exports: Iterable[RawSpan | Record]) -> list[RawSpan]:
    """Returns the spans with their log records as events.

    Records of a model whose span is missing become a span of their own.
    """
    spans: list[RawSpan] = []
    events_of: dict[tuple[str, str], list[Event]] = defaultdict(list)
    for export in exports:
        if isinstance(export, Record):
            events_of[export.trace, export.span].append(export.event)
        else:
            spans.append(export)
    for index, span in enumerate(spans):
        events = events_of.pop((span.trace, span.id), [])
        if events:
            spans[index] = replace(span, events=(*span.events, *events))
    for (trace, identifier), events in events_of.items():
        if any(event.name in _MODEL_EVENTS for event in events):
            spans.append(_span_of_events(trace, identifier, events))
    return spans


def _span_of_events(trace: str, identifier: str, events: list[Event]) -> RawSpan:
    """Returns a span for events whose own span is missing."""
    operations = [event.attributes.get(_OPERATION) for event in events]
    operation = next((name for name in operations if isinstance(name, str)), "chat")
    return RawSpan(
        trace=trace,
        id=identifier,
        parent=None,
        name="",
        start=None,
        end=None,
        status=None,
        attributes={_OPERATION: operation},
        events=tuple(events),
        path=events[0].path,
    )
