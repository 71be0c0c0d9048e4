"""Reads Parquet files in a child process, because a damaged file can abort pyarrow in C++.

A process starts one child when it reads its first Parquet file. A child that aborts, or takes too
long for one row, becomes the error of its file; the next file gets a new child.
"""

import faulthandler
import os
import pickle
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import IO, Any, NamedTuple
from weakref import finalize

from otap.errors import ConfigError, FormatError, OtapError
from otap.formats.json.parquet import ParquetTable, open_table
from otap.formats.json.paths import JsonPath
from otap.formats.json.streams import size_of, too_large
from otap.formats.limits import Limits

MIN_SECONDS = 10  # of a processor for one request
BYTES_PER_SECOND = 20 << 20
WALL_FACTOR = 20  # a machine may be busy
MAX_TABLES = 8  # that a child keeps open
_MODULE = "otap.formats.json.parquet_process"


class Request(NamedTuple):
    """One request to the child.

    Attributes:
        key: the file or its bytes.
        path: names it in errors.
        limits: the limits on its rows.
        size: its size in bytes.
        row: the index of a row; None asks for the number of rows.
    """

    key: str | bytes
    path: JsonPath
    limits: Limits
    size: int
    row: int | None = None


class RemoteTable:
    """A Parquet file that a child process has open.

    Args:
        name: the file.
        path: names it in errors.
        limits: the maximum size and depth of a row.

    Raises:
        ConfigError: if pyarrow is not installed.
        FormatError: if it is not a Parquet file, or is broken.
    """

    def __init__(self, name: str, path: JsonPath, limits: Limits) -> None:
        self._request = Request(name, path, limits, size_of(name))
        self._abort: FormatError | None = None
        self.count: int = self._ask(None)

    def row(self, index: int) -> Any:
        """Returns the document in one row.

        Raises:
            FormatError: if it cannot be read; after an abort, for each row.
        """
        return self._ask(index)

    def _ask(self, row: int | None) -> Any:
        if self._abort is not None:
            raise self._abort
        try:
            return _child().ask(self._request._replace(row=row))
        except AbortError as error:
            self._abort = error
            raise


class AbortError(FormatError):
    """The child process ended while it read a file."""


@dataclass(eq=False)
class _Child:
    """The child process of this process; ``aborted`` has the files that ended one before it."""

    process: subprocess.Popen[bytes]
    aborted: set[tuple[str, int]]

    def ask(self, request: Request) -> Any:
        """Returns the child's answer, or raises its error."""
        error = AbortError(
            f"{request.path}: pyarrow aborts or does not end while it reads this file; write it"
            " again, or give it as JSONL"
        )
        if (request.key, request.size) in self.aborted:
            raise error
        requests, answers = self.process.stdin, self.process.stdout
        assert requests is not None
        assert answers is not None
        try:
            pickle.dump(request, requests)
            requests.flush()
            answer = pickle.load(answers)
        except (OSError, EOFError, pickle.UnpicklingError):
            self._kill()
            if isinstance(request.key, str):
                self.aborted.add((request.key, request.size))
            raise error from None
        except BaseException:  # an interrupted answer would be read as the next one
            self._kill()
            raise
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _kill(self) -> None:
        self.process.kill()
        self.process.wait()


class _Children(threading.local):
    """The children of a thread, by the process that started them."""

    def __init__(self) -> None:
        self.by_parent: dict[int, _Child] = {}
        self.aborted: set[tuple[str, int]] = set()


_children = _Children()


def _child() -> _Child:
    """Returns the child of this process, which is started if there is none."""
    if find_spec("pyarrow") is None:
        raise ConfigError(
            "reading Parquet requires pyarrow; pip install 'otap-eval[parquet]', or give it"
            " as JSONL"
        )
    parent = os.getpid()  # a fork must not use the child of its parent
    child = _children.by_parent.get(parent)
    if child is not None and child.process.poll() is None:
        return child
    source = str(Path(__file__).parents[3])  # of the package, which may not be installed
    code = f"import sys; sys.path[:0] = [{source!r}]; from {_MODULE} import serve; serve()"
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    child = _Child(process, _children.aborted)
    _children.by_parent[parent] = child
    finalize(child, _end, process, parent)
    return child


def _end(process: subprocess.Popen[bytes], parent: int) -> None:
    """Ends a child, unless a fork of its parent ends."""
    if os.getpid() != parent:
        return
    process.kill()
    for stream in (process.stdin, process.stdout):
        with suppress(OSError):
            assert stream is not None
            stream.close()
    process.wait()


def read_rows(content: bytes, path: JsonPath, limits: Limits) -> list[Any]:
    """Returns all rows of a file. Together they may not exceed the size limit.

    Raises:
        ConfigError: if pyarrow is not installed.
        LimitError: if they are too large, or one is too deep.
        FormatError: if one cannot be read.
    """
    rows: list[Any] = _child().ask(Request(content, path, limits, len(content)))
    return rows


def serve() -> None:
    """Answers the requests on standard input until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints is no answer
    tables: dict[tuple[str, Limits], ParquetTable] = {}
    with suppress(EOFError, BrokenPipeError):
        while True:
            request: Request = pickle.load(requests)
            _limit_time(MIN_SECONDS + request.size / BYTES_PER_SECOND)
            answer = _answer(request, tables)
            _limit_time(0)
            _send(answer, answers)


def _send(answer: Any, answers: IO[bytes]) -> None:
    pickle.dump(answer, answers)
    answers.flush()


def _limit_time(seconds: float) -> None:
    """Ends this process after a time, even inside a library; 0 sets no limit."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)  # whose signal ends the process
    if seconds:
        faulthandler.dump_traceback_later(WALL_FACTOR * seconds, exit=True)
    else:
        faulthandler.cancel_dump_traceback_later()


def _answer(request: Request, tables: dict[tuple[str, Limits], ParquetTable]) -> Any:
    try:
        if isinstance(request.key, bytes):
            return _read_all(request.key, request.path, request.limits)
        key = request.key, request.limits
        if request.row is None or key not in tables:
            while len(tables) >= MAX_TABLES:
                del tables[next(iter(tables))]
            tables[key] = open_table(request.key, request.limits)
        return tables[key].count if request.row is None else tables[key].row(request.row)
    except OtapError as error:
        return error
    except Exception as error:
        return request.path.error(f"cannot be read as Parquet: {type(error).__name__}: {error}")


def _read_all(content: bytes, path: JsonPath, limits: Limits) -> list[Any]:
    table = ParquetTable(BytesIO(content), path, limits)
    table.check_size(len(content))
    rows = []
    for index in range(table.count):
        rows.append(table.row(index))
        if table.bytes_read > limits.max_bytes:
            raise too_large(path, table.bytes_read, limits, "holds")
    return rows
