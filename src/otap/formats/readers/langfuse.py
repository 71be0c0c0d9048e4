"""Traces of Langfuse, as its API and its client give them: observations in a list."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath
from otap.formats.json.times import parse_time_in_utc, to_nanoseconds
from otap.formats.readers.model_spans import call_that_ran, fill_model_span, run_of_trace
from otap.formats.readers.otel import attributes as attribute
from otap.formats.readers.otel.messages import result_in
from otap.formats.steps.calls import Call, parse_arguments
from otap.formats.steps.content import drop_nulls, object_in, parse_inner
from otap.formats.steps.definitions import tool_facts
from otap.formats.steps.spans import Span
from otap.formats.steps.tables import label_if_any, value_in
from otap.formats.steps.tokens import parse_usage
from otap.trajectory import Trajectory

NAME = "langfuse"
DESCRIPTION = "traces of Langfuse with their observations: one, a list, or JSONL; or observations"
KNOWN_BY = "an 'id' and 'observations', or an observation: 'type', and 'traceId' or 'startTime'"
STEP = "each observation of a tool, and each call of a model that no such observation belongs to"

Kind = Literal["tool", "model", "agent"]

_KINDS: Mapping[str, Kind] = {"GENERATION": "model", "TOOL": "tool", "AGENT": "agent"}
_PLAIN = ("SPAN", "EVENT")
_BESIDE = (*_PLAIN, "CHAIN", "RETRIEVER", "EMBEDDING", "EVALUATOR", "GUARDRAIL")
_TYPES = (*_KINDS, *_BESIDE)
_NAMES = {  # as the client for Python has them
    "traceId": "trace_id",
    "parentObservationId": "parent_observation_id",
    "startTime": "start_time",
    "endTime": "end_time",
    "statusMessage": "status_message",
}


@dataclass(frozen=True, slots=True)
class _Observation:
    """One observation; its fields are named as the API names them, or the client for Python."""

    fields: dict[str, Any]
    place: JsonPath

    def get(self, key: str) -> Any:
        """Returns a field under either of its names."""
        found = self.fields.get(key)
        return self.fields.get(_NAMES.get(key, key)) if found is None else found

    def written(self, key: str) -> tuple[Any, JsonPath]:
        """Returns what was recorded as input or output, with its place; JSON in a text parsed."""
        return _parse_json(self.get(key)), self.place[key]

    def time(self, key: str) -> datetime | None:
        """Returns the start or the end; Langfuse's times are in UTC."""
        return parse_time_in_utc(self.get(key), self.place[key])

    def label(self, key: str) -> str | None:
        """Returns an id or a name."""
        return label_if_any({key: self.get(key)}, (key,))

    @property
    def attributes(self) -> dict[str, Any]:
        """Those of the span of OpenTelemetry that it was made of, if it was."""
        return object_in(object_in(self.fields, "metadata"), "attributes")

    def written_or_traced(self, key: str, names: Sequence[str]) -> Any:
        """Returns what was recorded; where that is empty, what the span's attributes say."""
        value = self.written(key)[0]
        return value or value_in(self.attributes, names) or value


def recognises(value: Any) -> bool:
    """Says whether this is a trace with observations, an observation, or begins with one."""
    first = first_of(_list_of_answer(first_of(value)))
    if not isinstance(first, dict):
        return False
    inner = first.get("observations")
    if isinstance(inner, list):
        about = first["trace"] if isinstance(first.get("trace"), dict) else first
        return "id" in about and (
            not inner or isinstance(inner[0], str) or _is_observation(inner[0])
        )
    return _is_observation(first)


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one run for each trace.

    Raises:
        FormatError: if a trace was exported without its observations.
    """
    loose: dict[str, list[_Observation]] = {}
    for value, place in _observations_and_traces(document):
        if "observations" in place.object(value):
            yield _run_of_trace(value, place, reasoning)
            continue
        observation = _Observation(value, place)
        loose.setdefault(observation.label("traceId") or "", []).append(observation)
    for trace, observations in loose.items():
        yield _run_of_observations(
            {"id": trace or None}, observations, observations[0].place, reasoning
        )


def _list_of_answer(value: Any) -> Any:
    """Returns what an answer of the API has in a list."""
    data = value.get("data") if isinstance(value, dict) and "observations" not in value else None
    return data if isinstance(data, list) else value


def _observations_and_traces(document: Document) -> Iterator[tuple[Any, JsonPath]]:
    for value, place in document.items():
        listed = _list_of_answer(value)
        yield from [(value, place)] if listed is value else place["data"].objects(listed)


def _is_observation(value: Any) -> bool:
    if not isinstance(value, dict) or value.get("type") not in _TYPES or "id" not in value:
        return False
    return any(key in value for pair in list(_NAMES.items())[:3] for key in pair)


def _run_of_trace(value: dict[str, Any], place: JsonPath, reasoning: bool) -> Trajectory:
    about = value["trace"] if isinstance(value.get("trace"), dict) else value
    where = place["observations"]
    listed = where.array(value["observations"])
    if not listed or isinstance(listed[0], str):
        raise where.error(
            "has no observations, only their ids" if listed else "has no observations"
        )
    found = [_Observation(where[n].object(each), where[n]) for n, each in enumerate(listed)]
    return _run_of_observations(about, found, place, reasoning)


def _run_of_observations(
    about: dict[str, Any], found: Sequence[_Observation], place: JsonPath, reasoning: bool
) -> Trajectory:
    asked = _parse_json(about.get("input"))
    fields = {
        "id": place["id"].label(about.get("id")),
        **tool_facts(*map(_tools_given, found)),
        "metadata": drop_nulls({key: about.get(key) for key in ("name", "sessionId", "scores")}),
    }
    return run_of_trace(
        _read_observations(found),
        fields,
        {"input": asked} if isinstance(asked, str) and asked.strip() else asked,
        _parse_json(about.get("output")),
        place,
        reasoning=reasoning,
    )


def _read_observations(found: Sequence[_Observation]) -> list[Span]:
    """Returns what the observations say.

    There was no type for tools at first: what is named like a tool that was asked for is its call.
    """
    spans = [_read_observation(each) for each in found]
    asked = {call.tool for span in spans for call in span.requested_calls}
    for span, each in zip(spans, found, strict=True):
        if span.call is None and each.get("type") in _PLAIN and each.label("name") in asked:
            span.call, span.ignored = _call_of_observation(each), []
    return spans


def _read_observation(observation: _Observation) -> Span:
    start, end = observation.time("startTime"), observation.time("endTime")
    span = Span(
        observation.label("id") or str(observation.place),
        observation.label("parentObservationId"),
        observation.place,
        to_nanoseconds(start),
        to_nanoseconds(end),
    )
    kind = _kind_of(observation, span)
    if kind == "tool":
        span.call = _call_of_observation(observation)
    elif kind == "model":
        inputs, outputs = observation.written("input"), observation.written("output")
        fill_model_span(span, inputs, outputs, failed=_has_failed(observation))
        span.tokens = parse_usage(observation.get("usageDetails") or observation.get("usage"))
    elif kind == "agent":
        span.agent = observation.label("name")
    return span


def _kind_of(observation: _Observation, span: Span) -> Kind | None:
    """Returns what an observation is of: by its type, or what the tracer said that it is."""
    written = observation.get("type")
    kind = _KINDS.get(written) if isinstance(written, str) else None
    standing = attribute.standing_in(observation.attributes)
    if attribute.EVENT in standing:
        span.note(filter(None, [standing.unknown]), filter(None, [standing.ignored]))
        return None
    if kind is not None:
        return kind
    if observation.attributes:
        span.unknown += [standing.unknown] if standing.unknown else []
        kind = standing.kind
    if kind is None and written in _BESIDE:
        span.ignored.append(f"observation of type '{written}'")
    elif kind is None:
        span.unknown.append("observation of an unknown type")
    return kind


def _call_of_observation(observation: _Observation) -> Call:
    attributes = observation.attributes
    given = observation.written_or_traced("input", attribute.ARGUMENTS)
    inputs, parsed = parse_arguments(attribute.arguments_in(given))
    output = observation.written_or_traced("output", attribute.RESULT)
    told = result_in(attribute.result_out(output))
    failed = _has_failed(observation)
    named = attribute.tool_in_name(observation.label("name") or "")
    return call_that_ran(
        label_if_any(attributes, attribute.TOOL) or named or None,
        inputs,
        label_if_any(attributes, attribute.CALL_ID) or told.call_id,
        (told.content, observation.place["output"]),
        parsed=parsed,
        status="error" if failed else told.status,
        error=observation.get("statusMessage") if failed else None,
        times=(observation.time("startTime"), observation.time("endTime")),
    )


def _has_failed(observation: _Observation) -> bool:
    return bool(observation.get("level") == "ERROR")


def _tools_given(observation: _Observation) -> Any:
    """Returns the tools that a model was given."""
    inputs = observation.written("input")[0]
    return inputs.get("tools") if isinstance(inputs, dict) else None


def _parse_json(value: Any) -> Any:
    """Returns what a text holds if it is JSON of an object or a list: exports write it so."""
    if not isinstance(value, str) or value[:1] not in ("{", "["):
        return value
    return parse_inner(value, value)
