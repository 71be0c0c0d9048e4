"""A file of runs whose format is known, and the files of a folder."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from otap.errors import LimitError, shown, shown_path
from otap.formats.json.documents import Document, load_document
from otap.formats.json.places import Place
from otap.formats.json.streams import STANDARD_INPUT
from otap.formats.limits import LIMITS, Limits
from otap.formats.registry import SUFFIXES, Format, format_of, parser_of
from otap.trajectory import Source, Trajectory


@dataclass(frozen=True)
class TraceFile:
    """One file: parsed once, for its runs and for the gold that it may carry."""

    document: Document
    format: Format
    limits: Limits = LIMITS

    def runs(self, *, reasoning: bool = False) -> Iterator[Trajectory]:
        """Yields each run, with its position in the file as source.

        Raises:
            FormatError: at the first run that cannot be read.
            LimitError: at the first run with more steps than the limit, sub-steps included.
        """
        for index, run in enumerate(self.format.read(self.document, reasoning=reasoning)):
            yield self._sourced(run, index)

    @property
    def carries_references(self) -> bool:
        """Whether files of this format hold gold of their own beside the runs."""
        return hasattr(self.format, "references")

    def references(self) -> Iterator[Trajectory]:
        """Yields the gold that the file itself carries, one for each task, or nothing.

        Raises:
            FormatError: at the first gold that cannot be read.
        """
        references: Callable[[Document], Iterator[Trajectory]] | None
        references = getattr(self.format, "references", None)
        for gold in references(self.document) if references else ():
            yield self._sourced(gold, None)

    def _sourced(self, run: Trajectory, index: int | None) -> Trajectory:
        count = run.size
        if count > self.limits.max_steps:
            raise LimitError(
                f"{shown_path(self.document.path)}: run '{shown(run.name)}' has {count:,} steps,"
                f" above the limit of {self.limits.max_steps:,} (max_steps)"
            )
        source = Source(path=self.document.path, index=index, sha256=self.document.sha256)
        return run.model_copy(update={"source": source})


def read_document(path: str | os.PathLike[str], limits: Limits = LIMITS) -> Document:
    """Reads the JSON of one file, or what a format makes JSON of; ``-`` is standard input.

    Raises:
        LimitError: if the file is too large or too deep.
        FormatError: if it cannot be read, or holds no JSON.
    """
    return load_document(path, limits, parser_of)


def open_files(
    path: str | os.PathLike[str], *, format: str | None = None, limits: Limits = LIMITS
) -> Iterator[TraceFile]:
    """Yields a file, or every trace file of a folder and the folders in it, sorted by name.

    Args:
        path: a file, a folder, or ``-`` for standard input.
        format: the name of the format of all files; each is found by itself if not given.
        limits: how much each file may hold.

    Raises:
        FormatError: for the first file that cannot be read, or a folder without any.
    """
    for name in trace_files(path):
        document = read_document(name, limits)
        yield TraceFile(document, format_of(document, format), limits)


def trace_files(name: str | os.PathLike[str]) -> list[str]:
    """Returns the trace files of a folder and the folders in it, sorted by name; a file itself.

    Raises:
        FormatError: for a folder without any.
    """
    path = os.fsdecode(name)
    if path == STANDARD_INPUT or not os.path.isdir(path):  # noqa: PTH112 - it takes any name
        return [path]
    folder = Path(path)
    found = sorted(
        file.relative_to(folder) for file in folder.rglob("*") if _is_trace(file, folder)
    )
    if not found:
        raise Place(shown_path(path)).error(f"holds no file that ends in {' or '.join(SUFFIXES)}")
    return [str(folder / file) for file in found]


def _is_trace(file: Path, folder: Path) -> bool:
    """Hidden files and folders are no traces: editors and version control keep theirs there."""
    hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
    return file.suffix.lower() in SUFFIXES and not hidden and not file.is_dir()
