"""Finds texts that plainly do not contradict each other, for many pairs at once.

Most pairs of steps have prose that neither replaces nor contradicts the other: two notes with a few
words in common. The properties of single texts prove that, without a look at any pair.
"""

from collections.abc import Hashable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from otap.values.closings import has_closing
from otap.values.contradiction import MAX_SHORT_TEXT, SAME_STATEMENT
from otap.values.languages import Language
from otap.values.lexicon import lexicon
from otap.values.prose_facts import ProseFacts, read_prose_facts
from otap.values.sentences import SAME_SENTENCE
from otap.values.sets import count_common, share_of_smaller
from otap.values.texts import read_text
from otap.values.wording import has_grave_words, has_units, read_gist

Flags = npt.NDArray[np.bool_]
Topics = Mapping[Hashable, Hashable]


class _Traits(NamedTuple):
    """The properties of a text that decide whether another one can contradict it.

    Attributes:
        topics: its statement about each topic. Texts contradict each other only if they have a
            topic in common and different statements about it.
        entities: the same for each kind of entity.
        negated: the words that have a negating prefix, without it.
        content: its words with content.
        stems: their stems.
        language: its language; None if it is in no listed one.
        is_negated: whether it has an odd number of negations.
        is_plain: whether it is one short sentence without anything that only a look at the pair
            can judge.
    """

    topics: Topics
    entities: Topics
    negated: frozenset[str]
    content: frozenset[str]
    stems: frozenset[str]
    language: Language | None
    is_negated: bool
    is_plain: bool


_OTHER = _Traits({}, {}, frozenset(), frozenset(), frozenset(), None, False, False)


@lru_cache(maxsize=1 << 14)
def _read_traits(text: str) -> _Traits:
    gist = read_gist(text)
    if not (gist.is_short and gist.is_single and gist.is_ascii and gist.stems):
        return _OTHER
    facts, read = read_prose_facts(text), read_text(text, gist.language)
    is_plain = not read.exact_parts and not has_grave_words(read)
    if not is_plain or len(facts.sentences) != 1 or not facts.content_words:
        return _OTHER
    topics = _list_topics(facts)
    # Two texts with a unit, or with a closing, are always looked at.
    if has_units(read):
        topics["unit"] = text
    if has_closing(text):
        topics["closing"] = text
    return _Traits(
        topics=topics,
        entities={kind: frozenset(forms) for kind, forms in facts.entities.items()},
        negated=frozenset(facts.negated_stems),
        content=facts.content_words,
        stems=gist.stems,
        language=gist.language,
        is_negated=facts.negation_count % 2 == 1,
        is_plain=True,
    )


def _list_topics(facts: ProseFacts) -> dict[Hashable, Hashable]:
    """Returns the groups of words that exclude each other, with the sides that a text has."""
    sides: dict[Hashable, frozenset[int]] = {}
    for table, words in facts.grouped_words.items():
        for group, side in words:
            sides[table, group] = sides.get((table, group), frozenset()) | {side}
    topics: dict[Hashable, Hashable] = {**sides}
    answer = lexicon().tables["answers"].groups_of(facts.words[0])
    if answer:
        topics["answer"] = answer
    if any(len(word) == 1 for word in facts.words):
        # Only texts with the same longer words differ by a letter that is a name.
        topics[frozenset(word for word in facts.words if len(word) > 1)] = facts.text
    return topics


def find_compatible(runs: Sequence[str], references: Sequence[str]) -> Flags:
    """Returns which pairs of texts plainly do not contradict each other, as a matrix.

    For these ``find_text_contradiction`` returns None. Their wording is not critical unless
    ``is_replaced`` holds.
    """
    sides = [[_read_traits(text) for text in texts] for texts in (runs, references)]
    is_compatible: Flags = np.logical_and.outer(*[[each.is_plain for each in s] for s in sides])
    codes: dict[int, int] = {}
    languages = [[codes.setdefault(id(each.language), len(codes)) for each in s] for s in sides]
    is_compatible &= np.equal.outer(*languages)
    is_compatible &= np.equal.outer(*[[each.is_negated for each in s] for s in sides])
    stems = [[each.stems for each in s] for s in sides]
    is_compatible &= share_of_smaller(*stems) < SAME_SENTENCE
    content = [[each.content for each in s] for s in sides]
    is_compatible &= share_of_smaller(*content) < SAME_STATEMENT
    # Two longer texts with other words may have different details.
    is_long = [[len(words) > MAX_SHORT_TEXT for words in s] for s in content]
    entities = [[each.entities for each in s] for s in sides]
    is_compatible &= np.logical_and.outer(*is_long) | _agree(*entities)
    is_compatible &= _agree(*[[each.topics for each in s] for s in sides])
    negated = [[each.negated for each in s] for s in sides]
    is_compatible &= count_common(negated[0], content[1]) == 0
    is_compatible &= count_common(content[0], negated[1]) == 0
    return is_compatible


def _agree(rows: Sequence[Topics], columns: Sequence[Topics]) -> Flags:
    """Whether both have the same statement about each common topic, (rows, columns)."""
    sides = [[topics.items() for topics in side] for side in (rows, columns)]
    is_agreed: Flags = count_common(rows, columns) == count_common(*sides)
    return is_agreed
