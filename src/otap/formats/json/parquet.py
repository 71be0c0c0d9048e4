"""Reads a Parquet file row by row. Each row is an item, like a line of JSONL.

If the file has one column, it holds the documents, as JSON text or as structs and lists. Otherwise
a row is an object with a key for each column. Requires pyarrow (the extra ``parquet``).
"""

import math
import sys
from bisect import bisect
from collections.abc import Iterator
from datetime import date, time, timedelta
from decimal import Decimal
from importlib import import_module
from itertools import accumulate
from typing import Any

from otap.errors import ConfigError, FormatError, LimitError, shown, shown_path
from otap.formats.json.documents import check_limits, parse_line
from otap.formats.json.paths import JsonPath, described
from otap.formats.json.streams import open_with_arrow, size_of, too_large
from otap.formats.limits import MAX_RATIO, MIN_BOMB_BYTES, Limits

SUFFIX = ".parquet"
BUFFER = 1 << 20  # bytes of a column that one read takes
MIN_READ_BYTES = 256 << 20  # a file whose rows take no more memory in all is never refused for it
MIN_BOMB_ROWS = 1_000_000  # a file with no more rows is never refused for its number of rows
_PANDAS_INDEX = "__index_level_"  # the prefix of columns in which pandas stores its row labels


class ParquetTable:
    """An open Parquet file. Keeps one row, and one page of each column, in memory.

    Args:
        file: the file, or its bytes.
        path: names it in errors.
        limits: the maximum size and depth of a row.

    Raises:
        ConfigError: if pyarrow is not installed.
        FormatError: if it is not a Parquet file, or is broken.
    """

    def __init__(self, file: Any, path: JsonPath, limits: Limits) -> None:
        self._path, self._limits = path, limits
        arrow, parquet = _import_pyarrow("pyarrow"), _import_pyarrow("pyarrow.parquet")
        self._errors = (arrow.ArrowException, OSError, ValueError, NotImplementedError)
        try:
            self._file = parquet.ParquetFile(file, buffer_size=BUFFER, pre_buffer=False)
            names = self._file.schema_arrow.names
            metadata = self._file.metadata
            counts = [metadata.row_group(n).num_rows for n in range(metadata.num_row_groups)]
        except self._errors as error:
            raise _broken_file(path, error) from None
        if min(counts, default=0) < 0:
            raise path.error("cannot be read as Parquet: a count of rows below 0")
        self._columns = [name for name in names if not name.startswith(_PANDAS_INDEX)]
        self._selected_columns = None if self._columns == names else self._columns
        self._max_bytes_read = sys.maxsize
        self.bytes_read = 0  # in memory, of all rows read
        self._group_ends = list(accumulate(counts))  # the index after the last row of each group
        self.count = sum(counts)  # rows according to the metadata
        self._group, self._next = -1, 0  # the open group, and the index of its next row
        self._rows: Iterator[Any] = iter(())
        self._group_error: Exception | None = None

    def check_size(self, size: int) -> None:
        """Refuses a file that has far more rows, or would unpack to far more bytes, than its size.

        The rows are counted again as they are read: a dictionary stores a repeated value once.

        Args:
            size: the size of the file in bytes.

        Raises:
            LimitError: if the ratio is above the limit.
        """
        self._max_bytes_read = max(MIN_READ_BYTES, MAX_RATIO * size)
        if self.count > max(size, MIN_BOMB_ROWS):
            raise LimitError(f"{self._path}: says it has {self.count:,} rows in {size:,} bytes")
        metadata = self._file.metadata
        unpacked = 0
        for index in range(metadata.num_row_groups):
            group = metadata.row_group(index)
            for n in range(group.num_columns):
                unpacked += max(0, group.column(n).total_uncompressed_size)
        if unpacked > max(MIN_BOMB_BYTES, MAX_RATIO * size):
            raise LimitError(
                f"{self._path}: unpacks {size:,} bytes to {unpacked:,}, above {MAX_RATIO} times"
                " its size; give it as JSONL, or write it with another compression"
            )

    def row(self, index: int) -> Any:
        """Returns the document in one row. Skips the unread rows before it in its group.

        Raises:
            LimitError: if it is too large or too deep.
            FormatError: if it cannot be read.
        """
        path = self._path[index]
        batch = self._read_batch(index, path)
        size = sum(memory_size(column) for column in batch.columns)
        self.bytes_read += size
        if self.bytes_read > self._max_bytes_read:
            raise LimitError(
                f"{path}: the rows so far take {self.bytes_read:,} bytes, above"
                f" {MAX_RATIO} times the size of the file; give it as JSONL"
            )
        if size > self._limits.max_bytes:
            raise too_large(path, size, self._limits)
        try:
            row = batch.to_pylist()[0]
        except (*self._errors, OverflowError) as error:
            raise _broken_file(path, error) from None
        return self._parse_row(row, path)

    def _read_batch(self, index: int, path: JsonPath) -> Any:
        """Returns the row as an Arrow batch. After an error the rest of its group is lost."""
        group = bisect(self._group_ends, index)
        if group != self._group or index < self._next:
            self._group, self._group_error = group, None
            self._next = self._group_ends[group - 1] if group else 0
            self._rows = self._file.iter_batches(
                1, row_groups=[group], columns=self._selected_columns, use_threads=False
            )
        batch = None
        try:
            while self._group_error is None and self._next <= index:
                batch = next(self._rows)
                self._next += 1
        except StopIteration:
            self._group_error = path.error(
                "is missing, although the file counts it; write it again"
            )
        except self._errors as error:
            self._group_error = _broken_file(path, error)
        if self._group_error is not None:
            raise self._group_error
        return batch

    def _parse_row(self, row: dict[str, Any], path: JsonPath) -> Any:
        value: Any = row[self._columns[0]] if len(self._columns) == 1 else row
        if isinstance(value, str | bytes):
            text = value.encode() if isinstance(value, str) else value
            return parse_line(text, path, self._limits)
        return check_limits(to_json(value, path), path, self._limits)


def open_table(name: str, limits: Limits) -> ParquetTable:
    """Returns an open file.

    Raises:
        ConfigError: if pyarrow is not installed.
        LimitError: if it claims or unpacks to far more than it has bytes.
        FormatError: if it cannot be read.
    """
    path = JsonPath(shown_path(name))
    _import_pyarrow("pyarrow")
    try:
        table = ParquetTable(open_with_arrow(name), path, limits)
    except (OSError, ValueError) as error:
        raise _broken_file(path, error) from None
    table.check_size(size_of(name))
    return table


def _broken_file(path: JsonPath, error: Exception) -> FormatError:
    reason = (str(error).splitlines() or [""])[0]
    return path.error(f"cannot be read as Parquet: {shown(reason, 200)}")


def _import_pyarrow(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise ConfigError(
            "reading Parquet requires pyarrow; pip install 'otap-eval[parquet]', or give it"
            " as JSONL"
        ) from None


POINTER = 8  # bytes; the minimum memory for an item of a list


def memory_size(array: Any) -> int:
    """Returns about how many bytes the values of an Arrow array take as Python objects.

    A file stores a list of nulls in no space, and a repeated text once. In memory each item takes
    a pointer, and each occurrence of the text its full length.
    """
    from pyarrow import types

    kind = array.type
    if hasattr(array, "storage"):
        return memory_size(array.storage)
    if types.is_dictionary(kind):
        return len(array) * (POINTER + memory_size(array.dictionary))
    if types.is_struct(kind):
        return sum(memory_size(child) for child in array.flatten()) + POINTER * len(array)
    if types.is_map(kind):
        return memory_size(array.keys) + memory_size(array.items)
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return memory_size(array.flatten()) + POINTER * len(array)
    return POINTER * len(array) + int(array.nbytes)


def to_json(value: Any, path: JsonPath) -> Any:
    """Converts a value of a column to JSON.

    A struct has every key in every row, with null if it is unset: null keys are dropped. NaN
    becomes null, as pandas writes it. A time becomes text. A map, a list of pairs, becomes an
    object.

    Raises:
        FormatError: with the path to the first value that JSON cannot express.
    """
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return None if math.isnan(value) else value
        case dict():
            members = {key: to_json(member, path[key]) for key, member in value.items()}
            return {key: member for key, member in members.items() if member is not None}
        case [tuple(), *_] if all(type(pair) is tuple for pair in value):  # a map
            return {str(key): to_json(member, path[str(key)]) for key, member in value}
        case list():
            return [to_json(member, path[n]) for n, member in enumerate(value)]
        case _:
            return _scalar_to_json(value, path)


def _scalar_to_json(value: Any, path: JsonPath) -> Any:
    """Converts a value of a type that JSON does not have to a text or a number."""
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
                raise path.error("bytes that are no text; leave this column out") from None
        case _:
            raise path.error(f"expected text or a number, found {described(value)}")
