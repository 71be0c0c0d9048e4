"""Event logs of process mining in XES (IEEE 1849): each trace of events is a run.

Python's own XML parser reads the file. Document types and entities are refused, because no log
needs them.
"""

from collections.abc import Iterator
from typing import Any
from xml.parsers import expat

from otap.errors import LimitError, shown
from otap.formats.content import drop_nulls
from otap.formats.json.documents import Document
from otap.formats.json.paths import JsonPath
from otap.formats.limits import Limits
from otap.formats.unread import UnreadTally
from otap.trajectory import Trajectory, parse_trajectory

NAME = "xes"
DESCRIPTION = "event logs of process mining in XES (.xes): each trace is a run"
STEP = "each event"
KNOWN_BY = "XML that begins with a 'log'"

_FORMAT = "xes"
_NAME, _TIME, _RESOURCE = "concept:name", "time:timestamp", "org:resource"
_TRANSITION = "lifecycle:transition"
_STEP_KEYS = (_NAME, _TIME, _RESOURCE, _TRANSITION)
_PLANNED = ("schedule", "assign", "reassign", "suspend", "resume")  # nothing is done yet
_ABORTED = ("ate_abort", "pi_abort", "withdraw")
_NUMBERS = {"int": int, "float": float}


def recognises(value: Any) -> bool:
    """Returns whether :func:`parse` made this from a log."""
    return (
        isinstance(value, dict)
        and value.get("format") == _FORMAT
        and isinstance(value.get("traces"), list)
    )


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Yields one run for each trace."""
    del reasoning
    for trace, path in document.root["traces"].objects(document.value["traces"]):
        attributes = path["attributes"].object(trace.get("attributes"))
        events = [
            _check_names(event_path["attributes"].object(event.get("attributes")), event_path)
            for event, event_path in path["events"].objects(trace.get("events"))
        ]
        tally = UnreadTally()
        for event in events:
            if event.get(_TRANSITION) in _PLANNED:
                tally.ignored(f"event '{event[_TRANSITION]}'")
            elif event.get(_NAME) is None:
                tally.unknown("event without a name")
        steps = [_step(event, number) for number, event in enumerate(_done_events(events), 1)]
        names = {"id": _text(attributes.get(_NAME)), "task": _text(attributes.get("concept:task"))}
        fields = {
            **drop_nulls(names),
            "unread": tally.counts(),
            "steps": steps,
            "metadata": {key: note for key, note in attributes.items() if key != _NAME},
        }
        yield parse_trajectory(fields, str(path))


def _check_names(event: dict[str, Any], path: JsonPath) -> dict[str, Any]:
    """Returns an event whose name and transition are no lists or objects.

    Raises:
        FormatError: if one is.
    """
    for key in (_NAME, _TRANSITION):
        if isinstance(event.get(key), dict | list):
            path["attributes"].label_in(event, key)
    return event


def _done_events(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns the events that happened, without the start of an event that also has an end."""
    not_ends = ("start", *_PLANNED)
    ended = {event.get(_NAME) for event in events if event.get(_TRANSITION) not in not_ends}
    return [
        event
        for event in events
        if event.get(_TRANSITION) not in _PLANNED
        and not (event.get(_TRANSITION) == "start" and event.get(_NAME) in ended)
    ]


def _step(event: dict[str, Any], number: int) -> dict[str, Any]:
    return drop_nulls(
        {
            "id": str(number),
            "kind": "tool",
            "tool": _text(event.get(_NAME)),
            "arguments": {
                key: argument
                for key, argument in event.items()
                if key not in _STEP_KEYS and not key.startswith("@@")  # pm4py's own numbers
            },
            "agent": _text(event.get(_RESOURCE)),
            "started_at": event.get(_TIME),
            "status": "error" if event.get(_TRANSITION) in _ABORTED else None,
        }
    )


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def parse(data: bytes, path: JsonPath, limits: Limits) -> dict[str, Any]:
    """Returns the traces of a log as plain data.

    Raises:
        FormatError: if this is not XML, or has a document type.
        LimitError: if it is deeper than the limit.
    """
    handler = _LogHandler(path, limits)
    parser = expat.ParserCreate()
    parser.StartElementHandler = handler.start_element
    parser.EndElementHandler = handler.end_element
    parser.StartDoctypeDeclHandler = handler.refuse_doctype
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        reason = expat.errors.messages[error.code]
        raise path.error(f"is not XML: {reason} (line {error.lineno})") from None
    return {"format": _FORMAT, "traces": handler.traces}


class _LogHandler:
    """Collects the traces of a log from its XML elements."""

    def __init__(self, path: JsonPath, limits: Limits) -> None:
        self._path, self._limits = path, limits
        self._open_elements: list[str] = []
        self._current: dict[str, Any] | None = None  # the trace or event that gets attributes
        self.traces: list[dict[str, Any]] = []

    def start_element(self, element: str, attributes: dict[str, str]) -> None:
        """Opens a trace or an event, or adds an attribute to it."""
        name = element.rpartition(":")[2]
        if not self._open_elements and name != "log":
            raise self._path.error(f"expected a log of XES, found the element '{shown(name, 30)}'")
        if len(self._open_elements) >= self._limits.max_depth:
            raise LimitError(f"{self._path}: nests deeper than {self._limits.max_depth} levels")
        self._open_elements.append(name)
        if self._open_elements[1:] == ["trace"]:
            self._current = {"attributes": {}, "events": []}
            self.traces.append(self._current)
        elif self._open_elements[1:] == ["trace", "event"]:
            self._current = {"attributes": {}}
            self.traces[-1]["events"].append(self._current)
        elif self._current is not None and "key" in attributes and "value" in attributes:
            self._current["attributes"][attributes["key"]] = _parse(name, attributes["value"])

    def end_element(self, _: str) -> None:
        """Closes an element; after an event, attributes belong to its trace again."""
        name = self._open_elements.pop()
        if name == "event":
            self._current = self.traces[-1]
        elif name == "trace":
            self._current = None

    def refuse_doctype(self, *_: Any) -> None:
        """Refuses a document type, which could define entities."""
        raise self._path.error("has a document type (DOCTYPE), which no log of XES needs")


def _parse(kind: str, text: str) -> Any:
    try:
        return text.lower() in ("true", "1") if kind == "boolean" else _NUMBERS.get(kind, str)(text)
    except ValueError:
        return text
