"""The result file that is being written: one process has it, and what stands in it is whole."""

import errno
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Self

from otap.errors import ConfigError, shown_path
from otap.scoring.result import SCHEMA_VERSION

BEGINNING = f'{{"schema_version":"{SCHEMA_VERSION}",'.encode()  # of each line
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FAR = 1 << 40  # a place behind all lines, which Windows locks in their stead


class ResultFile:
    """A result file that this process alone appends to.

    Whatever ends the process, the file holds whole lines and at most the beginning of one more,
    which :meth:`lines` cuts.

    Args:
        path: is made if it is not there.

    Raises:
        ConfigError: if it cannot be opened, is no regular file, or another process has it.
    """

    def __init__(self, path: Path) -> None:
        self.name = shown_path(path)
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
        try:
            self._descriptor = os.open(path, flags, 0o666)
        except OSError as error:
            raise self._error(f"cannot write it ({error.strerror})") from None
        if not stat.S_ISREG(os.fstat(self._descriptor).st_mode):
            os.close(self._descriptor)
            raise self._error("is no regular file, to which results could be appended")
        if not _locked(self._descriptor):
            os.close(self._descriptor)
            raise self._error("another process writes it; wait for that, or name another file")
        self._end = os.fstat(self._descriptor).st_size

    def lines(self) -> Iterator[bytes]:
        """Yields the whole lines that stand there, and cuts the beginning of another one.

        Raises:
            ConfigError: if something else stands there.
        """
        end = 0
        # To close any descriptor of the file would end the lock.
        with os.fdopen(self._descriptor, "rb", closefd=False) as file:
            file.seek(0)
            for line in file:
                if not line.startswith(BEGINNING[: len(line)]):
                    raise self._error(
                        "holds something else than results; name another file, or remove it"
                    )
                if line.endswith(b"\n"):
                    end += len(line)
                    yield line
        self._cut(end)

    def append(self, lines: bytes) -> None:
        """Adds whole lines, or none of a line that does not fit.

        Raises:
            ConfigError: if there is no room.
        """
        rest = memoryview(lines)
        try:
            os.lseek(self._descriptor, self._end, os.SEEK_SET)
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError as error:
            written = len(lines) - len(rest)
            self._cut(self._end + lines.rfind(b"\n", 0, written) + 1)
            end = "make room" if error.errno in _FULL else "mend that"
            raise self._error(
                f"cannot write it ({error.strerror}); what stands there is whole: {end}, and start"
                " again to go on"
            ) from None
        self._end += len(lines)

    def _cut(self, end: int) -> None:
        os.ftruncate(self._descriptor, end)
        self._end = end

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)

    def _error(self, what: str) -> ConfigError:
        return ConfigError(f"{self.name}: {what}")


def _locked(descriptor: int) -> bool:
    """Locks a file for this process; where there are no locks, nobody is kept out.

    A lock of POSIX is not inherited: workers that outlive a killed process for a moment hold none.
    """
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(descriptor, _FAR, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
    return True
