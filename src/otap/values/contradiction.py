"""Detects whether two texts contradict each other although their words are nearly the same.

A text vector is a bag of words: it ignores who pays whom, and "approve" is near "reject". The facts
of a text (``prose_facts``) are therefore compared exactly: numbers, dates, names, identifiers,
negations, words with opposites, and the order of words. Two texts that disagree in one of these
contradict each other, however near their vectors are. Omissions and other words do not contradict.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, combinations, pairwise
from typing import NamedTuple

from otap.values.lexicon import GroupSide, lexicon
from otap.values.numbers import number_in_prose
from otap.values.prose_facts import MAX_CACHED_TEXT, ProseFacts, read_prose_facts
from otap.values.texts import english, read_meanings

# The least share of common content words for texts with one topic: for words that exclude each
# other, and for words with many meanings.
SAME_TOPIC, SAME_STATEMENT = 0.3, 0.6
# From this share of common words on, one text may be the negation of the other on any topic.
NEGATED = 0.8
# The same in content words: of the shorter text, and of both texts.
SHARED_OF_SHORTER, SHARED_OF_BOTH = 0.6, 0.4
# Two texts with more content words than this may report different details of one topic.
MAX_SHORT_TEXT = 12
# Words that change places together.
MAX_EXCHANGED = 4
# Words of the longest text with a compared order.
MAX_ORDERED = 200

_KIND_NAMES = {
    "mail": "address", "url": "address", "path": "path", "code": "identifier", "date": "date",
    "time": "time", "frequency": "frequency", "s": "duration", "month": "duration", "g": "weight",
    "m": "length", "%": "number", "number": "number", "name": "name",
}  # fmt: skip
_NO_MEASURES = ("mail", "url", "path", "code", "date", "time", "frequency", "%", "number", "name")
_ORDER = {kind: index for index, kind in enumerate(_KIND_NAMES)}
Words = tuple[str, ...]


class Contradiction(NamedTuple):
    """The contradiction of two texts.

    Attributes:
        kind: "opposite", "negated", "exchanged", or "other number", "other name" and so on.
        run: the contradicting part of the first text.
        reference: that of the second.
    """

    kind: str
    run: str
    reference: str

    def __str__(self) -> str:
        if self.kind == "negated":
            return "says the contrary: only one of the two texts is negated"
        if self.kind == "opposite":
            return f"says the opposite: {self.run} instead of {self.reference}"
        if self.kind == "exchanged":
            return f"swaps {self.run} and {self.reference}"
        return f"has an{self.kind}: {self.run} instead of {self.reference}"


def find_text_contradiction(a: str, b: str) -> Contradiction | None:
    """Returns the contradiction of two texts, or None.

    Each text must state a fact that the other lacks: another number, date, name or identifier, or a
    word that excludes the other's. A fact in only one text is an omission or an addition and
    contradicts nothing. Texts on one topic also contradict each other in three cases: only one is
    negated, one states the opposite, or two parties are exchanged. Two of these cancel each other
    out: "not rejected", "approved". Sentences that occur in both texts are ignored.
    """
    is_short = len(a) + len(b) <= MAX_CACHED_TEXT
    return _contradiction_of_short(a, b) if is_short else _contradiction(a, b)


def _contradiction(a: str, b: str) -> Contradiction | None:
    return find_fact_contradiction(read_prose_facts(a), read_prose_facts(b))


_contradiction_of_short = lru_cache(maxsize=8192)(_contradiction)


def find_fact_contradiction(a: ProseFacts, b: ProseFacts) -> Contradiction | None:
    """Returns the contradiction of the facts of two texts, or None."""
    if a.words == b.words:
        return None
    contradiction = _find_other_entity(a, b)
    if contradiction:
        return contradiction
    for left, right in _different_sentences(a, b):
        # Sentences that differ only in their last sign have the same words.
        if left.words != right.words:
            contradiction = _find_reversal(left, right)
            if contradiction:
                return contradiction
    return None


def _different_sentences(a: ProseFacts, b: ProseFacts) -> Sequence[tuple[ProseFacts, ProseFacts]]:
    """Returns the facts of the sentences that are not in both texts.

    Sentences are paired if both texts have as many and each pair has one topic. Otherwise they are
    joined to one text a side.
    """
    if len(a.sentences) == len(b.sentences) == 1:
        return [(a, b)]
    left = [sentence for sentence in a.sentences if sentence not in b.sentences]
    right = [sentence for sentence in b.sentences if sentence not in a.sentences]
    if len(left) == len(right):
        pairs = [
            (read_prose_facts(x), read_prose_facts(y)) for x, y in zip(left, right, strict=True)
        ]
        if all(_shared_content(x, y) >= SAME_TOPIC for x, y in pairs):
            return pairs
    if len(a.text) + len(b.text) > MAX_CACHED_TEXT:
        return [(a, b)]  # do not read a new long text for each pair
    return [(read_prose_facts(" ".join(left)), read_prose_facts(" ".join(right)))]


def _find_other_entity(a: ProseFacts, b: ProseFacts) -> Contradiction | None:
    """Returns two entities of one kind, each in one text only, as a contradiction."""
    common_kinds = frozenset(a.entities.keys() & b.entities.keys())
    are_long = min(len(a.content_words), len(b.content_words)) > MAX_SHORT_TEXT
    if not common_kinds or (are_long and _shared_content(a, b) < SAME_STATEMENT):
        return None  # two reports on one topic, each with details of its own
    for kind in _sort_kinds(common_kinds):
        run_entity = _find_unmatched_entity(a, b, kind)
        reference_entity = _find_unmatched_entity(b, a, kind) if run_entity else None
        if run_entity and reference_entity:
            name = f"other {_KIND_NAMES.get(kind, 'amount')}"
            return Contradiction(name, run_entity, reference_entity)
    return None


@lru_cache(maxsize=1024)
def _sort_kinds(kinds: frozenset[str]) -> Sequence[str]:
    return sorted(kinds, key=lambda kind: (_ORDER.get(kind, len(_ORDER)), kind))


def _find_unmatched_entity(a: ProseFacts, b: ProseFacts, kind: str) -> str | None:
    """Returns the first entity of a kind that the second text lacks in any notation."""
    for canonical, surface_form in a.entities[kind].items():
        if canonical not in b.entities[kind] and not _is_mentioned(
            kind, canonical, surface_form, b
        ):
            return surface_form
    return None


def _is_mentioned(kind: str, canonical: str, surface_form: str, other: ProseFacts) -> bool:
    """Whether a text contains a part of an entity: a day without its month."""
    numbers, others_of_kind = other.entities.get("number", {}), other.entities[kind]
    if kind == "date":  # dates with the same day and month are equal if one lacks the year
        return canonical[-2:].lstrip("0") in numbers or any(
            canonical[-6:] == date[-6:] and "-" in (canonical[0], date[0])
            for date in others_of_kind
        )
    if kind in ("%", "number", "name"):
        return canonical in other.fragments or canonical == "1"
    if kind == "path":  # one may be the end of the other
        return any(
            f"/{canonical}".endswith(f"/{path}") or f"/{path}".endswith(f"/{canonical}")
            for path in others_of_kind
        )
    return kind not in _NO_MEASURES and f"{number_in_prose(surface_form):.12g}" in numbers


def _find_reversal(a: ProseFacts, b: ProseFacts) -> Contradiction | None:
    """Returns a contradiction by opposite words, exchange or negation; two of them cancel out."""
    excluding_words = next(_excluding_words(a, b, "classes", SAME_STATEMENT), None)
    if excluding_words:
        return Contradiction("other word", *excluding_words)
    answers = _answer_of(a), _answer_of(b)
    if all(answers) and answers[0] != answers[1]:
        return Contradiction("opposite", a.words[0], b.words[0])
    opposite = _find_opposite_words(a, b)
    if opposite:
        cancels_out = a.negation_count % 2 != b.negation_count % 2
        return None if cancels_out else Contradiction("opposite", *opposite)
    return _find_other_letter(a, b) or _find_exchange(a, b) or _find_negation(a, b)


def _answer_of(text: ProseFacts) -> tuple[GroupSide, ...]:
    """Returns the side of a yes or no at the beginning of a text."""
    return lexicon().tables["answers"].groups_of(text.words[0]) if text.words else ()


def _find_opposite_words(a: ProseFacts, b: ProseFacts) -> tuple[str, str] | None:
    """Returns words of the two texts with opposite meanings.

    Words with many meanings count only if the other words have the same order in both texts.
    """
    opposite = next(_excluding_words(a, b, "opposites", SAME_TOPIC), None)
    if opposite:
        return opposite
    prefixed = _prefix_opposites(a, b)
    if a.grouped_words["turns"] and b.grouped_words["turns"]:
        common = a.content_words & b.content_words
        run_order, reference_order = (
            list(dict.fromkeys(word for word in facts.words if word in common)) for facts in (a, b)
        )
        if run_order == reference_order:
            prefixed = chain(_excluding_words(a, b, "turns", SAME_STATEMENT), prefixed)
    return next(prefixed, None)


def find_prefix_opposite(a: ProseFacts, b: ProseFacts) -> tuple[str, str] | None:
    """Returns a word that only one text negates by a prefix, as each text writes it, or None."""
    return next(_prefix_opposites(a, b), None)


def _prefix_opposites(a: ProseFacts, b: ProseFacts) -> Iterator[tuple[str, str]]:
    """Yields a word and its negation by a prefix, in the order of the texts: locked, unlocked."""
    for negating, plain, is_swapped in ((a, b, False), (b, a, True)):
        stems = negating.negated_stems.keys() & plain.content_words - negating.content_words
        stems -= {word for _, word in plain.denials}
        stems -= _list_denied(plain)  # unable, not able
        for stem in sorted(stems):
            word = negating.negated_stems[stem]
            if word in plain.content_words:
                continue
            if _shared_content(negating, plain, {word, stem}) >= SAME_TOPIC:
                yield (stem, word) if is_swapped else (word, stem)


def _list_denied(text: ProseFacts) -> set[str]:
    """The words right behind a negation."""
    negations = lexicon()["negations"]
    return {word for before, word in pairwise(text.words) if before in negations}


def _find_negation(a: ProseFacts, b: ProseFacts) -> Contradiction | None:
    """Returns a contradiction if only one of two texts on one topic is negated."""
    if a.negation_count % 2 == b.negation_count % 2 or a.is_question or b.is_question:
        return None
    plain, negated = (a, b) if a.negation_count < b.negation_count else (b, a)
    if _denies_by_prefix(plain, negated):
        return None
    own_count, _ = count_own_negations(plain, negated)
    is_affirmative = not own_count and plain.hedges <= negated.hedges
    if _shared_words(a, b) >= NEGATED or (is_affirmative and _have_one_topic(a, b)):
        return Contradiction("negated", "", "")
    return None


def count_own_negations(a: ProseFacts, b: ProseFacts) -> tuple[int, int]:
    """Returns the negations of each text without those that the other has, too.

    What both deny, as "without a copy", says nothing about their difference.
    """
    common = (a.denials & b.denials).total()
    by_prefix = _denies_by_prefix(a, b), _denies_by_prefix(b, a)
    return a.negation_count - common - by_prefix[1], b.negation_count - common - by_prefix[0]


def _denies_by_prefix(prefixed: ProseFacts, negated: ProseFacts) -> bool:
    """Whether a prefix of one text and a negation of the other deny one word: not altered."""
    denied = [word for _, word in negated.denials if word]
    stems = sorted(prefixed.negated_stems.keys() - negated.negated_stems.keys())
    if not denied or not stems:
        return False
    return not {*read_meanings(stems, english())}.isdisjoint(read_meanings(denied, english()))


def _have_one_topic(a: ProseFacts, b: ProseFacts) -> bool:
    negations = lexicon()["negations"]
    run_words, reference_words = a.content_words - negations, b.content_words - negations
    common = len(run_words & reference_words)
    shorter = min(len(run_words), len(reference_words))
    union = len(run_words | reference_words)
    return common >= SHARED_OF_SHORTER * shorter and common >= SHARED_OF_BOTH * union


def _find_other_letter(a: ProseFacts, b: ProseFacts) -> Contradiction | None:
    """Returns different letters used as names in equal texts: block a, block b."""
    if len(a.words) != len(b.words) or a.word_counts == b.word_counts:
        return None
    pairs = [(x, y) for x, y in zip(a.words, b.words, strict=True) if x != y]
    are_letters = all(len(word) == 1 and word.isascii() for pair in pairs for word in pair)
    return Contradiction("other name", *pairs[0]) if are_letters else None


def _excluding_words(
    a: ProseFacts, b: ProseFacts, table: str, least_share: float
) -> Iterator[tuple[str, str]]:
    """Yields words of the two texts that exclude each other, if no text has words of both sides."""
    run_words, reference_words = a.grouped_words[table], b.grouped_words[table]
    if not run_words or not reference_words:
        return
    for (group, side), word in run_words.items():
        for (other_group, other_side), other_word in reference_words.items():
            if (
                group == other_group
                and side != other_side
                and (group, other_side) not in run_words
                and (group, side) not in reference_words
                and _shared_content(a, b, {word, other_word}) >= least_share
            ):
                yield word, other_word


def _shared_content(a: ProseFacts, b: ProseFacts, ignored: Collection[str] = ()) -> float:
    """Returns the share of the shorter text's content words that both texts have."""
    left, right = a.content_words.difference(ignored), b.content_words.difference(ignored)
    shorter = min(len(left), len(right))
    return len(left & right) / shorter if shorter else float(len(left) == len(right))


def _shared_words(a: ProseFacts, b: ProseFacts) -> float:
    """Returns the share of all words, without negations, that both texts have."""
    if max(len(a.words), len(b.words)) > MAX_ORDERED:
        return 0.0
    union = a.affirmed_words | b.affirmed_words
    return len(a.affirmed_words & b.affirmed_words) / max(len(union), 1)


def _find_exchange(a: ProseFacts, b: ProseFacts) -> Contradiction | None:
    """Returns two groups of words that have changed places, in texts of the same words.

    In an exchange A, M, B becomes B, M, A, with M not empty. A phrase that only moves is no
    exchange: "today" at the beginning or the end. Nor is a list: "Anna and Ben".
    """
    x, y = a.words, b.words
    if max(len(x), len(y)) > MAX_ORDERED or _shared_content(a, b) < SAME_STATEMENT:
        return None
    if len(x) != len(y) or a.word_counts != b.word_counts:
        return _find_exchanged_roles(a.roles, b.roles)
    differing = [
        k for k, (word, other_word) in enumerate(zip(x, y, strict=True)) if word != other_word
    ]
    x, y = x[differing[0] : differing[-1] + 1], y[differing[0] : differing[-1] + 1]
    for left in range(1, MAX_EXCHANGED + 1):
        for right in range(1, min(MAX_EXCHANGED, len(x) - left - 1) + 1):
            first, middle, second = x[:left], x[left:-right], x[-right:]
            if y == (*second, *middle, *first):
                if _changes_roles(first, middle, second):
                    return Contradiction("exchanged", _join_words(first), _join_words(second))
                return _find_exchanged_roles(a.roles, b.roles)
    return _find_exchanged_roles(a.roles, b.roles)


def _find_exchanged_roles(
    run_roles: Mapping[str, str], reference_roles: Mapping[str, str]
) -> Contradiction | None:
    """Returns two words that have changed places after two words of direction."""
    for role, other_role in combinations(sorted(run_roles.keys() & reference_roles.keys()), 2):
        x, y = run_roles[role], run_roles[other_role]
        if x != y and (reference_roles[role], reference_roles[other_role]) == (y, x):
            return Contradiction("exchanged", x, y)
    return None


def _changes_roles(first: Words, middle: Words, second: Words) -> bool:
    """Whether an exchange changes the meaning: no list, no moved clause or sentence."""
    tables = lexicon()
    idle = tables["plain"] - tables["roles"] - tables["negations"] | {","}
    if {middle[0], middle[-1]} <= tables["coordinations"]:
        return False
    if ("," in middle and idle.issuperset(middle)) or "." in (*first, *middle, *second):
        return False
    # A day and an action that change places are no exchange either.
    has_content = all({*part} - tables["plain"] for part in (first, second))
    return has_content and _is_classed(first) == _is_classed(second)


def _is_classed(words: Words) -> bool:
    return any(lexicon().tables["classes"].groups_of(word) for word in words)


def _join_words(words: Words) -> str:
    is_script = all(len(word) == 1 and word >= "\u3000" for word in words)
    return ("" if is_script else " ").join(words)
