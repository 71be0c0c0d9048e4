"""Which parts of a text look like identifiers that a system draws, and where they stand."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from pydantic import JsonValue

from otap._patterns import regex

LONG = 6  # digits of a number that is an identifier wherever it stands
SMALL = "\x02"  # begins a shorter number, one only under a key that names identifiers
LONGEST = 200  # characters of an identifier
_KEPT = 200  # characters of the longest text whose identifiers are kept

Part = tuple[int, int, str]  # begin, end and spelling of an identifier in a text

_CLOCK = r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
_TIME = r"\d\d?:\d\d(?::\d\d)?(?!\w)"
_ATOM = r"[^\W_](?:[\w-]*[^\W_])?"
ATOMS = regex(rf"(?<![\w-])(?:{_CLOCK}|{_TIME})|(?P<atom>{_ATOM})", re.ASCII)
_DIGIT = regex(r"\d")
_ALONE = regex(rf"[^\w]*({_ATOM})[)\]\"'.,;:]*\Z", re.ASCII)
_DATED = regex(rf"(?:{_CLOCK}|{_TIME}|\d+\.\d+)\Z", re.ASCII)
_QUANTITY = regex(r"\d+[A-Za-z]{1,3}\Z")
_WORDS = regex(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_NAMING = frozenset(
    ("id", "ids", "uuid", "guid", "ref", "refs", "token", "cursor", "handle", "key", "number")
).union(("no", "next"))
_NAMED = regex(
    r"(?:(?<![^\W_])(?:id|uuid|guid|ref|token|cursor|handle|key|number|no)[\"']?\s?[=:]?\s?|#)"
    r"[\"']?\Z",
    re.IGNORECASE,
)
_BEFORE = 12  # characters before a part that can say that it is an identifier


def names_identifiers(key: str) -> bool:
    """Says whether a key says that its value is an identifier, as ``order_id`` does."""
    return _names_identifiers(key[-LONGEST:])


@lru_cache(maxsize=4096)
def _names_identifiers(key: str) -> bool:
    words = _WORDS.findall(key)
    return bool(words) and words[-1].lower() in _NAMING


def parts(text: str, named: bool) -> Iterable[Part]:
    """Returns begin, end and spelling of each identifier in a text.

    Args:
        text: any text.
        named: whether it stands under a key that names identifiers.
    """
    return _kept(text, named) if len(text) <= _KEPT else _parts(text, named)


@lru_cache(maxsize=16_384)
def _kept(text: str, named: bool) -> tuple[Part, ...]:
    return tuple(_parts(text, named))


def _parts(text: str, named: bool) -> Iterator[Part]:
    whole = text.strip()
    if named and _is_opaque(whole):
        alone = _ALONE.match(whole)
        value = alone[1] if alone else whole
        begin = text.index(value)
        yield begin, begin + len(value), _spelled(value)
        return
    if not _DIGIT.search(text):
        return
    for found in ATOMS.finditer(text):
        atom = found["atom"]
        if atom is not None and len(atom) <= LONGEST and _DIGIT.search(atom):
            begin = found.start()
            said = _NAMED.search(text, max(0, begin - _BEFORE), begin) is not None
            if _is_identifier(atom, said):
                yield begin, found.end(), atom


def has_several_words(text: str) -> bool:
    """Says whether a text is several words, and no name."""
    return sum(map(str.isalpha, text.split()[:50])) > 1


def replaced(text: str, named: bool, name_of: Callable[[str], str]) -> str:
    """Returns a text with each identifier replaced by its name."""
    found, last = [], 0
    for begin, end, value in parts(text, named):
        found += [text[last:begin], name_of(value)]
        last = end
    return "".join([*found, text[last:]]) if found else text


def as_text(data: JsonValue) -> str | None:
    """Returns a whole number or a text as a text; None for what holds no identifier."""
    if isinstance(data, int) and not isinstance(data, bool):
        return str(data)
    return data if isinstance(data, str) else None


def _spelled(value: str) -> str:
    return SMALL + value if value.isdigit() and len(value) < LONG else value


def _is_opaque(whole: str) -> bool:
    """Whether a text that is named as an identifier is one as a whole."""
    if (
        not 0 < len(whole) <= LONGEST
        or any(map(str.isspace, whole))
        or "://" in whole
        or _DATED.match(whole)
    ):
        return False
    if any(map(str.isdigit, whole)):
        return True
    return len(whole) >= 8 and not whole.islower() and not whole.isupper() and not whole.istitle()


def _is_identifier(atom: str, said: bool) -> bool:
    digits = sum(map(str.isdigit, atom))
    if not digits:
        return False
    if digits == len(atom.replace("-", "")):
        return digits >= LONG if "-" not in atom else digits > LONG
    return said or (len(atom) > 2 and not _QUANTITY.match(atom))
