"""Prose: what of a text is held exact, and in which way two texts contradict each other.

A text vector is a bag of words: who pays whom is all one to it, and to approve is next to reject.
So what can be told exactly is read out of a text (``marks``): numbers, dates, names, identifiers,
negations, words that have opposites, and the order of words. Two texts that disagree in these say
something else, however near their vectors are (``contradiction``); two that only leave something
out, or say it in other words, do not.
"""

from otap.matrices.values.prose.contradiction import LONGEST_CACHED, Contradiction, contradiction
from otap.matrices.values.prose.crowd import settled, shared
from otap.matrices.values.prose.lexicon import lexicon
from otap.matrices.values.prose.marks import Marks, marks
from otap.matrices.values.prose.names import other_name, words_of_name

__all__ = [
    "LONGEST_CACHED",
    "Contradiction",
    "Marks",
    "contradiction",
    "lexicon",
    "marks",
    "other_name",
    "settled",
    "shared",
    "words_of_name",
]
