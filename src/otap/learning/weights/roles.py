"""Which tools count: a posterior over subsets of tools, given which runs were good.

A run is spoiled if a call of a tool that counts departed. A clean run is good at one unknown rate,
a spoiled one at another, which is low; both are integrated out (Beta distributions), so that only
the subset is left, and that is sampled [Geman1984].
"""

from math import lgamma

import numpy as np

from otap.learning.held_out import Array, Flags
from otap.learning.weights.departures import Departures, shares

CLEAN, SPOILED = (4.0, 1.0), (0.5, 4.5)  # good and bad runs that were as good as seen before
SWEEPS, FIRST = 300, 60  # of the sampler, and those that only lead to where it is likely
SEED = 16


def counting(found: Departures, log_odds: Array) -> Array:
    """Returns for each tool the probability that its calls count.

    Args:
        found: what departed, and the outcomes.
        log_odds: before outcomes are seen.
    """
    chain = _Chain(found, log_odds)
    chain.climb()
    return chain.sampled(np.random.default_rng(SEED))


class _Chain:
    def __init__(self, found: Departures, log_odds: Array) -> None:
        self._departed = found.departed.astype(np.int64)
        self._log_odds = log_odds
        self._good = np.where(found.good, shares(found.tasks), 0.0)
        self._bad = np.where(found.good, 0.0, shares(found.tasks))
        self.counts = log_odds >= 0
        self._spoiling = self._departed @ self.counts + found.untold
        self._columns = [np.ascontiguousarray(column) for column in self._departed.T]
        self._known: dict[tuple[int, bytes], float] = {}  # the sampler comes again and again

    def climb(self) -> None:
        """Goes to a subset that no single change makes likelier."""
        while True:
            gains = np.where(self.counts, -1, 1) * [self._odds(k) for k in range(self.counts.size)]
            if not gains.size or gains.max() <= 1e-9:
                return
            self._turn(int(gains.argmax()))

    def sampled(self, random: np.random.Generator) -> Array:
        """Returns how often each tool counts in subsets drawn from the posterior."""
        total = np.zeros(self.counts.size)
        for sweep in range(SWEEPS):
            for tool in range(self.counts.size):
                rate = float(0.5 * (1 + np.tanh(self._odds(tool) / 2)))
                if (random.random() < rate) != self.counts[tool]:
                    self._turn(tool)
                if sweep >= FIRST:
                    total[tool] += rate
        return total / (SWEEPS - FIRST)

    def _odds(self, tool: int) -> float:
        """Returns the log odds that a tool counts, given the others."""
        others = self.counts.copy()
        others[tool] = False
        key = tool, others.tobytes()
        if key not in self._known:
            self._known[key] = self._worked_out(tool)
        return self._known[key]

    def _worked_out(self, tool: int) -> float:
        column = self._columns[tool]
        if not column.any():
            return float(self._log_odds[tool])
        others = self._spoiling - column * self.counts[tool]
        with_it, without = self._evidence(others + column > 0), self._evidence(others > 0)
        return float(self._log_odds[tool]) + with_it - without

    def _turn(self, tool: int) -> None:
        sign = -1 if self.counts[tool] else 1
        self.counts[tool] = not self.counts[tool]
        self._spoiling = self._spoiling + sign * self._columns[tool]

    def _evidence(self, spoiled: Flags) -> float:
        """Returns the log likelihood of the outcomes, both rates integrated out."""
        good, bad = self._good[spoiled].sum(), self._bad[spoiled].sum()
        clean = self._good.sum() - good, self._bad.sum() - bad
        return _log_beta(SPOILED[0] + good, SPOILED[1] + bad) + _log_beta(
            CLEAN[0] + clean[0], CLEAN[1] + clean[1]
        )


def _log_beta(one: float, other: float) -> float:
    return lgamma(one) + lgamma(other) - lgamma(one + other)
