"""The objects that a call names in its arguments.

An object is the subject of a call, not a circumstance. A value of the arguments names an object

1. if it has the form of an identifier (a digit among letters: ``W-20``, ``obj12``, ``B4``), a path,
   a URL, a mail address or a file;
2. if its key says so, whatever its form (``path``, ``table``, ``cell``, ``order_id``);
3. if the call has no keys, as in the notation of plans: an operator and its objects;
4. if it is a single lower-case letter, the usual name of a block. In a sentence it must end its
   phrase (``pick up block a``, ``stack a on b``); the article "a" does not.

Cities, kinds, amounts, dates, versions and texts name no object, and neither do keys: many calls
that share them can change places. Two objects are equal if their spelling is, except for a leading
``#``.
"""

from collections.abc import Iterator
from itertools import islice
from string import digits
from typing import NamedTuple

from pydantic import JsonValue

from otap._patterns import regex
from otap.run.scalars import canonical_value, list_nodes, write_path
from otap.values.keys import last_word
from otap.values.tool_names import MAX_NAME
from otap.values.units import parse_quantity
from otap.values.value import parse_text

MAX_OBJECTS = 64  # objects of one step that count, the first ones
MAX_TEXT = 2_000  # characters that are searched for objects if the arguments are one text
MAX_VALUES = 1_000  # values of one step that are read

# The last word of a key whose value names the object of the call.
KEYS = frozenset((
    "id", "ids", "key", "uuid", "ref", "reference", "path", "file", "filename", "filepath",
    "folder", "directory", "table", "column", "cell", "range", "sheet", "document", "page",
    "branch", "tag", "repo", "repository", "bucket", "queue", "topic", "service", "host",
    "server", "cluster", "node", "device", "resource", "object", "objects", "item", "block",
    "package", "element", "selector", "record", "ticket", "issue", "order", "account",
    "invoice", "slot", "room", "volume",
))  # fmt: skip
FORM = regex(
    r"(?=.*\d)(?=.*[^\W\d_])\S+\Z"  # an identifier
    r"|[^\s@]+@[^\s@]+\.\w+\Z|\w+://\S+\Z|[~.]{0,2}/?[\w.@-]+(?:/[\w.@-]+)+\Z"  # an address
    r"|[\w-][\w.-]*\.[A-Za-z]\w{0,4}\Z"  # a file
)
_MEASURE = regex(
    r"\d{4}-\d\d-\d\d(?:T|\Z)|\d{1,2}:\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4}\Z"  # a date or time
    r"|\W*\d[\d.,]*\s*(?:[^\W\d_]{1,3}|%)\Z|v?\d+(?:\.\d+)+\Z"
)
_LETTER = regex(r"[a-z]\Z")
_IN_PHRASE = regex(
    r"\b([a-z])(?=\s*(?:\Z|[,;.)]|\b(?:[a-z]|on|from|to|onto|and|with|in|into|at|of|off|under|next)\b))"
)
_TOKEN = regex(r"[^\s,;()\[\]{}\"']+")


class NamedObjects(NamedTuple):
    """The objects that a call names.

    Attributes:
        paths: for each object the paths at which it is named, in listing order.
        by_key: for each key the objects under it; "" for objects without a key.
    """

    paths: dict[str, list[str]]
    by_key: dict[str, set[str]]


NO_OBJECTS = NamedObjects({}, {})


def named_objects(arguments: JsonValue) -> NamedObjects:
    """Returns the objects that a call names.

    Args:
        arguments: its arguments; if it records none, its action.
    """
    data = parse_text(arguments)
    objects = NamedObjects({}, {})
    names = _objects_in_text(data) if isinstance(data, str) else _objects_in_data(data)
    for name, path in names:
        if name not in objects.paths and len(objects.paths) == MAX_OBJECTS:
            break
        objects.paths.setdefault(name, []).append(path)
        key = key_of(path).replace("_", "").replace("-", "").lower()
        objects.by_key.setdefault(key, set()).add(name)
    return objects


def key_of(path: str) -> str:
    """Returns the last key of a written path, without a list index."""
    return path.rpartition(".")[2].partition("[")[0]


def _objects_in_data(arguments: JsonValue) -> Iterator[tuple[str, str]]:
    short_values = (
        (path, value)
        for path, _, value in list_nodes(arguments, nested=False)
        if (isinstance(value, str) and len(value) <= MAX_NAME) or type(value) is int
    )
    for path, value in islice(short_values, MAX_VALUES):
        name, path_text = canonical_value(value).removeprefix("#"), write_path(path)
        if not name or any(character.isspace() for character in name) or is_measure(name):
            continue
        has_naming_key = last_word(key_of(path_text).rstrip(digits)) in KEYS
        is_named = isinstance(arguments, list) or has_naming_key
        if is_named or FORM.match(name) or _LETTER.match(name):
            yield name, path_text


def is_measure(name: str) -> bool:
    """Whether a value is a date, a time or an amount: USD 5 is, TCK-7 is not."""
    return _MEASURE.match(name) is not None or parse_quantity(name) is not None


def _objects_in_text(text: str) -> Iterator[tuple[str, str]]:
    """The objects in a sentence, or in arguments that are one text."""
    text = text[:MAX_TEXT]
    for match in _TOKEN.finditer(text):
        name = canonical_value(match.group().rstrip(".:!?")).removeprefix("#")
        if len(name) <= MAX_NAME and not is_measure(name) and FORM.match(name):
            yield name, ""
    for match in _IN_PHRASE.finditer(text):
        yield match[1], ""
