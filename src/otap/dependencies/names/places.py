"""Where identifiers stand in what came back, told without the identifiers themselves."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from otap.dependencies.content import Content
from otap.dependencies.names.shapes import (
    Line,
    Members,
    Object,
    Sentences,
    Shape,
    identifiers,
    mixed,
    shape_of,
)

KEPT = 8  # readings of one content, by what its identifiers say
_NEW = "\0"

# What an identifier says to whoever compares records; None: it is new.
Says = Callable[[str], str | None]
Said = Mapping[str, str | None]


class Place(NamedTuple):
    """An identifier and where it stands.

    is_numbered: whether that rests on a number, as there are members that say the same.
    """

    value: str
    path: str
    is_new: bool
    is_numbered: bool


def places(content: Content, says: Says, by_path: bool) -> Sequence[Place]:
    """Returns the identifiers in a content, each with its place.

    Args:
        content: what came back.
        says: what an identifier says.
        by_path: whether a text with identifiers in one sentence alone is told by no more than that.
    """
    known = content.read(_Known)
    return known.places(tuple(map(says, known.identifiers)), by_path)


class _Known:
    """The places in one content, by what its identifiers say.

    Args:
        content: what came back.
    """

    def __init__(self, content: Content) -> None:
        self._shape = shape_of(content)
        self.identifiers = [*dict.fromkeys(identifiers(self._shape))]
        self._found: dict[tuple[bool, tuple[str | None, ...]], Sequence[Place]] = {}

    def places(self, said: tuple[str | None, ...], by_path: bool) -> Sequence[Place]:
        """Returns the places where the identifiers, in their order, say this."""
        if not said:
            return ()
        key = by_path, said
        found = self._found.get(key)
        if found is None:
            if len(self._found) == KEPT:
                self._found.clear()
            reading = _Reading(dict(zip(self.identifiers, said, strict=True)), by_path)
            found = self._found[key] = [*_placed(reading.node(self._shape), "", False)]
        return found


class _Node(NamedTuple):
    """A piece of data, what it says besides new identifiers, and where these are."""

    content: str
    values: Sequence[tuple[str, bool]] = ()
    members: "Sequence[tuple[str, _Node]]" = ()
    is_list: bool = False


def _placed(node: _Node, path: str, is_numbered: bool) -> Iterator[Place]:
    for index, (value, is_new) in enumerate(node.values):
        yield Place(value, mixed(path, str(index)), is_new, is_numbered)
    if not node.is_list:
        for key, member in node.members:
            yield from _placed(member, mixed(path, key), is_numbered)
        return
    counts = Counter([member.content for _, member in node.members])
    times: Counter[str] = Counter()
    for _, member in node.members:
        times[member.content] += 1
        part = mixed(path, member.content, str(times[member.content]))
        numbered = is_numbered or counts[member.content] > 1
        yield from _placed(member, part, numbered)


class _Reading:
    """Reads shapes whose identifiers say something, or are new."""

    def __init__(self, said: Said, by_path: bool) -> None:
        self._said, self._by_path = said, by_path

    def node(self, shape: Shape) -> _Node:
        """Returns what a shape says."""
        match shape:
            case str():
                return _Node(shape)
            case Line():
                return _Node(*self._line(shape))
            case Sentences():
                return self._sentences(shape)
            case Members():
                return self._members(shape)
            case Object():
                return self._object(shape)

    def _members(self, shape: Members) -> _Node:
        said, telling = [], []
        for inner in shape.shapes:
            if isinstance(inner, str):
                said.append(inner)
                continue
            member = self.node(inner)
            said.append(member.content)
            telling.append(("", member))
        return _Node(mixed(*said), (), telling, is_list=True)

    def _object(self, shape: Object) -> _Node:
        """An object; if new identifiers are its keys, it is a list of what stands under them."""
        members, is_list, said = [], False, []
        for key, inner in shape.members:
            if isinstance(key, str) and isinstance(inner, str):
                said += [key, inner]
                continue
            name, values = self._line(key)
            is_list = is_list or any(is_new for _, is_new in values)
            member = self.node(inner)
            said += [name, member.content]
            if values:
                member = _Node(mixed(name, member.content), values, [("", member)])
            members.append((name, member))
        return _Node(mixed(*(sorted(said) if is_list else said)), (), members, is_list)

    def _sentences(self, shape: Sentences) -> _Node:
        """A text; with identifiers in several sentences or lines it is a list of these."""
        told = [self._line(line) for line in shape.lines]
        telling = [_Node(said, values) for said, values in told if values]
        said = mixed(*[said for said, _ in told])
        if len(telling) == 1 and self._by_path:
            return _Node(said, telling[0].values)
        return _Node(said, (), [("", node) for node in telling], is_list=True)

    def _line(self, line: str | Line) -> tuple[str, Sequence[tuple[str, bool]]]:
        """What a text says besides new identifiers; and all that it has: is each new?"""
        if isinstance(line, str):
            return line, ()
        found, values = [line.said[0]], []
        for value, after in zip(line.values, line.said[1:], strict=True):
            says = self._said[value]
            found += [_NEW if says is None else says, after]
            values.append((value, says is None))
        return "".join(found).strip(), values
