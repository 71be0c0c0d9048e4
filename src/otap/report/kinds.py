"""The kinds of findings in words: one for bars and filters, and a sentence that needs no values."""

from collections.abc import Mapping
from typing import NamedTuple


class Kind(NamedTuple):
    """A kind of finding.

    Attributes:
        word: what it is called, one to three words.
        meaning: what is so; behind the tools that it is about, a sentence.
    """

    word: str
    meaning: str


FINDINGS: Mapping[str, Kind] = {
    "missing": Kind("missing", "a step of the reference is missing from the run"),
    "failed": Kind("failed", "a step failed"),
    "untold": Kind("not told", "an answer that the user must be told was not told"),
    "invented": Kind("extra", "a step of the run has no counterpart in the reference"),
    "reversed": Kind("wrong order", "steps ran the other way round than they depend on each other"),
    "broken": Kind("lost dependency", "a step does not follow from what it needs"),
    "inverted": Kind("other order", "steps on one thing ran in another order"),
    "ungrounded": Kind("made-up value", "an argument was used that nothing showed before"),
    "tool": Kind("other tool", "another tool was called than in the reference"),
    "arguments": Kind("other values", "a call has other arguments than in the reference"),
    "unseen": Kind("not comparable", "changes inside a call that the reference does not show"),
    "repeated": Kind("again", "a step does again what another one did"),
    "split": Kind("split", "several steps do what the reference does in one"),
    "merged": Kind("merged", "one step does what the reference does in several"),
}


def kind_word(kind: str) -> str:
    """Returns what a kind of finding is called; a kind of a newer version by its name."""
    return FINDINGS[kind].word if kind in FINDINGS else kind
