"""The metric of one scorer: shared state of its comparisons, and the aggregate of their losses."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from otap._caching import cached_property
from otap.config import Config
from otap.costs import (
    MAX_ANCHOR_COST,
    MAX_MOVING_COST,
    UNLIKE,
    NodeCost,
    ToolTable,
)
from otap.costs.merging import MergedCost
from otap.costs.nodes import PreparedNodes
from otap.encoders import Encoder
from otap.paper import Algorithm, SoftMinimum
from otap.run.columns import FIELDS
from otap.run.settings import RunSettings
from otap.run.store import PreparedRuns

TIE = 1e-12  # smaller differences of losses are rounding


def find_least(losses: Sequence[float]) -> int:
    """Returns the index of the least of at least one loss; the first on a tie."""
    most = min(losses) + TIE
    return next(index for index, loss in enumerate(losses) if loss <= most)


def best_reference(losses: Sequence[float]) -> SoftMinimum:
    """Returns the least of at least one loss, which has all the weight."""
    weights = np.zeros(len(losses))
    weights[find_least(losses)] = 1.0
    return SoftMinimum(min(losses), weights, 0.0)


class Metric:
    """The settings, the encoder, the costs of steps that follow, and the runs prepared so far.

    Args:
        config: the settings.
        encoder: returns the vectors of texts.

    Attributes:
        paper: the paper's metric, if the settings choose it.
    """

    def __init__(self, config: Config, encoder: Encoder) -> None:
        self.config, self.encoder = config, encoder
        substitutes = [(group.tools, group.distance) for group in config.substitutes]
        self.tools = ToolTable(
            substitutes, failures_apart=config.recognise, reads_verbs=config.recognise
        )
        self.run_settings = RunSettings(config)
        self.paper = Algorithm(config, encoder, self.tools) if config.paper else None
        self.runs = self.paper.runs if self.paper else PreparedRuns(self.run_settings)
        self.nodes = PreparedNodes()
        self._weights: dict[frozenset[str], Mapping[str, float]] = {}
        default_cost = NodeCost(encoder, self.tools)
        self.node_cost = self.paper.node_cost if self.paper else default_cost
        self.merged_cost = MergedCost(default_cost, keeps_verbs=config.recognise)

    def with_settings(self, **settings: object) -> "Metric":
        """Returns the metric with other settings and no prepared runs."""
        return Metric(self.config.model_copy(update=settings), self.encoder)

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
        penalties = config.lambda_agent, config.lambda_reference
        by_mass = 0.0  # criticality multiplies penalties
        costs = UNLIKE, MAX_MOVING_COST, MAX_ANCHOR_COST
        return np.array([config.theta, *penalties, config.kappa, by_mass, *costs])

    def aggregate(self, losses: Sequence[float]) -> SoftMinimum:
        """Returns the loss over all references, and how it divides among them."""
        return self.paper.soft_minimum(losses) if self.paper else best_reference(losses)
