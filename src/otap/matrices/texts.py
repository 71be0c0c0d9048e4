"""The distance of texts, and the one text that stands for a piece of data."""

import json
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
from pydantic import JsonValue

from otap.dependencies.values import parsed
from otap.encoders import Encoder

Matrix = npt.NDArray[np.float64]
Index = npt.NDArray[np.intp]


def text_of(data: JsonValue) -> str:
    """Returns one text for equal data: keys sorted, spaces at the ends dropped; None is empty.

    Text that is itself a JSON object or list is put into the same form as the data it says.
    """
    data = plain(data)
    if data is None:
        return ""
    if isinstance(data, str):
        return data
    return json.dumps(data, sort_keys=True, ensure_ascii=False, separators=(", ", ": "))


def plain(data: JsonValue) -> JsonValue:
    """Returns the object or list that a text says, or the text without spaces at its ends."""
    value = parsed(data)
    return value.strip() if isinstance(value, str) else value


class TextDistances:
    """Distances between texts: cosine distance of their vectors, clipped to [0, 1].

    Equal texts cost exactly 0; an empty text costs 1 against any other.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    def between(self, rows: Sequence[str], columns: Sequence[str]) -> Matrix:
        """Returns the distances of two lists of texts, shape (len(rows), len(columns))."""
        if not rows or not columns:
            return np.zeros((len(rows), len(columns)))
        unique, index = _unique([*rows, *columns])
        left, right = index[: len(rows)], index[len(rows) :]
        used_left, place_left = np.unique(left, return_inverse=True)
        used_right, place_right = np.unique(right, return_inverse=True)
        distances = self._distances(unique, used_left, used_right)
        return distances[np.ix_(place_left, place_right)]

    def _distances(self, unique: list[str], left: Index, right: Index) -> Matrix:
        vectors = self._encoder.encode(unique)
        cosines = np.einsum("id,jd->ij", vectors[left], vectors[right])
        distances: Matrix = np.clip(1.0 - cosines, 0.0, 1.0)
        empty = np.array([not text for text in unique])
        distances[empty[left][:, None] | empty[right][None, :]] = 1.0
        distances[left[:, None] == right[None, :]] = 0.0
        return distances


def _unique(texts: Iterable[str]) -> tuple[list[str], Index]:
    """Returns the different texts, sorted, so that the order of steps changes nothing."""
    texts = list(texts)
    unique = sorted(set(texts))
    place = {text: index for index, text in enumerate(unique)}
    return unique, np.array([place[text] for text in texts], dtype=np.intp)
