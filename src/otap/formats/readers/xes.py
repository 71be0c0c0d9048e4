"""Event logs of process mining in XES (IEEE 1849): each trace of events is a run.

Read with the parser that Python has, without types of documents and entities: a log needs none.
"""

from collections.abc import Iterator
from typing import Any
from xml.parsers import expat

from otap.errors import LimitError, shown
from otap.formats.json.documents import Document
from otap.formats.json.paths import JsonPath
from otap.formats.limits import Limits
from otap.formats.steps.content import drop_nulls
from otap.formats.steps.tally import Tally
from otap.trajectory import Trajectory, parse_trajectory

NAME = "xes"
DESCRIPTION = "event logs of process mining in XES (.xes): each trace is a run"
STEP = "each event"
KNOWN_BY = "XML that begins with a 'log'"

_FORMAT = "xes"
_NAME, _TIME, _WHO = "concept:name", "time:timestamp", "org:resource"
_LIFE = "lifecycle:transition"
# States of an event in which nothing is done yet, and those in which it was given up.
_PLANNED = ("schedule", "assign", "reassign", "suspend", "resume")
_BROKEN_OFF = ("ate_abort", "pi_abort", "withdraw")
_NUMBERS = {"int": int, "float": float}


def recognises(value: Any) -> bool:
    """Says whether this is what :func:`parse` made of a log."""
    return (
        isinstance(value, dict)
        and value.get("format") == _FORMAT
        and isinstance(value.get("traces"), list)
    )


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one run for each trace; of an event that is told as begun and ended, the end."""
    del reasoning
    for trace, place in document.root["traces"].objects(document.value["traces"]):
        about = place["attributes"].object(trace.get("attributes"))
        listed = place["events"].objects(trace.get("events"))
        events = [where["attributes"].object(event.get("attributes")) for event, where in listed]
        tally = Tally()
        for event in events:
            if event.get(_LIFE) in _PLANNED:
                tally.ignored(f"event '{event[_LIFE]}'")
            elif event.get(_NAME) is None:
                tally.unknown("event without a name")
        steps = [_step(event, number) for number, event in enumerate(_list_done(events), 1)]
        names = {"id": _text(about.get(_NAME)), "task": _text(about.get("concept:task"))}
        notes = {key: value for key, value in about.items() if key != _NAME}
        unread = {"unread": tally.counts()}
        fields = {**drop_nulls(names), **unread, "steps": steps, "metadata": notes}
        yield parse_trajectory(fields, str(place))


def _list_done(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The events that were done: of one that is told as begun and as ended, the end."""
    ended = {event.get(_NAME) for event in events if event.get(_LIFE) not in ("start", *_PLANNED)}
    return [
        event
        for event in events
        if event.get(_LIFE) not in _PLANNED
        and not (event.get(_LIFE) == "start" and event.get(_NAME) in ended)
    ]


def _step(event: dict[str, Any], number: int) -> dict[str, Any]:
    own = {_NAME, _TIME, _WHO, _LIFE}
    return drop_nulls(
        {
            "id": str(number),
            "kind": "tool",
            "tool": _text(event.get(_NAME)),
            "arguments": {
                key: value
                for key, value in event.items()
                if key not in own and not key.startswith("@@")  # pm4py's own numbers
            },
            "agent": _text(event.get(_WHO)),
            "started_at": event.get(_TIME),
            "status": "error" if event.get(_LIFE) in _BROKEN_OFF else None,
        }
    )


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def parse(data: bytes, place: JsonPath, limits: Limits) -> dict[str, Any]:
    """Returns the traces of a log as plain data.

    Raises:
        FormatError: if it is no XML, or has a type of document.
        LimitError: if it is deeper than the limit.
    """
    log = _Log(place, limits)
    parser = expat.ParserCreate()
    parser.StartElementHandler = log.begin
    parser.EndElementHandler = log.end
    parser.StartDoctypeDeclHandler = log.refuse
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        reason = expat.errors.messages[error.code]
        raise place.error(f"is no XML: {reason} (line {error.lineno})") from None
    return {"format": _FORMAT, "traces": log.traces}


class _Log:
    """What the elements of a log say, one after the other."""

    def __init__(self, place: JsonPath, limits: Limits) -> None:
        self._place, self._limits = place, limits
        self._path: list[str] = []
        self._open: dict[str, Any] | None = None
        self.traces: list[dict[str, Any]] = []

    def begin(self, element: str, attributes: dict[str, str]) -> None:
        """Begins an element."""
        name = element.rpartition(":")[2]
        if not self._path and name != "log":
            raise self._place.error(f"expected a log of XES, found the element '{shown(name, 30)}'")
        if len(self._path) >= self._limits.max_depth:
            raise LimitError(f"{self._place}: nests deeper than {self._limits.max_depth} levels")
        self._path.append(name)
        if self._path[1:] == ["trace"]:
            self._open = {"attributes": {}, "events": []}
            self.traces.append(self._open)
        elif self._path[1:] == ["trace", "event"]:
            self._open = {"attributes": {}}
            self.traces[-1]["events"].append(self._open)
        elif self._open is not None and "key" in attributes and "value" in attributes:
            self._open["attributes"][attributes["key"]] = _value(name, attributes["value"])

    def end(self, _: str) -> None:
        """Ends an element; behind an event comes its trace again."""
        name = self._path.pop()
        if name == "event":
            self._open = self.traces[-1]
        elif name == "trace":
            self._open = None

    def refuse(self, *_: Any) -> None:
        """Refuses the type of a document, with which entities are defined."""
        raise self._place.error("has a type of document (DOCTYPE), which no log of XES needs")


def _value(kind: str, text: str) -> Any:
    try:
        return text.lower() in ("true", "1") if kind == "boolean" else _NUMBERS.get(kind, str)(text)
    except ValueError:
        return text
