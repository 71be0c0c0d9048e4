"""Reads a file as JSON within limits, and keeps the path to each part."""

import gc
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import starmap
from typing import Any, TypeVar

from otap.errors import FormatError, LimitError, shown_path
from otap.formats.json.compression import plain_name, unpack
from otap.formats.json.paths import JsonObject, JsonPath
from otap.formats.json.streams import read_bytes
from otap.formats.json.syntax import (
    excess_in,
    is_cut_off,
    is_json,
    parse,
    path_of_infinity,
    refuse_binary,
)
from otap.formats.limits import Limits

Parser = Callable[[bytes, JsonPath, Limits], Any]
"""Converts a file that is not JSON to JSON values."""

BOM = b"\xef\xbb\xbf"
CUT_LINE = "last line that is cut off"
Item = TypeVar("Item")


@dataclass(frozen=True)
class Document:
    """The JSON of one file. A JSONL file is a list of its lines.

    If the value is a list, ``items`` yields ``value[start:stop:stride]``.

    Attributes:
        path: the file.
        value: the JSON.
        sha256: the digest of the file.
        lines: the line number of each item of a JSONL file.
        start: the index of the first item.
        stop: the index after the last item.
        stride: the distance between two items.
        indices: the index in the file of each item of a list, if some were left out.
        unknown: the kinds of items that were left out and may record a call.
        ignored: the kinds of items that were left out and record none.
    """

    path: str
    value: Any
    sha256: str
    lines: tuple[int, ...] | None = None
    start: int = 0
    stop: int | None = None
    stride: int = 1
    indices: tuple[int, ...] | None = None
    unknown: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()

    @property
    def root(self) -> JsonPath:
        """The path to the value of the document."""
        return JsonPath(shown_path(self.path))

    def items(self) -> Iterator[tuple[Any, JsonPath]]:
        """Yields each item of a list with its path. A value that is no list is the only item."""
        if not isinstance(self.value, list):
            yield self.value, self.root
            return
        root = self.root
        for index in range(len(self.value))[self.start : self.stop : self.stride]:
            number = index if self.indices is None else self.indices[index]
            path = root[number] if self.lines is None else JsonPath(root.file, self.lines[index])
            yield self.value[index], path

    def without(self, kind_of: Callable[[Any], str | None]) -> "Document":
        """Returns this document without the items of a list that have no place in a run.

        Args:
            kind_of: returns the kind of such an item, or None for any other item.
        """
        if not isinstance(self.value, list):
            return self
        kinds = [kind_of(item) for item in self.value]
        indices = tuple(index for index, kind in enumerate(kinds) if kind is None)
        if not indices or len(indices) == len(kinds):
            return self
        return replace(
            self,
            value=[self.value[index] for index in indices],
            lines=None if self.lines is None else tuple(self.lines[index] for index in indices),
            indices=indices,
            ignored=(*self.ignored, *(kind for kind in kinds if kind is not None)),
        )

    def objects(self) -> Iterator[JsonObject]:
        """Yields each item, which must be an object."""
        for value, path in self.items():
            yield JsonObject(path.object(value), path)

    def map(self, read_item: Callable[[Any, JsonPath], Item]) -> Iterator[Item]:
        """Returns the output of a function of each item and its path.

        Unlike a generator, the iterator goes on after an item that raises an error.
        """
        return starmap(read_item, self.items())


def first_of(value: Any) -> Any:
    """Returns the first item of a list, from which a format is recognised.

    Any other value is returned unchanged. So is an empty list, which no format recognises.
    """
    return value[0] if isinstance(value, list) and value else value


def load_document(
    path: str | os.PathLike[str], limits: Limits, parser_of: Callable[[bytes], Parser | None]
) -> Document:
    """Reads one file of JSON, of JSONL, or of a format that has a parser, compressed or not.

    Args:
        path: the file, or ``-`` for standard input.
        limits: the maximum size and depth of the file.
        parser_of: returns the parser for a file that is not JSON, from its bytes.

    Raises:
        LimitError: if the file is too large or too deep.
        FormatError: if it cannot be read, or holds no JSON.
    """
    name = os.fsdecode(path)
    root = JsonPath(shown_path(name))
    packed = read_bytes(name, root, limits)
    digest = hashlib.sha256(packed).hexdigest()
    with pause_gc():
        content = unpack(packed, root, limits)
        parser, text = parser_of(content), content.removeprefix(BOM)
        if parser is not None:
            try:
                value = check_limits(parser(text, root, limits), root, limits)
            except Exception as error:
                raise root.own_error(error) from error.__cause__
            return Document(in_utf8(name), value, digest)
        value, lines, is_cut = _parse_file(text, name, root, limits)
        unknown = (CUT_LINE,) if is_cut else ()
        return Document(in_utf8(name), value, digest, lines, unknown=unknown)


def parse_line(line: bytes, path: JsonPath, limits: Limits) -> Any:
    """Returns the JSON value of one line.

    Raises:
        LimitError: if it is too deep.
        FormatError: if it is not JSON.
    """
    try:
        value = parse(line, path)
    except FormatError:
        refuse_binary(line, path)
        raise
    return check_limits(value, path, limits)


def check_limits(value: Any, path: JsonPath, limits: Limits) -> Any:
    """Returns a value after a check of its depth and its numbers.

    Raises:
        LimitError: if it is too deep.
        FormatError: if a number in it is too large.
    """
    excess = excess_in(value, limits.max_depth)
    if excess == "depth":
        limit = f"above the limit of {limits.max_depth} (max_depth)"
        raise LimitError(f"{path}: is nested too deep, {limit}")
    if excess == "number":
        path = path_of_infinity(value, path) or path
        raise path.error("a number beyond the range of a double; write it as text")
    return value


def in_utf8(name: str) -> str:
    """Returns a file name as valid UTF-8. Bytes that are no text are written in hexadecimal."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


@contextmanager
def pause_gc() -> Iterator[None]:
    """Pauses the garbage collector while a file is read.

    Reading makes many objects and no cycles. The collector would triple its time.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _parse_file(
    content: bytes, name: str, root: JsonPath, limits: Limits
) -> tuple[Any, tuple[int, ...] | None, bool]:
    """Returns the value of a file, the line numbers of its items, and whether it is cut off.

    Only JSONL has line numbers. If its last line is cut off, the others are the value.
    """
    try:
        value = parse(content, root)
    except FormatError:
        refuse_binary(content, root)
        # A file is JSONL if its name says so, or if its first line is a complete JSON document.
        is_jsonl = plain_name(name).lower().endswith(".jsonl")
        if not is_jsonl and not is_json(content.lstrip().partition(b"\n")[0]):
            raise
    else:
        return check_limits(value, root, limits), None, False
    lines = {n: line for n, line in enumerate(content.split(b"\n"), 1) if line.strip()}
    is_cut = len(lines) > 1 and is_cut_off(next(reversed(lines.values())))
    if is_cut:
        lines.popitem()
    paths = {number: JsonPath(root.file, number) for number in lines}
    values = [parse(line, paths[number]) for number, line in lines.items()]
    for value, path in zip(values, paths.values(), strict=True):
        check_limits(value, path, limits)
    return values, tuple(lines), is_cut
