"""What names, and the use that is made of results, say of a tool before any outcome is seen."""

from collections.abc import Iterable

import numpy as np

from otap.learning.held_out import Array
from otap.learning.runs import Case
from otap.learning.weights.tools import Tools

# How many of the labelled names of docs/recognition.md that are taken for writing write, and how
# many do not: of names that say it, and of names that say nothing.
SAID_WRITING, SILENT = (242, 2), (62, 19)
SAID_OTHERWISE = (1, 281)
CERTAIN = 50.0  # log odds of what the settings say
CALLS = 5  # more calls of a tool than these are no more evidence: they are alike
# Shares of calls whose result a later call uses, as Beta distributions: looking something up is
# for its use, what is changed is seldom used. Some of both are like the other.
_USED, _UNUSED, _LIKE_THE_OTHER = (1.5, 1.0), (0.3, 3.0), 0.2


def log_odds(tools: Tools, cases: Iterable[Case]) -> Array:
    """Returns for each tool the log odds that its calls count.

    Args:
        tools: those of a sample; where the name of none says anything, either is as likely.
        cases: those of the sample.
    """
    silent = nobody_says(tools)
    used = _log_odds_by_use(tools, cases)
    return np.array(
        [_of_tool(tool, tools, silent) + _of_use(tool, tools, use) for tool, use in used.items()]
    )


def nobody_says(tools: Tools) -> bool:
    """Whether no name of a sample says what its tool does."""
    return not any(tools.says(tool) or tool in tools.fixed for tool in tools.names)


def _of_tool(tool: str, tools: Tools, silent: bool) -> float:
    writes = tools.role(tool) == "writes"
    if tool in tools.fixed or tools.varies(tool):
        return CERTAIN if writes or tools.varies(tool) else -CERTAIN
    if not tools.says(tool):
        return 0.0 if silent else _log_ratio(*SILENT)
    return _log_ratio(*(SAID_WRITING if writes else SAID_OTHERWISE))


def _of_use(tool: str, tools: Tools, use: float) -> float:
    return 0.0 if tools.says(tool) or tool in tools.fixed else use


def _log_ratio(one: int, other: int) -> float:
    return float(np.log(one / other))


def _log_odds_by_use(tools: Tools, cases: Iterable[Case]) -> dict[str, float]:
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
    return {
        tool: _use_says(of_tool, of_used)
        for tool, of_tool, of_used in zip(tools.names, count, used, strict=True)
    }


def _use_says(count: float, used: float) -> float:
    if not count:
        return 0.0
    calls = min(count, CALLS)
    hits = used / count * calls
    like_reading, like_writing = (_likelihood(hits, calls, beta) for beta in (_USED, _UNUSED))
    mixed = [
        (1 - _LIKE_THE_OTHER) * one + _LIKE_THE_OTHER * other
        for one, other in ((like_writing, like_reading), (like_reading, like_writing))
    ]
    return float(np.log(mixed[0] / mixed[1]))


def _likelihood(hits: float, calls: float, beta: tuple[float, float]) -> float:
    from scipy.special import beta as function

    return float(function(hits + beta[0], calls - hits + beta[1]) / function(*beta))
