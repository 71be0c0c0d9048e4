"""Spans of one trace, as a tracer recorded them -> the steps of one run.

Which attributes a span has is the business of its format; here stands what all tracers share:
spans nest, come in any order, and tell one tool call in several places. A call is counted once.
"""

import json
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from otap.errors import LimitError, shown
from otap.formats.json.places import Place
from otap.formats.limits import MAX_NESTING
from otap.formats.steps.calls import Call, Result
from otap.formats.steps.conversation import Conversation, Tally
from otap.formats.steps.tokens import tokens_of_all
from otap.formats.steps.written import WRITTEN, is_written_call
from otap.trajectory import Step, Tokens, Unread

_UNPARSED = "arguments_unparsed"

_Key = tuple[str | None, ...]


@dataclass(slots=True, eq=False)
class Span:
    """One span, as far as it says what an agent did.

    A tool's span has ``call``. A model's has ``is_model`` set, and may have the rest. An agent's
    has ``agent``, and may repeat what its models have.

    Attributes:
        id: unique in the trace.
        parent: the id of the span around it; it may be missing from the trace.
        place: where the span stands, for errors.
        start: nanoseconds since 1970.
        end: the same.
        call: the tool call that ran in this span.
        agent: the name of the agent that it is a span of.
        is_model: whether it is a call of a language model.
        said: the text of the model's answer.
        heard: what the user had said until then, by the model's input.
        asked: the tool calls that the model's answer asks for.
        results: the results of earlier calls, by the model's input.
        tells: whether a model's or an agent's span says what was answered; None: it is of neither.
        unknown: kinds of what the reader has no rule for: the span itself, or a part of it.
        ignored: kinds of what is known to say nothing of what was done.
        tokens: what the span says that it cost, what is inside it included.
    """

    id: str
    parent: str | None
    place: Place
    start: int | None = None
    end: int | None = None
    call: Call | None = None
    agent: str | None = None
    is_model: bool = False
    said: str | None = None
    heard: list[str] = field(default_factory=list)
    asked: list[Call] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    tells: bool | None = None
    unknown: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    tokens: Tokens | None = None

    def note(self, unknown: Iterable[str], ignored: Iterable[str]) -> None:
        """Notes the kinds of parts that were not read, once for each kind."""
        self.unknown += dict.fromkeys(unknown)
        self.ignored += dict.fromkeys(ignored)


def read_spans(spans: Iterable[Span], *, reasoning: bool = False) -> Conversation:
    """Returns the run that spans tell of, with the steps in order of time.

    A tool call inside another becomes its substep. The same call told again, by an inner span or
    by the model that asked for it, only fills what the outer span left out. Calls that a model
    asked for and that have no span of their own are steps too. Calls that one answer of the model
    asked for are one turn; where no answer is known, calls that overlap in time are. What is
    said to the models inside a call, or to agents inside others, is no request of the user.
    Where no call is told, and no model or agent says what it answered, they are unknown: any of
    them may have called.

    Args:
        spans: the spans, in any order.
        reasoning: whether an answer that leads to no call becomes a reasoning step.

    Raises:
        FormatError: if spans are their own ancestors.
        LimitError: if calls nest deeper than 30.
    """
    trace = _SpanTree(spans, reasoning)
    request, steps, told = trace.request(), trace.steps(), trace.told()
    return Conversation(request, steps, told=told, unread=trace.unread(), tokens=trace.tokens())


class _Inside(NamedTuple):
    """The nearest span of each kind around what lies in a span, that span included."""

    call: Span | None = None
    agent: str | None = None
    decision: Span | None = None  # the outermost since the call: tracers wrap one model in another
    wrapper: Span | None = None  # the call, unless an agent is between: it may be told again here
    calls: int = 0
    agents: int = 0  # around the agent at work
    at_work: bool = False  # whether any agent is


_OUTERMOST = _Inside()


class _SpanTree:
    """The tree of the spans of one trace."""

    def __init__(self, spans: Iterable[Span], reasoning: bool) -> None:
        latest = {span.id: span for span in spans}  # exported again when it ended: the last knows
        depths = _depths(latest)
        self._reasoning = reasoning
        self._spans = sorted(
            latest.values(),
            key=lambda s: (s.start is None, s.start or 0, depths[s.id], not s.is_model),
        )
        self._inside: dict[str, _Inside] = {}
        self._said: dict[str, str] = {}
        self._innermost_last = sorted(self._spans, key=lambda s: depths[s.id])
        for span in self._innermost_last:
            self._enter(span)
        self._decision_of: dict[Call, Span | None] = {}
        self._match_asked()
        self._told = self._results()

    def request(self) -> tuple[str, ...]:
        """Returns each text once, and twice only where one model heard it twice.

        Agents that work for others hear what those say; the outermost that hear, hear the user.
        """
        request: list[str] = []
        known: Counter[str] = Counter()
        hearing = [span for span in self._spans if span.heard and self._owner(span) is None]
        outermost = min((self._inside[span.id].agents for span in hearing), default=0)
        for span in hearing:
            if self._inside[span.id].agents == outermost:
                _hear(request, known, span.heard)
        return tuple(request)

    def told(self) -> tuple[str, ...] | None:
        """Returns what models, and agents at last, answered outside of calls; None if nothing.

        Many tracers leave texts out: that none is there does not say that nothing was told.
        """
        outside = [span for span in self._spans if self._owner(span) is None]
        answers = [self._said[span.id] for span in outside if span.id in self._said]
        again = {
            span.said.strip(): span.said for span in outside if span.said and not span.is_model
        }
        for text in answers:
            again.pop(text.strip(), None)
        return (*answers, *again.values()) or None

    def tokens(self) -> Tokens | None:
        """Returns what the models cost: a span counts unless one inside it, in no call, does."""
        calls = {span.id for span in self._spans if span.call is not None}
        sums: set[str | None] = set()
        for span in reversed(self._innermost_last):
            if (span.tokens is not None or span.id in sums) and span.parent not in calls:
                sums.add(span.parent)
        return tokens_of_all(span.tokens for span in self._spans if span.id not in sums)

    def unread(self) -> Unread:
        """Returns what the spans hold beside what they say."""
        tally = Tally()
        for span in self._spans:
            tally.note(span.unknown, span.ignored)
        self._note_silent(tally)
        return tally.counted()

    def _note_silent(self, tally: Tally) -> None:
        """Notes the models and agents that say nothing: their calls would stand there alone."""
        known = self._note_written(tally) or any(span.tells for span in self._spans)
        note = tally.ignored if known else tally.unknown
        for span in self._spans:
            if span.tells is False:
                note(f"span of {'a model' if span.is_model else 'an agent'} without an answer")
        told = (span.is_model or span.agent or span.tells is not None for span in self._spans)
        if self._spans and not known and not any(told) and not any(s.unknown for s in self._spans):
            tally.unknown("span of neither a model nor a tool", len(self._spans))

    def _note_written(self, tally: Tally) -> bool:
        """Says whether a call is told; else notes the answers that are written as calls are."""
        called = bool(self._called()) or any(span.asked for span in self._spans)
        for span in () if called else self._spans:
            if span.said is not None and is_written_call(span.said):
                tally.unknown(WRITTEN)
        return called

    def steps(self) -> tuple[Step, ...]:
        """Returns the steps; the innermost calls are made first, to be given to those around."""
        inside: dict[str | None, list[Span]] = defaultdict(list)
        for span in self._spans:
            inside[self._owner(span)].append(span)
        made: dict[str | None, tuple[Step, ...]] = {}
        calls = {owner: self._inside[owner].calls for owner in inside if owner is not None}
        for owner in sorted(inside, key=lambda owner: calls.get(owner or "", 0), reverse=True):
            made[owner] = self._steps(inside[owner], made)
        return made.get(None, ())

    def _around(self, span: Span) -> _Inside:
        """Returns what is around a span; where its parent is lost, nothing is."""
        return self._inside.get(span.parent or "", _OUTERMOST)

    def _owner(self, span: Span) -> str | None:
        call = self._around(span).call
        return call.id if call is not None else None

    def _enter(self, span: Span) -> None:
        """Notes what a span is for the spans inside it; those around it have been entered."""
        inside = self._around(span)
        if span.call is None and not span.is_model and (span.agent, span.tells) != (None, None):
            inner = inside.at_work and (span.agent is None or span.agent != inside.agent)
            inside = inside._replace(agents=inside.agents + inner, at_work=True)
            if span.agent is not None:  # another agent begins
                inside = inside._replace(decision=None, wrapper=None)
        if span.agent is not None:
            inside = inside._replace(agent=span.agent)
        if span.is_model:
            decision = inside.decision or span
            inside = inside._replace(decision=decision)
            if span.said is not None:
                self._said.setdefault(decision.id, span.said)
        if span.call is not None:
            inside = self._enter_call(span, span.call, inside)
        self._inside[span.id] = inside

    def _enter_call(self, span: Span, call: Call, inside: _Inside) -> _Inside:
        wrapper = inside.wrapper
        if wrapper is not None and wrapper.call is not None and _same(wrapper.call, call):
            _fill(wrapper.call, call)
            span.call = None  # told again
            return inside
        if inside.calls == MAX_NESTING:
            raise LimitError(
                f"{span.place}: tool calls inside tool calls, deeper than {MAX_NESTING} levels"
            )
        calls = inside.calls + 1
        return inside._replace(call=span, decision=None, wrapper=span, calls=calls)

    def _called(self) -> list[Call]:
        return [span.call for span in self._spans if span.call is not None]

    def _match_asked(self) -> None:
        """Keeps of what was asked for only what has no span of its own, once."""
        matching = _Matching(self._called())
        for span in sorted(self._spans, key=lambda s: not s.is_model):
            decision = self._inside[span.id].decision if span.is_model else None
            for call in span.asked:
                matching.add(span, call, decision)
        self._decision_of = matching.finish()
        for span in self._spans:
            span.asked = [call for call in span.asked if call in matching.left]

    def _results(self) -> dict[str, Result]:
        """The first record of each result: later inputs repeat it, at times shortened.

        Where several calls have one id, nobody can say whose result it is.
        """
        calls = [*self._called(), *(call for span in self._spans for call in span.asked)]
        count = Counter(call.id for call in calls)
        told: dict[str, Result] = {}
        for result in (result for span in self._spans for result in span.results):
            if result.call_id is not None and count[result.call_id] < 2:
                told.setdefault(result.call_id, result)
        return told

    def _steps(
        self, spans: Sequence[Span], made: Mapping[str | None, tuple[Step, ...]]
    ) -> tuple[Step, ...]:
        """Returns the steps of spans that lie in one call, or in none."""
        turns = _Turns()
        steps: list[Step] = []
        for item in list(self._happened(spans, made, turns)):
            identifier = str(len(steps) + 1)
            if isinstance(item, Call):
                steps.append(item.step(identifier))
            elif self._reasoning and item.id in self._said and not turns.has(item):
                agent = item.agent or self._around(item).agent
                thought = Step(
                    id=identifier, kind="reasoning", action=self._said[item.id], agent=agent
                )
                steps.append(thought)
        return tuple(steps)

    def _happened(
        self, spans: Sequence[Span], made: Mapping[str | None, tuple[Step, ...]], turns: "_Turns"
    ) -> Iterator[Call | Span]:
        """Returns the answers of models and the calls, in order of time; each call is complete."""
        latest = None
        for span in spans:
            if span.is_model:
                latest = self._inside[span.id].decision
                yield from [span] if latest is span else []
            calls = list(span.asked)
            if span.call is not None:
                span.call.substeps = made.get(span.id, ())
                calls.append(span.call)
            for call in calls:
                decision = self._decision_of.get(call) or latest
                call.turn = turns.number(decision, span if call is span.call else None)
                self._complete(call, span, decision)
                yield call

    def _complete(self, call: Call, span: Span, decision: Span | None) -> None:
        if decision is not None:
            call.action = call.action or self._said.get(decision.id)
        call.agent = call.agent or span.agent or self._around(span).agent
        told = self._told.get(call.id) if call.id is not None else None
        if told is not None and call.effect is None:
            call.effect, call.status = told.content, call.status or told.status


def _hear(request: list[str], known: Counter[str], texts: Sequence[str]) -> None:
    """Adds what one span heard to what was heard before; what is known is known once."""
    heard, last = Counter(texts), texts[-1]
    if request and request[-1] == last and heard[last] >= known[last]:
        known[request.pop()] -= 1  # said again, perhaps after what was said before it
    heard.clear()
    for text in texts:
        heard[text] += 1
        if heard[text] > known[text]:
            known[text] += 1
            request.append(text)


@dataclass(slots=True)
class _Turns:
    """Numbers the turns of one list of steps from 1, in the order in which they come."""

    _numbers: dict[tuple[str, int], int] = field(default_factory=dict)
    _until: int | None = None
    _groups: int = 0

    def number(self, decision: Span | None, ran: Span | None) -> int:
        """Returns the turn of a call by the answer that asked for it, or the span that ran it."""
        key = (decision.id, 0) if decision is not None else ("", self._side_by_side(ran))
        return self._numbers.setdefault(key, len(self._numbers) + 1)

    def has(self, decision: Span) -> bool:
        """Says whether this answer led to a call."""
        return (decision.id, 0) in self._numbers

    def _side_by_side(self, ran: Span | None) -> int:
        """Calls that no answer explains are one group as long as they overlap in time."""
        start, end = (ran.start, ran.end) if ran is not None else (None, None)
        if self._until is None or start is None or start >= self._until:
            self._groups, self._until = self._groups + 1, end
        elif end is not None:
            self._until = max(self._until, end)
        return self._groups


class _Matching:
    """Finds for each call that was asked for the span that ran it, where there is one.

    By id, which may repeat; where the span, or the model, has no id, by tool and arguments; at
    last by tool alone.
    """

    def __init__(self, ran: Sequence[Call]) -> None:
        self.left: dict[Call, None] = {}
        self._ran: dict[_Key, deque[Call]] = defaultdict(deque)
        for call in ran:
            known = _by_tool(call) if call.id is None else _by_id(call)
            for key in (*known, *_of_any_id(call)):
                self._ran[key].append(call)
        self._told: dict[_Key, tuple[Span, Call]] = {}
        self._decisions: dict[Call, Span | None] = {}

    def add(self, span: Span, call: Call, decision: Span | None) -> None:
        """Takes a call that a span asked for; agents' spans, which repeat calls, must come last."""
        again = self._told_before(span, call, decision)
        if again is not None:
            _fill(again, call)
            return
        unnamed = _of_any_id(call)[:1] if call.id is None else []
        ran = self._take([*_by_id(call), _by_tool(call)[0], *unnamed])
        self._join(ran, call, decision)
        for key in _tellings(call, decision):
            self._told[key] = span, ran or call

    def finish(self) -> dict[Call, Span | None]:
        """Returns the answer of a model that each call comes from; ``left`` has no spans."""
        asked, self.left = self.left, {}
        for call in asked:
            ran = self._take(_by_tool(call) if call.id is not None else _of_any_id(call))
            self._join(ran, call, self._decisions[call])
        return self._decisions

    def _told_before(self, span: Span, call: Call, decision: Span | None) -> Call | None:
        """Returns the same call as an earlier span recorded it, or nothing."""
        anywhere, exactly, *answer = _tellings(call, decision) or [()] * 2
        if decision is None:
            answer = [anywhere]
        elif not any(self._waits(key) for key in _by_id(call)):
            answer = [*answer, exactly]
        tellings = [self._told[key] for key in answer if key in self._told]
        return next((told for teller, told in tellings if teller is not span), None)

    def _waits(self, key: _Key) -> bool:
        waiting = self._ran[key]
        while waiting and waiting[0] in self._decisions:
            waiting.popleft()
        return bool(waiting)

    def _take(self, keys: Iterable[_Key]) -> Call | None:
        for key in keys:
            if self._waits(key):
                return self._ran[key].popleft()
        return None

    def _join(self, ran: Call | None, asked: Call, decision: Span | None) -> None:
        self._decisions[ran or asked] = decision
        if ran is None:
            self.left[asked] = None
        else:
            _fill(ran, asked)


def _by_id(call: Call) -> list[_Key]:
    return [] if call.id is None else [("id", call.id, call.tool), ("id", call.id)]


def _by_tool(call: Call) -> list[_Key]:
    return [("arguments", call.tool, _write_arguments(call.arguments)), ("tool", call.tool)]


def _of_any_id(call: Call) -> list[_Key]:
    """Returns the keys for models that know their calls by no id, whatever ids the spans have."""
    return [("any", *key) for key in _by_tool(call)]


def _tellings(call: Call, decision: Span | None) -> list[_Key]:
    """Returns the keys that two spans with the same call share: in any answer, and in one."""
    if call.id is None:
        return []
    exactly = (call.id, call.tool, _write_arguments(call.arguments))
    answer = [] if decision is None else [(decision.id, *exactly), (decision.id, call.id)]
    return [(call.id,), exactly, *answer]


def _write_arguments(arguments: Any) -> str:
    return json.dumps(arguments, sort_keys=True)


def _depths(spans: Mapping[str, Span]) -> dict[str, int]:
    """Returns how many spans are around each; each is visited once, however long the chains."""
    depths: dict[str, int] = {}
    for span in spans.values():
        path: dict[str, None] = {}
        at: Span | None = span
        while at is not None and at.id not in depths:
            if at.id in path:
                raise at.place.error(f"span '{shown(at.id)}' is its own ancestor")
            path[at.id] = None
            at = spans.get(at.parent or "")
        above = -1 if at is None else depths[at.id]
        depths.update((each, above + number) for number, each in enumerate(reversed(path), 1))
    return depths


def _same(outer: Call, inner: Call) -> bool:
    if outer.id is not None and inner.id is not None:
        return outer.id == inner.id
    # An agent may know a tool of a server as ``server__tool``, the server only as ``tool``.
    ends = bool(outer.tool and inner.tool) and f"{outer.tool}".endswith(f"__{inner.tool}")
    if outer.tool != inner.tool and not ends:
        return False
    return None in (outer.arguments, inner.arguments) or outer.arguments == inner.arguments


def _fill(call: Call, again: Call) -> None:
    """Fills in from another record of a call what the first left out, or has unparsed."""
    for name in ("tool", "effect", "status", "agent", "action"):
        if getattr(call, name) is None:
            setattr(call, name, getattr(again, name))
    call.id = call.id or again.id
    notes = {**again.notes, **call.notes}
    garbled = call.arguments is None or _UNPARSED in call.notes
    if garbled and again.arguments is not None and _UNPARSED not in again.notes:
        call.arguments = again.arguments
        notes.pop(_UNPARSED, None)
    elif call.arguments is None:
        call.arguments = again.arguments
    elif _UNPARSED not in call.notes:
        notes.pop(_UNPARSED, None)
    call.notes = notes
