"""Many runs in, a result file and its summary out; what is there already is not done again."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from otap.errors import ConfigError, shown_path
from otap.evaluation.inputs import Begun, source_of
from otap.evaluation.results.output import ResultFile
from otap.evaluation.results.result import Result, parse_result
from otap.evaluation.results.summary import Summary
from otap.evaluation.work import Done, Work, Worker
from otap.formats.json.documents import in_utf8
from otap.formats.json.streams import size_of
from otap.trajectory import Source

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
    output: ResultFile | None,
    engine: Engine,
    tell: Callable[[Progress], object] = lambda _: None,
) -> Summary:
    """Scores the runs of files, appends their lines in their order, and returns the summary of all.

    What the output has already is not done again; it goes on where that ends.

    Args:
        files: trace files.
        work: settings and references.
        output: where lines go; None: nowhere.
        engine: has the portions done, and keeps their order.
        tell: is told how far it has come, first and after each portion.

    Raises:
        ConfigError: if what the output has was made in another way or of other runs, or there is no
            room for more.
        OtapError: if a process that worked ended.
    """
    summary = Summary()
    begun = _read_written(files, work, output, summary)
    before, done = summary.all.runs, 0
    todo = sum(map(size_of, files[begun.file :]))
    tell(Progress(0, before, 0, todo))
    for one in engine(work, files, begun):
        if output is not None:
            output.append(one.lines)
        summary.merge(one.summary)
        done += one.portion.size
        tell(Progress(summary.all.runs - before, before, done, todo))
    return summary


def _read_written(
    files: Sequence[str], work: Work, output: ResultFile | None, summary: Summary
) -> Begun:
    """How far the output has come; what it has is in the summary."""
    worker, begun = None, None
    for number, line in enumerate(output.lines() if output else (), 1):
        assert output is not None
        where = f"{output.name}:{number}"
        result = parse_result(line, where, Result)
        summary.add(result)
        worker = worker or Worker(work)
        problem = worker.find_difference(result)
        begun = None if problem else _go_on(begun, files, result.source or Source())
        if begun is None:
            problem = problem or _name_run(result.source or Source())
            raise ConfigError(f"{where}: {problem}; name another file, or remove it")
    return begun or Begun()


def _go_on(begun: Begun | None, files: Sequence[str], source: Source) -> Begun | None:
    """How far it has come with a line, if that is of the next run."""
    if begun is None:
        begun = Begun(-1)
    elif source.path == in_utf8(files[begun.file]) and source.index == begun.runs:
        return Begun(begun.file, begun.runs + 1)
    place = begun.file + 1
    if place >= len(files) or source.index:
        return None
    now = source_of(files[place])
    return Begun(place, 1) if (source.path, source.sha256) == (now.path, now.sha256) else None


def _name_run(source: Source) -> str:
    run = f"run {source.index} of " if source.index is not None else ""
    where = f"{run}{shown_path(source.path)}"
    return f"is of {where}: the runs are others now, or have changed since"
