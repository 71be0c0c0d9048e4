"""Log records of spans: where tracers keep apart what models and tools said."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from otap.formats.readers.otel.envelopes import Event, RawSpan, Record

# Events that tell of a model, where the span that they belong to is not there.
_OF_MODELS = (
    *("gen_ai.client.inference.operation.details", "gen_ai.choice"),
    *("gen_ai.user.message", "gen_ai.assistant.message", "gen_ai.tool.message"),
)
_OPERATION = "gen_ai.operation.name"


def with_records(exported: Iterable[RawSpan | Record]) -> list[RawSpan]:
    """Returns the spans with the log records that belong to them as events.

    Where a span is not there, its records are a span of a model, if they tell of one.
    """
    spans: list[RawSpan] = []
    events: dict[tuple[str, str], list[Event]] = defaultdict(list)
    for each in exported:
        if isinstance(each, Record):
            events[each.trace, each.span].append(each.event)
        else:
            spans.append(each)
    found = [_joined(span, events.pop((span.trace, span.id), [])) for span in spans]
    return [*found, *(_alone(*key, said) for key, said in events.items() if _tells(said))]


def _joined(span: RawSpan, said: list[Event]) -> RawSpan:
    return replace(span, events=(*span.events, *said)) if said else span


def _tells(events: Iterable[Event]) -> bool:
    return any(event.name in _OF_MODELS for event in events)


def _alone(trace: str, identifier: str, said: list[Event]) -> RawSpan:
    """Returns the span that these events are all that is left of."""
    named = (event.attributes.get(_OPERATION) for event in said)
    operation = next((name for name in named if isinstance(name, str)), "chat")
    return RawSpan(
        trace=trace,
        id=identifier,
        parent=None,
        name="",
        start=None,
        end=None,
        status=None,
        attributes={_OPERATION: operation},
        events=tuple(said),
        place=said[0].place,
    )
