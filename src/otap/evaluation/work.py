"""Scores many runs into a result file with a summary; resumes an unfinished file.

A worker reads a portion of runs, scores them, and writes their lines.
"""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from otap._caching import cached_property
from otap.errors import ConfigError, FormatError, NoReferenceError, OtapError, shown, shown_path
from otap.evaluation.inputs import Checkpoint, Portion, Read, Reader, source_of
from otap.evaluation.results.run_result import (
    Failure,
    FailureKind,
    Result,
    list_differences,
    parse_result,
)
from otap.evaluation.results.summary import Summary
from otap.evaluation.results.writing import ResultFile
from otap.formats import Failed
from otap.formats.json.documents import in_utf8
from otap.formats.json.streams import size_of
from otap.plans import Plan
from otap.scoring import Config, Score, Scorer
from otap.scoring.result import SCHEMA_VERSION
from otap.scoring.selection import ReferenceIndex
from otap.tasks import name_task
from otap.trajectory import Source, Trajectory, list_called_tools

# Sets of references that are kept prepared: runs of a task are mostly neighbours, or come back.
MAX_REFERENCE_SETS = 512
_ENDED = (
    "a process ended twice while it {}, killed, out of memory or out of time; leave the file"
    " out, or split it into smaller runs"
)


@dataclass(frozen=True)
class ScoredPortion:
    """The result lines of a portion of runs, with their summary."""

    lines: bytes
    summary: Summary
    portion: Portion


@dataclass(frozen=True)
class Work:
    """The settings and references of an evaluation; can be sent to any process.

    Together with the runs these decide the lines of the result file.

    Args:
        config: the settings; the encoder is given by name.
        references: known-good runs of all tasks.
        format: the format of all runs; None to detect it.
        reasoning: whether text without a call becomes a reasoning step.
        embed: whether each line contains the run and its best reference.
    """

    config: Config
    references: tuple[Trajectory, ...]
    format: str | None = None
    reasoning: bool = False
    embed: bool = False

    @property
    def references_digest(self) -> str:
        """Sixteen characters that change if any reference changes."""
        digest = hashlib.sha256()
        for reference in self.references:
            source = reference.source or Source()
            digest.update(source.model_dump_json().encode() + b"\n")
        return digest.hexdigest()[:16]


class Worker:
    """Scores portions with one scorer; prepares the references once.

    Args:
        work: the settings and references of all portions.
    """

    def __init__(self, work: Work) -> None:
        self._scorer = Scorer(work.config)
        self._reader = Reader(work.format, work.reasoning)
        self._rule = work.config.task_rule
        self._index = ReferenceIndex(work.references, self._rule)
        self._digest, self._embed = work.references_digest, work.embed
        self._reference_sets: OrderedDict[tuple[int, ...], list[Trajectory]] = OrderedDict()

    @cached_property
    def signature(self) -> dict[str, Any]:
        """The scorer's signature, as in the lines."""
        return self._scorer.signature.model_dump(mode="json")

    def find_difference(self, result: Result) -> str | None:
        """Returns why this worker would write another line, or None if it would not."""
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
        return result.reference_sources in self._source_sets

    @cached_property
    def _source_sets(self) -> set[tuple[Source, ...]]:
        """The sources of all sets of references that a run may be compared with."""
        return {_list_sources(references) for references in self._index.list_sets()}

    def score(self, portion: Portion) -> ScoredPortion:
        """Returns the lines of a portion in its order."""
        summary, lines = Summary(), list[str]()
        matches = [self._match(run, summary) for run in self._reader.read(portion)]
        scores = iter(self._score([pair for pair in matches if not isinstance(pair[1], Failure)]))
        for run, references in matches:
            if isinstance(run, Trajectory):
                summary.tools |= {*run.tools, *list_called_tools(run.steps)}
            outcome = references if isinstance(references, Failure) else next(scores)
            if isinstance(outcome, Failure):
                summary.add_failed(getattr(run, "task", None), outcome)
                lines.append(self._write_failure(run, outcome))
            else:
                summary.add(outcome)
                lines.append(self._write_score(outcome, run, references))
        return ScoredPortion("".join(lines).encode(), summary, portion)

    def count_runs(self, portion: Portion) -> int:
        """Returns the number of runs in a portion."""
        return self._reader.count_runs(portion)

    def fail_run(self, portion: Portion) -> ScoredPortion:
        """Returns the lines of a portion whose process ends when it scores its runs."""
        where = shown_path(portion.path)
        failure = Failure(kind="score", message=f"{where}: {_ENDED.format('scored this run')}")
        runs = self._reader.read(portion)
        return self._fail_all(portion, [self._name_task(run) for run in runs], failure)

    def fail_unread(self, portion: Portion) -> ScoredPortion:
        """Returns one line for a portion whose process ends when it reads its file."""
        error = FormatError(f"{shown_path(portion.path)}: {_ENDED.format('read this file')}")
        unread = Failed(error, portion.unread_source)
        return self._fail_all(portion, [unread], _failure("read", error))

    def _fail_all(self, portion: Portion, runs: Sequence[Read], failure: Failure) -> ScoredPortion:
        summary = Summary()
        for run in runs:
            summary.add_failed(getattr(run, "task", None), failure)
        lines = [self._write_failure(run, failure) for run in runs]
        return ScoredPortion("".join(lines).encode(), summary, portion)

    def _name_task(self, run: Read) -> Read:
        if isinstance(run, Failed):
            return run
        return run.model_copy(update={"task": name_task(run, self._rule)})

    def _match(self, run: Read, summary: Summary) -> tuple[Read, Failure | list[Trajectory]]:
        """Returns a run under the name of its task, with its references or why it has none."""
        if isinstance(run, Failed):
            return run, _failure("read", run.error)
        try:
            chosen = self._index.of_run(run)
        except NoReferenceError as error:
            return self._name_task(run), _failure("unmatched", error)
        except Exception as error:  # one run must not cost the scores of the others
            return run, _failure("score", error)
        summary.matched[chosen.by] += 1
        references = self._keep_prepared(chosen.references)
        return run.model_copy(update={"task": chosen.task}), references

    def _keep_prepared(self, references: list[Trajectory]) -> list[Trajectory]:
        """Returns copies of references that stay prepared while they are recently used.

        The prepared form of a reference lives as long as the object it was made from.
        """
        key = tuple(id(reference) for reference in references)
        copies = self._reference_sets.get(key)
        if not copies:
            copies = [reference.model_copy() for reference in references]
        self._reference_sets[key] = copies
        self._reference_sets.move_to_end(key)
        if len(self._reference_sets) > MAX_REFERENCE_SETS:
            self._reference_sets.popitem(last=False)
        return copies

    def _score(self, pairs: Sequence[Any]) -> list[Score | Failure]:
        """Returns the score of each pair or why it has none."""
        results = self._scorer.score_many(pairs, return_errors=True) if pairs else []
        return [
            _failure("score", result) if isinstance(result, Exception) else result
            for result in results
        ]

    def _write_score(self, score: Score, run: Any, references: Any) -> str:
        """Returns a line, with the run and its best reference if these are embedded."""
        line = score.to_json()
        if not self._embed:
            return line + "\n"
        best = references[score.best_place]
        reference = json.dumps(best.written) if isinstance(best, Plan) else best.to_json()
        return f'{line[:-1]},"traces":{{"run":{run.to_json()},"reference":{reference}}}}}\n'

    def _write_failure(self, run: Read, failure: Failure) -> str:
        line = {
            "schema_version": SCHEMA_VERSION,
            **{name: getattr(run, name, None) for name in ("id", "task", "trial", "outcome")},
            "source": run.source and run.source.model_dump(),
            "error": failure.model_dump(),
            "signature": self.signature,
            "references_digest": self._digest,
        }
        return json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n"


def _list_sources(references: Sequence[Trajectory]) -> tuple[Source, ...]:
    return tuple(reference.source for reference in references if reference.source)


def _failure(kind: FailureKind, error: Exception) -> Failure:
    if isinstance(error, OtapError):
        return Failure(kind=kind, message=str(error))
    reason = f"internal error ({type(error).__name__}: {shown(error, 200)})"
    return Failure(kind=kind, message=f"{reason}; please report it to OTAP's developers")


Engine = Callable[[Work, Sequence[str], Checkpoint], Iterator[ScoredPortion]]


@dataclass(frozen=True)
class Progress:
    """The progress of an evaluation: runs scored now and before, bytes scored now and in all."""

    runs: int
    before: int
    bytes: int
    all_bytes: int


def evaluate(
    files: Sequence[str],
    work: Work,
    output: ResultFile | None,
    engine: Engine,
    on_progress: Callable[[Progress], object] = lambda _: None,
) -> Summary:
    """Scores the runs of files, appends their lines in order, and returns the summary of all.

    If the output has results already, this resumes after the last one.

    Args:
        files: trace files.
        work: settings and references.
        output: the result file; None to write none.
        engine: scores the portions and keeps their order.
        on_progress: is called at the start and after each portion.

    Raises:
        ConfigError: if the output has results of other settings or other runs, or its disk is full.
        OtapError: if worker processes end before they read anything.
    """
    summary = Summary()
    checkpoint = _read_output(files, work, output, summary)
    runs_before, finished_bytes = summary.all.runs, 0
    all_bytes = sum(size_of(file) for file in files[checkpoint.file :])
    on_progress(Progress(0, runs_before, 0, all_bytes))
    for scored in engine(work, files, checkpoint):
        if output is not None:
            output.append(scored.lines)
        summary.merge(scored.summary)
        finished_bytes += scored.portion.size
        runs = summary.all.runs - runs_before
        on_progress(Progress(runs, runs_before, finished_bytes, all_bytes))
    return summary


def _read_output(
    files: Sequence[str], work: Work, output: ResultFile | None, summary: Summary
) -> Checkpoint:
    """Adds the results in the output to the summary, and returns where to resume."""
    worker, checkpoint, is_whole_file = None, None, False
    for number, line in enumerate(output.lines() if output else (), 1):
        assert output is not None
        where = f"{output.name}:{number}"
        result = parse_result(line, where, Result)
        summary.add(result)
        worker = worker or Worker(work)
        source = result.source or Source()
        is_whole_file = result.error is not None and source.index is None
        problem = worker.find_difference(result)
        checkpoint = None if problem else _advance(checkpoint, files, source)
        if checkpoint is None:
            problem = problem or _describe_other_run(source)
            raise ConfigError(f"{where}: {problem}; name another file, or remove it")
    if checkpoint is None:
        return Checkpoint()
    # A file that cannot be read at all is not tried again: it may end the process.
    return Checkpoint(checkpoint.file + 1) if is_whole_file else checkpoint


def _advance(
    checkpoint: Checkpoint | None, files: Sequence[str], source: Source
) -> Checkpoint | None:
    """Returns the checkpoint after a result, or None if it is not of the next run."""
    if checkpoint is None:
        checkpoint = Checkpoint(-1)
    elif source.path == in_utf8(files[checkpoint.file]) and source.index == checkpoint.runs:
        return Checkpoint(checkpoint.file, checkpoint.runs + 1)
    index = checkpoint.file + 1
    if index >= len(files) or source.index:
        return None
    current = source_of(files[index])
    is_same = (source.path, source.sha256) == (current.path, current.sha256)
    return Checkpoint(index, 1) if is_same else None


def _describe_other_run(source: Source) -> str:
    run = f"run {source.index} of " if source.index is not None else ""
    return f"is of {run}{shown_path(source.path)}: the runs are others now, or have changed since"
