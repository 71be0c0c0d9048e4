"""Prose: what means what its words mean, in scripts with blanks and without."""

from otap._patterns import regex

_WORDS = regex(r"[^\W\d_]{2,}")
# Scripts that put no blanks between words, and how many characters of each are more than a word.
_HAN = regex(r"[\u3400-\u4dbf\u4e00-\u9fff\u3041-\u309f]")
_KATAKANA = regex(r"[\u30a0-\u30ff]")
_OTHERS = regex(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")  # Thai, Lao, Burmese, Khmer
SENTENCE, LONG_SENTENCE = 5, 12


def is_prose(text: str) -> bool:
    """Says whether a text is prose: a space, two words or more, and mostly letters.

    Where words stand without spaces: five Chinese or Japanese characters of which one is no
    katakana, or twelve Thai ones. Fewer are a word: two tell a choice, four a name.
    """
    words = _WORDS.findall(text)
    if len(words) >= 2 and " " in text and 2 * sum(map(len, words)) > len(text):
        return True
    return not text.isascii() and _is_sentence(text)


def _is_sentence(text: str) -> bool:
    characters, others = len(_HAN.findall(text)), len(_OTHERS.findall(text))
    if characters:
        characters += len(_KATAKANA.findall(text))
    enough = characters >= SENTENCE or others >= LONG_SENTENCE
    return enough and 2 * (characters + others) > len(text)
