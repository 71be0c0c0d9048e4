"""Files by path, and by URI on any filesystem that pyarrow knows: s3, gs, abfs, hdfs, file."""

import io
from pathlib import Path
from typing import IO, Any

from otap._patterns import regex
from otap.errors import ConfigError, shown

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
