"""What was said and called in a conversation, in order -> the steps of one run.

The reader of each format of messages feeds a :class:`Recorder`; only the reader knows the fields.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from otap.errors import LimitError
from otap.formats.json.places import Place
from otap.formats.limits import MAX_NESTING
from otap.formats.steps.calls import Call, OpenCalls, Result
from otap.formats.steps.conversation import Conversation, Tally
from otap.formats.steps.tokens import tokens_beside, tokens_of_all
from otap.formats.steps.written import WRITTEN, is_answer, is_written_call, may_be_call
from otap.trajectory import Step, Tokens, Unread

_UNASKED = "result of no recorded call"
# Where nobody speaks for the agent, it did not run: such a file must pass no gate.
_UNANSWERED = "conversation without a message of the agent"


Judge = Callable[[Any], Literal["ok", "error"]]
"""Says of what came back whether the call succeeded."""


@dataclass(slots=True)
class _Thought:
    """Text of the assistant that led to no call."""

    action: str
    agent: str | None
    said: int  # how many texts of the user there were before it

    def step(self, identifier: str) -> Step:
        """Returns this text as a step."""
        notes = {"said": self.said}
        return Step(
            id=identifier, kind="reasoning", action=self.action, agent=self.agent, metadata=notes
        )


@dataclass(slots=True)
class Recorder(Tally):
    """Builds the steps of one run from what was said, called and answered, in that order.

    Text of the assistant becomes the ``action`` of the calls that follow it before anybody else
    speaks. Text that leads to no call is left out, or a reasoning step where ``reasoning`` is set.
    The user is told all of it; ``heard`` says where a format has it otherwise: only what comes
    without a call in the same message, or none of it. A ``judge`` says of each result whether the
    call succeeded, whatever else does. What happened inside a call, as when a sub-agent works for
    it, is recorded by :meth:`inside`.
    """

    reasoning: bool = False
    heard: Literal["all", "without_calls", "none"] = "all"
    judge: Judge | None = None
    _depth: int = 0
    _call: Call | None = None  # inside which all this happened
    _calls: dict[str, tuple[Call, "Recorder"]] = field(default_factory=dict)  # of the whole run
    _inner: dict[str, "Recorder"] = field(default_factory=dict)  # of the whole run
    _told: list[str] = field(default_factory=list)
    _request: list[str] = field(default_factory=list)
    _done: list[Call | _Thought] = field(default_factory=list)
    _lost: list[dict[str, Any]] = field(default_factory=list)
    _open: OpenCalls = field(default_factory=OpenCalls)
    _spoken: list[tuple[str, str | None]] = field(default_factory=list)
    _turns: int = 0
    _answered: bool = False
    _tokens: list[Tokens | None] = field(default_factory=list)
    _texts: list[tuple[bool, str]] = field(default_factory=list)  # whether the assistant's

    def inside(self, identifier: str | None) -> "Recorder":
        """Returns what records the things that happened inside a call.

        Args:
            identifier: the id of the call; what happened inside none, or inside an unknown call,
                counts as outside of all.
        """
        if identifier is None or identifier not in self._calls:
            return self
        if identifier not in self._inner:
            call, around = self._calls[identifier]
            inner = Recorder(self.reasoning, _depth=around._depth + 1, _call=call)
            inner._calls, inner._inner = self._calls, self._inner
            inner._unknown, inner._ignored = self._unknown, self._ignored
            self._inner[identifier] = inner
        return self._inner[identifier]

    def user(self, texts: Iterable[str]) -> None:
        """Records what the user said; inside a call the user is the agent that made the call."""
        self.interrupted()
        for text in texts:
            self._texts.append((False, text))
            self._request.append(text)

    def assistant(
        self,
        texts: Iterable[str] = (),
        calls: Iterable[Call] = (),
        agent: str | None = None,
        place: Place | None = None,
    ) -> None:
        """Records that the assistant said this, then made these calls in parallel: one turn.

        Args:
            texts: what it said; the action of the calls, if calls follow before anybody speaks.
            calls: the calls; they are completed when their results come. One that notes a
                ``caller``, a program, was made inside that call.
            agent: the name of the assistant, where there are several.
            place: where that stands, for the error.

        Raises:
            LimitError: if calls nest deeper than 30.
        """
        made = list(calls)
        own = [call for call in made if call.notes.get("caller") is None]
        self._answered = True
        for text in texts:
            self._spoken.append((text, agent))
            self._texts.append((True, text))
            if self.heard == "all" or (self.heard == "without_calls" and not own):
                self._told.append(text)
        self._make_calls(own, agent, place)
        for call in made:
            if (caller := call.notes.get("caller")) is not None:
                self.inside(caller)._make_calls([call], agent, place)

    def _make_calls(self, calls: list[Call], agent: str | None, place: Place | None) -> None:
        if not calls:
            return
        if self._depth >= MAX_NESTING:
            where = "" if place is None else f"{place}: "
            raise LimitError(
                f"{where}tool calls inside tool calls, deeper than {MAX_NESTING} levels"
            )
        self._turns += 1
        action = "\n".join(text for text, _ in self._spoken) or None
        self._spoken.clear()
        for call in calls:
            call.turn, call.action = self._turns, action
            call.agent = call.agent or agent
            call.notes["said"] = len(self._request)
            self._open.add(call)
            if call.id is not None:
                self._calls[call.id] = call, self
        self._done.extend(calls)

    def result(
        self,
        identifier: str | None,
        name: Any,
        content: Any,
        status: Literal["ok", "error"] | None = None,
        *,
        kept: Mapping[str, Any],
    ) -> Call | None:
        """Records a result with the call that it belongs to, and returns that call.

        Args:
            identifier: the id of the call, if the result has one.
            name: the name of the tool, if the result has one.
            content: what came back.
            status: whether the call succeeded, if the result says so.
            kept: what is noted beside the content where the result belongs to no open call.
        """
        known = self._calls.get(identifier) if identifier is not None else None
        scope = self if known is None else known[1]
        scope.interrupted()
        call = scope._open.take(identifier, name)
        if call is None:
            scope._lost.append({**kept, "content": content})
        else:
            call.effect, call.status = content, status
            if self.judge is not None and content is not None:
                call.status, call.judged = self.judge(content), True
        return call

    def returned(self, result: Result, kept: Mapping[str, Any]) -> Call | None:
        """Records a result like :meth:`result`; what names it is kept where it has no call."""
        named = {"call_id": result.call_id, "name": result.name}
        told = {**kept, **{key: name for key, name in named.items() if name is not None}}
        call = self.result(*result[:4], kept=told)
        return call if call is None else call.ended(result)

    def interrupted(self) -> None:
        """Records that somebody else spoke: text of the assistant so far led to no call."""
        if self.reasoning:
            said = len(self._request)
            self._done.extend(_Thought(text, who, said) for text, who in self._spoken)
        self._spoken.clear()

    def spent(self, told: Any) -> None:
        """Records what a request to the model cost, where a message or its like says so."""
        self._tokens.append(tokens_beside(told))

    def conversation(self) -> Conversation:
        """Returns the run, with steps numbered from 1; results of no call are in its metadata."""
        lost: list[Any] = []
        for inner in reversed(self._inner.values()):  # a call is told before what is inside it
            if inner._call is not None:
                inner._call.substeps = inner._make_steps()
            lost += inner._lost
        steps = self._make_steps()
        self._lost += lost
        self._calls.clear()  # they hold this recorder
        self._inner.clear()
        notes = {"results_without_call": self._lost} if self._lost else {}
        said = tuple(self._request), steps, notes, tuple(self._told)
        return Conversation(*said, self._count_unread(), tokens_of_all(self._tokens))

    def _make_steps(self) -> tuple[Step, ...]:
        self.interrupted()
        return tuple(item.step(str(number)) for number, item in enumerate(self._done, 1))

    def _count_unread(self) -> Unread:
        """Returns what was not read; where nothing was called, the signs that something was."""
        if not any(isinstance(item, Call) for item in self._done):
            if written := _count_written(self._texts):
                self.unknown(WRITTEN, written)
            if self._lost:
                self.unknown(_UNASKED, len(self._lost))
            if not self._answered and not self._unknown:
                self.unknown(_UNANSWERED)
        return self.counted()


def _count_written(texts: Iterable[tuple[bool, str]]) -> int:
    """Returns how many texts of the assistant make a call, as they or their answers are written."""
    count, waiting = 0, False
    for is_own, text in texts:
        made = is_written_call(text) if is_own else waiting and is_answer(text)
        waiting = is_own and not made and may_be_call(text)
        count += made
    return count
