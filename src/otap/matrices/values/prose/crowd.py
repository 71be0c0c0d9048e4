"""Many texts against many: which pairs contradict each other, as far as arrays can tell.

Each text is read once; what two texts have in common is counted for all pairs at once. For most
pairs that settles it; the rest is left to be read pair by pair.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from otap.matrices.values.prose.amounts import spelled
from otap.matrices.values.prose.contradiction import (
    KINDS,
    LONGEST_READ,
    MANY,
    MEASURES,
    TIGHT,
    read,
    sentences,
    unprefixed,
)
from otap.matrices.values.prose.lexicon import Place, lexicon
from otap.matrices.values.prose.marks import Marks, normal

Truths = npt.NDArray[np.bool_]
_ONCE = 64  # texts on a side, from which on a word in most of them is counted by a product


def settled(rows: Sequence[str], columns: Sequence[str]) -> tuple[Truths, Truths]:
    """Returns which pairs of texts contradict each other for sure, and which do not for sure.

    The same as `contradiction` says of each pair; what is neither, only that can say.

    Args:
        rows: texts, none of them a union.
        columns: texts of the other side, none of them a union.
    """
    ours, theirs = list(map(_Text, rows)), list(map(_Text, columns))
    differ = ~_equal(ours, theirs, lambda text: text.marks.words)
    another = _another_piece(_marks(ours), _marks(theirs)) & differ
    return another, ~another & (~differ | ~_may_turn(ours, theirs))


class _Text:
    """A text and what is read of it."""

    def __init__(self, text: str) -> None:
        text = normal(text[:LONGEST_READ])
        self.marks = read(text)
        parts = sentences(text)
        self.is_one = len(parts) < 2
        # A sentence alone may say no where the text does not: "no. 5" is a number.
        self.says_no = self.marks.negations > 0 or any(read(part).negations for part in parts)
        words = self.marks.words
        self.long = {_long(words), *(_long(read(part).words) for part in parts)}
        known = lexicon()
        self.behind = frozenset(b for a, b in pairwise(words) if a in known["roles"])
        self.answers = {
            place for word in {*words} for place in known.tables["answers"].places(word)
        }
        self.stems = frozenset(filter(None, map(unprefixed, self.marks.content)))


def _long(words: Iterable[str]) -> frozenset[str]:
    """The words that are no single letters: those that may not change, where the order counts."""
    return frozenset(word for word in words if len(word) > 1 or not word.isascii())


def _marks(texts: Sequence[_Text]) -> list[Marks]:
    return [text.marks for text in texts]


def _equal(
    rows: Sequence[_Text], columns: Sequence[_Text], of: Callable[[_Text], Hashable]
) -> Truths:
    """Where two texts are equal in something."""
    codes: dict[Hashable, int] = {}
    left, right = (
        np.array([codes.setdefault(of(text), len(codes)) for text in side], dtype=np.intp)
        for side in (rows, columns)
    )
    found: Truths = left[:, None] == right[None, :]
    return found


def shared(rows: Sequence[Set[Any]], columns: Sequence[Set[Any]]) -> npt.NDArray[np.int32]:
    """Returns how many words each two sets have in common, (rows, columns)."""
    left, right = _places(rows), _places(columns)
    found = np.zeros((len(rows), len(columns)), dtype=np.int32)
    frequent = []
    for word in left.keys() & right.keys():
        if min(len(left[word]), len(right[word])) > _ONCE:
            frequent.append(word)
        else:
            found[np.ix_(left[word], right[word])] += 1
    for start in range(0, len(frequent), 512):
        part = frequent[start : start + 512]
        a, b = _held(left, part, len(rows)), _held(right, part, len(columns))
        found += (a.T @ b).astype(np.int32)
    return found


def _held(
    places: Mapping[Any, list[int]], words: Sequence[Any], size: int
) -> npt.NDArray[np.float32]:
    """1 where a text has a word, (words, texts)."""
    found = np.zeros((len(words), size), dtype=np.float32)
    for k, word in enumerate(words):
        found[k, places[word]] = 1
    return found


def _places(sets: Iterable[Iterable[Hashable]]) -> Mapping[Any, list[int]]:
    """For each member the places of the sets that have it."""
    found: dict[Hashable, list[int]] = defaultdict(list)
    for place, members in enumerate(sets):
        for member in members:
            found[member].append(place)
    return found


def _another_piece(rows: Sequence[Marks], columns: Sequence[Marks]) -> Truths:
    """Where each text has an exact piece that the other lacks, of one kind."""
    found = np.zeros((len(rows), len(columns)), dtype=np.bool_)
    for kind, _ in KINDS:
        if _has(kind, rows) and _has(kind, columns):
            found |= _lacking(kind, rows, columns) & _lacking(kind, columns, rows).T
    return found & ~_tell_apart(rows, columns) if found.any() else found


def _has(kind: str, texts: Iterable[Marks]) -> bool:
    return any(kind in text.pieces for text in texts)


def _tell_apart(rows: Sequence[Marks], columns: Sequence[Marks]) -> Truths:
    """Where two texts are accounts of one thing, each with its own details."""
    left, right = ([text.content for text in side] for side in (rows, columns))
    least = np.minimum.outer(list(map(len, left)), list(map(len, right)))
    found: Truths = (least > MANY) & (shared(left, right) / np.maximum(least, 1) < TIGHT)
    return found


def _lacking(kind: str, rows: Sequence[Marks], columns: Sequence[Marks]) -> Truths:
    """Where the row has a piece of a kind that the column says in no spelling."""
    heard = _places({*_heard(kind, text)} for text in columns)
    found = np.zeros((len(rows), len(columns)), dtype=np.bool_)
    for i, text in enumerate(rows):
        for piece, shown in text.pieces.get(kind, {}).items():
            said = np.zeros(len(columns), dtype=np.bool_)
            for spelling in _spellings(kind, piece, shown):
                said[heard.get(spelling, [])] = True
            if not (piece == "1" and kind in ("number", "name")):
                found[i] |= ~said
    return found


def _spellings(kind: str, piece: str, shown: str) -> Iterator[tuple[str, str]]:
    """The spellings of which a text must have one to say a piece."""
    yield "", piece
    if kind == "date":
        yield "number", piece[-2:].lstrip("0")
        yield ("any" if piece[0] == "-" else "bare"), piece[-6:]
    elif kind in MEASURES:
        yield "number", f"{spelled(shown):.12g}"
    elif kind == "path":
        yield "whole", piece
        yield from (("end", end) for end in _ends(piece))


def _heard(kind: str, text: Marks) -> Iterator[tuple[str, str]]:
    """The spellings that a text has."""
    pieces = text.pieces.get(kind, {})
    yield from (("", piece) for piece in pieces)
    yield from (("number", number) for number in text.pieces.get("number", ()))
    if kind in ("number", "name"):
        yield from (("", word) for word in text.loose)
    elif kind in ("date", "path"):
        for piece in pieces:
            yield from _dated(piece) if kind == "date" else _ending(piece)


def _dated(date: str) -> Iterator[tuple[str, str]]:
    yield "any", date[-6:]
    if date[0] == "-":
        yield "bare", date[-6:]


def _ending(path: str) -> Iterator[tuple[str, str]]:
    yield "end", path
    yield from (("whole", end) for end in _ends(path))


def _ends(path: str) -> Iterator[str]:
    """A path, and all that stands behind one of its bars."""
    parts = path.split("/")
    return ("/".join(parts[k:]) for k in range(len(parts)))


def _may_turn(rows: Sequence[_Text], columns: Sequence[_Text]) -> Truths:
    """Where one text may exclude the other, or be turned round: where it has words for that."""
    found = _negated(rows, columns) | _in_other_order(rows, columns)
    found |= _excluding([t.answers for t in rows], [t.answers for t in columns])
    for name in ("opposites", "turns", "classes"):
        found |= _excluding(*([{*t.marks.places[name]} for t in side] for side in (rows, columns)))
    return found | _prefixed(rows, columns) | _prefixed(columns, rows).T


def _in_other_order(rows: Sequence[_Text], columns: Sequence[_Text]) -> Truths:
    """Where words may have changed places, or letters."""
    found: Truths = shared([t.long for t in rows], [t.long for t in columns]) > 0
    return found | (shared([t.behind for t in rows], [t.behind for t in columns]) > 1)


def _prefixed(rows: Sequence[_Text], columns: Sequence[_Text]) -> Truths:
    """Where the row has the negation of a word of the column by its first syllable."""
    contents = [text.marks.content for text in columns]
    found: Truths = shared([text.stems for text in rows], contents) > 0
    return found


def _negated(rows: Sequence[_Text], columns: Sequence[_Text]) -> Truths:
    """Where one of both may be negated: of one sentence each, if one is an odd number of times."""
    left, right = (np.array([t.marks.negations for t in side]) for side in (rows, columns))
    one = np.logical_and.outer([t.is_one for t in rows], [t.is_one for t in columns])
    odd = np.not_equal.outer(left % 2, right % 2)
    either = np.logical_or.outer([t.says_no for t in rows], [t.says_no for t in columns])
    found: Truths = np.where(one, odd, either)
    return found


def _excluding(rows: Sequence[Set[Place]], columns: Sequence[Set[Place]]) -> Truths:
    """Where the two texts have words on different sides of one group."""
    left, right = _places(rows), _places(columns)
    found = np.zeros((len(rows), len(columns)), dtype=np.bool_)
    sides = defaultdict(list)
    for place in right:
        sides[place[0]].append(place)
    for place, where in left.items():
        for other in sides.get(place[0], ()):
            if other[1] != place[1]:
                found[np.ix_(where, right[other])] = True
    return found
