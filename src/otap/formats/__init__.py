"""From trace files to trajectories: one module a format, found by name or by the file itself.

From the bottom up: ``limits``; ``json``, what any file has; ``steps``, what all readers build with;
``dialects``, the formats of messages that are tables of where what stands, and ``readers``, those
that are code, one module a format; ``registry``, their table; ``selection`` and ``files``, which
run and which file.
"""

import os
from collections.abc import Iterator
from typing import Any

from otap.formats.files import (
    Failed,
    TraceFile,
    open_file,
    open_files,
    open_lines,
    read_document,
    read_each,
    trace_files,
)
from otap.formats.json.documents import Document
from otap.formats.json.lines import BEGINNING, Mark
from otap.formats.json.streams import STANDARD_INPUT
from otap.formats.limits import LIMITS, Limits
from otap.formats.live import PATH as LIVE
from otap.formats.live import to_data
from otap.formats.registry import FORMATS, Format, format_of, load_format
from otap.formats.selection import label, select
from otap.trajectory import Trajectory

__all__ = [
    "BEGINNING",
    "FORMATS",
    "LIMITS",
    "STANDARD_INPUT",
    "Document",
    "Failed",
    "Format",
    "Limits",
    "Mark",
    "TraceFile",
    "format_of",
    "label",
    "load_format",
    "open_file",
    "open_files",
    "open_lines",
    "own_references",
    "parse",
    "parse_references",
    "read",
    "read_all",
    "read_document",
    "read_each",
    "read_references",
    "select",
    "trace_files",
]


def read(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    run: str | None = None,
    reasoning: bool = False,
    limits: Limits = LIMITS,
) -> Trajectory:
    """Reads one run.

    Args:
        path: a file, a folder, or ``-`` for standard input.
        format: the name of its format; found by itself if not given.
        run: which run, where there are several: "TASK/TRIAL", an id, "#INDEX",
            or a task that has one run only.
        reasoning: whether text that leads to no call becomes a reasoning step.
        limits: how much the file may hold.

    Raises:
        FormatError: if the file cannot be read, or not exactly one run is meant; lists the runs.
    """
    runs = read_all(path, format=format, reasoning=reasoning, limits=limits)
    return select(list(runs), run, os.fspath(path))


def read_all(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    reasoning: bool = False,
    limits: Limits = LIMITS,
) -> Iterator[Trajectory]:
    """Reads every run of a file, or of a folder's trace files, sorted by name.

    Args:
        path: a file, a folder, or ``-`` for standard input.
        format: the name of its format; found by itself if not given.
        reasoning: whether text that leads to no call becomes a reasoning step.
        limits: how much each file may hold.

    Raises:
        FormatError: when the iterator comes to what cannot be read.
        ConfigError: if there is no such format.
    """
    for file in open_files(path, format=format, limits=limits):
        yield from file.runs(reasoning=reasoning)


def read_references(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    reasoning: bool = False,
    limits: Limits = LIMITS,
) -> list[Trajectory]:
    """Reads known-good solutions: the gold of files that carry gold, the runs of all others.

    Args:
        path: a file, a folder, or ``-`` for standard input.
        format: the name of its format; found by itself if not given.
        reasoning: whether text of a run that leads to no call becomes a reasoning step.
        limits: how much each file may hold.

    Raises:
        FormatError: if something cannot be read.
    """
    references: list[Trajectory] = []
    for file in open_files(path, format=format, limits=limits, plans=True):
        references += (
            file.references() if file.carries_references else file.runs(reasoning=reasoning)
        )
    return references


def parse(
    live: Any, *, format: str | None = None, run: str | None = None, reasoning: bool = False
) -> Trajectory:
    """Returns one run of an object in memory: messages, a state, spans, a result, a session.

    It is read as its file would be. A trajectory is returned as it is.

    Args:
        live: what a framework holds, or plain data.
        format: the name of its format; found by itself if not given.
        run: which run, where there are several: an id, "#INDEX", or a task that has one run only.
        reasoning: whether text that leads to no call becomes a reasoning step.

    Raises:
        FormatError: for an object that says nothing of what it holds, with its type; if no format
            recognises it, or not exactly one run is meant.
        LimitError: if it is too deep or too large.
    """
    if isinstance(live, Trajectory):
        return live
    return select(list(_open_live(live, format).runs(reasoning=reasoning)), run, LIVE)


def parse_references(
    live: Any, *, format: str | None = None, reasoning: bool = False
) -> list[Trajectory]:
    """Returns known-good solutions out of objects in memory, as :func:`read_references` of files.

    Args:
        live: what a framework holds, plain data, a plan's data, or a list of trajectories.
        format: the name of its format; found by itself if not given.
        reasoning: whether text of a run that leads to no call becomes a reasoning step.

    Raises:
        FormatError: as :func:`parse`.
        LimitError: if it is too deep or too large.
    """
    if isinstance(live, Trajectory):
        return [live]
    if isinstance(live, list | tuple) and any(isinstance(one, Trajectory) for one in live):
        return [gold for one in live for gold in parse_references(one, format=format)]
    file = _open_live(live, format)
    return list(file.references() if file.carries_references else file.runs(reasoning=reasoning))


def _open_live(live: Any, format: str | None) -> TraceFile:
    document = Document(LIVE, to_data(live), "")
    return TraceFile(document, format_of(document, format))


def own_references(
    path: str | os.PathLike[str], *, format: str | None = None, limits: Limits = LIMITS
) -> list[Trajectory]:
    """Reads the gold that files of runs carry themselves; empty where the format has none.

    Args:
        path: a file, a folder, or ``-`` for standard input.
        format: the name of its format; found by itself if not given.
        limits: how much each file may hold.

    Raises:
        FormatError: if something cannot be read.
    """
    files = open_files(path, format=format, limits=limits)
    return [gold for file in files for gold in file.references()]
