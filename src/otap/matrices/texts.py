"""The distance of texts, and the one text that stands for a piece of data."""

import json
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
from pydantic import JsonValue

from otap.dependencies.values import parsed
from otap.encoders import Encoder

Matrix = npt.NDArray[np.float64]

# Separates the texts of a union. A text that holds it itself is taken for several: no harm is done.
JOINT = "\x1f"


def text_of(data: JsonValue) -> str:
    """Returns the text by which data is compared: JSON with sorted keys; None is empty.

    Text that is itself a JSON object or list is treated as that; other text loses the spaces at
    its ends.
    """
    data = plain(data)
    if data is None:
        return ""
    if isinstance(data, str):
        return data
    return json.dumps(data, sort_keys=True, ensure_ascii=False, separators=(", ", ": "))


def plain(data: JsonValue) -> JsonValue:
    """Returns the JSON object or list that a text holds, or the text without spaces at its ends."""
    if not isinstance(data, str):
        return data
    value = parsed(data)
    return value.strip() if isinstance(value, str) else value


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

    def prepare(self, texts: Sequence[str]) -> None:
        """Works out the vectors of texts in one go, for the encoder's cache."""
        if texts:
            self._encoder.encode(list(texts))

    def between(self, rows: Sequence[str], columns: Sequence[str]) -> Matrix:
        """Returns the distances of two lists of texts, shape (len(rows), len(columns))."""
        if not rows or not columns:
            return np.zeros((len(rows), len(columns)))
        unique = sorted({*rows, *columns})  # sorted, so that the order of steps changes nothing
        place = {text: index for index, text in enumerate(unique)}
        left, right = sorted({place[row] for row in rows}), sorted({place[c] for c in columns})
        distances = self._distances(unique, left, right)
        at_left = {index: k for k, index in enumerate(left)}
        at_right = {index: k for k, index in enumerate(right)}
        spread: Matrix = distances[[at_left[place[row]] for row in rows]][
            :, [at_right[place[column]] for column in columns]
        ]
        return spread

    def distance(self, a: str, b: str) -> float:
        """Returns the distance of two texts, the same as :meth:`between` has it."""
        if a == b or not a or not b:
            return float(a != b)
        first, second = self._encoder.encode([a, b])
        cosine = float(np.einsum("id,jd->ij", first[None], second[None])[0, 0])
        return min(max(1.0 - cosine, 0.0), 1.0)

    def _distances(self, unique: list[str], left: list[int], right: list[int]) -> Matrix:
        vectors = self._encoder.encode(unique)
        cosines = np.einsum("id,jd->ij", vectors[left], vectors[right])
        distances: Matrix = np.minimum(np.maximum(1.0 - cosines, 0.0), 1.0)
        if not unique[0]:  # the empty text, which sorts first
            distances[[index == 0 for index in left]] = 1.0
            distances[:, [index == 0 for index in right]] = 1.0
        both = {index: k for k, index in enumerate(right)}
        for k, index in enumerate(left):
            if index in both:
                distances[k, both[index]] = 0.0
        return distances
