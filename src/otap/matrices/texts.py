"""The distance of texts."""

from collections.abc import Sequence
from itertools import count

import numpy as np
import numpy.typing as npt

from otap.encoders import Encoder
from otap.matrices.pairs import MOST, KnownPairs, Numbers

Matrix = npt.NDArray[np.float64]

_NUMBERS = Numbers(1 << 22)


class TextDistances:
    """Distances between texts: cosine distance of their vectors, clipped to [0, 1].

    Equal texts cost exactly 0; an empty text costs 1 against any other.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._known = KnownPairs()

    def prepare(self, texts: Sequence[str]) -> None:
        """Works out the vectors of texts in one go, for the encoder's cache."""
        if texts:
            self._encoder.encode(list(texts))

    def between(self, rows: Sequence[str], columns: Sequence[str]) -> Matrix:
        """Returns the distances of two lists of texts, shape (len(rows), len(columns))."""
        if not rows or not columns:
            return np.zeros((len(rows), len(columns)))
        if len(rows) * len(columns) > MOST:
            return self._compared(rows, columns)
        return self._known.among(
            list(map(_NUMBERS.__getitem__, rows)),
            list(map(_NUMBERS.__getitem__, columns)),
            lambda i, j: self._compared(
                [*map(rows.__getitem__, i)], [*map(columns.__getitem__, j)]
            ),
        )

    def distance(self, a: str, b: str) -> float:
        """Returns the distance of two texts, the same as :meth:`between` has it."""
        if a == b or not a or not b:
            return float(a != b)
        first, second = self._encoder.encode([a, b])
        cosine = float(np.einsum("id,jd->ij", first[None], second[None])[0, 0])
        return min(max(1.0 - cosine, 0.0), 1.0)

    def _compared(self, rows: Sequence[str], columns: Sequence[str]) -> Matrix:
        """The distances by the vectors; each text is looked at once."""
        left = dict(zip(dict.fromkeys(rows), count(), strict=False))
        right = dict(zip(dict.fromkeys(columns), count(), strict=False))
        vectors = self._encoder.encode([*left, *right])
        cosines = np.einsum("id,jd->ij", vectors[: len(left)], vectors[len(left) :])
        distances: Matrix = np.minimum(np.maximum(1.0 - cosines, 0.0), 1.0)
        if "" in left:
            distances[left[""]] = 1.0
        if "" in right:
            distances[:, right[""]] = 1.0
        for text in left.keys() & right.keys():
            distances[left[text], right[text]] = 0.0
        if len(left) == len(rows) and len(right) == len(columns):
            return distances
        places = [*map(left.__getitem__, rows)], [*map(right.__getitem__, columns)]
        return distances[np.ix_(*places)]
