"""Codes for the names of countries, languages, currencies, months, weekdays, zones and cities.

Only the key tells that a text names one: a name under another key is a word.
"""

from functools import cache

from otap._patterns import regex
from otap.values.cldr import read_codes, read_names, tidy_name
from otap.values.normalization import fold_word
from otap.values.units import MAX_AMOUNT, currency_of, holds, split_key

_TABLES = {
    "country": "territories",
    "language": "languages",
    "currency": "currencies",
    "month": "months",
    "weekday": "weekdays",
    "timezone": "zones",
    "place": "cities",
}
_OF_CODES = frozenset(("code", "codes", "name", "names", "iso"))
_LOCALE = regex(r"([a-z]{2,3})(?:[-_]([a-z]{4}))?(?:[-_]([a-z]{2}|\d{3}))?(?:\.utf-?8)?\Z")
_BRACKETED = regex(r"([^()]+?)\s?\(([^()]+)\)\Z")
_OFFSET = regex(r"(?:utc|gmt)?\s?([+-])(\d\d?)(?::?(\d\d))?\Z")
_ETC = regex(r"etc/gmt([+-])(\d\d?)\Z")
_TOWN = regex(r"[^\W\d_]+(?:[ -][^\W\d_]+){0,2}\Z")
_UMLAUT = regex(r"([aou])e")
_STROKES = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ß": "ss", "å": "a", "æ": "a", "ı": "i"})
_NO_OFFSET = frozenset(
    ("utc", "gmt", "z", "etc/utc", "etc/gmt", "zulu", "uct", "etc/uct", "etc/zulu")
)


def parse_code(text: str, key: str) -> str | None:
    """Returns the code of a country, a city and so on, if the key holds such names.

    Args:
        text: a name in any language, or a code.
        key: its key.
    """
    words = [word for word in split_key(key) if word.lower() not in _OF_CODES]
    if len(text) > MAX_AMOUNT or not words:
        return None
    kind = next(
        (kind for kind in _TABLES if holds(words[-1], kind) or holds("".join(words[-2:]), kind)),
        None,
    )
    if kind is None:
        return None
    small = tidy_name(text)
    if kind == "month" and small.isdecimal():
        return str(int(small))
    if kind == "currency":
        code = currency_of(text)
    elif kind == "language":
        code = _parse_language(small)
    elif kind == "timezone":
        code = _parse_zone(small)
    else:
        code = _find_code(small, _TABLES[kind])
        if kind == "place":
            code = code or read_names("territories").get(small) or _write_plainly(small)
    return code.lower() if code else None


def _write_plainly(name: str) -> str | None:
    """A name of a place without accents, and with one letter for an umlaut; None if it is so."""
    if not _TOWN.match(name):
        return None
    plain = _UMLAUT.sub(r"\1", fold_word(name.translate(_STROKES)))
    return None if plain == name or not plain.isascii() else plain.replace(" ", "").replace("-", "")


def _find_code(name: str, table: str) -> str | None:
    """The code of a name in small letters, also without its accents; or of a code itself."""
    folded = fold_word(name)
    code = read_names(table).get(name) or _plain_names(table, folded[:1]).get(folded)
    if code:
        return code
    return name.upper() if name.upper() in read_codes(table) else None


@cache
def _plain_names(table: str, sign: str) -> dict[str, str]:
    """The codes by name without accents, for names with one first sign; one of two codes has none.

    To fold all names of cities takes as long as a hundred scores.
    """
    codes: dict[str, set[str]] = {}
    for name in _names_by_sign(table).get(sign, ()):
        codes.setdefault(fold_word(name), set()).add(read_names(table)[name])
    return {name: next(iter(sharing)) for name, sharing in codes.items() if len(sharing) == 1}


@cache
def _names_by_sign(table: str) -> dict[str, list[str]]:
    """The names by their first sign without accents."""
    names = read_names(table)
    signs = {sign: fold_word(sign)[:1] for sign in {name[:1] for name in names}}
    by_sign: dict[str, list[str]] = {}
    for name in names:
        by_sign.setdefault(signs[name[:1]] or fold_word(name)[:1], []).append(name)
    return by_sign


def _parse_language(name: str) -> str | None:
    """The code of a language, also of a country or in a script: pt-br for Brazilian Portuguese."""
    code = _find_code(name, "languages")
    if code:
        return code
    locale = _LOCALE.match(name)
    if locale and locale[1] in read_codes("languages"):
        return "-".join(part for part in locale.groups() if part)
    bracketed = _BRACKETED.match(name)
    parts = bracketed.groups() if bracketed else ()
    language = _find_code(parts[0], "languages") if parts else None
    if not language or not bracketed:
        return None
    variety = _find_code(parts[1], "scripts") or _find_code(parts[1], "territories")
    return f"{language}-{variety.lower()}" if variety else None


def _parse_zone(name: str) -> str | None:
    """The name of a time zone, or its offset: utc+02:00."""
    if name in _NO_OFFSET:
        return "utc+00:00"
    offset, etc = _OFFSET.match(name), _ETC.match(name)
    if offset:
        sign = "+" if int(offset[2]) + int(offset[3] or 0) == 0 else offset[1]
        return f"utc{sign}{int(offset[2]):02}:{offset[3] or '00'}"
    if etc:  # with the sign of POSIX
        return f"utc{'-' if etc[1] == '+' else '+'}{int(etc[2]):02}:00"
    return _find_code(name.replace(" ", "_"), "zones") or _find_code(name, "zones")
