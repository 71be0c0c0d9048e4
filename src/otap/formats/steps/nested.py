"""A recorder for runs in which calls are made inside other calls, as sub-agents make them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from otap.errors import LimitError
from otap.formats.json.places import Place
from otap.formats.limits import MAX_NESTING
from otap.formats.steps.calls import Call, Result
from otap.formats.steps.conversation import Conversation
from otap.formats.steps.recorder import Recorder
from otap.formats.steps.unread import Tally


@dataclass(slots=True)
class _Scope:
    """What happened inside one call, or outside of all."""

    recorder: Recorder
    depth: int = 0
    call: Call | None = None


@dataclass(slots=True)
class NestedRecorder:
    """Records like :class:`Recorder`; ``inside`` is the id of the call in which something happened.

    What happened inside an unknown call counts as outside of all calls.
    """

    reasoning: bool = False
    _scopes: dict[str | None, _Scope] = field(default_factory=dict)
    _calls: dict[str, tuple[Call, _Scope]] = field(default_factory=dict)
    _unread: Tally = field(default_factory=Tally)

    def user(self, texts: Iterable[str], inside: str | None = None) -> None:
        """Records what the user said; inside a call the user is the agent that made the call.

        Args:
            texts: what was said.
            inside: the id of the call; ``None`` outside of all.
        """
        self._scope(inside).recorder.user(texts)

    def assistant(
        self,
        texts: Iterable[str],
        calls: Iterable[Call],
        agent: str | None = None,
        inside: str | None = None,
        place: Place | None = None,
    ) -> None:
        """Records that the assistant said this, then made these calls in parallel: one turn.

        Args:
            texts: what it said.
            calls: the calls; one that notes a ``caller``, a program, was made inside that call.
            agent: the name of the assistant, where there are several.
            inside: the id of the call for which it worked; ``None`` outside of all.
            place: where the message stands, for the error.

        Raises:
            LimitError: if calls nest deeper than 30.
        """
        made = list(calls)
        own = [call for call in made if call.notes.get("caller") is None]
        if own or len(own) == len(made) or texts:
            self._made(texts, own, agent, inside, place)
        for call in made:
            if (caller := call.notes.get("caller")) is not None:
                self._made((), [call], agent, caller, place)

    def _made(
        self,
        texts: Iterable[str],
        made: list[Call],
        agent: str | None,
        inside: str | None,
        place: Place | None,
    ) -> None:
        scope = self._scope(inside)
        if scope.depth >= MAX_NESTING and made:
            where = "" if place is None else f"{place}: "
            raise LimitError(
                f"{where}tool calls inside tool calls, deeper than {MAX_NESTING} levels"
            )
        scope.recorder.assistant(texts, made, agent)
        self._calls.update((call.id, (call, scope)) for call in made if call.id is not None)

    def result(
        self,
        identifier: str | None,
        content: Any,
        status: Literal["ok", "error"] | None,
        *,
        kept: Mapping[str, Any],
        inside: str | None = None,
    ) -> Call | None:
        """Records a result with the call that it belongs to, and returns that call.

        Args:
            identifier: the id of the call, if the result has one.
            content: what came back.
            status: whether the call succeeded, if the result says so.
            kept: what is noted beside the content where the result belongs to no open call.
            inside: the id of the call inside which it came back, where its own call is unknown.
        """
        known = self._calls.get(identifier) if identifier is not None else None
        scope = known[1] if known else self._scope(inside)
        return scope.recorder.result(identifier, None, content, status, kept=kept)

    def interrupted(self, inside: str | None = None) -> None:
        """Records that somebody else spoke: text of the assistant so far led to no call.

        Args:
            inside: the id of the call in which that happened; ``None`` outside of all.
        """
        self._scope(inside).recorder.interrupted()

    def unknown(self, what: str) -> None:
        """Notes something that the reader has no rule for, by its kind: it may hold calls."""
        self._unread.unknown(what)

    def ignored(self, what: str) -> None:
        """Notes something known that says nothing of what was done, by its kind."""
        self._unread.ignored(what)

    def conversation(self) -> Conversation:
        """Returns the run; what happened inside a call became its substeps."""
        outer, *inner = (self._scope(None), *(s for s in self._scopes.values() if s.call))
        lost: list[Any] = []
        for scope in reversed(inner):  # a call is told before what is inside it
            found = scope.recorder.conversation()
            lost += found.metadata.get("results_without_call", [])
            if scope.call is not None:
                scope.call.substeps = found.steps
        found = outer.recorder.conversation()
        lost = [*found.metadata.get("results_without_call", []), *lost]
        notes: dict[str, Any] = {"results_without_call": lost} if lost else {}
        self._unread.add(found.unread)
        return replace(found, metadata=notes, unread=self._unread.counted())

    def _scope(self, inside: str | None) -> _Scope:
        key = inside if inside in self._calls else None
        if key not in self._scopes:
            scope = _Scope(Recorder(self.reasoning))
            if key is not None:
                scope.call, around = self._calls[key]
                scope.depth = around.depth + 1
            self._scopes[key] = scope
        return self._scopes[key]


@dataclass(frozen=True, slots=True)
class Inside:
    """What is recorded inside one call, or outside of all, told as to a :class:`Recorder`."""

    recorder: NestedRecorder
    inside: str | None = None
    place: Place | None = None

    def user(self, texts: Iterable[str]) -> None:
        """Records what the user said."""
        self.recorder.user(texts, self.inside)

    def assistant(
        self, texts: Iterable[str] = (), calls: Iterable[Call] = (), agent: str | None = None
    ) -> None:
        """Records a turn."""
        self.recorder.assistant(texts, calls, agent, self.inside, self.place)

    def returned(self, result: Result, kept: Mapping[str, Any]) -> Call | None:
        """Records a result."""
        named = {**kept, "call_id": result.call_id}
        identifier, _, content, status = result[:4]
        call = self.recorder.result(identifier, content, status, kept=named, inside=self.inside)
        return call if call is None else call.ended(result)

    def interrupted(self) -> None:
        """Records that somebody else spoke."""
        self.recorder.interrupted(self.inside)

    def unknown(self, what: str) -> None:
        """Notes something that the reader has no rule for."""
        self.recorder.unknown(what)

    def ignored(self, what: str) -> None:
        """Notes something known that says nothing of what was done."""
        self.recorder.ignored(what)
