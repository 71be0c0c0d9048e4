"""Reads the bytes of a file, a pipe or standard input, up to a maximum size."""

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
from otap.formats.json.paths import JsonPath
from otap.formats.limits import Limits

_URI = regex(r"[A-Za-z][A-Za-z0-9+.-]+://")
BUFFER = 1 << 20  # bytes; each read of a remote file costs a round trip


def is_uri(name: str) -> bool:
    """Returns whether a name is a URI. A path on Windows never is."""
    return _URI.match(name) is not None


def open_bytes(name: str) -> IO[bytes]:
    """Opens a file for random access.

    Raises:
        OSError: if it cannot be opened.
        ValueError: if the name has a null character, or the filesystem is unknown.
        ConfigError: if the name is a URI and pyarrow is not installed.
    """
    if not is_uri(name):
        return Path(name).open("rb", buffering=BUFFER)
    filesystem, path = _resolve_uri(name)
    return io.BufferedReader(filesystem.open_input_file(path), BUFFER)


def open_with_arrow(name: str) -> Any:
    """Opens a file for libraries built on Arrow, which then read it without Python.

    Raises:
        OSError: if it cannot be opened.
        ImportError: if pyarrow is not installed.
    """
    import pyarrow

    if not is_uri(name):
        return pyarrow.OSFile(name)
    filesystem, path = _resolve_uri(name)
    return filesystem.open_input_file(path)


def size_of(name: str) -> int:
    """Returns the size of a file in bytes, or 0 if the file is not accessible."""
    try:
        return int(_info_of_uri(name).size or 0) if is_uri(name) else Path(name).stat().st_size
    except (OSError, ValueError):
        return 0


def is_file(name: str) -> bool:
    """Returns whether a name is that of a regular file that is accessible."""
    try:
        return bool(_info_of_uri(name).is_file) if is_uri(name) else Path(name).is_file()
    except (OSError, ValueError):
        return False


def files_below(uri: str) -> list[str] | None:
    """Returns the files in a folder and its subfolders, sorted, or None if it is no folder."""
    from pyarrow import fs

    filesystem, path = _resolve_uri(uri)
    if filesystem.get_file_info(path).type != fs.FileType.Directory:
        return None
    entries = filesystem.get_file_info(fs.FileSelector(path, recursive=True))
    prefix = uri.rstrip("/")
    return sorted(
        prefix + entry.path.removeprefix(path.rstrip("/")) for entry in entries if entry.is_file
    )


def _info_of_uri(uri: str) -> Any:
    filesystem, path = _resolve_uri(uri)
    return filesystem.get_file_info(path)


def _resolve_uri(uri: str) -> tuple[Any, str]:
    """Returns the filesystem of a URI, and the path in it."""
    try:
        from pyarrow import fs
    except ImportError:
        raise ConfigError(
            f"{shown(uri)}: reading a URI requires pyarrow; pip install 'otap-eval[parquet]'"
        ) from None
    filesystem, path = fs.FileSystem.from_uri(uri)
    return filesystem, path


STANDARD_INPUT = "-"
CHUNK = 1 << 20  # bytes
# Opens a pipe without waiting, to give up if nobody writes to it. Windows would open it as text.
_READ_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_POLL_INTERVAL = 0.01  # seconds between two reads of a pipe that nobody writes to


def read_bytes(name: str, path: JsonPath, limits: Limits) -> bytes:
    """Returns all bytes of a file. Reads at most one chunk more than the limit.

    Args:
        name: the file, or :data:`STANDARD_INPUT`.
        path: names the file in errors.
        limits: ``max_bytes`` applies.

    Raises:
        LimitError: if the file is larger.
        FormatError: if the file cannot be read.
    """
    try:
        if name == STANDARD_INPUT:
            if sys.stdin is None:
                raise path.error("standard input is closed; redirect a file to it, or name a file")
            return _read_stream(sys.stdin.buffer, path, limits)
        if is_uri(name):
            with open_bytes(name) as file:
                return _read_stream(file, path, limits)
        with os.fdopen(os.open(name, _READ_FLAGS), "rb") as file:
            return _read_file(file, path, limits)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None


def read_lines(
    name: str, path: JsonPath, limits: Limits, offset: int = 0
) -> Iterator[tuple[int, bytes]]:
    """Yields the byte offset of each line of a file, and the line with its line break.

    A line is cut off one byte after the limit.

    Args:
        name: the file.
        path: names the file in errors.
        limits: ``max_bytes`` applies to each line.
        offset: the offset of the first line to read.

    Raises:
        FormatError: if the file cannot be read.
    """
    try:
        with open_bytes(name) as file:
            file.seek(offset)
            while line := file.readline(limits.max_bytes + 1):
                yield offset, line
                offset += len(line)
                while len(line) > limits.max_bytes and line[-1:] != b"\n":
                    line = file.readline(CHUNK) or b"\n"
                    offset += len(line)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None


def unreadable(path: JsonPath, error: Exception) -> FormatError:
    """Returns a one-line error for a file that cannot be read."""
    reason = getattr(error, "strerror", None) or shown(error, 200)
    return path.error(f"cannot be read: {reason}")


def _read_file(file: IO[bytes], path: JsonPath, limits: Limits) -> bytes:
    status = os.fstat(file.fileno())
    is_device = stat.S_ISCHR(status.st_mode) or stat.S_ISBLK(status.st_mode)
    if is_device and not os.isatty(file.fileno()):
        return _read_device(file, path)
    if stat.S_ISREG(status.st_mode) and status.st_size > limits.max_bytes:
        raise too_large(path, status.st_size, limits)
    first = _await_writer(file.fileno(), path, limits) if stat.S_ISFIFO(status.st_mode) else b""
    os.set_blocking(file.fileno(), True)
    return _read_stream(file, path, limits, first)


def _read_device(file: IO[bytes], path: JsonPath) -> bytes:
    """Returns the bytes of a device that ends soon, such as /dev/null."""
    content = file.read(CHUNK + 1)
    if len(content) > CHUNK:
        raise LimitError(f"{path}: is a device that does not end; name a file or a pipe")
    return content


def _await_writer(descriptor: int, path: JsonPath, limits: Limits) -> bytes:
    """Waits until a process opens a pipe for writing, and returns the first bytes if any.

    After that there is no time limit: the pipe ends when its writer does.
    """
    deadline = time.monotonic() + limits.max_wait
    while True:
        try:
            first = os.read(descriptor, CHUNK)
        except BlockingIOError:  # empty, but a writer has it open
            return b""
        if first:
            return first
        if time.monotonic() > deadline:
            raise LimitError(
                f"{path}: is a pipe that nobody wrote to within {limits.max_wait:g} s (max_wait)"
            )
        time.sleep(_POLL_INTERVAL)


def _read_stream(file: IO[bytes], path: JsonPath, limits: Limits, first: bytes = b"") -> bytes:
    chunks, size = [first], len(first)
    while chunk := file.read(CHUNK):
        chunks.append(chunk)
        size += len(chunk)
        if size > limits.max_bytes:
            raise too_large(path, size, limits)
    return b"".join(chunks)


def too_large(path: JsonPath, size: int, limits: Limits, verb: str = "is") -> LimitError:
    """Returns the error for a file that is larger than the limit.

    Args:
        path: the file.
        size: its size in bytes.
        limits: ``max_bytes`` applies.
        verb: the verb before the size: a file "is" this large, an archive "unpacks to" it.
    """
    limit = _format_size(limits.max_bytes)
    return LimitError(
        f"{path}: {verb} {_format_size(size)}, above the limit of {limit} (max_bytes)"
    )


def _format_size(size: float) -> str:
    for unit in ("bytes", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.4g} {unit}"
        size /= 1024
    return f"{size:.4g} GiB"
