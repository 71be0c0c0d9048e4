"""The metric of one scorer: shared state of its comparisons, and aggregates of their losses.

The soft-min over several references is eq. 5 of [Barazandeh2026]. Skill is a scale from a run that
is unrelated to the task (0) to the same run (1).
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from otap._caching import cached_property
from otap.config import Config
from otap.costs import (
    MAX_ANCHOR_COST,
    MAX_MOVING_COST,
    UNLIKE,
    Field,
    NodeCost,
    ToolTable,
    mass_moving_cost,
)
from otap.costs.merging import MergedCost
from otap.costs.nodes import PreparedNodes
from otap.encoders import Encoder
from otap.run.columns import FIELDS
from otap.run.settings import RunSettings
from otap.run.store import PreparedRuns

T = TypeVar("T", float, NDArray[np.float64])

TIE = 1e-12  # smaller differences of losses are rounding


class SoftMinimum(NamedTuple):
    """The aggregate loss, the weight of each reference in it, and the spread term.

    loss = sum_k weights_k losses_k + spread, with 0 <= spread <= T log K.
    """

    loss: float
    weights: NDArray[np.float64]
    spread: float


def find_least(losses: Sequence[float]) -> int:
    """Returns the index of the least of at least one loss; the first on a tie."""
    return int(np.argmax(np.asarray(losses) <= min(losses) + TIE))


def soft_minimum(losses: Sequence[float], temperature: float) -> SoftMinimum:
    """Returns -T log(mean exp(-L_k / T)); at temperature 0 the least loss.

    Args:
        losses: the loss against each reference, at least one.
        temperature: T, at least 0, in units of the loss.
    """
    L = np.asarray(losses, dtype=np.float64)
    if temperature == 0:
        weights = np.zeros(len(losses))
        weights[find_least(losses)] = 1.0
        return SoftMinimum(float(L.min()), weights, 0.0)
    shifted = np.exp(-(L - L.min()) / temperature)
    weights = shifted / shifted.sum()
    entropy = -(weights * np.log(np.where(weights > 0, weights, 1.0))).sum()
    spread = temperature * max(0.0, float(np.log(len(L)) - entropy))
    return SoftMinimum(float(weights @ L) + spread, weights, spread)


def unrelated_costs(fields: Sequence[Field[Any]], encoder: str) -> Mapping[str, float] | None:
    """Returns the cost of matched steps of unrelated tasks by field; None if it is unknown."""
    if any(encoder not in field.unrelated for field in fields):
        return None
    return {field.name: field.unrelated[encoder] for field in fields}


def unrelated_loss(
    c0: float,
    theta: float,
    lambda_agent: float,
    lambda_reference: float,
    run: float = 1.0,
    reference: float = 1.0,
) -> float:
    """Returns L_u, the loss of a run whose steps all cost c0 and whose structure costs nothing.

    With S = l1 + l2 and the masses a of the run and b of the reference

        L_u = l1 a + l2 b - S a^(l1/S) b^(l2/S) exp(-(1 - theta) c0 / S)

    For masses of 1 this is S (1 - exp(-(1 - theta) c0 / S)). The optimal coupling then shrinks all
    mass by one factor.
    """
    total = lambda_agent + lambda_reference
    moved = math.expm1(-(1 - theta) * c0 / total)
    if run == reference == 1.0:
        return total * -moved
    mean = math.pow(run, lambda_agent / total) * math.pow(reference, lambda_reference / total)
    return lambda_agent * run + lambda_reference * reference - total * mean * (1 + moved)


def skill(loss: float, unrelated: float) -> float:
    """Returns max(0, 1 - loss / unrelated); if unrelated is 0, 1 for no loss and 0 otherwise."""
    if unrelated <= 0:
        return float(loss <= 0)
    return max(0.0, 1.0 - loss / unrelated)


class Metric:
    """The settings, the encoder, the costs of steps that follow, and the runs prepared so far.

    Args:
        config: the settings.
        encoder: returns the vectors of texts.
    """

    def __init__(self, config: Config, encoder: Encoder) -> None:
        self.config, self.encoder = config, encoder
        substitutes = [(group.tools, group.distance) for group in config.substitutes]
        self.tools = ToolTable(
            substitutes, failures_apart=config.recognise, reads_verbs=config.recognise
        )
        self.run_settings = RunSettings(config)
        self.runs = PreparedRuns(self.run_settings)
        self.nodes = PreparedNodes()
        self._weights: dict[frozenset[str], Mapping[str, float]] = {}
        self.node_cost = NodeCost(encoder, self.tools, config.arguments, config.wording)
        self.merged_cost = MergedCost(self.node_cost, keeps_verbs=config.recognise)

    def with_settings(self, **settings: object) -> "Metric":
        """Returns the metric with other settings and no prepared runs."""
        return Metric(self.config.model_copy(update=settings), self.encoder)

    @cached_property
    def substep_metric(self) -> "Metric":
        """The metric of sub-steps: kappa is 0, and the mechanism is ``auto``."""
        return self.with_settings(kappa=0.0, dependencies="auto")

    @cached_property
    def weighted_fields(self) -> frozenset[str]:
        """The fields with a weight."""
        return frozenset(name for name, weight in self.config.weights if weight > 0)

    def weights_of(self, names: frozenset[str]) -> Mapping[str, float]:
        """Returns the weights of some fields, which sum to 1."""
        if names not in self._weights:
            weights = {name: weight for name, weight in self.config.weights if name in names}
            total = sum(weights.values())
            self._weights[names] = {
                name: weights[name] / total for name in FIELDS if name in weights
            }
        return self._weights[names]

    @cached_property
    def packed(self) -> NDArray[np.float64]:
        """The settings of the problem's arrays, in the order of core/packing.hpp."""
        config = self.config
        factor = 1.0 if config.mass == "relative" else MAX_MOVING_COST
        penalties = config.lambda_agent, config.lambda_reference
        by_mass = float(config.criticality == "mass")
        return np.array(
            [config.theta, *penalties, config.kappa, by_mass, UNLIKE, factor, MAX_ANCHOR_COST]
        )

    def moving_cost(self, cost: T) -> T:
        """Returns the cost of moving mass between steps, given their node cost or an array."""
        return cost if self.config.mass == "relative" else mass_moving_cost(cost)

    @cached_property
    def unrelated_cost(self) -> Mapping[str, float] | None:
        """The cost of matched steps of unrelated tasks by field; None if it is unknown."""
        if self.config.unrelated_cost is not None:
            return {str(name): cost for name, cost in self.config.unrelated_cost.items()}
        return unrelated_costs(self.node_cost.fields, self.encoder.name)

    def unrelated_loss(
        self, weights: Mapping[str, float], run: float = 1.0, reference: float = 1.0
    ) -> float | None:
        """Returns the loss of an unrelated run over fields with these weights.

        Returns None if the cost of a field between unrelated tasks is unknown. ``run`` and
        ``reference`` are the masses of both sides. The loss is at least that of masses of 1.
        """
        costs, config, c0 = self.unrelated_cost, self.config, 0.0
        for name, weight in weights.items():
            if costs is None or name not in costs:
                return None
            c0 += weight * costs[name]
        c0 = float(self.moving_cost(c0))
        penalties = config.lambda_agent, config.lambda_reference
        least = unrelated_loss(c0, config.theta, *penalties)
        return max(least, unrelated_loss(c0, config.theta, *penalties, run, reference))
