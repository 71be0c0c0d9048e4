"""Logs of Inspect (``.eval`` and ``.json``): each sample of each epoch is one run."""

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from otap.formats.chats import Status
from otap.formats.content import is_text, join_texts, message_texts
from otap.formats.conversations import Conversation
from otap.formats.json.documents import Document
from otap.formats.json.paths import JsonObject, JsonPath, described
from otap.formats.json.times import parse_time, to_nanoseconds
from otap.formats.recorder import Recorder
from otap.formats.spans import Span, read_spans
from otap.formats.tokens import parse_usage, sum_tokens
from otap.formats.tool_calls import ToolCall, ToolResult, call_notes, parse_call
from otap.formats.tool_definitions import tool_facts
from otap.formats.unread import UnreadTally
from otap.trajectory import Trajectory

NAME = "inspect"
DESCRIPTION = "logs of Inspect (inspect_ai): .eval archives or JSON; one run per sample and epoch"
STEP = "each tool call; the calls of an agent that a call started are its substeps"
KNOWN_BY = "'version', and 'eval' with task, model and data set"

_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


def recognises(value: Any) -> bool:
    """Returns whether this is the log of an evaluation, with or without samples."""
    if not isinstance(value, dict) or "version" not in value:
        return False
    spec = value.get("eval")
    return isinstance(spec, dict) and {"task", "model", "dataset"} <= spec.keys()


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Yields one run for each sample of each epoch; the first score is the outcome.

    Raises:
        FormatError: with the path of the first invalid part of the log.
    """
    log = JsonObject(document.value, document.root)
    task = log.object("eval").label("task")
    if log.get("samples") is None:
        raise log.path.error("holds no samples; log them (inspect eval --log-samples)")
    for sample in log.objects("samples"):
        attachments = sample.object("attachments").mapping
        if attachments:
            sample = JsonObject(resolve_attachments(sample.mapping, attachments), sample.path)
        yield _run_of_sample(sample, task, reasoning)


def _run_of_sample(sample: JsonObject, task_name: str | None, reasoning: bool) -> Trajectory:
    identifier, epoch = sample.label("id"), sample.label("epoch")
    task = "/".join(part for part in (task_name, identifier) if part is not None) or None
    conversation = _read_sample(sample, reasoning)
    recorded_scores = sample.object("scores")
    scores = {
        name: recorded_scores.at(name).object(score).get("value")
        for name, score in recorded_scores.mapping.items()
    }
    usage = sample.object("model_usage").mapping.values()
    error, limit = sample.get("error"), sample.get("limit")
    notes = {
        "scores": scores or None,
        "error": error.get("message") if isinstance(error, dict) else error,
        "limit": limit.get("type") if isinstance(limit, dict) else limit,
    }
    fields = {
        "id": "/".join(part for part in (task, epoch) if part is not None) or None,
        "task": task,
        "trial": sample.get("epoch"),
        "request": _request(sample),
        "tokens": sum_tokens(parse_usage(model_usage) for model_usage in usage),
        "outcome": next((_grade(score) for score in scores.values()), None),
        **tool_facts(*_defined_tools(sample)),
    }
    return conversation.to_trajectory(sample.path, fields, notes)


def _request(sample: JsonObject) -> list[str]:
    """Returns the user messages in the input of the sample, without those of a scaffold."""
    if not isinstance(sample.get("input"), list):
        return _texts_in(sample, "input")
    return [
        text
        for message in sample.objects("input")
        if message.get("role") == "user"
        for text in _texts_in(message)
    ]


def _grade(score: Any) -> float | None:
    """Returns a score as a number, as Inspect converts it; None for a list or an object."""
    if isinstance(score, str):
        return _GRADES.get(score, _GRADES.get(score.lower()))
    return float(score) if isinstance(score, bool | int | float) else None


def _read_sample(sample: JsonObject, reasoning: bool) -> Conversation:
    """Returns the conversation by the events of a sample, or by its messages if no event calls."""
    events = _Events()
    events.read(sample)
    if events.has_calls:
        events.read_results(sample)
        return read_spans(events.spans.values(), reasoning=reasoning)
    recorder = Recorder(reasoning)
    recorder.note(events.unknown, ())
    for index, message in enumerate(sample.objects("messages")):
        _record_message(recorder, index, message)
    return recorder.conversation()


def _record_message(recorder: Recorder, index: int, message: JsonObject) -> None:
    role = message.get("role")
    if role == "tool":
        recorder.result(*_read_result(message)[:4], origin={"message": index})
        return
    texts = _texts_in(message, tally=recorder)
    if role == "assistant":
        recorder.assistant(texts, _calls_in(message))
    elif role == "user":
        recorder.user(texts)
    elif role == "system":
        recorder.interrupted()
        recorder.ignored("system prompt")
    else:
        raise message.at("role").error(f"expected the role of a message, found {described(role)}")


# Types of events that call nothing.
_SILENT = (
    *("init", "sample_init", "sample_limit", "sandbox", "state", "store", "approval", "input"),
    *("score", "score_edit", "error", "logger", "info", "span_begin", "span_end", "step"),
    *("subtask", "interrupt", "compaction", "branch", "anchor", "checkpoint"),
)
_SCORING = ("scorer", "scorers")  # spans of scorers are not part of the run


class _Event(NamedTuple):
    """One event, and the id of the span or event that contains it."""

    fields: JsonObject
    parent: str | None


@dataclass
class _Events:
    """The events of one sample as spans: its own spans, and one for each model or tool event."""

    spans: dict[str, Span] = field(default_factory=dict)
    has_calls: bool = False
    unknown: list[str] = field(default_factory=list)
    _handoff_parents: dict[str | None, str | None] = field(default_factory=dict)
    _tool_spans: dict[tuple[str | None, str | None], deque[Span]] = field(default_factory=dict)

    def read(self, sample: JsonObject) -> None:
        """Makes a span of each event, except those of scorers.

        Raises:
            FormatError: with the path of the first invalid part of an event.
        """
        events = list(_nested_events(sample, None))
        scoring: set[str | None] = set()
        for event, _ in events:
            if event.get("event") == "span_begin":
                self._add_span(event, scoring)
        for event, parent in events:
            kind = event.get("event")
            if parent in scoring:
                continue
            if kind == "model":
                self._add_model_event(event, parent)
            elif kind == "tool":
                self._add_tool_event(event, parent)
            elif kind not in _SILENT:
                self.unknown.append(f"event of type '{kind}'")

    def read_results(self, sample: JsonObject) -> None:
        """Adds the results of calls without an event, from the inputs of models.

        A log has the inputs in a pool or in each event. The sample has the last messages.
        """
        pool, name = sample.object("events_data"), sample.path.expression
        results = [*_results_in(pool, "messages"), *_results_in(sample, "messages")]
        self.spans[name] = Span(name, None, sample.path, results=results, unknown=self.unknown)

    def _add_span(self, event: JsonObject, scoring: set[str | None]) -> None:
        identifier, parent = event.label("id"), event.label("parent_id")
        if identifier is None:
            raise event.at("id").error("expected the id of the span, found none")
        kind, name = event.get("type"), event.label("name")
        if kind in _SCORING or parent in scoring:
            scoring.add(identifier)
            return
        span = Span(identifier, parent, event.path, _time(event, "timestamp"))
        span.agent = name if kind == "agent" else None
        self.spans[identifier] = span
        if kind == "handoff":  # between the span of the tool and the span of its event
            self._handoff_parents[identifier] = parent
        if kind == "tool":
            outer = self._handoff_parents.get(parent, parent)
            self._tool_spans.setdefault((outer, name), deque()).append(span)

    def _add_model_event(self, event: JsonObject, parent: str | None) -> None:
        name = event.path.expression
        span = Span(name, parent, event.path, _time(event, "timestamp"), is_model=True)
        for choice in event.object("output").objects("choices")[:1]:
            message = choice.object("message")
            span.answer = next(iter(_texts_in(message)), None)
            span.requested_calls = list(_calls_in(message))
        span.results = _results_in(event, "input")
        answers = [part for part in event.objects("input") if part.get("role") == "assistant"]
        calls = (list(_calls_in(answer)) for answer in answers)
        span.earlier_calls = [answer_calls for answer_calls in calls if answer_calls]
        self.has_calls = self.has_calls or bool(span.requested_calls)
        self.spans[name] = span

    def _add_tool_event(self, event: JsonObject, parent: str | None) -> None:
        """Merges the event of a tool with the span in which the tool ran, which is its sibling."""
        call, name = call_of_event(event), event.path.expression
        tool_spans = self._tool_spans.get((parent, call.tool))
        if tool_spans:
            span = tool_spans.popleft()
        else:
            span = self.spans[name] = Span(name, parent, event.path)
        span.start, span.end = _time(event, "timestamp"), _time(event, "completed")
        span.call, self.has_calls = call, True


def _defined_tools(sample: JsonObject) -> Iterator[Any]:
    """Yields the tool definitions that the models of a sample received."""
    for event, _ in _nested_events(sample, None):
        if event.get("event") == "model":
            yield event.get("tools")


def _nested_events(outer: JsonObject, parent: str | None) -> Iterator[_Event]:
    """Yields events, and the events inside them, which older logs have."""
    for event in outer.objects("events"):
        yield _Event(event, event.label("span_id") or parent)
        yield from _nested_events(event, event.path.expression)


def _time(event: JsonObject, key: str) -> int | None:
    return to_nanoseconds(parse_time(event.get(key), event.at(key)))


_ATTACHMENT = "attachment://"
_NOT_COUNTED = ("text", "tool_use", "data")  # a call of the provider is read with the other calls


def resolve_attachments(value: Any, attachments: Mapping[str, Any]) -> Any:
    """Returns ``value`` with each reference replaced by its attachment, a long text."""
    if isinstance(value, str) and value.startswith(_ATTACHMENT):
        return attachments.get(value.removeprefix(_ATTACHMENT), value)
    if isinstance(value, list):
        return [resolve_attachments(item, attachments) for item in value]
    if isinstance(value, dict):
        return {key: resolve_attachments(item, attachments) for key, item in value.items()}
    return value


def _texts_in(
    message: JsonObject, key: str = "content", tally: UnreadTally | None = None
) -> list[str]:
    """Returns the text of a message without pictures and thoughts, as a list of one text or none.

    Args:
        message: the message.
        key: the key of its content.
        tally: counts the parts that are left out.
    """

    def text_in(part: Any, path: JsonPath) -> str | None:
        if is_text(path.object(part), "text"):
            return part["text"] or None
        # In the logs of tools a part may be any object.
        if tally is not None and part.get("type") not in _NOT_COUNTED:
            tally.note_part(part.get("type"))
        return None

    return message_texts(message.get(key), message.at(key), text_in)


def _calls_in(message: JsonObject) -> Iterator[ToolCall]:
    """Yields the calls of one message: first those that the provider ran, then the others."""
    for part in message.objects("content") if isinstance(message.get("content"), list) else ():
        if part.get("type") == "tool_use":
            call = parse_call(
                part.text("name"), part.get("arguments"), part.label("id"), part.at("name")
            )
            call.effect = join_texts(part.get("result"), "text")
            if part.get("error") is not None:
                call.status, call.effect = "error", call.effect or part.get("error")
            yield call
    for fields in message.objects("tool_calls"):
        yield _read_call(fields)


def _read_call(fields: JsonObject) -> ToolCall:
    identifier = fields.label("id")
    notes = call_notes(identifier)
    if fields.get("parse_error") is not None:
        notes["arguments_unparsed"] = True
    return ToolCall(fields.text("function"), fields.get("arguments"), identifier, notes)


def call_of_event(event: JsonObject) -> ToolCall:
    """Returns the call of a tool's event; a pending call has no result.

    Raises:
        FormatError: with the path of the first invalid part of the event.
    """
    call = _read_call(event)
    call.started_at = parse_time(event.get("timestamp"), event.at("timestamp"))
    call.ended_at = parse_time(event.get("completed"), event.at("completed"))
    if event.get("pending") is not True:
        call.effect, call.status = _effect_and_status(event, "result")
    if event.get("failed") is True:
        call.status = "error"
    elif call.status is None and call.ended_at is not None:
        call.status = "ok"
    return call


def _effect_and_status(fields: JsonObject, key: str) -> tuple[Any, Status]:
    """Returns a result and its status; an empty result of a failed call becomes the error."""
    effect, error = join_texts(fields.get(key), "text"), fields.object_if_any("error")
    if error is None:
        return effect, None
    return (error.get("message") if effect in (None, "") else effect), "error"


def _results_in(fields: JsonObject, key: str) -> list[ToolResult]:
    """Returns the results in the tool messages under a key."""
    messages = fields.objects(key)
    return [_read_result(message) for message in messages if message.get("role") == "tool"]


def _read_result(message: JsonObject) -> ToolResult:
    content, status = _effect_and_status(message, "content")
    name = message.get("function")
    tool = name if isinstance(name, str) else None
    return ToolResult(message.label("tool_call_id"), tool, content, status)
