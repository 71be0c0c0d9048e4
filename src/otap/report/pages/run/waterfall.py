"""The loss as a waterfall: part by part from 0 to all of it, the largest first."""

from itertools import accumulate
from typing import NamedTuple

from otap.report.story.parts import Part, parts
from otap.scoring import Score


class Fall(NamedTuple):
    """A part of the loss, and the share of all parts before it."""

    part: Part
    start: float


def waterfall(score: Score) -> list[Fall]:
    """Returns the parts of a loss, each where the one before it ends."""
    found = parts(score)
    starts = accumulate((part.share for part in found), initial=0.0)
    return [Fall(part, start) for part, start in zip(found, starts, strict=False)]
