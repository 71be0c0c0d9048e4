"""The alignment as a record: pairs of steps with their mass, and each step's match quality."""

from collections.abc import Iterator
from itertools import product

import numpy as np
from pydantic import BaseModel, ConfigDict

from otap.alignment.comparison import Array, Compared, Comparison, WithoutSteps
from otap.matrices import Nodes

NEGLIGIBLE = 1e-3  # pairs with less than this share of the smaller step's mass are left out


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Pair(_Record):
    """A step of the agent's run and a step of the reference, and the mass between them."""

    agent: str
    reference: str
    mass: float
    cost: float


class StepShare(_Record):
    """How well one step is matched (q, in [0, 1]), and what it adds to the loss.

    ``counterpart`` is the step of the other side that it stands for, one to one; None for a step
    that is missing, invented, repeated, split or merged.
    """

    id: str
    counterpart: str | None
    quality: float
    contribution: float


class Alignment(_Record):
    """Which step stands for which; steps by id, in the order of their lists."""

    pairs: tuple[Pair, ...] = ()
    agent: tuple[StepShare, ...] = ()
    reference: tuple[StepShare, ...] = ()


def align(comparison: Compared) -> Alignment:
    """Reads the alignment off a comparison; empty if a side has no steps."""
    if isinstance(comparison, WithoutSteps):
        return Alignment()
    run, reference = comparison.run, comparison.reference
    alone = {
        run.steps[i].id: reference.steps[j].id
        for i, j in comparison.matching.reference_of.items()
        if len(run.parts[i]) == len(reference.parts[j]) == 1
    }
    quality, contribution = comparison.agent_quality, comparison.agent_contribution
    agent = _shares(run, alone, quality, contribution)
    quality, contribution = comparison.reference_quality, comparison.reference_contribution
    back = {j: i for i, j in alone.items()}
    # All records are made in one go, which takes a third of the time.
    return Alignment.model_validate(
        {
            "pairs": list(_pairs(comparison)),
            "agent": agent,
            "reference": _shares(reference, back, quality, contribution),
        }
    )


def _pairs(comparison: Comparison) -> Iterator[dict[str, str | float]]:
    problem, T = comparison.solution.problem, comparison.solution.T
    smaller = np.minimum(problem.mu[:, None], problem.nu)
    i, j = (smaller * NEGLIGIBLE <= T).nonzero()
    names = comparison.run.ids, comparison.reference.ids
    found = T[i, j].tolist(), comparison.cost[i, j].tolist()
    for a, b, mass, cost in zip(i.tolist(), j.tolist(), *found, strict=True):
        ours, theirs = names[0][a], names[1][b]
        each = mass / len(ours) / len(theirs)
        for one, other in product(ours, theirs):
            yield {"agent": one, "reference": other, "mass": each, "cost": cost}


def _shares(
    nodes: Nodes, counterparts: dict[str, str], quality: Array, contribution: Array
) -> list[dict[str, str | float | None]]:
    """Quality and contribution of each step; parts of a union divide its contribution evenly."""
    shares = {
        place: (q, share / len(parts))
        for parts, q, share in zip(
            nodes.parts, quality.tolist(), contribution.tolist(), strict=True
        )
        for place in parts
    }
    return [
        {
            "id": step.id,
            "counterpart": counterparts.get(step.id),
            "quality": shares[place][0],
            "contribution": shares[place][1],
        }
        for place, step in enumerate(nodes.listed)
    ]
