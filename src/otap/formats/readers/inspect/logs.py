"""Logs of Inspect (``.eval`` and ``.json``): each sample of each epoch is one run."""

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, NamedTuple

from otap.formats.json.documents import Document
from otap.formats.json.paths import JsonPath, described
from otap.formats.json.times import parse_time, to_nanoseconds
from otap.formats.steps.calls import Call, Result, call_notes, parse_call
from otap.formats.steps.content import (
    UnreadNotes,
    drop_nulls,
    is_text,
    join_texts,
    message_texts,
    note_part,
)
from otap.formats.steps.conversation import Conversation
from otap.formats.steps.definitions import tool_facts
from otap.formats.steps.recorder import Recorder
from otap.formats.steps.spans import Span, read_spans
from otap.formats.steps.tokens import parse_usage, sum_tokens
from otap.trajectory import Trajectory, parse_trajectory

NAME = "inspect"
DESCRIPTION = "logs of Inspect (inspect_ai): .eval archives, or JSON; a run a sample and epoch"
STEP = "each tool call; calls of an agent that a call started are its sub-steps"
KNOWN_BY = "'version', and 'eval' with task, model and data set"

_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


def recognises(value: Any) -> bool:
    """Says whether this is the log of an evaluation, with or without samples."""
    if not isinstance(value, dict) or "version" not in value:
        return False
    spec = value.get("eval")
    return isinstance(spec, dict) and {"task", "model", "dataset"} <= spec.keys()


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one run for each sample of each epoch; the first score is the outcome.

    Raises:
        FormatError: with the place of the first thing that no log may hold.
    """
    place = document.root
    name = place["eval"]["task"].label(document.value["eval"]["task"])
    if document.value.get("samples") is None:
        raise place.error("holds no samples; log them (inspect eval --log-samples)")
    for sample, where in place["samples"].objects(document.value["samples"]):
        attachments = part_of(sample, "attachments", where)
        value = resolve_attachments(sample, attachments) if attachments else sample
        yield _run_of_sample(value, where, name, reasoning)


def _run_of_sample(
    value: dict[str, Any], place: JsonPath, name: str | None, reasoning: bool
) -> Trajectory:
    sample, epoch = place.label_in(value, "id"), place.label_in(value, "epoch")
    task = "/".join(part for part in (name, sample) if part is not None) or None
    found = _read_sample(value, place, reasoning)
    scores = _scores(value, place)
    fields = {
        "id": "/".join(part for part in (task, epoch) if part is not None) or None,
        "task": task,
        "trial": value.get("epoch"),
        "request": _request(value.get("input"), place["input"]),
        "steps": found.steps,
        "told": found.messages_to_user,
        "unread": found.unread,
        "tokens": sum_tokens(map(parse_usage, part_of(value, "model_usage", place).values())),
        "outcome": next((_grade(score) for score in scores.values()), None),
        **tool_facts(*defined_in(value, place)),
        "metadata": {**_background(value, scores), **found.metadata},
    }
    return parse_trajectory(fields, str(place))


def _request(value: Any, place: JsonPath) -> list[str]:
    """Returns what the sample asks for; what a scaffold said later in a user's name is none."""
    if isinstance(value, list):
        said = [
            text_of_content(message.get("content"), where["content"])
            for message, where in place.objects(value)
            if message.get("role") == "user"
        ]
    else:
        said = [text_of_content(value, place)]
    return [text for text in said if text is not None]


def _scores(value: Mapping[str, Any], place: JsonPath) -> dict[str, Any]:
    found = part_of(value, "scores", place)
    return {name: place["scores"][name].object(score).get("value") for name, score in found.items()}


def _grade(value: Any) -> float | None:
    """Returns a score as a number, as Inspect itself makes one; none of a list or an object."""
    if isinstance(value, str):
        return _GRADES.get(value, _GRADES.get(value.lower()))
    return float(value) if isinstance(value, bool | int | float) else None


def _background(value: Mapping[str, Any], scores: dict[str, Any]) -> dict[str, Any]:
    error, limit = value.get("error"), value.get("limit")
    notes = {
        "scores": scores or None,
        "error": error.get("message") if isinstance(error, dict) else error,
        "limit": limit.get("type") if isinstance(limit, dict) else limit,
    }
    return drop_nulls(notes)


def _read_sample(value: Mapping[str, Any], place: JsonPath, reasoning: bool) -> Conversation:
    """Returns the run by the events of a sample, or by its messages where these say nothing."""
    events = _Events()
    events.read(value, place)
    if events.has_calls:
        events.read_results(value, place)
        return read_spans(events.spans.values(), reasoning=reasoning)
    recorder = Recorder(reasoning)
    for what in events.unknown:
        recorder.unknown(what)
    for index, (message, where) in enumerate(place["messages"].objects(value.get("messages"))):
        _record(recorder, index, message, where)
    return recorder.conversation()


def _record(recorder: Recorder, index: int, message: dict[str, Any], place: JsonPath) -> None:
    role = message.get("role")
    if role == "tool":
        recorder.result(*read_result(message, place)[:4], origin={"message": index})
        return
    said = text_of_content(message.get("content"), place["content"], recorder)
    texts = [said] if said else []
    if role == "assistant":
        recorder.assistant(texts, calls_in_message(message, place))
    elif role == "user":
        recorder.user(texts)
    elif role == "system":
        recorder.interrupted()
        recorder.ignored("system prompt")
    else:
        raise place["role"].error(f"expected the role of a message, found {described(role)}")


# What happens beside models and tools, and calls nothing.
_SILENT = (
    *("init", "sample_init", "sample_limit", "sandbox", "state", "store", "approval", "input"),
    *("score", "score_edit", "error", "logger", "info", "span_begin", "span_end", "step"),
    *("subtask", "interrupt", "compaction", "branch", "anchor", "checkpoint"),
)
_SCORING = ("scorer", "scorers")  # what judges the run does not belong to it


class _Event(NamedTuple):
    """One event, its place, and the span or event that it lies in."""

    value: dict[str, Any]
    place: JsonPath
    parent: str | None


@dataclass
class _Events:
    """The events of one sample as spans: its own spans, and one for each model or tool event."""

    spans: dict[str, Span] = field(default_factory=dict)
    has_calls: bool = False
    unknown: list[str] = field(default_factory=list)
    _handed_over: dict[str | None, str | None] = field(default_factory=dict)
    _started: dict[tuple[str | None, str | None], deque[Span]] = field(default_factory=dict)

    def read(self, sample: Mapping[str, Any], place: JsonPath) -> None:
        """Makes a span of each event but those of scorers.

        Raises:
            FormatError: with the place of the first thing that no event may hold.
        """
        events = list(_flat(sample, place, None))
        scoring: set[str | None] = set()
        for event in events:
            if event.value.get("event") == "span_begin":
                self._begin(event, scoring)
        for event in events:
            if event.parent not in scoring:
                self._read_event(event)

    def read_results(self, sample: Mapping[str, Any], place: JsonPath) -> None:
        """Takes in what models were told of calls that have no event of their own.

        Inputs are kept in a pool for all models, or else in each event; the sample has the last.
        """
        pool, where = part_of(sample, "events_data", place), place["events_data"]
        results = [*results_in(pool, "messages", where), *results_in(sample, "messages", place)]
        span = Span(place.expression, None, place, results=results, unknown=self.unknown)
        self.spans[place.expression] = span

    def _begin(self, event: _Event, scoring: set[str | None]) -> None:
        value, place = event.value, event.place
        identifier, parent = (place[key].label(value.get(key)) for key in ("id", "parent_id"))
        if identifier is None:
            raise place["id"].error("expected the id of the span, found none")
        kind, name = value.get("type"), place["name"].label(value.get("name"))
        if kind in _SCORING or parent in scoring:
            scoring.add(identifier)
            return
        span = Span(identifier, parent, place, _time(value, "timestamp", place))
        span.agent = name if kind == "agent" else None
        self.spans[identifier] = span
        if kind == "handoff":  # stands between the tool's span and that of its event
            self._handed_over[identifier] = parent
        if kind == "tool":
            outer = self._handed_over.get(parent, parent)
            self._started.setdefault((outer, name), deque()).append(span)

    def _read_event(self, event: _Event) -> None:
        kind = event.value.get("event")
        if kind == "model":
            self._model(event)
        elif kind == "tool":
            self._tool(event)
        elif kind not in _SILENT:
            self.unknown.append(f"event of type '{kind}'")

    def _model(self, event: _Event) -> None:
        value, place = event.value, event.place
        start = _time(value, "timestamp", place)
        span = Span(place.expression, event.parent, place, start, is_model=True)
        output = part_of(value, "output", place)
        for choice, where in [*place["output"]["choices"].objects(output.get("choices"))][:1]:
            message, at = part_of(choice, "message", where), where["message"]
            span.answer = text_of_content(message.get("content"), at["content"])
            span.requested_calls = list(calls_in_message(message, at))
        span.results = list(results_in(value, "input", place))
        self.has_calls = self.has_calls or bool(span.requested_calls)
        self.spans[span.id] = span

    def _tool(self, event: _Event) -> None:
        """A tool's event stands beside the span in which the tool ran: they are one."""
        value, place = event.value, event.place
        call = call_of_event(value, place)
        begun = self._started.get((event.parent, call.tool))
        if begun:
            span = begun.popleft()
        else:
            span = self.spans[place.expression] = Span(place.expression, event.parent, place)
        span.start = _time(value, "timestamp", place)
        span.end = _time(value, "completed", place)
        span.call, self.has_calls = call, True


def defined_in(sample: Mapping[str, Any], place: JsonPath) -> Iterator[Any]:
    """Yields the tools that the models of a sample were given."""
    for event in _flat(sample, place, None):
        if event.value.get("event") == "model":
            yield event.value.get("tools")


def _flat(value: Mapping[str, Any], place: JsonPath, around: str | None) -> Iterator[_Event]:
    """Returns events, and the events inside them, as older logs have them."""
    for event, where in place["events"].objects(value.get("events")):
        yield _Event(event, where, where["span_id"].label(event.get("span_id")) or around)
        yield from _flat(event, where, where.expression)


def _time(value: Mapping[str, Any], key: str, place: JsonPath) -> int | None:
    return to_nanoseconds(parse_time(value.get(key), place[key]))


_ATTACHMENT = "attachment://"
_NOT_NOTED = ("text", "tool_use", "data")  # a call of the provider's own is read with the calls


def resolve_attachments(value: Any, attachments: Mapping[str, Any]) -> Any:
    """Returns ``value`` with each reference replaced by the long text that is kept apart."""
    if isinstance(value, str) and value.startswith(_ATTACHMENT):
        return attachments.get(value.removeprefix(_ATTACHMENT), value)
    if isinstance(value, list):
        return [resolve_attachments(item, attachments) for item in value]
    if isinstance(value, dict):
        return {key: resolve_attachments(item, attachments) for key, item in value.items()}
    return value


def text_of_content(content: Any, place: JsonPath, noting: UnreadNotes | None = None) -> str | None:
    """Returns the text of a message's content; pictures and thoughts are left out.

    Args:
        content: the content.
        place: where it stands.
        noting: who is told of the parts that are left out.

    Raises:
        FormatError: if it is no content, or a part is no object.
    """
    return next(iter(message_texts(content, place, partial(_text_of_part, noting))), None)


def _text_of_part(noting: UnreadNotes | None, part: Any, place: JsonPath) -> str | None:
    """Returns the text of a part of type "text"; in the logs of tools it may be anything else."""
    if is_text(place.object(part), "text"):
        return part["text"] or None
    if noting is not None and part.get("type") not in _NOT_NOTED:
        note_part(noting, part.get("type"))
    return None


def part_of(value: Mapping[str, Any], key: str, place: JsonPath) -> dict[str, Any]:
    """Returns an object that stands inside another; an empty one where it is null or left out.

    Args:
        value: the outer object.
        key: where the inner one stands in it.
        place: the place of the outer one.

    Raises:
        FormatError: if something else stands there.
    """
    found = value.get(key)
    return {} if found is None else place[key].object(found)


def calls_in_message(message: Mapping[str, Any], place: JsonPath) -> Iterator[Call]:
    """Yields the calls of one message: those that the provider itself answered, and the others.

    Raises:
        FormatError: with the place of the first thing that no message may hold.
    """
    content = message.get("content")
    for part, where in place["content"].objects(content) if isinstance(content, list) else ():
        if part.get("type") == "tool_use":
            yield _read_answered_call(part, where)
    for call, where in place["tool_calls"].objects(message.get("tool_calls")):
        yield _read_call(call, where)


def _read_call(value: dict[str, Any], place: JsonPath) -> Call:
    identifier = place.label_in(value, "id")
    notes = call_notes(identifier)
    if value.get("parse_error") is not None:
        notes["arguments_unparsed"] = True
    return Call(
        place["function"].text(value.get("function")), value.get("arguments"), identifier, notes
    )


def _read_answered_call(value: dict[str, Any], place: JsonPath) -> Call:
    identifier, name = place.label_in(value, "id"), place["name"].text(value.get("name"))
    call = parse_call(name, value.get("arguments"), identifier, place["name"])
    call.effect = join_texts(value.get("result"), "text")
    if value.get("error") is not None:
        call.status, call.effect = "error", call.effect or value["error"]
    return call


def call_of_event(value: dict[str, Any], place: JsonPath) -> Call:
    """Returns the call of a tool's event; one that is pending has no result.

    Raises:
        FormatError: with the place of the first thing that no event may hold.
    """
    call = _read_call(value, place)
    call.started_at = parse_time(value.get("timestamp"), place["timestamp"])
    call.ended_at = parse_time(value.get("completed"), place["completed"])
    if value.get("pending") is not True:
        call.effect, call.status = _effect_and_status(value, "result", place)
    if value.get("failed") is True:
        call.status = "error"
    elif call.status is None and call.ended_at is not None:
        call.status = "ok"
    return call


def _effect_and_status(
    value: Mapping[str, Any], key: str, place: JsonPath
) -> tuple[Any, Literal["error"] | None]:
    """Returns a result and its status; of a call that failed, its message if nothing else."""
    effect, error = join_texts(value.get(key), "text"), value.get("error")
    if error is None:
        return effect, None
    message = place["error"].object(error).get("message")
    return (message if effect in (None, "") else effect), "error"


def results_in(value: Mapping[str, Any], key: str, place: JsonPath) -> Iterator[Result]:
    """Yields the results that the messages of tools hold, of the messages under a key.

    Raises:
        FormatError: if one's error is no object, or its id no text.
    """
    for message, where in place[key].objects(value.get(key)):
        if message.get("role") == "tool":
            yield read_result(message, where)


def read_result(message: dict[str, Any], place: JsonPath) -> Result:
    """Returns the result that the message of a tool is.

    Raises:
        FormatError: if its error is no object, or its id no text.
    """
    content, status = _effect_and_status(message, "content", place)
    name, identifier = message.get("function"), place.label_in(message, "tool_call_id")
    return Result(identifier, name if isinstance(name, str) else None, content, status)
