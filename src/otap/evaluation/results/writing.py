"""Writes a result file, which one process locks, and which holds whole lines only."""

import errno
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Self

from otap.errors import ConfigError, shown_path
from otap.scoring.result import SCHEMA_VERSION

LINE_START = f'{{"schema_version":"{SCHEMA_VERSION}",'.encode()
_DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_LOCK_OFFSET = 1 << 40  # a byte behind all lines, which Windows locks instead of the file


class ResultFile:
    """A result file that only this process appends to.

    However the process ends, the file holds whole lines and at most one incomplete line at its end,
    which :meth:`lines` cuts off.

    Args:
        path: the file, which is created if it does not exist.

    Raises:
        ConfigError: if it cannot be opened, is no regular file, or is locked by another process.
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
            raise self._error("is not a regular file, so results cannot be appended")
        if not _lock(self._descriptor):
            os.close(self._descriptor)
            raise self._error("another process writes it; wait until it ends, or name another file")
        self._end = os.fstat(self._descriptor).st_size

    def lines(self) -> Iterator[bytes]:
        """Yields the whole lines of the file, and cuts off an incomplete last line.

        Raises:
            ConfigError: if a line is no result.
        """
        end = 0
        # Closing any descriptor of the file would release the lock.
        with os.fdopen(self._descriptor, "rb", closefd=False) as file:
            file.seek(0)
            for line in file:
                if not line.startswith(LINE_START[: len(line)]):
                    raise self._error("is not a result file; name another file, or remove it")
                if line.endswith(b"\n"):
                    end += len(line)
                    yield line
        self._cut(end)

    def append(self, lines: bytes) -> None:
        """Appends whole lines; if the disk is full, as many as fit.

        Raises:
            ConfigError: if a line cannot be written.
        """
        remaining = memoryview(lines)
        try:
            os.lseek(self._descriptor, self._end, os.SEEK_SET)
            while remaining:
                remaining = remaining[os.write(self._descriptor, remaining) :]
        except OSError as error:
            size = len(lines) - len(remaining)
            self._cut(self._end + lines.rfind(b"\n", 0, size) + 1)
            advice = "free some space" if error.errno in _DISK_FULL else "fix this"
            raise self._error(
                f"cannot write it ({error.strerror}); its lines are complete: {advice}, and run the"
                " command again to resume"
            ) from None
        self._end += len(lines)

    def _cut(self, end: int) -> None:
        os.ftruncate(self._descriptor, end)
        self._end = end

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)

    def _error(self, problem: str) -> ConfigError:
        return ConfigError(f"{self.name}: {problem}")


def _lock(descriptor: int) -> bool:
    """Locks a file for this process, and returns False if another process has the lock.

    Returns True if the file system has no locks. POSIX locks are not inherited, so workers that
    briefly outlive a killed process do not hold the lock.
    """
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(descriptor, _LOCK_OFFSET, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
    return True
