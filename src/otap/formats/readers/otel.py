"""Spans of OpenTelemetry, by its conventions for generative AI, old and new, or OpenInference's."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from otap.formats.chats import Message, label_of, value_in
from otap.formats.content import unless_blank
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath
from otap.formats.json.times import time_from_nanoseconds
from otap.formats.readers import otel_attributes as attribute
from otap.formats.readers import otel_messages as messages
from otap.formats.readers.mlflow_spans import recognises as is_of_mlflow
from otap.formats.readers.otel_envelopes import RawSpan, exported, is_export, with_records
from otap.formats.spans import Span, read_spans
from otap.formats.tokens import parse_usage
from otap.formats.tool_calls import parse_call
from otap.formats.tool_definitions import tool_facts
from otap.trajectory import Trajectory

NAME = "otel"
DESCRIPTION = "OpenTelemetry spans: OTLP, Tempo or Jaeger JSON, or a list of spans, or JSONL"
STEP = "each tool execution with a span, and each tool call of a model without one"
KNOWN_BY = "spans or log records with a trace id and a span id, or an export of them"

_USER = ("user", "human")
_TEXT = "text/plain"
_RUN = re.compile(r"agent_run \[(?P<agent>.+)\]")  # older ADK names an agent only here


def recognises(value: Any) -> bool:
    """Returns whether this is an export of spans, a span, or a list that begins with one."""
    first = first_of(value)
    return is_export(first) and not is_of_mlflow(first)


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Yields one run for each conversation, or for each trace without a conversation.

    Traces without a span of an agent are left out, since a file may hold everything that a server
    did. Traces with unknown kinds of agents' spans are runs, which report the unknown kinds.

    Raises:
        FormatError: if no trace has a span of an agent, or with the path of an invalid part.
    """
    traces: dict[str, list[RawSpan]] = defaultdict(list)
    for span in with_records(exported(document)):
        traces[span.trace].append(span)
    agent_traces = [spans for spans in traces.values() if any(_is_of_agent(span) for span in spans)]
    if not agent_traces:
        count = sum(len(spans) for spans in traces.values())
        raise document.root.error(
            f"none of its {count} spans is of an agent, a model or a tool;"
            " they would have attributes that begin with 'gen_ai.', or 'openinference.span.kind'"
        )
    for identifier, spans in _runs(agent_traces).items():
        yield _run_of_spans(identifier, spans, document.root, reasoning)


def _is_of_agent(span: RawSpan) -> bool:
    """Returns whether a span is of an agent, a model or a tool, or of an unknown kind of these."""
    span_kind = attribute.kind_of(span.attributes)
    return bool(span_kind.kind or span_kind.unknown)


def _runs(traces: Iterable[Sequence[RawSpan]]) -> dict[str, list[RawSpan]]:
    """Returns the spans of each run by its id: one trace, or all traces of one conversation."""
    named_traces = [(_conversation(spans), spans) for spans in traces]
    counts = Counter(name for name, _ in named_traces)
    runs: dict[str, list[RawSpan]] = defaultdict(list)
    for name, spans in named_traces:
        is_shared = name is not None and counts[name] > 1
        runs[f"{name}" if is_shared else spans[0].trace] += spans
    return runs


def _conversation(spans: Iterable[RawSpan]) -> str | None:
    """Returns the conversation of the earliest span that has one: nested agents may have others."""
    spans = [span for span in spans if span.attributes.get(attribute.CONVERSATION) is not None]
    if not spans:
        return None
    earliest = min(spans, key=lambda span: (span.start is None, span.start or 0))
    return label_of(earliest.attributes, (attribute.CONVERSATION,), earliest.path["attributes"])


def _run_of_spans(
    identifier: str, raw_spans: Sequence[RawSpan], path: JsonPath, reasoning: bool
) -> Trajectory:
    conversation = read_spans((_read_span(raw) for raw in raw_spans), reasoning=reasoning)
    facts = tool_facts(*(tools for raw in raw_spans for tools in messages.defined_in(raw)))
    return conversation.to_trajectory(path, {"id": identifier, **facts}, _notes(raw_spans))


def _notes(spans: Sequence[RawSpan]) -> dict[str, Any]:
    traces = list(dict.fromkeys(span.trace for span in spans))
    return {"conversation": _conversation(spans), "traces": traces if len(traces) > 1 else None}


def _read_span(raw: RawSpan) -> Span:
    """Reads a span; its id includes its trace because ids are unique in one trace only."""
    parent = None if raw.parent is None else f"{raw.trace}/{raw.parent}"
    span = Span(f"{raw.trace}/{raw.id}", parent, raw.path, raw.start, raw.end)
    span_kind = attribute.kind_of(raw.attributes)
    if span_kind.kind is not None:
        span.agent = label_of(raw.attributes, attribute.AGENT, raw.path["attributes"])
    if span_kind.kind == "tool":
        _fill_call(span, raw)
    elif span_kind.kind is not None:
        _fill_answer(span, raw, span_kind.kind)
        span.tokens = parse_usage(raw.attributes)
    else:
        agent_run = _RUN.fullmatch(raw.name)
        if agent_run is not None:
            span.agent = agent_run["agent"]
    span_kind.note_on(span)
    return span


def _fill_call(span: Span, raw: RawSpan) -> None:
    path = raw.path["attributes"]
    tool = label_of(raw.attributes, attribute.TOOL, path) or attribute.tool_in_name(raw.name)
    arguments = value_in(raw.attributes, attribute.ARGUMENTS)
    effect = value_in(raw.attributes, attribute.RESULT)
    if arguments is None or effect is None:
        message_arguments, message_result = messages.arguments_and_result(raw)
        arguments = message_arguments if arguments is None else arguments
        effect = message_result if effect is None else effect
    parameters = attribute.parameters_of(raw.attributes.get("tool.parameters"))
    arguments = attribute.arguments_in(arguments, parameters)
    result = messages.result_in(attribute.unwrap_result(effect))
    identifier = label_of(raw.attributes, attribute.CALL_ID, path)
    call = parse_call(tool, arguments, identifier or result.call_id, raw.path)
    call.effect, call.status = result.content, result.status or attribute.status_of(raw)
    call.started_at, call.ended_at = (
        time_from_nanoseconds(raw.start, raw.path),
        time_from_nanoseconds(raw.end, raw.path),
    )
    span.call = call


def _fill_answer(span: Span, raw: RawSpan, kind: attribute.Kind) -> None:
    span.is_model = kind == "model"
    inputs, outputs = messages.messages_of(raw, "input"), messages.messages_of(raw, "output")
    span.user_texts = _user_texts(raw, inputs)
    span.results = [result for message in (*inputs, *outputs) for result in message.results]
    span.earlier_calls = [message.calls for message in inputs if message.calls]
    texts: list[str] = []
    for message in outputs:
        texts = message.texts or texts
        for call in message.calls:
            call.action = "\n".join(texts) or None
            span.requested_calls.append(call)
    span.answer = "\n".join(texts) or _plain_output(raw, kind)
    span.has_answer = (
        bool(span.answer or span.requested_calls) or attribute.status_of(raw) == "error"
    )
    for message in (*inputs, *outputs):
        span.note(message.unknown, message.ignored)


def _user_texts(raw: RawSpan, inputs: Iterable[Message]) -> list[str]:
    """Returns the user's texts, from messages or else from the plain input of an agent."""
    texts = [text for message in inputs if message.role in _USER for text in message.texts]
    if texts:
        return texts
    plain = raw.attributes.get("input.value")
    is_text = raw.attributes.get("input.mime_type") == _TEXT and isinstance(plain, str)
    return unless_blank(plain if is_text else attribute.task_in(plain))


def _plain_output(raw: RawSpan, kind: attribute.Kind) -> str | None:
    """Returns the plain output of an agent's span, unless it is JSON."""
    plain = raw.attributes.get("output.value")
    if kind != "agent" or not isinstance(plain, str) or plain.lstrip()[:1] in ("", "{", "["):
        return None
    return plain if raw.attributes.get("output.mime_type", _TEXT) == _TEXT else None
