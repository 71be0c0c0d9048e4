"""Reads a result file, line by line."""

import os
from collections.abc import Iterator
from pathlib import Path

from otap.errors import FormatError, shown_path
from otap.evaluation.results.parquet import lines_of
from otap.evaluation.results.result import Result, parse_result

_PARQUET = b"PAR1"  # how such a file begins


def read_results(path: str | os.PathLike[str]) -> Iterator[Result]:
    """Yields the results of a file, in its order.

    Args:
        path: a file that ``otap evaluate`` wrote: JSONL, or Parquet.

    Raises:
        FormatError: when the iterator comes to what cannot be read, or is no result; at a result
            that was made in another way than the first one.
    """
    return (result for result, _ in read_lines(path))


def read_lines(path: str | os.PathLike[str]) -> Iterator[tuple[Result, bytes]]:
    """Yields the results of a file, each with its whole line.

    Args:
        path: a file that ``otap evaluate`` wrote: JSONL, or Parquet.

    Raises:
        FormatError: when the iterator comes to what cannot be read, or is no result; at a result
            that was made in another way than the first one.
    """
    first: Result | None = None
    for number, line in enumerate(_lines(Path(path)), 1):
        result = parse_result(line, f"{shown_path(path)}:{number}", Result)
        if first is None:
            first = result
        elif result.signature != first.signature:
            raise FormatError(
                f"{shown_path(path)}:{number}: has another signature than the results before it;"
                " results that were made in different ways do not belong into one file"
            )
        else:  # one signature for all of them in memory too
            result = result.model_copy(update={"signature": first.signature})
        yield result, line


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            if file.peek(len(_PARQUET)).startswith(_PARQUET):
                yield from lines_of(path)
            else:
                yield from file
    except OSError as error:
        raise FormatError(f"{shown_path(path)}: cannot be read: {error.strerror}") from None
