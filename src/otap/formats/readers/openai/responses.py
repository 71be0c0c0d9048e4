"""Items of OpenAI's Responses: what goes in, what comes out, or a response."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from otap.formats.json.documents import Document
from otap.formats.readers.openai.items import ROLES, is_typed_item, lists_tools, read_items
from otap.formats.steps.conversation import Kept, conversations
from otap.formats.steps.tokens import tokens_of_all
from otap.formats.steps.unread import Tally
from otap.trajectory import Trajectory, Unread

NAME = "openai-responses"
DESCRIPTION = "items of OpenAI's Responses: a list, {'items': [...]}, responses, or JSONL"
STEP = "each item that calls a tool, those that are built in included"
KNOWN_BY = "items with a 'type', as 'function_call', or objects 'response'"

_KEYS = ("input", "messages", "items", "output")
# Not kept but for hints of tools: what could have been called is not what was done.
_LEFT_OUT = ("tools", "instructions")
_BEFORE = "previous_response_id"
_OF_A_RESPONSE = ("id", "model", "metadata")


def recognises(value: Any) -> bool:
    """Says whether this is a list of items, an object that holds one, or a list of these."""
    if _is_item(value) or _holds_items(value):
        return any(map(is_typed_item, _items(value))) or _is_response(value)
    first = value[0] if isinstance(value, list) and value else None
    return _is_response(first) or (_holds_items(first) and any(map(is_typed_item, _items(first))))


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one trajectory for each list of items."""
    found = list(conversations(document, _is_item, keys=_KEYS, left_out=_LEFT_OUT))
    for kept in _chained(found):
        items = list(kept.messages)
        listed = tuple(item for item, _ in items if lists_tools(item))
        named = replace(_named(kept), defined=(*kept.defined, *listed))
        told = read_items(items, reasoning=reasoning)
        if _name(kept, _BEFORE) is not None:
            told = replace(told, unread=_without_beginning(told.unread))
        yield named.run(told)


def _chained(found: list[Kept]) -> Iterator[Kept]:
    """Returns each response with those that went before it, where the file has them in order.

    The server keeps what was before: a response only names it. One that two others go on from
    is a run of its own, as they are.
    """
    before = [_name(kept, _BEFORE) for kept in found]
    names = Counter(_name(kept, "id") for kept in found)
    following = Counter(before)
    chains: dict[str, list[Kept]] = {}  # by the id of their last response, which another goes on
    for kept, earlier in zip(found, before, strict=True):
        chain = chains.pop(earlier, []) if earlier is not None else []
        chain.append(kept)
        own = _name(kept, "id")
        if own is not None and names[own] == following[own] == 1:
            chains[own] = chain
        else:
            yield _joined(chain)
    yield from map(_joined, chains.values())


def _name(kept: Kept, key: str) -> str | None:
    name = kept.around.get(key) if kept.around.get("object") == "response" else None
    return name if isinstance(name, str) else None


def _joined(chain: list[Kept]) -> Kept:
    first, last = chain[0], chain[-1]
    if first is last:
        return last
    messages = [message for kept in chain for message in kept.messages]
    around = {**last.around, _BEFORE: first.around.get(_BEFORE)}
    defined = tuple(item for kept in chain for item in kept.defined)
    tokens = tokens_of_all(kept.spent() for kept in chain)
    return replace(last, messages=messages, around=around, defined=defined, tokens=tokens)


def _without_beginning(unread: Unread) -> Unread:
    tally = Tally()
    tally.add(unread)
    tally.unknown("response before, from which this goes on")
    return tally.counted()


def _named(kept: Kept) -> Kept:
    """Leaves out the many settings that a response repeats."""
    if kept.around.get("object") != "response":
        return kept
    around = {key: kept.around[key] for key in _OF_A_RESPONSE if kept.around.get(key) is not None}
    return replace(kept, around=around)


def _is_response(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.get("object") == "response"
        and isinstance(value.get("output"), list)
    )


def _is_item(value: Any) -> bool:
    if not isinstance(value, dict) or "messages" in value:
        return False
    return value.get("role") in ROLES or is_typed_item(value)


def _holds_items(value: Any) -> bool:
    if not isinstance(value, dict):
        return isinstance(value, list) and bool(value) and _is_item(value[0])
    lists = [value[key] for key in _KEYS if key in value]
    return bool(lists) and all(isinstance(items, list) for items in lists)


def _items(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    if _is_item(value):
        return [value]
    return [item for key in _KEYS for item in value.get(key, [])]
