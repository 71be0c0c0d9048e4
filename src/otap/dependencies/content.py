"""What a step or the user says, and the values in it: equal contents are read once.

The steps of a run often say the same, and so do the runs of a task. What is read here depends on
the data alone, never on the run that it stands in.

Values are taken out of running text, and equal ones are looked for elsewhere, so the rule for
numbers is narrow: a leading plus begins a telephone number, an exponent is one as Python spells a
float (1e+20), what is longer than 15 characters is a name. Arguments that stand at one place are
compared by a wider rule, :mod:`otap.values.literals`.
"""

import json
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from datetime import date
from functools import lru_cache
from hashlib import blake2b
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias, TypeVar, TypeVarTuple, cast

from pydantic import JsonValue
from pydantic_core import from_json

from otap._caching import Kept, cached_property
from otap._patterns import regex
from otap.dependencies.parameters import (
    CODE,
    COMMON,
    DECIMALS,
    IDENTIFIER,
    LARGE,
    LARGE_NUMBER,
    MAX_WORDS,
    MIN_CODE,
    MIN_DIGITS,
    SMALL,
    SMALL_NUMBER,
)
from otap.trajectory import Step, Trajectory

MAX_TEXT = 100_000  # characters of one text in which values are looked for
MAX_PHRASE = 200  # characters of a text that counts as one value
MAX_LEVELS = 100  # of data, text that holds JSON included; what lies deeper is not looked at
MAX_CALCULATED = 15  # characters of a number that value flow spells anew: a longer one is a name
MAX_KEY = 80  # characters of a key that a path shows
SHORT = 200  # characters of the longest text of which is kept what was read of it
ROOM = 500_000  # characters of a generation of contents: texts, other data, utterances each
KEPT = 24  # readings of one content
_LEAST = 100  # characters that the shortest content counts for
_SOUGHT = 512  # short values whose first text is kept, of one index

_TOKEN = regex(r"[^\W_](?:[\w@.:/#-]*[^\W_])?")
_NUMBER = regex(r"-?\d+(?:\.\d+)?(?:e[+-]\d+)?\Z")
_ISO_DATE = regex(r"\d{4}-\d\d-\d\d\Z")
_ARITHMETIC = regex(r"[\d.+*/%-]+\Z")
_ATOM = regex(r"\d{4}-\d\d-\d\d|[^\W_](?:\w|(?<=\d)\.(?=\d))*")
_CLOCK = regex(r"(?<=\d)T(?=\d\d:)")  # between a date and a time
_AMOUNT = regex(r"[^\w.]*(\d[\d,]*(?:\.\d+)?)\s*[^\W\d_]{0,3}\W*\Z")  # $1,950.00, 5kg, -3, 3rd
_WORD = regex(r"\w+")
SIGNS = regex(r"[\W_]+")  # punctuation, and whatever else is no letter and no digit
MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_MONTH_NUMBERS = {name[:3]: number for number, name in enumerate(MONTHS, 1)}
_MONTH = "|".join(rf"{name}|{name[:3]}\.?" for name in MONTHS)
_DAY = r"0?([1-9]\d?)(?:st|nd|rd|th)?"
# Looked for ahead, since "20 May 21" says two days.
_MONTH_DAY = regex(rf"\b(?=({_MONTH})\s+(?:the\s+)?{_DAY}\b)")
_DAY_MONTH = regex(rf"\b(?={_DAY}\s+(?:of\s+)?({_MONTH})\b)")
_IN_NUMBERS = regex(r"\b(?=0?([1-9]\d?)/0?([1-9]\d?)\b)")
_DATE_SAID = regex(r"\b\d{4}-\d\d-\d\d\b")

T = TypeVar("T")
Ts = TypeVarTuple("Ts")
# The path of what is around, and a key or a place in a list; empty at the top. Written out, the
# paths of a small document can be very long together.
Path: TypeAlias = tuple[()] | tuple["Path", str | int]

_as_json = json.JSONEncoder(ensure_ascii=False).encode


def cache_short(read: Callable[[str, *Ts], T]) -> Callable[[str, *Ts], T]:
    """Keeps what a function reads of short texts; what it reads of long ones is not kept."""
    known = lru_cache(maxsize=16_384)(read)
    return lambda text, *given: (known if len(text) <= SHORT else read)(text, *given)


def parsed(data: JsonValue) -> JsonValue:
    """Returns the JSON object or list that a text holds; other data as it is."""
    if not isinstance(data, str) or data[:1].isalnum() or not opens_json(data):
        return data
    try:
        value: JsonValue = from_json(data, allow_inf_nan=False)
    except ValueError:
        return data
    return value


def opens_json(text: str) -> bool:
    """Says whether a text begins as a JSON object or list does; it need not be valid JSON."""
    return text.lstrip()[:1] in ("{", "[")


def canonical_value(value: object) -> str:
    """Returns the canonical spelling of one scalar, for value flow: 150, 150.0 and "150" are equal.

    Args:
        value: a number of up to 15 characters is spelled as the shortest decimal of up to 15
            digits; other text stays itself, without blanks at its ends.
    """
    if type(value) is int:
        return str(value)
    text = str(value).strip()
    if len(text) > MAX_CALCULATED or text.isalpha() or not _NUMBER.match(text):
        return text
    return f"{float(text) + 0.0:.15g}"


def is_number(value: str) -> bool:
    """Says whether a canonical value is a number, of any length."""
    return _NUMBER.match(value) is not None


def is_date(value: str) -> bool:
    """Says whether a canonical value has the form of a date in ISO 8601, as 2026-06-12."""
    return _ISO_DATE.match(value) is not None


def date_of(value: str) -> date | None:
    """Returns the date that a canonical value is, None if it is none."""
    try:
        return date.fromisoformat(value) if _ISO_DATE.match(value) else None
    except ValueError:
        return None


def is_capitalised(value: str) -> bool:
    """Says whether a value is a word in small letters but for its first.

    Inside of a text the capital says little: sentences begin with one, and German nouns have one.
    """
    return value[:1].isupper() and value[1:].islower() and value.isalpha()


def tokens(text: str) -> list[str]:
    """Returns the tokens of a text: words, identifiers and numbers, in canonical spelling.

    A token that is a calculation, as 136-94.5, is followed by its operands.
    """
    spellings: list[str] = []
    for token in _TOKEN.findall(text):
        if not token[0].isdecimal():
            spellings.append(token)
            continue
        value = canonical_value(token)
        spellings.append(value)
        if _ARITHMETIC.match(value) and not is_number(value) and not is_date(value):
            spellings += map(canonical_value, filter(None, re.split(r"[-+*/%]+", value)))
    return spellings


def specificity(value: str) -> float:
    """Returns how specific a value is, in [0, 1]: how unlikely two steps have it by coincidence.

    Identifiers (a digit among letters) say most, then codes and names (capitals, several words),
    then numbers; plain lower-case words are the vocabulary of the tools and say nothing.

    Args:
        value: in canonical spelling.
    """
    if _NUMBER.match(value):
        number = float(value)
        if abs(number) >= LARGE or number != int(number):
            return LARGE_NUMBER
        return SMALL_NUMBER if abs(number) >= SMALL else COMMON
    if len(value) < 3 or (value.islower() and value.replace("_", "").isalpha()):
        return COMMON
    if any(map(str.isdigit, value)):
        return CODE if _ISO_DATE.match(value) else IDENTIFIER
    return CODE if any(map(str.isupper, value)) else COMMON


def telling(value: str) -> list[tuple[str, list[str]]]:
    """Returns the telling parts of a value, each with its telling atoms.

    A telling part is so specific that a run must have read or heard it: an identifier with a
    digit, a code of capitals, a date, or a number of at least MIN_DIGITS digits. Words, names,
    prose, small and round numbers can come from anywhere. An atom is what stands between the signs
    of an address or a path.

    Args:
        value: in canonical spelling.
    """
    amount = _AMOUNT.match(value)
    if amount:
        parts = [canonical_value(amount[1].replace(",", ""))]
    elif len(value.split()) > MAX_WORDS and any(map(str.isalpha, value)):
        return []
    else:
        parts = tokens(value)
    found: list[tuple[str, list[str]]] = []
    for part in dict.fromkeys(parts):
        atoms = [*filter(_is_telling, _ATOM.findall(_CLOCK.sub(" ", part)))]
        if atoms:
            found.append((part, atoms))
    return found


def _is_telling(atom: str) -> bool:
    amount = _AMOUNT.match(atom)
    if amount:  # digits but for zeros at the end, and for those that begin a fraction
        whole, point, fraction = amount[1].replace(",", "").partition(".")
        digits = (whole + fraction).lstrip("0") if point else whole
        return len(digits.rstrip("0")) >= MIN_DIGITS
    if atom.isalpha():
        return atom.isupper() and len(atom) >= MIN_CODE
    return any(map(str.isdigit, atom)) and specificity(atom) > 0


def hash_texts(*texts: str) -> str:
    """Returns a short text that is equal for equal texts."""
    return blake2b("\x1f".join(texts).encode(), digest_size=9).hexdigest()


class Leaf(NamedTuple):
    """One value of a tree of data, and where it stands.

    Attributes:
        value: in canonical spelling.
        path: where it stands.
        record: the path of the innermost object, inside another object or a list, that holds the
            value; empty at the top. Values of one record belong together.
        is_part: whether it is a token of a longer text.
    """

    value: str
    path: Path
    record: Path = ()
    is_part: bool = False


class Claim(NamedTuple):
    """A value with telling parts, which must come from somewhere: each part, or all its atoms."""

    path: Path
    value: str
    parts: Sequence[tuple[str, Sequence[str]]]


class Content:
    """Some data, and what is read of it when it is first asked for.

    Args:
        data: any JSON value; nobody changes it.
        text: a text itself, other data as JSON.
    """

    def __init__(self, data: JsonValue, text: str = "") -> None:
        self.data, self.text = data, text
        self._read: dict[Hashable, Any] = {}

    def read(self, reader: Callable[["Content", *Ts], T], *given: *Ts) -> T:
        """Returns what a function reads of the data, which it does once while that is kept.

        Args:
            reader: what it returns follows from the data and what is given alone, and is not None.
            given: what it gets besides.
        """
        key = reader, *given
        found = self._read.get(key)
        if found is None:
            if len(self._read) == KEPT:
                self._read.clear()
            found = self._read[key] = reader(self, *given)
        return cast(T, found)

    @cached_property
    def leaves(self) -> Sequence[Leaf]:
        """The leaves of the data, depth first and in listing order.

        Text that is itself JSON is read as such; other text gives itself, where it is short, and
        its tokens. A key that holds a digit is a leaf too: identifiers often serve as keys.
        """
        found: list[Leaf] = []
        for path, record, value in list_nodes(self.data):
            key = path[-1] if path else 0
            if isinstance(key, str) and not key.isalpha() and any(map(str.isdigit, key)):
                found.append(Leaf(canonical_value(key), path, record))
            if isinstance(value, str):
                whole, *parts = _values_in(value)
                if whole:
                    found.append(Leaf(whole, path, record))
                found += [Leaf(part, path, record, is_part=True) for part in parts]
            elif isinstance(value, int | float) and not isinstance(value, bool):
                found.append(Leaf(canonical_value(value), path, record))
        return found

    @cached_property
    def values(self) -> frozenset[str]:
        """The values of the leaves."""
        return frozenset([leaf.value for leaf in self.leaves])

    @cached_property
    def specific(self) -> Sequence[tuple[Leaf, float]]:
        """The leaves that say something, and how specific each is."""
        known = [(leaf, specificity(leaf.value)) for leaf in self.leaves]
        return [(leaf, how) for leaf, how in known if how > COMMON]

    @cached_property
    def paths(self) -> Mapping[str, Path]:
        """For each value the path of the first leaf that has it."""
        return {leaf.value: leaf.path for leaf in reversed(self.leaves)}

    @cached_property
    def records(self) -> Mapping[Path, set[str]]:
        """The values of each record; those at the top belong to none."""
        found: dict[Path, set[str]] = {}
        for leaf in self.leaves:
            found.setdefault(leaf.record, set()).add(leaf.value)
        return found

    @cached_property
    def capitalised(self) -> frozenset[str]:
        """The capitalised words that stand by themselves."""
        alone = [leaf.value for leaf in self.leaves if not leaf.is_part]
        return frozenset(filter(is_capitalised, alone))

    @cached_property
    def claims(self) -> Sequence[Claim]:
        """The values with telling parts; texts are not taken apart, and keys are none."""
        found = []
        for path, _, value in list_nodes(self.data):
            if isinstance(value, dict | list):
                continue
            spelled = canonical_value(value)
            parts = telling(spelled)
            if parts:
                found.append(Claim(path, spelled, parts))
        return found

    @cached_property
    def folded_values(self) -> frozenset[str]:
        """The values of the leaves in small letters."""
        return frozenset(map(str.casefold, self.values))

    @cached_property
    def dates(self) -> frozenset[date]:
        """The dates among the values."""
        return frozenset(filter(None, map(date_of, self.values)))

    @cached_property
    def numbers(self) -> Sequence[float]:
        """The absolute values of the numbers, in the order in which they were seen last."""
        known = (number_of(leaf.value) for leaf in reversed(self.leaves))
        found = dict.fromkeys(number for number in known if number is not None)
        return [*reversed(found)]

    @cached_property
    def squashed(self) -> Sequence[str]:
        """The values at each path without signs and blanks, each different one once."""
        found = groupby(self.leaves, key=attrgetter("path"))
        texts = ("".join([leaf.value for leaf in leaves]) for _, leaves in found)
        return [*dict.fromkeys(SIGNS.sub("", text).casefold() for text in texts)]


NOTHING = Content(None)
_texts: Kept[str, Content] = Kept(ROOM, lambda text: len(text) + _LEAST)
_others: Kept[str, Content] = Kept(ROOM, lambda text: len(text) + _LEAST)


def content(data: JsonValue) -> Content:
    """Returns the content of some data: the same one for equal data, while it is kept."""
    if data is None:
        return NOTHING
    if isinstance(data, str):
        return _texts.made(data, lambda text: Content(text, text))
    try:
        text = _as_json(data)
    except RecursionError:  # deeper than anything is looked at
        return Content(data)
    # A copy of the data: whoever made it may change it.
    return _others.made(text, lambda text: Content(json.loads(text), text))


def shows_new_value(step: Step) -> bool:
    """Says whether the effect of a step has a specific value that its arguments lack."""
    used = content(step.arguments).values
    for leaf in content(step.effect).leaves:
        value = leaf.value
        is_word = leaf.is_part and is_capitalised(value)
        if not is_word and value not in used and specificity(value) > COMMON:
            return True
    return False


def write_path(path: Path) -> str:
    """Returns a path as ``.flights[0].price``."""
    found: list[str] = []
    while path:
        path, last = path
        found.append(f".{last[:MAX_KEY]}" if isinstance(last, str) else f"[{last}]")
    return "".join(reversed(found))


def list_nodes(data: JsonValue, *, nested: bool = True) -> list[tuple[Path, Path, JsonValue]]:
    """Returns all values of a tree of data, each with its path and record, in listing order.

    Args:
        data: any JSON value.
        nested: whether text that is JSON is read as such.
    """
    found: list[tuple[Path, Path, JsonValue]] = []
    waiting: list[tuple[Path, Path, JsonValue, int]] = [((), (), data, 0)]
    while waiting:
        path, record, value, depth = waiting.pop()
        inner = path if isinstance(value, dict) else record
        if nested and isinstance(value, str) and not value[:1].isalnum():
            value = parsed(value)
        found.append((path, record, value))
        if isinstance(value, dict | list) and depth < MAX_LEVELS:
            members = value.items() if isinstance(value, dict) else enumerate(value)
            for last, one in reversed([*members]):
                waiting.append(((path, last), inner, one, depth + 1))
    return found


def number_of(value: str) -> float | None:
    """Returns the absolute value of a canonical value that is a number, None for another."""
    is_calculated = len(value) <= MAX_CALCULATED and _NUMBER.match(value)
    return round(abs(float(value)), DECIMALS) if is_calculated else None


@cache_short
def _values_in(text: str) -> Sequence[str]:
    """A text as a whole, empty where it is long, and its tokens."""
    text = text[:MAX_TEXT]
    whole = canonical_value(text)
    parts = [token for token in tokens(text) if token != whole]
    return (whole if len(whole) <= MAX_PHRASE else "", *parts)


_requests: "Kept[tuple[str, ...], _TextIndex]" = Kept(ROOM, lambda request: sum(map(len, request)))


class Utterances:
    """The user's utterances of one trajectory, and which of them came before each step.

    A step records in ``metadata["said"]`` how many utterances came before it; where it does not,
    all of them count as said before.

    Args:
        trajectory: its ``request`` holds the utterances.

    Attributes:
        before: how many utterances came before each step.
    """

    def __init__(self, trajectory: Trajectory) -> None:
        index = _requests.made(trajectory.request, _TextIndex)
        self._first, self._first_short = index.find_first, index.find_first_short
        self.before: list[int] = []
        count = len(trajectory.request)
        for step in trajectory.steps:
            said = step.metadata.get("said")
            self.before.append(said if isinstance(said, int) and 0 <= said < count else count)

    def mention(self, value: str, step: int) -> bool:
        """Says whether the user had mentioned a value before a step, in these or like words.

        Whole words only, whatever their case. A date is mentioned in the ways in which people say
        dates (20th of May), a code by a word that begins with it (Denver mentions DEN).

        Args:
            value: in canonical spelling.
            step: position in the list of steps.
        """
        first = self._first_short if len(value) <= SHORT else self._first
        return first(value) < self.before[step]


class _TextIndex:
    """Some texts, and for each word the first of them that has it.

    Args:
        request: the texts; equal ones are indexed once, while they are kept.
    """

    def __init__(self, request: Sequence[str]) -> None:
        self._texts = [text.casefold() for text in request]
        self._tokens: dict[str, int] = {}  # canonical value -> the first text that has it
        self._words: dict[str, int] = {}
        self._days: dict[str, int] = {}
        for index, text in reversed([*enumerate(self._texts)]):
            self._tokens.update(dict.fromkeys(tokens(text), index))
            self._words.update(dict.fromkeys(_WORD.findall(text), index))
            self._days.update(dict.fromkeys(_find_days(text), index))
        self.find_first_short = lru_cache(_SOUGHT)(self.find_first)

    def find_first(self, value: str) -> int:
        """Returns the first text that mentions a value; the number of texts if none does."""
        nowhere, phrase = len(self._texts), value.casefold()
        if is_number(value):
            return self._tokens.get(value, nowhere)
        if is_date(value):
            return min(self._days.get(value, nowhere), self._days.get(value[5:], nowhere))
        is_code = len(value) >= 3 and value.isalpha() and value.isupper()
        first = 0
        if not is_code:
            words = _WORD.findall(phrase)
            first = max((self._words.get(word, nowhere) for word in words), default=0)
        for place in range(first, nowhere):
            text = self._texts[place]
            if _holds_phrase(text, phrase, is_code):
                return place
        return nowhere


def _find_days(text: str) -> list[str]:
    """Returns the days that a text in small letters says, with their year or as 05-20.

    May 20, 20 May, 20th of May and 5/20 say 05-20.
    """
    found: list[str] = _DATE_SAID.findall(text)
    days = [*_MONTH_DAY.findall(text), *map(reversed, _DAY_MONTH.findall(text))]
    for month, day in days:
        found.append(f"{_MONTH_NUMBERS[month[:3]]:02}-{day:0>2}")
    for month, day in _IN_NUMBERS.findall(text):
        found.append(f"{month:0>2}-{day:0>2}")
    return found


def _holds_phrase(text: str, phrase: str, may_go_on: bool) -> bool:
    """Whether a text has a phrase that no letter or digit continues: rs-440 does not have rs-44.

    Args:
        text: in small letters.
        phrase: the same.
        may_go_on: whether a letter or digit may follow, as who says Denver mentions DEN.
    """
    begin = text.find(phrase)
    while begin >= 0:
        end = begin + len(phrase)
        around = text[begin - 1 : begin], "" if may_go_on else text[end : end + 1]
        if not any(sign.isalnum() or sign == "_" for sign in around):
            return True
        begin = text.find(phrase, begin + 1)
    return False
