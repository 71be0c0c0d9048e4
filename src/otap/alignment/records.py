"""What users see of an alignment: pairs of steps, each step's match quality, what differs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np
from pydantic import BaseModel, ConfigDict

from otap.alignment.comparison import Array, Compared, Comparison, WithoutSteps
from otap.alignment.findings.calls import differing_arguments
from otap.alignment.findings.changes import Change
from otap.alignment.findings.reading import Reading
from otap.alignment.parameters import NEGLIGIBLE
from otap.matrices import Nodes


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


@dataclass(frozen=True)
class PairDetails:
    """A step of the run beside one of the reference.

    Attributes:
        cost: the node cost, in [0, 1].
        fields: what each field adds to the cost of the pair; they sum to it, unless that is cut
            at 1.
        changes: the arguments that differ in value, where the two are counterparts.
    """

    cost: float
    fields: Mapping[str, float]
    changes: tuple[Change, ...] = ()


def align(comparison: Compared) -> Alignment:
    """Reads the alignment off a comparison; empty if a side has no steps."""
    if isinstance(comparison, WithoutSteps):
        return Alignment()
    run, reference = comparison.problem.run, comparison.problem.reference
    counterparts, backwards = dict[str, str](), dict[str, str]()
    for i, j in comparison.reference_of.items():
        if len(run.parts[i]) == len(reference.parts[j]) == 1:
            one, other = run.steps[i].id, reference.steps[j].id
            counterparts[one], backwards[other] = other, one
    found, factor = comparison.shares, comparison.factor
    ours, theirs = found.agent_contribution * factor, found.reference_contribution * factor
    # All records are made in one go, which takes a third of the time.
    return Alignment.model_validate(
        {
            "pairs": _list_pairs(comparison),
            "agent": _list_steps(run, counterparts, found.agent_quality, ours),
            "reference": _list_steps(reference, backwards, found.reference_quality, theirs),
        }
    )


def _list_pairs(comparison: Comparison) -> list[dict[str, str | float]]:
    problem, T = comparison.solution.problem, comparison.solution.T
    smaller = np.minimum(problem.mu[:, None], problem.nu)
    i, j = (smaller * NEGLIGIBLE <= T).nonzero()
    ours, theirs = comparison.problem.run.ids, comparison.problem.reference.ids
    numbers = T[i, j].tolist(), comparison.problem.costs.total[i, j].tolist()
    pairs: list[dict[str, str | float]] = []
    for a, b, mass, cost in zip(i.tolist(), j.tolist(), *numbers, strict=True):
        each = mass / len(ours[a]) / len(theirs[b])
        for one, other in product(ours[a], theirs[b]):
            pairs.append({"agent": one, "reference": other, "mass": each, "cost": cost})
    return pairs


def _list_steps(
    nodes: Nodes, counterparts: dict[str, str], quality: Array, contribution: Array
) -> list[dict[str, str | float | None]]:
    """Quality and contribution of each step; parts of a union divide its contribution evenly."""
    steps: list[dict[str, str | float | None]] = [{}] * len(nodes.listed)
    numbers = quality.tolist(), contribution.tolist()
    for parts, q, total in zip(nodes.parts, *numbers, strict=True):
        for place in parts:
            name = nodes.listed[place].id
            steps[place] = {
                "id": name,
                "counterpart": counterparts.get(name),
                "quality": q,
                "contribution": total / len(parts),
            }
    return steps


def details(compared: Compared) -> dict[tuple[str, str], PairDetails]:
    """Returns the details of each pair that shares mass or are counterparts, by step ids."""
    return {} if isinstance(compared, WithoutSteps) else dict(_list_details(Reading(compared)))


def _list_details(reading: Reading) -> Iterator[tuple[tuple[str, str], PairDetails]]:
    problem, solution = reading.problem, reading.comparison.solution
    mu, nu, T = solution.problem.mu, solution.problem.nu, solution.T
    compared = {*reading.counterparts, *reading.unions}
    weighted = problem.costs.weighted
    for i, j in product(range(T.shape[0]), range(T.shape[1])):
        if T[i, j] < NEGLIGIBLE * min(mu[i], nu[j]) and reading.reference_of.get(i) != j:
            continue
        fields = {name: float(matrix[i, j]) for name, matrix in weighted.items()}
        changes = tuple(differing_arguments(reading, i, j)) if (i, j) in compared else ()
        found = PairDetails(float(problem.costs.total[i, j]), fields, changes)
        for one, other in product(reading.run.ids[i], reading.reference.ids[j]):
            yield (one, other), found


def order_agreement(compared: Compared) -> float | None:
    """Returns the share of pairs of matched steps that ran in the order of the reference's list.

    Pairs that one of the sides did side by side do not count. None where order is scored, or no
    pair is left.
    """
    if isinstance(compared, WithoutSteps) or compared.problem.order_scored:
        return None
    pairs = sorted(compared.reference_of.items())
    ran = compared.problem.run.turns[[i for i, _ in pairs]]
    listed = compared.problem.reference.turns[[j for _, j in pairs]]
    agreed = np.sign(np.subtract.outer(ran, ran)) * np.sign(np.subtract.outer(listed, listed))
    counted = np.count_nonzero(agreed)
    return float(np.count_nonzero(agreed > 0) / counted) if counted else None
