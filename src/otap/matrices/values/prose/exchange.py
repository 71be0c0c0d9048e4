"""Words that have changed places: who pays whom, and what is merged into what."""

from collections import Counter
from itertools import pairwise

from otap.matrices.values.prose.lexicon import lexicon

LONGEST = 200  # words; of longer texts the order is not compared
MOST = 4  # words that change places together
Words = tuple[str, ...]


def exchanged(a: Words, b: Words) -> tuple[str, str] | None:
    """Returns what has changed places in two texts of the same words; None if nothing has.

    A, M, B has become B, M, A: each stands where the other stood, and something is between them. A
    piece that has only moved (today at the beginning, or at the end) is no exchange, nor are two
    that are listed (Anna and Ben).
    """
    if max(len(a), len(b)) > LONGEST:
        return None
    return _swapped(a, b) or _parts(a, b)


def _swapped(a: Words, b: Words) -> tuple[str, str] | None:
    if len(a) != len(b) or a == b or Counter(a) != Counter(b):
        return None
    apart = [place for place, (x, y) in enumerate(zip(a, b, strict=True)) if x != y]
    ours, theirs = a[apart[0] : apart[-1] + 1], b[apart[0] : apart[-1] + 1]
    for left in range(1, MOST + 1):
        for right in range(1, min(MOST, len(ours) - left - 1) + 1):
            middle = ours[left : len(ours) - right]
            if theirs == (*ours[len(ours) - right :], *middle, *ours[:left]):
                return _told(ours[:left], middle, ours[len(ours) - right :])
    return None


def _told(first: Words, middle: Words, second: Words) -> tuple[str, str] | None:
    listing = lexicon()["coordinations"]
    if middle[0] in listing and middle[-1] in listing:
        return None
    if "." in (*first, *middle, *second) or not {*first, *second} - lexicon()["plain"]:
        return None
    if _classed(first) != _classed(second):  # today, and what was done
        return None
    return _spelled(first), _spelled(second)


def _classed(words: Words) -> bool:
    table = lexicon().tables["classes"]
    return any(table.places(word) for word in words)


def _parts(a: Words, b: Words) -> tuple[str, str] | None:
    """What stands behind two words of direction, each where the other stood."""
    ours, theirs = _behind(a), _behind(b)
    roles = sorted(ours.keys() & theirs.keys())
    for k, role in enumerate(roles):
        for other in roles[k + 1 :]:
            x, y = ours[role], ours[other]
            if x != y and theirs[role] == y and theirs[other] == x:
                return x, y
    return None


def _behind(words: Words) -> dict[str, str]:
    """What stands behind each word of direction, where it occurs once and names something."""
    known = lexicon()
    count = Counter(words)
    return {
        role: word
        for role, word in pairwise(words)
        if role in known["roles"]
        and count[role] == 1
        and word not in known["plain"]
        and word not in known["roles"]
    }


def _spelled(words: Words) -> str:
    script = all(len(word) == 1 and word >= "\u3000" for word in words)
    return ("" if script else " ").join(words)
