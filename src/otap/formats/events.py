"""Reads logs of events: a table has the function that reads each type of event."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Literal

from otap.formats.conversations import RawConversation
from otap.formats.json.documents import Document
from otap.formats.json.paths import JsonObject, JsonPath
from otap.formats.recorder import Recorder
from otap.trajectory import Trajectory


class EventLog:
    """One run, built event by event. The reader of a format has a subclass.

    Attributes:
        readers: the function that reads each type of event.
        silent: prefixes of the types of events that record no action.
        visible_to_user: the texts of the assistant that the user sees.
        recorder: records the messages and calls.
        fields: names of the run, and notes.
        messages_to_user: the texts to the user, if not those that the recorder has.
    """

    readers: ClassVar[Mapping[str, Callable[[Any, JsonObject], None]]] = {}
    silent: ClassVar[tuple[str, ...]] = ()
    visible_to_user: ClassVar[Literal["all", "none"]] = "all"

    def __init__(self, path: JsonPath, reasoning: bool) -> None:
        self.path, self.recorder = path, Recorder(reasoning, self.visible_to_user)
        self.fields: dict[str, Any] = {}
        self.messages_to_user: tuple[str, ...] | None = None

    def is_end(self, event: JsonObject) -> bool:
        """Returns whether the next run begins with an event (default: never)."""
        del event
        return False

    def add(self, event: JsonObject) -> None:
        """Adds an event.

        Raises:
            FormatError: with the path to the first invalid field.
        """
        kind = event.text("type")
        read_event = self.readers.get(kind)
        if read_event is not None:
            read_event(self, event)
        elif kind.startswith(self.silent):
            self.recorder.ignored(f"event '{kind}'")
        else:
            self.recorder.unknown(f"event '{kind}'")

    def to_trajectory(self) -> Trajectory:
        """Returns the run."""
        raw = RawConversation([], self.fields, self.path)
        run = raw.to_trajectory(self.recorder.conversation())
        if self.messages_to_user is None:
            return run
        return run.model_copy(update={"messages_to_user": self.messages_to_user})

    @classmethod
    def read(cls, document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
        """Yields each run of a document, which has an event in each item."""
        log: EventLog | None = None
        for event in document.objects():
            if log is None or log.is_end(event):
                if log is not None:
                    yield log.to_trajectory()
                log = cls(event.path, reasoning)
            log.add(event)
        if log is not None:
            yield log.to_trajectory()
