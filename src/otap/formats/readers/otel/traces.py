"""Spans of OpenTelemetry: its conventions for generative AI, old and new, and OpenInference's."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath
from otap.formats.json.times import time_from_nanoseconds
from otap.formats.readers.otel import attributes as attribute
from otap.formats.readers.otel import messages
from otap.formats.readers.otel.envelopes import RawSpan, exported, is_export, with_records
from otap.formats.steps.calls import parse_call
from otap.formats.steps.definitions import tool_facts
from otap.formats.steps.spans import Span, read_spans
from otap.formats.steps.tables import Message, label_of, value_in
from otap.formats.steps.tokens import parse_usage
from otap.trajectory import Trajectory, parse_trajectory

NAME = "otel"
DESCRIPTION = "OpenTelemetry spans: OTLP, Tempo or Jaeger JSON, or a list of spans, or JSONL"
STEP = "each execution of a tool that has a span, and each call that a model asked for without one"
KNOWN_BY = "spans or log records with ids of trace and span, or an export that holds them"

_USER = ("user", "human")
_TEXT = "text/plain"
_RUN = re.compile(r"agent_run \[(?P<agent>.+)\]")  # all that older ADK says of an agent


def recognises(value: Any) -> bool:
    """Says whether this is an export of spans, a span, or a list that begins with one."""
    return is_export(first_of(value))


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one run for each conversation, or for each trace that names none.

    Traces without a span of an agent are left out; one file may hold all that a server did. Of
    those with spans of agents that no rule knows, what is unknown is told.

    Raises:
        FormatError: if no trace has one, or with the place of what no span may hold.
    """
    traces: dict[str, list[RawSpan]] = defaultdict(list)
    for span in with_records(exported(document)):
        traces[span.trace].append(span)
    told = [spans for spans in traces.values() if any(map(_counts, spans))]
    if not told:
        raise document.root.error(
            f"none of its {sum(map(len, traces.values()))} spans is of an agent, a model or a tool;"
            " they would have attributes that begin with 'gen_ai.', or 'openinference.span.kind'"
        )
    for identifier, spans in _runs(told).items():
        yield _run_of_spans(identifier, spans, document.root, reasoning)


def _counts(span: RawSpan) -> bool:
    """Says whether a span makes its trace a run: it is of an agent, whether understood or not."""
    standing = attribute.standing_in(span.attributes)
    return bool(standing.kind or standing.unknown)


def _runs(traces: Iterable[Sequence[RawSpan]]) -> dict[str, list[RawSpan]]:
    """Returns the spans of each run by its id: one trace, or all traces of one conversation."""
    named = [(_conversation(spans), spans) for spans in traces]
    shared = {name for name, count in Counter(name for name, _ in named).items() if count > 1}
    runs: dict[str, list[RawSpan]] = defaultdict(list)
    for name, spans in named:
        key = spans[0].trace if name is None or name not in shared else f"{name}"
        runs[key] += spans
    return runs


def _conversation(spans: Iterable[RawSpan]) -> str | None:
    """Returns the conversation that a trace belongs to: agents inside it may have their own."""
    named = [span for span in spans if span.attributes.get(attribute.CONVERSATION) is not None]
    if not named:
        return None
    outermost = min(named, key=lambda span: (span.start is None, span.start or 0))
    return label_of(outermost.attributes, (attribute.CONVERSATION,), outermost.place["attributes"])


def _run_of_spans(
    identifier: str, raw: Sequence[RawSpan], place: JsonPath, reasoning: bool
) -> Trajectory:
    told = read_spans(
        (_span(span, attribute.standing_in(span.attributes)) for span in raw), reasoning=reasoning
    )
    facts = tool_facts(*(value for span in raw for value in messages.defined_in(span)))
    fields = {"id": identifier, **told.trajectory_fields(), **facts, "metadata": _metadata(raw)}
    return parse_trajectory(fields, str(place))


def _metadata(spans: Sequence[RawSpan]) -> dict[str, Any]:
    conversation = _conversation(spans)
    traces = list(dict.fromkeys(span.trace for span in spans))
    notes: dict[str, Any] = {} if conversation is None else {"conversation": conversation}
    return {**notes, "traces": traces} if len(traces) > 1 else notes


def _span(raw: RawSpan, standing: attribute.Standing) -> Span:
    """Returns what a span says; ids are unique in one trace only."""
    parent = None if raw.parent is None else f"{raw.trace}/{raw.parent}"
    span = Span(f"{raw.trace}/{raw.id}", parent, raw.place, raw.start, raw.end)
    kind = standing.kind
    if kind is not None:
        span.agent = label_of(raw.attributes, attribute.AGENT, raw.place["attributes"])
    if kind == "tool":
        _fill_call(span, raw)
    elif kind is not None:
        _fill_answer(span, raw, kind)
        span.tokens = parse_usage(raw.attributes)
    elif (run := _RUN.fullmatch(raw.name)) is not None:
        span.agent = run["agent"]
    span.note(filter(None, [standing.unknown]), filter(None, [standing.ignored]))
    return span


def _fill_call(span: Span, raw: RawSpan) -> None:
    place = raw.place["attributes"]
    tool = label_of(raw.attributes, attribute.TOOL, place) or attribute.tool_in_name(raw.name)
    arguments, effect = (
        value_in(raw.attributes, names) for names in (attribute.ARGUMENTS, attribute.RESULT)
    )
    if arguments is None or effect is None:
        heard, answered = messages.told_of_tool(raw)
        arguments = heard if arguments is None else arguments
        effect = answered if effect is None else effect
    arguments = attribute.arguments_in(
        arguments, attribute.parameters_of(raw.attributes.get("tool.parameters"))
    )
    effect = attribute.result_out(effect)
    told = messages.result_in(effect)
    effect = told.content
    identifier = label_of(raw.attributes, attribute.CALL_ID, place)
    call = parse_call(tool, arguments, identifier or told.call_id, raw.place)
    call.effect, call.status = effect, told.status or attribute.status_of(raw)
    call.started_at, call.ended_at = (
        time_from_nanoseconds(raw.start, raw.place),
        time_from_nanoseconds(raw.end, raw.place),
    )
    span.call = call


def _fill_answer(span: Span, raw: RawSpan, kind: attribute.Kind) -> None:
    span.is_model = kind == "model"
    told, answered = messages.messages_of(raw, "input"), messages.messages_of(raw, "output")
    span.user_texts = _heard(raw, told)
    span.results = [result for message in (*told, *answered) for result in message.results]
    said: list[str] = []
    for message in answered:
        said = message.texts or said
        for call in message.calls:
            call.action = "\n".join(said) or None
            span.requested_calls.append(call)
    span.answer = "\n".join(said) or _plain_text(raw, "output", kind)
    span.has_answer = (
        bool(span.answer or span.requested_calls) or attribute.status_of(raw) == "error"
    )
    for message in (*told, *answered):
        span.note(message.unknown, message.ignored)


def _heard(raw: RawSpan, messages: Iterable[Message]) -> list[str]:
    """Returns what the user said; an agent may have it as its plain input."""
    heard = [text for message in messages if message.role in _USER for text in message.texts]
    if heard:
        return heard
    plain = raw.attributes.get("input.value")
    told = raw.attributes.get("input.mime_type") == _TEXT and isinstance(plain, str)
    said = plain if told else attribute.task_in(plain)
    return [said] if said and said.strip() else []


def _plain_text(raw: RawSpan, side: str, kind: attribute.Kind) -> str | None:
    """Returns the text that an agent's span has as its plain input or output, if it is no JSON."""
    plain = raw.attributes.get(f"{side}.value")
    if kind != "agent" or not isinstance(plain, str) or plain.lstrip()[:1] in ("", "{", "["):
        return None
    return plain if raw.attributes.get(f"{side}.mime_type", _TEXT) == _TEXT else None
