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
from otap.formats.json.paths import JsonObject, JsonPath, described
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


class LogRecord(NamedTuple):
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


def exported(document: Document) -> Iterator[RawSpan | LogRecord]:
    """Yields the spans and log records of a document, in the order of the file.

    Raises:
        FormatError: with the path of the first invalid part of an envelope.
    """
    for value in document.objects():
        yield from _spans_in(value)


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


def _spans_in(value: JsonObject) -> Iterator[RawSpan | LogRecord]:
    if _is_otlp(value.get("trace")):
        value = value.object("trace")
    fields = value.mapping
    list_keys = _list_keys(fields)
    if _is_otlp(fields):
        yield from _otlp(value)
    elif list_keys:
        for item in _objects_under(value, *list_keys):
            yield from _spans_in(item)
    elif _is_jaeger(fields):
        traces = value.objects("data") if isinstance(value.get("data"), list) else [value]
        for trace in traces:
            yield from (_jaeger_span(span) for span in _objects_under(trace, "spans"))
    elif _is_record(fields):
        yield from _read_record(value)
    elif _is_table_row(fields):
        yield _span_by_keys(value._replace(mapping=_nest_row(fields)), _FLAT)
    elif _context_key(fields) in _JAVASCRIPT_CONTEXTS:
        yield _span_by_keys(value._replace(mapping=_flatten_context(fields)), _JAVASCRIPT)
    else:
        yield _span_by_keys(value, _OTLP if "traceId" in fields else _FLAT)


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


def _objects_under(value: JsonObject, *keys: str) -> Iterator[JsonObject]:
    """Yields the objects of lists, each of which may be missing or empty."""
    for key in keys:
        if value.get(key):
            yield from value.objects(key)


def _otlp(value: JsonObject) -> Iterator[RawSpan | LogRecord]:
    for resource in _objects_under(value, *_RESOURCES):
        for scope in _objects_under(resource, *_SCOPES):
            yield from (_span_by_keys(span, _OTLP) for span in _objects_under(scope, "spans"))
            for record in _objects_under(scope, "logRecords"):
                yield from _read_record(record)


def _read_record(record: JsonObject) -> Iterator[LogRecord]:
    """Yields a log record, unless it belongs to no span."""
    ids = next((ids for ids in _IDS if record.get(ids[0]) and record.get(ids[1])), None)
    if ids is None:
        return
    attributes = _attributes_of(record)
    names = (record.get("eventName"), record.get("event_name"), attributes.get("event.name"))
    name = next((name for name in names if isinstance(name, str) and name), "")
    body, path = record.get("body"), record.at("body")
    if isinstance(body, dict) and len(body) == 1 and next(iter(body)).endswith("Value"):
        body = _any_value(body, path)
    fields = body if isinstance(body, dict) else {"content": body}
    trace, span = (_identifier(record, key) for key in ids)
    yield LogRecord(trace, span, Event(name, {**attributes, **fields}, path))


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


def _span_by_keys(span: JsonObject, keys: _SpanKeys) -> RawSpan:
    context = span
    if keys is _FLAT and keys.trace not in span.mapping:
        context = JsonObject(span.at("context").object(span.get("context")), span.at("context"))
    parent, status, events = (
        next((key for key in names if key in span.mapping), names[-1])
        for names in (keys.parent, keys.status, keys.events)
    )
    attributes = _attributes_of(span)
    if str(span.get("span_kind")) in _SPAN_KINDS:
        attributes = {_SPAN_KIND: span.get("span_kind"), **attributes}
    return RawSpan(
        trace=_identifier(context, keys.trace),
        id=_identifier(context, keys.id),
        parent=span.label(parent),
        name=_name_under(span, "name"),
        start=_read_time(span, keys.start, keys.unit),
        end=_read_time(span, keys.end, keys.unit),
        status=_status_of_code(span.get(status)),
        attributes=_with_full_names(attributes) if keys is _FLAT else attributes,
        events=tuple(
            Event(
                _name_under(event, "name" if "name" in event.mapping else "event_name"),
                _attributes_of(event),
                event.at("attributes"),
            )
            for event in _objects_under(span, events)
        ),
        path=span.path,
    )


def _jaeger_span(span: JsonObject) -> RawSpan:
    start, duration = _read_time(span, "startTime", 1000), _read_time(span, "duration", 1000)
    tags = _tags(span, "tags")
    failed = tags.get("error") in (True, "true")
    parents = (
        _identifier(reference, "spanID")
        for reference in _objects_under(span, "references")
        if reference.get("refType") == "CHILD_OF"
    )
    logs = [(_tags(log, "fields"), log.at("fields")) for log in _objects_under(span, "logs")]
    return RawSpan(
        trace=_identifier(span, "traceID"),
        id=_identifier(span, "spanID"),
        parent=next(parents, None),
        name=_name_under(span, "operationName"),
        start=start,
        end=None if start is None else start + (duration or 0),
        status="error" if failed else _status_of_code(tags.get("otel.status_code")),
        attributes=tags,
        events=tuple(Event(str(log.get("event", "")), log, path) for log, path in logs),
        path=span.path,
    )


def _tags(value: JsonObject, key: str) -> dict[str, Any]:
    """Returns Jaeger's attributes, whose values are plain JSON."""
    return {tag.text("key"): tag.get("value") for tag in _objects_under(value, key)}


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


def _identifier(value: JsonObject, key: str) -> str:
    identifier = value.label(key)
    if identifier is None:
        raise value.at(key).error("expected an id, found none")
    return identifier


def _name_under(value: JsonObject, key: str) -> str:
    return "" if value.mapping.get(key, "") == "" else value.text(key)


def _status_of_code(value: Any) -> Status | None:
    code = value.get("code", value.get("status_code")) if isinstance(value, dict) else value
    return _STATUS.get(str(code).upper()) if isinstance(code, str | int) else None


def _attributes_of(value: JsonObject) -> dict[str, Any]:
    return _attributes(value.get("attributes"), value.at("attributes"))


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
    wrapper = JsonObject(path.object(value), path)
    if "arrayValue" in wrapper.mapping:
        array = wrapper.object("arrayValue")
        items = array.at("values").objects(array.get("values") or [])
        return [_any_value(item, item_path) for item, item_path in items]
    if "kvlistValue" in wrapper.mapping:
        members = wrapper.object("kvlistValue")
        return _attributes(members.get("values"), members.at("values"))
    if "intValue" in wrapper.mapping:
        return _read_integer(wrapper.get("intValue"), wrapper.at("intValue"))
    return next(iter(wrapper.mapping.values()), None)


def _read_integer(value: Any, path: JsonPath) -> int:
    """Returns a whole number; JSON of protobuf has 64-bit numbers as text."""
    if isinstance(value, str) and len(value) <= 20 and value.removeprefix("-").isdecimal():
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise path.error(f"expected a whole number, found {described(value)}")


def _read_time(value: JsonObject, key: str, unit: int | None) -> int | None:
    """Returns nanoseconds since 1970; 0 means that the time is not known.

    Args:
        value: the object with the time, as a number or a text.
        key: the key of the time.
        unit: the nanoseconds in its unit; ``None`` to recognise the unit by its size.
    """
    time, path = value.get(key), value.at(key)
    if isinstance(time, str) and not time.isdecimal():
        return _read_date(time, path)
    number = time if isinstance(time, float) else _read_integer(time or 0, path)
    if unit is None:
        unit = next((factor for bound, factor in _UNITS if number < bound), 1)
    if not 0 <= number * unit <= _MAX_TIME:
        raise path.error("is not a time from 1970 to 9999")
    return round(number * unit) or None


def _read_date(text: str, path: JsonPath) -> int | None:
    try:
        time = to_nanoseconds(datetime.fromisoformat(text)) if text else None
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


def with_records(exports: Iterable[RawSpan | LogRecord]) -> list[RawSpan]:
    """Returns the spans with their log records as events.

    Records of a model whose span is missing become a span of their own.
    """
    spans: list[RawSpan] = []
    events_of: dict[tuple[str, str], list[Event]] = defaultdict(list)
    for export in exports:
        if isinstance(export, LogRecord):
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
