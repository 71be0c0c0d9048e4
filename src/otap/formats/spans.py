"""Builds the steps of one run from the spans of one trace.

The attributes of a span depend on its format. This module handles the properties of all tracers:
spans nest, come in any order, and record one tool call several times. Each call counts once.
"""

import json
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from otap.errors import LimitError, shown
from otap.formats.conversations import Conversation
from otap.formats.json.paths import JsonPath
from otap.formats.limits import MAX_NESTING
from otap.formats.tokens import sum_tokens
from otap.formats.tool_calls import UNPARSED, ToolCall, ToolResult
from otap.formats.unread import UnreadTally
from otap.formats.wrappers import WRAPPER, unwrap
from otap.formats.written_calls import WRITTEN_CALL, is_written_call
from otap.trajectory import Step, Tokens, Unread

_Key = tuple[str | None, ...]
_StepsByCall = Mapping[str | None, tuple[Step, ...]]  # the steps inside each call, or outside all


@dataclass(slots=True, eq=False)
class Span:
    """One span of a tool, a model or an agent.

    A tool's span has ``call``. A model's span has ``is_model`` set, and may have the other fields.
    An agent's span has ``agent``, and may repeat the fields of its models.

    Attributes:
        id: unique in the trace.
        parent: the id of the parent span, which may be missing from the trace.
        path: the path to the span, for errors.
        start: nanoseconds since 1970.
        end: nanoseconds since 1970.
        call: the tool call that ran in this span.
        agent: the name of the agent whose span it is.
        is_model: whether it is a request to a language model.
        answer: the text of the model's answer.
        user_texts: the texts of the user so far, according to the model's input.
        requested_calls: the tool calls that the model's answer requests.
        earlier_calls: the calls of each earlier answer, according to the model's input.
        results: the results of earlier calls, according to the model's input.
        has_answer: whether a model's or an agent's span records an answer; None for other spans.
        unknown: the kinds of parts that the reader has no rule for; the span may be one itself.
        ignored: the kinds of parts that are known not to be actions.
        tokens: the tokens that the span records, with those of the spans inside it.
    """

    id: str
    parent: str | None
    path: JsonPath
    start: int | None = None
    end: int | None = None
    call: ToolCall | None = None
    agent: str | None = None
    is_model: bool = False
    answer: str | None = None
    user_texts: list[str] = field(default_factory=list)
    requested_calls: list[ToolCall] = field(default_factory=list)
    earlier_calls: list[list[ToolCall]] = field(default_factory=list)
    results: list[ToolResult] = field(default_factory=list)
    has_answer: bool | None = None
    unknown: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    tokens: Tokens | None = None

    def note(self, unknown: Iterable[str], ignored: Iterable[str]) -> None:
        """Notes the kinds of unread parts. Each kind of one call of this method counts once."""
        self.unknown += dict.fromkeys(unknown)
        self.ignored += dict.fromkeys(ignored)


def read_spans(spans: Iterable[Span], *, reasoning: bool = False) -> Conversation:
    """Returns the run in a trace, with its steps in order of time.

    A tool call inside another becomes its substep. If an inner span, or the model that requested a
    call, records the call again, that only fills the gaps of the outer span. A requested call
    without a span of its own is a step too, and so is a call that only the input of a later model
    has. The calls that one answer requests are one turn. If
    the answer is unknown, calls that overlap in time are one turn. Input to models inside a call,
    or to agents inside others, is not a request of the user. If the trace has no call, and no model
    or agent records its answer, these count as unknown because any of them may have made calls.

    Args:
        spans: the spans, in any order.
        reasoning: whether an answer that leads to no call becomes a reasoning step.

    Raises:
        FormatError: if spans are their own ancestors.
        LimitError: if calls nest deeper than 30.
    """
    trace = _SpanTree(spans, reasoning)
    request, steps, texts = trace.request(), trace.steps(), trace.messages_to_user()
    return Conversation(request, steps, {}, texts, trace.unread(), trace.tokens())


class _Context(NamedTuple):
    """The nearest enclosing span of each kind, for the spans inside one span."""

    call: Span | None = None
    agent: str | None = None
    decision: Span | None = None  # the outermost model since the call: tracers wrap one in another
    wrapper: Span | None = None  # the call, if no agent is between: inner spans may repeat it
    calls: int = 0
    agents: int = 0  # agents around the current one
    has_agent: bool = False


_OUTERMOST = _Context()


class _SpanTree:
    """The tree of the spans of one trace."""

    def __init__(self, spans: Iterable[Span], reasoning: bool) -> None:
        latest = {span.id: span for span in spans}  # the last export of a span is complete
        for span in latest.values():
            _unwrap_span(span)
        depths = _depths(latest)
        self._reasoning = reasoning
        self._spans = sorted(
            latest.values(),
            key=lambda s: (s.start is None, s.start or 0, depths[s.id], not s.is_model),
        )
        self._contexts: dict[str, _Context] = {}
        self._answers: dict[str, str] = {}  # by the id of the decision
        self._outermost_first = sorted(self._spans, key=lambda s: depths[s.id])
        for span in self._outermost_first:
            self._enter(span)
        self._decision_of: dict[ToolCall, Span | None] = {}
        self._match_requested_calls()
        self._missing_calls: dict[str, list[list[ToolCall]]] = defaultdict(list)  # by next span
        self._find_missing_calls()
        self._results_by_id = self._unique_results()

    def request(self) -> tuple[str, ...]:
        """Returns the texts of the user.

        A text occurs twice only if one model received it twice. Agents that work for others get
        their input from these. Only the outermost agents with input get it from the user.
        """
        request: list[str] = []
        counts: Counter[str] = Counter()
        candidates = [s for s in self._spans if s.user_texts and self._owner(s) is None]
        outermost = min((self._contexts[span.id].agents for span in candidates), default=0)
        for span in candidates:
            if self._contexts[span.id].agents == outermost:
                _merge_texts(request, counts, span.user_texts)
        return tuple(request)

    def messages_to_user(self) -> tuple[str, ...] | None:
        """Returns the answers of models outside of calls, then other answers of agents.

        Returns None if there is no answer: many tracers omit texts, so none may be missing.
        """
        outside = [span for span in self._spans if self._owner(span) is None]
        answers = [self._answers[span.id] for span in outside if span.id in self._answers]
        agent_answers = {s.answer.strip(): s.answer for s in outside if s.answer and not s.is_model}
        for text in answers:
            agent_answers.pop(text.strip(), None)
        return (*answers, *agent_answers.values()) or None

    def tokens(self) -> Tokens | None:
        """Returns the tokens of the models. A span counts unless a span inside it does.

        Spans inside a call do not suppress the spans around the call.
        """
        calls = {span.id for span in self._spans if span.call is not None}
        totals: set[str | None] = set()  # spans whose count includes that of a span inside them
        for span in reversed(self._outermost_first):
            if (span.tokens is not None or span.id in totals) and span.parent not in calls:
                totals.add(span.parent)
        return sum_tokens(span.tokens for span in self._spans if span.id not in totals)

    def unread(self) -> Unread:
        """Counts the parts of the spans that were not read."""
        tally = UnreadTally()
        for span in self._spans:
            tally.note(span.unknown, span.ignored)
        self._count_spans_without_answer(tally)
        return tally.counts()

    def _count_spans_without_answer(self, tally: UnreadTally) -> None:
        """Counts models and agents without an answer: only the answer would show their calls."""
        has_calls = bool(self._run_calls() or self._calls_of_models())
        if not has_calls:
            for span in self._spans:
                if span.answer is not None and is_written_call(span.answer):
                    tally.unknown(WRITTEN_CALL)
        is_informative = has_calls or any(span.has_answer for span in self._spans)
        count_kind = tally.ignored if is_informative else tally.unknown
        for span in self._spans:
            if span.has_answer is False:
                owner = "a model" if span.is_model else "an agent"
                count_kind(f"span of {owner} without an answer")
        has_known_kind = any(
            span.is_model or span.agent or span.has_answer is not None or span.unknown
            for span in self._spans
        )
        if self._spans and not is_informative and not has_known_kind:
            tally.unknown("span of neither a model nor a tool", len(self._spans))

    def steps(self) -> tuple[Step, ...]:
        """Returns the steps. Builds the innermost calls first, as substeps of those around them."""
        spans_of: dict[str | None, list[Span]] = defaultdict(list)  # by the call around them
        for span in self._spans:
            spans_of[self._owner(span)].append(span)
        depths = {owner: self._contexts[owner].calls for owner in spans_of if owner is not None}
        steps_of: dict[str | None, tuple[Step, ...]] = {}
        for owner in sorted(spans_of, key=lambda owner: depths.get(owner or "", 0), reverse=True):
            steps_of[owner] = self._build_steps(spans_of[owner], steps_of)
        return steps_of.get(None, ())

    def _context_around(self, span: Span) -> _Context:
        """Returns the context of the parent. A span whose parent is missing is outermost."""
        return self._contexts.get(span.parent or "", _OUTERMOST)

    def _owner(self, span: Span) -> str | None:
        call = self._context_around(span).call
        return call.id if call is not None else None

    def _enter(self, span: Span) -> None:
        """Stores the context of a span for the spans inside it. Its parent was entered before."""
        context = self._context_around(span)
        is_agent = (span.agent, span.has_answer) != (None, None)
        if span.call is None and not span.is_model and is_agent:
            is_inner = context.has_agent and (span.agent is None or span.agent != context.agent)
            context = context._replace(agents=context.agents + is_inner, has_agent=True)
            if span.agent is not None:  # another agent begins
                context = context._replace(decision=None, wrapper=None)
        if span.agent is not None:
            context = context._replace(agent=span.agent)
        if span.is_model:
            decision = context.decision or span
            context = context._replace(decision=decision)
            if span.answer is not None:
                self._answers.setdefault(decision.id, span.answer)
        if span.call is not None:
            context = self._enter_call(span, span.call, context)
        self._contexts[span.id] = context

    def _enter_call(self, span: Span, call: ToolCall, context: _Context) -> _Context:
        wrapper = context.wrapper
        if wrapper is not None and wrapper.call is not None and _is_same(wrapper.call, call):
            _fill_gaps(wrapper.call, call)
            span.call = None  # the wrapper has recorded it
            return context
        if context.calls == MAX_NESTING:
            raise LimitError(
                f"{span.path}: tool calls inside tool calls, deeper than {MAX_NESTING} levels"
            )
        return context._replace(call=span, decision=None, wrapper=span, calls=context.calls + 1)

    def _run_calls(self) -> list[ToolCall]:
        return [span.call for span in self._spans if span.call is not None]

    def _calls_of_models(self) -> list[ToolCall]:
        """Returns the calls that only answers or inputs of models record."""
        requested = [call for span in self._spans for call in span.requested_calls]
        missing = (calls for answers in self._missing_calls.values() for calls in answers)
        return [*requested, *(call for calls in missing for call in calls)]

    def _match_requested_calls(self) -> None:
        """Keeps each requested call once, and only if it has no span of its own."""
        matching = _RequestMatching(self._run_calls())
        for span in sorted(self._spans, key=lambda s: not s.is_model):
            decision = self._contexts[span.id].decision if span.is_model else None
            for call in span.requested_calls:
                matching.add(span, call, decision)
        self._decision_of = matching.finish()
        for span in self._spans:
            span.requested_calls = [c for c in span.requested_calls if c in matching.unmatched]

    def _find_missing_calls(self) -> None:
        """Finds the calls in the inputs of models that no span before records.

        Without times every span may be before. The input of an agent may be its whole history.
        """
        history = _CallHistory()
        calls_of: dict[str, list[ToolCall]] = defaultdict(list)  # by the first span to record them
        for call, decision in self._decision_of.items():
            if decision is not None:
                calls_of[decision.id].append(call)
        spans_of: dict[ToolCall, Span] = {}
        for span in self._spans:
            own_calls = [*span.requested_calls, *([] if span.call is None else [span.call])]
            calls_of[span.id] += own_calls
            spans_of.update(dict.fromkeys(own_calls, span))
        if any(span.start is None for span in self._spans):
            history.add(spans_of)
        for span in self._spans:
            if span.is_model:
                self._keep_missing(span, history, spans_of)
            history.add(calls_of[span.id])
        for span in self._spans:
            if not span.is_model:
                self._keep_missing(span, history, spans_of)

    def _keep_missing(
        self, span: Span, history: "_CallHistory", spans_of: dict[ToolCall, Span]
    ) -> None:
        """Keeps the missing calls in one input, each before the next call that a span records."""
        for calls, follower in history.missing(span.earlier_calls):
            before = span if follower is None else spans_of.get(follower, span)
            before = before if self._owner(before) == self._owner(span) else span
            self._missing_calls[before.id].append(calls)
            spans_of.update(dict.fromkeys(calls, before))

    def _unique_results(self) -> dict[str, ToolResult]:
        """Returns the first record of each result, because later inputs may shorten it.

        If several calls have one id, the owner of its results is unknown, and they are dropped.
        """
        id_counts = Counter(call.id for call in (*self._run_calls(), *self._calls_of_models()))
        results: dict[str, ToolResult] = {}
        for span in self._spans:
            for result in span.results:
                if result.call_id is not None and id_counts[result.call_id] < 2:
                    results.setdefault(result.call_id, result)
        return results

    def _build_steps(self, spans: Sequence[Span], steps_of: _StepsByCall) -> tuple[Step, ...]:
        """Returns the steps of the spans inside one call, or outside of all."""
        turns = _Turns()
        steps: list[Step] = []
        for event in list(self._events(spans, steps_of, turns)):
            identifier = str(len(steps) + 1)
            if isinstance(event, ToolCall):
                steps.append(event.step(identifier))
            elif self._reasoning and event.id in self._answers and not turns.has(event):
                agent = event.agent or self._context_around(event).agent
                text = self._answers[event.id]
                steps.append(Step(id=identifier, kind="reasoning", action=text, agent=agent))
        return tuple(steps)

    def _events(
        self, spans: Sequence[Span], steps_of: _StepsByCall, turns: "_Turns"
    ) -> Iterator[ToolCall | Span]:
        """Yields the answers of models and the complete calls, in order of time."""
        latest = None
        for span in spans:
            for index, missing_calls in enumerate(self._missing_calls[span.id]):
                for call in missing_calls:
                    call.turn = turns.number_in_input(span, index)
                    self._complete(call, span, None)
                    yield call
            if span.is_model:
                latest = self._contexts[span.id].decision
                if latest is span:
                    yield span
            calls = list(span.requested_calls)
            if span.call is not None:
                span.call.substeps = steps_of.get(span.id, ())
                calls.append(span.call)
            for call in calls:
                decision = self._decision_of.get(call) or latest
                call.turn = turns.number(decision, span if call is span.call else None)
                self._complete(call, span, decision)
                yield call

    def _complete(self, call: ToolCall, span: Span, decision: Span | None) -> None:
        """Adds the action, the agent and the result to a call that lacks them."""
        if decision is not None:
            call.action = call.action or self._answers.get(decision.id)
        call.agent = call.agent or span.agent or self._context_around(span).agent
        result = self._results_by_id.get(call.id) if call.id is not None else None
        if result is not None and call.effect is None:
            call.effect, call.status = result.content, call.status or result.status


def _unwrap_span(span: Span) -> None:
    """Removes the wrappers of the calls of a span, which its model and its tool may differ in."""
    earlier_calls = [call for calls in span.earlier_calls for call in calls]
    own_call = [] if span.call is None else [span.call]
    for call in (*own_call, *span.requested_calls, *earlier_calls):
        call.tool, call.arguments, wrapper = unwrap(call.tool, call.arguments)
        if wrapper is not None:
            call.notes[WRAPPER] = wrapper


def _merge_texts(request: list[str], counts: Counter[str], texts: Sequence[str]) -> None:
    """Adds the texts in the input of one model to the request.

    Args:
        request: the texts so far.
        counts: how often each of them occurs.
        texts: the texts of the user in the input. One that is in the request counts as repeated.
    """
    received, last = Counter(texts), texts[-1]
    if request and request[-1] == last and received[last] >= counts[last]:
        counts[request.pop()] -= 1  # sent again, perhaps after texts that came before it
    received.clear()
    for text in texts:
        received[text] += 1
        if received[text] > counts[text]:
            counts[text] += 1
            request.append(text)


@dataclass(slots=True)
class _Turns:
    """Numbers the turns of one list of steps from 1, in order of their first call."""

    _numbers: dict[tuple[str, int], int] = field(default_factory=dict)
    _group_end: int | None = None  # nanoseconds since 1970
    _groups: int = 0

    def number(self, decision: Span | None, source: Span | None) -> int:
        """Returns the turn of a call, from the answer that requested it or the span that ran it."""
        key = (decision.id, 0) if decision is not None else ("", self._overlap_group(source))
        return self._numbers.setdefault(key, len(self._numbers) + 1)

    def number_in_input(self, span: Span, index: int) -> int:
        """Returns the turn of the calls that the input of a span has in one of its answers."""
        return self._numbers.setdefault((span.id, -1 - index), len(self._numbers) + 1)

    def has(self, decision: Span) -> bool:
        """Returns whether this answer led to a call."""
        return (decision.id, 0) in self._numbers

    def _overlap_group(self, source: Span | None) -> int:
        """Returns the group of calls that overlap in time, for calls without a known answer."""
        start, end = (source.start, source.end) if source is not None else (None, None)
        if self._group_end is None or start is None or start >= self._group_end:
            self._groups, self._group_end = self._groups + 1, end
        elif end is not None:
            self._group_end = max(self._group_end, end)
        return self._groups


class _RequestMatching:
    """Matches each requested call to the span that ran it, if there is one.

    Calls match by id, which may repeat. If the span or the model has no id, they match by tool and
    arguments, and at last by tool alone.
    """

    def __init__(self, run_calls: Sequence[ToolCall]) -> None:
        self.unmatched: dict[ToolCall, None] = {}
        self._waiting: dict[_Key, deque[ToolCall]] = defaultdict(deque)
        for call in run_calls:
            keys = _keys_by_tool(call) if call.id is None else _keys_by_id(call)
            for key in (*keys, *_keys_without_id(call)):
                self._waiting[key].append(call)
        self._recorded: dict[_Key, tuple[Span, ToolCall]] = {}
        self._decisions: dict[ToolCall, Span | None] = {}

    def add(self, span: Span, call: ToolCall, decision: Span | None) -> None:
        """Adds a call that a span requests. Agents' spans repeat calls, and must come last."""
        earlier = self._earlier_record(span, call, decision)
        if earlier is not None:
            _fill_gaps(earlier, call)
            return
        unnamed = _keys_without_id(call)[:1] if call.id is None else []
        run_call = self._take([*_keys_by_id(call), _keys_by_tool(call)[0], *unnamed])
        self._join(run_call, call, decision)
        for key in _record_keys(call, decision):
            self._recorded[key] = span, run_call or call

    def finish(self) -> dict[ToolCall, Span | None]:
        """Returns the model's answer that requested each call; ``unmatched`` has no span."""
        requested, self.unmatched = self.unmatched, {}
        for call in requested:
            keys = _keys_by_tool(call) if call.id is not None else _keys_without_id(call)
            self._join(self._take(keys), call, self._decisions[call])
        return self._decisions

    def _earlier_record(self, span: Span, call: ToolCall, decision: Span | None) -> ToolCall | None:
        """Returns the same call as another span recorded it before, or None."""
        by_id, exact, *in_answer = _record_keys(call, decision) or [()] * 2
        if decision is None:
            keys = [by_id]
        elif any(self._is_waiting(key) for key in _keys_by_id(call)):
            keys = in_answer
        else:
            keys = [*in_answer, exact]
        for key in keys:
            if key in self._recorded:
                source, earlier = self._recorded[key]
                if source is not span:
                    return earlier
        return None

    def _is_waiting(self, key: _Key) -> bool:
        """Returns whether a call with this key is unmatched, and drops matched calls before it."""
        waiting = self._waiting[key]
        while waiting and waiting[0] in self._decisions:
            waiting.popleft()
        return bool(waiting)

    def _take(self, keys: Iterable[_Key]) -> ToolCall | None:
        for key in keys:
            if self._is_waiting(key):
                return self._waiting[key].popleft()
        return None

    def _join(self, run_call: ToolCall | None, requested: ToolCall, decision: Span | None) -> None:
        self._decisions[run_call or requested] = decision
        if run_call is None:
            self.unmatched[requested] = None
        else:
            _fill_gaps(run_call, requested)


class _CallHistory:
    """The calls that some spans record, to tell which calls in an input no span records."""

    def __init__(self) -> None:
        self._calls: dict[ToolCall, None] = {}
        self._by_key: dict[_Key, list[ToolCall]] = defaultdict(list)

    def add(self, calls: Iterable[ToolCall]) -> None:
        """Adds calls, unless they were added before."""
        for call in calls:
            if call in self._calls:
                continue
            self._calls[call] = None
            partial = [("partial", call.tool)] if _is_partial(call) else []
            for key in (*_keys_by_id(call), *_keys_by_tool(call), *partial):
                self._by_key[key].append(call)

    def missing(
        self, answers: Sequence[Sequence[ToolCall]]
    ) -> list[tuple[list[ToolCall], ToolCall | None]]:
        """Returns the calls in an input that no span records, by answer, and adds them.

        With each answer comes the next recorded call in the input. Each call in the input needs a
        recorded call of its own: with the same id, or else with the same tool and arguments, or
        else of the same tool, if either lacks its id or arguments.
        """
        pending = dict.fromkeys(call for calls in answers for call in calls)
        partners: dict[ToolCall, ToolCall] = {}
        used: set[ToolCall] = set()
        positions: Counter[_Key] = Counter()
        for keys_of in (_keys_by_id, _keys_of_history):
            for call in list(pending):
                partner = self._next(keys_of(call), positions, used)
                if partner is not None:
                    used.add(partner)
                    partners[call] = partner
                    del pending[call]
        self.add(pending)
        follower: ToolCall | None = None
        missing: list[tuple[list[ToolCall], ToolCall | None]] = []
        for calls in reversed(answers):
            missing.append(([call for call in calls if call in pending], follower))
            follower = next((partners[call] for call in calls if call in partners), follower)
        return [(calls, follower) for calls, follower in reversed(missing) if calls]

    def _next(
        self, keys: Iterable[_Key], positions: Counter[_Key], used: set[ToolCall]
    ) -> ToolCall | None:
        """Returns the next recorded call with one of these keys that is not used."""
        for key in keys:
            recorded = self._by_key[key]
            while positions[key] < len(recorded) and recorded[positions[key]] in used:
                positions[key] += 1
            if positions[key] < len(recorded):
                return recorded[positions[key]]
        return None


def _keys_of_history(call: ToolCall) -> list[_Key]:
    exact, by_tool = _keys_by_tool(call)
    return [exact, by_tool if _is_partial(call) else ("partial", call.tool)]


def _is_partial(call: ToolCall) -> bool:
    """Returns whether a record of a call lacks its id or its arguments."""
    return call.id is None or call.arguments is None or UNPARSED in call.notes


def _keys_by_id(call: ToolCall) -> list[_Key]:
    return [] if call.id is None else [("id", call.id, call.tool), ("id", call.id)]


def _keys_by_tool(call: ToolCall) -> list[_Key]:
    return [("arguments", call.tool, _arguments_text(call.arguments)), ("tool", call.tool)]


def _keys_without_id(call: ToolCall) -> list[_Key]:
    """Returns the keys for models that record calls without ids, even if the spans have ids."""
    return [("any", *key) for key in _keys_by_tool(call)]


def _record_keys(call: ToolCall, decision: Span | None) -> list[_Key]:
    """Returns the keys that two records of one call share: in all answers, then in one answer."""
    if call.id is None:
        return []
    exact = (call.id, call.tool, _arguments_text(call.arguments))
    in_answer = [] if decision is None else [(decision.id, *exact), (decision.id, call.id)]
    return [(call.id,), exact, *in_answer]


def _arguments_text(arguments: Any) -> str:
    return json.dumps(arguments, sort_keys=True)


def _depths(spans: Mapping[str, Span]) -> dict[str, int]:
    """Returns the number of ancestors of each span. Visits each span once, however deep."""
    depths: dict[str, int] = {}
    for first in spans.values():
        chain: dict[str, None] = {}
        span: Span | None = first
        while span is not None and span.id not in depths:
            if span.id in chain:
                raise span.path.error(f"span '{shown(span.id)}' is its own ancestor")
            chain[span.id] = None
            span = spans.get(span.parent or "")
        depth = -1 if span is None else depths[span.id]
        for number, identifier in enumerate(reversed(chain), 1):
            depths[identifier] = depth + number
    return depths


def _is_same(outer: ToolCall, inner: ToolCall) -> bool:
    """Returns whether an inner span records the call of an outer span again."""
    if outer.id is not None and inner.id is not None:
        return outer.id == inner.id
    # An agent may call a server's tool ``server__tool`` that the server itself calls ``tool``.
    is_suffix = bool(outer.tool and inner.tool) and f"{outer.tool}".endswith(f"__{inner.tool}")
    if outer.tool != inner.tool and not is_suffix:
        return False
    return None in (outer.arguments, inner.arguments) or outer.arguments == inner.arguments


def _fill_gaps(call: ToolCall, duplicate: ToolCall) -> None:
    """Copies fields that a call lacks, or has unparsed, from another record of the call."""
    for name in ("tool", "effect", "status", "agent", "action"):
        if getattr(call, name) is None:
            setattr(call, name, getattr(duplicate, name))
    call.id = call.id or duplicate.id
    notes = {**duplicate.notes, **call.notes}
    lacks_arguments = call.arguments is None or UNPARSED in call.notes
    if lacks_arguments and duplicate.arguments is not None and UNPARSED not in duplicate.notes:
        call.arguments = duplicate.arguments
        notes.pop(UNPARSED, None)
    elif call.arguments is None:
        call.arguments = duplicate.arguments
    elif UNPARSED not in call.notes:
        notes.pop(UNPARSED, None)
    call.notes = notes
