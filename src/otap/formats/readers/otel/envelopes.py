"""The envelopes in which OpenTelemetry's spans are kept: OTLP, Tempo, Jaeger, and plain lists.

Log records may stand beside the spans, or in a file of their own.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import starmap
from typing import Any, Literal, NamedTuple

from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath, described
from otap.formats.json.times import to_nanoseconds
from otap.formats.steps.content import object_in

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
_NAME = 200  # characters of an attribute's full name
# What Phoenix's client writes beside the attributes of a span, by a name of OpenInference.
_SPAN_KIND = "openinference.span.kind"
_SAID_BESIDE = frozenset(("TOOL", "LLM", "AGENT", "CHAIN", "EMBEDDING", "RETRIEVER", "RERANKER"))
_SAID_BESIDE |= {"GUARDRAIL", "EVALUATOR", "PROMPT"}
_LAST = 253402300799 * 10**9  # the end of the year 9999, beyond which there is no date
# What a number counts where the file does not say: nobody traced before 2001, or after 5138.
_UNITS = ((10**11, 10**9), (10**14, 10**6), (10**17, 10**3))


class Event(NamedTuple):
    """Something that happened during a span."""

    name: str
    attributes: dict[str, Any]
    place: JsonPath


class Record(NamedTuple):
    """A log record that belongs to a span: what it says is an event of that span."""

    trace: str
    span: str
    event: Event


@dataclass(frozen=True, slots=True)
class RawSpan:
    """One span, whatever its envelope was; times are nanoseconds since 1970."""

    trace: str
    id: str
    parent: str | None
    name: str
    start: int | None
    end: int | None
    status: Status | None
    attributes: dict[str, Any]
    events: tuple[Event, ...]
    place: JsonPath


def is_export(value: Any) -> bool:
    """Says whether this is an export of spans or log records, or one of them."""
    if not isinstance(value, dict):
        return False
    if _lists_in(value):
        return True
    kinds = (_is_otlp, _is_jaeger, _is_span, _is_table_row, _is_record)
    return _is_otlp(value.get("trace")) or any(is_one(value) for is_one in kinds)


def _lists_in(value: Any) -> list[str]:
    """Returns the keys under which an object around spans lists them, or exports, or such objects.

    Phoenix's server answers so, and AWS's tools keep a session so.
    """
    if not isinstance(value, dict) or _is_jaeger(value):
        return []
    firsts = ((key, first_of(value.get(key))) for key in _LISTS if isinstance(value.get(key), list))
    return [key for key, one in firsts if _is_span(one) or _is_otlp(one) or _lists_in(one)]


def exported(document: Document) -> Iterator[RawSpan | Record]:
    """Returns the spans and log records of a document, in the order of the file.

    Raises:
        FormatError: with the place of the first thing that no envelope may hold.
    """
    for value, place in document.items():
        yield from _export(place.object(value), place)


def _is_otlp(value: Any) -> bool:
    return isinstance(value, dict) and any(isinstance(value.get(key), list) for key in _RESOURCES)


def _is_jaeger(value: dict[str, Any]) -> bool:
    first = first_of(value.get("data") or value)
    return isinstance(first, dict) and "traceID" in first and isinstance(first.get("spans"), list)


def _is_span(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        return False
    keys = {*value, *object_in(value, _context_of(value))}
    return any(keys >= {*ids} for ids in _IDS)


def _is_table_row(value: dict[str, Any]) -> bool:
    """Says whether this is a row of a table of spans, as Phoenix and pandas write it."""
    return "context.span_id" in value and "context.trace_id" in value


def _is_record(value: dict[str, Any]) -> bool:
    """Says whether this is a log record that belongs to a span."""
    timed = any(key in value for key in _TIMES)
    known = any(value.get(trace) and value.get(span) for trace, span in _IDS)
    return "body" in value and "name" not in value and timed and known


def _export(value: dict[str, Any], place: JsonPath) -> Iterator[RawSpan | Record]:
    if _is_otlp(value.get("trace")):
        value, place = value["trace"], place["trace"]
    data, lists = value.get("data"), _lists_in(value)
    if _is_otlp(value):
        yield from _otlp(value, place)
    elif lists:
        for item, at in (pair for key in lists for pair in _objects_under(value, key, place)):
            yield from _export(item, at)
    elif _is_jaeger(value):
        traces = place["data"].objects(data) if isinstance(data, list) else [(value, place)]
        for trace, at in traces:
            yield from starmap(_jaeger_span, _objects_under(trace, "spans", at))
    elif _is_record(value):
        yield from _read_record(value, place)
    elif _is_table_row(value):
        yield _span_by_keys(_nest_row(value), place, _FLAT)
    elif _context_of(value) in _OF_SCRIPTS:
        yield _span_by_keys(_opened(value), place, _SCRIPT)
    else:
        yield _span_by_keys(value, place, _OTLP if "traceId" in value else _FLAT)


def _context_of(value: dict[str, Any]) -> str:
    """Returns the key under which a span of an SDK has its ids."""
    return next((key for key in _OF_SCRIPTS if isinstance(value.get(key), dict)), "context")


def _opened(value: dict[str, Any]) -> dict[str, Any]:
    """Returns a span of the SDK for JavaScript with its ids beside the rest, as others have them.

    Times are pairs of seconds and nanoseconds there.
    """
    around = object_in(value, "parentSpanContext").get("spanId")
    times = {
        key: pair[0] * 10**9 + pair[1]
        for key in ("startTime", "endTime")
        if isinstance(pair := value.get(key), list) and [*map(type, pair)] == [int, int]
    }
    return {"parentSpanId": around, **value, **value[_context_of(value)], **times}


def _objects_under(
    value: dict[str, Any], key: str, place: JsonPath
) -> Iterator[tuple[dict[str, Any], JsonPath]]:
    """Returns the objects of a list that may be missing, with their places."""
    return place[key].objects(value.get(key) or [])


def _otlp(value: dict[str, Any], place: JsonPath) -> Iterator[RawSpan | Record]:
    resources = (pair for key in _RESOURCES for pair in _objects_under(value, key, place))
    for resource, at in resources:
        for scope, inner in (pair for key in _SCOPES for pair in _objects_under(resource, key, at)):
            for span, where in _objects_under(scope, "spans", inner):
                yield _span_by_keys(span, where, _OTLP)
            for log, where in _objects_under(scope, "logRecords", inner):
                yield from _read_record(log, where)


def _read_record(value: dict[str, Any], place: JsonPath) -> Iterator[Record]:
    """Yields a log record, unless it belongs to no span."""
    ids = next((ids for ids in _IDS if value.get(ids[0]) and value.get(ids[1])), None)
    if ids is None:
        return
    attributes = _attributes(value.get("attributes"), place["attributes"])
    names = (value.get("eventName"), value.get("event_name"), attributes.get("event.name"))
    name = next((name for name in names if isinstance(name, str) and name), "")
    body = value.get("body")
    if isinstance(body, dict) and len(body) == 1 and next(iter(body)).endswith("Value"):
        body = _any_value(body, place["body"])
    told = body if isinstance(body, dict) else {"content": body}
    event = Event(name, {**attributes, **told}, place["body"])
    trace, span = (_identifier(value, key, place) for key in ids)
    yield Record(trace, span, event)


class _SpanKeys(NamedTuple):
    """What an envelope calls the parts of a span; of several keys the first that is there."""

    trace: str
    id: str
    parent: tuple[str, ...]
    start: str
    end: str
    status: tuple[str, ...]
    events: tuple[str, ...]
    unit: int | None = None  # nanoseconds that a number counts, where the envelope says so


_OTLP = _SpanKeys(
    *("traceId", "spanId", ("parentSpanId",), "startTimeUnixNano", "endTimeUnixNano"),
    *(("status",), ("events",), 1),
)
# As the SDK of JavaScript has a span; its versions differ in where the ids are.
_OF_SCRIPTS = ("spanContext", "_spanContext")
_SCRIPT = _OTLP._replace(start="startTime", end="endTime", unit=None)
# As the SDK of Python writes a span, or as people keep it in a list.
_FLAT = _SpanKeys(
    *("trace_id", "span_id", ("parent_id", "parent_span_id"), "start_time", "end_time"),
    *(("status", "status_code"), ("events", "span_events")),
)


def _span_by_keys(span: dict[str, Any], place: JsonPath, keys: _SpanKeys) -> RawSpan:
    context, at = span, place
    if keys is _FLAT and keys.trace not in span:
        context, at = place["context"].object(span.get("context")), place["context"]
    parent, status, events = (
        next((key for key in names if key in span), names[-1])
        for names in (keys.parent, keys.status, keys.events)
    )
    attributes = _attributes(span.get("attributes"), place["attributes"])
    if str(span.get("span_kind")) in _SAID_BESIDE:
        attributes = {_SPAN_KIND: span["span_kind"], **attributes}
    return RawSpan(
        trace=_identifier(context, keys.trace, at),
        id=_identifier(context, keys.id, at),
        parent=place.label_in(span, parent),
        name=_name_under(span, "name", place),
        start=_read_time(span.get(keys.start), place[keys.start], keys.unit),
        end=_read_time(span.get(keys.end), place[keys.end], keys.unit),
        status=_status_of_code(span.get(status)),
        attributes=_with_full_names(attributes) if keys is _FLAT else attributes,
        events=tuple(starmap(_read_event, _objects_under(span, events, place))),
        place=place,
    )


def _jaeger_span(span: dict[str, Any], place: JsonPath) -> RawSpan:
    start = _read_time(span.get("startTime"), place["startTime"], 1000)
    lasted = _read_time(span.get("duration"), place["duration"], 1000)
    tags = _tags(span, "tags", place)
    failed = tags.get("error") in (True, "true")
    parents = (
        _identifier(reference, "spanID", at)
        for reference, at in _objects_under(span, "references", place)
        if reference.get("refType") == "CHILD_OF"
    )
    return RawSpan(
        trace=_identifier(span, "traceID", place),
        id=_identifier(span, "spanID", place),
        parent=next(parents, None),
        name=_name_under(span, "operationName", place),
        start=start,
        end=None if start is None else start + (lasted or 0),
        status="error" if failed else _status_of_code(tags.get("otel.status_code")),
        attributes=tags,
        events=tuple(starmap(_read_log, _objects_under(span, "logs", place))),
        place=place,
    )


def _read_log(log: dict[str, Any], at: JsonPath) -> Event:
    fields = _tags(log, "fields", at)
    return Event(str(fields.get("event", "")), fields, at["fields"])


def _tags(value: dict[str, Any], key: str, place: JsonPath) -> dict[str, Any]:
    """Jaeger's attributes have their values as they are."""
    tags = _objects_under(value, key, place)
    return {at["key"].text(tag.get("key")): tag.get("value") for tag, at in tags}


def _nest_row(row: dict[str, Any]) -> dict[str, Any]:
    """Returns a span as the SDK writes it from a row, whose columns have dots in their names."""
    span: dict[str, Any] = {"context": {}, "attributes": {}}
    for key, value in row.items():
        group, _, name = key.partition(".")
        if name and group in span:
            span[group].update({name: value} if value is not None else {})
        else:
            span[key] = value
    return span


def _identifier(value: dict[str, Any], key: str, place: JsonPath) -> str:
    found = place.label_in(value, key)
    if found is None:
        raise place[key].error("expected an id, found none")
    return found


def _name_under(value: dict[str, Any], key: str, place: JsonPath) -> str:
    name = value.get(key, "")
    return name if name == "" else place[key].text(name)


def _status_of_code(value: Any) -> Status | None:
    code = value.get("code", value.get("status_code")) if isinstance(value, dict) else value
    return _STATUS.get(str(code).upper()) if isinstance(code, str | int) else None


def _read_event(event: dict[str, Any], at: JsonPath) -> Event:
    name = "name" if "name" in event else "event_name"
    attributes = _attributes(event.get("attributes"), at["attributes"])
    return Event(_name_under(event, name, at), attributes, at["attributes"])


def _attributes(value: Any, place: JsonPath) -> dict[str, Any]:
    """Returns attributes by name: an object as it is, a list as OTLP has it."""
    if value is None:
        return {}
    if isinstance(value, dict):
        return value
    found: dict[str, Any] = {}
    for index, item in enumerate(place.array(value)):
        at = place[index]
        pair = at.object(item)
        found[at["key"].text(pair.get("key"))] = _any_value(pair.get("value"), at["value"])
    return found


def _with_full_names(attributes: dict[str, Any]) -> dict[str, Any]:
    """Returns attributes by their full names: Phoenix keeps those of OpenInference nested."""
    found = dict(attributes)
    for group in _NESTED:
        if isinstance(attributes.get(group), dict):
            found.update(_flattened(found.pop(group), group))
    for key, value in attributes.items():
        if key.startswith(_NESTED) and isinstance(value, list):
            found.update(_flattened(value, key))
    return found


def _flattened(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yields what is nested by its full name; a list of other than objects is a value."""
    waiting = [(name, value)]
    while waiting:
        name, value = waiting.pop()
        if len(name) > _NAME:
            continue
        if isinstance(value, dict):
            waiting.extend((f"{name}.{key}", inner) for key, inner in value.items())
        elif isinstance(value, list) and value and all(isinstance(v, dict) for v in value):
            waiting.extend((f"{name}.{n}", inner) for n, inner in enumerate(value))
        else:
            yield name, value


def _any_value(value: Any, place: JsonPath) -> Any:
    """Returns what OTLP calls an AnyValue as plain JSON; an empty one is null."""
    if value is None:
        return None
    wrapped = place.object(value)
    for key, read in (("arrayValue", _any_values), ("kvlistValue", _attributes)):
        if key in wrapped:
            inner = place[key].object(wrapped[key] or {})
            return read(inner.get("values"), place[key]["values"])
    if "intValue" in wrapped:
        return _whole(wrapped["intValue"], place["intValue"])
    return next(iter(wrapped.values()), None)


def _any_values(values: Any, place: JsonPath) -> list[Any]:
    return [_any_value(item, at) for item, at in place.objects(values or [])]


def _whole(value: Any, place: JsonPath) -> int:
    """Returns a whole number; JSON of protobuf has those of 64 bits as text."""
    if isinstance(value, str) and len(value) <= 20 and value.removeprefix("-").isdecimal():
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise place.error(f"expected a whole number, found {described(value)}")


def _read_time(value: Any, place: JsonPath, unit: int | None = None) -> int | None:
    """Returns nanoseconds; 0 means that the time is not known."""
    if isinstance(value, str) and not value.isdecimal():
        return _read_date(value, place)
    number = value if isinstance(value, float) else _whole(value or 0, place)
    if unit is None:
        unit = next((factor for below, factor in _UNITS if number < below), 1)
    time = number * unit
    if not 0 <= time <= _LAST:
        raise place.error("is no time of the years 1970 to 9999")
    return round(time) or None


def _read_date(text: str, place: JsonPath) -> int | None:
    if not text:
        return None
    try:
        time = to_nanoseconds(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        raise place.error(f"expected a time, found {described(text)}") from None
    if time is not None and time < 0:
        raise place.error("is no time of the years 1970 to 9999")
    return time or None


# Events that tell of a model, where the span that they belong to is not there.
_OF_MODELS = (
    *("gen_ai.client.inference.operation.details", "gen_ai.choice"),
    *("gen_ai.user.message", "gen_ai.assistant.message", "gen_ai.tool.message"),
)
_OPERATION = "gen_ai.operation.name"


def with_records(exported: Iterable[RawSpan | Record]) -> list[RawSpan]:
    """Returns the spans with the log records that belong to them as events.

    Where a span is not there, its records are a span of a model, if they tell of one.
    """
    spans: list[RawSpan] = []
    events: dict[tuple[str, str], list[Event]] = defaultdict(list)
    for each in exported:
        if isinstance(each, Record):
            events[each.trace, each.span].append(each.event)
        else:
            spans.append(each)
    for number, span in enumerate(spans):
        said = events.pop((span.trace, span.id), [])
        spans[number] = replace(span, events=(*span.events, *said)) if said else span
    for key, said in events.items():
        if any(event.name in _OF_MODELS for event in said):
            spans.append(_span_of_events(*key, said))
    return spans


def _span_of_events(trace: str, identifier: str, said: list[Event]) -> RawSpan:
    """Returns the span that these events are all that is left of."""
    named = (event.attributes.get(_OPERATION) for event in said)
    operation = next((name for name in named if isinstance(name, str)), "chat")
    return RawSpan(
        trace=trace,
        id=identifier,
        parent=None,
        name="",
        start=None,
        end=None,
        status=None,
        attributes={_OPERATION: operation},
        events=tuple(said),
        place=said[0].place,
    )
