"""How a text is written: what no kind of value makes a difference of, words, and what is prose."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Literal

from otap._patterns import regex
from otap.values.parameters import LONG_SENTENCE, SENTENCE

# Forms as wide as a Chinese character, and blanks that are not U+0020, stand for the plain ones.
_PLAIN: Mapping[int, int | str | None] = {
    **{wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)},
    **dict.fromkeys((0xA0, 0x2007, 0x2009, 0x202F, 0x3000), " "),
    **dict.fromkeys((0x200B, 0x2060, 0xFEFF)),
}
_BLANKS = regex(r"\s+")
_WORD = regex(r"[^\W\d_]+(?:[_\-][^\W\d_]+)*\Z")
_FEW = regex(r"[^\W\d_]+(?: [^\W\d_]+){1,2}\Z")
_HUMP = regex(r"[^\W\d_][^\W\d_A-Z]*")
_PART = regex(r"[_\- ]")
_LONG_WORD = regex(r"[^\W\d_]{2,}")
# Scripts that put no blanks between words.
_HAN = regex(r"[\u3400-\u4dbf\u4e00-\u9fff\u3041-\u309f]")
_KATAKANA = regex(r"[\u30a0-\u30ff]")
_OTHERS = regex(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")  # Thai, Lao, Burmese, Khmer
_LONGEST = 80  # characters of a word
_MARKS = 30  # signs on one letter, as Unicode's Stream-Safe Text Format has it
_HALF_WIDE = "\uff9e\uff9f"  # letters that become marks
_SIGNS = regex(rf"(?:[^\w\s!-~]|[{_HALF_WIDE}]){{{_MARKS},}}")
Form = Literal["NFC", "NFKC", "NFKD"]


def normalize(text: str) -> str:
    """Returns a text in Unicode's NFC, with plain blanks, digits and letters, and no blank ends."""
    if text.isascii():
        return text.strip()
    return compose(text.translate(_PLAIN), "NFC").strip()


def compose(text: str, form: Form) -> str:
    """Returns a text in one of Unicode's forms; of marks on one letter _MARKS at most are kept.

    To put them in order takes time that grows with their square.
    """
    if not text.isascii():
        text = _SIGNS.sub(_drop_marks, text)
    return unicodedata.normalize(form, text)


def _drop_marks(signs: re.Match[str]) -> str:
    rest = signs[0][_MARKS:]
    return signs[0][:_MARKS] + "".join(one for one in rest if not _is_mark(one))


def _is_mark(sign: str) -> bool:
    return unicodedata.category(sign).startswith("M") or sign in _HALF_WIDE


def fold_word(word: str) -> str:
    """Returns a word without letter case and accents."""
    if word.isascii():
        return word.lower()
    apart = compose(word.casefold(), "NFKD")
    return "".join(sign for sign in apart if not unicodedata.combining(sign))


def join_blanks(text: str) -> str:
    """Returns a text in one line, its words one blank apart."""
    return _BLANKS.sub(" ", text)


def tidy_lines(text: str) -> str:
    """Returns a text line by line: ends of lines are one, blanks before them are gone."""
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")


def parse_word(text: str) -> str | None:
    """Reads a word or the name of a choice: in_progress, IN-PROGRESS and inProgress are one."""
    if len(text) > _LONGEST or not _WORD.match(text) or _is_drawn(text):
        return None
    return join_words(text)


def join_words(text: str) -> str:
    """Returns a word without letter case; parts of two letters and more are put together."""
    parts = _PART.split(text.casefold())
    return "".join(parts) if all(len(part) > 1 for part in parts) else "-".join(parts)


def is_choice(text: str) -> bool:
    """Says whether a text is two or three words and nothing else, which a choice may be as well."""
    return len(text) <= _LONGEST and _FEW.match(text) is not None


def is_prose(text: str) -> bool:
    """Says whether a text is prose: a space, two words or more, and mostly letters.

    Where words stand without spaces: five Chinese or Japanese characters of which one is no
    katakana, or twelve Thai ones. Fewer are a word: two tell a choice, four a name.
    """
    words = _LONG_WORD.findall(text)
    if len(words) >= 2 and " " in text and 2 * sum(map(len, words)) > len(text):
        return True
    if text.isascii():
        return False
    characters, others = len(_HAN.findall(text)), len(_OTHERS.findall(text))
    characters += len(_KATAKANA.findall(text)) if characters else 0
    enough = characters >= SENTENCE or others >= LONG_SENTENCE
    return enough and 2 * (characters + others) > len(text)


def _is_drawn(text: str) -> bool:
    """Whether letter case changes as in QgXwdT, by chance, and not as in camelCase."""
    if text.islower() or text.isupper() or not text.isascii():
        return False
    humps = _HUMP.findall(text)
    return len(humps) > 2 and len(text) < 2.5 * len(humps)
