"""The scores of a sample under any settings, each made once."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from otap.alignment import Severity
from otap.errors import OtapError
from otap.learning.processes import Processes
from otap.learning.runs import LabelledRun, Sample
from otap.run.tool_names import canonical_tool
from otap.scoring import Config, Score, Scorer, Tools

Array = NDArray[np.float64]
Key = tuple[str, ...]
Tell = Callable[[str, int, int], object]

PORTION = 250  # cases whose whole scores are held at once
OUTLINES = 20_000  # of all configurations, that are kept: a few kilobytes each

_mine: list[Sample] = []  # the sample of this process


def silent(what: str, done: int, of: int) -> None:
    """Tells nobody how far it has come."""


class Outline(NamedTuple):
    """A score without its texts; whole scores of many configurations would take gigabytes.

    ``agent`` and ``reference`` say how well each step is matched, by its id; ``left_out`` are the
    ids of steps that do not count, of the run and of the reference.
    """

    score: float
    loss: float
    skill: float | None
    severity: Severity | None
    converged: bool
    told: float
    best_place: int
    agent: Mapping[str, float]
    reference: Mapping[str, float]
    left_out: tuple[Sequence[str], Sequence[str]]


class Numbers(NamedTuple):
    """What the cases score under a configuration."""

    scores: Array
    losses: Array


class Scores(Processes):
    """Scores the cases of a sample by several processes, and keeps what was scored.

    The numbers of every configuration are kept, the rest of the last few. A case is scored anew
    only under settings that say something of the tools that it calls.

    Args:
        sample: the cases.
        jobs: how many processes; one works in this process.
        tell: is told how many runs are "scored", of how many that these settings concern.
    """

    def __init__(self, sample: Sample, jobs: int = 1, tell: Tell = silent) -> None:
        super().__init__(jobs, _keep_sample, sample)
        self.sample, self._tell = sample, tell
        self._numbers: dict[str, Numbers] = {}
        self._kept: dict[str, tuple[list[Key], list[Outline]]] = {}

    def numbers(self, config: Config) -> Numbers:
        """Returns the numbers of all cases, in their order.

        Raises:
            OtapError: if a case cannot be scored.
        """
        key = config.model_dump_json()
        if key not in self._numbers:
            pairs = np.array([(one.score, one.loss) for one in self.of(config)]).reshape(-1, 2)
            self._numbers[key] = Numbers(*pairs.T.copy())
        return self._numbers[key]

    def of(self, config: Config) -> list[Outline]:
        """Returns what became of each case, in their order.

        Raises:
            OtapError: if a case cannot be scored.
        """
        key = config.model_dump_json()
        found = self._kept.pop(key, None) or self._new(config)
        self._kept[key] = found
        while len(self._kept) > max(1, OUTLINES // max(1, len(self.sample.cases))):
            del self._kept[next(iter(self._kept))]
        return found[1]

    def _new(self, config: Config) -> tuple[list[Key], list[Outline]]:
        """Outlines of all cases: those of other configurations, where they look alike."""
        keys = _visible_settings(config, self.sample.cases)
        known: dict[int, Outline] = {}
        for before, outlines in reversed(self._kept.values()):
            known |= {k: outlines[k] for k, key in enumerate(keys) if before[k] == key}
        missing = [place for place in range(len(keys)) if place not in known]
        known |= zip(missing, self._score_cases(config, missing), strict=True)
        return keys, [known[place] for place in range(len(keys))]

    def _score_cases(self, config: Config, places: Sequence[int]) -> list[Outline]:
        count = len(places)
        jobs = min(self.jobs, max(1, count // 8))
        # Neighbours have the same references, which are then prepared once.
        size = max(1, min(PORTION, -(-count // jobs)))
        parts = [places[start : start + size] for start in range(0, count, size)]
        found: list[Outline] = []
        self._tell("scored", 0, count)
        portions: Iterator[list[Outline]]
        if jobs == 1:
            portions = (_outlines(config, part, self.sample) for part in parts)
        else:
            portions = self.map(_outlines, [config] * len(parts), parts)
        for portion in portions:
            found += portion
            self._tell("scored", len(found), count)
        return found


@contextmanager
def scorable(
    sample: Sample, config: Config, jobs: int, tell: Tell = silent
) -> Iterator[tuple[Scores, list[str]]]:
    """Gives the scores of a sample without what cannot be scored, of which it says why, in lines.

    Args:
        sample: the cases.
        config: settings under which all that is left can be scored.
        jobs: processes that score.
        tell: is told what is scored, as by :class:`Scores`.

    Raises:
        OtapError: if no case can be scored.
    """
    with Scores(sample, jobs, tell) as scores:
        try:
            scores.of(config)
        except OtapError:
            pass
        else:
            yield scores, []
            return
    left, failed = _without_failing(sample, config)
    with Scores(left, jobs, tell) as scores:
        yield scores, failed


def _without_failing(sample: Sample, config: Config) -> tuple[Sample, list[str]]:
    scorer, cases, failed = Scorer(config), list[LabelledRun](), list[OtapError]()
    for case in sample.cases:
        try:
            scorer.score(case.run, case.references)
        except OtapError as error:
            failed.append(error)
        else:
            cases.append(case)
    if not cases:
        raise failed[0]
    lines = [f"a run cannot be scored and is left out: {error}" for error in failed]
    return replace(sample, cases=tuple(cases)), lines


def _visible_settings(config: Config, cases: Sequence[LabelledRun]) -> list[Key]:
    """What each case sees of a configuration: nothing that is said of tools it does not call."""
    rest = config.model_copy(update={"tools": Tools()}).model_dump_json()
    of_tools = [
        (frozenset((tool, *canonical_tool(tool))), f"{place} {tool} {weight}")
        for place, named in config.tools.model_dump(mode="json").items()
        for tool, weight in (named if isinstance(named, dict) else dict.fromkeys(named)).items()
    ]
    return [(rest, *(text for names, text in of_tools if names & case.tools)) for case in cases]


def _keep_sample(sample: Sample) -> None:
    _mine[:] = [sample]


def _outlines(config: Config, places: Sequence[int], sample: Sample | None = None) -> list[Outline]:
    cases = [(sample or _mine[0]).cases[place] for place in places]
    scores = Scorer(config).score_many([(case.run, case.references) for case in cases])
    return list(map(_outline, scores))


def _outline(score: Score) -> Outline:
    return Outline(
        score.score, score.loss, score.skill, score.severity, score.converged, score.losses.told,
        score.best_place,
        {step.id: step.quality for step in score.alignment.agent},
        {step.id: step.quality for step in score.alignment.reference},
        (score.left_out.agent, score.left_out.reference),
    )  # fmt: skip
