"""The report card of what was learned, by task held out, and what to doubt about it."""

from otap.learning.card.card import Card, Difference, Interval, Record, Row
from otap.learning.card.doubts import doubts, gain_text
from otap.learning.card.report_card import Learner, report_card

__all__ = [
    "Card",
    "Difference",
    "Interval",
    "Learner",
    "Record",
    "Row",
    "doubts",
    "gain_text",
    "report_card",
]
