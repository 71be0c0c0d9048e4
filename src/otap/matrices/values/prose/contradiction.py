"""In which way two texts say something else in nearly the same words."""

from collections import Counter
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import NamedTuple

from otap._patterns import regex
from otap.matrices.values.prose.amounts import spelled
from otap.matrices.values.prose.exchange import LONGEST, exchanged
from otap.matrices.values.prose.lexicon import Place, lexicon
from otap.matrices.values.prose.marks import Marks, marks, normal

MEASURES = frozenset(("second", "month", "gram", "metre"))
LONGEST_READ = 30_000  # characters; what comes after is held to nothing
LONGEST_CACHED = 2_000  # characters; what is read of longer texts is not kept for long
LOOSE, TIGHT = 0.3, 0.6  # the share of words in common, by which two texts speak of one thing
MANY = 12  # content words, from which on two texts may tell different things of one
_SENTENCE = regex(r"[^.!?\n。]*(?:[.!?](?!\s|\Z)[^.!?\n。]*)*[.!?\n。]*\s*")
KINDS = (
    ("mail", "address"), ("url", "address"), ("path", "path"), ("code", "identifier"),
    ("date", "date"), ("time", "time"), ("second", "duration"), ("month", "duration"),
    ("gram", "weight"), ("metre", "length"), ("number", "number"), ("name", "name"),
)  # fmt: skip


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
    if len(a) + len(b) <= LONGEST_CACHED:
        return _kept(a, b)
    return _found(normal(a[:LONGEST_READ]), normal(b[:LONGEST_READ]))


@lru_cache(maxsize=8192)
def _kept(a: str, b: str) -> Contradiction | None:
    return _found(normal(a), normal(b))


def _found(a: str, b: str) -> Contradiction | None:
    ours, theirs = read(a), read(b)
    if ours.words == theirs.words:
        return None
    found = _another_piece(ours, theirs)
    return found or next(filter(None, map(_turned, *_different_sentences(a, b))), None)


def read(text: str) -> Marks:
    """Returns what of a text in normal spelling is held exact; of a short one from memory."""
    return _short(text) if len(text) <= LONGEST_CACHED else _long(text)


_short = lru_cache(maxsize=2048)(marks)
_long = lru_cache(maxsize=64)(marks)


def _different_sentences(a: str, b: str) -> tuple[list[Marks], list[Marks]]:
    """What is read of two texts without the sentences that both have.

    As many on both sides, each near to its counterpart, are compared one by one; others as one.
    """
    left, right = sentences(a), sentences(b)
    left, right = _others(left, set(right)), _others(right, set(left))
    if len(left) == len(right) == 1:
        return [read(left[0])], [read(right[0])]
    rows, columns = [read(one) for one in left], [read(one) for one in right]
    if len(rows) == len(columns) and all(map(_near, rows, columns)):
        return rows, columns
    return [read(" ".join(left))], [read(" ".join(right))]


def _others(sentences: list[str], known: set[str]) -> list[str]:
    return [one for one in sentences if one not in known]


def _near(a: Marks, b: Marks) -> bool:
    return _common(a, b) >= LOOSE


def sentences(text: str) -> list[str]:
    """Returns the sentences of a text."""
    return [one.strip() for one in _SENTENCE.findall(text) if one.strip()]


def _another_piece(a: Marks, b: Marks) -> Contradiction | None:
    if min(len(a.content), len(b.content)) > MANY and _common(a, b) < TIGHT:
        return None  # two accounts of one thing, each with its own details
    common = a.pieces.keys() & b.pieces.keys()
    for kind, what in KINDS if common else ():
        found = (_only(a, b, kind), _only(b, a, kind)) if kind in common else ()
        if found and all(found):
            return Contradiction(f"other {what}", found[0][0], found[1][0])
    return None


def _only(a: Marks, b: Marks, kind: str) -> list[str]:
    """The pieces of one kind that only the first text has, in no spelling of the other."""
    theirs = b.pieces.get(kind, {})
    return [
        shown
        for piece, shown in a.pieces.get(kind, {}).items()
        if piece not in theirs and not _is_said(kind, piece, shown, b)
    ]


def _is_said(kind: str, piece: str, shown: str, other: Marks) -> bool:
    """Whether a piece that the other text lacks is there in part: a day without its month."""
    numbers = other.pieces.get("number", {})
    if kind == "date":
        day = piece[-2:].lstrip("0")
        return day in numbers or any(_same_day(piece, d) for d in other.pieces.get("date", ()))
    if kind in ("number", "name"):
        return piece in other.loose or piece == "1"
    if kind in MEASURES:
        return f"{spelled(shown):.12g}" in numbers
    if kind == "path":
        return any(_ends(piece, path) for path in other.pieces.get("path", ()))
    return False


def _ends(a: str, b: str) -> bool:
    """Whether one of two paths is the end of the other."""
    return f"/{a}".endswith(f"/{b}") or f"/{b}".endswith(f"/{a}")


def _same_day(a: str, b: str) -> bool:
    """Whether two dates are one, where one may lack the year."""
    return a[-6:] == b[-6:] and (a[0] == "-" or b[0] == "-" or a == b)


def _turned(a: Marks, b: Marks) -> Contradiction | None:
    """One excludes the other, or it is turned round: twice is not at all."""
    excluded = next(_excluding(a, b, "classes", TIGHT), None)
    if excluded:
        return Contradiction("other word", *excluded)
    answers = _answer(a), _answer(b)
    if all(answers) and answers[0] != answers[1]:
        return Contradiction("opposite", a.words[0], b.words[0])
    opposite = _opposite(a, b)
    if opposite:
        return None if a.negations % 2 != b.negations % 2 else opposite
    return _other_letter(a, b) or _exchanged(a, b) or _negated(a, b)


def _answer(text: Marks) -> tuple[Place, ...]:
    """Whether a text begins with yes or with no."""
    return lexicon().tables["answers"].places(text.words[0]) if text.words else ()


def _other_letter(a: Marks, b: Marks) -> Contradiction | None:
    """Things that have letters for names, in otherwise equal texts: block a, block b."""
    if len(a.words) != len(b.words):
        return None
    pairs = [(x, y) for x, y in zip(a.words, b.words, strict=True) if x != y]
    if any(len(x) > 1 or not x.isascii() for pair in pairs for x in pair):
        return None
    ours, theirs = Counter(a.words), Counter(b.words)
    return Contradiction("other name", *pairs[0]) if ours != theirs else None


def _exchanged(a: Marks, b: Marks) -> Contradiction | None:
    found = exchanged(a.words, b.words) if _common(a, b) >= TIGHT else None
    return Contradiction("exchanged", *found) if found else None


def _opposite(a: Marks, b: Marks) -> Contradiction | None:
    pairs = (
        *_excluding(a, b, "opposites", LOOSE), *_turning(a, b), *_prefixed(a, b)
    )  # fmt: skip
    return Contradiction("opposite", *pairs[0]) if pairs else None


def _turning(a: Marks, b: Marks) -> Iterator[tuple[str, str]]:
    """Opposites of many uses, where what else is said is said in the same order."""
    both = a.content & b.content
    ours, theirs = (list(dict.fromkeys(w for w in m.words if w in both)) for m in (a, b))
    if ours == theirs:
        yield from _excluding(a, b, "turns", TIGHT)


def _excluding(a: Marks, b: Marks, table: str, least: float) -> Iterator[tuple[str, str]]:
    """Words of the two texts that exclude each other, where neither text has both."""
    ours, theirs = a.places[table], b.places[table]
    if not ours or not theirs:
        return
    both = a.content & b.content
    for (group, side), word in ours.items():
        for (other_group, other_side), other in theirs.items():
            if (
                group == other_group
                and side != other_side
                and (group, other_side) not in ours
                and (group, side) not in theirs
                and _common(a, b, {word, other}, both) >= least
            ):
                yield word, other


def _prefixed(a: Marks, b: Marks) -> Iterator[tuple[str, str]]:
    """A word and its negation by a first syllable: locked, unlocked."""
    both = a.content & b.content
    for ours, theirs, turned in ((a, b, False), (b, a, True)):
        for word in sorted(ours.content - theirs.content):
            stem = unprefixed(word)
            only_theirs = stem in theirs.content and stem not in ours.content
            if stem and only_theirs and _common(a, b, {word, stem}, both) >= LOOSE:
                yield (stem, word) if turned else (word, stem)


@lru_cache(maxsize=20_000)
def unprefixed(word: str) -> str | None:
    """Returns the word that another is the negation of, by its first syllable."""
    for syllable in ("un", "non", "dis", "in", "im", "ir", "il"):
        stem = word.removeprefix(syllable).removeprefix("-")
        if stem != word and len(stem) > 3 and stem not in lexicon()["not_prefixed"]:
            return stem
    return None


def _negated(a: Marks, b: Marks) -> Contradiction | None:
    if a.negations % 2 == b.negations % 2 or a.asks or b.asks:
        return None
    plain = a if a.negations < b.negations else b
    alike = _common_words(a, b)
    if alike >= 0.8 or (not plain.negations and not plain.hedged and _speak_of_one(a, b)):
        return Contradiction("negated", "", "")
    return None


def _speak_of_one(a: Marks, b: Marks) -> bool:
    said = lexicon()["negations"]
    ours, theirs = a.content - said, b.content - said
    both = len(ours & theirs)
    return both >= 0.6 * min(len(ours), len(theirs)) and both >= 0.4 * len(ours | theirs)


def _common(
    a: Marks, b: Marks, but: Collection[str] = (), both: frozenset[str] | None = None
) -> float:
    """The share of content words that two texts have in common, in the shorter of both.

    ``but``: words that are not counted. ``both``: the common words, where these are known.
    """
    both = a.content & b.content if both is None else both
    ours, theirs, shared = (_count(words, but) for words in (a.content, b.content, both))
    least = min(ours, theirs)
    if not least:
        return 1.0 if ours == theirs else 0.0
    return shared / least


def _count(words: frozenset[str], but: Collection[str]) -> int:
    return len(words) - sum(word in words for word in but)


def _common_words(a: Marks, b: Marks) -> float:
    """The share of all words that two texts have in common, but for negations."""
    if max(len(a.words), len(b.words)) > LONGEST:
        return 0.0
    said = lexicon()["negations"] | {",", "."}
    ours, theirs = ({word for word in m.words if not word.endswith("n't")} - said for m in (a, b))
    return len(ours & theirs) / max(len(ours | theirs), 1)
