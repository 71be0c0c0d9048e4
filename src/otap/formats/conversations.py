"""Finds the conversations in a file: lists of messages, or objects with a list of messages."""

import hashlib
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from otap.formats.content import drop_nulls
from otap.formats.exchanges import Exchange, exchange_in
from otap.formats.json.documents import Document
from otap.formats.json.lines import Streamed
from otap.formats.json.paths import JsonPath
from otap.formats.tokens import find_usage, sum_tokens
from otap.formats.tool_definitions import tool_facts
from otap.formats.unread import UnreadTally
from otap.trajectory import Step, Tokens, Trajectory, Unread, parse_trajectory

NO_FIELDS: Mapping[str, Any] = MappingProxyType({})
_NAME_KEYS = ("id", "task_id", "task", "trial")
# How benchmarks and environments name their judgement of a run, beside its messages.
_OUTCOME_KEYS = ("reward", "utility", "task_success", "resolved", "success", "passed", "pass")
_MAX_OUTCOME = 1e9
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

    def to_trajectory(
        self,
        path: JsonPath,
        fields: Mapping[str, Any] = NO_FIELDS,
        notes: Mapping[str, Any] = NO_FIELDS,
    ) -> Trajectory:
        """Returns the run.

        Args:
            path: the path to the run, for errors.
            fields: more fields of the trajectory, which replace those of the conversation.
            notes: more metadata; notes that are null are left out.

        Raises:
            FormatError: if it is not a valid trajectory.
        """
        metadata = {**drop_nulls(notes), **self.metadata}
        return parse_trajectory({**vars(self), "metadata": metadata, **fields}, str(path))


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

        The extra fields name the run, its task and its trial. The others become metadata, and a
        judgement of the run among them its outcome. Of the tool definitions it keeps the facts
        that they state.

        Raises:
            FormatError: if it is not a valid trajectory.
        """
        extra_fields = dict(self.extra_fields)
        names = _pop_names(extra_fields)
        if isinstance(extra_fields.get("metadata"), dict):
            extra_fields = {**extra_fields.pop("metadata"), **extra_fields}
        fields = {
            **names,
            **self._outcome(extra_fields),
            **tool_facts(*self.tool_definitions),
            "metadata": {**extra_fields, **conversation.metadata},
        }
        if self.earlier_states:
            tally = UnreadTally()
            tally.add(conversation.unread)
            tally.ignored("earlier state of the same conversation", self.earlier_states)
            fields["unread"] = tally.counts()
        fields["tokens"] = conversation.tokens or self.token_usage()
        return conversation.to_trajectory(self.path, fields)

    def _outcome(self, extra_fields: Mapping[str, Any]) -> dict[str, float]:
        """Returns the outcome of the run, unless there is none, or two judgements differ.

        In a log of requests such a field judges the request.
        """
        values = [extra_fields[key] for key in _OUTCOME_KEYS if key in extra_fields]
        numbers = [value for value in values if type(value) in (bool, int, float)]
        outcomes = {float(number) for number in numbers if abs(number) <= _MAX_OUTCOME}
        is_judged = len(outcomes) == 1 and not self.is_exchange
        return {"outcome": outcomes.pop()} if is_judged else {}


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
    for index, extension in enumerate(latest_extensions(named_messages)):
        key = index if extension is None else extension
        states.setdefault(key, []).append(conversations[index])
    for index in sorted(states):
        last = states[index][-1]
        tokens = last.tokens
        if last.is_exchange:  # each state is a request that used tokens of its own
            tokens = sum_tokens(state.tokens for state in states[index])
        yield replace(last, earlier_states=len(states[index]) - 1, tokens=tokens)


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


def _exchange_at_keys(value: Any, path: JsonPath, keys: Sequence[str]) -> tuple[Exchange, JsonPath]:
    """Returns the messages of a list, or of the lists in an object, and the path to the first."""
    lists = [(value, path)]
    if isinstance(value, dict):
        lists = [(value[key], path[key]) for key in keys if key in value]
    if not lists:
        raise path[keys[0]].error("expected a list, found null")
    messages = [
        message for list_value, list_path in lists for message in list_path.items(list_value)
    ]
    if not messages:
        raise lists[0][1].error("expected at least one message, found none")
    return Exchange(messages, {}, False, frozenset()), lists[0][1]


def _tool_definitions(value: Any) -> tuple[Any, ...]:
    """Returns the definitions of the available tools in a request."""
    return tuple(value.get(key) for key in _TOOL_KEYS) if isinstance(value, dict) else ()


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
