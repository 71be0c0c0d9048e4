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
from otap.evaluation.results.result import Failure, FailureKind, Made, embedded, failed
from otap.evaluation.results.summary import Summary
from otap.formats import Failed
from otap.scoring import Config, Score, Scorer
from otap.scoring.selection import ReferenceIndex
from otap.trajectory import Source, Trajectory

Matched = tuple[Trajectory, Sequence[Trajectory]]
NotScored = tuple[Trajectory | Failed, Failure]

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
    def made(self) -> Made:
        """How its lines are made."""
        signature = self._scorer.signature.model_dump(mode="json")
        return Made(signature, self._digest, self._embed)

    def do(self, portion: Portion) -> Done:
        """Returns the lines of a portion, in its order."""
        found = [self._matched(run) for run in self._reader.read(portion)]
        scores = iter(self._scores([one for one in found if not isinstance(one[1], Failure)]))
        summary, lines = Summary(), []
        for run, other in found:
            outcome = other if isinstance(other, Failure) else next(scores)
            line = self._line(run, outcome, summary)
            lines.append(self._with_traces(line, run, other, outcome) + b"\n")
        return Done(b"".join(lines), summary, portion)

    def _matched(self, run: Read) -> tuple[Read, Failure | Sequence[Trajectory]]:
        """A run with its references, or with why it has none."""
        if isinstance(run, Failed):
            return run, _failure("read", run.error)
        try:
            return run, self._alive(self._index.of_run(run).references)
        except NoReferenceError as error:
            return run, _failure("unmatched", error)

    def _alive(self, references: list[Trajectory]) -> list[Trajectory]:
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

    def _scores(self, pairs: Sequence[Any]) -> list[Score | Failure]:
        """The score of each pair, or why it has none: together, else one by one."""
        try:
            return list(self._scorer.score_many(pairs))
        except Exception as error:
            if len(pairs) == 1:
                return [_failure("score", error)]
        return [one for pair in pairs for one in self._scores([pair])]

    def _with_traces(
        self,
        line: bytes,
        run: Read,
        other: Failure | Sequence[Trajectory],
        outcome: Score | Failure,
    ) -> bytes:
        """A line, with the run and its best reference where that is asked for and there is one."""
        if not self._embed or isinstance(run, Failed) or isinstance(other, Failure):
            return line
        if isinstance(outcome, Failure):
            return line
        return embedded(line, run, other[outcome.best_place])

    def _line(self, run: Read, outcome: Score | Failure, summary: Summary) -> bytes:
        if isinstance(outcome, Score):
            summary.add(outcome)
            return outcome.to_json().encode()
        known: dict[str, Any] = {"source": run.source.model_dump() if run.source else None}
        if isinstance(run, Trajectory):
            known |= {name: getattr(run, name) for name in ("id", "task", "trial", "outcome")}
        summary.add_failed(known.get("task"), outcome)
        line = failed(known, outcome, self.made)
        return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode()


def _failure(kind: FailureKind, error: Exception) -> Failure:
    if isinstance(error, OtapError):
        return Failure(kind=kind, message=str(error))
    what = f"internal error ({type(error).__name__}: {shown(error, 200)})"
    return Failure(kind=kind, message=f"{what}; please report it to OTAP's developers")
