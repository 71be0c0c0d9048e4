"""The alignment as a record: pairs of steps with their mass, and what each step is worth."""

import numpy as np
from pydantic import BaseModel, ConfigDict

from otap.alignment.comparison import Array, Comparison
from otap.alignment.matching import Matching
from otap.trajectory import Step

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


def align(comparison: Comparison) -> Alignment:
    """Reads the alignment off a comparison."""
    run, reference = comparison.run.steps, comparison.reference.steps
    matching = Matching(comparison)
    reference_of = {run[i].id: reference[j].id for i, j in matching.reference_of.items()}
    run_of = {j: i for i, j in reference_of.items()}
    quality, contribution = comparison.agent_quality, comparison.agent_contribution
    agent = _shares(run, reference_of, quality, contribution)
    quality, contribution = comparison.reference_quality, comparison.reference_contribution
    return Alignment(
        pairs=_pairs(comparison),
        agent=agent,
        reference=_shares(reference, run_of, quality, contribution),
    )


def _pairs(comparison: Comparison) -> tuple[Pair, ...]:
    problem, T = comparison.solution.problem, comparison.solution.T
    smaller = np.minimum(problem.mu[:, None], problem.nu[None, :])
    i, j = np.nonzero(smaller * NEGLIGIBLE <= T)
    run, reference = comparison.run.steps, comparison.reference.steps
    return tuple(
        Pair(agent=run[a].id, reference=reference[b].id, mass=mass, cost=cost)
        for a, b, mass, cost in zip(
            i.tolist(), j.tolist(), T[i, j].tolist(), comparison.cost[i, j].tolist(), strict=True
        )
    )


def _shares(
    steps: tuple[Step, ...], counterparts: dict[str, str], quality: Array, contribution: Array
) -> tuple[StepShare, ...]:
    return tuple(
        StepShare(
            id=step.id,
            counterpart=counterparts.get(step.id),
            quality=q,
            contribution=share,
        )
        for step, q, share in zip(steps, quality.tolist(), contribution.tolist(), strict=True)
    )
