"""Where identifiers stand in what came back, told without the identifiers themselves."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

from pydantic import JsonValue

from otap.dependencies.names.identifiers import as_text, names_identifiers, parts
from otap.dependencies.values import MAX_LEVELS, MAX_TEXT, canonical_value, parsed

_DIGIT = re.compile(r"\d")
_NEW = "\0"
_KEPT = 200  # characters of the longest text whose sentences are kept
_SENTENCE = re.compile(r"[\n;]|(?<=[.!?])\s")

Told = tuple[str, list[tuple[str, bool]]]  # what a text says, and its identifiers: is each new?
# What an identifier says to whoever compares records; None: it is new.
Content = Callable[[str], str | None]


class Place(NamedTuple):
    """An identifier and where it stands.

    is_numbered: whether that rests on a number, as there are members that say the same.
    """

    value: str
    path: str
    is_new: bool
    is_numbered: bool


class _Node(NamedTuple):
    """A piece of data, what it says besides new identifiers, and where these are."""

    content: str
    values: Sequence[tuple[str, bool]] = ()
    members: "Sequence[tuple[str, _Node]]" = ()
    is_list: bool = False

    @property
    def has_values(self) -> bool:
        """Whether there is an identifier in it."""
        return bool(self.values or self.members)


def places(data: JsonValue, content: Content, by_path: bool) -> Iterator[Place]:
    """Yields the identifiers in some data, each with its place.

    Args:
        data: any JSON value; text that is JSON is read as such.
        content: what an identifier says.
        by_path: whether a text with identifiers in one sentence alone is told by no more than that.
    """
    yield from _placed(_node(data, content, by_path, "", 0), "", is_numbered=False)


def _placed(node: _Node, path: str, *, is_numbered: bool) -> Iterator[Place]:
    for index, (value, is_new) in enumerate(node.values):
        yield Place(value, mixed(path, str(index)), is_new, is_numbered)
    if not node.is_list:
        for key, member in node.members:
            yield from _placed(member, mixed(path, key), is_numbered=is_numbered)
        return
    counts = Counter(member.content for _, member in node.members)
    times: Counter[str] = Counter()
    for _, member in node.members:
        times[member.content] += 1
        part = mixed(path, member.content, str(times[member.content]))
        numbered = is_numbered or counts[member.content] > 1
        yield from _placed(member, part, is_numbered=numbered)


def _node(data: JsonValue, content: Content, by_path: bool, key: str, depth: int) -> _Node:
    data = parsed(data)
    if depth > MAX_LEVELS:
        return _Node("")
    if isinstance(data, dict):
        return _of_object(data, content, by_path, depth)
    if isinstance(data, list):
        members = [_node(value, content, by_path, key, depth + 1) for value in data]
        said = mixed(*(member.content for member in members))
        telling = [("", member) for member in members if member.has_values]
        return _Node(said, (), telling, is_list=True)
    text = as_text(data)
    if text is None:
        return _Node(canonical_value(data))
    return _of_text(text[:MAX_TEXT], content, names_identifiers(key), by_path)


def _of_object(data: dict[str, JsonValue], content: Content, by_path: bool, depth: int) -> _Node:
    """An object; if new identifiers are its keys, it is a list of what stands under them."""
    members, is_list, said = [], False, []
    for key in sorted(data):
        name, values = _told(key, content, named=False)
        is_list = is_list or any(is_new for _, is_new in values)
        member = _node(data[key], content, by_path, key, depth + 1)
        said += [name, member.content]
        if values:
            member = _Node(mixed(name, member.content), values, [("", member)])
        if member.has_values:
            members.append((name, member))
    return _Node(mixed(*(sorted(said) if is_list else said)), (), members, is_list)


def _of_text(text: str, content: Content, named: bool, by_path: bool) -> _Node:
    """A text; with new identifiers in several sentences or lines it is a list of these."""
    if named:
        return _Node(*_told(text, content, named))
    if not _DIGIT.search(text):
        return _Node(text)
    sentences = [_told(sentence, content, named) for sentence in _sentences(text)]
    return _of_sentences(sentences, by_path)


def _of_sentences(sentences: Sequence[Told], by_path: bool) -> _Node:
    telling = [_Node(said, values) for said, values in sentences if values]
    said = mixed(*(said for said, _ in sentences))
    if len(telling) == 1 and by_path:
        return _Node(said, telling[0].values)
    return _Node(said, (), [("", node) for node in telling], is_list=True)


def _sentences(text: str) -> Sequence[str]:
    return _kept_sentences(text) if len(text) <= _KEPT else _SENTENCE.split(text)


@lru_cache(maxsize=4096)
def _kept_sentences(text: str) -> Sequence[str]:
    return _SENTENCE.split(text)


def _told(text: str, content: Content, named: bool) -> Told:
    """What a text says besides new identifiers, and all that it has."""
    found = parts(text, named)
    if not found:
        return text.strip(), []
    said, last = [], 0
    values = []
    for begin, end, value in found:
        known = content(value)
        said += [text[last:begin], _NEW if known is None else known]
        values.append((value, known is None))
        last = end
    return "".join([*said, text[last:]]).strip(), values


def mixed(*texts: str) -> str:
    """A short text that is equal for equal texts."""
    return blake2b("\x1f".join(texts).encode(), digest_size=9).hexdigest()
