"""What names, use and outcomes say of tools: which count.

Which tools count is a posterior over subsets of tools, given which runs were good. A run is spoiled
if a call of a tool that counts departed. A clean run is good at one unknown rate, a spoiled one at
another, which is low; both are integrated out (Beta distributions), so that only the subset is
left, and that is sampled [Geman1984].
"""

from collections.abc import Iterable
from math import lgamma

import numpy as np

from otap.learning import parameters
from otap.learning.held_out import Array, Flags
from otap.learning.parameters import LIKE_THE_OTHER
from otap.learning.runs import LabelledRun
from otap.learning.tools import Departures, SampleTools, shares


def log_odds(tools: SampleTools, cases: Iterable[LabelledRun]) -> Array:
    """Returns for each tool the log odds that its calls count.

    Args:
        tools: those of a sample; where the name of none says anything, either is as likely.
        cases: those of the sample.
    """
    silent = nobody_says(tools)
    by_use = _log_odds_by_use(tools, cases)
    named = zip(tools.names, by_use, strict=True)
    return np.array([_of_name(tool, tools, silent, use) for tool, use in named])


def nobody_says(tools: SampleTools) -> bool:
    """Whether no name of a sample says what its tool does."""
    return not any(tools.says(tool) or tool in tools.fixed for tool in tools.names)


def _of_name(tool: str, tools: SampleTools, silent: bool, use: float) -> float:
    """Log odds by name; where it says nothing, also by the use of results."""
    writes = tools.role(tool) == "writes"
    if tool in tools.fixed or tools.varies(tool):
        return parameters.CERTAIN if writes or tools.varies(tool) else -parameters.CERTAIN
    if tools.says(tool):
        return _log_ratio(*(parameters.SAID_WRITING if writes else parameters.SAID_OTHERWISE))
    return use if silent else _log_ratio(*parameters.SILENT) + use


def _log_ratio(one: int, other: int) -> float:
    return float(np.log(one / other))


def _log_odds_by_use(tools: SampleTools, cases: Iterable[LabelledRun]) -> list[float]:
    """Returns the log odds that each tool writes, by how often its results are used."""
    count, used = np.zeros(len(tools.names)), np.zeros(len(tools.names))
    for case in cases:
        if case.used is None:
            continue
        for at, step in enumerate(case.run.steps):
            place = tools.place(step)
            if place is not None and step.status != "error" and step.effect is not None:
                count[place] += 1
                used[place] += at in case.used
    return list(map(_use_says, count.tolist(), used.tolist()))


def _use_says(count: float, used: float) -> float:
    if not count:
        return 0.0
    calls = min(count, parameters.CALLS)
    hits = used / count * calls
    reads = _likelihood(hits, calls, parameters.USED)
    writes = _likelihood(hits, calls, parameters.UNUSED)
    like_writing = (1 - LIKE_THE_OTHER) * writes + LIKE_THE_OTHER * reads
    like_reading = (1 - LIKE_THE_OTHER) * reads + LIKE_THE_OTHER * writes
    return float(np.log(like_writing / like_reading))


def _likelihood(hits: float, calls: float, beta: tuple[float, float]) -> float:
    from scipy.special import beta as function

    return float(function(hits + beta[0], calls - hits + beta[1]) / function(*beta))


def counting(found: Departures, log_odds: Array) -> Array:
    """Returns for each tool the probability that its calls count.

    Args:
        found: what departed, and the outcomes.
        log_odds: before outcomes are seen.
    """
    chain = _Chain(found, log_odds)
    chain.climb()
    return chain.sampled(np.random.default_rng(parameters.SEED))


class _Chain:
    """Subsets of tools, one change after the other."""

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
        for sweep in range(parameters.SWEEPS):
            for tool in range(self.counts.size):
                rate = float(0.5 * (1 + np.tanh(self._odds(tool) / 2)))
                if (random.random() < rate) != self.counts[tool]:
                    self._turn(tool)
                if sweep >= parameters.FIRST:
                    total[tool] += rate
        return total / (parameters.SWEEPS - parameters.FIRST)

    def _odds(self, tool: int) -> float:
        """Returns the log odds that a tool counts, given the others."""
        others = self.counts.copy()
        others[tool] = False
        key = tool, others.tobytes()
        if key not in self._known:
            column, odds = self._columns[tool], float(self._log_odds[tool])
            if column.any():
                rest = self._spoiling - column * self.counts[tool]
                odds += self._evidence(rest + column > 0) - self._evidence(rest > 0)
            self._known[key] = odds
        return self._known[key]

    def _turn(self, tool: int) -> None:
        sign = -1 if self.counts[tool] else 1
        self.counts[tool] = not self.counts[tool]
        self._spoiling = self._spoiling + sign * self._columns[tool]

    def _evidence(self, spoiled: Flags) -> float:
        """Returns the log likelihood of the outcomes, both rates integrated out."""
        good, bad = self._good[spoiled].sum(), self._bad[spoiled].sum()
        clean = self._good.sum() - good, self._bad.sum() - bad
        return _log_beta(parameters.SPOILED[0] + good, parameters.SPOILED[1] + bad) + _log_beta(
            parameters.CLEAN[0] + clean[0], parameters.CLEAN[1] + clean[1]
        )


def _log_beta(one: float, other: float) -> float:
    return lgamma(one) + lgamma(other) - lgamma(one + other)
