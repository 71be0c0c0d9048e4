"""The action: what the agent said it was about to do."""

from typing import TYPE_CHECKING

import numpy as np

from otap.matrices.fields.text import TextField
from otap.matrices.texts import Matrix

if TYPE_CHECKING:
    from otap.matrices.bounds import UnionBounds


class Action(TextField):
    """The wording of a step."""

    name = "action"
    union_bound = "call"
    unrelated = {"wordllama-l2_supercat-256": 0.938, "all-MiniLM-L6-v2": 0.910}  # noqa: RUF012

    def similarity_of_unions(self, bounds: "UnionBounds") -> Matrix:
        """Returns the similarity of the words, or that of the arguments where it is larger.

        Where wording is bounded, the action may cost as little as the arguments do.
        """
        own = super().similarity_of_unions(bounds)
        return np.maximum(own, bounds.similarity("arguments")) if bounds.has("arguments") else own
