"""The trace files that files, folders and patterns name."""

import os
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from otap import formats
from otap.errors import ConfigError, shown_path
from otap.formats.json.filesystems import is_uri


def input_files(names: Iterable[str], besides: Collection[Path] = ()) -> list[str]:
    """Returns the trace files in the order in which they are named, those of a folder by name.

    Args:
        names: files, folders, and patterns as shells have them.
        besides: files that are none of them, though they may lie among them: the output.

    Raises:
        ConfigError: for what names nothing, or standard input.
        FormatError: for a folder without any trace file.
    """
    found = [file for name in names for one in _named(name) for file in formats.trace_files(one)]
    others = [one for one in besides if one.exists()]
    return [file for file in found if not any(_is_same(file, other) for other in others)]


def _named(name: str) -> Iterator[str]:
    if name == formats.STANDARD_INPUT:
        raise ConfigError("- is standard input, which cannot be gone on with; give it as a file")
    if is_uri(name) or os.path.lexists(name):
        yield name
        return
    pattern = Path(name)
    folder = Path(pattern.anchor)
    try:
        matching = sorted(map(str, folder.glob(str(pattern.relative_to(folder)))))
    except OSError as error:  # a name that is too long
        raise ConfigError(f"{shown_path(name)}: cannot be read ({error.strerror})") from None
    if not matching:
        raise ConfigError(f"{shown_path(name)}: no such file or folder, nor any that it matches")
    yield from matching


def _is_same(file: str, other: Path) -> bool:
    try:
        return other.samefile(file)
    except OSError:
        return False
