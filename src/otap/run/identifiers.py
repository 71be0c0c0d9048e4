"""Which parts of data look like identifiers that a system generates, and where they are.

An effect is taken apart at its identifiers. The rest of its text, and the position of each
identifier, are described without the identifiers. Equal positions in two runs thus get equal
descriptions, although the identifiers differ.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pydantic import JsonValue

from otap._patterns import regex
from otap.run.scalars import (
    MAX_LEVELS,
    MAX_TEXT,
    cache_short,
    canonical_value,
    hash_texts,
)
from otap.values.keys import last_word
from otap.values.value import parse_text

MIN_DIGITS = 6  # a number with this many digits is an identifier in any position
SHORT_NUMBER = "\x02"  # marks a shorter number, an identifier only under an identifying key
MAX_LENGTH = 200  # characters of an identifier

_CLOCK = r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
_TIME = r"\d\d?:\d\d(?::\d\d)?(?!\w)"
_ATOM = r"[^\W_](?:[\w-]*[^\W_])?"
# A word with a digit, or what follows a moment without a blank; words without digits are skipped.
_WORD = regex(rf"(?<![\w-])(?:{_CLOCK}|{_TIME}|(?=[\w-]*?\d))[_-]*(?P<atom>{_ATOM})?", re.ASCII)
_DIGIT = regex(r"\d")
_ALONE = regex(rf"[^\w]*({_ATOM})[)\]\"'.,;:]*\Z", re.ASCII)
_DATED = regex(rf"(?:{_CLOCK}|{_TIME}|\d+\.\d+)\Z", re.ASCII)
_QUANTITY = regex(r"\d+[A-Za-z]{1,3}\Z")
_IDENTIFYING_KEYS = frozenset((
    "id", "ids", "uuid", "guid", "ref", "refs", "token", "cursor", "handle", "key", "number", "no",
    "next",
))  # fmt: skip
_ANNOUNCED = regex(
    r"(?:(?<![^\W_])(?:id|uuid|guid|ref|token|cursor|handle|key|number|no)[\"']?\s?[=:]?\s?|#)"
    r"[\"']?\Z",
    re.IGNORECASE,
)
_CONTEXT = 12  # characters before a word that can announce an identifier
_SENTENCE = regex(r"[\n;]|(?<=[.!?])\s")
_NEW = "\0"

Span = tuple[int, int, str]  # begin, end and spelling of an identifier in a text
Position = tuple[str, str]  # a new identifier, and a digest of its position
# The name under which each identifier is compared; None for a new one.
NameById = Mapping[str, str | None]


def names_identifiers(key: str) -> bool:
    """Returns whether a key names identifiers, as ``order_id`` does."""
    return last_word(key) in _IDENTIFYING_KEYS


def identifier_spans(text: str, under_id_key: bool) -> Sequence[Span]:
    """Returns begin, end and spelling of each identifier in a text.

    Args:
        text: any text.
        under_id_key: whether its key names identifiers.
    """
    if not under_id_key and not _DIGIT.search(text):
        return ()
    return _read_spans(text, under_id_key)


@cache_short
def _read_spans(text: str, under_id_key: bool) -> Sequence[Span]:
    stripped = text.strip()
    if under_id_key and _is_opaque(stripped):
        alone = _ALONE.match(stripped)
        identifier = alone[1] if alone else stripped
        begin = text.index(identifier)
        is_short = identifier.isdigit() and len(identifier) < MIN_DIGITS
        name = SHORT_NUMBER + identifier if is_short else identifier
        return ((begin, begin + len(identifier), name),)
    if not _DIGIT.search(text):
        return ()
    spans = []
    for match in _WORD.finditer(text):
        atom = match["atom"]
        if atom is not None and len(atom) <= MAX_LENGTH and _DIGIT.search(atom):
            begin = match.start("atom")
            is_announced = _ANNOUNCED.search(text, max(0, begin - _CONTEXT), begin) is not None
            if _is_identifier(atom, is_announced):
                spans.append((begin, match.end(), atom))
    return spans


def _is_opaque(text: str) -> bool:
    """Whether a text under an identifying key is one identifier."""
    if not 0 < len(text) <= MAX_LENGTH or "://" in text or _DATED.match(text):
        return False
    is_mixed_case = not (text.islower() or text.isupper() or text.istitle())
    has_digit = any(character.isdigit() for character in text)
    return len(text.split()) == 1 and (has_digit or (is_mixed_case and len(text) >= 8))


def _is_identifier(atom: str, is_announced: bool) -> bool:
    """Whether a word with a digit is an identifier, given that the word before announces one."""
    digits = sum(character.isdigit() for character in atom)
    if digits == len(atom.replace("-", "")):
        return digits >= MIN_DIGITS + ("-" in atom)
    return is_announced or (len(atom) > 2 and not _QUANTITY.match(atom))


def replace_identifiers(text: str, under_id_key: bool, name_of: Callable[[str], str]) -> str:
    """Returns a text with each identifier replaced by its name."""
    pieces, last = [], 0
    for begin, end, identifier in identifier_spans(text, under_id_key):
        pieces += [text[last:begin], name_of(identifier)]
        last = end
    return "".join([*pieces, text[last:]]) if pieces else text


def as_text(data: JsonValue) -> str | None:
    """Returns a text, or a whole number as text; None for data that holds no identifier."""
    if isinstance(data, int) and not isinstance(data, bool):
        return str(data)
    return data if isinstance(data, str) else None


def list_identifiers(data: JsonValue) -> Sequence[str]:
    """Returns the different identifiers in some data."""
    identifiers: dict[str, None] = {}
    _add_identifiers(data, identifiers)
    return tuple(identifiers)


def _add_identifiers(
    data: JsonValue, identifiers: dict[str, None], under_id_key: bool = False, depth: int = 0
) -> None:
    """Adds the identifiers in some data, in the order in which :class:`_Reader` meets them."""
    data = parse_text(data)
    if data is None or depth > MAX_LEVELS:
        return
    if isinstance(data, dict):
        for key in sorted(data):
            identifiers.update(dict.fromkeys(_spelled(key)))
            _add_identifiers(data[key], identifiers, names_identifiers(key), depth + 1)
    elif isinstance(data, list):
        for member in data:
            _add_identifiers(member, identifiers, under_id_key, depth + 1)
    elif (text := as_text(data)) and (under_id_key or _DIGIT.search(text)):
        text = text[:MAX_TEXT]
        for line in [text] if under_id_key else _SENTENCE.split(text):
            identifiers.update(dict.fromkeys(_spelled(line, under_id_key)))


def _spelled(text: str, under_id_key: bool = False) -> list[str]:
    """The identifiers in a text."""
    return [identifier for _, _, identifier in identifier_spans(text, under_id_key)]


def list_positions(data: JsonValue) -> Sequence[Position]:
    """Returns the positions of the identifiers in some data if all are new."""
    return read_positions(data, dict.fromkeys(list_identifiers(data)), by_path=False)


def read_positions(data: JsonValue, names: NameById, by_path: bool) -> Sequence[Position]:
    """Returns the positions of the new identifiers in some data.

    Args:
        data: the effect or state of a step.
        names: for each of its identifiers the name under which it is compared; None: it is new.
        by_path: whether a text with identifiers in a single sentence is described by its path
            alone.
    """
    names = dict(names)
    return [*_list_positions(_Reader(names, by_path).read(data), names, "")]


class _Node(NamedTuple):
    """A piece of data: its text without new identifiers, and where its identifiers are."""

    text: str
    identifiers: Sequence[str] = ()  # those of a text
    members: "Sequence[tuple[str, _Node]]" = ()  # those with identifiers, by their description


def _list_positions(node: _Node, names: NameById, path: str) -> Iterator[Position]:
    for index, identifier in enumerate(node.identifiers):
        if names[identifier] is None:
            yield identifier, hash_texts(path, str(index))
    for description, member in node.members:
        yield from _list_positions(member, names, hash_texts(path, description))


class _Reader:
    """Reads data, given the names of its identifiers; unknown identifiers are added as new."""

    def __init__(self, names: dict[str, str | None], by_path: bool) -> None:
        self._names, self._by_path = names, by_path

    def read(self, data: JsonValue, under_id_key: bool = False, depth: int = 0) -> _Node:
        """Returns some data as a node; text that is JSON is parsed.

        A text with identifiers in several sentences or lines becomes a list of these.
        """
        data = parse_text(data)
        if depth > MAX_LEVELS:
            return _Node("")
        if isinstance(data, dict):
            return self._read_object(data, depth)
        if isinstance(data, list):
            return _join_nodes([self.read(member, under_id_key, depth + 1) for member in data])
        text = as_text(data)
        if text is None:
            return _Node(canonical_value(data))
        if under_id_key or not _DIGIT.search(text):
            return self._read_line(text[:MAX_TEXT], under_id_key)
        node = _join_nodes([self._read_line(line) for line in _SENTENCE.split(text[:MAX_TEXT])])
        if self._by_path and len(node.members) == 1:
            return node.members[0][-1]._replace(text=node.text)
        return node

    def _read_object(self, data: dict[str, JsonValue], depth: int) -> _Node:
        """An object; if new identifiers are its keys, it is the list of its members."""
        members, texts, is_list = [], [], False
        for key in sorted(data):
            key_node = self._read_line(key)
            member = self.read(data[key], names_identifiers(key), depth + 1)
            texts += [key_node.text, member.text]
            if key_node.identifiers:
                is_list = is_list or None in [self._names.get(i) for i in key_node.identifiers]
                text = hash_texts(key_node.text, member.text)
                member = _Node(text, key_node.identifiers, [("", member)])
            if member.identifiers or member.members:
                members.append((key_node.text, member))
        if is_list:
            joined = _join_nodes([member for _, member in members])
            return joined._replace(text=hash_texts(*sorted(texts)))
        return _Node(hash_texts(*texts), (), members)

    def _read_line(self, text: str, under_id_key: bool = False) -> _Node:
        if not identifier_spans(text, under_id_key):  # as in most texts
            return _Node(text.strip())
        identifiers: list[str] = []

        def write(identifier: str) -> str:
            identifiers.append(identifier)
            return self._names.setdefault(identifier, None) or _NEW

        return _Node(replace_identifiers(text, under_id_key, write).strip(), identifiers)


def _join_nodes(nodes: Sequence[_Node]) -> _Node:
    """A list, whose members are described by their text."""
    members = [(node.text, node) for node in nodes if node.identifiers or node.members]
    return _Node(hash_texts(*[node.text for node in nodes]), (), members)
