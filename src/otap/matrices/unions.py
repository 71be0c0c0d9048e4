"""Unions: several steps as one step, and the vector of a union of texts."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from otap.encoders import Encoder, Vectors, unit_rows
from otap.matrices.fields import Field
from otap.matrices.texts import JOINT
from otap.trajectory import Step


def union(steps: Sequence[Step], fields: Sequence[Field[Any]]) -> Step:
    """Returns the union of some steps as one step, field by field; the rest is the first one's.

    Args:
        steps: at least one, in the order in which they were needed.
        fields: say what a union has of its parts.
    """
    said = {f.name: f.union([getattr(step, f.name) for step in steps]) for f in fields}
    return steps[0].model_copy(update=said)


def content(step: Step, fields: Sequence[Field[Any]]) -> str:
    """Returns a sort key of a step, its tool first; equal for steps with equal fields."""
    rest = (getattr(step, field.name) for field in fields if field.name != "tool")
    return json.dumps([step.tool, *rest], sort_keys=True)


class UnionEncoder:
    """An encoder for which a union of texts is the sum of their vectors, scaled to length 1."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self.name, self.digest, self.window = encoder.name, encoder.digest, encoder.window

    def encode(self, texts: list[str]) -> Vectors:
        """Returns one unit row a text."""
        return unit_rows(self.sums(texts))

    def sums(self, texts: list[str]) -> Vectors:
        """Returns the sum of the vectors of each text's parts."""
        if not any(JOINT in text for text in texts):
            return self._encoder.encode(texts)
        parts = [text.split(JOINT) for text in texts]
        rows = self._encoder.encode([part for found in parts for part in found])
        starts = np.cumsum([0, *(len(found) for found in parts[:-1])])
        return np.add.reduceat(rows, starts, axis=0)
