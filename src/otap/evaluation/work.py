"""What a worker does: it reads a portion of runs, scores them, and writes their lines."""

import json
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from otap._caching import cached_property
from otap.errors import NoReferenceError, OtapError, shown
from otap.evaluation.inputs import Portion
from otap.evaluation.inputs.reading import Reader
from otap.evaluation.results.result import Failure, FailureKind, failed
from otap.evaluation.results.summary import Summary
from otap.formats import Failed
from otap.scoring import Config, Score, Scorer
from otap.scoring.references.selection import ReferenceIndex
from otap.trajectory import Source, Trajectory

Matched = tuple[Trajectory, Sequence[Trajectory]]

# Tasks whose references are kept prepared: neighbouring runs are mostly of few tasks.
TASKS_KEPT = 256


@dataclass(frozen=True)
class Done:
    """The lines of a portion of runs, and what they say together."""

    lines: bytes
    summary: Summary


@dataclass(frozen=True)
class Work:
    """Everything that decides the lines of a result file but the runs; another process can have it.

    Args:
        config: the settings, the encoder by its name.
        references: known-good runs of all tasks.
        format: the format of all runs; None: found by itself.
        reasoning: whether text that leads to no call becomes a reasoning step.
    """

    config: Config
    references: tuple[Trajectory, ...]
    format: str | None = None
    reasoning: bool = False

    @cached_property
    def index(self) -> ReferenceIndex:
        """The references by task."""
        return ReferenceIndex(self.references)


class Worker:
    """Does one portion after the other, with one scorer and the references prepared once.

    Args:
        work: what is the same for all portions.
    """

    def __init__(self, work: Work) -> None:
        self._work, self._scorer = work, Scorer(work.config)
        self._reader = Reader(work.format, work.reasoning)
        self._made = made(work, self._scorer)
        self._kept: OrderedDict[tuple[int, ...], list[Trajectory]] = OrderedDict()

    def do(self, portion: Portion) -> Done:
        """Returns the lines of a portion."""
        summary = Summary()
        found = [self._outcome(run) for run in self._reader.read(portion)]
        scores = iter(self._scored([one for one in found if isinstance(one, tuple)]))
        lines = []
        for one in found:
            line = self._line(next(scores) if isinstance(one, tuple) else one, summary)
            lines.append(line + b"\n")
        return Done(b"".join(lines), summary)
