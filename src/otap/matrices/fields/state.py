"""The state: the environment after a step, as a mapping of properties or as text."""

from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from pydantic import JsonValue

from otap.matrices.contents import ReadOnce
from otap.matrices.fields.field import Field, Measures
from otap.matrices.texts import Matrix
from otap.trajectory import Step
from otap.values.distance import Compared
from otap.values.effort import set_run
from otap.values.rules import Rules
from otap.values.value import Value

if TYPE_CHECKING:
    from otap.matrices.bounds import UnionBounds

_VALUES: ReadOnce[Value] = ReadOnce(1 << 20)


class Environment(NamedTuple):
    """A recorded state as data, and whether it was given as a mapping of properties."""

    value: Value
    has_properties: bool


class State(Field[Environment]):
    """Two mappings: the share of properties that differ, each compared as structure.

    Anything else, such as a page or a file, is compared as text. No corpus records states: between
    unrelated tasks they are taken to cost what effects do.
    """

    name = "state"
    union_bound = "parts"
    unrelated = {"wordllama-l2_supercat-256": 0.931, "all-MiniLM-L6-v2": 0.828}  # noqa: RUF012

    def read(self, step: Step, rules: Rules | None) -> Environment:  # noqa: ARG002
        """Returns the state of a step."""
        data = step.state
        value = copy(_VALUES.of(data, None, lambda: Value(data).settled()))
        return Environment(value, isinstance(data, dict))

    def gather(self, values: Sequence[Environment], parts: Sequence[Environment]) -> None:
        """Says to each value which run it belongs to."""
        set_run(*([state.value for state in some] for some in (values, parts)))

    def distances(
        self, rows: Sequence[Environment], columns: Sequence[Environment], by: Measures
    ) -> Matrix:
        """Returns the distances by property where both are mappings, else those of the texts."""
        ours, theirs = ([state.value for state in side] for side in (rows, columns))
        by_text = by.texts.between([value.text for value in ours], [v.text for v in theirs])
        by_property = by.structured.distances(ours, theirs, _distance)
        both = np.outer([s.has_properties for s in rows], [s.has_properties for s in columns])
        return np.where(both, by_property, by_text)

    def union(self, values: Sequence[JsonValue]) -> JsonValue:
        """Returns the state after the last step that records one."""
        return next((value for value in reversed(values) if value is not None), None)

    def similarity_of_unions(self, bounds: "UnionBounds") -> Matrix:
        """Returns the sum of both parts' similarities: a union has the state of one of them."""
        similarity: Matrix = np.minimum(bounds.summed_similarity(self.name), 1.0)
        return similarity


def _distance(found: Compared) -> Matrix:
    return found.distance
