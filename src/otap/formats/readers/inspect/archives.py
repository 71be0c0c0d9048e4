"""A log of Inspect in a zip archive -> the log as JSON, in memory, nothing unpacked to disk."""

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

_LISTED = b"PK\x01\x02"  # begins the entry of each member in the list at the end
_ENCRYPTED = 0x1
_STORED, _DEFLATED, _ZSTANDARD = 0, 8, 93
_BUILT_IN = getattr(zipfile, "ZIP_ZSTANDARD", None)  # from Python 3.14 on
_HEADERS = ("header.json", "_journal/start.json")  # the second where the evaluation broke off
_SAMPLE = re.compile(r"^samples/(?P<id>.+)_epoch_(?P<epoch>\d{1,9})\.json$", re.DOTALL)
_IN_PIECES = re.compile(r"_epoch_\d+/sample\.json$")
# All that the standard library raises of an archive that is not what it says it is.
_BROKEN = (
    *(zipfile.BadZipFile, zlib.error, struct.error),
    *(EOFError, OSError, ValueError, LookupError, RuntimeError),
)


def parse(data: bytes, place: JsonPath, limits: Limits) -> dict[str, Any]:
    """Returns the log in an archive, as Inspect writes it as JSON.

    Args:
        data: the bytes of the archive.
        place: names the file in errors.
        limits: ``max_bytes`` counts what is unpacked.

    Raises:
        FormatError: if the archive is broken, encrypted, or holds no log.
        LimitError: if it has too many members, or unpacks to too much.
    """
    archive = _Archive(data, place)
    size = sum(info.file_size for info in archive.log)  # unpacked
    if size > max(MIN_BOMB_BYTES, MAX_RATIO * len(data)):
        raise LimitError(
            f"{place}: unpacks to more than {MAX_RATIO} times its size; if that is right,"
            " unpack it first (inspect log convert --to json)"
        )
    if size > limits.max_bytes:
        raise too_large(place, size, limits, "unpacks to")
    (header, where), *samples = map(archive.unpack, archive.log)
    value = where.object(parse_json(header, where))
    value["samples"] = [parse_json(sample, at) for sample, at in samples]
    return value


class _Archive:
    """An archive as Inspect writes it.

    Its ``log`` is the header, then the samples by epoch and id, in the order of the log as JSON.
    Only these are read; a name that leads out of the archive is neither.

    Raises:
        FormatError: if the archive is broken, encrypted, or holds no log.
        LimitError: if it has too many members.
    """

    def __init__(self, data: bytes, place: JsonPath) -> None:
        self._data, self._place = data, place
        if data.count(_LISTED) > MAX_MEMBERS:  # before the list is read
            raise LimitError(f"{place}: is a zip archive of more than {MAX_MEMBERS:,} members")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
            self.log = _members_of_log(
                {info.filename: info for info in self._zip.infolist()}, place
            )
        except _BROKEN as error:
            raise self._broken(place, error) from None

    def unpack(self, info: zipfile.ZipInfo) -> tuple[bytes, JsonPath]:
        """Returns a member, unpacked, and its place."""
        place = JsonPath(f"{self._place}: {shown(info.filename)}")
        if info.flag_bits & _ENCRYPTED:
            raise place.error("is encrypted; unpack it first, with its password")
        try:
            return self._unpacked(info, place), place
        except _BROKEN as error:
            raise self._broken(place, error) from None

    def _unpacked(self, info: zipfile.ZipInfo, place: JsonPath) -> bytes:
        if info.compress_type in (_STORED, _DEFLATED, _BUILT_IN):
            return self._zip.read(info)
        if info.compress_type != _ZSTANDARD:
            raise place.error(
                f"is compressed in a way that Inspect does not use (method {info.compress_type})"
            )
        return self._unpacked_by_zstandard(info, place)

    def _unpacked_by_zstandard(self, info: zipfile.ZipInfo, place: JsonPath) -> bytes:
        """Inspect itself packs so; Python reads it from 3.14 on, before that a package does."""
        try:
            zstandard = import_module("zstandard")
        except ImportError:
            raise place.error(
                "is compressed with zstandard: pip install 'otap[inspect]', or use Python 3.14,"
                " or write the log as JSON (inspect log convert --to json)"
            ) from None
        packed = io.BytesIO(self._packed(info))
        reader = zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True)
        try:
            content: bytes = reader.read(info.file_size + 1)
        except zstandard.ZstdError as error:
            raise ValueError(str(error)) from None
        if len(content) != info.file_size or zlib.crc32(content) != info.CRC:
            raise ValueError("bad checksum")
        return content

    def _packed(self, info: zipfile.ZipInfo) -> bytes:
        """Returns the bytes of a member as they lie in the archive, behind its own header."""
        name, extra = struct.unpack_from("<HH", self._data, info.header_offset + 26)
        start = info.header_offset + 30 + name + extra
        return self._data[start : start + info.compress_size]

    @staticmethod
    def _broken(place: JsonPath, error: BaseException) -> Exception:
        reason = str(error) or type(error).__name__
        return place.error(f"is a broken zip archive ({shown(reason)}); write it again")


def _members_of_log(members: dict[str, zipfile.ZipInfo], place: JsonPath) -> list[zipfile.ZipInfo]:
    """Returns what of an archive is a log; a name that appears twice means its last member."""
    header = next((members[name] for name in _HEADERS if name in members), None)
    if header is None:
        raise place.error("is a zip archive, but no log of Inspect (.eval); unpack it first")
    if any(_IN_PIECES.search(name) for name in members):
        raise place.error(
            "holds samples in pieces, which OTAP does not read;"
            " write it as JSON (inspect log convert --to json)"
        )
    staying = (name for name in members if ".." not in re.split(r"[/\\]", name))
    samples = sorted(filter(None, map(_SAMPLE.match, staying)), key=_order)
    return [header, *(members[match.string] for match in samples)]


def _order(name: re.Match[str]) -> tuple[Any, ...]:
    """Samples are sorted as Inspect sorts them: by epoch, then id, whole numbers as numbers."""
    identifier = name["id"]
    number = identifier.isascii() and identifier.isdigit()
    return int(name["epoch"]), identifier.zfill(20) if number else identifier
