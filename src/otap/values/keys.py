"""How keys are read: customerId is customer_id, and a lone key that only wraps says nothing."""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache

from pydantic import JsonValue

from otap._patterns import regex

# Alone above an object they say no more than that arguments follow.
WRAPPING = frozenset(
    {"input", "inputs", "arg", "args", "argument", "arguments", "param", "params", "parameter"}
    | {"parameters", "kwargs", "request", "payload", "body", "data"}
)
_KEYS = frozenset({"id", "uid", "uuid", "guid", "key", "sku", "isbn", "email", "code", "number"})
_IN_ORDER = frozenset(
    {"command", "commands", "cmd", "argv", "args", "script", "steps", "path", "route", "stops"}
    | {"waypoints", "sequence", "ranking", "ranked", "priorities", "sorted", "queue", "stages"}
    | {"phases", "pipeline", "rotation", "playlist", "itinerary", "ordering", "pair"}
)
_VERSIONED = frozenset(
    {"version", "release", "tag", "revision", "python", "node", "java", "ruby", "section"}
    | {"chapter", "clause", "article"}
)
_WORD = regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_BETWEEN = regex(r"[_\-\s]+")
_NAME = regex(r"[^\W\d_]+(?:[_\- ]?[^\W\d_]+)*\Z")


@lru_cache(maxsize=10_000)
def spelled(key: str) -> str:
    """Returns one spelling of a name in camel, snake or kebab case; other keys as they are.

    Its last word is in the singular: order_ids holds several of what order_id holds. A key with a
    digit may be data, an identifier say, and is left alone.
    """
    if len(key) >= 80 or not _NAME.match(key):
        return key
    return singular(_BETWEEN.sub("", key).lower())


def singular(word: str) -> str:
    """Returns a word without the s of its plural, as far as that can be said by its letters."""
    is_plural = len(word) > 2 and word.endswith("s") and not word.endswith(("ss", "us", "is", "as"))
    return word[:-1] if is_plural else word


def spellings(keys: Iterable[str]) -> Mapping[str, str]:
    """Returns the spelling of each key of one object, by key.

    Two keys of one object that would be spelled alike stay as they were recorded.
    """
    found = {key: spelled(key) for key in keys}
    if len(set(found.values())) == len(found):
        return found
    count = Counter(found.values())
    return {key: name if count[name] == 1 else key for key, name in found.items()}


def one_spelling(values: Iterable[JsonValue]) -> list[JsonValue]:
    """Returns data in which each key of the objects is spelled as in the first that has it."""
    known: dict[str, str] = {}
    return [_respelled(one, known) if isinstance(one, dict) else one for one in values]


def _respelled(data: Mapping[str, JsonValue], known: dict[str, str]) -> JsonValue:
    return {known.setdefault(name, key): data[key] for key, name in spellings(data).items()}


def unwrapped(data: JsonValue) -> tuple[JsonValue, str]:
    """Returns the object in a lone key that only wraps it, and that key; else data, and "".

    A list is an object by place: arguments without names are told apart by where they stand.
    """
    if isinstance(data, list):
        return {f"[{place}]": value for place, value in enumerate(data)}, ""
    if isinstance(data, dict) and len(data) == 1:
        ((key, inner),) = data.items()
        if isinstance(inner, dict) and spelled(key) in WRAPPING:
            return inner, key
    return data, ""


def spelled_path(path: str) -> str:
    """Returns the spelling of a path of keys, without a first one that only wraps the others."""
    first, *rest = map(spelled, path.split("."))
    return ".".join(rest if rest and first in WRAPPING else [first, *rest])


@lru_cache(maxsize=10_000)
def is_identifying(key: str) -> bool:
    """Says whether a field is named as one that tells rows apart: order_id, sku, email."""
    return last_word(key) in _KEYS


@lru_cache(maxsize=10_000)
def says_order(key: str) -> bool:
    """Says whether a key names a list whose order counts: a command, a route, steps."""
    return not _IN_ORDER.isdisjoint(_split_key(key))


@lru_cache(maxsize=10_000)
def says_version(key: str) -> bool:
    """Says whether a key names what is counted in parts: version, python, section."""
    return "version" in key.casefold() or not _VERSIONED.isdisjoint(_split_key(key))


@lru_cache(maxsize=10_000)
def last_word(key: str) -> str:
    """Returns the last word of a key, which says what it holds: ids of new_item_ids."""
    return "".join(_split_key(key)[-1:])


def _split_key(key: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(key[:200])]
