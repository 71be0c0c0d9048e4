"""Whether the words around a value or a name deny it, leave it open, or offer alternatives.

All functions take the parts of a sentence before and after a mention, in small letters.
"""

from collections.abc import Sequence
from itertools import takewhile

from otap._patterns import regex
from otap.run.answers.words import phrase_list, word_list

DENIAL_REACH = 6  # words between a negation and the value that it denies
HEDGE_REACH = 6  # words before a value that may make it a conjecture
AFTERTHOUGHT_REACH = 4  # words after a value that may make it a conjecture
QUESTION_WORDS = 6  # a question with so few other words asks whether its value is right
MAX_ITEM_WORDS = 4  # words of an alternative
MAX_LINK = 60  # characters between two members of a list
SCRIPT_REACH = 8  # characters between a value and a negation, in text without blanks

# A letter or digit, or a mark on one, as in Devanagari, Arabic and Thai.
_LETTER = r"(?:[^\W_]|[\u0300-\u036f\u064b-\u065f\u0900-\u0dff\u0e30-\u0e4e])"
_TOKEN = regex(rf"{_LETTER}+(?:['.,:/@-]{_LETTER}+)*|[^\w\s]")
_BREAK = regex(r"[,;:()\u2013\u2014\u3001\u3002\uff0c\uff1b\uff1a]|\s-\s")
_SCRIPTS = regex("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_QUESTION = regex(r"[?\uff1f]\s*\Z")
_DENIED_AT_END = regex(
    r"[\s,:(\u2013\u2014-]*"
    r"(?:no|nope|nein|not|wrong|false|incorrect|falsch|faux|falso|errado)\b\s*[).,!]?\s*\Z"
)
_SEPARATORS = frozenset(",/?;|\u3001\uff0c\uff1f")
_ENDS = frozenset(".!\n")
_JOINING = frozenset(("of", "even", "is", "it"))


def split_words(text: str) -> list[str]:
    """Returns the words and signs of a text."""
    return _TOKEN.findall(text)


def bare_words(text: str) -> list[str]:
    """Returns the words of a text without punctuation and signs of money."""
    return [word for word in _TOKEN.findall(text) if word[0].isalnum()]


def has_script(text: str) -> bool:
    """Whether a text has characters that are written without blanks."""
    return _SCRIPTS.search(text) is not None


def is_question(text: str) -> bool:
    """Whether a text ends with a question mark."""
    return _QUESTION.search(text) is not None


def asks_for(before: str, after: str) -> bool:
    """Whether a sentence only asks whether its value is right."""
    if not is_question(after):
        return False
    words, following = bare_words(before), bare_words(after)
    if not words:
        return len(following) < MAX_ITEM_WORDS
    is_short = len(words) + len(following) <= QUESTION_WORDS
    return is_short and words[0] in word_list("questions")


def is_denied(before: str, after: str) -> bool:
    """Whether the clause of a mention denies it."""
    clause, rest = _last_clause(before), _first_clause(after)
    reach, following = _last_words(clause)[-DENIAL_REACH:], _first_words(rest)
    if any(_denies(reach, index) for index, word in enumerate(reach) if is_negation(word)):
        return True
    if has_phrase(reach, "replaced"):
        return True
    falsehoods = word_list("falsehoods")
    if not falsehoods.isdisjoint([*reach, *following[:DENIAL_REACH]]):
        return True
    if not word_list("negations_after").isdisjoint(following[:2]):
        return True
    if _is_denied_after(following) or _DENIED_AT_END.match(after):
        return True
    if not has_script(before + after):
        return False
    near, following_signs = clause[-SCRIPT_REACH:], rest[: 2 * SCRIPT_REACH]
    return any(sign in near for sign in word_list("script_negations_before")) or any(
        sign in following_signs for sign in word_list("script_negations_after")
    )


def is_conjecture(before: str, after: str) -> bool:
    """Whether words near a mention make it a conjecture."""
    lead = _last_words(_last_clause(before))[-HEDGE_REACH:]
    following = bare_words(after)[:AFTERTHOUGHT_REACH]
    if not word_list("hedges").isdisjoint([*lead, *following]):
        return True
    last = bare_words(before)[-HEDGE_REACH:]
    if has_phrase(last, "hedge_phrases") or has_phrase(following, "hedge_phrases"):
        return True
    if not has_script(before + after):
        return False
    near = before[-2 * SCRIPT_REACH :] + "\n" + after[: 2 * SCRIPT_REACH]
    return any(sign in near for sign in word_list("script_hedges"))


def find_vague_word(sentence: str) -> str | None:
    """Returns a word by which a sentence may leave something open, or None.

    Any negation or hedge counts, whatever it belongs to.
    """
    if is_question(sentence):
        return "?"
    words = bare_words(sentence)
    vague = word_list("hedges") | word_list("falsehoods") | word_list("negations_after")
    for word in words:
        if is_negation(word) or word in vague:
            return word
    for name in ("hedge_phrases", "replaced"):
        if has_phrase(words, name):
            return name
    if not has_script(sentence):
        return None
    names = "script_negations_before", "script_negations_after", "script_hedges"
    signs = [sign for name in names for sign in sorted(word_list(name))]
    return next((sign for sign in signs if sign in sentence), None)


def joins(link: str) -> bool:
    """Whether the text between two values makes them members of one list."""
    if len(link) > MAX_LINK or not _ENDS.isdisjoint(link):
        return False
    words = bare_words(link)
    joining = word_list("alternatives") | word_list("clauses") | word_list("hedges") | _JOINING
    has_separator = not _SEPARATORS.isdisjoint(link) or not joining.isdisjoint(words)
    has_separator |= any(sign in link for sign in word_list("script_alternatives"))
    return has_separator and sum(word not in joining for word in words) <= 2


def offers_choice(lead: str, links: Sequence[str]) -> bool:
    """Whether a list of values is a list of guesses.

    Args:
        lead: the text before the list.
        links: the texts between its members.
    """
    words = bare_words(lead)
    is_dutch = not word_list("dutch").isdisjoint(words)
    if has_phrase(words[-MAX_ITEM_WORDS:], "choices"):
        return True
    if all(not frozenset("?\uff1f").isdisjoint(link) for link in links):
        return True
    return any(_alternates(link, is_dutch=is_dutch) for link in links)


def list_other_phrases(before: str, after: str) -> list[str]:
    """Returns the phrases that a sentence offers as alternatives to a mention."""
    alternatives, stops = word_list("alternatives"), word_list("no_alternatives")
    words, items, item = split_words(after), list[str](), list[str]()
    for index, word in enumerate(words):
        if word in alternatives:
            following = [*words[index + 1 : index + 3], ""]
            if following[0] in stops or not following[0] or (item and not items):
                return []
            last = takewhile(lambda word: word[:1].isalnum(), following)
            return [*[text for text in items if text], " ".join(last)]
        if word in (",", "/", "\u3001"):
            items.append(" ".join(item))
            item = []
        elif not word[0].isalnum() or not items or len(item) == MAX_ITEM_WORDS:
            break
        else:
            item.append(word)
    words = split_words(before)
    if len(words) > 1 and words[-1] in alternatives:
        return [word for word in words[-2:-1] if word[0].isalnum()]
    return []


def is_negation(word: str) -> bool:
    """Whether a word is a negation."""
    return word in word_list("negations") or word.endswith("n't")


def has_phrase(words: Sequence[str], name: str) -> bool:
    """Whether words contain a phrase of a list."""
    text = f" {' '.join(words)} "
    return any(f" {phrase} " in text for phrase in phrase_list(name))


def _last_clause(before: str) -> str:
    breaks = [match.end() for match in _BREAK.finditer(before)]
    return before[breaks[-1] :] if breaks else before


def _first_clause(after: str) -> str:
    match = _BREAK.search(after)
    return after[: match.start()] if match else after


def _last_words(clause: str) -> list[str]:
    """The words after the last word that begins a clause."""
    words = bare_words(clause)
    begins = [index for index, word in enumerate(words) if word in word_list("clauses")]
    return words[begins[-1] + 1 :] if begins else words


def _first_words(clause: str) -> list[str]:
    return list(takewhile(lambda word: word not in word_list("clauses"), bare_words(clause)))


def _denies(words: Sequence[str], index: int) -> bool:
    """Whether the negation at an index denies the end of the words.

    In "the items that you do not return cost 42", another verb stands between the two.
    """
    between = words[index + 1 :]
    if not word_list("limits").isdisjoint(between):
        return False
    is_near = word_list("copulas").isdisjoint(between[1:])
    return is_near or not word_list("opinions").isdisjoint(between)


def _is_denied_after(following: Sequence[str]) -> bool:
    """Whether the words after a value are "is not right", "isn't the answer"."""
    for index, word in enumerate(following[:3]):
        if is_negation(word) and index + 1 < len(following):
            return following[index + 1] in word_list("truths")
    return False


def _alternates(link: str, *, is_dutch: bool) -> bool:
    words = bare_words(link)
    if not word_list("alternatives").isdisjoint(words) or (is_dutch and "of" in words):
        return True
    return any(sign in link for sign in word_list("script_alternatives"))
