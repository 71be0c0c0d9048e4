"""Many runs in, a result file and its summary out; what is there already is not done again."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from otap.errors import ConfigError, shown_path
from otap.evaluation.inputs import Begun, source_of
from otap.evaluation.results.output import Output
from otap.evaluation.results.result import Made, Result, differing, parse_result
from otap.evaluation.results.summary import Summary
from otap.evaluation.work import Done, Work, Worker
from otap.formats.json.documents import in_utf8
from otap.formats.json.streams import size_of
from otap.scoring.selection import ReferenceIndex
from otap.trajectory import Source, Trajectory

Engine = Callable[[Work, Sequence[str], Begun], Iterator[Done]]


@dataclass(frozen=True)
class Progress:
    """How far an evaluation has come: runs done now and before, bytes done now and to be done."""

    runs: int
    before: int
    bytes: int
    all_bytes: int


def evaluate(
    files: Sequence[str],
    work: Work,
    output: Output,
    engine: Engine,
    tell: Callable[[Progress], object] = lambda _: None,
) -> Summary:
    """Scores the runs of files, appends their lines in their order, and returns the summary of all.

    What the output has already is not done again; it goes on where that ends.

    Args:
        files: trace files.
        work: settings and references.
        output: where lines go.
        engine: has the portions done, and keeps their order.
        tell: is told how far it has come, first and after each portion.

    Raises:
        ConfigError: if what the output has was made in another way or of other runs, or there is no
            room for more.
        OtapError: if a process that worked ended.
    """
    summary = Summary()
    begun = _begun(files, work, output, summary)
    before, done = summary.all.runs, 0
    todo = sum(map(size_of, files[begun.file :]))
    tell(Progress(0, before, 0, todo))
    for one in engine(work, files, begun):
        output.append(one.lines)
        summary.merge(one.summary)
        done += one.portion.size
        tell(Progress(summary.all.runs - before, before, done, todo))
    return summary


def _begun(files: Sequence[str], work: Work, output: Output, summary: Summary) -> Begun:
    """How far the output has come; what it has is in the summary."""
    checked = None
    for number, line in enumerate(output.lines(), 1):
        checked = checked or WrittenLines(files, Worker(work).made, ReferenceIndex(work.references))
        where = f"{output.name}:{number}"
        result = parse_result(line, where, Result)
        summary.add(result)
        problem = checked.problem_of(result)
        if problem is not None:
            raise ConfigError(f"{where}: {problem}; name another file, or remove it")
    return checked.begun if checked else Begun()


class WrittenLines:
    """The lines of a file, one after the other, beside what would be written now.

    Args:
        files: the trace files, in their order.
        made: how lines are made now.
        references: those of now.
    """

    def __init__(self, files: Sequence[str], made: Made, references: ReferenceIndex) -> None:
        self._files, self._made, self._references = files, made, references
        self._sets = {_sources(found) for found in references.of_no_task()}
        self._place, self._runs = -1, 0

    @property
    def begun(self) -> Begun:
        """How far the lines have come."""
        return Begun(max(0, self._place), self._runs)

    def problem_of(self, result: Result) -> str | None:
        """Returns why the next line is not what would be written; None: it is."""
        if result.signature != self._made.signature:
            return (
                "was made with other settings, another encoder or another version of OTAP"
                f" ({differing(result.signature, self._made.signature)})"
            )
        if result.error is None and result.embedded != self._made.embedded:
            return f"was made {'with' if result.embedded else 'without'} --embed"
        if not self._has_same_references(result):
            return "was made with other references, or they have changed since"
        source = result.source or Source()
        if self._is_next(source):
            return None
        run = f"run {source.index} of " if source.index is not None else ""
        where = f"{run}{shown_path(source.path)}"
        return f"is of {where}: the runs are others now, or have changed since"

    def _has_same_references(self, result: Result) -> bool:
        if result.error is not None:
            return result.references_digest == self._made.references_digest
        if result.task is not None and result.task in self._references.tasks:
            return result.reference_sources == _sources(self._references.of_task(result.task))
        return result.reference_sources in self._sets

    def _is_next(self, source: Source) -> bool:
        """Whether a line is of the run behind the one before it, which it then is."""
        same = self._place >= 0 and source.path == in_utf8(self._files[self._place])
        if same and source.index is not None and source.index == self._runs:
            self._runs += 1
            return True
        self._place, self._runs = self._place + 1, 1
        if self._place >= len(self._files) or (source.index or 0) != 0:
            return False
        now = source_of(self._files[self._place])
        return (source.path, source.sha256) == (now.path, now.sha256)


def _sources(references: Iterable[Trajectory]) -> tuple[Source, ...]:
    return tuple(one.source for one in references if one.source)
