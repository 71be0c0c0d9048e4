"""How a text is written: what no kind of value makes a difference of."""

import unicodedata
from collections.abc import Mapping

from otap._patterns import regex

# Forms as wide as a Chinese character, and blanks that are not U+0020, stand for the plain ones.
_PLAIN: Mapping[int, int | str | None] = {
    **{wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)},
    **dict.fromkeys((0xA0, 0x2007, 0x2009, 0x202F, 0x3000), " "),
    **dict.fromkeys((0x200B, 0x2060, 0xFEFF)),
}
_BLANKS = regex(r"\s+")


def normal(text: str) -> str:
    """Returns a text in Unicode's NFC, with plain blanks, digits and letters, and no blank ends."""
    if text.isascii():
        return text.strip()
    composed = unicodedata.normalize("NFC", text.translate(_PLAIN))
    return composed.strip()


def spaced(text: str) -> str:
    """Returns a text in one line, its words one blank apart."""
    return _BLANKS.sub(" ", text)


def lines(text: str) -> str:
    """Returns a text line by line: ends of lines are one, blanks before them are gone."""
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")
