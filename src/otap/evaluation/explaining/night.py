"""A whole result file, run by run: small in memory, each line whole when it is asked for."""

import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from otap.errors import FormatError, shown_path
from otap.evaluation.explaining.told import Told
from otap.evaluation.results.reading import read_lines
from otap.evaluation.results.result import Result, parse_result


@dataclass(frozen=True)
class Line:
    """A result of a file.

    Attributes:
        number: of its line, from 1.
        result: what many runs are asked for.
        packed: the whole line, compressed.
    """

    number: int
    result: Result
    packed: bytes = field(repr=False)

    def told(self) -> Told:
        """Returns all that the line says."""
        return parse_result(zlib.decompress(self.packed), f"line {self.number}", Told)


@dataclass(frozen=True)
class Night:
    """The results of one evaluation, in the order of their file.

    Attributes:
        path: of the file.
        lines: at least one.
    """

    path: str
    lines: tuple[Line, ...]

    @property
    def signature(self) -> Mapping[str, Any]:
        """How all its numbers were made."""
        return self.lines[0].result.signature


def read_night(path: str | os.PathLike[str]) -> Night:
    """Returns the results of a file.

    Raises:
        FormatError: if it cannot be read, holds something else, or nothing.
    """
    found = enumerate(read_lines(path), 1)
    lines = tuple(Line(n, result, zlib.compress(line, 1)) for n, (result, line) in found)
    if not lines:
        raise FormatError(f"{shown_path(path)}: holds no result; otap evaluate makes such files")
    return Night(os.fspath(path), lines)
