"""The distance of structured data: keys and leaves, compared one by one.

Objects: the mean over the union of their keys, a key that only one has costs 1. Lists: the
cheapest alignment that keeps their order, a member left over costs 1, divided by the longer
length. Leaves: identifiers, numbers, dates and single words are equal or not; text of several
words costs its embedding distance. Different types cost 1, but 1, 1.0 and "1" are the same, and
so are true and "true".
"""

import re
from collections.abc import Iterator, Sequence

import numpy as np
from pydantic import JsonValue

from otap.matrices.texts import Matrix, TextDistances, plain, text_of

LONGEST_LIST = 100  # members; longer lists are compared as texts
_WORDS = re.compile(r"[^\W\d_]{2,}")
_NUMBER = re.compile(r"[+-]?\d{1,15}(\.\d+)?\Z")


class StructuredDistances:
    """Distances between pieces of structured data, in [0, 1]."""

    def __init__(self, texts: TextDistances) -> None:
        self._texts = texts
        self._prose: dict[tuple[str, str], float] = {}

    def between(self, rows: Sequence[JsonValue], columns: Sequence[JsonValue]) -> Matrix:
        """Returns the distances of two lists of data, shape (len(rows), len(columns))."""
        rows, columns = [plain(row) for row in rows], [plain(column) for column in columns]
        self._compare_prose(rows, columns)
        known: dict[tuple[str, str], float] = {}
        keys = [text_of(value) for value in columns]
        distances = np.zeros((len(rows), len(columns)))
        for i, row in enumerate(rows):
            row_key = text_of(row)
            for j, column in enumerate(columns):
                pair = (row_key, keys[j])
                if pair not in known:
                    known[pair] = 0.0 if row_key == keys[j] else self._distance(row, column)
                distances[i, j] = known[pair]
        return distances

    def _compare_prose(self, rows: Sequence[JsonValue], columns: Sequence[JsonValue]) -> None:
        """Looks up all text leaves in one call of the encoder."""
        left = sorted({text for row in rows for text in _prose(row)})
        right = sorted({text for column in columns for text in _prose(column)})
        matrix = self._texts.between(left, right)
        self._prose = {
            (a, b): float(matrix[i, j]) for i, a in enumerate(left) for j, b in enumerate(right)
        }

    def _distance(self, a: JsonValue, b: JsonValue) -> float:
        if _is_empty(a) or _is_empty(b):
            return float(_is_empty(a) != _is_empty(b))
        if isinstance(a, dict) and isinstance(b, dict):
            return self._objects(a, b)
        if isinstance(a, list) and isinstance(b, list):
            shorter, longer = sorted((len(a), len(b)))
            if longer <= LONGEST_LIST:
                return self._lists(a, b)
            if shorter <= LONGEST_LIST:  # its text is not among the prose
                return float(self._texts.between([text_of(a)], [text_of(b)])[0, 0])
        return self._leaves(text_of(a), text_of(b), same_kind=_container(a) == _container(b))

    def _objects(self, a: dict[str, JsonValue], b: dict[str, JsonValue]) -> float:
        total = sum(self._distance(a.get(key), b.get(key)) for key in sorted({*a, *b}))
        return total / len({*a, *b})

    def _lists(self, a: list[JsonValue], b: list[JsonValue]) -> float:
        above = list(range(len(b) + 1))  # cost of aligning the rows so far with each prefix of b
        costs: list[float] = [float(cost) for cost in above]
        for row, member in enumerate(a, 1):
            previous, costs = costs, [float(row)]
            for column, other in enumerate(b, 1):
                aligned = previous[column - 1] + self._distance(member, other)
                costs.append(min(aligned, previous[column] + 1, costs[column - 1] + 1))
        return costs[-1] / max(len(a), len(b))

    def _leaves(self, a: str, b: str, same_kind: bool) -> float:
        if _canonical(a) == _canonical(b):
            return 0.0
        return self._prose.get((a, b), 1.0) if same_kind else 1.0


def is_prose(text: str) -> bool:
    """Says whether a text means what its words mean: two words or more, mostly letters."""
    words = _WORDS.findall(text)
    return len(words) >= 2 and " " in text and 2 * sum(map(len, words)) > len(text)


def _prose(data: JsonValue) -> Iterator[str]:
    """Yields the text leaves of ``data`` that are compared by their meaning."""
    if isinstance(data, dict):
        for value in data.values():
            yield from _prose(value)
    elif isinstance(data, list):
        if len(data) > LONGEST_LIST:
            yield text_of(data)
        for value in data:
            yield from _prose(value)
    elif isinstance(data, str) and is_prose(data):
        yield text_of(data)


def _container(data: JsonValue) -> type | None:
    return type(data) if isinstance(data, (dict, list)) else None


def _is_empty(data: JsonValue) -> bool:
    return data in (None, [], {}) or (isinstance(data, str) and not data.strip())


def _canonical(text: str) -> str:
    return f"{float(text):.15g}" if _NUMBER.match(text) else text
