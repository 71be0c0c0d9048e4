"""The events of one sample of Inspect's as spans."""

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from otap.formats.json.places import Place
from otap.formats.json.times import moment, nanoseconds
from otap.formats.readers.inspect.calls import asked_in, executed, listed, part_of, result_in
from otap.formats.readers.inspect.texts import Texts
from otap.formats.steps.spans import Span

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
    place: Place
    parent: str | None


@dataclass
class Events:
    """The events of one sample as spans: its own spans, and one for each model or tool event."""

    texts: Texts
    spans: dict[str, Span] = field(default_factory=dict)
    has_calls: bool = False
    unknown: list[str] = field(default_factory=list)
    _handed_over: dict[str | None, str | None] = field(default_factory=dict)
    _started: dict[tuple[str | None, str | None], deque[Span]] = field(default_factory=dict)

    def read(self, sample: Mapping[str, Any], place: Place) -> None:
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
                self._happened(event)

    def results(self, sample: Mapping[str, Any], place: Place) -> None:
        """Takes in what models were told of calls that have no event of their own.

        Inputs are kept in a pool for all models, or else in each event; the sample has the last.
        """
        pooled = listed(part_of(sample, "events_data", place), "messages", place["events_data"])
        messages = [*pooled, *listed(sample, "messages", place)]
        told = [result_in(message, where, self.texts) for message, where in messages]
        results = [result for result in told if result is not None]
        span = Span(place.trail, None, place, results=results, unknown=self.unknown)
        self.spans[place.trail] = span

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

    def _happened(self, event: _Event) -> None:
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
        span = Span(place.trail, event.parent, place, start, is_model=True)
        choices = listed(part_of(value, "output", place), "choices", place["output"])
        if choices:
            choice, where = choices[0]
            message = part_of(choice, "message", where)
            span.said = self.texts.said(message.get("content"), where["message"]["content"])
            span.asked = asked_in(message, where["message"], self.texts)
        told = [result_in(m, where, self.texts) for m, where in listed(value, "input", place)]
        span.results = [result for result in told if result is not None]
        self.has_calls = self.has_calls or bool(span.asked)
        self.spans[span.id] = span

    def _tool(self, event: _Event) -> None:
        """A tool's event stands beside the span in which the tool ran: they are one."""
        value, place = event.value, event.place
        call = executed(value, place, self.texts)
        begun = self._started.get((event.parent, call.tool))
        if begun:
            span = begun.popleft()
        else:
            span = self.spans[place.trail] = Span(place.trail, event.parent, place)
        span.start = _time(value, "timestamp", place)
        span.end = _time(value, "completed", place)
        span.call, self.has_calls = call, True


def defined_in(sample: Mapping[str, Any], place: Place) -> Iterator[Any]:
    """Yields the tools that the models of a sample were given."""
    for event in _flat(sample, place, None):
        if event.value.get("event") == "model":
            yield event.value.get("tools")


def _flat(value: Mapping[str, Any], place: Place, around: str | None) -> Iterator[_Event]:
    """Returns events, and the events inside them, as older logs have them."""
    for event, where in listed(value, "events", place):
        yield _Event(event, where, where["span_id"].label(event.get("span_id")) or around)
        yield from _flat(event, where, where.trail)


def _time(value: Mapping[str, Any], key: str, place: Place) -> int | None:
    return nanoseconds(moment(value.get(key), place[key]))
