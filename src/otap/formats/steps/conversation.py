"""Finds the conversations in a file: lists of messages, or objects with a list of messages."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from otap.errors import shown
from otap.formats.json.documents import Document
from otap.formats.json.lines import Streamed
from otap.formats.json.paths import JsonPath
from otap.formats.steps.content import list_at, value_at
from otap.formats.steps.definitions import tool_facts
from otap.formats.steps.tokens import find_usage, sum_tokens
from otap.trajectory import Step, Tokens, Trajectory, Unread, parse_trajectory

_NAME_KEYS = ("id", "task_id", "task", "trial")
_TOOL_KEYS = ("tools", "functions", "mcp_servers")


@dataclass(frozen=True)
class Conversation:
    """The content of one run, as read from its messages or spans.

    Attributes:
        request: the texts of the user.
        steps: the actions of the agent.
        metadata: other facts about the run.
        messages_to_user: the texts of the agent to the user; None if the trace does not have them.
        unread: counts of the parts that became no step.
        tokens: the tokens that the models used, if the messages or spans record them.
    """

    request: tuple[str, ...]
    steps: tuple[Step, ...]
    metadata: dict[str, Any] = field(default_factory=dict)
    messages_to_user: tuple[str, ...] | None = None
    unread: Unread = field(default_factory=Unread)
    tokens: Tokens | None = None

    def trajectory_fields(self) -> dict[str, Any]:
        """Returns the content under the names that the fields of a trajectory have."""
        fields = dict(vars(self))
        fields["told"] = fields.pop("messages_to_user")
        return fields


@dataclass(frozen=True)
class RawConversation:
    """The messages of one run before they are read, and the fields of the object around them.

    Attributes:
        messages: each message with its path.
        extra_fields: the other fields of the object.
        path: the path to the messages.
        tool_definitions: the definitions of the available tools.
        is_exchange: whether it is a request and its answer, from a log of requests.
        earlier_states: how many other items of the file are a beginning of these messages.
        tokens: the tokens that the run used, if the object records them.
    """

    messages: Sequence[tuple[Any, JsonPath]]
    extra_fields: dict[str, Any]
    path: JsonPath
    tool_definitions: tuple[Any, ...] = ()
    is_exchange: bool = False
    earlier_states: int = 0
    tokens: Tokens | None = None

    def token_usage(self) -> Tokens | None:
        """Returns the tokens that the run used, from the object or else from its messages."""
        return self.tokens or sum_tokens(find_usage(message) for message, _ in self.messages)

    def to_trajectory(self, conversation: Conversation) -> Trajectory:
        """Returns the run, with the content that was read from these messages.

        The extra fields name the run, its task and its trial. The others become metadata. Of the
        tool definitions it keeps the facts that they state.

        Raises:
            FormatError: if it is not a valid trajectory.
        """
        extra_fields = dict(self.extra_fields)
        names = _pop_names(extra_fields)
        if isinstance(extra_fields.get("metadata"), dict):
            extra_fields = {**extra_fields.pop("metadata"), **extra_fields}
        fields = {
            **conversation.trajectory_fields(),
            **names,
            **tool_facts(*self.tool_definitions),
            "metadata": {**extra_fields, **conversation.metadata},
        }
        if self.earlier_states:
            tally = Tally()
            tally.add(conversation.unread)
            tally.ignored("earlier state of the same conversation", self.earlier_states)
            fields["unread"] = tally.counts()
        fields["tokens"] = conversation.tokens or self.token_usage()
        return parse_trajectory(fields, str(self.path))


def find_conversations(
    document: Document,
    is_message: Callable[[Any], bool],
    *,
    keys: Sequence[str] = ("messages",),
    ignored_keys: Collection[str] = (),
) -> Iterator[RawConversation]:
    """Returns the conversations of a document. If some are states of one run, only the last counts.

    Args:
        document: a list of messages, an object with a list of messages, or a list of these.
        is_message: returns whether a value is one message.
        keys: the keys under which an object may have messages; all are read, in this order.
        ignored_keys: other keys of the object that are not kept.

    Raises:
        FormatError: if an object has no list of messages, or a list has no message.
    """
    if isinstance(document, Streamed):  # a streamed file has one run in each item

        def read_item(located: tuple[Any, JsonPath]) -> RawConversation:
            return _read_conversation(*located, keys, ignored_keys)

        return map(read_item, document.items())  # unlike a generator it continues after an error
    return _last_states(document, is_message, keys, ignored_keys)


def name_of_run(value: Any) -> str | None:
    """Returns a name that distinguishes the run of a line from other runs, or None.

    Two conversations with different names are never states of one run. A logged request has no
    name here, because each request has its own id even if the run is the same.
    """
    if not isinstance(value, dict) or not isinstance(value.get("messages"), list):
        return None
    names = [value.get(key) for key in _NAME_KEYS]
    if not any(_is_name(name) for name in names) or exchange_in(value, JsonPath("")) is not None:
        return None
    return json.dumps(names)


def _last_states(
    document: Document,
    is_message: Callable[[Any], bool],
    keys: Sequence[str],
    ignored_keys: Collection[str],
) -> Iterator[RawConversation]:
    """Yields the last state of each run in a document, in the order of these last states."""
    value = document.value
    if is_message(value) or (isinstance(value, list) and is_message(value[0])):
        yield RawConversation(list(document.items()), {}, document.root)
        return
    conversations = [
        _read_conversation(item, path, keys, ignored_keys) for item, path in document.items()
    ]
    named_messages = []
    for conversation in conversations:
        # States of one run have equal names, but each request of a log has its own id.
        name_keys = _NAME_KEYS[1:] if conversation.is_exchange else _NAME_KEYS
        names = [conversation.extra_fields.get(key) for key in name_keys]
        named_messages.append((names, [message for message, _ in conversation.messages]))
    states: dict[int, list[RawConversation]] = {}  # by the index of the last state
    for index, last in enumerate(latest_extensions(named_messages)):
        states.setdefault(index if last is None else last, []).append(conversations[index])
    for index in sorted(states):
        yield _last_state(states[index])


def _last_state(states: Sequence[RawConversation]) -> RawConversation:
    """Returns the last state of a run. Logged requests add up their tokens."""
    last = states[-1]
    tokens = sum_tokens(state.tokens for state in states) if last.is_exchange else last.tokens
    return replace(last, earlier_states=len(states) - 1, tokens=tokens)


def _read_conversation(
    value: Any, path: JsonPath, keys: Sequence[str], ignored_keys: Collection[str]
) -> RawConversation:
    exchange = exchange_in(value, path) if isinstance(value, dict) else None
    if exchange is None or not exchange.messages:
        exchange, path = _exchange_at_keys(value, path, keys)
    dropped = {*exchange.keys, *keys, *ignored_keys}
    fields = value.items() if isinstance(value, dict) else ()
    return RawConversation(
        exchange.messages,
        {name: item for name, item in fields if name not in dropped},
        path,
        (*_tool_definitions(value), *_tool_definitions(exchange.request)),
        exchange.is_answered,
        tokens=find_usage(value),
    )


def _exchange_at_keys(
    value: Any, path: JsonPath, keys: Sequence[str]
) -> tuple["Exchange", JsonPath]:
    """Returns the messages of a list, or of the lists in an object, and the path to the first."""
    lists = [(value, path)]
    if isinstance(value, dict):
        lists = [(value[key], path[key]) for key in keys if key in value]
    if not lists:
        raise path[keys[0]].error("expected a list, found null")
    messages = []
    for list_value, list_path in lists:
        messages += _with_paths(list_path.array(list_value), list_path)
    if not messages:
        raise lists[0][1].error("expected at least one message, found none")
    return Exchange(messages, {}, False, frozenset()), lists[0][1]


def _tool_definitions(value: Any) -> tuple[Any, ...]:
    """Returns the definitions of the available tools in a request."""
    return tuple(value.get(key) for key in _TOOL_KEYS) if isinstance(value, dict) else ()


def _with_paths(messages: Sequence[Any], path: JsonPath) -> list[tuple[Any, JsonPath]]:
    return [(message, path[index]) for index, message in enumerate(messages)]


def _pop_names(extra_fields: dict[str, Any]) -> dict[str, Any]:
    """Removes the id, the task and the trial from the extra fields, and returns them."""
    names: dict[str, Any] = {}
    for key in _NAME_KEYS:
        field_name = key.removesuffix("_id")
        if field_name not in names and _is_name(extra_fields.get(key)):
            name = extra_fields.pop(key)
            names[field_name] = name if key == "trial" else str(name)
    return names


def _is_name(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and value != ""


MAX_KINDS = 40  # counted separately; further kinds are counted together
MAX_KIND_LENGTH = 60  # characters

_OTHER_KINDS = "others"


@dataclass(slots=True)
class Tally:
    """Counts the unread parts of a trace by kind, in the order of first occurrence."""

    _unknown: Counter[str] = field(default_factory=Counter, init=False)
    _ignored: Counter[str] = field(default_factory=Counter, init=False)

    def unknown(self, kind: str, count: int = 1) -> None:
        """Counts parts that the reader has no rule for. They may hold calls.

        Args:
            kind: the kind in the singular, as "part of type 'x'".
            count: the number of parts.
        """
        _count_kind(self._unknown, kind, count)

    def ignored(self, kind: str, count: int = 1) -> None:
        """Counts parts that are known not to be actions.

        Args:
            kind: the kind in the singular, as "picture".
            count: the number of parts.
        """
        _count_kind(self._ignored, kind, count)

    def note(self, unknown: Iterable[str], ignored: Iterable[str]) -> None:
        """Counts several unknown and several ignored parts."""
        for kind in unknown:
            self.unknown(kind)
        for kind in ignored:
            self.ignored(kind)

    def add(self, unread: Unread) -> None:
        """Adds the counts of another tally."""
        for kind, count in unread.unknown.items():
            self.unknown(kind, count)
        for kind, count in unread.ignored.items():
            self.ignored(kind, count)

    def counts(self) -> Unread:
        """Returns the counts."""
        return Unread(unknown=dict(self._unknown), ignored=dict(self._ignored))


def _count_kind(counts: Counter[str], kind: str, count: int) -> None:
    kind = shown(kind, MAX_KIND_LENGTH)
    has_room = kind in counts or len(counts) < MAX_KINDS
    counts[kind if has_room else _OTHER_KINDS] += count


# Where a log of requests may have the request to the model, and its response.
_REQUEST_PATHS: tuple[tuple[str, ...], ...] = (
    (),
    ("request",),
    ("request", "body"),
    ("body",),
    ("kwargs",),
)
_RESPONSE_PATHS: tuple[tuple[str, ...], ...] = (
    ("response",),
    ("response", "body"),
    ("completion",),
    ("result", "message"),
    (),
)


class Exchange(NamedTuple):
    """The messages in one object: of a request, with its answer if the object has one.

    Attributes:
        messages: each message with its path.
        request: the object that has the list of messages and the tool definitions.
        is_answered: whether the answer is stored separately from the messages.
        keys: the keys of the object that lead to the request and the answer.
    """

    messages: list[tuple[Any, JsonPath]]
    request: dict[str, Any]
    is_answered: bool
    keys: frozenset[str]


def exchange_in(value: dict[str, Any], path: JsonPath) -> Exchange | None:
    """Returns the messages of a request and its answer, or None if an object is no exchange."""
    answer_keys = _keys_of_answer(value)
    for request_keys in _REQUEST_PATHS:
        messages_list = value_at(value, (*request_keys, "messages"))
        if isinstance(messages_list, list):
            break
    else:
        request_keys, messages_list = (), None
    if answer_keys is None and not request_keys:
        return None  # the object itself is a conversation
    messages: list[tuple[Any, JsonPath]] = []
    if messages_list is not None:
        messages = _with_paths(messages_list, _path_at(path, (*request_keys, "messages")))
    keys = {"messages", *request_keys[:1]}
    if answer_keys is not None:
        answer = value_at(value, answer_keys)
        keys.add(answer_keys[0])
        if not messages or messages[-1][0] != answer:
            messages.append((answer, _path_at(path, answer_keys)))
    request = value_at(value, request_keys)
    return Exchange(messages, request, answer_keys is not None, frozenset(keys))


def _path_at(path: JsonPath, keys: Iterable[str | int]) -> JsonPath:
    for key in keys:
        path = path[key]
    return path


def messages_in(value: Any) -> list[Any]:
    """Returns the messages in a value without their paths, or an empty list."""
    if not isinstance(value, dict):
        return value if isinstance(value, list) else []
    exchange = exchange_in(value, JsonPath(""))
    if exchange is not None:
        return [message for message, _ in exchange.messages]
    return list_at(value, "messages")


def _keys_of_answer(value: dict[str, Any]) -> tuple[Any, ...] | None:
    """Returns the keys and indices that lead to the model's answer, or None."""
    for path in _RESPONSE_PATHS:
        if path and value_at(value, (*path, "role")) == "assistant":
            return path
        choice: tuple[Any, ...] = (*path, "choices", 0, "message")
        if isinstance(value_at(value, choice), dict):
            return choice
    return None


# Fields that move to the latest message as a conversation grows, or that are not sent again.
_TRANSIENT_KEYS = (
    *("cache_control", "provider_specific_fields"),
    *("reasoning", "reasoning_content", "reasoning_details"),
)
_ANSWER_MARK = "stop_reason"  # a key that only answers of Anthropic's server have
_ANSWER_KEYS = ("id", "type", "model", "stop_reason", "stop_sequence", "usage", "container")


def latest_extensions(conversations: Sequence[tuple[Any, Sequence[Any]]]) -> list[int | None]:
    """Finds for each conversation the index of the last later one that extends it.

    A conversation extends another if it has the same name and begins with the same messages. None
    means that no later conversation does. Two branches with a common beginning are two runs.

    Args:
        conversations: the name and the messages of each.
    """
    extensions: list[int | None] = [None] * len(conversations)
    if len(conversations) < 2:
        return extensions
    last_with_prefix: dict[bytes, int] = {}
    for index in reversed(range(len(conversations))):
        name, messages = conversations[index]
        prefixes = [b"", *_prefix_hashes(name, messages)]
        extensions[index] = last_with_prefix.get(prefixes[-1])
        for prefix in prefixes[:-1]:
            last_with_prefix.setdefault(prefix, index)
    return extensions


def _prefix_hashes(name: Any, messages: Sequence[Any]) -> Iterator[bytes]:
    """Yields after each message a hash of the name and the messages up to it."""
    prefix = _extend_hash(b"", name)
    for message in messages:
        prefix = _extend_hash(prefix, _as_sent_again(message))
        yield prefix


def _as_sent_again(message: Any) -> Any:
    """Returns a message as later requests repeat it: without empty and transient fields."""
    if not isinstance(message, dict):
        return message
    dropped = _TRANSIENT_KEYS + _ANSWER_KEYS if _ANSWER_MARK in message else _TRANSIENT_KEYS
    fields = _without_empty(message, dropped)
    if "content" in fields:
        fields["content"] = _plain_content(fields["content"])
    return fields


def _without_empty(value: Any, dropped: tuple[str, ...]) -> Any:
    """Returns an object without some keys, and without empty values."""
    if not isinstance(value, dict):
        return value
    fields = {key: item for key, item in value.items() if item not in (None, "", [], {})}
    return {key: item for key, item in fields.items() if key not in dropped}


def _plain_content(content: Any) -> Any:
    """Returns the content of a message. A single block of text becomes that text."""
    if not isinstance(content, list):
        return content
    blocks = [_without_empty(block, ("cache_control",)) for block in content]
    match blocks:
        case [{"type": _, "text": text, **rest}] if not rest:
            return text
    return blocks


def _extend_hash(prefix: bytes, value: Any) -> bytes:
    text = json.dumps(value, sort_keys=True, ensure_ascii=True).encode()
    return hashlib.sha256(prefix + text).digest()
