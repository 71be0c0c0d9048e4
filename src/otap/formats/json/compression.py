"""Unpacks a compressed file in memory, up to a maximum size and ratio."""

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import PurePath
from typing import IO, Any, NamedTuple

from otap.errors import ConfigError, LimitError, shown
from otap.formats.json.paths import JsonPath
from otap.formats.json.streams import CHUNK, too_large
from otap.formats.limits import MAX_RATIO, MAX_UNPACK_MEMORY, MIN_BOMB_BYTES, Limits

SUFFIXES = (".gz", ".bz2", ".xz", ".zst")


class _Method(NamedTuple):
    """A method of compression: its name, the beginning of its files, and what yields the pieces."""

    name: str
    beginning: bytes
    pieces: Callable[[bytes], Iterator[bytes]]


def plain_name(name: str) -> str:
    """Returns the name of a file without the suffix of its compression."""
    suffix = PurePath(name).suffix
    return name.removesuffix(suffix) if suffix.lower() in SUFFIXES else name


def unpack(content: bytes, path: JsonPath, limits: Limits) -> bytes:
    """Returns the content of a compressed file; any other content unchanged.

    Args:
        content: the bytes of the file.
        path: names the file in errors.
        limits: ``max_bytes`` counts unpacked bytes.

    Raises:
        FormatError: if the file is broken.
        LimitError: if it is too large when unpacked.
        ConfigError: if its method requires a package that is not installed.
    """
    method = next((method for method in _METHODS if content.startswith(method.beginning)), None)
    if method is None:
        return content
    max_size = max(MIN_BOMB_BYTES, MAX_RATIO * len(content))
    pieces, size = [], 0
    try:
        for piece in method.pieces(content):
            pieces.append(piece)
            size += len(piece)
            if size > max_size or size > limits.max_bytes:
                break
    except ImportError:
        raise ConfigError(
            f"{path}: is compressed with zstandard: pip install 'otap-eval[zst]', or"
            " unpack it first"
        ) from None
    except (zlib.error, lzma.LZMAError, EOFError, OSError, ValueError) as error:
        reason = shown(str(error) or type(error).__name__)
        raise path.error(f"is a broken {method.name} file ({reason}); write it again") from None
    if size > limits.max_bytes:
        raise too_large(path, size, limits, "unpacks to at least")
    if size > max_size:
        raise LimitError(
            f"{path}: unpacks to more than {MAX_RATIO} times its size; if that is right, unpack it"
        )
    return b"".join(pieces)


def _gzip_pieces(content: bytes) -> Iterator[bytes]:
    with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
        yield from _pieces_of(file)


def _bzip2_pieces(content: bytes) -> Iterator[bytes]:
    with bz2.BZ2File(io.BytesIO(content)) as file:
        yield from _pieces_of(file)


def _xz_pieces(content: bytes) -> Iterator[bytes]:
    """Yields the pieces of each stream in a file; the padding after a stream is null bytes."""
    while content:
        decompressor = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MAX_UNPACK_MEMORY)
        yield decompressor.decompress(content, CHUNK)
        while not decompressor.eof:
            if decompressor.needs_input:
                raise EOFError("the end is missing")
            yield decompressor.decompress(b"", CHUNK)
        content = decompressor.unused_data.lstrip(b"\0")


def _zstandard_pieces(content: bytes) -> Iterator[bytes]:
    zstandard = import_module("zstandard")
    decompressor = zstandard.ZstdDecompressor(max_window_size=MAX_UNPACK_MEMORY)
    try:
        with decompressor.stream_reader(io.BytesIO(content), read_across_frames=True) as file:
            yield from _pieces_of(file)
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from None


def _pieces_of(file: IO[bytes] | Any) -> Iterator[bytes]:
    while piece := file.read(CHUNK):
        yield piece


_METHODS = (
    _Method("gzip", b"\x1f\x8b", _gzip_pieces),
    _Method("bzip2", b"BZh", _bzip2_pieces),
    _Method("xz", b"\xfd7zXZ\x00", _xz_pieces),
    _Method("zstandard", b"\x28\xb5\x2f\xfd", _zstandard_pieces),
)
