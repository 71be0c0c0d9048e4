"""Which tools' calls departed from the references, and what that cost, by case."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from otap.learning.held_out import Array, Flags
from otap.learning.runs import Case, Outline
from otap.learning.weights.tools import Opened, Tools
from otap.trajectory import Trajectory

UNLIKE = 0.1  # a step departs if its match quality is further from 1: another value, or nothing


@dataclass(frozen=True)
class Departures:
    """Cases by tools.

    Args:
        departed: whether some call of a tool, on either side, has no equal on the other.
        cost: what calls of a tool add to the loss.
        weight: what they weigh, on both sides together.
        loss: of each case.
        half: half of what all steps of a case weigh; above 1 it is the unit of mass.
        untold: whether an answer was asked for and not told.
        good: the outcomes.
        tasks: the task of each case.
    """

    departed: Flags
    cost: Array
    weight: Array
    loss: Array
    half: Array
    untold: Flags
    good: Flags
    tasks: Sequence[str]

    def losses(self, tool: int, factor: float) -> Array:
        """Returns about what the losses are if a tool weighs so many times what it weighs."""
        unit = np.maximum(1.0, self.half)
        changed = np.maximum(1.0, self.half + (factor - 1) * self.weight[:, tool] / 2)
        found = (self.loss + (factor - 1) * self.cost[:, tool]) * unit / changed
        return np.asarray(np.maximum(found, 0.0))


def departures(cases: Sequence[Case], scores: Sequence[Outline], tools: Tools) -> Departures:
    """Returns what departed, as some scores see it.

    Args:
        cases: the runs.
        scores: of each.
        tools: the tools of these cases, under the configuration of the scores.
    """
    shape = len(cases), len(tools.names)
    departed, cost, weight = np.zeros(shape, np.bool_), np.zeros(shape), np.zeros(shape)
    total = np.zeros(len(cases))
    for row, (case, score) in enumerate(zip(cases, scores, strict=True)):
        reference = case.references[score.best_place]
        for place, share, heavy, unlike in _calls(case.run, reference, score, tools):
            total[row] += heavy
            if place is not None:
                cost[row, place] += share
                weight[row, place] += heavy
                departed[row, place] |= unlike
    return Departures(
        departed,
        cost,
        weight,
        np.array([score.loss for score in scores]),
        total / 2,
        np.array([score.told > 0 for score in scores], dtype=np.bool_),
        np.array([case.good for case in cases], dtype=np.bool_),
        [case.task for case in cases],
    )


def _calls(
    run: Trajectory, reference: Trajectory, score: Outline, tools: Tools
) -> Iterator[tuple[int | None, float, float, bool]]:
    """Yields of each step of both sides its tool, cost and weight, and whether it departs."""
    ours, theirs = tools.opened(run), tools.opened(reference)
    full = tools.weighing.in_full(theirs.run, theirs.roles)
    shares = score.agent, score.reference
    for side, listed, out in zip((ours, theirs), shares, map(set, score.left_out), strict=True):
        by_id = {share.id: share for share in listed}
        weights = tools.weighing.weights(side.run.steps, side.roles, full)
        failed = tools.weighing.failed(side.run.steps)
        for place, step in enumerate(side.run.steps):
            if step.id in out:
                continue
            share = by_id.get(step.id)
            # A side without steps has no alignment: all of the other departs.
            quality, cost = (share.quality, share.contribution) if share else (0.0, 0.0)
            unlike = quality < 1 - UNLIKE and not failed[place] and _counts(side, place, tools)
            yield tools.place(step), cost, float(weights[place]), bool(unlike)


def _counts(side: Opened, place: int, tools: Tools) -> bool:
    """Whether a step says something of its tool: of one that does several things, what writes."""
    tool = tools.place(side.run.steps[place])
    if tool is None or not tools.varies(tools.names[tool]):
        return True
    return side.roles[place] == "writes"


def shares(tasks: Sequence[str]) -> Array:
    """Returns what each case counts as evidence: runs of one task are half alike."""
    _, owner, count = np.unique(np.array(tasks), return_inverse=True, return_counts=True)
    several: NDArray[np.intp] = count[owner]
    return np.asarray(2.0 / (1.0 + several))
