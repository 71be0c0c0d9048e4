"""Requests to a model with its answers, as proxies, batches and logs of calls keep them."""

from typing import Any, NamedTuple

from otap.formats.json.places import Place

# Where a log has what was sent to the model, and what came back.
_REQUESTS = ((), ("request",), ("request", "body"), ("body",), ("kwargs",))
_RESPONSES = (("response",), ("response", "body"), ("completion",), ("result", "message"), ())


class Exchange(NamedTuple):
    """What one object holds of a conversation."""

    messages: list[tuple[Any, Place]]
    request: dict[str, Any]  # where the messages stood, with what could be called
    logged: bool  # whether an answer stands apart from the messages
    keys: frozenset[str]  # of the object, that lead to all this


def exchange_in(value: dict[str, Any], place: Place) -> Exchange | None:
    """Returns the messages of a request and the answer to it; null where an object has neither."""
    asked, answer = _request(value), _answer(value)
    if answer is None and not asked:
        return None  # a conversation that stands here itself
    path = asked or ()
    request = _at(value, path)
    messages = _placed(request.get("messages"), _place_at(place, (*path, "messages")))
    keys = {"messages", *path[:1]}
    if answer is not None:
        where, said = answer
        keys.add(where[0])
        if not messages or messages[-1][0] != said:
            messages.append((said, _place_at(place, where)))
    return Exchange(messages, request, answer is not None, frozenset(keys))


def messages_in(value: Any) -> list[Any]:
    """Returns the messages that a value holds, without their places; none where it has no list."""
    if not isinstance(value, dict):
        return value if isinstance(value, list) else []
    found = exchange_in(value, Place(""))
    if found is not None:
        return [message for message, _ in found.messages]
    messages = value.get("messages")
    return messages if isinstance(messages, list) else []


def _request(value: dict[str, Any]) -> tuple[str, ...] | None:
    return next((p for p in _REQUESTS if isinstance(_at(value, p).get("messages"), list)), None)


def _answer(value: dict[str, Any]) -> tuple[tuple[str, ...], dict[str, Any]] | None:
    """Returns the message that came back, and the keys that lead to it."""
    for path in _RESPONSES:
        found = _at(value, path)
        if path and found.get("role") == "assistant":
            return path, found
        choices = found.get("choices")
        first = choices[0] if isinstance(choices, list) and choices else None
        message = first.get("message") if isinstance(first, dict) else None
        if isinstance(message, dict):
            return (*path, "choices"), message
    return None


def _at(value: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    """Returns the object to which keys lead; an empty one where there is none."""
    found: Any = value
    for key in path:
        found = found.get(key) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}


def _place_at(place: Place, path: tuple[str, ...]) -> Place:
    for key in path:
        place = place[key]
    return place[0]["message"] if path[-1:] == ("choices",) else place


def _placed(messages: Any, place: Place) -> list[tuple[Any, Place]]:
    found = messages if isinstance(messages, list) else []
    return [(message, place[index]) for index, message in enumerate(found)]
