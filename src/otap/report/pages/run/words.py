"""Two texts word by word: which words only one of them has."""

from difflib import SequenceMatcher
from typing import NamedTuple

from otap._patterns import regex

_WORDS = regex(r"\w+|\s+|[^\w\s]")
_LONGEST = 1200  # words of both texts together that are compared; more are shown as they are
_ALIKE = 0.6  # share of equal words below which texts are others altogether


class Segment(NamedTuple):
    """A piece of a text, and whether the other text has another in its place."""

    text: str
    is_other: bool = False


Text = tuple[Segment, ...]


def plain(text: str) -> Text:
    """Returns a text in one piece."""
    return (Segment(text),)


def compared(one: str, other: str, most: int = _LONGEST) -> tuple[Text, Text, int]:
    """Returns both texts in pieces, and how many words were compared.

    Nothing is marked where the texts have little in common, since all of them would be.

    Args:
        one: a text.
        other: the one beside it.
        most: how many words may be compared; of longer texts none is marked.
    """
    left, right = _WORDS.findall(one), _WORDS.findall(other)
    count = len(left) + len(right)
    if count > min(most, _LONGEST):
        return plain(one), plain(other), 0
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    if matcher.ratio() < _ALIKE:
        return plain(one), plain(other), count
    ours: list[Segment] = []
    theirs: list[Segment] = []
    for tag, a, b, c, d in matcher.get_opcodes():
        ours.append(Segment("".join(left[a:b]), tag != "equal"))
        theirs.append(Segment("".join(right[c:d]), tag != "equal"))
    return _filled(ours), _filled(theirs), count


def _filled(pieces: list[Segment]) -> Text:
    return tuple(piece for piece in pieces if piece.text)
