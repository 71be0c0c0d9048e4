"""The records of an alignment that users see: pairs of steps, match qualities, differences."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np
from pydantic import BaseModel, ConfigDict

from otap.alignment.comparison import Array, Compared, Comparison, WithoutSteps
from otap.costs import CostNodes
from otap.findings.calls import differing_arguments
from otap.findings.changes import Change
from otap.findings.context import FindingContext

# Pairs with less than this share of the smaller step's mass are left out of an alignment.
NEGLIGIBLE = 1e-3


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Pair(_Record):
    """A step of the agent's run and a step of the reference, and the mass between them."""

    agent: str
    reference: str
    mass: float
    cost: float


class StepShare(_Record):
    """The match quality of one step, in [0, 1], and its part of the loss.

    ``counterpart`` is the step of the other side that it stands for, one to one. It is None for a
    step that is missing, extra, repeated, split or merged.
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


@dataclass(frozen=True)
class PairDetails:
    """The details of a step of the run and a step of the reference.

    Attributes:
        cost: the node cost, in [0, 1].
        fields: the part of the cost of each field; they sum to it, unless it is cut at 1.
        changes: the arguments that differ in value, if the two are counterparts.
        is_allowed: whether mass may move between the two.
    """

    cost: float
    fields: Mapping[str, float]
    changes: tuple[Change, ...] = ()
    is_allowed: bool = True


def align(comparison: Compared) -> Alignment:
    """Reads the alignment off a comparison; empty if a side has no steps."""
    if isinstance(comparison, WithoutSteps):
        return Alignment()
    run, reference = comparison.problem.run, comparison.problem.reference
    reference_ids, run_ids = dict[str, str](), dict[str, str]()
    for i, j in comparison.reference_of.items():
        if len(run.parts[i]) == len(reference.parts[j]) == 1:
            run_id, reference_id = run.steps[i].id, reference.steps[j].id
            reference_ids[run_id], run_ids[reference_id] = reference_id, run_id
    shares, factor = comparison.shares, comparison.factor
    run_losses = shares.agent_contribution * factor
    reference_losses = shares.reference_contribution * factor
    # All records are validated in one call, which takes a third of the time.
    return Alignment.model_validate(
        {
            "pairs": _list_pairs(comparison),
            "agent": _list_steps(run, reference_ids, shares.agent_quality, run_losses),
            "reference": _list_steps(
                reference, run_ids, shares.reference_quality, reference_losses
            ),
        }
    )


def _list_pairs(comparison: Comparison) -> list[dict[str, str | float]]:
    problem, T = comparison.solution.problem, comparison.solution.T
    smaller = np.minimum(problem.mu[:, None], problem.nu)
    i, j = (smaller * NEGLIGIBLE <= T).nonzero()
    run_ids, reference_ids = comparison.problem.run.ids, comparison.problem.reference.ids
    numbers = T[i, j].tolist(), comparison.problem.costs.total[i, j].tolist()
    pairs: list[dict[str, str | float]] = []
    for a, b, mass, cost in zip(i.tolist(), j.tolist(), *numbers, strict=True):
        step_mass = mass / len(run_ids[a]) / len(reference_ids[b])
        for run_id, reference_id in product(run_ids[a], reference_ids[b]):
            pair = {"agent": run_id, "reference": reference_id, "mass": step_mass, "cost": cost}
            pairs.append(pair)
    return pairs


def _list_steps(
    nodes: CostNodes, counterparts: dict[str, str], quality: Array, contribution: Array
) -> list[dict[str, str | float | None]]:
    """The quality and contribution of each step; the parts of a merged step share it."""
    steps: list[dict[str, str | float | None]] = [{}] * len(nodes.side_steps)
    numbers = quality.tolist(), contribution.tolist()
    for parts, q, total in zip(nodes.parts, *numbers, strict=True):
        for index in parts:
            step_id = nodes.side_steps[index].id
            steps[index] = {
                "id": step_id,
                "counterpart": counterparts.get(step_id),
                "quality": q,
                "contribution": total / len(parts),
            }
    return steps


def details(compared: Compared) -> dict[tuple[str, str], PairDetails]:
    """Returns the details of each pair that shares mass or are counterparts, by step ids."""
    if isinstance(compared, WithoutSteps):
        return {}
    return dict(_list_details(FindingContext(compared)))


def _list_details(context: FindingContext) -> Iterator[tuple[tuple[str, str], PairDetails]]:
    problem, solution = context.problem, context.comparison.solution
    mu, nu, T = solution.problem.mu, solution.problem.nu, solution.T
    counterparts = {*context.counterparts, *context.merged_pairs}
    costs = problem.costs
    shares_mass = NEGLIGIBLE * np.minimum.outer(mu, nu) <= T
    shares_mass[[*context.reference_of], [*context.reference_of.values()]] = True
    for i, j in np.argwhere(shares_mass).tolist():
        fields = {
            name: costs.weights[name] * float(matrix[i, j])
            for name, matrix in costs.distances.items()
        }
        changes = tuple(differing_arguments(context, i, j)) if (i, j) in counterparts else ()
        cost = float(costs.total[i, j])
        pair = PairDetails(cost, fields, changes, context.is_allowed(i, j))
        for ids in product(context.run.ids[i], context.reference.ids[j]):
            yield ids, pair


def order_agreement(compared: Compared) -> float | None:
    """Returns the share of pairs of matched steps that ran in the order of the reference's list.

    Pairs that ran in parallel on one of the sides do not count. The share is None if order is
    scored, or if no pair is left.
    """
    if isinstance(compared, WithoutSteps) or compared.problem.order_scored:
        return None
    pairs = sorted(compared.reference_of.items())
    run_turns = compared.problem.run.turns[[i for i, _ in pairs]]
    reference_turns = compared.problem.reference.turns[[j for _, j in pairs]]
    run_order = np.sign(np.subtract.outer(run_turns, run_turns))
    agreement = run_order * np.sign(np.subtract.outer(reference_turns, reference_turns))
    total = np.count_nonzero(agreement)
    return float(np.count_nonzero(agreement > 0) / total) if total else None
