"""Reads result files of JSONL or Parquet line by line, and writes Parquet.

A Parquet file has a column for each number, and one for the whole line. It needs pyarrow, the
extra ``parquet``.
"""

import os
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

from otap.errors import ConfigError, FormatError, shown, shown_path
from otap.evaluation.results.run_result import Result, parse_result

_PARQUET = b"PAR1"  # the first bytes of a Parquet file


def read_results(path: str | os.PathLike[str]) -> Iterator[Result]:
    """Yields the results of a file in its order.

    Args:
        path: a file that ``otap evaluate`` wrote: JSONL, or Parquet.

    Raises:
        FormatError: while iterating, at a line that cannot be read, that is not a result, or whose
            signature is not that of the first result.
    """
    return (result for result, _ in read_lines(path))


def read_lines(path: str | os.PathLike[str]) -> Iterator[tuple[Result, bytes]]:
    """Yields the results of a file in its order, each with its whole line."""
    first: Result | None = None
    for number, line in enumerate(_lines(Path(path)), 1):
        where = f"{shown_path(path)}:{number}"
        result = parse_result(line, where, Result)
        first = first or result
        if result.signature != first.signature:
            raise FormatError(
                f"{where}: has another signature than the results before it;"
                " results of different settings do not belong in one file"
            )
        # Share one signature in memory.
        yield result.model_copy(update={"signature": first.signature}), line


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            if file.peek(len(_PARQUET)).startswith(_PARQUET):
                yield from _lines_of_parquet(path)
            else:
                yield from file
    except OSError as error:
        raise FormatError(f"{shown_path(path)}: cannot be read: {error.strerror}") from None


LINE = "json"  # the column of the whole line
ROWS = 1000  # rows that are read or written in a batch
_TEXTS = ("id", "task", "severity", "best_reference")
_NUMBERS = ("score", "skill", "loss", "precision", "recall", "outcome")
_FINDING = ("severity", "kind", "tools", "share", "sentence")


def check_installed() -> None:
    """Checks that pyarrow is installed.

    Raises:
        ConfigError: if pyarrow is not installed.
    """
    if find_spec("pyarrow") is None:
        raise ConfigError(
            "Parquet needs pyarrow: install it with pip install 'otap-eval[parquet]', or use JSONL"
        )


def _import_pyarrow() -> tuple[Any, Any]:
    check_installed()
    return import_module("pyarrow"), import_module("pyarrow.parquet")


def write_parquet(lines: Path, path: Path) -> None:
    """Converts a result file of lines to Parquet, completely or not at all.

    Args:
        lines: the result file.
        path: the Parquet file, which is replaced if it exists.

    Raises:
        ConfigError: if the file cannot be written, or pyarrow is not installed.
        FormatError: if ``lines`` is not a result file.
    """
    arrow, parquet = _import_pyarrow()
    schema = _schema(arrow)
    draft = path.with_name(f".otap-{os.urandom(8).hex()}.tmp")
    try:
        with (
            parquet.ParquetWriter(draft, schema, compression="zstd") as file,
            lines.open("rb") as line_file,
        ):
            while batch := list(islice(line_file, ROWS)):
                rows = [_row(line, parse_result(line, shown_path(lines), Result)) for line in batch]
                file.write_batch(arrow.RecordBatch.from_pylist(rows, schema=schema))
        draft.replace(path)
    except OSError as error:
        raise ConfigError(f"{shown_path(path)}: cannot write it ({error.strerror})") from None
    finally:
        draft.unlink(missing_ok=True)


def _lines_of_parquet(path: Path) -> Iterator[bytes]:
    arrow, parquet = _import_pyarrow()
    try:
        with parquet.ParquetFile(path) as file:
            if LINE not in file.schema_arrow.names:
                raise FormatError(
                    f"{shown_path(path)}: is not a result file: it has no column '{LINE}'"
                )
            for batch in file.iter_batches(ROWS, columns=[LINE]):
                yield from (row.encode() for row in batch.column(0).to_pylist())
    except (arrow.ArrowException, OSError) as error:
        reason = (str(error).splitlines() or [""])[0]
        raise FormatError(f"{shown_path(path)}: cannot be read: {shown(reason, 200)}") from None


def _row(line: bytes, result: Result) -> dict[str, Any]:
    """Returns the columns of a result."""
    source, error, steps = result.source, result.error, result.steps
    return {
        **{name: getattr(result, name) for name in (*_TEXTS, *_NUMBERS)},
        "trial": None if result.trial is None else str(result.trial),
        "source_path": source and source.path,
        "source_index": source and source.index,
        "error_kind": error and error.kind,
        "error_message": error and error.message,
        "steps_agent": steps and steps.agent,
        "steps_reference": steps and steps.reference,
        "losses": list(result.losses.items()),
        "findings": [finding.model_dump(include=set(_FINDING)) for finding in result.findings],
        LINE: line.decode().rstrip("\n"),
    }


def _schema(arrow: Any) -> Any:
    """Returns the columns and their types."""
    text, number, integer = arrow.string(), arrow.float64(), arrow.int64()
    types = {"share": number, "tools": arrow.list_(text)}
    finding = arrow.struct([(name, types.get(name, text)) for name in _FINDING])
    return arrow.schema([
        *((name, text) for name in (*_TEXTS, "trial")),
        *((name, number) for name in _NUMBERS),
        ("source_path", text), ("source_index", integer),
        ("error_kind", text), ("error_message", text),
        ("steps_agent", integer), ("steps_reference", integer),
        ("losses", arrow.map_(text, number)), ("findings", arrow.list_(finding)),
        (LINE, text),
    ])  # fmt: skip
