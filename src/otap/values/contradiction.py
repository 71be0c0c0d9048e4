"""In which way two texts say something else in nearly the same words.

A text vector is a bag of words: who pays whom is all one to it, and to approve is next to reject.
So what can be told exactly is read out of a text (``marks``): numbers, dates, names, identifiers,
negations, words that have opposites, and the order of words. Two texts that disagree in these say
something else, however near their vectors are; two that only leave something out, or say it in
other words, do not.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, combinations
from typing import NamedTuple

from otap.values.lexicon import Place, lexicon
from otap.values.literals import number_in_prose
from otap.values.marks import LONGEST_CACHED, Marks, read_marks
from otap.values.parameters import (
    LONGEST_ORDERED,
    LOOSE,
    MANY,
    MOST_EXCHANGED,
    NEGATED,
    SHARED_OF_BOTH,
    SHARED_OF_SHORTER,
    TIGHT,
)

_NAMED = {
    "mail": "address", "url": "address", "path": "path", "code": "identifier", "date": "date",
    "time": "time", "frequency": "frequency", "s": "duration", "month": "duration", "g": "weight",
    "m": "length", "%": "number", "number": "number", "name": "name",
}  # fmt: skip
_NO_MEASURES = ("mail", "url", "path", "code", "date", "time", "frequency", "%", "number", "name")
_ORDER = {kind: place for place, kind in enumerate(_NAMED)}
Words = tuple[str, ...]


class Contradiction(NamedTuple):
    """How two texts disagree, and in what.

    Attributes:
        way: another number, another name and so on, "opposite", "negated", or "exchanged".
        run: the piece of the first text.
        reference: that of the second.
    """

    way: str
    run: str
    reference: str

    def __str__(self) -> str:
        if self.way == "negated":
            return "says the contrary: one of both is negated"
        if self.way == "opposite":
            return f"says the opposite: {self.run} instead of {self.reference}"
        if self.way == "exchanged":
            return f"has exchanged: {self.run} / {self.reference}"
        return f"has an{self.way}: {self.run} instead of {self.reference}"


def contradiction(a: str, b: str) -> Contradiction | None:
    """Returns in which way two texts contradict each other; None if they do not.

    Each must have something exact that the other lacks: another number, date, name, identifier or
    a word that excludes the other's. What only one has is left out or added, and contradicts
    nothing. Where both speak of the same thing, they contradict each other also if one of them is
    negated, says the opposite, or has exchanged who does what to whom; two of these together (not
    rejected, approved) say the same again. Sentences that both have are not looked at.
    """
    cached = len(a) + len(b) <= LONGEST_CACHED
    return _contradiction_of_short(a, b) if cached else _contradiction(a, b)


def _contradiction(a: str, b: str) -> Contradiction | None:
    return contradiction_of(read_marks(a), read_marks(b))


_contradiction_of_short = lru_cache(maxsize=8192)(_contradiction)


def contradiction_of(a: Marks, b: Marks) -> Contradiction | None:
    """Returns in which way two texts that were read contradict each other."""
    if a.words == b.words:
        return None
    found = _another_piece(a, b)
    return found or next(filter(None, (_turned(x, y) for x, y in _different_sentences(a, b))), None)


def _different_sentences(a: Marks, b: Marks) -> Sequence[tuple[Marks, Marks]]:
    """What is read of two texts without the sentences that both have.

    As many on both sides, each near to its counterpart, are compared one by one; others as one.
    """
    if len(a.sentences) == len(b.sentences) == 1:
        return [(a, b)]
    left = [one for one in a.sentences if one not in b.sentences]
    right = [one for one in b.sentences if one not in a.sentences]
    if len(left) == len(right):
        pairs = list(zip(map(read_marks, left), map(read_marks, right), strict=True))
        if all(_share(x, y) >= LOOSE for x, y in pairs):
            return pairs
    if len(a.text) + len(b.text) > LONGEST_CACHED:
        return [(a, b)]  # the rest of each pair would be a text that is read for it alone
    return [(read_marks(" ".join(left)), read_marks(" ".join(right)))]


def _another_piece(a: Marks, b: Marks) -> Contradiction | None:
    """A piece of one kind that only the first text has, and one that only the second has."""
    common = a.pieces.keys() & b.pieces.keys()
    if not common or (min(len(a.content), len(b.content)) > MANY and _share(a, b) < TIGHT):
        return None  # two accounts of one thing, each with its own details
    for kind in sorted(common, key=lambda kind: (_ORDER.get(kind, len(_ORDER)), kind)):
        ours = _lacking(a, b, kind)
        theirs = _lacking(b, a, kind) if ours else None
        if ours and theirs:
            return Contradiction(f"other {_NAMED.get(kind, 'amount')}", ours, theirs)
    return None


def _lacking(a: Marks, b: Marks, kind: str) -> str | None:
    """The first piece of one kind that the first text has and the second in no spelling."""
    theirs = b.pieces[kind]
    return next(
        (
            shown
            for piece, shown in a.pieces[kind].items()
            if piece not in theirs and not _is_said(kind, piece, shown, b)
        ),
        None,
    )


def _is_said(kind: str, piece: str, shown: str, other: Marks) -> bool:
    """Whether a piece that the other text lacks is there in part: a day without its month."""
    numbers, alike = other.pieces.get("number", {}), other.pieces[kind]
    if kind == "date":  # two dates are one where one lacks the year
        return piece[-2:].lstrip("0") in numbers or any(
            piece[-6:] == one[-6:] and "-" in (piece[0], one[0]) for one in alike
        )
    if kind in ("%", "number", "name"):
        return piece in other.loose or piece == "1"
    if kind == "path":  # one may be the end of the other
        return any(
            f"/{piece}".endswith(f"/{one}") or f"/{one}".endswith(f"/{piece}") for one in alike
        )
    return kind not in _NO_MEASURES and f"{number_in_prose(shown):.12g}" in numbers


def _turned(a: Marks, b: Marks) -> Contradiction | None:
    """One excludes the other, or it is turned round: twice is not at all."""
    excluded = next(_excluding(a, b, "classes", TIGHT), None)
    if excluded:
        return Contradiction("other word", *excluded)
    answers = _answer_of(a), _answer_of(b)
    if all(answers) and answers[0] != answers[1]:
        return Contradiction("opposite", a.words[0], b.words[0])
    opposite = _opposite(a, b)
    if opposite:
        return None if a.negations % 2 != b.negations % 2 else Contradiction("opposite", *opposite)
    return _other_letter(a, b) or _exchanged(a, b) or _negated(a, b)


def _answer_of(text: Marks) -> tuple[Place, ...]:
    """Whether a text begins with yes or with no."""
    return lexicon().tables["answers"].places(text.words[0]) if text.words else ()


def _opposite(a: Marks, b: Marks) -> tuple[str, str] | None:
    """Words of the two texts that say the opposite.

    Words of many uses only do where what else is said is said in the same order.
    """
    found = next(_excluding(a, b, "opposites", LOOSE), None)
    if found or not (a.places["turns"] and b.places["turns"]):
        return found or next(_prefixed(a, b), None)
    both = a.content & b.content
    ours, theirs = (list(dict.fromkeys(w for w in m.words if w in both)) for m in (a, b))
    turning = _excluding(a, b, "turns", TIGHT) if ours == theirs else iter(())
    return next(chain(turning, _prefixed(a, b)), None)


def _prefixed(a: Marks, b: Marks) -> Iterator[tuple[str, str]]:
    """A word and its negation by a first syllable: locked, unlocked."""
    for ours, theirs, turned in ((a, b, False), (b, a, True)):
        for stem in sorted(ours.prefixed.keys() & theirs.content - ours.content):
            word = ours.prefixed[stem]
            if word not in theirs.content and _share(a, b, {word, stem}) >= LOOSE:
                yield (stem, word) if turned else (word, stem)


def _negated(a: Marks, b: Marks) -> Contradiction | None:
    """One of both is negated, and else they speak of the same."""
    if a.negations % 2 == b.negations % 2 or a.asks or b.asks:
        return None
    plain = a if a.negations < b.negations else b
    may = not plain.negations and not plain.hedged
    if _share_of_all_words(a, b) >= NEGATED or (may and _speak_of_one(a, b)):
        return Contradiction("negated", "", "")
    return None


def _speak_of_one(a: Marks, b: Marks) -> bool:
    said = lexicon()["negations"]
    ours, theirs = a.content - said, b.content - said
    both = len(ours & theirs)
    of_shorter = both >= SHARED_OF_SHORTER * min(len(ours), len(theirs))
    return of_shorter and both >= SHARED_OF_BOTH * len(ours | theirs)


def _other_letter(a: Marks, b: Marks) -> Contradiction | None:
    """Things that have letters for names, in otherwise equal texts: block a, block b."""
    if len(a.words) != len(b.words) or a.counted == b.counted:
        return None
    pairs = [(x, y) for x, y in zip(a.words, b.words, strict=True) if x != y]
    letters = all(len(x) == 1 and x.isascii() for pair in pairs for x in pair)
    return Contradiction("other name", *pairs[0]) if letters else None


def _excluding(a: Marks, b: Marks, table: str, least: float) -> Iterator[tuple[str, str]]:
    """Words of the two texts that exclude each other, where neither text has both."""
    ours, theirs = a.places[table], b.places[table]
    if not ours or not theirs:
        return
    for (group, side), word in ours.items():
        for (other_group, other_side), other in theirs.items():
            if (
                group == other_group
                and side != other_side
                and (group, other_side) not in ours
                and (group, side) not in theirs
                and _share(a, b, {word, other}) >= least
            ):
                yield word, other


def _share(a: Marks, b: Marks, but: Collection[str] = ()) -> float:
    """The share of content words that two texts have in common, in the shorter of both.

    ``but``: words that are not counted.
    """
    left, right = a.content.difference(but), b.content.difference(but)
    least = min(len(left), len(right))
    return len(left & right) / least if least else float(len(left) == len(right))


def _share_of_all_words(a: Marks, b: Marks) -> float:
    """The share of all words that two texts have in common, but for negations."""
    if max(len(a.words), len(b.words)) > LONGEST_ORDERED:
        return 0.0
    return len(a.asserted & b.asserted) / max(len(a.asserted | b.asserted), 1)


def _exchanged(a: Marks, b: Marks) -> Contradiction | None:
    """What has changed places in two texts of the same words; None if nothing has.

    A, M, B has become B, M, A: each stands where the other stood, and something is between them. A
    piece that has only moved (today at the beginning, or at the end) is no exchange, nor are two
    that are listed (Anna and Ben).
    """
    x, y = a.words, b.words
    if max(len(x), len(y)) > LONGEST_ORDERED or _share(a, b) < TIGHT:
        return None
    if len(x) != len(y) or a.counted != b.counted:
        return _exchanged_roles(a.roles, b.roles)
    apart = [place for place, (one, other) in enumerate(zip(x, y, strict=True)) if one != other]
    ours, theirs = x[apart[0] : apart[-1] + 1], y[apart[0] : apart[-1] + 1]
    for left in range(1, MOST_EXCHANGED + 1):
        for right in range(1, min(MOST_EXCHANGED, len(ours) - left - 1) + 1):
            first, middle, second = ours[:left], ours[left:-right], ours[-right:]
            if theirs == (*second, *middle, *first):
                if _changes_roles(first, middle, second):
                    return Contradiction("exchanged", _spelled(first), _spelled(second))
                return _exchanged_roles(a.roles, b.roles)
    return _exchanged_roles(a.roles, b.roles)


def _exchanged_roles(ours: Mapping[str, str], theirs: Mapping[str, str]) -> Contradiction | None:
    """What stands behind two words of direction, each where the other stood."""
    for role, other in combinations(sorted(ours.keys() & theirs.keys()), 2):
        x, y = ours[role], ours[other]
        if x != y and (theirs[role], theirs[other]) == (y, x):
            return Contradiction("exchanged", x, y)
    return None


def _changes_roles(first: Words, middle: Words, second: Words) -> bool:
    """Whether an exchange says another thing: no list, no clauses that have moved, no sentences."""
    known = lexicon()
    idle = known["plain"] - known["roles"] - known["negations"] | {","}
    if {middle[0], middle[-1]} <= known["coordinations"]:
        return False
    if ("," in middle and idle.issuperset(middle)) or "." in (*first, *middle, *second):
        return False
    # Today, and what was done: no exchange either.
    return bool({*first, *second} - known["plain"]) and _is_classed(first) == _is_classed(second)


def _is_classed(words: Words) -> bool:
    return any(map(lexicon().tables["classes"].places, words))


def _spelled(words: Words) -> str:
    script = all(len(word) == 1 and word >= "\u3000" for word in words)
    return ("" if script else " ").join(words)
