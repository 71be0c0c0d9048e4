"""The numbers of a score as a view must show them, so that no two views differ in a digit."""

import re
from collections.abc import Iterator

from otap import _numbers
from otap.scoring import Score

_NUMBER = re.compile(r"(?<![\w.\-])\d+\.\d+(?:e-\d+)?(?![\w.])")


def shown_digits(score: Score) -> dict[str, str]:
    """The numbers that every view of a score has, as they are written, by their keys in JSON."""
    return {
        name: _numbers.score_text(value)
        for name in ("score", "skill", "precision", "recall")
        if (value := getattr(score, name)) is not None
    }


def assert_same_digits(text: str, score: Score) -> None:
    """A view has the numbers that all have, and no number but those that JSON has, rounded.

    Args:
        text: the view, without markup; without the lines that say how the number was made.
        score: what it shows. Its steps have no decimals of their own.
    """
    for name, digits in shown_digits(score).items():
        assert digits in text, name
    known = {digits for value in _numbers_of(score) for digits in _written(value)}
    assert set(_NUMBER.findall(text)) - known == set()


def _numbers_of(score: Score) -> Iterator[float]:
    """Every number of the record."""
    waiting: list[object] = [score.model_dump(exclude={"signature"})]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, (list, tuple)):
            waiting += one
        elif isinstance(one, (int, float)):
            yield float(one)


def _written(value: float) -> Iterator[str]:
    yield _numbers.score_text(value)
    yield _numbers.brief_text(value)
    yield _numbers.loss_text(value)
