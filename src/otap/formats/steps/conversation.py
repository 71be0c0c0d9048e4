"""The shapes in which files keep conversations: lists of messages, or objects with such a list."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from itertools import starmap
from operator import getitem
from typing import Any, NamedTuple

from otap.errors import shown
from otap.formats.json.documents import Document
from otap.formats.json.lines import Streamed
from otap.formats.json.places import Place
from otap.formats.steps.content import list_at, value_at
from otap.formats.steps.definitions import tool_facts
from otap.formats.steps.tokens import tokens_beside, tokens_of_all
from otap.trajectory import Step, Tokens, Trajectory, Unread, parse_trajectory

_NAMES = ("id", "task_id", "task", "trial")
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
        return self.tokens or tokens_of_all(tokens_beside(message) for message, _ in self.messages)

    def run(self, found: Conversation) -> Trajectory:
        """Returns the run that was found in the messages.

        What stands beside them names the run, its task and its trial; the rest is metadata. Of
        the definitions of tools only what they say of what a call does is kept.

        Raises:
            FormatError: if it is no trajectory.
        """
        around = dict(self.around)
        names = _take_names(around)
        if isinstance(around.get("metadata"), dict):
            around = {**around.pop("metadata"), **around}
        metadata = {**around, **found.metadata}
        fields = {**vars(found), **names, **tool_facts(*self.defined), "metadata": metadata}
        if self.earlier:
            tally = Tally()
            tally.add(found.unread)
            tally.ignored("earlier state of the same conversation", self.earlier)
            fields["unread"] = tally.counted()
        fields["tokens"] = found.tokens or self.spent()
        return parse_trajectory(fields, str(self.place))


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
    if isinstance(document, Streamed):  # each item was seen to be a run of its own
        return starmap(partial(_one_conversation, keys=keys, left_out=left_out), document.items())
    return _conversations_together(document, is_message, keys, left_out)


def name_of_run(value: Any) -> str | None:
    """Returns what tells the run of a line from those of other lines; None where nothing does.

    Two conversations with different names are never states of one run. In logs of requests each
    has its own name, whatever run it is of.
    """
    if not isinstance(value, dict) or not isinstance(value.get("messages"), list):
        return None
    names = [value.get(key) for key in _NAMES]
    if not any(map(_is_name, names)) or exchange_in(value, Place("")) is not None:
        return None
    return json.dumps(names)


def _conversations_together(
    document: Document,
    is_message: Callable[[Any], bool],
    keys: Sequence[str],
    left_out: Collection[str],
) -> Iterator[Kept]:
    value = document.value
    if is_message(value) or (isinstance(value, list) and is_message(value[0])):
        yield Kept(list(document.items()), {}, document.place)
        return
    found = [_one_conversation(item, place, keys, left_out) for item, place in document.items()]
    # What must be equal of two states of one run; each request of a log has its own id.
    names = ([kept.around.get(key) for key in _NAMES[kept.logged :]] for kept in found)
    messages = ([value for value, _ in kept.messages] for kept in found)
    later = continued(list(zip(names, messages, strict=True)))
    states: dict[int, list[Kept]] = {}  # of each run, by the place of the last
    for index, kept in enumerate(found):
        last = later[index]
        states.setdefault(index if last is None else last, []).append(kept)
    yield from (_last_state(states[index]) for index in sorted(states))


def _last_state(states: Sequence[Kept]) -> Kept:
    """The last state of a run; in a log each state is a request, which cost its own."""
    last = states[-1]
    tokens = tokens_of_all(one.tokens for one in states) if last.logged else last.tokens
    return replace(last, earlier=len(states) - 1, tokens=tokens)


def _one_conversation(
    value: Any, place: Place, keys: Sequence[str], left_out: Collection[str]
) -> Kept:
    exchange = exchange_in(value, place) if isinstance(value, dict) else None
    if exchange is None or not exchange.messages:
        exchange, place = _conversation_in(value, place, keys)
    dropped = {*exchange.keys, *keys, *left_out}
    around = value.items() if isinstance(value, dict) else ()
    defined = (*_defined_in(value), *_defined_in(exchange.request))
    return Kept(
        exchange.messages,
        {name: item for name, item in around if name not in dropped},
        place,
        defined,
        exchange.logged,
        tokens=tokens_beside(value),
    )


def _conversation_in(value: Any, place: Place, keys: Sequence[str]) -> tuple["Exchange", Place]:
    """Returns the messages of a list, or of the lists in an object, and where the first stands."""
    lists = [(value, place)]
    if isinstance(value, dict):
        lists = [(value[key], place[key]) for key in keys if key in value]
    if not lists:
        raise place[keys[0]].error("expected a list, found null")
    messages = [placed for listed, at in lists for placed in _with_places(at.array(listed), at)]
    if not messages:
        raise lists[0][1].error("expected at least one message, found none")
    return Exchange(messages, {}, False, frozenset()), lists[0][1]


def _defined_in(value: Any) -> tuple[Any, ...]:
    """Returns what could be called, where a request says so."""
    return tuple(map(value.get, _DEFINED)) if isinstance(value, dict) else ()


def _with_places(messages: Sequence[Any], place: Place) -> list[tuple[Any, Place]]:
    return [(message, place[index]) for index, message in enumerate(messages)]


def _take_names(around: dict[str, Any]) -> dict[str, Any]:
    """Takes out of what stands beside the messages what names the run."""
    names: dict[str, Any] = {}
    for key in ("id", "task_id", "task", "trial"):
        field_name = key.removesuffix("_id")
        if field_name not in names and _is_name(around.get(key)):
            name = around.pop(key)
            names[field_name] = name if key == "trial" else str(name)
    return names


def _is_name(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and value != ""


KINDS = 40  # that are told apart; more are counted together
LENGTH = 60  # of the name of a kind

_OTHERS = "others"


@dataclass(slots=True)
class Tally:
    """Counts what was met, by kind, in the order in which each kind was met first."""

    _unknown: Counter[str] = field(default_factory=Counter, init=False)
    _ignored: Counter[str] = field(default_factory=Counter, init=False)

    def unknown(self, what: str, count: int = 1) -> None:
        """Notes something that the reader has no rule for: it may hold calls.

        Args:
            what: its kind, in the singular, as "part of type 'x'".
            count: how many.
        """
        _count_kind(self._unknown, what, count)

    def ignored(self, what: str, count: int = 1) -> None:
        """Notes something known that says nothing of what was done.

        Args:
            what: its kind, in the singular, as "picture".
            count: how many.
        """
        _count_kind(self._ignored, what, count)

    def note(self, unknown: Iterable[str], ignored: Iterable[str]) -> None:
        """Notes several of both."""
        for what in unknown:
            self.unknown(what)
        for what in ignored:
            self.ignored(what)

    def add(self, other: Unread) -> None:
        """Notes all that another has counted."""
        for what, count in other.unknown.items():
            self.unknown(what, count)
        for what, count in other.ignored.items():
            self.ignored(what, count)

    def counted(self) -> Unread:
        """Returns the counts."""
        return Unread(unknown=dict(self._unknown), ignored=dict(self._ignored))


def _count_kind(counts: Counter[str], what: str, count: int) -> None:
    kind = shown(what, LENGTH)
    known = kind in counts or len(counts) < KINDS
    counts[kind if known else _OTHERS] += count


# Where a log has what was sent to the model, and what came back.
_REQUESTS = ((), ("request",), ("request", "body"), ("body",), ("kwargs",))
_RESPONSES: tuple[tuple[str, ...], ...] = (
    ("response",),
    ("response", "body"),
    ("completion",),
    ("result", "message"),
    (),
)


class Exchange(NamedTuple):
    """What one object holds of a conversation."""

    messages: list[tuple[Any, Place]]
    request: dict[str, Any]  # where the messages stood, with what could be called
    logged: bool  # whether an answer stands apart from the messages
    keys: frozenset[str]  # of the object, that lead to all this


def exchange_in(value: dict[str, Any], place: Place) -> Exchange | None:
    """Returns the messages of a request and the answer to it; null where an object has neither."""
    lists = (path for path in _REQUESTS if isinstance(value_at(value, (*path, "messages")), list))
    path, answer = next(lists, None), _path_of_answer(value)
    if answer is None and not path:
        return None  # a conversation that stands here itself
    messages = [] if path is None else value_at(value, (*path, "messages"))
    messages = _with_places(messages, reduce(getitem, (*(path or ()), "messages"), place))
    keys = {"messages", *(path or ())[:1]}
    if answer is not None:
        said = value_at(value, answer)
        keys.add(answer[0])
        if not messages or messages[-1][0] != said:
            messages.append((said, reduce(getitem, answer, place)))
    request = value_at(value, path or ())
    return Exchange(messages, request, answer is not None, frozenset(keys))


def messages_in(value: Any) -> list[Any]:
    """Returns the messages that a value holds, without their places; none where it has no list."""
    if not isinstance(value, dict):
        return value if isinstance(value, list) else []
    found = exchange_in(value, Place(""))
    if found is not None:
        return [message for message, _ in found.messages]
    return list_at(value, "messages")


def _path_of_answer(value: dict[str, Any]) -> tuple[Any, ...] | None:
    """Returns the keys that lead to the message that came back."""
    for path in _RESPONSES:
        if path and value_at(value, (*path, "role")) == "assistant":
            return path
        inner: tuple[Any, ...] = (*path, "choices", 0, "message")
        if isinstance(value_at(value, inner), dict):
            return inner
    return None


# What moves to the latest message whenever a conversation goes on, or is never sent again.
_LEFT_OUT = (
    *("cache_control", "provider_specific_fields"),
    *("reasoning", "reasoning_content", "reasoning_details"),
)
_IS_ANSWER = "stop_reason"  # only an answer of Anthropic's server has it, and more about itself
_OF_ANSWERS = ("id", "type", "model", "stop_reason", "stop_sequence", "usage", "container")


def continued(conversations: Sequence[tuple[Any, Sequence[Any]]]) -> list[int | None]:
    """Returns for each conversation the last one after it that begins with all of it, and goes on.

    Of two branches that share a beginning neither is the beginning of the other: both are runs.

    Args:
        conversations: of each what names it, which must be equal, and its messages.
    """
    later: list[int | None] = [None] * len(conversations)
    if len(conversations) < 2:
        return later
    begun: dict[bytes, int] = {}
    for index in reversed(range(len(conversations))):
        *states, whole = [b"", *_chain(*conversations[index])]
        later[index] = begun.get(whole)
        for state in states:
            begun.setdefault(state, index)
    return later


def _chain(name: Any, messages: Sequence[Any]) -> Iterator[bytes]:
    """Yields after each message what tells the conversation so far from any other."""
    state = _hash_state(b"", name)
    for message in messages:
        state = _hash_state(state, _as_sent_again(message))
        yield state


def _as_sent_again(message: Any) -> Any:
    """Returns a message as it is sent again: without fields that are empty, or of answers only."""
    if not isinstance(message, dict):
        return message
    kept = _without_empty(message, _LEFT_OUT + _OF_ANSWERS * (_IS_ANSWER in message))
    if "content" in kept:
        kept["content"] = _plain_content(kept["content"])
    return kept


def _without_empty(value: Any, left_out: tuple[str, ...]) -> Any:
    """Returns an object without some keys, and without those under which nothing stands."""
    if not isinstance(value, dict):
        return value
    kept = {key: item for key, item in value.items() if item not in (None, "", [], {})}
    return {key: item for key, item in kept.items() if key not in left_out}


def _plain_content(content: Any) -> Any:
    """Returns what a message says; one block of nothing but text is that text."""
    if not isinstance(content, list):
        return content
    blocks = [_without_empty(block, ("cache_control",)) for block in content]
    match blocks:
        case [{"type": _, "text": text, **rest}] if not rest:
            return text
    return blocks


def _hash_state(before: bytes, value: Any) -> bytes:
    written = json.dumps(value, sort_keys=True, ensure_ascii=True).encode()
    return hashlib.sha256(before + written).digest()
