"""The sign and the word of each relation between steps: the same on a terminal and in a page."""

from collections.abc import Mapping
from typing import NamedTuple

from otap.report.story.rows import Relation


class Sign(NamedTuple):
    """How a relation is told apart without its colour.

    Attributes:
        sign: one character.
        plain: the same where there is only ASCII.
        word: what it is called, one or two words.
        meaning: one sentence for a legend.
    """

    sign: str
    plain: str
    word: str
    meaning: str


SIGNS: Mapping[Relation, Sign] = {
    "same": Sign("=", "=", "same", "does the same as the step of the reference"),
    "close": Sign("≈", "~", "nearly", "does the same in other words, or with another result"),
    "arguments": Sign("≠", "/", "other values", "calls the same tool with other values"),
    "tool": Sign("⇄", "%", "other tool", "calls another tool than the reference does there"),
    "split": Sign("<", "<", "split", "several steps do what the reference does in one"),
    "merged": Sign(">", ">", "merged", "one step does what the reference does in several"),
    "missing": Sign("\u2212", "-", "missing", "the reference has this step and the run does not"),
    "invented": Sign("+", "+", "extra", "the run has this step and the reference does not"),
    "repeated": Sign("↻", "@", "again", "does again what another step of the run did"),
    "failed": Sign("✗", "x", "failed", "failed, and no later step made up for it"),
}
MOVED = Sign("↕", "^", "out of order", "ran before or beside a step that it had to follow")
