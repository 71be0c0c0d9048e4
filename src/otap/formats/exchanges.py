"""Finds the messages in an object: a conversation, or a logged request and its answer."""

from typing import Any, NamedTuple

from otap.formats.content import list_at, value_at
from otap.formats.json.paths import JsonPath

# Where a log of requests may have the request to the model, and its response.
_REQUEST_PATHS = ((), ("request",), ("request", "body"), ("body",), ("kwargs",))
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
        messages = path.at(*request_keys, "messages").items(messages_list)
    keys = {"messages", *request_keys[:1]}
    if answer_keys is not None:
        answer = value_at(value, answer_keys)
        keys.add(answer_keys[0])
        if not messages or messages[-1][0] != answer:
            messages.append((answer, path.at(*answer_keys)))
    request = value_at(value, request_keys)
    return Exchange(messages, request, answer_keys is not None, frozenset(keys))


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
