"""Bounds of unions: how similar a union of two steps can be to each step of the other side.

Making unions and comparing them with every step of the other side takes longer than all else, and
hardly any union of unrelated steps helps. The bounds say which ones cannot, before they are made.
"""

from collections.abc import Iterator, Sequence
from copy import copy
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from otap.matrices.costs import FieldCosts, NodeCost
from otap.matrices.steps import ReadSteps
from otap.matrices.texts import JOINT, Matrix, joined
from otap.matrices.unions import UnionEncoder

_SLACK = 1e-6  # what rounding may add to the similarity of two texts
_ROUNDING = 1e-8  # and to a cost
_ENTRIES = 1 << 17  # of a matrix that is held at once


class Promising(NamedTuple):
    """Two rows whose union could stand for a column, and the columns that decide whether it does.

    parts: the two rows; columns: all to which the union could be as near as to the nearest one.
    gain: by how much closer to a column than its parts it could be at most.
    """

    parts: tuple[int, int]
    columns: list[int]
    gain: float


class UnionBounds:
    """Upper bounds of the similarity, 1 - cost, of unions of two rows to the columns.

    Matrices have the shape (number of pairs, number of columns), entries in [0, 1].

    Args:
        rows: the steps of which unions could be made.
        columns: the steps that they could stand for.
        pairs: the two rows of each union.
        costs: the costs between rows and columns.
        node_cost: how unions are compared with steps.
    """

    def __init__(
        self,
        rows: ReadSteps,
        columns: ReadSteps,
        pairs: Sequence[tuple[int, int]],
        costs: FieldCosts,
        node_cost: NodeCost,
    ) -> None:
        self.rows, self.columns, self.pairs = rows, columns, pairs
        self.left, self.right = np.array(pairs).T
        self._costs, self._texts = costs, node_cost.texts_of_unions
        self._words = node_cost.words_of_unions
        self._fields = {f.name: f for f in node_cost.fields if f.name in costs.distances}
        self._known: dict[str, Matrix] = {}
        self._sums: dict[str, _Sums] = {}

    def promising(self, wholes: Sequence[int], margin: float) -> list[Promising]:
        """Returns the pairs whose union could stand for a column.

        It must be able to be closer to that column than both of its parts, by ``margin``, and
        closer than they are to any other column.

        Args:
            wholes: the columns that a union may stand for.
            margin: the least gain in node cost.
        """
        return [found for part in self._blocks() for found in part._promising(wholes, margin)]

    def _blocks(self) -> Iterator["UnionBounds"]:
        """The bounds of some pairs at a time, whose matrices are small."""
        size = max(1, _ENTRIES // len(self.columns.steps))
        for start in range(0, len(self.pairs), size):
            part = copy(self)
            part.pairs = self.pairs[start : start + size]
            part.left, part.right = np.array(part.pairs).T
            part._known = {}
            yield part

    def _promising(self, wholes: Sequence[int], margin: float) -> list[Promising]:
        C = self._costs.total
        nearest = np.minimum(C[self.left], C[self.right])
        parts = [
            self._costs.weights[name] * self.similarity(name) for name in self._costs.distances
        ]
        least = (1.0 - np.sum(parts, axis=0))[:, wholes]
        most = np.minimum(nearest - margin, _elsewhere(nearest))[:, wholes]
        could = least < most
        may = np.max(most, axis=1, where=could, initial=-1.0)
        gains = np.max(nearest[:, wholes] - least, axis=1, where=could, initial=0.0)
        near, places = least <= may[:, None] + _ROUNDING, np.array(wholes)
        return [
            Promising(self.pairs[k], places[near[k]].tolist(), gain)
            for k, gain in enumerate(gains.tolist())
            if gain > 0
        ]

    def has(self, name: str) -> bool:
        """Whether a field takes part in the costs."""
        return name in self._fields

    def similarity(self, name: str) -> Matrix:
        """Returns the upper bound in one field, computed when it is first asked for."""
        if name not in self._known:
            self._known[name] = self._fields[name].similarity_of_unions(self)
        return self._known[name]

    def distances(self, name: str) -> Matrix:
        """Returns the distances between rows and columns in one field."""
        return self._costs.distances[name]

    def summed_similarity(self, name: str) -> Matrix:
        """Returns the sum of both parts' similarities to the columns in one field, in [0, 2]."""
        distances = self._costs.distances[name]
        similarities: Matrix = 2.0 - distances[self.left] - distances[self.right]
        return similarities

    def of_words(self, name: str, rows: Sequence[str], columns: Sequence[str]) -> Matrix:
        """Returns the similarity of unions of the words of a field, by the vectors of the parts.

        Args:
            name: the field.
            rows: what each row says in it.
            columns: what each column says.
        """
        if name not in self._sums:
            self._sums[name] = _Sums.of(self._words, rows, columns)
        found = self._sums[name].similarity(self.left, self.right)
        again = [k for k, (i, j) in enumerate(self.pairs) if _share_parts(rows[i], rows[j])]
        if again:  # what both say counts once
            found[again] = self.of_texts(rows, columns, [self.pairs[k] for k in again])
        return found

    def of_texts(
        self, rows: Sequence[str], columns: Sequence[str], pairs: Sequence[tuple[int, int]]
    ) -> Matrix:
        """Returns the similarity of unions of texts to the columns' texts, which is exact.

        Args:
            rows: the texts of which unions are made.
            columns: the texts that they are compared with.
            pairs: the two rows of each union.
        """
        unions = [joined([rows[i], rows[k]]) for i, k in pairs]
        return 1.0 - self._texts.between(unions, columns) + _SLACK


class _Sums(NamedTuple):
    """The vectors of the rows of a field, and their inner products with those of the columns.

    vectors: that of a union is the sum of its parts', (rows, dimension); zeros for an empty text.
    products: with the columns' unit vectors, (rows, columns).
    """

    vectors: npt.NDArray[np.float64]
    products: Matrix

    @classmethod
    def of(cls, encoder: UnionEncoder, rows: Sequence[str], columns: Sequence[str]) -> "_Sums":
        """The sums of some texts."""
        said = np.array([[bool(row)] for row in rows])
        vectors = encoder.sums(list(rows)) * said
        return cls(vectors, vectors @ encoder.encode(list(columns)).T)

    def similarity(self, left: npt.NDArray[np.intp], right: npt.NDArray[np.intp]) -> Matrix:
        """The similarity of unions of two rows; 1 where their vectors cancel out."""
        length = np.linalg.norm(self.vectors[left] + self.vectors[right], axis=1)
        cancelled = length < _SLACK
        found: Matrix = self.products[left] + self.products[right]
        found /= np.where(cancelled, 1.0, length)[:, None]
        found[cancelled] = 1.0
        return np.clip(found + _SLACK, 0.0, 1.0, out=found)


def _share_parts(one: str, other: str) -> bool:
    """Whether two texts, one of which is that of a union, have a part in common."""
    if JOINT not in one and JOINT not in other:
        return False
    return not set(one.split(JOINT)).isdisjoint(other.split(JOINT))


def _elsewhere(rows: Matrix) -> Matrix:
    """Returns for each entry the least of the others in its row; 1 where there are none."""
    least, second = np.partition(np.hstack([rows, np.ones((len(rows), 1))]), 1)[:, :2].T
    found: Matrix = np.where(rows == least[:, None], second[:, None], least[:, None])
    return found
