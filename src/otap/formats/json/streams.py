"""The bytes of a file, a pipe or standard input, and how many of them are allowed."""

import io
import os
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from otap._patterns import regex
from otap.errors import ConfigError, FormatError, LimitError, shown
from otap.formats.json.places import Place
from otap.formats.limits import Limits

_URI = regex(r"[A-Za-z][A-Za-z0-9+.-]+://")
BUFFER = 1 << 20  # bytes; each reading of a remote file costs a round trip


def is_uri(name: str) -> bool:
    """Says whether a name is a URI, as no path of Windows is."""
    return _URI.match(name) is not None


def opened(name: str) -> IO[bytes]:
    """Opens a file to be read at any place.

    Raises:
        OSError: if it cannot be opened.
        ValueError: for a null character in the name, or a filesystem that is not known.
        ConfigError: for a URI without pyarrow.
    """
    if not is_uri(name):
        return Path(name).open("rb", buffering=BUFFER)
    filesystem, path = _located(name)
    return io.BufferedReader(filesystem.open_input_file(path), BUFFER)


def opened_by_arrow(name: str) -> Any:
    """Opens a file as libraries that are built on Arrow read it, which needs no Python for that.

    Raises:
        OSError: if it cannot be opened.
        ImportError: without pyarrow.
    """
    import pyarrow

    if not is_uri(name):
        return pyarrow.OSFile(name)
    filesystem, path = _located(name)
    return filesystem.open_input_file(path)


def size_of(name: str) -> int:
    """Returns how many bytes a file has; 0 if it cannot be seen."""
    try:
        return int(_status(name).size or 0) if is_uri(name) else Path(name).stat().st_size
    except (OSError, ValueError):
        return 0


def is_file(name: str) -> bool:
    """Says whether a name is that of a regular file; false too if it cannot be seen."""
    try:
        return bool(_status(name).is_file) if is_uri(name) else Path(name).is_file()
    except (OSError, ValueError):
        return False


def files_below(uri: str) -> list[str] | None:
    """Returns the files of a folder and the folders in it, sorted; None for what is no folder."""
    from pyarrow import fs

    filesystem, path = _located(uri)
    if filesystem.get_file_info(path).type != fs.FileType.Directory:
        return None
    found = filesystem.get_file_info(fs.FileSelector(path, recursive=True))
    beginning = uri.rstrip("/")
    return sorted(
        beginning + one.path.removeprefix(path.rstrip("/")) for one in found if one.is_file
    )


def _status(uri: str) -> Any:
    filesystem, path = _located(uri)
    return filesystem.get_file_info(path)


def _located(uri: str) -> tuple[Any, str]:
    try:
        from pyarrow import fs
    except ImportError:
        raise ConfigError(
            f"{shown(uri)}: to read a URI takes pyarrow; pip install 'otap[parquet]'"
        ) from None
    filesystem, path = fs.FileSystem.from_uri(uri)
    return filesystem, path


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
            if sys.stdin is None:
                raise place.error("standard input is closed; give it a file, or name one")
            return _stream(sys.stdin.buffer, place, limits)
        if is_uri(name):
            with opened(name) as file:
                return _stream(file, place, limits)
        with os.fdopen(os.open(name, _READING), "rb") as file:
            return _file(file, place, limits)
    except (OSError, ValueError) as error:
        raise unreadable(place, error) from None


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
        with opened(name) as file:
            file.seek(offset)
            while line := file.readline(limits.max_bytes + 1):
                yield offset, line
                offset += len(line)
                while len(line) > limits.max_bytes and line[-1:] != b"\n":
                    line = file.readline(CHUNK) or b"\n"
                    offset += len(line)
    except (OSError, ValueError) as error:
        raise unreadable(place, error) from None


def unreadable(place: Place, error: Exception) -> FormatError:
    """Returns the error that a file cannot be read, in one line."""
    reason = getattr(error, "strerror", None) or shown(error, 200)
    return place.error(f"cannot be read: {reason}")


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
    chunks, size = [first], len(first)
    while chunk := file.read(CHUNK):
        chunks.append(chunk)
        size += len(chunk)
        if size > limits.max_bytes:
            raise too_large(place, size, limits)
    return b"".join(chunks)


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
