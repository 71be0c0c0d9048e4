"""The parts of a loss in the words of people: what a run lost its score to."""

from collections.abc import Mapping
from typing import NamedTuple

from otap.scoring import Score

SMALLEST = 1e-12  # a part below it is rounding, and not shown
WORDS: Mapping[str, str] = {
    "action": "wording",
    "arguments": "values",
    "effect": "results",
    "tool": "tools",
    "structure": "order",
    "agent_mass": "extra steps",
    "reference_mass": "missing steps",
    "told": "answers not told",
    "references": "other references",
}


class Part(NamedTuple):
    """A part of the loss.

    Attributes:
        name: its key in the record.
        word: what people call it.
        loss: what it costs.
        share: of the whole loss, in [0, 1].
    """

    name: str
    word: str
    loss: float
    share: float


def parts(score: Score) -> list[Part]:
    """Returns the parts of a loss that are more than rounding, the largest first."""
    found = [
        Part(name, WORDS.get(name, name), value, value / score.loss)
        for name, value in score.losses.model_dump().items()
        if value > SMALLEST
    ]
    return sorted(found, key=lambda part: -part.loss)
