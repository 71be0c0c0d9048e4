"""A Parquet file read row by row: each row is an item, as a line of JSONL is.

A file of one column has its documents there, as JSON in text or as structs and lists; of more
columns a row is an object. Needs pyarrow, the extra ``parquet``.
"""

import io
import math
from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, time, timedelta
from decimal import Decimal
from importlib import import_module
from itertools import accumulate
from typing import Any

from otap.errors import ConfigError, FormatError, LimitError, shown, shown_path
from otap.formats.json.documents import parsed, within
from otap.formats.json.lines import LOOKED_AT, Mark, Streamed
from otap.formats.json.places import Place, described
from otap.formats.json.streams import is_file, opened_by_arrow, size_of, too_large
from otap.formats.limits import FREE, MAX_RATIO, Limits

SUFFIX = ".parquet"
BUFFER = 1 << 20  # bytes of a column that are read at once
FREE_ROWS = 1_000_000  # a file with no more rows is no bomb, however small it is
_INDEX = "__index_level_"  # how columns begin in which pandas keeps the labels of its rows


class Table:
    """An open Parquet file, of which one row at a time is in memory, and a page of each column.

    Args:
        file: the file, or its bytes.
        place: names it in errors.
        limits: how large a row may be, and how deep.

    Raises:
        ConfigError: if pyarrow is not installed.
        FormatError: if it is no Parquet file, or one that is broken.
    """

    def __init__(self, file: Any, place: Place, limits: Limits) -> None:
        self._place, self._limits = place, limits
        arrow, parquet = _pyarrow("pyarrow"), _pyarrow("pyarrow.parquet")
        self._errors = (arrow.ArrowException, OSError, ValueError, NotImplementedError)
        try:
            self._file = parquet.ParquetFile(file, buffer_size=BUFFER, pre_buffer=False)
            names = self._file.schema_arrow.names
            shape = self._file.metadata
            groups = [shape.row_group(n).num_rows for n in range(shape.num_row_groups)]
        except self._errors as error:
            raise _broken(place, error) from None
        if min(groups, default=0) < 0:
            raise place.error("cannot be read as Parquet: a count of rows below 0")
        self._columns = [name for name in names if not name.startswith(_INDEX)]
        self._wanted = None if self._columns == names else self._columns
        self.taken = 0  # bytes that the rows took that were asked for
        self._ends = list(accumulate(groups))  # of the groups, in rows
        self.count = sum(groups)  # of rows that it says it has
        self._group, self._next = -1, 0  # what the next row of the open group is
        self._rows: Iterator[Any] = iter(())
        self._broken: Exception | None = None

    def check_unpacked(self, size: int) -> None:
        """Refuses a file of so many bytes that unpacks to very many, before any is unpacked.

        Raises:
            LimitError: if so.
        """
        shape = self._file.metadata
        groups = map(shape.row_group, range(shape.num_row_groups))
        unpacked = sum(
            max(0, group.column(n).total_uncompressed_size)
            for group in groups
            for n in range(group.num_columns)
        )
        if unpacked > max(FREE, MAX_RATIO * size):
            raise LimitError(
                f"{self._place}: unpacks {size:,} bytes to {unpacked:,}, above {MAX_RATIO} times"
                " its size; give it as JSONL, or write it with another compression"
            )

    def row(self, index: int) -> Any:
        """Returns the document in one row; those before it in its group are passed over.

        Raises:
            LimitError: if it is too large or too deep.
            FormatError: if it cannot be read.
        """
        place = self._place[index]
        batch = self._found(index, place)
        size = sum(map(weight, batch.columns))
        self.taken += size
        if size > self._limits.max_bytes:
            raise too_large(place, size, self._limits)
        try:
            row = batch.to_pylist()[0]
        except (*self._errors, OverflowError) as error:
            raise _broken(place, error) from None
        return self._document(row, place)

    def _found(self, index: int, place: Place) -> Any:
        group = bisect(self._ends, index)
        if group != self._group or index < self._next:
            self._group, self._broken = group, None
            self._next = self._ends[group - 1] if group else 0
            self._rows = self._file.iter_batches(
                1, row_groups=[group], columns=self._wanted, use_threads=False
            )
        batch = None
        try:
            while self._broken is None and self._next <= index:
                batch = next(self._rows)
                self._next += 1
        except StopIteration:
            self._broken = place.error("is not in the file, though it says so; write it again")
        except self._errors as error:
            self._broken = _broken(place, error)
        if self._broken is not None:
            raise self._broken
        return batch

    def _document(self, row: dict[str, Any], place: Place) -> Any:
        value: Any = row[self._columns[0]] if len(self._columns) == 1 else row
        if isinstance(value, str | bytes):
            data = value.encode() if isinstance(value, str) else value
            return parsed(data, place, self._limits)
        return within(plain(value, place), place, self._limits)


@dataclass(frozen=True)
class Rows(Streamed):
    """A Parquet file, of which each row is an item."""

    # Kept open, since a row is found only by reading those before it in its group.
    tables: list[Table] = field(default_factory=list, compare=False)

    def items(self) -> Iterator[tuple[Any, Place]]:
        """Returns an iterator over each row with its place."""
        table = self._table()
        count = table.count if self.stop is None else min(self.stop, table.count)
        return map(self._item, range(self.start, count, self.stride))

    def marks(self) -> Iterator[tuple[Mark, int]]:
        """Yields the place of each row, and its share of the file."""
        count = self._table().count
        share = size_of(self.name) // max(1, count)
        for place in range(self.mark.place, count):
            yield Mark(0, 1, place), share

    def _item(self, index: int) -> tuple[Any, Place]:
        return self._table().row(index), self.place[index]

    def _table(self) -> Table:
        if not self.tables:
            self.tables.append(_opened(self.name, self.limits))
        return self.tables[0]


def sample_of(name: str, limits: Limits) -> Any:
    """Returns a document that is one of the first rows of a file, or nothing where it has none.

    Raises:
        ConfigError: if pyarrow is not installed.
        FormatError: if the file cannot be read.
    """
    if not is_file(name):
        return None
    table = _opened(name, limits)
    for index in range(min(LOOKED_AT, table.count)):
        try:
            return table.row(index)
        except FormatError:
            continue
    return None


def parse(data: bytes, place: Place, limits: Limits) -> list[Any]:
    """Returns all rows of a file, together no larger than the limit.

    Raises:
        ConfigError: if pyarrow is not installed.
        LimitError: if they are too large, or one is too deep.
        FormatError: if one cannot be read.
    """
    table = Table(io.BytesIO(data), place, limits)
    _check_count(table.count, len(data), place)
    table.check_unpacked(len(data))
    rows = []
    for index in range(table.count):
        rows.append(table.row(index))
        if table.taken > limits.max_bytes:
            raise too_large(place, table.taken, limits, "holds")
    return rows


def _opened(name: str, limits: Limits) -> Table:
    place = Place(shown_path(name))
    _pyarrow("pyarrow")
    try:
        table = Table(opened_by_arrow(name), place, limits)
    except (OSError, ValueError) as error:
        raise _broken(place, error) from None
    _check_count(table.count, size_of(name), place)
    table.check_unpacked(size_of(name))
    return table


def _check_count(count: int, size: int, place: Place) -> None:
    if count > max(size, FREE_ROWS):
        raise LimitError(f"{place}: says it has {count:,} rows in {size:,} bytes")


def _broken(place: Place, error: Exception) -> FormatError:
    reason = (str(error).splitlines() or [""])[0]
    return place.error(f"cannot be read as Parquet: {shown(reason, 200)}")


def _pyarrow(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise ConfigError(
            "to read Parquet takes pyarrow; pip install 'otap[parquet]', or give it as JSONL"
        ) from None


POINTER = 8  # bytes that an item of a list takes at least


def weight(array: Any) -> int:
    """Returns about how many bytes the values of an Arrow array take as objects of Python.

    A list of nulls takes no room in a file, and a text that a dictionary has once may stand in any
    number of items: so items are counted, and texts as often as they occur.
    """
    from pyarrow import types

    kind = array.type
    if hasattr(array, "storage"):
        return weight(array.storage)
    if types.is_dictionary(kind):
        return len(array) * (POINTER + weight(array.dictionary))
    if types.is_struct(kind):
        return sum(map(weight, array.flatten())) + POINTER * len(array)
    if types.is_map(kind):
        return weight(array.keys) + weight(array.items)
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return weight(array.flatten()) + POINTER * len(array)
    return POINTER * len(array) + int(array.nbytes)


def plain(value: Any, place: Place) -> Any:
    """Returns the JSON of a value in a column.

    In structs each key has a value in every row, null where it has none: those are left out. NaN is
    null, as pandas means it; a time is text; a map, which comes as pairs, is an object.

    Raises:
        FormatError: with the place of what JSON has no form for.
    """
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return None if math.isnan(value) else value
        case dict():
            found = ((key, plain(one, place[key])) for key, one in value.items())
            return {key: one for key, one in found if one is not None}
        case [tuple(), *_] if all(type(one) is tuple for one in value):  # a map, as pairs
            return {str(key): plain(one, place[str(key)]) for key, one in value}
        case list():
            return [plain(one, place[n]) for n, one in enumerate(value)]
        case _:
            return _write_value(value, place)


def _write_value(value: Any, place: Place) -> Any:
    """The text or the number for what JSON has no type of its own for."""
    match value:
        case date() | time():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case Decimal():
            return int(value) if value == value.to_integral_value() else float(value)
        case bytes():
            try:
                return value.decode()
            except UnicodeDecodeError:
                raise place.error("bytes that are no text; leave this column out") from None
        case _:
            raise place.error(f"expected text or a number, found {described(value)}")
