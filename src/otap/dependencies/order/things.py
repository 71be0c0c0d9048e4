"""The things that a call names: what it is about, and no circumstance of it.

A value of the arguments names a thing

1. where it has the form of an identifier (a digit among letters: ``W-20``, ``obj12``, ``B4``), of a
   path, a URL, a mail address or a file;
2. where its key says so, whatever it looks like (``path``, ``table``, ``cell``, ``order_id``);
3. where the call has no keys, as in the notation of plans: an operator and its objects;
4. where it is a single small letter, as blocks are called. In a sentence it must close its phrase
   (``pick up block a``, ``stack a on b``): the article does not.

Cities, kinds, amounts, dates, versions and texts are none, nor are keys: many calls have them that
can change places. Two things are one if they are spelled alike, but for a leading ``#``.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from pydantic import JsonValue

from otap._caching import cached_property
from otap._patterns import regex
from otap.dependencies.content import Content, content
from otap.dependencies.values import MAX_LEVELS, canonical_value, is_date, parsed
from otap.trajectory import Step

MAX_NAME = 200  # characters of a name
MAX_NAMED = 64  # things that are looked at of one step, the first ones
MAX_TEXT = 2_000  # characters in which things are looked for, where all arguments are one text
MAX_VALUES = 1_000  # values that are looked at of one step

# The last word of a key whose value names what the call is about.
KEYS = frozenset((
    "id", "ids", "key", "uuid", "ref", "reference", "path", "file", "filename", "filepath",
    "folder", "directory", "table", "column", "cell", "range", "sheet", "document", "page",
    "branch", "tag", "repo", "repository", "bucket", "queue", "topic", "service", "host",
    "server", "cluster", "node", "device", "resource", "object", "objects", "item", "block",
    "package", "element", "selector", "record", "ticket", "issue", "order", "account",
    "invoice", "slot", "room", "volume",
))  # fmt: skip
_KEY_WORD = regex(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_IDENTIFIER = regex(r"(?=.*\d)(?=.*[^\W\d_])\S+\Z")
_PLACE = regex(r"[^\s@]+@[^\s@]+\.\w+\Z|\w+://\S+\Z|[~.]{0,2}/?[\w.@-]+(?:/[\w.@-]+)+\Z")
_FILE = regex(r"[\w-][\w.-]*\.[A-Za-z]\w{0,4}\Z")
_TIME = regex(r"\d{4}-\d\d-\d\dT|\d{1,2}:\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4}\Z")
_AMOUNT = regex(r"\W*\d[\d.,]*\s*(?:[^\W\d_]{1,3}|%)\Z|v?\d+(?:\.\d+)+\Z|[A-Z]{3}\W*\d[\d.,]*\Z")
_LETTER = regex(r"[a-z]\Z")
_IN_PHRASE = regex(
    r"\b([a-z])(?=\s*(?:\Z|[,;.)]|\b(?:[a-z]|on|from|to|onto|and|with|in|into|at|of|off|under|next)\b))"
)
_TOKEN = regex(r"[^\s,;()\[\]{}\"']+")


@dataclass(frozen=True)
class Named:
    """The things that a step names.

    Attributes:
        paths: for each thing the paths at which it stands, in the order of the step.
        keys: for each key the things that stand under it; what has no key is not there.
    """

    paths: dict[str, list[str]]
    keys: dict[str, set[str]]

    @cached_property
    def under(self) -> dict[str, set[str]]:
        """For each thing the keys under which it stands; "" for what has none."""
        found: dict[str, set[str]] = defaultdict(set)
        for thing, paths in self.paths.items():
            found[thing] = {key_of(path) for path in paths}
        return found


NOTHING = Named({}, {})


def things(step: Step) -> Named:
    """Returns the things that a step names: in its arguments, or without any in its action."""
    if step.arguments is None:
        return content(step.action).read(_in_action)
    return content(step.arguments).read(_in_arguments)


def _in_action(action: Content) -> Named:
    return _gathered(_in_text(action.data, "action") if isinstance(action.data, str) else ())


def _in_arguments(arguments: Content) -> Named:
    return _gathered(_named(arguments.data))


def _gathered(named: Iterable[tuple[str, str]]) -> Named:
    """The first things of those that are named, each with its path."""
    paths: dict[str, list[str]] = {}
    keys: dict[str, set[str]] = defaultdict(set)
    for thing, path in named:
        if thing not in paths and len(paths) == MAX_NAMED:
            break
        paths.setdefault(thing, []).append(path)
        key = key_of(path)
        if key:
            keys[key].add(thing)
    return Named(paths, dict(keys))


def key_of(path: str) -> str:
    """Returns the key under which a value stands, small and without its place in a list."""
    last = path.rpartition(".")[2] if "." in path else ""
    return last.partition("[")[0].replace("_", "").replace("-", "").lower()


def _named(arguments: JsonValue) -> Iterator[tuple[str, str]]:
    arguments = parsed(arguments)
    if isinstance(arguments, str):
        yield from _in_text(arguments, "arguments")
        return
    objects = isinstance(arguments, list)
    for _, (value, path) in zip(range(MAX_VALUES), _scalars(arguments), strict=False):
        name = canonical_value(value).removeprefix("#")
        if _is_thing(name, path, objects):
            yield name, path


def _scalars(arguments: JsonValue) -> Iterator[tuple[str | int, str]]:
    """The short texts and whole numbers of a tree of data with their paths, in listing order."""
    waiting: list[tuple[JsonValue, str, int]] = [(arguments, "arguments", 0)]
    while waiting:
        data, path, depth = waiting.pop()
        if isinstance(data, dict | list) and depth < MAX_LEVELS:
            below = [(value, place, depth + 1) for value, place in _members(data, path)]
            waiting.extend(reversed(below))
        elif (isinstance(data, str) and len(data) <= MAX_NAME) or type(data) is int:
            yield data, path


def _members(
    data: dict[str, JsonValue] | list[JsonValue], path: str
) -> Iterator[tuple[JsonValue, str]]:
    if isinstance(data, dict):
        yield from ((value, f"{path}.{key[:MAX_NAME]}") for key, value in data.items())
    else:
        yield from ((value, f"{path}[{k}]") for k, value in enumerate(data))


def _is_thing(name: str, path: str, objects: bool) -> bool:
    if not name or any(map(str.isspace, name)) or _is_measure(name):
        return False
    return objects or _has_form(name) or bool(_LETTER.match(name)) or _says_thing(path)


@lru_cache(maxsize=4096)
def _has_form(name: str) -> bool:
    """Whether a name has the form of an identifier or an address."""
    return any(form.match(name) for form in (_IDENTIFIER, _PLACE, _FILE))


@lru_cache(maxsize=4096)
def _is_measure(name: str) -> bool:
    """Whether a name is a date, a time, an amount or a version."""
    return is_date(name) or bool(_TIME.match(name) or _AMOUNT.match(name))


def _says_thing(path: str) -> bool:
    key = path.rpartition(".")[2].partition("[")[0]
    words = _KEY_WORD.findall(key)
    return bool(words) and words[-1].lower() in KEYS


def _in_text(text: str, path: str) -> Iterator[tuple[str, str]]:
    """The things in a sentence, or in a call's arguments that are one text."""
    text = text[:MAX_TEXT]
    for match in _TOKEN.finditer(text):
        name = canonical_value(match.group().rstrip(".:!?")).removeprefix("#")
        if len(name) <= MAX_NAME and not _is_measure(name) and _has_form(name):
            yield name, path
    yield from ((match[1], path) for match in _IN_PHRASE.finditer(text))
