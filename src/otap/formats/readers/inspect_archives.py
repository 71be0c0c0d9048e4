"""Reads a log of Inspect from a zip archive, in memory, without unpacking to disk."""

import io
import re
import struct
import zipfile
import zlib
from importlib import import_module
from typing import Any

from otap.errors import LimitError, shown
from otap.formats.json.paths import JsonPath
from otap.formats.json.streams import too_large
from otap.formats.json.syntax import parse as parse_json
from otap.formats.limits import MAX_MEMBERS, MAX_RATIO, MIN_BOMB_BYTES, Limits

_CENTRAL_ENTRY = b"PK\x01\x02"  # starts the entry of each member in the central directory
_ENCRYPTED = 0x1
_STORED, _DEFLATED, _ZSTANDARD = 0, 8, 93
_BUILT_IN = getattr(zipfile, "ZIP_ZSTANDARD", None)  # from Python 3.14 on
_HEADERS = ("header.json", "_journal/start.json")  # the second if the evaluation was interrupted
_SAMPLE = re.compile(r"^samples/(?P<id>.+)_epoch_(?P<epoch>\d{1,9})\.json$", re.DOTALL)
_IN_PIECES = re.compile(r"_epoch_\d+/sample\.json$")
# Exceptions that the standard library raises for broken archives.
_BROKEN = (
    *(zipfile.BadZipFile, zlib.error, struct.error),
    *(EOFError, OSError, ValueError, LookupError, RuntimeError),
)


def parse(data: bytes, path: JsonPath, limits: Limits) -> dict[str, Any]:
    """Returns the log in an archive, in the form of Inspect's JSON logs.

    Args:
        data: the bytes of the archive.
        path: names the file in errors.
        limits: ``max_bytes`` counts unpacked bytes.

    Raises:
        FormatError: if the archive is broken, encrypted, or holds no log.
        LimitError: if it has too many members, or is too large when unpacked.
    """
    archive = _Archive(data, path)
    size = sum(member.file_size for member in archive.log)  # unpacked
    if size > max(MIN_BOMB_BYTES, MAX_RATIO * len(data)):
        raise LimitError(
            f"{path}: unpacks to more than {MAX_RATIO} times its size; if that is right,"
            " unpack it first (inspect log convert --to json)"
        )
    if size > limits.max_bytes:
        raise too_large(path, size, limits, "unpacks to")
    (header, header_path), *samples = [archive.unpack(member) for member in archive.log]
    log = header_path.object(parse_json(header, header_path))
    log["samples"] = [parse_json(sample, sample_path) for sample, sample_path in samples]
    return log


class _Archive:
    """An archive of Inspect.

    Its ``log`` is the header, then the samples by epoch and id, in the order of JSON logs. Only
    these are read. Members with names that lead out of the archive are skipped.

    Raises:
        FormatError: if the archive is broken, encrypted, or holds no log.
        LimitError: if it has too many members.
    """

    def __init__(self, data: bytes, path: JsonPath) -> None:
        self._data, self._path = data, path
        if data.count(_CENTRAL_ENTRY) > MAX_MEMBERS:  # checked before zipfile reads the entries
            raise LimitError(f"{path}: is a zip archive of more than {MAX_MEMBERS:,} members")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
            # Of several members with one name the last counts.
            members = {member.filename: member for member in self._zip.infolist()}
            self.log = _members_of_log(members, path)
        except _BROKEN as error:
            raise self._broken(path, error) from None

    def unpack(self, member: zipfile.ZipInfo) -> tuple[bytes, JsonPath]:
        """Returns the content of a member, and its path."""
        path = JsonPath(f"{self._path}: {shown(member.filename)}")
        if member.flag_bits & _ENCRYPTED:
            raise path.error("is encrypted; unpack it first, with its password")
        try:
            return self._content(member, path), path
        except _BROKEN as error:
            raise self._broken(path, error) from None

    def _content(self, member: zipfile.ZipInfo, path: JsonPath) -> bytes:
        if member.compress_type in (_STORED, _DEFLATED, _BUILT_IN):
            return self._zip.read(member)
        if member.compress_type != _ZSTANDARD:
            raise path.error(
                f"has compression method {member.compress_type}, which Inspect does not use"
            )
        return self._unpacked_by_zstandard(member, path)

    def _unpacked_by_zstandard(self, member: zipfile.ZipInfo, path: JsonPath) -> bytes:
        """Unpacks Inspect's default compression, which zipfile supports from Python 3.14 on."""
        try:
            zstandard = import_module("zstandard")
        except ImportError:
            raise path.error(
                "is compressed with zstandard: pip install 'otap-eval[inspect]', or use Python"
                " 3.14, or write the log as JSON (inspect log convert --to json)"
            ) from None
        packed = io.BytesIO(self._packed(member))
        reader = zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True)
        try:
            content: bytes = reader.read(member.file_size + 1)
        except zstandard.ZstdError as error:
            raise ValueError(str(error)) from None
        if len(content) != member.file_size or zlib.crc32(content) != member.CRC:
            raise ValueError("bad checksum")
        return content

    def _packed(self, member: zipfile.ZipInfo) -> bytes:
        """Returns the packed bytes of a member, which follow its local header."""
        name_length, extra_length = struct.unpack_from("<HH", self._data, member.header_offset + 26)
        start = member.header_offset + 30 + name_length + extra_length
        return self._data[start : start + member.compress_size]

    @staticmethod
    def _broken(path: JsonPath, error: BaseException) -> Exception:
        reason = str(error) or type(error).__name__
        return path.error(f"is a broken zip archive ({shown(reason)}); write it again")


def _members_of_log(members: dict[str, zipfile.ZipInfo], path: JsonPath) -> list[zipfile.ZipInfo]:
    """Returns the members that form the log."""
    header = next((members[name] for name in _HEADERS if name in members), None)
    if header is None:
        raise path.error("is a zip archive, but not a log of Inspect (.eval); unpack it first")
    if any(_IN_PIECES.search(name) for name in members):
        raise path.error(
            "holds samples in pieces, which OTAP does not read;"
            " write it as JSON (inspect log convert --to json)"
        )
    inner_names = [name for name in members if ".." not in re.split(r"[/\\]", name)]
    matches = [match for name in inner_names if (match := _SAMPLE.match(name))]
    return [header, *(members[match.string] for match in sorted(matches, key=_order))]


def _order(name: re.Match[str]) -> tuple[int, str]:
    """Returns the key by which Inspect sorts samples: epoch, then id, whole numbers by value."""
    identifier = name["id"]
    is_number = identifier.isascii() and identifier.isdigit()
    return int(name["epoch"]), identifier.zfill(20) if is_number else identifier
