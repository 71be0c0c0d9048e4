"""A file of runs whose format is known, and the files of a folder."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path, PurePath, PurePosixPath
from typing import Any, TypeVar

from otap.errors import FormatError, LimitError, shown, shown_path
from otap.formats.json import lines, rows
from otap.formats.json.documents import Document, collection_paused, in_utf8, load_document
from otap.formats.json.lines import BEGINNING, Mark, Streamed
from otap.formats.json.places import Place
from otap.formats.json.streams import STANDARD_INPUT, files_below, is_uri, unreadable
from otap.formats.limits import LIMITS, Limits
from otap.formats.registry import PLANS, SETTINGS, SUFFIXES, format_of, parser_of
from otap.trajectory import Source, Trajectory

WHOLE = (0, 1)  # of the runs of a file: all of them
ALL = slice(None)
Found = TypeVar("Found", str, Path)
MOST_NAMES = 1_000_000  # of runs of a file that are held to be different


@dataclass(frozen=True)
class Failed:
    """A run that cannot be read, or a whole file: why, and where it stands.

    Its ``source`` has no index where it is a whole file.
    """

    error: Exception  # a FormatError, or our own fault
    source: Source


@dataclass(frozen=True)
class TraceFile:
    """One file, for its runs and for the gold that it may carry.

    It is parsed once; a file of which each line, or row, is a run is read one by one instead.
    """

    document: Document
    format: Any  # a Format, which may have more than all have
    limits: Limits = LIMITS

    def runs(self, *, reasoning: bool = False) -> Iterator[Trajectory]:
        """Yields each run, with its position in the file as source.

        Raises:
            FormatError: at the first run that cannot be read.
            LimitError: at the first run with more steps than the limit, sub-steps included.
        """
        for run in self.each(reasoning=reasoning):
            if isinstance(run, Failed):
                raise run.error
            yield run

    @property
    def by_item(self) -> bool:
        """Whether each item of a list is one run, which can be read without those before it."""
        if isinstance(self.document, Streamed):
            return True
        return getattr(self.format, "BY_ITEM", False) and isinstance(self.document.value, list)

    def each(
        self, *, reasoning: bool = False, places: slice = ALL
    ) -> Iterator[Trajectory | Failed]:
        """Yields each run, or why it cannot be read, and goes on where the format allows it.

        Args:
            reasoning: whether text that leads to no call becomes a reasoning step.
            places: the runs that are wanted, by their places in the file.
        """
        start, stop, stride = places.start or 0, places.stop, places.step or 1
        document, counted = self.document, count()
        if self.by_item:
            document = replace(document, start=start, stop=stop, stride=stride)
            counted = count(start, stride)
        runs = iter(self.format.read(document, reasoning=reasoning))
        for index in counted:
            if stop is not None and index >= stop:
                return
            try:
                with collection_paused():
                    run: Trajectory | Failed = self._sourced(next(runs), index)
            except StopIteration:
                return
            except Exception as error:
                run = Failed(error, self._source(index))
            if index >= start and (index - start) % stride == 0:
                yield run

    @property
    def carries_references(self) -> bool:
        """Whether files of this format hold gold of their own beside the runs."""
        return hasattr(self.format, "references")

    def references(self) -> Iterator[Trajectory]:
        """Yields the gold that the file itself carries, one for each task, or nothing.

        Raises:
            FormatError: at the first gold that cannot be read.
        """
        for gold in self.format.references(self.document) if self.carries_references else ():
            yield self._sourced(gold, None)

    def _sourced(self, run: Trajectory, index: int | None) -> Trajectory:
        if run.size > self.limits.max_steps:
            raise LimitError(
                f"{shown_path(self.document.path)}: run '{shown(run.name)}' has {run.size:,} steps,"
                f" above the limit of {self.limits.max_steps:,} (max_steps)"
            )
        return run.model_copy(update={"source": self._source(index)})

    def _source(self, index: int | None) -> Source:
        return Source(path=self.document.path, index=index, sha256=self.document.sha256)


def read_document(path: str | os.PathLike[str], limits: Limits = LIMITS) -> Document:
    """Reads the JSON of one file, or what a format makes JSON of; ``-`` is standard input.

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
    """Yields a file, or every trace file of a folder and the folders in it, sorted by name.

    Args:
        path: a file, a folder, or ``-`` for standard input.
        format: the name of the format of all files; each is found by itself if not given.
        limits: how much each file may hold.
        plans: whether the plans of a folder are wanted, too.

    Raises:
        FormatError: for the first file that cannot be read, or a folder without any.
    """
    for name in trace_files(path, SUFFIXES + PLANS if plans else SUFFIXES):
        yield open_file(name, format=format, limits=limits)


def read_each(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    reasoning: bool = False,
    limits: Limits = LIMITS,
    share: tuple[int, int] = WHOLE,
) -> Iterator[Trajectory | Failed]:
    """Reads every run of a file or folder as `read_all` does, but goes on behind what is bad.

    Behind a run that cannot be read the file goes on where its format has each run in an item of
    its own; else what is left of this file is lost. In JSONL a line may be no JSON.

    Args:
        path: a file, a folder, or ``-`` for standard input.
        format: the name of its format; found by itself if not given.
        reasoning: whether text that leads to no call becomes a reasoning step.
        limits: how much each file may hold; of a file read line by line, each line.
        share: (k, n) are the runs at the places k, k + n and so on of each file: n processes
            that take a share each read all of it. Lines of another share are not parsed.

    Raises:
        FormatError: for a folder without any trace file.
        ConfigError: if there is no such format.
    """
    for name in trace_files(path):
        try:
            file = open_file(name, format=format, limits=limits)
        except FormatError as error:
            if share[0] == 0:
                yield Failed(error, Source(path=in_utf8(name)))
            continue
        yield from file.each(reasoning=reasoning, places=slice(share[0], None, share[1]))


def open_file(name: str, *, format: str | None = None, limits: Limits = LIMITS) -> TraceFile:
    """Returns one file, which is no folder.

    Raises:
        FormatError: if it cannot be read, or is in no format.
        ConfigError: if there is no such format.
    """
    by_line = open_lines(name, format=format, limits=limits)
    if by_line is not None:
        return by_line
    document = read_document(name, limits)
    return TraceFile(document, format_of(document, format), limits)


def open_lines(
    name: str,
    *,
    format: str | None = None,
    limits: Limits = LIMITS,
    sha256: str | None = None,
    mark: Mark = BEGINNING,
) -> TraceFile | None:
    """Returns a file of lines or rows that are a run each; None of any other, which is read whole.

    Args:
        name: the file.
        format: the name of its format; found by itself if not given.
        limits: how much each line or row may hold.
        sha256: its digest where that is known; else all of it is read for that.
        mark: a line that is not behind what will be read: none before it is looked at.

    Raises:
        ConfigError: if there is no such format, or Parquet without pyarrow.
    """
    is_table = name.lower().endswith(rows.SUFFIX)
    kind: type[Streamed] = rows.Rows if is_table else lines.Lines
    try:
        sample = (rows if is_table else lines).sample_of(name, limits)
        found: Any = sample and format_of(Document(in_utf8(name), [sample], ""), format)
        if not (getattr(found, "BY_ITEM", False) or hasattr(found, "NAME_OF_RUN")):
            return None
        document = kind.of(name, sample, limits, sha256, mark)
        if sha256 is None and not _is_run_each(document, found):
            return None
    except (FormatError, OSError):
        return None
    return TraceFile(document, found, limits)


def _is_run_each(document: Streamed, found: Any) -> bool:
    """Says whether each item is one run: the format says so, or their names are all different."""
    if getattr(found, "BY_ITEM", False):
        return True
    names: set[int] = set()
    for seen, (item, _) in enumerate(document.items(), 1):
        name = found.NAME_OF_RUN(item)
        names.add(hash(name))
        if name is None or seen > MOST_NAMES or len(names) < seen:
            return False
    return True


def trace_files(name: str | os.PathLike[str], suffixes: tuple[str, ...] = SUFFIXES) -> list[str]:
    """Returns the trace files of a folder and the folders in it, sorted by name; a file itself.

    Raises:
        FormatError: for a folder without any.
    """
    path = os.fsdecode(name)
    if is_uri(path):
        return _traces_of_uri(path, suffixes)
    if path == STANDARD_INPUT or not os.path.isdir(path):  # noqa: PTH112 - it takes any name
        return [path]
    folder = Path(path)
    traces = (file for file in folder.rglob("*") if _is_trace(file, folder, suffixes))
    files = (file for file in traces if not file.is_dir())
    found = sorted(file.relative_to(folder) for file in files)
    return [str(folder / file) for file in _refuse_none(found, Place(shown_path(path)))]


def _traces_of_uri(uri: str, suffixes: tuple[str, ...]) -> list[str]:
    place = Place(shown(uri))
    try:
        below = files_below(uri)
    except (OSError, ValueError) as error:
        raise unreadable(place, error) from None
    if below is None:
        return [uri]
    root = PurePosixPath(uri)
    return _refuse_none(
        [name for name in below if _is_trace(PurePosixPath(name), root, suffixes)], place
    )


def _refuse_none(found: list[Found], place: Place) -> list[Found]:
    if not found:
        raise place.error(f"holds no file that ends in {' or '.join(SUFFIXES)}")
    return found


def _is_trace(file: PurePath, folder: PurePath, suffixes: tuple[str, ...]) -> bool:
    """Hidden files and folders are no traces: editors and version control keep theirs there."""
    hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
    return file.suffix.lower() in suffixes and file.name not in SETTINGS and not hidden
