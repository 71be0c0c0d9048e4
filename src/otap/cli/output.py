"""The exit codes of commands, and how they print and write files."""

import json
import os
import re
import signal
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from otap._patterns import regex
from otap.errors import ConfigError, disarm, disarm_document, disarm_json, shown_path

# The exit codes of every command; 0 is success.
GATE_FAILED = 1  # the score is below --fail-under, or there is a finding of --fail-on
BAD_INPUT = 2  # or wrong usage; one line has the problem, its location, and how to fix it
INCONCLUSIVE = 3  # no verdict: a run could not be read or scored, or evidence is lacking
INTERNAL = 70  # a bug of ours: EX_SOFTWARE of sysexits.h
INTERRUPTED = 130  # by Ctrl-C, as in shells

STANDARD_OUTPUT = "-"
_UNSAFE = regex(r"[^A-Za-z0-9._-]+")
_NOT_ASCII = regex(r"[^\n\x20-\x7e]")


def escaped(text: str) -> str:
    """Returns JSON or TOML with equal data and control characters as escapes.

    A terminal would interpret these characters, and a CI system the commands in a log. Letters of
    all scripts stay.
    """
    return disarm_json(_NOT_ASCII.sub(_escape_character, text))


def escaped_drawing(text: str) -> str:
    """Returns a drawing of a graph with control characters as escapes, like ``escaped``."""
    return disarm_document(_NOT_ASCII.sub(_escape_character, text))


def _escape_character(match: re.Match[str]) -> str:
    character = match[0]
    return character if character.isprintable() else json.dumps(character)[1:-1]


class _Messages:
    """What happens to each message before it is printed."""

    hide: Callable[[str], str] = str


def filter_messages(hide: Callable[[str], str]) -> None:
    """Passes all further messages through a function that hides private values."""
    _Messages.hide = staticmethod(hide)


def hide_private(message: str) -> str:
    """Returns a message as :func:`filter_messages` wants it."""
    return _Messages.hide(message)


def say(message: str) -> None:
    """Prints a line on standard error; ignores that standard error cannot be written."""
    with suppress(OSError, ValueError):
        print(disarm(f"otap: {hide_private(message)}"), file=sys.stderr)


def write(path: Path, text: str) -> None:
    """Writes a file; a regular file completely or not at all.

    A temporary file in the same folder replaces a regular file, and gets its mode and owner. The
    target of a symbolic link is replaced, and the link stays. Devices, pipes, files with several
    hard links, and files whose folder is not writable are written in place. A file that is standard
    output is printed.

    Raises:
        ConfigError: if it cannot be written.
    """
    if _is_standard_output(path):
        print(disarm_document(text), end="")
        return
    write_bytes(path, text.encode())


def check_folder(path: Path) -> None:
    """Checks before any work that the folder of a file exists.

    Raises:
        ConfigError: if it does not.
    """
    if not path.parent.is_dir():
        raise ConfigError(f"{shown_path(path)}: the folder does not exist; make it first")


def make_folder(path: Path) -> None:
    """Makes a folder and its parents, unless it exists.

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
    """Returns a text as a part of a portable file name, at most 60 characters, maybe empty."""
    return _UNSAFE.sub("-", text).strip("-.")[:60]


def same_file(first: str | Path, second: str | Path) -> bool:
    """Returns whether two paths lead to the same file, which need not exist."""
    with suppress(OSError, ValueError):
        return Path(first).samefile(second)
    return os.path.realpath(first) == os.path.realpath(second)


def is_one_of(path: Path, files: Iterable[str | Path | None]) -> bool:
    """Returns whether an output file is one of some files; standard output is not."""
    return str(path) != STANDARD_OUTPUT and any(
        same_file(path, file) for file in files if file is not None
    )


def write_bytes(path: Path, data: bytes) -> None:
    """Writes a file like ``write``, but never to standard output.

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
        os.close(os.open(name, os.O_WRONLY))  # do not replace a file that is not writable
        try:
            _replace(name, data, old)
        except PermissionError:  # the folder is not writable, or another user owns the file
            _fill(name, os.O_TRUNC, data)


def _replace(name: str, data: bytes, old: os.stat_result | None) -> None:
    draft = Path(name).with_name(f".otap-{os.urandom(8).hex()}.tmp")
    with _signals_blocked():
        try:
            _fill(os.fspath(draft), os.O_CREAT | os.O_EXCL, data)
            if old is not None:
                _copy_owner_and_mode(draft, old)
            draft.replace(name)
        except OSError:
            draft.unlink(missing_ok=True)
            raise


@contextmanager
def _signals_blocked() -> Iterator[None]:
    """Delays SIGINT and SIGTERM, which would leave a temporary file behind."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _copy_owner_and_mode(draft: Path, old: os.stat_result) -> None:
    """Gives a temporary file the owner and the mode of the file that it replaces."""
    if hasattr(os, "chown"):
        new = draft.stat()
        if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
            os.chown(draft, old.st_uid, old.st_gid)
    draft.chmod(stat.S_IMODE(old.st_mode))


def _fill(name: str, flags: int, data: bytes) -> None:
    with os.fdopen(os.open(name, os.O_WRONLY | flags, 0o666), "wb") as file:
        file.write(data)
