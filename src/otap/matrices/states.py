"""The distance of recorded states: properties of a mapping one by one, text by its vectors."""

import numpy as np

from otap.matrices.fields import Fields
from otap.matrices.structured import StructuredDistances
from otap.matrices.texts import Matrix, TextDistances


def state_distances(
    rows: Fields, columns: Fields, texts: TextDistances, structured: StructuredDistances
) -> Matrix:
    """Returns the distances of the states of two lists of steps, in [0, 1].

    Two mappings: the share of properties that differ, each compared as structure. Anything else,
    such as a page or a file, is compared as text.
    """
    by_text = texts.between(rows.state_texts, columns.state_texts)
    by_property = structured.between_values(rows.states, columns.states)
    both = np.outer(
        [isinstance(step.state, dict) for step in rows.steps],
        [isinstance(step.state, dict) for step in columns.steps],
    )
    return np.where(both, by_property, by_text)
