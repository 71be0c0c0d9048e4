"""Reads trace files as trajectories, with one module for each format.

From the bottom up: ``limits``; ``json``, which reads any file; the parts of a run, as ``content``,
``tool_calls``, ``conversations`` and ``recorder``; the engines ``chats`` for messages, ``events``
for logs of events and ``spans`` for traces; ``readers``, one module a format; ``registry``, the
table of formats; ``run_names`` and ``trace_files``, which select a run or a file.
"""

import os
from collections.abc import Iterator
from typing import Any

from otap.errors import FormatError, OtapError, shown
from otap.formats.json.documents import Document, check_limits
from otap.formats.json.lines import BEGINNING, Mark
from otap.formats.json.paths import JsonPath
from otap.formats.json.streams import STANDARD_INPUT
from otap.formats.limits import LIMITS, Limits
from otap.formats.live import PATH as LIVE
from otap.formats.live import describe_type, is_plain, to_data
from otap.formats.registry import FORMATS, Format, format_of, kind_without_place, load_format
from otap.formats.run_names import label, select
from otap.formats.trace_files import (
    Failed,
    TraceFile,
    open_file,
    open_files,
    open_lines,
    read_document,
    read_each,
    trace_files,
)
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
        format: the name of its format (default: recognised from the file).
        run: the run to select if there are several: "TASK/TRIAL", an id, "#INDEX",
            or a task that has one run only.
        reasoning: whether text that leads to no call becomes a reasoning step.
        limits: the limits on the file.

    Raises:
        FormatError: if the file cannot be read, or not exactly one run matches; lists the runs.
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
        format: the name of its format (default: recognised from the file).
        reasoning: whether text that leads to no call becomes a reasoning step.
        limits: the limits on each file.

    Raises:
        FormatError: when the iterator reaches a run that cannot be read.
        ConfigError: if there is no format with this name.
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
    """Reads known-good solutions: the references of files that carry them, or else the runs.

    Args:
        path: a file, a folder, or ``-`` for standard input.
        format: the name of its format (default: recognised from the file).
        reasoning: whether text of a run that leads to no call becomes a reasoning step.
        limits: the limits on each file.

    Raises:
        FormatError: if a file or a run cannot be read.
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
    """Returns one run from an object in memory: messages, a state, spans, a result, a session.

    It is read like a file of that object. A trajectory is returned unchanged.

    Args:
        live: an object of a framework, or plain data.
        format: the name of its format (default: recognised from the data).
        run: the run to select if there are several: an id, "#INDEX", or a task that has one run
            only.
        reasoning: whether text that leads to no call becomes a reasoning step.

    Raises:
        FormatError: for an object of an unknown kind, with its type; if no format recognises it,
            or not exactly one run matches.
        LimitError: if it is too deep or too large.
    """
    if isinstance(live, Trajectory):
        return live
    runs = list(_open_live(live, format).runs(reasoning=reasoning))
    parsed = select(runs, run, LIVE)
    if not (parsed.steps or parsed.understood or is_plain(live)):
        raise _not_understood(live)
    return parsed


def parse_references(
    live: Any, *, format: str | None = None, reasoning: bool = False
) -> list[Trajectory]:
    """Returns known-good solutions from objects in memory, as :func:`read_references` from files.

    Args:
        live: an object of a framework, plain data, a plan's data, or a list of trajectories.
        format: the name of its format (default: recognised from the data).
        reasoning: whether text of a run that leads to no call becomes a reasoning step.

    Raises:
        FormatError: like :func:`parse`.
        LimitError: if it is too deep or too large.
    """
    if isinstance(live, Trajectory):
        return [live]
    if isinstance(live, list | tuple) and any(isinstance(item, Trajectory) for item in live):
        return [gold for item in live for gold in parse_references(item, format=format)]
    file = _open_live(live, format)
    return list(file.references() if file.carries_references else file.runs(reasoning=reasoning))


def _open_live(live: Any, format: str | None) -> TraceFile:
    root = JsonPath(LIVE)
    try:
        document = Document(LIVE, check_limits(to_data(live), root, LIMITS), "").without(
            kind_without_place
        )
    except OtapError:
        raise
    except Exception as error:  # an object may do anything when it is read
        reason = f"{type(error).__name__}: {shown(error, 200)}"
        raise root.error(f"an object in it cannot be read ({reason}); pass its data") from None
    try:
        return TraceFile(document, format_of(document, format))
    except FormatError as error:
        if is_plain(live):
            raise
        raise _not_understood(live) from error


def _not_understood(live: Any) -> FormatError:
    return FormatError(
        f"{LIVE}: found a {describe_type(live)}, of which OTAP understood nothing; pass its"
        " messages, its spans, or its data"
    )


def own_references(
    path: str | os.PathLike[str], *, format: str | None = None, limits: Limits = LIMITS
) -> list[Trajectory]:
    """Reads the references that files of runs carry; empty if the format has none.

    Args:
        path: a file, a folder, or ``-`` for standard input.
        format: the name of its format (default: recognised from the file).
        limits: the limits on each file.

    Raises:
        FormatError: if a file or a run cannot be read.
    """
    files = open_files(path, format=format, limits=limits)
    return [gold for file in files for gold in file.references()]
