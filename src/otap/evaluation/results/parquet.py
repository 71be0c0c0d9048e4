"""Result files as Parquet: a column for each number, and each line as it was.

Needs pyarrow, the extra ``parquet``.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from otap.errors import ConfigError, FormatError, shown, shown_path

LINE = "json"  # the column that has the whole line
ROWS = 1000  # read or written at once


def lines_of(path: Path) -> Iterator[bytes]:
    """Yields the lines of a Parquet file.

    Raises:
        ConfigError: if pyarrow is not installed.
        FormatError: if it cannot be read, or is no result file.
    """
    parquet = _pyarrow("pyarrow.parquet")
    try:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(ROWS, columns=[LINE]):
                yield from (row.encode() for row in batch.column(0).to_pylist())
    except (KeyError, IndexError):
        raise FormatError(f"{shown_path(path)}: no result file: no column '{LINE}'") from None
    except (ValueError, OSError) as error:  # pyarrow's own errors are of these
        reason = (str(error).splitlines() or [""])[0]
        raise FormatError(f"{shown_path(path)}: cannot be read: {shown(reason, 200)}") from None


def _pyarrow(module: str) -> Any:
    try:
        from importlib import import_module

        return import_module(module)
    except ImportError:
        raise ConfigError(
            "Parquet needs pyarrow: install it with pip install 'otap[parquet]', or use JSONL"
        ) from None
