"""Logs of Inspect (``.eval`` and ``.json``): each sample of each epoch is one run."""

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from otap.formats.content import drop_nulls, is_text, join_texts, message_texts
from otap.formats.conversations import Conversation
from otap.formats.json.documents import Document
from otap.formats.json.paths import JsonPath, described
from otap.formats.json.times import parse_time, to_nanoseconds
from otap.formats.recorder import Recorder
from otap.formats.spans import Span, read_spans
from otap.formats.tokens import parse_usage, sum_tokens
from otap.formats.tool_calls import Call, Result, call_notes, parse_call
from otap.formats.tool_definitions import tool_facts
from otap.formats.unread import Tally
from otap.trajectory import Trajectory, parse_trajectory

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
    log, path = document.value, document.root
    task = path["eval"]["task"].label(log["eval"]["task"])
    if log.get("samples") is None:
        raise path.error("holds no samples; log them (inspect eval --log-samples)")
    for sample, sample_path in path["samples"].objects(log["samples"]):
        attachments = part_of(sample, "attachments", sample_path)
        resolved = resolve_attachments(sample, attachments) if attachments else sample
        yield _run_of_sample(resolved, sample_path, task, reasoning)


def _run_of_sample(
    sample: dict[str, Any], path: JsonPath, task_name: str | None, reasoning: bool
) -> Trajectory:
    identifier, epoch = path.label_in(sample, "id"), path.label_in(sample, "epoch")
    task = "/".join(part for part in (task_name, identifier) if part is not None) or None
    conversation = _read_sample(sample, path, reasoning)
    scores = {
        name: path["scores"][name].object(score).get("value")
        for name, score in part_of(sample, "scores", path).items()
    }
    fields = {
        "id": "/".join(part for part in (task, epoch) if part is not None) or None,
        "task": task,
        "trial": sample.get("epoch"),
        "request": _request(sample.get("input"), path["input"]),
        "steps": conversation.steps,
        "messages_to_user": conversation.messages_to_user,
        "unread": conversation.unread,
        "tokens": sum_tokens(
            parse_usage(usage) for usage in part_of(sample, "model_usage", path).values()
        ),
        "outcome": next((_grade(score) for score in scores.values()), None),
        **tool_facts(*defined_in(sample, path)),
        "metadata": {**_metadata(sample, scores), **conversation.metadata},
    }
    return parse_trajectory(fields, str(path))


def _request(value: Any, path: JsonPath) -> list[str]:
    """Returns the user messages in the input of the sample, without those of a scaffold."""
    if isinstance(value, list):
        texts = [
            text_of_content(message.get("content"), message_path["content"])
            for message, message_path in path.objects(value)
            if message.get("role") == "user"
        ]
    else:
        texts = [text_of_content(value, path)]
    return [text for text in texts if text is not None]


def _grade(score: Any) -> float | None:
    """Returns a score as a number, as Inspect converts it; None for a list or an object."""
    if isinstance(score, str):
        return _GRADES.get(score, _GRADES.get(score.lower()))
    return float(score) if isinstance(score, bool | int | float) else None


def _metadata(sample: Mapping[str, Any], scores: dict[str, Any]) -> dict[str, Any]:
    error, limit = sample.get("error"), sample.get("limit")
    notes = {
        "scores": scores or None,
        "error": error.get("message") if isinstance(error, dict) else error,
        "limit": limit.get("type") if isinstance(limit, dict) else limit,
    }
    return drop_nulls(notes)


def _read_sample(sample: Mapping[str, Any], path: JsonPath, reasoning: bool) -> Conversation:
    """Returns the conversation by the events of a sample, or by its messages if no event calls."""
    events = _Events()
    events.read(sample, path)
    if events.has_calls:
        events.read_results(sample, path)
        return read_spans(events.spans.values(), reasoning=reasoning)
    recorder = Recorder(reasoning)
    recorder.note(events.unknown, ())
    messages = path["messages"].objects(sample.get("messages"))
    for index, (message, message_path) in enumerate(messages):
        _record_message(recorder, index, message, message_path)
    return recorder.conversation()


def _record_message(
    recorder: Recorder, index: int, message: dict[str, Any], path: JsonPath
) -> None:
    role = message.get("role")
    if role == "tool":
        recorder.result(*read_result(message, path)[:4], origin={"message": index})
        return
    text = text_of_content(message.get("content"), path["content"], recorder)
    texts = [text] if text else []
    if role == "assistant":
        recorder.assistant(texts, calls_in_message(message, path))
    elif role == "user":
        recorder.user(texts)
    elif role == "system":
        recorder.interrupted()
        recorder.ignored("system prompt")
    else:
        raise path["role"].error(f"expected the role of a message, found {described(role)}")


# Types of events that call nothing.
_SILENT = (
    *("init", "sample_init", "sample_limit", "sandbox", "state", "store", "approval", "input"),
    *("score", "score_edit", "error", "logger", "info", "span_begin", "span_end", "step"),
    *("subtask", "interrupt", "compaction", "branch", "anchor", "checkpoint"),
)
_SCORING = ("scorer", "scorers")  # spans of scorers are not part of the run


class _Event(NamedTuple):
    """One event, its path, and the id of the span or event that contains it."""

    fields: dict[str, Any]
    path: JsonPath
    parent: str | None


@dataclass
class _Events:
    """The events of one sample as spans: its own spans, and one for each model or tool event."""

    spans: dict[str, Span] = field(default_factory=dict)
    has_calls: bool = False
    unknown: list[str] = field(default_factory=list)
    _handoff_parents: dict[str | None, str | None] = field(default_factory=dict)
    _tool_spans: dict[tuple[str | None, str | None], deque[Span]] = field(default_factory=dict)

    def read(self, sample: Mapping[str, Any], path: JsonPath) -> None:
        """Makes a span of each event, except those of scorers.

        Raises:
            FormatError: with the path of the first invalid part of an event.
        """
        events = list(_nested_events(sample, path, None))
        scoring: set[str | None] = set()
        for event in events:
            if event.fields.get("event") == "span_begin":
                self._add_span(event, scoring)
        for event in events:
            if event.parent not in scoring:
                self._add_event(event)

    def read_results(self, sample: Mapping[str, Any], path: JsonPath) -> None:
        """Adds the results of calls without an event, from the inputs of models.

        A log has the inputs in a pool or in each event. The sample has the last messages.
        """
        pool, pool_path = part_of(sample, "events_data", path), path["events_data"]
        results = [*results_in(pool, "messages", pool_path), *results_in(sample, "messages", path)]
        span = Span(path.expression, None, path, results=results, unknown=self.unknown)
        self.spans[path.expression] = span

    def _add_span(self, event: _Event, scoring: set[str | None]) -> None:
        fields, path, _ = event
        identifier = path.label_in(fields, "id")
        parent = path.label_in(fields, "parent_id")
        if identifier is None:
            raise path["id"].error("expected the id of the span, found none")
        kind, name = fields.get("type"), path.label_in(fields, "name")
        if kind in _SCORING or parent in scoring:
            scoring.add(identifier)
            return
        span = Span(identifier, parent, path, _time(fields, "timestamp", path))
        span.agent = name if kind == "agent" else None
        self.spans[identifier] = span
        if kind == "handoff":  # between the span of the tool and the span of its event
            self._handoff_parents[identifier] = parent
        if kind == "tool":
            outer = self._handoff_parents.get(parent, parent)
            self._tool_spans.setdefault((outer, name), deque()).append(span)

    def _add_event(self, event: _Event) -> None:
        kind = event.fields.get("event")
        if kind == "model":
            self._add_model_event(event)
        elif kind == "tool":
            self._add_tool_event(event)
        elif kind not in _SILENT:
            self.unknown.append(f"event of type '{kind}'")

    def _add_model_event(self, event: _Event) -> None:
        fields, path, parent = event
        start = _time(fields, "timestamp", path)
        span = Span(path.expression, parent, path, start, is_model=True)
        output = part_of(fields, "output", path)
        choices = list(path["output"]["choices"].objects(output.get("choices")))
        for choice, choice_path in choices[:1]:
            message, message_path = part_of(choice, "message", choice_path), choice_path["message"]
            span.answer = text_of_content(message.get("content"), message_path["content"])
            span.requested_calls = list(calls_in_message(message, message_path))
        span.results = list(results_in(fields, "input", path))
        self.has_calls = self.has_calls or bool(span.requested_calls)
        self.spans[span.id] = span

    def _add_tool_event(self, event: _Event) -> None:
        """Merges the event of a tool with the span in which the tool ran, which is its sibling."""
        fields, path, parent = event
        call = call_of_event(fields, path)
        tool_spans = self._tool_spans.get((parent, call.tool))
        if tool_spans:
            span = tool_spans.popleft()
        else:
            span = self.spans[path.expression] = Span(path.expression, parent, path)
        span.start = _time(fields, "timestamp", path)
        span.end = _time(fields, "completed", path)
        span.call, self.has_calls = call, True


def defined_in(sample: Mapping[str, Any], path: JsonPath) -> Iterator[Any]:
    """Yields the tool definitions that the models of a sample received."""
    for event in _nested_events(sample, path, None):
        if event.fields.get("event") == "model":
            yield event.fields.get("tools")


def _nested_events(
    value: Mapping[str, Any], path: JsonPath, parent: str | None
) -> Iterator[_Event]:
    """Yields events, and the events inside them, which older logs have."""
    for event, event_path in path["events"].objects(value.get("events")):
        span_id = event_path.label_in(event, "span_id")
        yield _Event(event, event_path, span_id or parent)
        yield from _nested_events(event, event_path, event_path.expression)


def _time(fields: Mapping[str, Any], key: str, path: JsonPath) -> int | None:
    return to_nanoseconds(parse_time(fields.get(key), path[key]))


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


def text_of_content(content: Any, path: JsonPath, noting: Tally | None = None) -> str | None:
    """Returns the text of a message's content, without pictures and thoughts.

    Args:
        content: the content.
        path: its path, for errors.
        noting: counts the parts that are left out.

    Raises:
        FormatError: if the content is neither text nor a list of objects.
    """

    def text_in(part: Any, part_path: JsonPath) -> str | None:
        if is_text(part_path.object(part), "text"):
            return part["text"] or None
        # In the logs of tools a part may be any object.
        if noting is not None and part.get("type") not in _NOT_COUNTED:
            noting.note_part(part.get("type"))
        return None

    return next(iter(message_texts(content, path, text_in)), None)


def part_of(value: Mapping[str, Any], key: str, path: JsonPath) -> dict[str, Any]:
    """Returns the object under a key; an empty one if it is null or missing.

    Args:
        value: the outer object.
        key: the key of the inner object.
        path: the path of the outer object.

    Raises:
        FormatError: if the value under the key is not an object.
    """
    inner = value.get(key)
    return {} if inner is None else path[key].object(inner)


def calls_in_message(message: Mapping[str, Any], path: JsonPath) -> Iterator[Call]:
    """Yields the calls of one message: first those that the provider ran, then the others.

    Raises:
        FormatError: with the path of the first invalid part of the message.
    """
    content = message.get("content")
    for part, part_path in path["content"].objects(content) if isinstance(content, list) else ():
        if part.get("type") == "tool_use":
            yield _read_provider_call(part, part_path)
    for call, call_path in path["tool_calls"].objects(message.get("tool_calls")):
        yield _read_call(call, call_path)


def _read_call(fields: dict[str, Any], path: JsonPath) -> Call:
    identifier = path.label_in(fields, "id")
    notes = call_notes(identifier)
    if fields.get("parse_error") is not None:
        notes["arguments_unparsed"] = True
    tool = path["function"].text(fields.get("function"))
    return Call(tool, fields.get("arguments"), identifier, notes)


def _read_provider_call(fields: dict[str, Any], path: JsonPath) -> Call:
    identifier, name = path.label_in(fields, "id"), path["name"].text(fields.get("name"))
    call = parse_call(name, fields.get("arguments"), identifier, path["name"])
    call.effect = join_texts(fields.get("result"), "text")
    if fields.get("error") is not None:
        call.status, call.effect = "error", call.effect or fields["error"]
    return call


def call_of_event(fields: dict[str, Any], path: JsonPath) -> Call:
    """Returns the call of a tool's event; a pending call has no result.

    Raises:
        FormatError: with the path of the first invalid part of the event.
    """
    call = _read_call(fields, path)
    call.started_at = parse_time(fields.get("timestamp"), path["timestamp"])
    call.ended_at = parse_time(fields.get("completed"), path["completed"])
    if fields.get("pending") is not True:
        call.effect, call.status = _effect_and_status(fields, "result", path)
    if fields.get("failed") is True:
        call.status = "error"
    elif call.status is None and call.ended_at is not None:
        call.status = "ok"
    return call


def _effect_and_status(
    fields: Mapping[str, Any], key: str, path: JsonPath
) -> tuple[Any, Literal["error"] | None]:
    """Returns a result and its status; an empty result of a failed call becomes the error."""
    effect, error = join_texts(fields.get(key), "text"), fields.get("error")
    if error is None:
        return effect, None
    message = path["error"].object(error).get("message")
    return (message if effect in (None, "") else effect), "error"


def results_in(value: Mapping[str, Any], key: str, path: JsonPath) -> Iterator[Result]:
    """Yields the results in the tool messages under a key.

    Raises:
        FormatError: if an error is not an object, or an id is not text.
    """
    for message, message_path in path[key].objects(value.get(key)):
        if message.get("role") == "tool":
            yield read_result(message, message_path)


def read_result(message: dict[str, Any], path: JsonPath) -> Result:
    """Returns the result in the message of a tool.

    Raises:
        FormatError: if its error is not an object, or its id is not text.
    """
    content, status = _effect_and_status(message, "content", path)
    name, identifier = message.get("function"), path.label_in(message, "tool_call_id")
    return Result(identifier, name if isinstance(name, str) else None, content, status)
