"""The distance of recorded states: properties of a mapping one by one, text by its vectors."""

from collections.abc import Sequence

import numpy as np
from pydantic import JsonValue

from otap.matrices.structured import StructuredDistances
from otap.matrices.texts import Matrix, TextDistances, text_of


def state_distances(
    rows: Sequence[JsonValue],
    columns: Sequence[JsonValue],
    texts: TextDistances,
    structured: StructuredDistances,
) -> Matrix:
    """Returns the distances of two lists of states, in [0, 1].

    Two mappings: the share of properties that differ, each compared as structure. Anything else,
    such as a page or a file, is compared as text.
    """
    by_text = texts.between([text_of(row) for row in rows], [text_of(state) for state in columns])
    by_property = structured.between(rows, columns)
    both = np.outer(
        [isinstance(row, dict) for row in rows], [isinstance(state, dict) for state in columns]
    )
    return np.where(both, by_property, by_text)
