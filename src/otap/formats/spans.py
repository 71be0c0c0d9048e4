"""Spans of one trace, as a tracer recorded them -> the steps of one run.

Which attributes a span has is the business of its format; here stands what all tracers share:
spans nest, come in any order, and tell one tool call in several places. A call is counted once.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from otap.errors import LimitError, shown
from otap.formats.calls import Call
from otap.formats.places import Place
from otap.trajectory import Step

MAX_NESTING = 30


class Result(NamedTuple):
    """What a model was told of a call: the id and name of the call, what came back, how."""

    call_id: str | None
    name: str | None
    content: Any
    status: Literal["ok", "error"] | None = None


@dataclass(slots=True, eq=False)
class Span:
    """One span, as far as it says what an agent did.

    A tool's span has ``call``. A model's has ``decides``, with what it ``said``, the calls that it
    ``asked`` for, and the ``results`` in its input; an agent's has ``agent``. Times are nanoseconds
    since 1970.
    """

    id: str
    parent: str | None
    place: Place
    start: int | None = None
    end: int | None = None
    call: Call | None = None
    agent: str | None = None
    decides: bool = False
    said: str | None = None
    asked: list[Call] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)


def steps_of(spans: Iterable[Span]) -> tuple[Step, ...]:
    """Returns the steps of one trace, in order of time.

    A tool call inside another becomes its substep. The same call told again, by an inner span or
    by the model that asked for it, only fills what the outer span left out. Calls that a model
    asked for and that have no span of their own are steps too. Calls between two decisions of the
    model are one turn.

    Raises:
        FormatError: if spans are their own ancestors.
        LimitError: if calls nest deeper than 30.
    """
    return _Trace(_in_order(spans)).steps()


def _in_order(spans: Iterable[Span]) -> list[Span]:
    latest = {span.id: span for span in spans}  # exported again when it ended: the last one knows
    return sorted(latest.values(), key=lambda span: (span.start is None, span.start or 0))


class _Trace:
    """The spans of one trace by what is inside what."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self._spans = spans
        self._by_id = {span.id: span for span in spans}
        self._check_cycles()
        self._told_twice = self._merge_inner()
        self._merge_asked()
        self._told = _results(spans)

    def steps(self) -> tuple[Step, ...]:
        """Returns the steps; the innermost calls are made first, to be given to those around."""
        inside: dict[str | None, list[Span]] = {}
        for span in self._spans:
            inside.setdefault(self._owner(span), []).append(span)
        owners = sorted((o for o in inside if o is not None), key=self._nesting, reverse=True)
        made: dict[str, tuple[Step, ...]] = {}
        for owner in owners:
            made[owner] = self._scope(inside[owner], made)
        return self._scope(inside.get(None, []), made)

    def _scope(
        self, spans: Sequence[Span], made: Mapping[str, tuple[Step, ...]]
    ) -> tuple[Step, ...]:
        """Returns the calls of spans that lie in one call, or in none."""
        calls: list[Call] = []
        turn, said = 0, None
        for span in spans:
            if span.decides:
                turn, said = turn + 1, span.said
                calls.extend(self._completed(call, span, turn, said) for call in span.asked)
            if span.call is not None and span.id not in self._told_twice:
                span.call.substeps = made.get(span.id, ())
                calls.append(self._completed(span.call, span, turn, said))
        return tuple(call.step(str(number)) for number, call in enumerate(calls, 1))

    def _completed(self, call: Call, span: Span, turn: int, said: str | None) -> Call:
        call.turn = call.turn or turn
        call.action = call.action or said
        call.agent = call.agent or self._agent(span)
        told = self._told.get(call.id) if call.id is not None else None
        if told is not None and call.effect is None:
            call.effect, call.status = told.content, call.status or told.status
        return call

    def _above(self, span: Span) -> Iterable[Span]:
        """Returns the spans around this one, innermost first; a parent that is lost ends them."""
        parent = self._by_id.get(span.parent or "")
        while parent is not None:
            yield parent
            parent = self._by_id.get(parent.parent or "")

    def _owner(self, span: Span) -> str | None:
        told = self._told_twice
        return next((s.id for s in self._above(span) if s.call and s.id not in told), None)

    def _agent(self, span: Span) -> str | None:
        return span.agent or next((s.agent for s in self._above(span) if s.agent), None)

    def _nesting(self, identifier: str) -> int:
        """Returns how many calls are around a call, itself included."""
        span = self._by_id[identifier]
        depth = 1 + sum(1 for above in self._above(span) if above.call)
        if depth > MAX_NESTING:
            raise LimitError(
                f"{span.place}: tool calls inside tool calls, deeper than {MAX_NESTING} levels"
            )
        return depth

    def _check_cycles(self) -> None:
        seen: set[str] = set()
        for span in self._spans:
            path: set[str] = set()
            at: Span | None = span
            while at is not None and at.id not in seen:
                if at.id in path:
                    raise at.place.error(f"span '{shown(at.id)}' is its own ancestor")
                path.add(at.id)
                at = self._by_id.get(at.parent or "")
            seen |= path

    def _merge_inner(self) -> set[str]:
        """Finds spans that tell the call around them again, as a client and a server both do."""
        again: set[str] = set()
        for span in self._spans:
            if span.call is None:
                continue
            outer = next((above for above in self._above(span) if above.call), None)
            if outer is not None and outer.call is not None and _same(outer.call, span.call):
                _fill(outer.call, span.call)
                again.add(span.id)
        return again

    def _merge_asked(self) -> None:
        """Strikes what models asked for where the call has a span of its own."""
        spans = [span for span in self._spans if span.call and span.id not in self._told_twice]
        by_id = {span.call.id: span.call for span in spans if span.call and span.call.id}
        nameless: dict[str | None, list[Call]] = {}
        for span in spans:
            if span.call is not None and span.call.id is None:
                nameless.setdefault(span.call.tool, []).append(span.call)
        asked_before: set[str] = set()
        for span in self._spans:
            left = []
            for call in span.asked:
                if call.id is not None and call.id in asked_before:
                    continue  # a model's span inside another, or one exported by two tracers
                executed = by_id.get(call.id) if call.id is not None else None
                if executed is None and nameless.get(call.tool):
                    executed = nameless[call.tool].pop(0)
                if executed is None:
                    left.append(call)
                else:
                    _fill(executed, call)
                if call.id is not None:
                    asked_before.add(call.id)
            span.asked = left


def _results(spans: Sequence[Span]) -> dict[str | None, Result]:
    """The first telling of each result: later inputs repeat it, at times shortened."""
    told: dict[str | None, Result] = {}
    for span in spans:
        for result in span.results:
            told.setdefault(result.call_id, result)
    return told


def _same(outer: Call, inner: Call) -> bool:
    if outer.id is not None and inner.id is not None:
        return outer.id == inner.id
    if outer.tool != inner.tool:
        return False
    return None in (outer.arguments, inner.arguments) or outer.arguments == inner.arguments


def _fill(call: Call, again: Call) -> None:
    """Takes from another telling of a call what the first left out."""
    for name in ("arguments", "effect", "status", "agent", "action"):
        if getattr(call, name) is None:
            setattr(call, name, getattr(again, name))
    call.id = call.id or again.id
    call.notes = {**again.notes, **call.notes}
