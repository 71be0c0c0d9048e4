"""What a worker does: it reads a portion of runs, scores them, and writes their lines."""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from otap._caching import cached_property
from otap.errors import NoReferenceError, OtapError, shown
from otap.evaluation.inputs import Portion, Read, Reader
from otap.evaluation.results.result import Failure, FailureKind, Result, list_differences
from otap.evaluation.results.summary import Summary
from otap.formats import Failed
from otap.scoring import Config, Score, Scorer
from otap.scoring.result import SCHEMA_VERSION
from otap.scoring.selection import ReferenceIndex
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
        self._index = ReferenceIndex(work.references)
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
        """All that a run may be compared with that is of none of the references' tasks."""
        return set(map(_list_sources, self._index.of_no_task()))

    def do(self, portion: Portion) -> Done:
        """Returns the lines of a portion, in its order."""
        found = [(run, self._match(run)) for run in self._reader.read(portion)]
        scores = iter(self._score([one for one in found if not isinstance(one[1], Failure)]))
        summary, lines = Summary(), []
        for run, matched in found:
            outcome = matched if isinstance(matched, Failure) else next(scores)
            if isinstance(outcome, Failure):
                summary.add_failed(getattr(run, "task", None), outcome)
                lines.append(self._write_failure(run, outcome))
            else:
                summary.add(outcome)
                lines.append(self._write_score(outcome, run, matched))
        return Done("".join(lines).encode(), summary, portion)

    def _match(self, run: Read) -> Failure | list[Trajectory]:
        """The references of a run, or why it has none."""
        if isinstance(run, Failed):
            return _failure("read", run.error)
        try:
            return self._keep_alive(self._index.of_run(run).references)
        except NoReferenceError as error:
            return _failure("unmatched", error)

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
