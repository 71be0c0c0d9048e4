"""The distance of texts."""

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
from pydantic import JsonValue

from otap.encoders import Encoder
from otap.matrices.pairs import MOST, KnownPairs, Numbers
from otap.values.value import JOINT as JOINT
from otap.values.value import text_of

Matrix = npt.NDArray[np.float64]


def joined(texts: Iterable[str]) -> str:
    """Returns the different texts in sorted order, so that listing order changes nothing."""
    found = {part for text in texts for part in text.split(JOINT)}
    return JOINT.join(sorted(found - {""}))


def joined_texts(values: Sequence[JsonValue]) -> str | None:
    """Returns the texts of some data as the text of a union; None where nothing is recorded."""
    return None if all(value is None for value in values) else joined(map(text_of, values))


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
            _NUMBERS.of(rows),
            _NUMBERS.of(columns),
            lambda i, j: self._compared([rows[k] for k in i], [columns[k] for k in j]),
        )

    def _compared(self, rows: Sequence[str], columns: Sequence[str]) -> Matrix:
        """The distances by the vectors; each text is looked at once."""
        left, right = list(dict.fromkeys(rows)), list(dict.fromkeys(columns))
        distances = self._distances(left, right)
        if len(left) == len(rows) and len(right) == len(columns):
            return distances
        ours, theirs = ({text: k for k, text in enumerate(side)} for side in (left, right))
        return distances[np.ix_([ours[row] for row in rows], [theirs[c] for c in columns])]

    def distance(self, a: str, b: str) -> float:
        """Returns the distance of two texts, the same as :meth:`between` has it."""
        if a == b or not a or not b:
            return float(a != b)
        first, second = self._encoder.encode([a, b])
        cosine = float(np.einsum("id,jd->ij", first[None], second[None])[0, 0])
        return min(max(1.0 - cosine, 0.0), 1.0)

    def _distances(self, left: list[str], right: list[str]) -> Matrix:
        vectors = self._encoder.encode([*left, *right])
        cosines = np.einsum("id,jd->ij", vectors[: len(left)], vectors[len(left) :])
        distances: Matrix = np.minimum(np.maximum(1.0 - cosines, 0.0), 1.0)
        place = {text: k for k, text in enumerate(right)}
        if "" in place:
            distances[:, place[""]] = 1.0
        for k, text in enumerate(left):
            if not text:
                distances[k] = 1.0
            if text in place:
                distances[k, place[text]] = 0.0
        return distances


# By characters, and what an entry takes besides.
_NUMBERS: Numbers[str] = Numbers(1 << 22, lambda text: len(text) + 100)
