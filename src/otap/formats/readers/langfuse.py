"""Traces of Langfuse, from its API or its client: lists of observations."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from otap.formats.chats import label_if_any, value_in
from otap.formats.content import drop_nulls, object_in, parse_inner
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonObject, JsonPath
from otap.formats.json.times import parse_time_in_utc, to_nanoseconds
from otap.formats.readers import otel_attributes as attribute
from otap.formats.readers.model_spans import call_that_ran, fill_model_span, run_of_trace
from otap.formats.readers.otel_messages import result_in
from otap.formats.spans import Span
from otap.formats.tokens import parse_usage
from otap.formats.tool_calls import ToolCall, parse_arguments
from otap.formats.tool_definitions import tool_facts
from otap.trajectory import Trajectory

NAME = "langfuse"
DESCRIPTION = "traces of Langfuse with their observations: one, a list, or JSONL; or observations"
KNOWN_BY = "an 'id' and 'observations', or an observation: 'type', and 'traceId' or 'startTime'"
STEP = "each observation of a tool, and each tool call of a model without one"

Kind = Literal["tool", "model", "agent"]

_KINDS: Mapping[str, Kind] = {"GENERATION": "model", "TOOL": "tool", "AGENT": "agent"}
_PLAIN = ("SPAN", "EVENT")
_SILENT = (*_PLAIN, "CHAIN", "RETRIEVER", "EMBEDDING", "EVALUATOR", "GUARDRAIL")
_TYPES = (*_KINDS, *_SILENT)
_PYTHON_NAMES = {  # names of the API -> names of the Python client
    "traceId": "trace_id",
    "parentObservationId": "parent_observation_id",
    "startTime": "start_time",
    "endTime": "end_time",
    "statusMessage": "status_message",
}
# An observation has one of these, under either name.
_REQUIRED = ("traceId", "parentObservationId", "startTime")


class _Observation(JsonObject):
    """One observation, with field names of the API or of the Python client."""

    __slots__ = ()

    def key_of(self, name: str) -> str:
        """Returns the name of a field in the API, or in the client if it has the field."""
        return name if self.mapping.get(name) is not None else _PYTHON_NAMES.get(name, name)

    def parsed(self, key: str) -> tuple[Any, JsonPath]:
        """Returns the input or output with its path; JSON in a text is parsed."""
        return _parse_json(self.get(key)), self.path[key]

    def time(self, key: str) -> datetime | None:
        """Returns the start or the end; Langfuse's times are in UTC."""
        return parse_time_in_utc(self.get(key), self.path[key])

    def name(self, key: str) -> str | None:
        """Returns an id or a name, if it is one."""
        return label_if_any({key: self.get(key)}, (key,))

    @property
    def attributes(self) -> dict[str, Any]:
        """The attributes of the OpenTelemetry span behind this observation, if there is one."""
        return object_in(object_in(self.mapping, "metadata"), "attributes")

    def parsed_or_attribute(self, key: str, names: Sequence[str]) -> Any:
        """Returns the input or output; if it is empty, the first of these attributes."""
        value = self.parsed(key)[0]
        return value or value_in(self.attributes, names) or value


def recognises(value: Any) -> bool:
    """Returns whether this is a trace with observations, an observation, or a list of either."""
    first = first_of(_list_in_response(first_of(value)))
    if not isinstance(first, dict):
        return False
    observations = first.get("observations")
    if not isinstance(observations, list):
        return _is_observation(first)
    if "id" not in _trace_fields(first):
        return False
    # A trace may list no observations, or only their ids.
    return not observations or isinstance(observations[0], str) or _is_observation(observations[0])


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Yields one run for each trace.

    Raises:
        FormatError: if a trace was exported without its observations.
    """
    by_trace: dict[str, list[_Observation]] = {}
    for item in _observations_and_traces(document):
        if "observations" in item.mapping:
            yield _run_of_trace(item, reasoning)
            continue
        observation = _Observation(*item)
        by_trace.setdefault(observation.name("traceId") or "", []).append(observation)
    for trace_id, observations in by_trace.items():
        fields = {"id": trace_id or None}
        yield _run_of_observations(fields, observations, observations[0].path, reasoning)


def _list_in_response(value: Any) -> Any:
    """Returns the list in a response of the API; any other value unchanged."""
    data = value.get("data") if isinstance(value, dict) and "observations" not in value else None
    return data if isinstance(data, list) else value


def _observations_and_traces(document: Document) -> Iterator[JsonObject]:
    for value, path in document.items():
        response = _list_in_response(value)
        if response is value:
            yield JsonObject(path.object(value), path)
        else:
            yield from JsonObject(value, path).objects("data")


def _trace_fields(value: dict[str, Any]) -> dict[str, Any]:
    """Returns the fields of a trace, which may be in an object beside the observations."""
    fields: dict[str, Any] = value["trace"] if isinstance(value.get("trace"), dict) else value
    return fields


def _is_observation(value: Any) -> bool:
    if not isinstance(value, dict) or value.get("type") not in _TYPES or "id" not in value:
        return False
    return any(key in value or _PYTHON_NAMES[key] in value for key in _REQUIRED)


def _run_of_trace(trace: JsonObject, reasoning: bool) -> Trajectory:
    path = trace.at("observations")
    items = path.array(trace.get("observations"))
    if not items:
        raise path.error("has no observations")
    if isinstance(items[0], str):
        raise path.error("has no observations, only their ids")
    observations = [_Observation(*item) for item in path.objects(items)]
    fields = _trace_fields(trace.mapping)
    return _run_of_observations(fields, observations, trace.path, reasoning)


def _run_of_observations(
    trace: dict[str, Any], observations: Sequence[_Observation], path: JsonPath, reasoning: bool
) -> Trajectory:
    trace_input = _parse_json(trace.get("input"))
    if isinstance(trace_input, str) and trace_input.strip():
        trace_input = {"input": trace_input}
    parsed_inputs = [observation.parsed("input")[0] for observation in observations]
    inputs_of_models = [inputs for inputs in parsed_inputs if isinstance(inputs, dict)]
    fields = {
        "id": path.label_in(trace, "id"),
        **tool_facts(*(inputs.get("tools") for inputs in inputs_of_models)),
        "metadata": drop_nulls({key: trace.get(key) for key in ("name", "sessionId", "scores")}),
    }
    spans = _read_observations(observations)
    trace_output = _parse_json(trace.get("output"))
    return run_of_trace(spans, fields, trace_input, trace_output, path, reasoning=reasoning)


def _read_observations(observations: Sequence[_Observation]) -> list[Span]:
    """Returns the observations as spans.

    Early versions have no type for tools. There a plain observation is a call if a model requested
    a tool of its name.
    """
    spans = [_read_observation(observation) for observation in observations]
    requested_tools = {call.tool for span in spans for call in span.requested_calls}
    for span, observation in zip(spans, observations, strict=True):
        is_plain = span.call is None and observation.get("type") in _PLAIN
        if is_plain and observation.name("name") in requested_tools:
            span.call, span.ignored = _call_of_observation(observation), []
    return spans


def _read_observation(observation: _Observation) -> Span:
    start, end = observation.time("startTime"), observation.time("endTime")
    span = Span(
        observation.name("id") or str(observation.path),
        observation.name("parentObservationId"),
        observation.path,
        to_nanoseconds(start),
        to_nanoseconds(end),
    )
    kind = _kind_of(observation, span)
    if kind == "tool":
        span.call = _call_of_observation(observation)
    elif kind == "model":
        inputs, outputs = observation.parsed("input"), observation.parsed("output")
        fill_model_span(span, inputs, outputs, failed=_has_failed(observation))
        span.tokens = parse_usage(observation.get("usageDetails") or observation.get("usage"))
    elif kind == "agent":
        span.agent = observation.name("name")
    return span


def _kind_of(observation: _Observation, span: Span) -> Kind | None:
    """Returns the kind of an observation, by its type or by the attributes of its span."""
    observation_type = observation.get("type")
    kind = _KINDS.get(observation_type) if isinstance(observation_type, str) else None
    span_kind = attribute.kind_of(observation.attributes)
    if attribute.TOOL_EVENT in span_kind:
        span_kind.note_on(span)
        return None
    if kind is not None:
        return kind
    if observation.attributes:
        span.unknown += [span_kind.unknown] if span_kind.unknown else []
        kind = span_kind.kind
    if kind is None and observation_type in _SILENT:
        span.ignored.append(f"observation of type '{observation_type}'")
    elif kind is None:
        span.unknown.append("observation of an unknown type")
    return kind


def _call_of_observation(observation: _Observation) -> ToolCall:
    attributes = observation.attributes
    tool_input = observation.parsed_or_attribute("input", attribute.ARGUMENTS)
    arguments, parsed = parse_arguments(attribute.arguments_in(tool_input))
    tool_output = observation.parsed_or_attribute("output", attribute.RESULT)
    result = result_in(attribute.unwrap_result(tool_output))
    failed = _has_failed(observation)
    name = attribute.tool_in_name(observation.name("name") or "")
    return call_that_ran(
        label_if_any(attributes, attribute.TOOL) or name or None,
        arguments,
        label_if_any(attributes, attribute.CALL_ID) or result.call_id,
        (result.content, observation.path["output"]),
        parsed=parsed,
        status="error" if failed else result.status,
        error=observation.get("statusMessage") if failed else None,
        times=(observation.time("startTime"), observation.time("endTime")),
    )


def _has_failed(observation: _Observation) -> bool:
    return bool(observation.get("level") == "ERROR")


def _parse_json(value: Any) -> Any:
    """Returns the object or list that a text holds as JSON; any other value unchanged."""
    if not isinstance(value, str) or value[:1] not in ("{", "["):
        return value
    return parse_inner(value, value)
