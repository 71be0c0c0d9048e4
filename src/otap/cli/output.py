"""How a command ends, and how its data leaves: printed, so that no terminal obeys it, or a file."""

import json
import os
import signal
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from otap._patterns import regex
from otap.errors import ConfigError, shown_path

# The exit codes of every command; 0 is success.
GATE_FAILED = 1  # the score is below --fail-under, or there is a finding of --fail-on
BAD_INPUT = 2  # or wrong usage; one line says what, where, and how to mend it
INCONCLUSIVE = 3  # the score is not final, or nothing was understood: the gate decides nothing
INTERNAL = 70  # a mistake of ours, as BSD's sysexits.h numbers it
INTERRUPTED = 130  # by Ctrl-C, as shells number it

STANDARD_OUTPUT = "-"
_NO_NAME = regex(r"[^A-Za-z0-9._-]+")
_NOT_ASCII = regex(r"[^\n\x20-\x7e]")


def escaped(text: str) -> str:
    """Returns JSON or a drawing of a graph with control characters as JSON escapes.

    Letters of any script stay as they are. A terminal would obey what is escaped here.
    """
    return _NOT_ASCII.sub(lambda c: c[0] if c[0].isprintable() else json.dumps(c[0])[1:-1], text)


def say(message: str) -> None:
    """Says a line on standard error; that nobody can hear it is no failure of the command."""
    with suppress(OSError, ValueError):
        print(f"otap: {message}", file=sys.stderr)


def write(path: Path, text: str) -> None:
    """Writes a file, whole or not at all where it is a regular one.

    The draft lies beside it and takes its name, mode and owner; a link stays, and what it leads to
    is written. Devices and pipes are written to, and so is a regular file that has other names, or
    whose folder takes no draft. What is standard output already is printed.

    Raises:
        ConfigError: if it cannot be written.
    """
    if _is_standard_output(path):
        print(text, end="")
        return
    write_bytes(path, text.encode())


def check_folder(path: Path) -> None:
    """Refuses, before any work is done, a file in a folder that is not there.

    Raises:
        ConfigError: if so.
    """
    if not path.parent.is_dir():
        raise ConfigError(f"{shown_path(path)}: there is no such folder; make it first")


def make_folder(path: Path) -> None:
    """Makes a folder, and those above it, where it is not there.

    Raises:
        ConfigError: if it cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(
            f"{shown_path(path)}: cannot make the folder ({error.strerror})"
        ) from None


def name_part(text: str) -> str:
    """Returns a text as a part of a file's name, maybe none, in letters that any system takes."""
    return _NO_NAME.sub("-", text).strip("-.")[:60]


def same_file(one: str | Path, other: str | Path) -> bool:
    """Whether two names are of one file, however they are spelled, also one that is not there."""
    with suppress(OSError, ValueError):
        return Path(one).samefile(other)
    return os.path.realpath(one) == os.path.realpath(other)


def is_one_of(path: Path, others: Iterable[str | Path | None]) -> bool:
    """Whether a file that will be written is one of others; standard output is none."""
    return str(path) != STANDARD_OUTPUT and any(
        same_file(path, one) for one in others if one is not None
    )


def write_bytes(path: Path, data: bytes) -> None:
    """Writes a file as ``write`` does, never to standard output.

    Raises:
        ConfigError: if it cannot be written.
    """
    try:
        _write(os.path.realpath(path) if path.is_symlink() else os.fspath(path), data)
    except OSError as error:
        raise ConfigError(f"{shown_path(path)}: cannot write it ({error.strerror})") from None


def _is_standard_output(path: Path) -> bool:
    if os.fspath(path) == STANDARD_OUTPUT:
        return True
    with suppress(OSError, ValueError):
        return os.path.samestat(path.stat(), os.fstat(sys.stdout.fileno()))
    return False


def _write(name: str, data: bytes) -> None:
    old = None
    with suppress(FileNotFoundError):
        old = Path(name).stat()
    if old is None:
        _replace(name, data, None)
    elif not stat.S_ISREG(old.st_mode) or old.st_nlink > 1:
        _fill(name, os.O_TRUNC, data)
    else:
        os.close(os.open(name, os.O_WRONLY))  # what may not be written is not replaced either
        try:
            _replace(name, data, old)
        except PermissionError:  # the folder takes no draft, or the file is another's
            _fill(name, os.O_TRUNC, data)


def _replace(name: str, data: bytes, old: os.stat_result | None) -> None:
    draft = Path(name).with_name(f".otap-{os.urandom(8).hex()}.tmp")
    with _undisturbed():
        try:
            _fill(os.fspath(draft), os.O_CREAT | os.O_EXCL, data)
            if old is not None:
                _give(draft, old)
            draft.replace(name)
        except OSError:
            draft.unlink(missing_ok=True)
            raise


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Holds Ctrl-C and requests to end back for a while: they would leave a draft behind."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _give(draft: Path, old: os.stat_result) -> None:
    """Gives a draft the owner and the mode of the file that it replaces."""
    if hasattr(os, "chown"):
        now = draft.stat()
        if (now.st_uid, now.st_gid) != (old.st_uid, old.st_gid):
            os.chown(draft, old.st_uid, old.st_gid)
    draft.chmod(stat.S_IMODE(old.st_mode))


def _fill(name: str, flags: int, data: bytes) -> None:
    with os.fdopen(os.open(name, os.O_WRONLY | flags, 0o666), "wb") as file:
        file.write(data)
