"""A file of runs in a known format, and the trace files of a folder."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path, PurePath, PurePosixPath
from typing import Any, TypeVar

from otap.errors import FormatError, LimitError, OtapError, shown, shown_path
from otap.formats.call_identity import merge_calls
from otap.formats.json import lines, rows
from otap.formats.json.compression import plain_name
from otap.formats.json.documents import Document, in_utf8, load_document, pause_gc
from otap.formats.json.lines import Streamed
from otap.formats.json.paths import JsonPath
from otap.formats.json.streams import STANDARD_INPUT, files_below, is_uri, unreadable
from otap.formats.limits import LIMITS, Limits
from otap.formats.registry import (
    PLAN_SUFFIXES,
    SETTINGS_FILES,
    SUFFIXES,
    format_of,
    kind_without_place,
    parser_of,
)
from otap.formats.trials import drop_trial_files, fields_of_trial
from otap.formats.unread import UnreadTally
from otap.formats.wrappers import unwrap_calls
from otap.trajectory import Source, Trajectory

ALL_RUNS = (0, 1)  # the share of one process that reads all runs of a file
ALL_INDICES = slice(None)
File = TypeVar("File", str, PurePath)
MAX_NAMES = 1_000_000  # run names of a file that are compared to find repeated ones


@dataclass(frozen=True)
class Failed:
    """An error in place of a run, or of a whole file. A whole file has no index in ``source``."""

    error: OtapError
    source: Source


@dataclass(frozen=True)
class TraceFile:
    """One file, with its runs and the reference runs that it may carry.

    It is parsed once. If each line, or row, is a run, the file is read one run at a time instead.
    Its runs have the fields of the trial to which the file belongs.
    """

    document: Document
    format: Any  # a Format, which may have optional members
    limits: Limits = LIMITS
    trial_fields: Mapping[str, Any] = field(default_factory=dict)

    def runs(self, *, reasoning: bool = False) -> Iterator[Trajectory]:
        """Yields each run, with its position in the file as source.

        Raises:
            FormatError: at the first run that cannot be read.
            LimitError: at the first run with more steps than the limit, sub-steps included.
        """
        for run in self.runs_or_failures(reasoning=reasoning):
            if isinstance(run, Failed):
                raise run.error
            yield run

    @property
    def by_item(self) -> bool:
        """Whether each item of a list is one run that can be read without the earlier items."""
        if isinstance(self.document, Streamed):
            return True
        return getattr(self.format, "BY_ITEM", False) and isinstance(self.document.value, list)

    def runs_or_failures(
        self, *, reasoning: bool = False, indices: slice = ALL_INDICES
    ) -> Iterator[Trajectory | Failed]:
        """Yields each run, or its error. Continues after an error if the format allows it.

        Args:
            reasoning: whether text that leads to no call becomes a reasoning step.
            indices: the runs to read, by their index in the file.
        """
        start, stop, stride = indices.start or 0, indices.stop, indices.step or 1
        document, run_indices = self.document, count()
        if self.by_item:
            document = replace(document, start=start, stop=stop, stride=stride)
            run_indices = count(start, stride)
        try:
            runs = iter(self.format.read(document, reasoning=reasoning))
        except Exception as error:
            yield Failed(self.document.root.own_error(error), self._source(None))
            return
        for index in run_indices:
            if stop is not None and index >= stop:
                return
            try:
                with pause_gc():
                    run: Trajectory | Failed = self._with_source(next(runs), index)
            except StopIteration:
                return
            except Exception as error:
                run = Failed(self.document.root.own_error(error), self._source(index))
            if index >= start and (index - start) % stride == 0:
                yield run

    @property
    def carries_references(self) -> bool:
        """Whether files of this format have reference runs next to the runs."""
        return hasattr(self.format, "references")

    def references(self) -> Iterator[Trajectory]:
        """Yields the reference runs in the file, one for each task, or nothing.

        Raises:
            FormatError: at the first reference that cannot be read.
        """
        references = iter(self.format.references(self.document) if self.carries_references else ())
        while True:
            try:
                reference = self._with_source(next(references), None)
            except StopIteration:
                return
            except Exception as error:
                raise self.document.root.own_error(error) from error.__cause__
            yield reference

    def _with_source(self, run: Trajectory, index: int | None) -> Trajectory:
        if run.size > self.limits.max_steps:
            raise LimitError(
                f"{shown_path(self.document.path)}: run '{shown(run.name)}' has {run.size:,} steps,"
                f" above the limit of {self.limits.max_steps:,} (max_steps)"
            )
        run = merge_calls(unwrap_calls(run)).model_copy(
            update={**self.trial_fields, "source": self._source(index)}
        )
        unknown, ignored = self.document.unknown, self.document.ignored if index == 0 else ()
        if not unknown and not ignored:
            return run
        tally = UnreadTally()
        tally.add(run.unread)
        tally.note(unknown, ignored)
        return run.model_copy(update={"unread": tally.counts()})

    def _source(self, index: int | None) -> Source:
        return Source(path=self.document.path, index=index, sha256=self.document.sha256)


def read_document(path: str | os.PathLike[str], limits: Limits = LIMITS) -> Document:
    """Reads one file as JSON, with the parser of its format if it is not JSON.

    Args:
        path: the file, or ``-`` for standard input.
        limits: the limits on the file.

    Raises:
        LimitError: if the file is too large or too deep.
        FormatError: if it cannot be read, or holds no JSON.
    """
    return load_document(path, limits, parser_of)


def open_files(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    limits: Limits = LIMITS,
    plans: bool = False,
) -> Iterator[TraceFile]:
    """Yields a file, or every trace file of a folder and its subfolders, sorted by name.

    Args:
        path: a file, a folder, or ``-`` for standard input.
        format: the name of the format of all files (default: recognised from each file).
        limits: the limits on each file.
        plans: whether to include the plans of a folder.

    Raises:
        FormatError: for the first file that cannot be read, or a folder without any.
    """
    for name in trace_files(path, SUFFIXES + PLAN_SUFFIXES if plans else SUFFIXES):
        yield open_file(name, format=format, limits=limits)


def read_each(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    reasoning: bool = False,
    limits: Limits = LIMITS,
    share: tuple[int, int] = ALL_RUNS,
) -> Iterator[Trajectory | Failed]:
    """Reads every run of a file or folder like `read_all`, but continues after an error.

    After an unreadable run, reading continues if the format has each run in an item of its own.
    Otherwise the rest of this file is lost. In JSONL, a line that is not JSON is one error.

    Args:
        path: a file, a folder, or ``-`` for standard input.
        format: the name of its format (default: recognised from the file).
        reasoning: whether text that leads to no call becomes a reasoning step.
        limits: the limits on each file, or on each line of a file read line by line.
        share: (k, n) selects the runs k, k + n, k + 2n and so on of each file. Together n
            processes with one share each read everything. Lines of other shares are not parsed.

    Raises:
        FormatError: for a folder without any trace file.
        ConfigError: if there is no format with this name.
    """
    for name in trace_files(path):
        try:
            file = open_file(name, format=format, limits=limits)
        except FormatError as error:
            if share[0] == 0:
                yield Failed(error, Source(path=in_utf8(name)))
            continue
        indices = slice(share[0], None, share[1])
        yield from file.runs_or_failures(reasoning=reasoning, indices=indices)


def open_file(name: str, *, format: str | None = None, limits: Limits = LIMITS) -> TraceFile:
    """Opens one file, which is not a folder.

    Raises:
        FormatError: if it cannot be read, or its format is not recognised.
        ConfigError: if there is no format with this name.
    """
    by_line = open_lines(name, format=format, limits=limits)
    if by_line is not None:
        return by_line
    document = read_document(name, limits).without(kind_without_place)
    return TraceFile(document, format_of(document, format), limits, fields_of_trial(name))


def open_lines(
    name: str,
    *,
    format: str | None = None,
    limits: Limits = LIMITS,
    sha256: str | None = None,
) -> TraceFile | None:
    """Opens a file in which each line or row is a run; None for other files.

    Args:
        name: the file.
        format: the name of its format (default: recognised from the file).
        limits: the limits on each line or row.
        sha256: the digest of the file (default: computed from its bytes).

    Raises:
        ConfigError: if there is no format with this name, or pyarrow is missing for Parquet.
    """
    is_table = name.lower().endswith(rows.SUFFIX)
    kind: type[Streamed] = rows.Rows if is_table else lines.JsonLines
    try:
        sample = (rows if is_table else lines).sample_of(name, limits)
        reader: Any = sample and format_of(Document(in_utf8(name), [sample], ""), format)
        if not (getattr(reader, "BY_ITEM", False) or hasattr(reader, "NAME_OF_RUN")):
            return None
        document = kind.of(name, sample, limits, sha256)
        if sha256 is None and not _has_run_per_item(document, reader):
            return None
    except (FormatError, OSError):
        return None
    return TraceFile(document, reader, limits, fields_of_trial(name))


def _has_run_per_item(document: Streamed, reader: Any) -> bool:
    """Returns whether each item is one run: the format says so, or all run names differ."""
    if getattr(reader, "BY_ITEM", False):
        return True
    hashes: set[int] = set()
    for number, (item, _) in enumerate(document.items(), 1):
        name = reader.NAME_OF_RUN(item)
        hashes.add(hash(name))
        if name is None or number > MAX_NAMES or len(hashes) < number:
            return False
    return True


def trace_files(name: str | os.PathLike[str], suffixes: tuple[str, ...] = SUFFIXES) -> list[str]:
    """Returns a file itself, or the trace files of a folder and its subfolders, sorted by name.

    Raises:
        FormatError: for a folder without any.
    """
    path = os.fsdecode(name)
    if is_uri(path):
        return _trace_files_of_uri(path, suffixes)
    if path == STANDARD_INPUT or not os.path.isdir(path):  # noqa: PTH112 - it takes any name
        return [path]
    folder = Path(path)
    files = sorted(
        file.relative_to(folder)
        for file in folder.rglob("*")
        if _is_trace(file, folder, suffixes) and not file.is_dir()
    )
    traces = _require_files(drop_trial_files(files), JsonPath(shown_path(path)))
    return [str(folder / file) for file in traces]


def _trace_files_of_uri(uri: str, suffixes: tuple[str, ...]) -> list[str]:
    path = JsonPath(shown(uri))
    try:
        names = files_below(uri)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None
    if names is None:
        return [uri]
    root = PurePosixPath(uri)
    return _require_files(
        [name for name in names if _is_trace(PurePosixPath(name), root, suffixes)], path
    )


def _require_files(files: list[File], folder: JsonPath) -> list[File]:
    if not files:
        raise folder.error(f"holds no file that ends in {' or '.join(SUFFIXES)}")
    return files


def _is_trace(file: PurePath, folder: PurePath, suffixes: tuple[str, ...]) -> bool:
    """Returns whether a file is a trace by its name. Hidden files belong to other programs."""
    is_hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
    suffix = PurePath(plain_name(file.name)).suffix.lower()
    return suffix in suffixes and file.name not in SETTINGS_FILES and not is_hidden
