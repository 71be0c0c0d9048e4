"""Records the messages and calls of a conversation in order, and builds the steps of a run.

The reader of each message format feeds a :class:`Recorder`. Only the reader knows the fields.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from otap.errors import LimitError
from otap.formats.conversations import Conversation
from otap.formats.json.paths import JsonPath
from otap.formats.limits import MAX_NESTING
from otap.formats.tokens import find_usage, sum_tokens
from otap.formats.tool_calls import OpenCalls, ToolCall, ToolResult
from otap.formats.unread import UnreadTally
from otap.formats.written_calls import WRITTEN_CALL, is_answer, is_written_call, may_be_call
from otap.trajectory import Step, Tokens, Unread

_RESULT_WITHOUT_CALL = "result of no recorded call"
# Without a message of the agent, the agent did not run. Such a file must not pass a gate.
_NO_AGENT_MESSAGE = "conversation without a message of the agent"


Judge = Callable[[Any], Literal["ok", "error"]]
"""Returns from the result of a call whether the call succeeded."""


@dataclass(slots=True)
class _Thought:
    """Text of the assistant that led to no call."""

    action: str
    agent: str | None
    request_count: int  # texts of the user before it

    def step(self, identifier: str) -> Step:
        """Returns this text as a step."""
        notes = {"said": self.request_count}
        return Step(
            id=identifier, kind="reasoning", action=self.action, agent=self.agent, metadata=notes
        )


@dataclass(slots=True)
class Recorder(UnreadTally):
    """Builds the steps of one run from messages, calls and results, recorded in order.

    Text of the assistant becomes the ``action`` of the calls that follow it before anyone else
    speaks. Text that leads to no call is dropped, or becomes a reasoning step if ``reasoning`` is
    set. ``visible_to_user`` says which texts of the assistant the user sees: all, only those of a
    message without calls, or none. If there is a ``judge``, it alone decides from each result
    whether the call succeeded. Events inside a call, such as those of a sub-agent, are recorded
    by the recorder that :meth:`in_call` returns.
    """

    reasoning: bool = False
    visible_to_user: Literal["all", "without_calls", "none"] = "all"
    judge: Judge | None = None
    _depth: int = 0
    _call: ToolCall | None = None  # the call that contains all these events
    _calls: dict[str, tuple[ToolCall, "Recorder"]] = field(default_factory=dict)  # of the whole run
    _inner: dict[str, "Recorder"] = field(default_factory=dict)  # of the whole run
    _messages_to_user: list[str] = field(default_factory=list)
    _request: list[str] = field(default_factory=list)
    _actions: list[ToolCall | _Thought] = field(default_factory=list)
    _unmatched_results: list[dict[str, Any]] = field(default_factory=list)
    _open: OpenCalls = field(default_factory=OpenCalls)
    _pending_texts: list[tuple[str, str | None]] = field(default_factory=list)  # with the agent
    _turns: int = 0
    _has_answer: bool = False
    _tokens: list[Tokens | None] = field(default_factory=list)
    _texts: list[tuple[bool, str]] = field(default_factory=list)  # True: of the assistant

    def in_call(self, identifier: str | None) -> "Recorder":
        """Returns the recorder for events inside a call.

        Args:
            identifier: the id of the call. If it is None or unknown, this recorder is returned.
        """
        if identifier is None or identifier not in self._calls:
            return self
        if identifier not in self._inner:
            call, parent = self._calls[identifier]
            inner = Recorder(self.reasoning, _depth=parent._depth + 1, _call=call)
            inner._calls, inner._inner = self._calls, self._inner
            inner._unknown, inner._ignored = self._unknown, self._ignored
            self._inner[identifier] = inner
        return self._inner[identifier]

    def user(self, texts: Iterable[str]) -> None:
        """Records texts of the user. Inside a call, the user is the agent that made the call."""
        self.interrupted()
        for text in texts:
            self._texts.append((False, text))
            self._request.append(text)

    def assistant(
        self,
        texts: Iterable[str] = (),
        calls: Iterable[ToolCall] = (),
        agent: str | None = None,
        path: JsonPath | None = None,
        *,
        is_hidden: bool = False,
    ) -> None:
        """Records one turn: texts of the assistant, followed by parallel calls.

        Args:
            texts: the texts; the action of the calls that follow before anyone else speaks.
            calls: the calls, which their results complete. A call with the note ``caller`` was
                made by a program inside that call.
            agent: the name of the assistant, if there are several.
            path: the path to the message, for the error.
            is_hidden: whether the user never sees the texts, as those of a sub-agent.

        Raises:
            LimitError: if calls nest deeper than 30.
        """
        calls = list(calls)
        direct_calls = [call for call in calls if call.notes.get("caller") is None]
        self._has_answer = True
        is_visible = self.visible_to_user == "all" or (
            self.visible_to_user == "without_calls" and not direct_calls
        )
        for text in texts:
            self._pending_texts.append((text, agent))
            self._texts.append((True, text))
            if is_visible and not is_hidden:
                self._messages_to_user.append(text)
        self._make_calls(direct_calls, agent, path)
        for call in calls:
            caller = call.notes.get("caller")
            if caller is not None:
                self.in_call(caller)._make_calls([call], agent, path)

    def _make_calls(self, calls: list[ToolCall], agent: str | None, path: JsonPath | None) -> None:
        if not calls:
            return
        if self._depth >= MAX_NESTING:
            prefix = "" if path is None else f"{path}: "
            raise LimitError(
                f"{prefix}tool calls inside tool calls, deeper than {MAX_NESTING} levels"
            )
        self._turns += 1
        action = "\n".join(text for text, _ in self._pending_texts) or None
        self._pending_texts.clear()
        for call in calls:
            call.turn, call.action = self._turns, action
            call.agent = call.agent or agent
            call.notes["said"] = len(self._request)
            self._open.add(call)
            if call.id is not None:
                self._calls[call.id] = call, self
        self._actions.extend(calls)

    def result(
        self,
        identifier: str | None,
        name: Any,
        content: Any,
        status: Literal["ok", "error"] | None = None,
        *,
        origin: Mapping[str, Any],
    ) -> ToolCall | None:
        """Adds a result to the call that it belongs to, and returns that call.

        Args:
            identifier: the id of the call, if the result has one.
            name: the name of the tool, if the result has one.
            content: the value that came back.
            status: whether the call succeeded, if the result records it.
            origin: stored with the content if the result belongs to no open call.
        """
        owner = self._calls.get(identifier) if identifier is not None else None
        recorder = self if owner is None else owner[1]
        recorder.interrupted()
        call = recorder._open.take(identifier, name)
        if call is None:
            recorder._unmatched_results.append({**origin, "content": content})
        else:
            call.effect, call.status = content, status
            if self.judge is not None and content is not None:
                call.status, call.judged = self.judge(content), True
        return call

    def tool_result(self, result: ToolResult, origin: Mapping[str, Any]) -> ToolCall | None:
        """Records a result like :meth:`result`; its id and name are stored if it has no call."""
        names = {"call_id": result.call_id, "name": result.name}
        origin = {**origin, **{key: name for key, name in names.items() if name is not None}}
        call = self.result(*result[:4], origin=origin)
        return call if call is None else call.finish(result)

    def interrupted(self) -> None:
        """Records that someone else spoke: the pending texts of the assistant led to no call."""
        if self.reasoning:
            count = len(self._request)
            self._actions.extend(_Thought(text, who, count) for text, who in self._pending_texts)
        self._pending_texts.clear()

    def add_usage(self, message: Any) -> None:
        """Records the tokens of a request to the model, if a message or another object has them."""
        self._tokens.append(find_usage(message))

    def conversation(self) -> Conversation:
        """Returns the run with its steps numbered from 1, and unmatched results as metadata."""
        unmatched: list[Any] = []
        for inner in reversed(self._inner.values()):  # a call is recorded before its inner events
            if inner._call is not None:
                inner._call.substeps = inner._make_steps()
            unmatched += inner._unmatched_results
        steps = self._make_steps()
        self._unmatched_results += unmatched
        self._calls.clear()  # they refer to this recorder
        self._inner.clear()
        results = self._unmatched_results
        return Conversation(
            tuple(self._request),
            steps,
            {"results_without_call": results} if results else {},
            tuple(self._messages_to_user),
            self._count_unread(),
            sum_tokens(self._tokens),
        )

    def _make_steps(self) -> tuple[Step, ...]:
        self.interrupted()
        return tuple(action.step(str(number)) for number, action in enumerate(self._actions, 1))

    def _count_unread(self) -> Unread:
        """Counts the unread parts. If there is no call, adds the signs that there were some."""
        if not any(isinstance(action, ToolCall) for action in self._actions):
            written_calls = _count_written_calls(self._texts)
            if written_calls:
                self.unknown(WRITTEN_CALL, written_calls)
            if self._unmatched_results:
                self.unknown(_RESULT_WITHOUT_CALL, len(self._unmatched_results))
            if not self._has_answer and not self._unknown:
                self.unknown(_NO_AGENT_MESSAGE)
        return self.counts()


def _count_written_calls(texts: Iterable[tuple[bool, str]]) -> int:
    """Counts the calls in texts of the assistant, by their syntax or by the answer to them."""
    count, may_be_answered = 0, False
    for is_assistant, text in texts:
        has_call = is_written_call(text) if is_assistant else may_be_answered and is_answer(text)
        may_be_answered = is_assistant and not has_call and may_be_call(text)
        count += has_call
    return count
