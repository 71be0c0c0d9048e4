"""Reads both result files, and refuses to compare what was made in different ways."""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from otap.errors import FormatError, shown, shown_path
from otap.evaluation.comparison.run import Run, run_of
from otap.evaluation.results import read_results


@dataclass
class ResultFile:
    """What a result file holds: its runs by task, and how their numbers were made."""

    path: str
    runs: dict[str, list[Run]] = field(default_factory=dict)
    signature: Mapping[str, Any] = field(default_factory=dict)
    references: set[str | None] = field(default_factory=set)


def read_file(path: str | os.PathLike[str]) -> ResultFile:
    """Returns the runs of a file by task; one without a task is its own.

    Raises:
        FormatError: if it cannot be read, or holds nothing.
    """
    found = ResultFile(os.fspath(path))
    for result in read_results(path):
        run = run_of(result)
        found.runs.setdefault(result.task or run.name, []).append(run)
        found.signature = result.signature
        found.references.add(result.references_digest)
    if not found.runs:
        raise FormatError(f"{shown_path(path)}: holds no result; otap evaluate makes such files")
    return found


def check_signatures(base: ResultFile, new: ResultFile) -> None:
    """Refuses files whose numbers were made in different ways.

    Raises:
        FormatError: that says what differs.
    """
    names = sorted({*base.signature, *new.signature})
    unlike = [name for name in names if base.signature.get(name) != new.signature.get(name)]
    if unlike:
        told = ", ".join(
            f"{shown(name)} ({_value(base.signature, name)} and {_value(new.signature, name)})"
            for name in unlike
        )
        raise FormatError(
            f"{shown_path(base.path)} and {shown_path(new.path)} were not made in the same way:"
            f" {told}; evaluate both with the same settings and version"
        )


def _value(signature: Mapping[str, Any], name: str) -> str:
    return shown(signature.get(name, "not said"), 40)


def same_references(base: ResultFile, new: ResultFile) -> bool:
    """Whether both files had the same references, or do not say which they had."""
    return base.references == new.references


def digest(path: str | os.PathLike[str]) -> str:
    """Returns the digest of a file's bytes."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
