"""The shapes in which files keep conversations: lists of messages, or objects with such a list."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from otap.formats.json.documents import Document
from otap.formats.json.places import Place
from otap.formats.steps.definitions import tool_facts
from otap.formats.steps.exchanges import exchange_in
from otap.formats.steps.growth import continued
from otap.formats.steps.tokens import tokens_beside, tokens_of_all
from otap.formats.steps.unread import Tally
from otap.trajectory import Step, Tokens, Trajectory, Unread, parse_trajectory

_DEFINED = ("tools", "functions", "mcp_servers")


@dataclass(frozen=True)
class Conversation:
    """What the messages or spans of one run say: what the user said, and what the agent did.

    ``told`` is what the agent said to the user; None: the messages do not say. ``unread`` is what
    the messages or spans hold beside that, and ``tokens`` what they say that the models cost.
    """

    request: tuple[str, ...]
    steps: tuple[Step, ...]
    metadata: dict[str, Any] = field(default_factory=dict)
    told: tuple[str, ...] | None = None
    unread: Unread = field(default_factory=Unread)
    tokens: Tokens | None = None


@dataclass(frozen=True)
class Kept:
    """The messages of one run, each with its place, and what stands beside them."""

    messages: Sequence[tuple[Any, Place]]
    around: dict[str, Any]
    place: Place
    defined: tuple[Any, ...] = ()  # what could be called
    logged: bool = False  # whether this is a request and its answer, in a log of such
    earlier: int = 0  # how often the file has the beginning of these messages, too
    tokens: Tokens | None = None  # what the run cost, where that stands beside its messages

    def spent(self) -> Tokens | None:
        """Returns what the run cost, as it stands beside its messages, or in them."""
        return self.tokens or _tokens_of(self.messages)

    def run(self, found: Conversation) -> Trajectory:
        """Returns the run that was found in the messages.

        What stands beside them names the run, its task and its trial; the rest is metadata. Of
        the definitions of tools only what they say of what a call does is kept.

        Raises:
            FormatError: if it is no trajectory.
        """
        around = dict(self.around)
        names = _names_in(around)
        if isinstance(around.get("metadata"), dict):
            around = {**around.pop("metadata"), **around}
        metadata = {**around, **found.metadata}
        fields = {**vars(found), **names, **tool_facts(*self.defined), "metadata": metadata}
        beside = {"unread": self._unread(found), "tokens": found.tokens or self.spent()}
        return parse_trajectory({**fields, **beside}, str(self.place))

    def _unread(self, found: Conversation) -> Unread:
        if not self.earlier:
            return found.unread
        tally = Tally()
        tally.add(found.unread)
        tally.ignored("earlier state of the same conversation", self.earlier)
        return tally.counted()


def conversations(
    document: Document,
    is_message: Callable[[Any], bool],
    *,
    keys: Sequence[str] = ("messages",),
    left_out: Collection[str] = (),
) -> Iterator[Kept]:
    """Returns the conversations of a document, each once: where one goes on, only its last state.

    Args:
        document: a list of messages, an object with such a list, or a list of these.
        is_message: says whether a value is one message.
        keys: where an object may hold its messages; all that it has are read, in this order.
        left_out: what else in such an object is not kept.

    Raises:
        FormatError: if an object has no list of messages, or a list has no message.
    """
    value = document.value
    if is_message(value) or (isinstance(value, list) and is_message(value[0])):
        yield Kept(list(document.items()), {}, document.place)
        return
    found = [_conversation(item, place, keys, left_out) for item, place in document.items()]
    later = continued([(_branch(kept), [value for value, _ in kept.messages]) for kept in found])
    states: dict[int, list[Kept]] = {}  # of each run, by the place of the last
    for index, kept in enumerate(found):
        last = later[index]
        states.setdefault(index if last is None else last, []).append(kept)
    yield from (_last(states[index]) for index in sorted(states))


def _last(states: Sequence[Kept]) -> Kept:
    """The last state of a run; in a log each state is a request, which cost its own."""
    last = states[-1]
    tokens = tokens_of_all(one.tokens for one in states) if last.logged else last.tokens
    return replace(last, earlier=len(states) - 1, tokens=tokens)


def _branch(kept: Kept) -> list[Any]:
    """Returns what must be equal of two states of one run; each request of a log has its own id."""
    keys = ("task_id", "task", "trial") if kept.logged else ("id", "task_id", "task", "trial")
    return [kept.around.get(key) for key in keys]


def _conversation(value: Any, place: Place, keys: Sequence[str], left_out: Collection[str]) -> Kept:
    exchange = exchange_in(value, place) if isinstance(value, dict) else None
    if exchange is not None and exchange.messages:
        around = _around(value, (*exchange.keys, *keys, *left_out))
        defined = (*_defined(value), *_defined(exchange.request))
        return Kept(
            exchange.messages, around, place, defined, exchange.logged, tokens=tokens_beside(value)
        )
    around = _around(value, (*keys, *left_out)) if isinstance(value, dict) else {}
    lists = _lists(value, place, keys)
    messages = [placed for found, where in lists for placed in _placed(found, where)]
    where = lists[0][1]
    if not messages:
        raise where.error("expected at least one message, found none")
    return Kept(messages, around, where, _defined(value), tokens=tokens_beside(value))


def _tokens_of(messages: Iterable[tuple[Any, Place]]) -> Tokens | None:
    return tokens_of_all(tokens_beside(message) for message, _ in messages)


def _around(value: dict[str, Any], left_out: Collection[str]) -> dict[str, Any]:
    return {name: item for name, item in value.items() if name not in left_out}


def _lists(value: Any, place: Place, keys: Sequence[str]) -> list[tuple[Any, Place]]:
    """Returns the lists of messages of a conversation, each with its place."""
    if not isinstance(value, dict):
        return [(value, place)]
    lists = [(value[key], place[key]) for key in keys if key in value]
    if not lists:
        raise place[keys[0]].error("expected a list, found null")
    return lists


def _defined(value: Any) -> tuple[Any, ...]:
    """Returns what could be called, where a request says so."""
    return tuple(map(value.get, _DEFINED)) if isinstance(value, dict) else ()


def _placed(value: Any, place: Place) -> Iterator[tuple[Any, Place]]:
    return ((message, place[index]) for index, message in enumerate(place.array(value)))


def _names_in(around: dict[str, Any]) -> dict[str, Any]:
    """Takes out of what stands beside the messages what names the run."""
    names: dict[str, Any] = {}
    keys = (("id", "id"), ("task", "task_id"), ("task", "task"), ("trial", "trial"))
    for field_name, key in keys:
        if field_name not in names and _is_name(around.get(key)):
            name = around.pop(key)
            names[field_name] = name if field_name == "trial" else str(name)
    return names


def _is_name(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and value != ""
