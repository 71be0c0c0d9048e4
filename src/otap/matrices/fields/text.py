"""A field that is compared as one text, by the vectors of what it says."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pydantic import JsonValue

from otap.matrices.contents import ReadOnce
from otap.matrices.fields.field import Field, Measures
from otap.matrices.texts import Matrix, joined_texts
from otap.trajectory import Step
from otap.values.rules import Rules
from otap.values.value import text_of

if TYPE_CHECKING:
    from otap.matrices.bounds import UnionBounds

_TEXTS: ReadOnce[str] = ReadOnce(1 << 22)


class TextField(Field[str]):
    """A field whose distance is the cosine distance of its texts (eq. 1 of [Barazandeh2026])."""

    def read(self, step: Step, rules: Rules | None) -> str:  # noqa: ARG002
        """Returns the one text that stands for the value; empty where none is recorded."""
        data = getattr(step, self.name)
        return "" if data is None else _TEXTS.of(data, None, lambda: text_of(data))

    def distances(self, rows: Sequence[str], columns: Sequence[str], by: Measures) -> Matrix:
        """Returns the cosine distances of the texts."""
        return by.texts.between(rows, columns)

    def union(self, values: Sequence[JsonValue]) -> JsonValue:
        """Returns the texts as one, of which the vector is the sum of theirs."""
        return joined_texts(values)

    def similarity_of_unions(self, bounds: "UnionBounds") -> Matrix:
        """Returns the similarity of the joined texts, which is exact but for rounding."""
        return bounds.of_words(self.name, bounds.rows.of(self), bounds.columns.of(self))
