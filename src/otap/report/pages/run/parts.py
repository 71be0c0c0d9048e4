"""The loss as a waterfall: part by part from 0 to all of it, the largest first."""

from collections.abc import Mapping
from typing import NamedTuple

from otap.scoring import Score

SMALLEST = 1e-12  # a part below it is rounding, and not shown
NAMES: Mapping[str, str] = {
    "reference_mass": "steps that are missing",
    "agent_mass": "steps that are extra",
    "arguments": "other values",
    "tool": "other tools",
    "action": "other words for what is done",
    "effect": "other results",
    "state": "another state afterwards",
    "structure": "another order",
    "told": "answers never told",
    "references": "spread over the references",
}


class Part(NamedTuple):
    """A part of the loss.

    Attributes:
        name: in plain words.
        value: of the part.
        share: of the whole loss, in [0, 1].
        start: the share of all parts before it.
    """

    name: str
    value: float
    share: float
    start: float


def parts(score: Score) -> list[Part]:
    """Returns the parts of a loss that are not nothing."""
    losses = {name: value for name, value in score.losses.model_dump().items() if value > SMALLEST}
    whole = sum(losses.values())
    found, start = [], 0.0
    for name, value in sorted(losses.items(), key=lambda item: -item[1]):
        found.append(Part(NAMES[name], value, value / whole, start))
        start += value / whole
    return found
