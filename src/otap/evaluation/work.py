"""Many runs in, a result file and its summary out; what is there already is not done again.

A worker reads a portion of runs, scores them, and writes their lines.
"""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from otap._caching import cached_property
from otap.errors import ConfigError, NoReferenceError, OtapError, shown, shown_path
from otap.evaluation.inputs import Begun, Portion, Read, Reader, source_of
from otap.evaluation.results.output import ResultFile
from otap.evaluation.results.result import (
    Failure,
    FailureKind,
    Result,
    list_differences,
    parse_result,
)
from otap.evaluation.results.summary import Summary
from otap.formats import Failed
from otap.formats.json.documents import in_utf8
from otap.formats.json.streams import size_of
from otap.scoring import Config, Score, Scorer
from otap.scoring.result import SCHEMA_VERSION
from otap.scoring.selection import ReferenceIndex
from otap.tasks import name_task
from otap.trajectory import Source, Trajectory

# Sets of references that are kept prepared: runs of one task are mostly neighbours, or come back.
SETS_KEPT = 512


@dataclass(frozen=True)
class Done:
    """The lines of a portion of runs, and what they say together."""

    lines: bytes
    summary: Summary
    portion: Portion


@dataclass(frozen=True)
class Work:
    """Everything that decides the lines of a result file but the runs; any process can have it.

    Args:
        config: the settings, the encoder by its name.
        references: known-good runs of all tasks.
        format: the format of all runs; None: found by itself.
        reasoning: whether text that leads to no call becomes a reasoning step.
        embed: whether each line carries the run and its best reference.
    """

    config: Config
    references: tuple[Trajectory, ...]
    format: str | None = None
    reasoning: bool = False
    embed: bool = False

    @property
    def references_digest(self) -> str:
        """Sixteen characters that differ where any reference does."""
        digest = hashlib.sha256()
        for one in self.references:
            digest.update((one.source or Source()).model_dump_json().encode() + b"\n")
        return digest.hexdigest()[:16]


class Worker:
    """Does one portion after the other, with one scorer and the references prepared once.

    Args:
        work: what is the same for all portions.
    """

    def __init__(self, work: Work) -> None:
        self._scorer = Scorer(work.config)
        self._reader = Reader(work.format, work.reasoning)
        self._rule = work.config.task_rule
        self._index = ReferenceIndex(work.references, self._rule)
        self._digest, self._embed = work.references_digest, work.embed
        self._kept: OrderedDict[tuple[int, ...], list[Trajectory]] = OrderedDict()

    @cached_property
    def signature(self) -> dict[str, Any]:
        """How its numbers are made, as its lines say it."""
        return self._scorer.signature.model_dump(mode="json")

    def find_difference(self, result: Result) -> str | None:
        """Returns why a line is not as this worker makes them; None: it is."""
        if result.signature != self.signature:
            return (
                "was made with other settings, another encoder or another version of OTAP"
                f" ({list_differences(result.signature, self.signature)})"
            )
        if result.error is None and result.embedded != self._embed:
            return f"was made {'with' if result.embedded else 'without'} --embed"
        if not self._has_same_references(result):
            return "was made with other references, or they have changed since"
        return None

    def _has_same_references(self, result: Result) -> bool:
        if result.error is not None:
            return result.references_digest == self._digest
        if result.task is not None and result.task in self._index.tasks:
            return result.reference_sources == _list_sources(self._index.of_task(result.task))
        return result.reference_sources in self._sets

    @cached_property
    def _sets(self) -> set[tuple[Source, ...]]:
        """All that a run may be compared with."""
        return set(map(_list_sources, self._index.list_sets()))

    def do(self, portion: Portion) -> Done:
        """Returns the lines of a portion, in its order."""
        summary, lines = Summary(), list[str]()
        found = [self._match(run, summary) for run in self._reader.read(portion)]
        scores = iter(self._score([one for one in found if not isinstance(one[1], Failure)]))
        for run, matched in found:
            outcome = matched if isinstance(matched, Failure) else next(scores)
            if isinstance(outcome, Failure):
                summary.add_failed(getattr(run, "task", None), outcome)
                lines.append(self._write_failure(run, outcome))
            else:
                summary.add(outcome)
                lines.append(self._write_score(outcome, run, matched))
        return Done("".join(lines).encode(), summary, portion)

    def _match(self, run: Read, summary: Summary) -> tuple[Read, Failure | list[Trajectory]]:
        """A run under the name of its task, with its references, or why it has none."""
        if isinstance(run, Failed):
            return run, _failure("read", run.error)
        try:
            chosen = self._index.of_run(run)
        except NoReferenceError as error:
            named = run.model_copy(update={"task": name_task(run, self._rule)})
            return named, _failure("unmatched", error)
        summary.matched[chosen.by] += 1
        named = run.model_copy(update={"task": chosen.task})
        return named, self._keep_alive(chosen.references)

    def _keep_alive(self, references: list[Trajectory]) -> list[Trajectory]:
        """References whose prepared form is kept while they are among the last that were used.

        What is prepared goes with the object that it was prepared of, so these are copies.
        """
        key = tuple(map(id, references))
        found = self._kept.get(key) or [one.model_copy() for one in references]
        self._kept[key] = found
        self._kept.move_to_end(key)
        if len(self._kept) > SETS_KEPT:
            self._kept.popitem(last=False)
        return found

    def _score(self, pairs: Sequence[Any]) -> list[Score | Failure]:
        """The score of each pair, or why it has none: together, else one by one."""
        try:
            return list(self._scorer.score_many(pairs))
        except Exception as error:
            if len(pairs) == 1:
                return [_failure("score", error)]
        return [one for pair in pairs for one in self._score([pair])]

    def _write_score(self, score: Score, run: Any, references: Any) -> str:
        """A line, with the run and its best reference where that is asked for."""
        line = score.to_json()
        if not self._embed:
            return line + "\n"
        best = references[score.best_place].to_json()
        return f'{line[:-1]},"traces":{{"run":{run.to_json()},"reference":{best}}}}}\n'

    def _write_failure(self, run: Read, why: Failure) -> str:
        line = {
            "schema_version": SCHEMA_VERSION,
            **{name: getattr(run, name, None) for name in ("id", "task", "trial", "outcome")},
            "source": run.source and run.source.model_dump(),
            "error": why.model_dump(),
            "signature": self.signature,
            "references_digest": self._digest,
        }
        return json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n"


def _list_sources(references: Sequence[Trajectory]) -> tuple[Source, ...]:
    return tuple(one.source for one in references if one.source)


def _failure(kind: FailureKind, error: Exception) -> Failure:
    if isinstance(error, OtapError):
        return Failure(kind=kind, message=str(error))
    what = f"internal error ({type(error).__name__}: {shown(error, 200)})"
    return Failure(kind=kind, message=f"{what}; please report it to OTAP's developers")


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
