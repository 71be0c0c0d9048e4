"""The scores of a sample under any settings, each made once."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from otap.learning.processes import Processes
from otap.learning.runs.outline import Outline, outline
from otap.learning.runs.sample import Sample
from otap.learning.runs.touched import Key, seen_of
from otap.scoring import Config, Scorer

Array = NDArray[np.float64]
T = TypeVar("T")
Tell = Callable[[str, int, int], object]

PORTION = 250  # cases whose whole scores are held at once
# Cases of all configurations whose outlines are kept, a few kilobytes each; and of those whose
# prepared runs are, which are some tens of kilobytes.
OUTLINES, PREPARED = 20_000, 2_000

_mine: list[Sample] = []  # the sample of this process


def silent(what: str, done: int, of: int) -> None:
    """Tells nobody how far it has come."""


@dataclass(frozen=True)
class Numbers:
    """What the cases score under a configuration."""

    scores: Array
    losses: Array


class Scores(Processes):
    """Scores the cases of a sample by several processes, and keeps what was scored.

    The numbers of every configuration are kept, the rest of the last few. A case is scored anew
    only under settings that say something of it.

    Args:
        sample: the cases.
        jobs: how many processes; one works in this process.
        tell: is told how many runs are "scored", of how many that these settings concern.
    """

    def __init__(self, sample: Sample, jobs: int = 1, tell: Tell = silent) -> None:
        super().__init__(jobs, _begin, sample)
        self.sample, self._tell = sample, tell
        self._numbers: dict[str, Numbers] = {}
        self._kept: dict[str, tuple[list[Key], list[Outline]]] = {}
        self._made_of: dict[tuple[str, str], Any] = {}

    def numbers(self, config: Config) -> Numbers:
        """Returns the numbers of all cases, in their order.

        Raises:
            OtapError: if a case cannot be scored.
        """
        key = config.model_dump_json()
        if key not in self._numbers:
            found = self.of(config)
            numbers = [np.array([getattr(one, n) for one in found]) for n in ("score", "loss")]
            self._numbers[key] = Numbers(*numbers)
        return self._numbers[key]

    def of(self, config: Config) -> list[Outline]:
        """Returns what became of each case, in their order.

        Raises:
            OtapError: if a case cannot be scored.
        """
        key = config.model_dump_json()
        found = self._kept.pop(key, None) or self._new(config)
        _keep(self._kept, key, found, OUTLINES // max(1, len(self.sample.cases)))
        return found[1]

    def once(self, name: str, config: Config, make: Callable[[Config], T]) -> T:
        """Returns what is made of all cases under a configuration, if it is not kept yet.

        Args:
            name: what it is.
            config: the settings.
            make: makes it.
        """
        key = name, config.model_dump_json()
        found = self._made_of.pop(key, None) or make(config)
        _keep(self._made_of, key, found, PREPARED // max(1, len(self.sample.cases)))
        return found

    def _new(self, config: Config) -> tuple[list[Key], list[Outline]]:
        """Outlines of all cases: those of other configurations, where they look alike."""
        keys = seen_of(config, self.sample.cases)
        found = [self._known(place, key) for place, key in enumerate(keys)]
        missing = [place for place, one in enumerate(found) if one is None]
        made = dict(zip(missing, self._made(config, missing), strict=True))
        return keys, [one or made[place] for place, one in enumerate(found)]

    def _known(self, place: int, key: Key) -> Outline | None:
        kept = self._kept.values()
        return next((found[place] for keys, found in kept if keys[place] == key), None)

    def _made(self, config: Config, places: Sequence[int]) -> list[Outline]:
        count = len(places)
        jobs = min(self.jobs, max(1, count // 8))
        # Neighbours have the same references, which are then prepared once.
        size = max(1, min(PORTION, -(-count // jobs)))
        parts = [places[start : start + size] for start in range(0, count, size)]
        found: list[Outline] = []
        self._tell("scored", 0, count)
        for made in self._in_parts(config, parts, jobs):
            found += made
            self._tell("scored", len(found), count)
        return found

    def _in_parts(
        self, config: Config, parts: Sequence[Sequence[int]], jobs: int
    ) -> Iterator[list[Outline]]:
        if jobs == 1:
            return (_scored(self.sample, config, part) for part in parts)
        return self.map(_part, [config] * len(parts), parts)


def _keep(kept: dict[Any, Any], key: object, found: object, most: int) -> None:
    """Keeps what is the newest now, and lets the oldest go."""
    kept[key] = found
    while len(kept) > max(1, most):
        del kept[next(iter(kept))]


def _begin(sample: Sample) -> None:
    _mine[:] = [sample]


def _part(config: Config, places: Sequence[int]) -> list[Outline]:
    return _scored(_mine[0], config, places)


def _scored(sample: Sample, config: Config, places: Sequence[int]) -> list[Outline]:
    cases = [sample.cases[place] for place in places]
    scores = Scorer(config).score_many([(case.run, case.references) for case in cases])
    return [outline(score) for score in scores]
