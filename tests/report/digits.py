"""The numbers of a score as a view must show them, so that no two views differ in a digit."""

import re
from collections.abc import Iterator

from otap import _numbers
from otap.report.model.alignment_report import list_parts
from otap.scoring import Explanation, Score, Side

_NUMBER = re.compile(r"(?<![\w.\-])\d+\.\d+(?:e-\d+)?(?![\w.])")


def shown_digits(score: Score) -> dict[str, str]:
    """The numbers that every view of a score has, as they are written, by their keys in JSON."""
    return {
        name: _numbers.score_text(value)
        for name in ("score", "skill", "precision", "recall")
        if (value := getattr(score, name)) is not None
    }


def assert_same_digits(text: str, explained: Explanation) -> None:
    """A view has the numbers that all have, and no number but those that JSON has, rounded.

    Args:
        text: the view, without markup.
        explained: what it shows.
    """
    for name, digits in shown_digits(explained.score).items():
        assert digits in text, name
    recorded = {number for one in _texts(explained) for number in _NUMBER.findall(one)}
    known = {digits for value in _numbers_of(explained) for digits in _written(value)}
    known.add("0.9")  # the factor of a critical finding
    assert set(_NUMBER.findall(text)) - known - recorded == set()


def _texts(explained: Explanation) -> Iterator[str]:
    """What numbers stand in without being the score's: both traces, and how the score was made."""
    yield from (str(explained.score.signature), str(explained.score.conditions))
    for one in explained.against:
        yield from (side.recorded.model_dump_json() for side in (one.run, one.reference))


def _numbers_of(explained: Explanation) -> Iterator[float]:
    """Every number of the record, and of what it was read off."""
    for one in (explained, *explained.against):
        yield from _in_record(one.score)
    for against in explained.against:
        yield from (part.loss for part in list_parts(against.score, against.calculation))
        yield from _together(against.score)
        yield from _of_side(against.run)
        yield from _of_side(against.reference)
        for found in against.details.values():
            yield from found.fields.values()
            yield sum(found.fields.values())  # the cost of a pair between which no mass may move


def _together(score: Score) -> Iterator[float]:
    """The mass that each step shares with all its counterparts."""
    pairs = score.alignment.pairs
    for step in {pair.agent for pair in pairs}:
        yield sum(pair.mass for pair in pairs if pair.agent == step)
    for step in {pair.reference for pair in pairs}:
        yield sum(pair.mass for pair in pairs if pair.reference == step)


def _of_side(side: Side) -> Iterator[float]:
    yield from side.weights
    yield from (edge.confidence for edge in side.graph.edges)


def _in_record(score: Score) -> Iterator[float]:
    waiting: list[object] = [score.model_dump()]
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
    yield _numbers.two_digit_text(value)
    yield _numbers.loss_text(value)
