"""The bytes of a file, a pipe or standard input, and how many of them are allowed."""

import os
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from otap.errors import LimitError
from otap.formats.json.places import Place
from otap.formats.limits import Limits

STANDARD_INPUT = "-"
CHUNK = 1 << 20
# Without waiting, so that a pipe to which nobody writes can be given up; Windows has text to avoid.
_READING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_PAUSE = 0.01  # seconds between two looks at such a pipe


def read_bytes(name: str, place: Place, limits: Limits) -> bytes:
    """Returns all bytes of a file; no more of them are read than the limit and a chunk.

    Args:
        name: the file, or :data:`STANDARD_INPUT`.
        place: names the file in errors.
        limits: ``max_bytes`` counts.

    Raises:
        LimitError: if there are more.
        FormatError: if the file cannot be read.
    """
    try:
        if name == STANDARD_INPUT:
            return _stream(_standard_input(place), place, limits)
        with os.fdopen(os.open(name, _READING), "rb") as file:
            return _file(file, place, limits)
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        reason = getattr(error, "strerror", None) or str(error)
        raise place.error(f"cannot be read: {reason}") from None


def lines_of(
    name: str, place: Place, limits: Limits, offset: int = 0
) -> Iterator[tuple[int, bytes]]:
    """Yields where each line of a file begins, and the line with its end.

    No more of one is kept than the limit and a byte.

    Args:
        name: the file.
        place: names the file in errors.
        limits: ``max_bytes`` counts.
        offset: where the first of them begins.

    Raises:
        FormatError: if the file cannot be read.
    """
    try:
        with Path(name).open("rb") as file:
            file.seek(offset)
            while line := file.readline(limits.max_bytes + 1):
                yield offset, line
                offset += len(line)
                while len(line) > limits.max_bytes and line[-1:] != b"\n":
                    line = file.readline(CHUNK) or b"\n"
                    offset += len(line)
    except OSError as error:
        raise place.error(f"cannot be read: {error.strerror}") from None


def _standard_input(place: Place) -> IO[bytes]:
    if sys.stdin is None:
        raise place.error("standard input is closed; give it a file, or name one")
    return sys.stdin.buffer


def _file(file: IO[bytes], place: Place, limits: Limits) -> bytes:
    status = os.fstat(file.fileno())
    if stat.S_ISREG(status.st_mode) and status.st_size > limits.max_bytes:
        raise too_large(place, status.st_size, limits)
    first = _awaited(file.fileno(), place, limits) if stat.S_ISFIFO(status.st_mode) else b""
    os.set_blocking(file.fileno(), True)
    return _stream(file, place, limits, first)


def _awaited(descriptor: int, place: Place, limits: Limits) -> bytes:
    """The first bytes of a pipe, or none as soon as somebody has opened it to write.

    Whoever opened it may take what time it needs: it ends, and with it the pipe.
    """
    until = time.monotonic() + limits.max_wait
    while True:
        try:
            first = os.read(descriptor, CHUNK)
        except BlockingIOError:  # empty, but somebody holds it open
            return b""
        if first:
            return first
        if time.monotonic() > until:
            raise LimitError(
                f"{place}: is a pipe that nobody wrote to within {limits.max_wait:g} s (max_wait)"
            )
        time.sleep(_PAUSE)


def _stream(file: IO[bytes], place: Place, limits: Limits, first: bytes = b"") -> bytes:
    data = bytearray(first)
    while chunk := file.read(CHUNK):
        data += chunk
        if len(data) > limits.max_bytes:
            raise too_large(place, len(data), limits)
    return bytes(data)


def too_large(place: Place, size: int, limits: Limits, what: str = "is") -> LimitError:
    """Returns the error that a file has more bytes than the limit.

    Args:
        place: the file.
        size: how many bytes it has.
        limits: ``max_bytes`` counts.
        what: the verb before the size: a file "is" this large, an archive "unpacks to" it.
    """
    limit = _amount(limits.max_bytes)
    return LimitError(f"{place}: {what} {_amount(size)}, above the limit of {limit} (max_bytes)")


def _amount(size: float) -> str:
    for unit in ("bytes", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.4g} {unit}"
        size /= 1024
    return f"{size:.4g} GiB"
