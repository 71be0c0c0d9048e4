"""Rules on trial: what they are worth on tasks held out, and how probable that is by chance.

A few tasks where a rule happens to help are no evidence, however small the standard error over all
tasks is: so the error has as many degrees of freedom as tasks that differ, less one, by
Satterthwaite's approximation [Satterthwaite1946]. Where a rule touches k tasks alike, its gain is
about sqrt(k) of its standard errors, and nine of them are the least at a level of .01.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from otap._caching import cached_property
from otap.learning.held_out import Gain, closeness, clustered, surprises
from otap.learning.rules.chance import LEVEL
from otap.learning.runs import Scores
from otap.learning.setting import Setting, with_settings
from otap.scoring import Config

Array = NDArray[np.float64]

# In nats a run. Where scores part good runs from bad ones already, a rule moves a calibration by
# thousandths, and always in the same way: that is certain, and of no use.
LEAST_GAIN = 0.01


@dataclass(frozen=True)
class Trial:
    """What changed settings are worth on tasks held out.

    Args:
        gain: in nats a run.
        chance: the probability of such a gain, or a larger one, of settings that are worth nothing.
    """

    gain: Gain
    chance: float

    def proves(self, level: float) -> bool:
        """Whether the gain is worth having, and beyond chance."""
        return self.gain.mean >= LEAST_GAIN and self.chance < level

    def __str__(self) -> str:
        return f"held-out gain {self.gain.mean:.3f} +- {self.gain.standard_error:.3f} nats a run"


class Trials:
    """Tries settings on the cases of some tasks, each task held out in turn.

    Args:
        scores: of the cases, under any settings.
        tasks: those whose cases are looked at.
        config: the settings as they are.
    """

    def __init__(self, scores: Scores, tasks: Collection[str], config: Config) -> None:
        self._scores, self.config = scores, config
        cases = scores.sample.cases
        self._places = [place for place, case in enumerate(cases) if case.task in tasks]
        self._tasks = [cases[place].task for place in self._places]
        self._good = np.array([cases[place].good for place in self._places], dtype=np.bool_)

    def of(self, settings: Iterable[Setting]) -> Trial:
        """Returns what settings are worth beside those that are.

        Raises:
            OtapError: if a case cannot be scored.
        """
        return self._trial(self._before, self._surprises(with_settings(self.config, settings)))

    def holds(self, settings: Sequence[Setting]) -> bool:
        """Whether settings lose nothing, and leave scores that say something of the outcomes.

        Where scores and outcomes have nothing to do with each other nothing can be lost.

        Raises:
            OtapError: if a case cannot be scored.
        """
        after = self._surprises(with_settings(self.config, settings))
        gain = self._trial(self._before, after).gain
        lost = gain.mean < -max(LEAST_GAIN, gain.standard_error)
        return not lost and self._trial(self._unscored, after).proves(LEVEL)

    @cached_property
    def _before(self) -> Array:
        return self._surprises(self.config)

    @cached_property
    def _unscored(self) -> Array:
        """What the outcomes surprise whoever knows no score."""
        return surprises(np.zeros(len(self._places)), self._good, self._tasks)

    def _surprises(self, config: Config) -> Array:
        values = closeness(self._scores.numbers(config).losses[self._places])
        return surprises(values, self._good, self._tasks)

    def _trial(self, before: Array, after: Array) -> Trial:
        difference = before - after
        gain = clustered(difference, self._tasks)
        return Trial(gain, _chance(gain, difference, self._tasks))


def _chance(gain: Gain, difference: Array, tasks: Sequence[str]) -> float:
    if gain.mean <= 0:
        return 1.0
    _, owner = np.unique(np.array(tasks), return_inverse=True)
    square = np.bincount(owner, difference - gain.mean) ** 2
    if not square.any() or (freedom := square.sum() ** 2 / (square @ square) - 1) <= 0:
        return 1.0
    from scipy.special import stdtr

    return float(stdtr(freedom, -gain.mean / gain.standard_error))
