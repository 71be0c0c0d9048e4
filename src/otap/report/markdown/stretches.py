"""The rows of an alignment with its dull parts in one: what differs is seen, and what is beside."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from otap._numbers import number_text
from otap.report.story.rows import RELATIONS, Row
from otap.report.story.signs import SIGNS

WHOLE = 8  # so many rows are shown one by one, whatever they say


@dataclass(frozen=True)
class Stretch:
    """Neighbouring rows that are dull.

    Attributes:
        rows: in their order, two at least.
    """

    rows: tuple[Row, ...]

    @property
    def steps(self) -> Mapping[str, int]:
        """How many steps of each side are in it."""
        return {
            "run": sum(len(row.run) for row in self.rows),
            "reference": sum(len(row.reference) for row in self.rows),
        }

    @property
    def words(self) -> str:
        """How the steps stand to each other: 5 same, 2 extra."""
        found = [row.relation for row in self.rows]
        counts = [(found.count(one), SIGNS[one].word) for one in RELATIONS]
        return ", ".join(f"{number_text(count)} {word}" for count, word in counts if count)


def folded(rows: Sequence[Row]) -> list[Row | Stretch]:
    """Returns the rows; where they are many, what is dull and beside nothing else as stretches."""
    if len(rows) <= WHOLE:
        return list(rows)
    seen = [not row.is_dull for row in rows]
    near = [any(seen[max(0, k - 1) : k + 2]) for k in range(len(rows))]
    parts: list[Row | Stretch] = []
    for shown, part in groupby(zip(near, rows, strict=True), key=lambda pair: pair[0]):
        found = tuple(row for _, row in part)
        parts += found if shown or len(found) == 1 else [Stretch(found)]
    return parts
