"""Which parts of data look like identifiers that a system draws, and where they stand.

What came back is taken apart at its identifiers: what it says without them, and the place of each,
told without the identifiers themselves. So the same thing has the same place in two runs that call
it by different identifiers.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from pydantic import JsonValue

from otap._patterns import regex
from otap.dependencies.content import (
    MAX_LEVELS,
    MAX_TEXT,
    Content,
    cache_short,
    canonical_value,
    hash_texts,
    parsed,
)
from otap.values.keys import last_word

LONG = 6  # digits of a number that is an identifier wherever it stands
SMALL = "\x02"  # begins a shorter number, one only under a key that names identifiers
LONGEST = 200  # characters of an identifier

_CLOCK = r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
_TIME = r"\d\d?:\d\d(?::\d\d)?(?!\w)"
_ATOM = r"[^\W_](?:[\w-]*[^\W_])?"
_ATOMS = regex(rf"(?<![\w-])(?:{_CLOCK}|{_TIME})|(?P<atom>{_ATOM})", re.ASCII)
_DIGIT = regex(r"\d")
_ALONE = regex(rf"[^\w]*({_ATOM})[)\]\"'.,;:]*\Z", re.ASCII)
_DATED = regex(rf"(?:{_CLOCK}|{_TIME}|\d+\.\d+)\Z", re.ASCII)
_QUANTITY = regex(r"\d+[A-Za-z]{1,3}\Z")
_NAMING = frozenset((
    "id", "ids", "uuid", "guid", "ref", "refs", "token", "cursor", "handle", "key", "number", "no",
    "next",
))  # fmt: skip
_NAMED = regex(
    r"(?:(?<![^\W_])(?:id|uuid|guid|ref|token|cursor|handle|key|number|no)[\"']?\s?[=:]?\s?|#)"
    r"[\"']?\Z",
    re.IGNORECASE,
)
_BEFORE = 12  # characters before a part that can say that it is an identifier
_SENTENCE = regex(r"[\n;]|(?<=[.!?])\s")
_NEW = "\0"

Part = tuple[int, int, str]  # begin, end and spelling of an identifier in a text
Place = tuple[str, str]  # a new identifier, and where it stands
# What each identifier says to whoever compares records; None: it is new.
Says = dict[str, str | None]


def names_identifiers(key: str) -> bool:
    """Says whether a key says that its value is an identifier, as ``order_id`` does."""
    return last_word(key) in _NAMING


@cache_short
def parts(text: str, named: bool) -> Sequence[Part]:
    """Returns begin, end and spelling of each identifier in a text.

    Args:
        text: any text.
        named: whether it stands under a key that names identifiers.
    """
    whole = text.strip()
    if named and _is_opaque(whole):
        alone = _ALONE.match(whole)
        value = alone[1] if alone else whole
        begin = text.index(value)
        is_small = value.isdigit() and len(value) < LONG
        return ((begin, begin + len(value), SMALL + value if is_small else value),)
    if not _DIGIT.search(text):
        return ()
    found = []
    for match in _ATOMS.finditer(text):
        atom = match["atom"]
        if atom is not None and len(atom) <= LONGEST and _DIGIT.search(atom):
            begin = match.start()
            said = _NAMED.search(text, max(0, begin - _BEFORE), begin) is not None
            if _is_identifier(atom, said):
                found.append((begin, match.end(), atom))
    return found


def _is_opaque(whole: str) -> bool:
    """Whether a text that is named as an identifier is one as a whole."""
    if not 0 < len(whole) <= LONGEST or "://" in whole or _DATED.match(whole):
        return False
    is_mixed = not (whole.islower() or whole.isupper() or whole.istitle())
    return len(whole.split()) == 1 and (
        any(map(str.isdigit, whole)) or (is_mixed and len(whole) >= 8)
    )


def _is_identifier(atom: str, said: bool) -> bool:
    """Whether a word with a digit is an identifier; said: the word before it says so."""
    digits = sum(map(str.isdigit, atom))
    if digits == len(atom.replace("-", "")):
        return digits >= LONG + ("-" in atom)
    return said or (len(atom) > 2 and not _QUANTITY.match(atom))


def replace_identifiers(text: str, named: bool, name_of: Callable[[str], str]) -> str:
    """Returns a text with each identifier replaced by its name."""
    found, last = [], 0
    for begin, end, value in parts(text, named):
        found += [text[last:begin], name_of(value)]
        last = end
    return "".join([*found, text[last:]]) if found else text


def as_text(data: JsonValue) -> str | None:
    """Returns a whole number or a text as a text; None for what holds no identifier."""
    if isinstance(data, int) and not isinstance(data, bool):
        return str(data)
    return data if isinstance(data, str) else None


def read_identifiers(content: Content) -> tuple[Sequence[str], Sequence[Place]]:
    """Returns the different identifiers in a content, and their places if all of them are new."""
    says: Says = {}
    node = _Reading(says, by_path=False).read(content.data)
    return tuple(says), [*_place_identifiers(node, says, "")]


def read_places(content: Content, said: Sequence[str | None], by_path: bool) -> Sequence[Place]:
    """Returns the places of the new identifiers in a content.

    Args:
        content: what a step says.
        said: what each of its identifiers says to whoever compares records; None: it is new.
        by_path: whether a text with identifiers in one sentence alone is told by no more than that.
    """
    says = dict(zip(content.read(read_identifiers)[0], said, strict=True))
    node = _Reading(says, by_path).read(content.data)
    return [*_place_identifiers(node, says, "")]


class _Node(NamedTuple):
    """A piece of data: what it says but for new identifiers, and where identifiers are in it."""

    content: str
    values: Sequence[str] = ()  # the identifiers of a text
    members: "Sequence[tuple[str, _Node]]" = ()  # that have identifiers, by what names them


def _place_identifiers(node: _Node, says: Says, path: str) -> Iterator[Place]:
    for index, value in enumerate(node.values):
        if says[value] is None:
            yield value, hash_texts(path, str(index))
    for name, member in node.members:
        yield from _place_identifiers(member, says, hash_texts(path, name))


class _Reading:
    """Reads data whose identifiers say something, or are new."""

    def __init__(self, says: Says, by_path: bool) -> None:
        self._says, self._by_path = says, by_path

    def read(self, data: JsonValue, named: bool = False, depth: int = 0) -> _Node:
        """Returns what some data says; text that is JSON is read as such.

        With identifiers in several sentences or lines, a text is a list of these.
        """
        data = parsed(data)
        if depth > MAX_LEVELS:
            return _Node("")
        if isinstance(data, dict):
            return self._read_object(data, depth)
        if isinstance(data, list):
            return _join_nodes([self.read(value, named, depth + 1) for value in data])
        text = as_text(data)
        if text is None:
            return _Node(canonical_value(data))
        if named or not _DIGIT.search(text):
            return self._read_line(text[:MAX_TEXT], named)
        node = _join_nodes([self._read_line(line) for line in _SENTENCE.split(text[:MAX_TEXT])])
        if self._by_path and len(node.members) == 1:
            return node.members[0][-1]._replace(content=node.content)
        return node

    def _read_object(self, data: dict[str, JsonValue], depth: int) -> _Node:
        """An object; if new identifiers are its keys, it is a list of what stands under them."""
        members, said, is_list = [], [], False
        for key in sorted(data):
            name = self._read_line(key)
            member = self.read(data[key], names_identifiers(key), depth + 1)
            said += [name.content, member.content]
            if name.values:
                is_list = is_list or None in map(self._says.get, name.values)
                content = hash_texts(name.content, member.content)
                member = _Node(content, name.values, [("", member)])
            if member.values or member.members:
                members.append((name.content, member))
        if is_list:
            listed = _join_nodes([member for _, member in members])
            return listed._replace(content=hash_texts(*sorted(said)))
        return _Node(hash_texts(*said), (), members)

    def _read_line(self, text: str, named: bool = False) -> _Node:
        values: list[str] = []

        def write(value: str) -> str:
            values.append(value)
            return self._says.setdefault(value, None) or _NEW

        return _Node(replace_identifiers(text, named, write).strip(), values)


def _join_nodes(nodes: Sequence[_Node]) -> _Node:
    """A list, whose members are named by what they say."""
    members = [(node.content, node) for node in nodes if node.values or node.members]
    return _Node(hash_texts(*[node.content for node in nodes]), (), members)
