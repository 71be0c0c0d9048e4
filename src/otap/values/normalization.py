"""Normal forms of texts and words, and the test for prose."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Literal

from otap._patterns import regex

# Characters of the shortest sentence without blanks: Chinese and Japanese, and Thai with its longer
# words.
SENTENCE, LONG_SENTENCE = 5, 12

# Characters without width, marks of direction, fillers, tags, and selectors of a glyph.
INVISIBLE = "".join(
    chr(code)
    for first, last in (
        (0xAD, 0xAD), (0x61C, 0x61C), (0x115F, 0x1160), (0x180B, 0x180E), (0x200B, 0x200F),
        (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF),
        (0xFFA0, 0xFFA0), (0xE0000, 0xE007F), (0xE0100, 0xE01EF),
    )
    for code in range(first, last + 1)
)  # fmt: skip
# Full-width characters and special blanks become plain ones; invisible characters go.
_PLAIN: Mapping[int, int | str | None] = {
    **{wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)},
    **dict.fromkeys((0xA0, 0x2007, 0x2009, 0x202F, 0x3000), " "),
    0x66B: ".",
    0x66C: ",",
    **dict.fromkeys(ord(character) for character in INVISIBLE),
}
_INVISIBLE = regex(f"[{INVISIBLE}]")
# Scripts that need joiners, and emoji, have some of these by right.
_JOINERS = regex(r"(?<![!-~])[\u200c\u200d\ufe00-\ufe0f]|[\u200c\u200d\ufe00-\ufe0f](?![ -~]|\Z)")
_FALSE_BLANKS = regex(r"[\u00a0\u2007\u2009\u202f]")
_FALSE_INDENTS = regex(r"(?<=\n)[\u00a0\u2007\u2009\u202f]{1,80}")
_OTHER_DIGIT = regex(r"(?![0-9])\d")
# Without Omega and mu, the letters of ohms and of a millionth.
_GREEK_OR_CYRILLIC = r"[\u0370-\u03a8\u03aa-\u03bb\u03bd-\u052f]"
_OTHER_SCRIPT = regex(
    rf"[A-Za-z][^\W\d_]{{0,40}}{_GREEK_OR_CYRILLIC}|{_GREEK_OR_CYRILLIC}[^\W\d_]{{0,40}}[A-Za-z]"
)
# Letters of other scripts that look like Latin ones.
_LOOKALIKE = str.maketrans(
    "АВЕЅКМНОРСТУХІЈавеѕкмнорстухіјԁԛԝһӏΑΒΕΖΗΙΚΜΝΟΡΤΥΧανορυικ",
    "ABESKMHOPCTYXIJabeskmhopctyxijdqwhlABEZHIKMNOPTYXavopuik",
)
_BLANKS = regex(r"\s+")
_LOCALE = regex(r"[a-z]{2,3}(?:[-_][A-Z][a-z]{3})?[-_][A-Z]{2}\Z")
# Umlauts as they are written where a keyboard lacks them: Juergen is Jürgen.
_SPELLED_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa", "æ": "ae"})
_WORD = regex(r"[^\W\d_]+(?:[_\-][^\W\d_]+)*\Z")
_SHORT_PHRASE = regex(r"[^\W\d_]+(?: [^\W\d_]+){1,2}\Z")
_HUMP = regex(r"[^\W\d_][^\W\d_A-Z]*")
_PART = regex(r"[_\- ]")
_LONG_WORD = regex(r"[^\W\d_]{2,}")
_PLAIN_WORD = regex(r"[(\"']?[^\W\d_]{2,}(?:['-][^\W\d_]+)*[,.;:!?)\"']{0,3}\Z")
_FIGURE = regex(r"\d")
_SEVERAL = 3  # words that make a text prose, whatever codes stand among them
# Scripts without blanks between words.
_HAN = regex(r"[\u3400-\u4dbf\u4e00-\u9fff\u3041-\u309f]")
_KATAKANA = regex(r"[\u30a0-\u30ff]")
_SOUTHEAST_ASIAN = regex(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")  # Thai, Lao, Burmese, Khmer
_MAX_WORD = 80  # characters
_MAX_MARKS = 30  # combining marks on one letter, as in Unicode's Stream-Safe Text Format
_HALF_WIDE = "\uff9e\uff9f"  # letters that become marks under normalization
_SIGNS = regex(rf"(?:[^\w\s!-~]|[{_HALF_WIDE}]){{{_MAX_MARKS},}}")
Form = Literal["NFC", "NFKC", "NFKD"]


def normalize(text: str) -> str:
    """Returns a text in NFC with plain blanks, digits and letters, and without outer blanks."""
    if text.isascii():
        return text.strip()
    text = _OTHER_DIGIT.sub(_write_digit, text.translate(_PLAIN))
    return compose(text, "NFC").strip()


def _write_digit(match: re.Match[str]) -> str:
    return str(unicodedata.decimal(match[0]))


def compose(text: str, form: Form) -> str:
    """Returns a text in a Unicode normal form, with at most _MAX_MARKS marks on one letter.

    Normalization takes time quadratic in the number of marks on one letter.
    """
    if not text.isascii():
        text = _SIGNS.sub(_drop_marks, text)
    return unicodedata.normalize(form, text)


def _drop_marks(signs: re.Match[str]) -> str:
    non_marks = [
        sign
        for sign in signs[0][_MAX_MARKS:]
        if not (unicodedata.category(sign).startswith("M") or sign in _HALF_WIDE)
    ]
    return signs[0][:_MAX_MARKS] + "".join(non_marks)


def fold_word(word: str) -> str:
    """Returns a word without letter case and accents."""
    if word.isascii():
        return word.lower()
    decomposed = compose(word.casefold(), "NFKD")
    return "".join(sign for sign in decomposed if not unicodedata.combining(sign))


def drop_invisible(text: str) -> str:
    """Returns a text without invisible characters."""
    return text if text.isascii() else _INVISIBLE.sub("", text)


def find_invisible(text: str) -> list[str]:
    """Returns the invisible characters that a text needs for nothing, each once."""
    if text.isascii():
        return []
    return list(dict.fromkeys(_INVISIBLE.findall(_JOINERS.sub("", text))))


def find_false_blanks(text: str, *, everywhere: bool) -> list[str]:
    """Returns the blanks that only look like a plain blank, where a plain one has a meaning.

    Args:
        text: any text.
        everywhere: whether each blank has a meaning, or only those at the beginning of a line.
    """
    if text.isascii():
        return []
    pattern = _FALSE_BLANKS if everywhere else _FALSE_INDENTS
    return list(dict.fromkeys("".join(pattern.findall(text))))


def mixes_scripts(text: str) -> bool:
    """Returns whether a word has letters of two scripts that look alike."""
    return not text.isascii() and _OTHER_SCRIPT.search(text) is not None


def fold_lookalikes(text: str) -> str:
    """Returns a text with Latin letters for letters of other scripts that look like them."""
    return text if text.isascii() else text.translate(_LOOKALIKE)


def join_blanks(text: str) -> str:
    """Returns a text in one line with single blanks."""
    return _BLANKS.sub(" ", text)


def tidy_lines(text: str) -> str:
    """Returns a text with uniform line ends and without blanks before them."""
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")


def parse_word(text: str) -> str | None:
    """Returns the canonical form of a word or a choice, or None for other texts.

    in_progress, IN-PROGRESS and inProgress have the same form.
    """
    if len(text) > _MAX_WORD or not _WORD.match(text) or _has_random_case(text):
        return None
    return join_words(text)


def join_words(text: str) -> str:
    """Returns a word without letter case; parts of two letters and more are joined."""
    parts = _PART.split(spell_out(text.casefold()))
    return "".join(parts) if all(len(part) > 1 for part in parts) else "-".join(parts)


def spell_out(small: str) -> str:
    """Returns a text in small letters with two letters for an umlaut."""
    return small if small.isascii() else small.translate(_SPELLED_OUT)


def is_choice(text: str) -> bool:
    """Returns whether a text is two or three words and nothing else: it may be a choice."""
    return len(text) <= _MAX_WORD and _SHORT_PHRASE.match(text) is not None


def is_prose(text: str) -> bool:
    """Returns whether a text is prose: a space, two words or more, and mostly letters.

    Codes and figures may stand among several words, and do not count then.
    In scripts without spaces: five Chinese or Japanese characters, not all katakana, or twelve
    Thai characters. Shorter texts are words: two characters name a choice, four a person.
    """
    text = text if text.isascii() else _drop_all_marks(text)
    words = _LONG_WORD.findall(text)
    if len(words) >= 2 and " " in text and 2 * sum(len(word) for word in words) > len(text):
        return True
    if _has_sentence(text):
        return True
    if text.isascii():
        return False
    east_asian, southeast_asian = len(_HAN.findall(text)), len(_SOUTHEAST_ASIAN.findall(text))
    if east_asian:
        east_asian += len(_KATAKANA.findall(text))
    is_sentence = east_asian >= SENTENCE or southeast_asian >= LONG_SENTENCE
    return is_sentence and 2 * (east_asian + southeast_asian) > len(text)


def _has_sentence(text: str) -> bool:
    """Whether a text has several words, more letters than signs, beside its codes and figures."""
    parts = text.split()
    words = [word for word in parts if _PLAIN_WORD.match(word)]
    others = [part for part in parts if not _FIGURE.search(part)]
    letters = sum(map(len, words))
    return len(words) >= _SEVERAL and 2 * letters > sum(map(len, others))


def _drop_all_marks(text: str) -> str:
    """Returns a text without combining marks, which are parts of words in the scripts of India."""
    return "".join(sign for sign in text if not unicodedata.category(sign).startswith("M"))


def _has_random_case(text: str) -> bool:
    """Whether letter case changes at random, as in QgXwdT, unlike camelCase."""
    if text.islower() or text.isupper() or not text.isascii() or _LOCALE.match(text):
        return False
    humps = _HUMP.findall(text)
    return len(humps) > 2 and len(text) < 2.5 * len(humps)
