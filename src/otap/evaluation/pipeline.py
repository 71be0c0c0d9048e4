"""Many runs in, a result file and its summary out."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from otap.evaluation.inputs import Begun, size_of
from otap.evaluation.results.output import Output
from otap.evaluation.results.result import Result, parse_result
from otap.evaluation.results.summary import Summary
from otap.evaluation.resumption import Resumption
from otap.evaluation.work import Done, Work, Worker
from otap.scoring.references.selection import ReferenceIndex

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
    lines = output.lines()
    first = next(lines, None)
    if first is None:
        return Begun()
    made, references = Worker(work).made, ReferenceIndex(work.references)
    resumption = Resumption(output.name, files, made, references)
    return resumption.begun(_summed(chain([first], lines), output.name, summary))


def _summed(lines: Iterable[bytes], name: str, summary: Summary) -> Iterator[Result]:
    for number, line in enumerate(lines, 1):
        result = parse_result(line, f"{name}:{number}", Result)
        summary.add(result)
        yield result
