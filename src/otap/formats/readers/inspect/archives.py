"""A log of Inspect in a zip archive -> the log as JSON, in memory, nothing unpacked to disk."""

import io
import re
import struct
import zipfile
import zlib
from importlib import import_module
from typing import Any, NamedTuple

from otap.errors import LimitError, shown
from otap.formats.json.places import Place
from otap.formats.json.streams import too_large
from otap.formats.json.syntax import parse as parse_json
from otap.formats.limits import FREE, MAX_MEMBERS, MAX_RATIO, Limits

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


def parse(data: bytes, place: Place, limits: Limits) -> dict[str, Any]:
    """Returns the log in an archive, as Inspect writes it as JSON.

    Args:
        data: the bytes of the archive.
        place: names the file in errors.
        limits: ``max_bytes`` counts what is unpacked.

    Raises:
        FormatError: if the archive is broken, encrypted, or holds no log.
        LimitError: if it has too many members, or unpacks to too much.
    """
    archive = LogArchive(data, place)
    if archive.size > limits.max_bytes:
        raise too_large(place, archive.size, limits, "unpacks to")
    header, where = archive.header()
    samples = archive.samples()
    value = where.object(parse_json(header, where))
    value["samples"] = [parse_json(sample, place) for sample, place in samples]
    return value


class Log(NamedTuple):
    """The members that make up a log: its header, and its samples by epoch and id."""

    header: zipfile.ZipInfo
    samples: list[zipfile.ZipInfo]


class LogArchive:
    """An archive as Inspect writes it.

    Only the header and the samples are read; a name that leads out of the archive is neither.

    Raises:
        FormatError: if the archive is broken, encrypted, or holds no log.
        LimitError: if it has too many members, or unpacks to far more than its size.
    """

    def __init__(self, data: bytes, place: Place) -> None:
        self._data, self._place = data, place
        if data.count(_LISTED) > MAX_MEMBERS:  # before the list is read
            raise LimitError(f"{place}: is a zip archive of more than {MAX_MEMBERS:,} members")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
            self._log = _log({info.filename: info for info in self._zip.infolist()}, place)
        except _BROKEN as error:
            raise self._broken(place, error) from None
        self._check_ratio()

    @property
    def size(self) -> int:
        """The bytes of the header and the samples, unpacked."""
        return sum(info.file_size for info in (self._log.header, *self._log.samples))

    def header(self) -> tuple[bytes, Place]:
        """Returns the header, unpacked, and its place."""
        return self._content(self._log.header)

    def samples(self) -> list[tuple[bytes, Place]]:
        """Returns each sample, unpacked, and its place; in the order of the log as JSON."""
        return [self._content(info) for info in self._log.samples]

    def _check_ratio(self) -> None:
        if self.size > max(FREE, MAX_RATIO * len(self._data)):
            raise LimitError(
                f"{self._place}: unpacks to more than {MAX_RATIO} times its size; if that is right,"
                " unpack it first (inspect log convert --to json)"
            )

    def _content(self, info: zipfile.ZipInfo) -> tuple[bytes, Place]:
        place = Place(f"{self._place}: {shown(info.filename)}")
        if info.flag_bits & _ENCRYPTED:
            raise place.error("is encrypted; unpack it first, with its password")
        try:
            return self._unpacked(info, place), place
        except _BROKEN as error:
            raise self._broken(place, error) from None

    def _unpacked(self, info: zipfile.ZipInfo, place: Place) -> bytes:
        if info.compress_type in (_STORED, _DEFLATED, _BUILT_IN):
            return self._zip.read(info)
        if info.compress_type != _ZSTANDARD:
            raise place.error(
                f"is compressed in a way that Inspect does not use (method {info.compress_type})"
            )
        return self._unpacked_by_zstandard(info, place)

    def _unpacked_by_zstandard(self, info: zipfile.ZipInfo, place: Place) -> bytes:
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
    def _broken(place: Place, error: BaseException) -> Exception:
        reason = str(error) or type(error).__name__
        return place.error(f"is a broken zip archive ({shown(reason)}); write it again")


def _log(members: dict[str, zipfile.ZipInfo], place: Place) -> Log:
    """Returns what of an archive is a log; a name that appears twice means its last member."""
    header = next((members[name] for name in _HEADERS if name in members), None)
    if header is None:
        raise place.error("is a zip archive, but no log of Inspect (.eval); unpack it first")
    if any(_IN_PIECES.search(name) for name in members):
        raise place.error(
            "holds samples in pieces, which OTAP does not read;"
            " write it as JSON (inspect log convert --to json)"
        )
    found = [(match, name) for name in members if _stays(name) and (match := _SAMPLE.match(name))]
    found.sort(key=lambda pair: _order(pair[0]))
    return Log(header, [members[name] for _, name in found])


def _stays(name: str) -> bool:
    """Says whether a name stays inside its archive."""
    return ".." not in re.split(r"[/\\]", name)


def _order(name: re.Match[str]) -> tuple[Any, ...]:
    """Samples are sorted as Inspect sorts them: by epoch, then id, whole numbers as numbers."""
    identifier = name["id"]
    number = identifier.isascii() and identifier.isdigit()
    return int(name["epoch"]), identifier.zfill(20) if number else identifier
