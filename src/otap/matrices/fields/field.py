"""The abstract base class of a field: what each module beside this one says of its field."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Generic, Literal, NamedTuple, TypeVar

import numpy as np
from pydantic import JsonValue

from otap.matrices.pairs import KnownPairs
from otap.matrices.texts import Matrix, TextDistances
from otap.matrices.tools import ToolTable
from otap.trajectory import Step
from otap.transport import assignment
from otap.values.distance import ValueDistances
from otap.values.rules import Rules

if TYPE_CHECKING:
    from otap.matrices.bounds import UnionBounds
    from otap.matrices.steps import ReadSteps

T = TypeVar("T")


class OfParts(NamedTuple):
    """The distances of the steps that unions are made of from the steps of the other side.

    least: that of the nearest part of each union, (unions, columns).
    anywhere: that of the nearest step of the unions' side, part of a union or not, (columns,).
    """

    least: Matrix
    anywhere: Matrix


class Measures:
    """The distances that fields are made of: of texts, of structured data, of tools."""

    def __init__(self, texts: TextDistances, tools: ToolTable) -> None:
        self.texts, self.tools = texts, tools
        self.structured = ValueDistances(texts, assignment, KnownPairs)


class Field(ABC, Generic[T]):
    """One field of a step; ``T`` is the form in which its values are compared.

    name: the attribute of a step, the weight in the configuration and the part of the loss.
    unrelated: the cost of this field between matched steps of unrelated tasks, in [0, 1], by the
        name of the encoder: medians over 400 pairs of real tasks, measured by
        ``reproduction/studies/unrelated_cost.py``, which names its data.
    follows_parts: whether the distance of a union is read off that of its parts.
    union_bound: how the native core bounds the similarity of unions: by the texts of the parts,
        where a call's is no less than that of the call; key by key; by the nearer part or the
        arguments; by the sum of both parts. None: it has no bound, and the core is not asked.
    """

    name: ClassVar[str]
    unrelated: ClassVar[Mapping[str, float]]
    follows_parts: ClassVar[bool] = False
    union_bound: ClassVar[Literal["texts", "call", "keys", "tool", "parts"] | None] = None

    def is_recorded(self, step: Step) -> bool:
        """Whether a step records this field."""
        return getattr(step, self.name) is not None

    def is_common(self, rows: ReadSteps, columns: ReadSteps) -> bool:
        """Whether the field was observed on both sides of a pair, and so takes part."""
        return rows.records(self) and columns.records(self)

    @abstractmethod
    def read(self, step: Step, rules: Rules | None) -> T:
        """Returns the value of a step in the form in which it is compared.

        Args:
            step: the step.
            rules: how the arguments of the step's tool are compared; None: by no rule.
        """

    def gather(self, values: Sequence[T], parts: Sequence[T]) -> None:
        """Lets the values of all steps of one run know of each other.

        Args:
            values: as :meth:`read` returns them.
            parts: those of the steps of which these are unions; none where they are no unions.
        """

    @abstractmethod
    def distances(self, rows: Sequence[T], columns: Sequence[T], by: Measures) -> Matrix:
        """Returns the distances of two lists of values, (len(rows), len(columns)), in [0, 1].

        Args:
            rows: values of the run's steps, as :meth:`read` returns them.
            columns: the same of the reference's.
            by: the distances to use.
        """

    @abstractmethod
    def union(self, values: Sequence[JsonValue]) -> JsonValue:
        """Returns the value of a union of steps.

        Args:
            values: the values of its parts, in their order; None where a part records none.
        """

    def distances_from_parts(self, parts: OfParts, known: Mapping[str, Matrix]) -> Matrix:  # noqa: ARG002
        """Returns the distances of unions from steps, for a field that follows its parts.

        Args:
            parts: the distances of the parts.
            known: the distances of the unions in the fields before this one.
        """
        return parts.least

    @abstractmethod
    def similarity_of_unions(self, bounds: UnionBounds) -> Matrix:
        """Returns an upper bound of the similarity, 1 - distance, of unions before they are made.

        Shape (pairs of rows, columns); see :class:`otap.matrices.bounds.UnionBounds`.
        """


def similarity_of_parts(least: Matrix, left: np.ndarray, right: np.ndarray) -> Matrix:
    """Returns the similarity of the nearer of two parts to each column.

    Args:
        least: the distances of all rows from the columns.
        left: the row of the first part of each pair.
        right: the row of the second part.
    """
    similarity: Matrix = 1.0 - np.minimum(least[left], least[right])
    return similarity
