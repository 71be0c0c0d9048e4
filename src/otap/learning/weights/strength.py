"""What a tool weighs, as far as outcomes say it: the posterior of one weight, the others as are."""

from dataclasses import dataclass

import numpy as np

from otap.learning.held_out import Array, calibrated_rows, closeness, surprise
from otap.learning.weights.departures import Departures, shares

GRID = np.exp(np.linspace(np.log(0.001), np.log(10.0), 47))
SCALE = 0.4  # of the Cauchy distributions, in log weight, around what each role weighs
TAIL = 0.025  # outside an interval on either side


@dataclass(frozen=True)
class Strength:
    """The posterior of a weight, an ordinary write weighing 1: its median and a 95 % interval."""

    median: float
    low: float
    high: float

    def excludes(self, weight: float) -> bool:
        """Whether a weight is outside the interval."""
        return not self.low <= weight <= self.high


def strength(
    found: Departures, tool: int, current: float, roles: tuple[float, float], odds: float
) -> Strength:
    """Returns what a tool weighs.

    Args:
        found: what departed, and what that cost at the current weights.
        tool: its place.
        current: what it weighs in these costs.
        roles: what a tool weighs that counts, and one that does not.
        odds: the log odds that it counts, before outcomes are seen.
    """
    values = np.array([closeness(found.losses(tool, float(w) / current)) for w in GRID])
    counted = shares(found.tasks)
    likelihood = np.array(
        [-float(counted @ surprise(one, found.good)) for one in calibrated_rows(values, found.good)]
    )
    rate = 0.5 * (1 + np.tanh(odds / 2))
    prior = rate * _cauchy(roles[0]) + (1 - rate) * _cauchy(roles[1])
    density = prior * np.exp(likelihood - likelihood.max())
    below = np.cumsum(density) / density.sum()
    low, median, high = (
        float(np.exp(np.interp(q, below, np.log(GRID)))) for q in (TAIL, 0.5, 1 - TAIL)
    )
    return Strength(median, low, high)


def _cauchy(around: float) -> Array:
    away = (np.log(GRID) - np.log(around)) / SCALE
    return np.asarray(1 / (1 + away**2))
