"""Texts inside texts: what escapes and base64 stand for."""

import base64
import binascii
import re
from collections.abc import Iterator
from typing import NamedTuple

from otap._patterns import regex

_ESCAPES = regex(
    r"(?:%(?:25){0,4}[0-9A-Fa-f]{2})+|\\{1,8}u[0-9A-Fa-f]{4}|&#(?:[0-9]{1,7}|x[0-9A-Fa-f]{1,6});"
)
_PERCENT = regex(r"%(?:25)*([0-9A-Fa-f]{2})")
# The alphabets of base64, for files and for URLs.
_BASE64 = (
    regex(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{16,8000}={0,2}(?![A-Za-z0-9+/=])"),
    regex(r"(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{16,8000}={0,2}(?![A-Za-z0-9_=-])"),
)
_URL_ALPHABET = str.maketrans("-_", "+/")


class Unescaped(NamedTuple):
    """A text without its escapes.

    Attributes:
        text: the text.
        offsets: for each of its characters, and for its end, the index in the text with escapes.
    """

    text: str
    offsets: range | list[int]


def unescape(text: str) -> Unescaped:
    """Returns a text with the characters that percent signs, JSON and HTML escape."""
    if "%" not in text and "\\u" not in text and "&#" not in text:
        return Unescaped(text, range(len(text) + 1))
    parts: list[str] = []
    offsets: list[int] = []
    end = 0
    for match in _ESCAPES.finditer(text):
        parts.append(text[end : match.start()])
        offsets += range(end, match.start())
        for character, offset in _decode(match[0]):
            parts.append(character)
            offsets.append(match.start() + offset)
        end = match.end()
    return Unescaped("".join([*parts, text[end:]]), [*offsets, *range(end, len(text) + 1)])


def _decode(escape: str) -> Iterator[tuple[str, int]]:
    """Yields the characters of an escape, with the index of each in it."""
    if escape.startswith("%"):
        units = list(_PERCENT.finditer(escape))
        data = bytes(int(unit[1], 16) for unit in units)
        try:
            characters = data.decode()
        except UnicodeDecodeError:
            characters = ""  # no text in UTF-8: each unit is a character
        sizes = [len(character.encode()) for character in characters] or [1] * len(data)
        position = 0
        for character, size in zip(characters or data.decode("latin-1"), sizes, strict=True):
            yield character, units[position].start()
            position += size
        return
    digits = escape.lstrip("\\u&#x").rstrip(";")
    is_decimal = escape.startswith("&#") and not escape.startswith("&#x")
    code = int(digits or "0", 10 if is_decimal else 16)
    yield chr(code) if code < 0x110000 else "\ufffd", 0


def list_encoded(text: str) -> Iterator[tuple[re.Match[str], str]]:
    """Yields the parts of a text that are another text in base64, with this text."""
    has_other_signs = any(sign in text for sign in "-_/+")
    for pattern in _BASE64 if has_other_signs else _BASE64[:1]:
        for match in pattern.finditer(text):
            decoded = _decode_base64(match[0])
            if decoded is not None:
                yield match, decoded


def _decode_base64(text: str) -> str | None:
    bare = text.rstrip("=").translate(_URL_ALPHABET)
    try:
        decoded = base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
    is_text = all(character.isprintable() or character.isspace() for character in decoded)
    return decoded if is_text else None
