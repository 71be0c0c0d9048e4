"""A loss as a sum of charges that a reader can check by hand.

The transport charges a wrong argument as one missing and one extra step where no mass may move
between the two. A finding names such a pair; these penalties are then attributed to the field that
differs, in everything that people see. The charges themselves stay the transport's.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from otap.alignment.comparison import Array, Compared, Comparison, Verdict, WithoutSteps
from otap.alignment.problem import Answers
from otap.costs import CostNodes
from otap.findings import Finding
from otap.transport import FORBIDDEN, contributions, dense

LEAST_MASS = 1e-9  # pairs that move less mass do not change the sixth digit of a loss
MAX_PAIRS = 150  # pairs that move mass, up to which each charge for order is listed
EXTRA, MISSING, STRUCTURE = "extra_steps", "missing_steps", "structure"  # parts of the loss
_PAIRED = ("tool", "arguments")  # findings that name a pair; the parts have the same names


@dataclass(frozen=True)
class StepCharge:
    """The penalty for the mass of one node that did not move.

    penalty = factor nearness (moved ln(moved / mass) - moved + mass)

    Attributes:
        steps: the indices of the steps of its side that it consists of.
        weight: its weight; an ordinary step weighs 1.
        mass: its share of the unit of mass.
        moved: the mass that moves from it, or to it.
        factor: lambda times the factor of its role, or of a required step.
        nearness: in (0, 1]; below 1 for an extra step that comes near a step of the reference.
        penalty: the charge.
        part: the part of the loss that readers see it in.
    """

    steps: Sequence[int]
    weight: float
    mass: float
    moved: float
    factor: float
    nearness: float
    penalty: float
    part: str


@dataclass(frozen=True)
class PairCharge:
    """The charge for moving mass between two nodes; charge = (1 - theta) price moved.

    Attributes:
        run: the index of the node of the run.
        reference: the index of the node of the reference.
        distances: of each field, in [0, 1]; with the weights of the fields they sum to ``cost``.
        cost: the node cost, in [0, 1].
        price: the cost of moving a mass of 1; None if no mass may move.
        moved: the mass that moves.
        charge: the charge.
        order: the charge for order, half of which belongs to the pair itself.
    """

    run: int
    reference: int
    distances: Mapping[str, float]
    cost: float
    price: float | None
    moved: float
    charge: float
    order: float


@dataclass(frozen=True)
class OrderCharge:
    """The charge for two pairs in another order; 2 theta (run - reference)^2 moved moved.

    Attributes:
        earlier: the index of a pair, among those listed.
        later: the index of another pair.
        run: the structure between the two nodes of the run, in [-1, 1].
        reference: the same for the reference.
        charge: the charge.
    """

    earlier: int
    later: int
    run: float
    reference: float
    charge: float


@dataclass(frozen=True)
class Calculation:
    """A loss against one reference, as the sum of its charges.

    Attributes:
        run: the nodes of the run.
        reference: the nodes of the reference.
        pairs: those between which mass moves, and those that a finding names.
        order: the charges for order; empty if there are too many to list.
        weights: the weight of each field.
        theta: the weight of order against the node costs, in [0, 1].
        unit: the weight that is a mass of 1; None if it is another on either side.
        answers: the required answers.
        loss_before_band: the sum of all charges.
        verdict: says which severity band the loss lies in; None if there are no bands.
        loss: the loss in that band.
        parts: of the loss before the severity band, as readers see them; they sum to it.
    """

    run: tuple[StepCharge, ...]
    reference: tuple[StepCharge, ...]
    pairs: tuple[PairCharge, ...]
    order: tuple[OrderCharge, ...]
    weights: Mapping[str, float]
    theta: float
    unit: float | None
    answers: Answers
    loss_before_band: float
    verdict: Verdict | None
    loss: float
    parts: Mapping[str, float]


def calculate(compared: Compared, findings: Sequence[Finding]) -> Calculation:
    """Returns the charges that a loss is the sum of.

    Args:
        compared: the comparison with one reference.
        findings: its findings.
    """
    if isinstance(compared, WithoutSteps):
        return _calculate_without_steps(compared)
    problem, arrays = compared.problem, compared.solution.problem
    named_pairs = _list_named_pairs(compared, findings)
    pairs = tuple(_list_pairs(compared, named_pairs))
    causes = {**_list_causes(compared, pairs), **named_pairs}
    parts_of_run = {i: part for (i, _), part in causes.items()}
    parts_of_reference = {j: part for (_, j), part in causes.items()}
    _add_main_cause(compared, parts_of_run, compared.reference_of, EXTRA)
    _add_main_cause(compared, parts_of_reference, compared.run_of, MISSING)
    extra, missing = compared.mass_penalties
    T = compared.solution.T
    nearness = np.ones(len(arrays.mu)) if problem.nearness is None else problem.nearness
    run = _list_steps(
        problem.run, arrays.mu, T.sum(axis=1), arrays.lambda_1, nearness, extra, EXTRA, parts_of_run
    )
    reference = _list_steps(
        problem.reference, arrays.nu, T.sum(axis=0), arrays.lambda_2, np.ones(len(missing)),
        missing, MISSING, parts_of_reference,
    )  # fmt: skip
    return Calculation(
        run=run,
        reference=reference,
        pairs=pairs,
        order=tuple(_list_order(compared, pairs)),
        weights=problem.costs.weights,
        theta=arrays.theta,
        unit=float(problem.reference.weights[0] / arrays.nu[0]) if problem.counts_pairs else None,
        answers=compared.answers,
        loss_before_band=compared.loss_before_band,
        verdict=compared.verdict,
        loss=compared.loss,
        parts=_attribute(compared, run, reference),
    )


def _list_named_pairs(
    comparison: Comparison, findings: Sequence[Finding]
) -> dict[tuple[int, int], str]:
    """The pairs of nodes that a finding names, each with the first field that differs."""
    run, reference = (
        {step: index for index, ids in enumerate(nodes.ids) for step in ids}
        for nodes in (comparison.run, comparison.reference)
    )
    parts: dict[tuple[int, int], str] = {}
    for finding in sorted(findings, key=lambda finding: finding.kind != "tool"):
        if finding.kind in _PAIRED and finding.agent and finding.reference:
            pair = run[finding.agent[0]], reference[finding.reference[0]]
            parts.setdefault(pair, finding.kind)
    return parts


def _list_causes(comparison: Comparison, pairs: Sequence[PairCharge]) -> dict[tuple[int, int], str]:
    """The pairs whose mass penalties follow from their own differences, with the largest of these.

    Both nodes have the same mass and exchange it with each other alone: if they were equal, all of
    it would move. Elsewhere the mass of a missing step may have moved to its neighbours.
    """
    arrays, T = comparison.solution.problem, comparison.solution.T
    rows, columns = T.sum(axis=1), T.sum(axis=0)
    causes: dict[tuple[int, int], str] = {}
    for pair in pairs:
        i, j = pair.run, pair.reference
        elsewhere = max(rows[i], columns[j]) - T[i, j]
        is_alone = elsewhere <= LEAST_MASS and np.isclose(arrays.mu[i], arrays.nu[j])
        if is_alone and pair.charge + pair.order > 0:
            charges = {
                name: pair.charge * comparison.problem.costs.weights[name] * distance / pair.cost
                for name, distance in pair.distances.items()
                if distance > 0
            }
            charges[STRUCTURE] = pair.order
            causes[i, j] = max(charges, key=lambda name: charges[name])
    return causes


def _add_main_cause(
    comparison: Comparison, parts: dict[int, str], counterparts: Mapping[int, int], usual_part: str
) -> None:
    """Attributes the other penalties of a side to the largest part of the loss.

    If every node of the side has a counterpart, no step is extra or missing.
    """
    nodes = comparison.run if usual_part == EXTRA else comparison.reference
    if len(counterparts) < len(nodes.parts):
        return
    terms = comparison.solution.terms
    losses = {
        **comparison.shares.losses,
        STRUCTURE: terms.structure,
        EXTRA: terms.agent_mass,
        MISSING: terms.reference_mass,
    }
    del losses[usual_part]
    main = max(losses, key=lambda name: losses[name])
    if losses[main] > 0:
        for index in counterparts:
            parts.setdefault(index, main)


def _list_steps(
    nodes: CostNodes, masses: Array, moved: Array, factors: Array, nearness: Array,
    penalties: Array, part: str, causes: Mapping[int, str],
) -> tuple[StepCharge, ...]:  # fmt: skip
    numbers = nodes.weights, masses, moved, factors / nearness, nearness, penalties
    charges = []
    for index, row in enumerate(np.column_stack(numbers).tolist()):
        weight, mass, moved_mass, factor, near, penalty = row
        steps = tuple(sorted(nodes.parts[index]))
        charges.append(
            StepCharge(
                steps, weight, mass, moved_mass, factor, near, penalty, causes.get(index, part)
            )
        )
    return tuple(charges)


def _list_pairs(
    comparison: Comparison, named_pairs: Mapping[tuple[int, int], str]
) -> Iterator[PairCharge]:
    arrays, T, costs = comparison.solution.problem, comparison.solution.T, comparison.problem.costs
    moving = {(int(i), int(j)) for i, j in np.argwhere(T > LEAST_MASS)}
    charges = contributions(arrays, T)
    for i, j in sorted(moving | set(named_pairs)):
        is_allowed = bool(arrays.C[i, j] < FORBIDDEN)
        price, moved = float(arrays.C[i, j]), float(T[i, j])
        charge = (1 - arrays.theta) * price * moved if is_allowed else 0.0
        yield PairCharge(
            run=i,
            reference=j,
            distances={name: float(matrix[i, j]) for name, matrix in costs.distances.items()},
            cost=float(costs.total[i, j]),
            price=price if is_allowed else None,
            moved=moved if is_allowed else 0.0,
            charge=charge,
            order=max(float(charges[i, j]) - charge, 0.0) if is_allowed else 0.0,
        )


def _list_order(comparison: Comparison, pairs: Sequence[PairCharge]) -> Iterator[OrderCharge]:
    arrays = comparison.solution.problem
    moving = [index for index, pair in enumerate(pairs) if pair.moved > 0]
    if not comparison.problem.order_scored or len(moving) > MAX_PAIRS:
        return
    D_p, D_r = dense(arrays.D_p), dense(arrays.D_r)
    for first, second in combinations(moving, 2):
        pair_a, pair_b = pairs[first], pairs[second]
        run = float(D_p[pair_a.run, pair_b.run])
        reference = float(D_r[pair_a.reference, pair_b.reference])
        charge = 2 * arrays.theta * (run - reference) ** 2 * pair_a.moved * pair_b.moved
        if charge > 0:
            yield OrderCharge(first, second, run, reference, charge)


def _attribute(
    comparison: Comparison, run: Sequence[StepCharge], reference: Sequence[StepCharge]
) -> dict[str, float]:
    """The parts of the loss before the severity band, as readers see them."""
    terms = comparison.solution.terms
    parts = {
        **comparison.shares.losses,
        STRUCTURE: float(terms.structure),
        EXTRA: float(terms.agent_mass),
        MISSING: float(terms.reference_mass),
        "answers": comparison.answers.loss,
    }
    for usual_part, charges in ((EXTRA, run), (MISSING, reference)):
        for charge in charges:
            if charge.part != usual_part:
                parts[charge.part] = parts.get(charge.part, 0.0) + charge.penalty
                parts[usual_part] = max(parts[usual_part] - charge.penalty, 0.0)
    return parts


def _calculate_without_steps(compared: WithoutSteps) -> Calculation:
    view, reference = compared.recorded[0], compared.recorded[1].run
    run = view.run
    answers = compared.answers
    parts = {EXTRA: 0.0, MISSING: 0.0, "answers": answers.loss}
    if run.size or reference.size:
        parts |= {EXTRA: compared.extra_steps, MISSING: compared.missing_steps}
    weights = view.weights(reference.full_weight), reference.weights(reference.full_weight)
    factors = view.penalties(reference), np.ones(reference.size)
    return Calculation(
        run=_list_unmatched(weights[0], factors[0], parts[EXTRA], EXTRA),
        reference=_list_unmatched(weights[1], factors[1], parts[MISSING], MISSING),
        pairs=(),
        order=(),
        weights={},
        theta=0.0,
        unit=None,
        answers=answers,
        loss_before_band=compared.loss_before_band,
        verdict=compared.verdict,
        loss=compared.loss,
        parts=parts,
    )


def _list_unmatched(
    weights: Array, factors: Array, penalty: float, part: str
) -> tuple[StepCharge, ...]:
    """The steps of one side if the other side has none: they divide the penalty."""
    total = float(weights @ factors) if len(weights) else 0.0
    share = penalty / total if total else 0.0
    return tuple(
        StepCharge(
            (index,), weight, weight * share, 0.0, factor, 1.0, weight * factor * share, part
        )
        for index, (weight, factor) in enumerate(
            zip(weights.tolist(), np.asarray(factors).tolist(), strict=True)
        )
    )
