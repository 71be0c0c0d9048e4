"""Identifiers: names with digits. Their letter case is kept, but for what is hexadecimal."""

import re

from otap._patterns import regex

_HEX = regex(
    r"0[xX][0-9a-fA-F]+\Z"
    r"|(?=.*\d)(?=.*[a-fA-F])[0-9a-fA-F]{7,64}\Z"
)
_UUID = regex(
    r"(?:urn:uuid:)?\{?([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})\}?\Z",
    re.IGNORECASE,
)
_VERSION = regex(r"[vV]?(\d+(?:\.\d+){2,}(?:[-+][\w.+-]+|[ab]\d+|rc\d+)?)\Z", re.ASCII)
_SHORT_VERSION = regex(r"[vV]\d+(?:\.\d+)?\Z", re.ASCII)
_PHONE = regex(
    r"\+\d{8,}\Z|(?!.\d*\.\d*\Z)\+\d[\d ()./-]{6,}\d\Z"
    r"|(?:1[ .-])?\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}\Z",
    re.ASCII,
)
# An IBAN, and the number of a card, in groups of four.
_GROUPS = regex(
    r"[A-Z]{2}\d\d(?: [A-Z0-9]{4}){2,7}(?: [A-Z0-9]{1,3})?\Z"
    r"|\d{4}([ -])\d{4}\1\d{4}\1\d{4}(?:\1\d{1,3})?\Z",
    re.ASCII,
)
_NO_DIGIT = regex(r"\D")
_MARKED = regex(r"#(?=[^\W_])(?!\d+[eE]\d+\Z)[\w-]+\Z")
_NAME = regex(r"[^\s,;]*\d[^\s,;]*\Z")
_LONGEST = 200


def uuid(text: str) -> str | None:
    """Reads a UUID, with its hyphens or without: as 32 hexadecimal digits."""
    found = _UUID.match(text) if len(text) <= 48 else None
    return "".join(found.groups()).lower() if found else None


def hexadecimal(text: str) -> str | None:
    """Reads a digest or a number in base 16, in small letters."""
    return text.lower() if len(text) <= 66 and _HEX.match(text) else None


def version(text: str) -> str | None:
    """Reads a version: of three parts or more, with a v or without; of fewer, with a v."""
    if len(text) > _LONGEST:
        return None
    if found := _VERSION.match(text):
        return found[1]
    return text.lower() if _SHORT_VERSION.match(text) else None


def phone(text: str) -> str | None:
    """Reads a telephone number: its digits, after the plus of a country."""
    if len(text) > 32 or not _PHONE.match(text):
        return None
    return ("+" if text[0] == "+" else "") + _NO_DIGIT.sub("", text)


def grouped(text: str) -> str | None:
    """Reads an IBAN or the number of a card that is set in groups: without what sets them apart."""
    return re.sub("[ -]", "", text) if len(text) <= 48 and _GROUPS.match(text) else None


def unmarked(text: str) -> str | None:
    """Returns what follows the # of #W123; None where there is none."""
    return text[1:] if len(text) <= _LONGEST and _MARKED.match(text) else None


def identifier(text: str) -> str | None:
    """Reads a name with a digit in it: as it is."""
    return text if len(text) <= _LONGEST and _NAME.match(text) else None
