"""What came back, taken apart at its identifiers: what it says besides, and where these stand."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from typing import NamedTuple, TypeAlias

from pydantic import JsonValue

from otap._patterns import regex
from otap.dependencies.content import Content
from otap.dependencies.names.identifiers import as_text, names_identifiers, parts
from otap.dependencies.values import MAX_LEVELS, MAX_TEXT, canonical_value, parsed

_DIGIT = regex(r"\d")
_KEPT = 200  # characters of the longest text whose shape is kept
_SENTENCE = regex(r"[\n;]|(?<=[.!?])\s")


class Line(NamedTuple):
    """A text with identifiers: what stands before, between and after them, and they."""

    said: Sequence[str]
    values: Sequence[str]


class Sentences(NamedTuple):
    """A text of which some sentence or line has identifiers."""

    lines: Sequence["str | Line"]


class Members(NamedTuple):
    """A list with identifiers in it."""

    shapes: Sequence["Shape"]


class Object(NamedTuple):
    """An object with identifiers in it; the keys in rising order."""

    members: Sequence[tuple["str | Line", "Shape"]]


# A text is what data without identifiers says.
Shape: TypeAlias = str | Line | Sentences | Members | Object


def shape_of(content: Content) -> Shape:
    """Returns the shape of a content; text that is JSON is read as such."""
    return _shape(content.data, False, 0)


def identifiers(shape: Shape) -> Iterator[str]:
    """Yields the identifiers of a shape, one as often as it occurs."""
    if isinstance(shape, str):
        return
    if isinstance(shape, Line):
        yield from shape.values
        return
    parts = chain.from_iterable(shape.members) if isinstance(shape, Object) else shape[0]
    for part in parts:
        if not isinstance(part, str):
            yield from identifiers(part)


def _shape(data: JsonValue, named: bool, depth: int) -> Shape:
    data = parsed(data)
    if depth > MAX_LEVELS:
        return ""
    if isinstance(data, str):
        return _kept(data, named) if len(data) <= _KEPT else _of_text(data[:MAX_TEXT], named)
    if isinstance(data, dict):
        return _of_object(data, depth)
    if isinstance(data, list):
        shapes = [_shape(value, named, depth + 1) for value in data]
        said = _said(shapes)
        return Members(shapes) if said is None else said
    text = as_text(data)
    return canonical_value(data) if text is None else _of_text(text, named)


def _of_object(data: dict[str, JsonValue], depth: int) -> Shape:
    members: list[tuple[str | Line, Shape]] = []
    for key in sorted(data):
        name, named = _kept_key(key) if len(key) <= _KEPT else _of_key(key)
        members.append((name, _shape(data[key], named, depth + 1)))
    said = _said([*chain.from_iterable(members)])
    return Object(members) if said is None else said


@lru_cache(maxsize=4096)
def _kept_key(key: str) -> tuple[str | Line, bool]:
    return _of_key(key)


def _of_key(key: str) -> tuple[str | Line, bool]:
    """What a key says, and whether it says that its value is an identifier."""
    return _line(key, named=False), names_identifiers(key)


@lru_cache(maxsize=16_384)
def _kept(text: str, named: bool) -> Shape:
    return _of_text(text, named)


def _of_text(text: str, named: bool) -> Shape:
    if named:
        return _line(text, named)
    if not _DIGIT.search(text):
        return text
    lines = [_line(sentence, named) for sentence in _SENTENCE.split(text)]
    said = _said(lines)
    return Sentences(lines) if said is None else said


def _said(parts: Sequence[Shape]) -> str | None:
    """What parts say together; None where some have identifiers."""
    texts = [part for part in parts if isinstance(part, str)]
    return mixed(*texts) if len(texts) == len(parts) else None


def _line(text: str, named: bool) -> str | Line:
    said, values, last = [], [], 0
    for begin, end, value in parts(text, named):
        said.append(text[last:begin])
        values.append(value)
        last = end
    return Line([*said, text[last:]], values) if values else text.strip()


def mixed(*texts: str) -> str:
    """A short text that is equal for equal texts."""
    return blake2b("\x1f".join(texts).encode(), digest_size=9).hexdigest()
