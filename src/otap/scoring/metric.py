"""The metric of one scorer: what all of its comparisons share."""

from collections.abc import Mapping
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from otap._caching import cached_property
from otap.config import Config
from otap.encoders import Encoder
from otap.matrices import ALIKE, APART, FIELDS, UNLIKE, NodeCost, ToolTable, cost_apart
from otap.prepare.prepared import PreparedRuns
from otap.prepare.settings import RunSettings
from otap.scoring.aggregate import unrelated_costs, unrelated_loss
from otap.unions import UnionCost

T = TypeVar("T", float, NDArray[np.float64])


class Metric:
    """A configuration and an encoder, what follows from them, and the runs prepared so far.

    Args:
        config: the settings.
        encoder: gives the vectors of texts.
    """

    def __init__(self, config: Config, encoder: Encoder) -> None:
        self.config, self.encoder = config, encoder
        substitutes = [(group.tools, group.distance) for group in config.substitutes]
        self.tools = ToolTable(substitutes, failures_apart=config.recognise)
        self.run_settings = RunSettings(config)
        self.runs = PreparedRuns(self.run_settings)
        self._weights: dict[frozenset[str], Mapping[str, float]] = {}
        self.node_cost = NodeCost(encoder, self.tools, config.arguments, config.wording)
        self.union_cost = UnionCost(self.node_cost)

    def changed(self, **settings: object) -> "Metric":
        """Returns the metric with other settings, and nothing prepared yet."""
        return Metric(self.config.model_copy(update=settings), self.encoder)

    @cached_property
    def inside(self) -> "Metric":
        """The metric of sub-steps: kappa is 0, and dependencies are found by ``auto``."""
        return self.changed(kappa=0.0, dependencies="auto")

    @cached_property
    def weighed(self) -> frozenset[str]:
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
        """The settings of arrays as one array, as core/packing.hpp reads them."""
        config = self.config
        apart = 1.0 if config.mass == "relative" else APART
        penalties = config.lambda_agent, config.lambda_reference
        by_mass = float(config.criticality == "mass")
        return np.array([config.theta, *penalties, config.kappa, by_mass, UNLIKE, apart, ALIKE])

    def moving_cost(self, cost: T) -> T:
        """Returns what it costs to move mass between steps at a node cost, or an array of these."""
        return cost if self.config.mass == "relative" else cost_apart(cost)

    @cached_property
    def unrelated_cost(self) -> Mapping[str, float] | None:
        """What matched steps of unrelated tasks cost, by field, where it is known."""
        if self.config.unrelated_cost is not None:
            return {str(name): cost for name, cost in self.config.unrelated_cost.items()}
        return unrelated_costs(self.node_cost.fields, self.encoder.name)

    def unrelated_loss(
        self, weights: Mapping[str, float], run: float = 1.0, reference: float = 1.0
    ) -> float | None:
        """Returns the loss of an unrelated run over fields with these weights.

        None where what a field costs between unrelated tasks is not known. ``run`` and
        ``reference`` are the masses of both sides; no run is worse than one of mass 1 on either.
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
