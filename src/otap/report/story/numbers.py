"""The numbers of a score beside it, each with one sentence that says what it means."""

from typing import NamedTuple

from otap.scoring import Score

_CLOSE, _PARTLY, _FAR = 0.8, 0.5, 0.2  # scores from which on the next word holds


class Number(NamedTuple):
    """A number in [0, 1] with its name and what it means."""

    name: str
    value: float | None
    meaning: str


def closeness(score: Score) -> str:
    """Returns a score in words."""
    if score.score == 1:
        return "the same as the reference"
    words = (
        (_CLOSE, "close to the reference"),
        (_PARTLY, "partly like the reference"),
        (_FAR, "far from the reference"),
    )
    return next((word for bound, word in words if score.score >= bound), "hardly like it at all")


def numbers(score: Score) -> list[Number]:
    """Returns the numbers beside the score."""
    found = [
        Number("skill", score.skill, "0 has nothing to do with the task, 1 is the same"),
        Number("precision", score.precision, "how much of the run the reference has"),
        Number("recall", score.recall, "how much of the reference the run has"),
    ]
    if score.order_agreement is not None:
        meaning = "pairs of steps in the order of the reference's list; not part of the score"
        found.append(Number("in order", score.order_agreement, meaning))
    return found
