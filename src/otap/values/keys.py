"""Canonical forms of keys: customerId is customer_id; a lone key that only wraps is dropped."""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache

from pydantic import JsonValue

from otap._patterns import regex

# A lone key with one of these names only wraps the arguments.
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
def canonical_key(key: str) -> str:
    """Returns one spelling for a key in camel, snake or kebab case; other keys stay unchanged.

    The last word becomes singular: order_ids holds several values of order_id. A key with a digit
    may be data, such as an identifier, and stays unchanged.
    """
    if len(key) >= 80 or not _NAME.match(key):
        return key
    return singular(_BETWEEN.sub("", key).lower())


def singular(word: str) -> str:
    """Returns a word without the s of its plural, judged by its letters alone."""
    is_plural = len(word) > 2 and word.endswith("s") and not word.endswith(("ss", "us", "is", "as"))
    return word[:-1] if is_plural else word


def canonical_keys(keys: Iterable[str]) -> Mapping[str, str]:
    """Returns the canonical form of each key of one object.

    Keys of one object that would collide stay as recorded.
    """
    by_key = {key: canonical_key(key) for key in keys}
    counts = Counter(by_key.values())
    if len(counts) == len(by_key):
        return by_key
    return {key: name if counts[name] == 1 else key for key, name in by_key.items()}


def unify_keys(values: Iterable[JsonValue]) -> list[JsonValue]:
    """Returns the values with each key of an object as in the first object that has it."""
    first_keys: dict[str, str] = {}
    unified: list[JsonValue] = []
    for value in values:
        if isinstance(value, dict):
            names = canonical_keys(value)
            unified.append({first_keys.setdefault(names[key], key): value[key] for key in names})
        else:
            unified.append(value)
    return unified


def unwrap_arguments(data: JsonValue) -> tuple[JsonValue, str]:
    """Returns the object in a lone key that only wraps it, and this key; else the data and "".

    A list becomes an object with its indices as keys: arguments without names differ by position.
    """
    if isinstance(data, list):
        return {f"[{index}]": member for index, member in enumerate(data)}, ""
    if isinstance(data, dict) and len(data) == 1:
        ((key, inner),) = data.items()
        if isinstance(inner, dict) and canonical_key(key) in WRAPPING:
            return inner, key
    return data, ""


def canonical_path(path: str) -> str:
    """Returns the canonical form of a path of keys, without a first key that only wraps."""
    keys = [canonical_key(key) for key in path.split(".")]
    return ".".join(keys[1:] if len(keys) > 1 and keys[0] in WRAPPING else keys)


@lru_cache(maxsize=10_000)
def is_identifying(key: str) -> bool:
    """Returns whether the name of a field is that of a key: order_id, sku, email."""
    return last_word(key) in _KEYS


@lru_cache(maxsize=10_000)
def is_ordered_key(key: str) -> bool:
    """Returns whether the list under a key has a meaningful order: a command, a route, steps."""
    return not _IN_ORDER.isdisjoint(_split_key(key))


@lru_cache(maxsize=10_000)
def is_version_key(key: str) -> bool:
    """Returns whether the values under a key are numbered in parts: version, python, section."""
    return "version" in key.casefold() or not _VERSIONED.isdisjoint(_split_key(key))


@lru_cache(maxsize=10_000)
def last_word(key: str) -> str:
    """Returns the last word of a key in small letters: ids of new_item_ids."""
    return "".join(_split_key(key)[-1:])


def _split_key(key: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(key[:200])]
