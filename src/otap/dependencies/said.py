"""What the user had said before a step."""

import re

from otap.dependencies.values import is_date, is_number, tokens
from otap.trajectory import Trajectory

_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip


class Said:
    """The user's texts, cumulated, and how many of them came before each step.

    A step says so in ``metadata["said"]``; where it does not, everything counts as said before.
    """

    def __init__(self, trajectory: Trajectory) -> None:
        texts = [text.casefold() for text in trajectory.request]
        self._heard = [_count(step.metadata.get("said"), len(texts)) for step in trajectory.steps]
        self._texts = ["\n".join(texts[:count]) for count in range(len(texts) + 1)]
        self._tokens = [set(tokens(text)) for text in self._texts]

    def before(self, step: int, value: str) -> bool:
        """Says whether the user had said ``value`` before ``step``, in these or like words."""
        heard = self._heard[step]
        text, words = self._texts[heard], self._tokens[heard]
        if is_number(value):
            return value in words
        if is_date(value) and _date_said(value, text):
            return True
        return _contains(text, value.casefold()) or (_is_code(value) and _begins_word(text, value))


def _count(said: object, known: int) -> int:
    return min(said, known) if isinstance(said, int) and said >= 0 else known


def _contains(text: str, phrase: str) -> bool:
    """Whole words only: 'rs-44' is not said by 'rs-440'."""
    return bool(re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", text))


def _is_code(value: str) -> bool:
    return len(value) >= 3 and value.isalpha() and value.isupper()


def _begins_word(text: str, code: str) -> bool:
    """Who says Denver has said DEN."""
    return bool(re.search(rf"(?<!\w){re.escape(code.casefold())}", text))


def _date_said(date: str, text: str) -> bool:
    """'May 20', '20 May', '20th of May' and '5/20' say 2024-05-20."""
    _, month, day = (int(part) for part in date.split("-"))
    if not 1 <= month <= 12:
        return False
    name = _MONTHS[month - 1]
    spelled = rf"(?:{name}|{name[:3]}\.?)"
    ordinal = rf"0?{day}(?:st|nd|rd|th)?"
    pattern = (
        rf"\b{spelled}\s+(?:the\s+)?{ordinal}\b|\b{ordinal}\s+(?:of\s+)?{spelled}\b"
        rf"|\b0?{month}/0?{day}\b"
    )
    return bool(re.search(pattern, text))
