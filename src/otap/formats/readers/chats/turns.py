"""The turns of one answer that tells several, each with what was said, called and returned."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from otap.formats.steps.calls import Call
from otap.formats.steps.recorder import Recorder

_Status = Literal["ok", "error"] | None


@dataclass(slots=True)
class Turns:
    """Records an answer turn by turn; ``kept`` names the answer where a result has no call.

    What is said after a call begins a new turn, unless the calls of an answer are ``together``.
    """

    recorder: Recorder
    kept: Mapping[str, Any]
    agent: str | None = None
    together: bool = False
    _texts: list[str] = field(default_factory=list)
    _calls: list[Call] = field(default_factory=list)
    _results: list[tuple[str | None, Any, Any, _Status]] = field(default_factory=list)
    _step: Any = None

    def say(self, text: str) -> None:
        """The assistant said this."""
        if self._calls and not self.together:
            self.end()
        self._texts.append(text)

    def call(self, call: Call) -> None:
        """The assistant made this call."""
        self._calls.append(call)

    def begin(self, step: Any) -> None:
        """What comes next is of this step; another than that before is another turn."""
        if self._calls and step != self._step:
            self.end()
        self._step = step

    def waits(self, identifier: str | None, name: Any, content: Any, status: _Status) -> None:
        """This came back from a call of this turn, whose other calls may still be told."""
        self._results.append((identifier, name, content, status))

    def result(self, identifier: str | None, name: Any, content: Any, status: _Status) -> None:
        """This came back before the assistant went on: what it does now is another turn."""
        self.end()
        self.waits(identifier, name, content, status)
        self.end()

    def end(self) -> None:
        """Ends a turn: its calls are made, and their results come back."""
        if self._texts or self._calls:
            self.recorder.assistant(self._texts, self._calls, self.agent)
        for identifier, name, content, status in self._results:
            kept = {**self.kept, "call_id": identifier}
            self.recorder.result(identifier, name, content, status, kept=kept)
        for recorded in (self._texts, self._calls, self._results):
            recorded.clear()
