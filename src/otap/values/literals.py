"""The literals of a text: numbers, dates, times, amounts, identifiers and addresses.

``match_literal`` reads a whole text by strict patterns; a text that matches none stays a text.
``find_identifiers`` and ``find_amounts`` find the same literals inside prose, next to any words.
The grammars are those of ``numbers``, ``units`` and ``moments``.
"""

import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import NamedTuple

from otap._patterns import regex
from otap.values.addresses import parse_url
from otap.values.lexicon import lexicon
from otap.values.moments import (
    DATES_IN_PROSE,
    TIME_IN_PROSE,
    day_of,
    is_time,
    parse_moment,
    split_range,
    time_of_day,
)
from otap.values.numbers import (
    number_in_prose,
    parse_number,
    read_script_number,
    read_section,
    value_of_words,
)
from otap.values.units import Unit, currency_of, is_symbol, parse_quantity, unit_of

SCRIPT = "\u3005\u3040-\u30ff\u3400-\u9fff"  # Chinese and Japanese characters


class Literal(NamedTuple):
    """A literal.

    Attributes:
        kind: number, date, path and so on; for an amount, its base unit.
        canonical: the form that equal literals share.
        text: the written form.
    """

    kind: str
    canonical: str
    text: str


# Identifiers: names with digits. Letter case counts, except in hexadecimal numbers.


_WITH_DIGIT = regex(r"[^\s,;]*\d[^\s,;]*\Z")
_PHONE = regex(
    r"\+\d{8,}\Z|00\d{1,3}[ /-]\(?\d[\d ()/-]{5,}\d\Z|(?!.\d*\.\d*\Z)\+\d[\d ()./-]{6,}\d\Z"
    r"|(?:1[ .-])?\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}\Z",
    re.ASCII,
)
_NORTH_AMERICAN = regex(r"(?:1[ .-])?\(?[2-9]\d{2}\)?[ .-][2-9]\d{2}[ .-]\d{4}\Z", re.ASCII)
_NO_DIGIT = regex(r"\D")
_VERSION = regex(r"[vV]?(?P<parts>\d+(?:\.\d+){2,}(?:[-+][\w.+-]+|[ab]\d+|rc\d+)?)\Z", re.ASCII)
_SHORT_VERSION = regex(r"[vV]\d+(?:\.\d+)?\Z", re.ASCII)
_UUID = regex(
    r"(?:urn:uuid:)?\{?([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})"
    r"-([0-9a-f]{12})\}?\Z",
    re.IGNORECASE,
)
_HEXADECIMAL = regex(r"0[xX][0-9a-fA-F]+\Z|(?=.*\d)(?=.*[a-fA-F])[0-9a-fA-F]{7,64}\Z")


def _parse_phone(text: str) -> str | None:
    text = text.removeprefix("tel:")
    if len(text) > 32 or not _PHONE.match(text):
        return None
    return dial(text)


def dial(text: str) -> str:
    """Returns a telephone number as people dial it: 0049 is +49, and +49 (0)30 is +49 30."""
    text = text.strip()
    is_foreign = text.startswith(("+", "00"))
    digits = _NO_DIGIT.sub("", text.replace("(0)", "") if is_foreign else text)
    if is_foreign:
        return f"+{digits.removeprefix('00')}"
    # Only North America writes (415) 555-0132.
    return f"+1{digits.removeprefix('1')}" if _NORTH_AMERICAN.match(text) else digits


def _parse_version(text: str) -> str | None:
    if len(text) > 200:
        return None
    version = _VERSION.match(text)
    if version:
        return str(version["parts"])
    return text.lower() if _SHORT_VERSION.match(text) else None


def _parse_uuid(text: str) -> str | None:
    uuid = _UUID.match(text) if len(text) <= 48 else None
    return "".join(uuid.groups()).lower() if uuid else None


def _parse_hexadecimal(text: str) -> str | None:
    return text.lower() if len(text) <= 66 and _HEXADECIMAL.match(text) else None


def match_literal(text: str) -> tuple[str, str] | None:
    """Returns the kind and the canonical form of a literal; None for other texts.

    A name with a digit (:func:`is_identifier`) is no literal here.
    """
    for kind, parse in _LITERALS:
        canonical = parse(text)
        if canonical is not None:
            return kind, canonical
    return None


# The kinds in order of trial.
_NAME_OF_IBAN = regex(r"\AIBAN:? ", re.IGNORECASE)
_IBAN = regex(r"[A-Z]{2}\d{2}(?:[ -]?[A-Z\d]){11,30}\Z", re.ASCII | re.IGNORECASE)


def parse_iban(text: str) -> str | None:
    """Returns a number of a bank account in capitals and without blanks, or None."""
    text = _NAME_OF_IBAN.sub("", text)
    if len(text) > 45 or not _IBAN.match(text):
        return None
    digits = text.replace(" ", "").replace("-", "").upper()
    rotated = "".join(str(int(sign, 36)) for sign in digits[4:] + digits[:4])
    return digits if int(rotated) % 97 == 1 else None


def parse_range(text: str) -> str | None:
    """Returns a range of times, dates or amounts: 14:00-16:00 is 2 pm to 4 pm; or None."""
    for ends in split_range(text):
        for parse in (parse_moment, parse_quantity):
            first, last = parse(ends[0]), parse(ends[1])
            # 14:00-05:00 is a time with its zone, and 10-2 pm begins in the morning.
            if first and last and (first < last or parse is parse_quantity):
                return f"{first} – {last}"
    return None


def parse_span(text: str) -> str | None:
    """Returns a range of bare numbers, where only numbers can stand: 18 to 25; or None."""
    for ends in split_range(text):
        numbers = [parse_number(end.strip()) for end in ends]
        if all(numbers):
            return " – ".join(number for number in numbers if number)
    return None


_HOUR = regex(r"\s*(\d\d?)\s?(?:h|u|ч|uhr)?\.?\s*\Z", re.IGNORECASE)


def parse_hours(text: str) -> str | None:
    """Returns a range of full hours, where only hours can stand: from 9 to 17; or None."""
    for ends in split_range(text):
        hours = [int(hour[1]) for hour in map(_HOUR.match, ends) if hour]
        if len(hours) == len(ends) and max(hours) <= 24:
            return parse_range(" - ".join(f"{hour % 24}:00" for hour in hours))
    return None


_LITERALS: tuple[tuple[str, Callable[[str], str | None]], ...] = (
    ("iban", parse_iban),
    ("number", parse_number),
    ("moment", parse_moment),
    ("phone", _parse_phone),
    ("quantity", parse_quantity),
    ("range", parse_range),
    ("version", _parse_version),
    ("uuid", _parse_uuid),
    ("hexadecimal", _parse_hexadecimal),
)


def is_identifier(text: str) -> bool:
    """Returns whether a text is a name with a digit."""
    return len(text) <= 200 and _WITH_DIGIT.match(text) is not None


# Literals inside prose.

_URL = regex(r"\b(?:https?://|www\.)[^\s<>\"')\]]+[^\s<>\"')\].,;:!?\u3002]", re.IGNORECASE)
_MAIL = regex(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,8}")
_PATH = regex(
    r"(?<![\w/.])(?:~|\.{0,2})/?(?:[\w.@-]{1,80}/){1,40}[\w.@*-]{0,80}|(?<![\w/])/[\w.@-]{1,80}|"
    r"(?<![\w-])[\w-]{1,80}\.(?:py|js|ts|md|txt|csv|json|toml|ya?ml|html?|pdf|docx?|xlsx?|png|jpe?g|zip|sql|sh|"
    r"log|xml|rs|go|c|cpp|h|java|rb|ini|cfg|lock|exe)\b"
)
_NO_PATH = regex(r"(?:[^\W\d_]+|[\d.]+)/[^\W\d_]+\Z|[\d/]+\Z")  # and/or, 20/night, 24/7
_CODE = regex(
    rf"#?(?<!\w)(?=[\w-]{{0,40}}\d)(?=[\w-]{{0,40}}[^\W\d_{SCRIPT}])"
    rf"[^\W_{SCRIPT}](?:[^\W{SCRIPT}]|-(?=\w)){{0,80}}"
)
_NO_CODE = regex(  # 5kg, 3rd, 10h30, covid-19, 2024-05-20T10
    r"\d[\d.,]*(?:st|nd|rd|th|[a-z\u00b5%]{1,3})\Z|\d\d?h\d\d\Z|(?:\d+-)?[^\W\d_]+-\d+\Z|\d{4}-\d\d-\d\dt\d\d\Z"
    r"|\d+-[^\W\d_]+\Z"
)
_LONG = 4  # letters of names that are mostly other words in another language
_DIGIT = regex(r"\d")
# For each kind: its pattern, a sign that every match contains, and a pattern of false matches.
_ADDRESSES = (
    ("url", _URL, regex("/"), None),
    ("mail", _MAIL, regex("@"), None),
    ("path", _PATH, regex("[/.]"), _NO_PATH),
    ("code", _CODE, _DIGIT, _NO_CODE),
)
_NUMBER = r"\d+(?:[.,'\u00a0\u202f]\d+)*"
_AMOUNT_IN_PROSE = regex(
    rf"(?<![^\W\d_{SCRIPT}])({_NUMBER})(?:(st|nd|rd|th|k)(?!\w)|(?=\s?-?([^\W\d_]{{1,12}}|%)(?![\d_])))?"
)
_SIGNS = "零一二三四五六七八九两兩十百千万亿億"
_SCRIPT_NUMBER = regex(
    rf"百分之([{_SIGNS}]+)|([{_SIGNS}]{{2,}})|第?([{_SIGNS}])(?=[个個天日月年周週点點时時分秒元円块塊"
    r"人名件本枚次回号號楼階张張台位份倍])"
)
_NO_NUMBERS = frozenset(("一", "一一"))
_WORDS = regex(r"[^\W\d_]+(?:[ -][^\W\d_]+)*")
_BLANK = regex(r"([ -])")
_ARTICLES = frozenset(("a", "an", "one", "ein", "eine", "einen", "einer", "un", "una", "une"))


def find_identifiers(text: str) -> tuple[list[Literal], str]:
    """Returns the addresses, paths and names with digits in prose, and the remaining text."""
    literals: list[Literal] = []
    for kind, pattern, sign, false_matches in _ADDRESSES:
        if not sign.search(text):
            continue

        def take(
            match: re.Match[str],
            kind: str = kind,
            false_matches: re.Pattern[str] | None = false_matches,
        ) -> str:
            canonical = match[0].lower().lstrip("#").rstrip("./")
            if kind == "url":
                canonical = parse_url(match[0]) or canonical
            if false_matches and false_matches.match(canonical):
                return match[0]
            literals.append(Literal(kind, canonical, match[0]))
            return " "

        text = pattern.sub(take, text)
    return literals, text


def words_in_digits(text: str) -> str:
    """Returns a text in small letters with its number words as digits: twenty-five is 25."""
    return _WORDS.sub(_number_words_in_digits, text)


def find_amounts(text: str) -> list[Literal]:
    """Returns the dates, times, amounts and numbers in prose in small letters.

    Six weeks have the canonical form 3628800 and the kind s. A date has the form YYYY-MM-DD,
    without an unknown year. The kind of an amount is its base unit, that of a bare number "number".
    """
    literals: list[Literal] = []
    text = words_in_digits(text)
    # Most texts have neither digits nor characters of other scripts.
    forms: list[tuple[re.Pattern[str], _Reader]] = [(_frequencies(), _read_frequency)]
    if _DIGIT.search(text):
        forms += _FORMS
    if not text.isascii():
        forms += _SCRIPT_FORMS
    for pattern, read in forms:

        def take(match: re.Match[str], read: _Reader = read) -> str:
            literal = read(match)
            if literal is None:
                return match[0]
            literals.append(Literal(*literal, match[0].strip()))
            return " "

        text = pattern.sub(take, text)
    return literals


@cache
def _frequencies() -> re.Pattern[str]:
    """Returns the pattern of twice a day, 3 times every 2 weeks, every week, monthly."""
    tables = lexicon()
    units = [name for name, (_, base) in tables.units.items() if base in ("second", "month")]
    words, times, every, unit, period = (
        "|".join(sorted((re.escape(name) for name in names), key=len, reverse=True))
        for names in (tables.frequencies, tables["times"], tables["every"], units, tables.periods)
    )
    return regex(
        rf"\b(?:({words})|(\d{{1,6}})\s?(?:{times}))\b"
        rf"(?:\s(?:(?:{every})\s)?(?:(\d{{1,6}})\s)?({unit}|{period})\b)?"
        rf"|\b(?:{every})\s(?:(\d{{1,6}})\s)?({unit})\b|\b({period})\b"
    )


def _read_frequency(match: re.Match[str]) -> tuple[str, str] | None:
    """Reads a frequency by its period; without a period, a number of times in words."""
    word, number, periods, unit, every, other_unit, period = match.groups()
    times = lexicon().frequencies.get(word) or int(number or 1)
    name = unit or other_unit or period
    if name is None:
        return ("number", str(times)) if word and times > 1 else None
    size, base = lexicon().units.get(name) or lexicon().periods[name]
    length = float(size) * int(periods or every or 1) or 1
    return "frequency", f"{times / length:.12g} per {base}"


def _read_date(match: re.Match[str]) -> tuple[str, str] | None:
    day = day_of(match)
    year = "" if day is None or day.year is None else f"{day.year:04}"
    return ("date", f"{year}-{day.month:02}-{day.day:02}") if day else None


def _read_time(match: re.Match[str]) -> tuple[str, str] | None:
    time = time_of_day(match) if is_time(match) else None
    return ("time", time[:5]) if time else None


def _read_amount(match: re.Match[str]) -> tuple[str, str]:
    """Reads a number with the unit after it, if any."""
    number = number_in_prose(match[1]) * (1000 if match[2] == "k" else 1)
    name = match[3] or ""
    size, base = _unit_in_prose(name) or (1, "number")
    return base, f"{number * float(size):.12g}"


@lru_cache(maxsize=4096)
def _unit_in_prose(name: str) -> Unit | None:
    """Returns the unit after a number in a sentence, where short words may mean anything."""
    if name in lexicon().units:
        size, base = lexicon().units[name]
        return size, "s" if base == "second" else base
    # In small letters, w is no watt; a possible currency such as pounds is mostly money.
    is_word = len(name) > _LONG or name in ("g", "m", "%") or (len(name) > 1 and is_symbol(name))
    if not is_word or name in read_section("not_in_prose").split() or currency_of(name):
        return None
    return unit_of(name)


def _number_words_in_digits(match: re.Match[str]) -> str:
    """Returns a run of words with its numbers as digits: twenty-five days are 25 days."""
    words, numbers, units = _BLANK.split(match[0]), lexicon().numbers, lexicon().units
    if numbers.keys().isdisjoint(words) and _ARTICLES.isdisjoint(words):
        return match[0]
    converted: list[str] = []
    start = 0
    while start < len(words):  # every second word is a separator
        end = start
        while end < len(words) and words[end] in numbers:
            end += 2
        if end > start:
            number = value_of_words([numbers[word] for word in words[start:end:2]])
            converted.extend([str(number), *words[end - 1 : end]])
        else:
            following = words[start + 2] if start + 2 < len(words) else ""
            is_number = words[start] in _ARTICLES and len(following) > 2 and following in units
            word = "1" if is_number else words[start]
            converted.extend([word, *words[start + 1 : start + 2]])
        start = max(end, start + 2)
    return "".join(converted)


def _read_script_number(match: re.Match[str]) -> tuple[str, str] | None:
    """Reads a number in Chinese characters; the pattern accepts a single one before a counter."""
    signs = match[1] or match[2] or match[3]
    number = None if signs in _NO_NUMBERS else read_script_number(signs)
    return None if number is None else ("number", number)


_Reader = Callable[[re.Match[str]], tuple[str, str] | None]
_FORMS: tuple[tuple[re.Pattern[str], _Reader], ...] = (
    *((form, _read_date) for form in DATES_IN_PROSE),
    (TIME_IN_PROSE, _read_time),
    (_AMOUNT_IN_PROSE, _read_amount),
)
_SCRIPT_FORMS: tuple[tuple[re.Pattern[str], _Reader], ...] = (
    (_SCRIPT_NUMBER, _read_script_number),
)
