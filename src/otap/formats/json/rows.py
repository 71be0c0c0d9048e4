"""The rows of a Parquet file as the items of a document."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from otap.errors import FormatError, shown_path
from otap.formats.json import parquet_process
from otap.formats.json.lines import MAX_SAMPLED_ITEMS, Mark, Streamed
from otap.formats.json.parquet_process import RemoteTable
from otap.formats.json.paths import JsonPath
from otap.formats.json.streams import is_file, size_of
from otap.formats.limits import Limits

SUFFIX = ".parquet"


@dataclass(frozen=True)
class Rows(Streamed):
    """A Parquet file. Each row is an item."""

    # The open table: reading a row requires reading the rows before it in its group.
    tables: list[RemoteTable] = field(default_factory=list, compare=False)

    def items(self) -> Iterator[tuple[Any, JsonPath]]:
        """Returns an iterator over each row with its path."""
        table = self._table()

        def read_row(index: int) -> tuple[Any, JsonPath]:
            return table.row(index), self.root[index]

        stop = table.count if self.stop is None else min(self.stop, table.count)
        indices = range(self.start, stop, self.stride)
        return map(read_row, indices)  # unlike a generator it continues after an error

    def marks(self) -> Iterator[tuple[Mark, int]]:
        """Yields the mark of each row, and its share of the file in bytes."""
        count = self._table().count
        share = size_of(self.name) // max(1, count)
        for index in range(self.mark.item_index, count):
            yield Mark(0, 1, index), share

    def _table(self) -> RemoteTable:
        if not self.tables:
            self.tables.append(_open_table(self.name, self.limits))
        return self.tables[0]


def sample_of(name: str, limits: Limits) -> Any:
    """Returns the document in one of the first rows of a file, or None if none can be read.

    Raises:
        ConfigError: if pyarrow is not installed.
        FormatError: if the file cannot be read.
    """
    if not is_file(name):
        return None
    table = _open_table(name, limits)
    for index in range(min(MAX_SAMPLED_ITEMS, table.count)):
        try:
            return table.row(index)
        except FormatError:
            continue
    return None


def parse(content: bytes, path: JsonPath, limits: Limits) -> list[Any]:
    """Returns all rows of a file. Together they may not exceed the size limit.

    Raises:
        ConfigError: if pyarrow is not installed.
        LimitError: if they are too large, or one is too deep.
        FormatError: if one cannot be read.
    """
    return parquet_process.read_rows(content, path, limits)


def _open_table(name: str, limits: Limits) -> RemoteTable:
    return RemoteTable(name, JsonPath(shown_path(name)), limits)
