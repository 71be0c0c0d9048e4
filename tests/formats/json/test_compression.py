"""Compressed files are read like the files in them, within the same limits."""

import bz2
import gzip
import json
import lzma
import sys
import zlib

import pytest
import zstandard

from otap import formats
from otap.errors import ConfigError, FormatError, LimitError
from otap.formats.limits import Limits

PACK = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}
RUNS = [{"id": name, "steps": [{"id": "1", "tool": "t"}]} for name in "ab"]
LINES = "\n".join(json.dumps(run) for run in RUNS).encode()


@pytest.mark.parametrize("suffix", PACK)
def test_files(write, tmp_path, suffix):
    """The runs are those of the plain file, whatever the name; a folder has them as well."""
    path = write(PACK[suffix](LINES), f"runs.jsonl{suffix}")
    assert [run.id for run in formats.read_all(path)] == ["a", "b"]
    assert [run.id for run in formats.read_all(tmp_path)] == ["a", "b"]
    misnamed = write(PACK[suffix](json.dumps(RUNS).encode()), "runs.json")
    assert [run.id for run in formats.read_all(misnamed)] == ["a", "b"]


@pytest.mark.parametrize("suffix", PACK)
def test_several_members(write, suffix):
    """Logs are appended to: a file may have one compressed part after the other."""
    first, second = LINES.splitlines(keepends=True)
    path = write(PACK[suffix](first) + PACK[suffix](second), f"runs.jsonl{suffix}")
    assert [run.id for run in formats.read_all(path)] == ["a", "b"]


@pytest.mark.parametrize("suffix", PACK)
def test_bombs(write, suffix):
    """A small file that unpacks to much is refused before it fills the memory."""
    path = write(PACK[suffix](b" " * (64 << 20)), f"bomb.json{suffix}")
    with pytest.raises(LimitError, match="unpacks to more than 200 times its size"):
        list(formats.read_all(path))
    with pytest.raises(LimitError, match="max_bytes"):
        list(formats.read_all(path, limits=Limits(max_bytes=1 << 20)))


@pytest.mark.parametrize("suffix", PACK)
@pytest.mark.parametrize("length", [8, 40, -9])
def test_broken_files(write, suffix, length):
    """A file that is cut off, or has other bytes in it, is an error of one line."""
    packed = PACK[suffix](LINES)
    for content in (packed[:length], packed[:length] + b"\xff\0" * 9 + packed[length:]):
        path = write(content, f"runs.jsonl{suffix}")
        try:
            assert [run.id for run in formats.read_all(path)] == ["a", "b"]
        except FormatError as error:
            assert str(error).startswith(str(path))
            assert str(error).isprintable()


def test_window(write):
    """A file that asks for four gigabytes to unpack it is refused."""
    packed = bytearray(lzma.compress(LINES))
    header = slice(12, 12 + 4 * (packed[12] + 1))  # of the block, after that of the stream
    block = packed[header]
    block[block.index(0x21) + 2] = 40  # the size of the window, by its number
    block[-4:] = zlib.crc32(block[:-4]).to_bytes(4, "little")
    packed[header] = block
    with pytest.raises(FormatError, match="is a broken xz file"):
        list(formats.read_all(write(bytes(packed), "runs.jsonl.xz")))


def test_missing_package(write, monkeypatch):
    """Without the package for zstandard the error names the extra."""
    path = write(PACK[".zst"](LINES), "runs.jsonl.zst")
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(ConfigError, match=r"pip install 'otap-eval\[zst\]'"):
        list(formats.read_all(path))
