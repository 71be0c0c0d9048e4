"""One grammar of literals: numbers, dates, times, amounts, identifiers and addresses.

``parse_*`` and ``match_literal`` read a whole text by strict patterns: what is not plainly of a
kind stays a text. ``find_identifiers`` and ``find_amounts`` read the same out of prose, where a
number may stand beside anything. Both share the forms of dates and times, months and units.

05/06/2024 may be May or June, so it is neither; two digits are no year. A point in time is told in
UTC, which is also meant where no zone is said; a day is not its midnight. An amount is another
value than its number alone: 5 % is not 5, nor is 5 kg. Units of one measure are told in its
smallest common one (1 kg is 1000 g, 90 min is PT1H30M); currencies never are. Nothing depends on
today, on the machine's zone or on its language.
"""

import math
import re
import tomllib
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from functools import cache, partial
from importlib.resources import files
from typing import NamedTuple

from otap._patterns import regex
from otap.values.lexicon import Unit, lexicon, numbered, read_units
from otap.values.parameters import DIGITS

SCRIPT = "\u3005\u3040-\u30ff\u3400-\u9fff"  # signs of Chinese and Japanese, written without blanks


class Literal(NamedTuple):
    """A literal: its kind, the one spelling of all that are equal to it, and as it was written."""

    kind: str
    spelling: str
    shown: str


# Numbers: 1,000 is 1000 and 1.50 is 1.5, but 007 is a name and so is what is too long.

_PLAIN = regex(r"[+-]?(?:0|[1-9]\d*)?(?:\.\d+)?(?:[eE][+-]?\d{1,3})?\Z", re.ASCII)
# Groups of three, however they are set apart. One dot alone is a decimal point, as in JSON.
_GROUPED = regex(
    r"(?P<sign>[+-]?)(?P<whole>[1-9]\d{0,2}(?:(?:,\d{3})+|(?: \d{3})+|(?:['\u2019]\d{3})+)"
    r"|[1-9]\d?(?:,\d\d)+,\d{3})(?P<part>\.\d+)?\Z",
    re.ASCII,
)
_DOTTED = regex(
    r"(?P<sign>[+-]?)(?P<whole>[1-9]\d{0,2}(?:(?:\.\d{3})+(?=,)|(?:\.\d{3}){2}\Z))"
    r"(?P<part>,\d+)?\Z",
    re.ASCII,
)
_NO_DIGIT = regex(r"\D")
_TELEPHONE = regex(r"\+\d{8,}\Z", re.ASCII)


def format_number(number: int | float) -> str:
    """Returns the one spelling of equal JSON numbers: the shortest decimal of 15 digits."""
    if isinstance(number, int):
        return str(number)
    if not math.isfinite(number):
        return str(float(number))
    if abs(number) >= 10**DIGITS:
        return str(int(number)) if float(number).is_integer() else repr(number)
    return f"{number + 0.0:.{DIGITS}g}"


def parse_number(text: str) -> str | None:
    """Reads a number: a sign, separators of thousands, a fraction, an exponent."""
    if len(text) > 40 or _TELEPHONE.match(text):
        return None
    digits = parse_decimal(text.replace("\u2212", "-"))
    return format_number(float(digits)) if digits and math.isfinite(float(digits)) else None


def parse_decimal(text: str) -> str | None:
    """Returns a number in digits, sign, point and exponent alone; None for a name."""
    if _PLAIN.match(text):
        found = text
    elif separated := _GROUPED.match(text) or _DOTTED.match(text):
        whole, part = _NO_DIGIT.sub("", separated["whole"]), separated["part"] or ""
        found = separated["sign"] + whole + part.replace(",", ".")
    else:
        return None
    mantissa = re.split("[eE]", found)[0]
    longest = DIGITS + mantissa.startswith(("+", "-"))
    is_number = any(map(str.isdigit, mantissa)) and len(mantissa.split(".")[0]) <= longest
    return found if is_number else None


def number_in_prose(text: str) -> float:
    """Returns the number that digits with points, commas and marks of thousands stand for."""
    text = re.sub(r"['\u00a0\u202f]", "", text)
    last = max(text.rfind(","), text.rfind("."))
    whole, sign, rest = text[: max(last, 0)], text[last : last + 1], text[last + 1 :]
    if last < 0 or sign in whole or (sign == "," and len(rest) == 3):
        whole, rest = text, "0"
    return float(f"{_NO_DIGIT.sub('', whole)[:300] or '0'}.{rest[:30]}")


# Amounts with a unit: money, measures, percent, durations.

_BASES = {"second": "s", "gram": "g", "metre": "m"}  # as the lexicon names them
_AMOUNT = regex(
    r"(?P<minus>[+-]?)(?P<before>[^\W\d_]{3}|US\$|[$\u20ac\u00a3\u20b9\u00a5\u20a9\u20ba\u20bd])?"
    r"\s*(?P<number>[+-]?[\d.][\d.,'\u2019 ]*?)"
    r"\s*(?P<after>%|\u00b0?[^\W\d_]+|[$\u20ac\u00a3\u20b9\u00a5\u20a9\u20ba\u20bd])?\Z"
)
_COMMA = regex(r"[+-]?(?:0|[1-9]\d*),\d\d?\Z", re.ASCII)
_DOT_OF_THREE = regex(r"[+-]?[1-9]\d{0,2}\.\d{3}\Z", re.ASCII)
_ISO_DURATION = regex(
    r"P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?\Z", re.ASCII
)
_DURATION = regex(
    r"(?:(\d+)\s?w(?:eeks?)?,?\s?)?(?:(\d+)\s?d(?:ays?)?,?\s?)?(?:(\d+)\s?h(?:(?:ou)?rs?)?,?\s?)?"
    r"(?:(?:and )?(\d+)\s?m(?:in(?:ute)?s?)?,?\s?)?(?:(?:and )?(\d+)\s?s(?:ec(?:ond)?s?)?)?\Z",
    re.ASCII,
)
_SECONDS = (604800, 86400, 3600, 60, 1)  # of the parts of a duration


class _Tables(NamedTuple):
    """The units by name and in small letters, the months and the currencies, by name each."""

    units: Mapping[str, Unit]
    any_case: Mapping[str, Unit]
    months: Mapping[str, int]
    currencies: Mapping[str, str]


@cache
def _tables() -> _Tables:
    read = tomllib.loads(files(__package__).joinpath("literals.toml").read_text(encoding="utf-8"))
    units = read_units(read["units"])
    for word, (size, base) in lexicon().units.items():
        units.setdefault(word, (size, _BASES.get(base, base)))
    any_case = {name.lower(): unit for name, unit in units.items() if len(name) > 1}
    currencies = {code: code for code in read["currencies"].split()}
    for code, *names in map(str.split, read["symbols"].strip().splitlines()):
        currencies.update(dict.fromkeys(names, code))
    return _Tables(units, any_case, lexicon().months | numbered(read["months"]), currencies)


def unit_of(name: str) -> Unit | None:
    """Returns how many of which base unit one of a name is; None where it names no unit."""
    tables = _tables()
    return tables.units.get(name) or tables.any_case.get(name.lower())


def parse_quantity(text: str) -> str | None:
    """Reads an amount of money, a measure or a duration: the number, a blank, the unit."""
    if len(text) > 48 or not any(map(str.isdigit, text)):
        return None
    return _parse_duration(text) or _parse_amount(text)


def _parse_amount(text: str) -> str | None:
    found = _AMOUNT.match(text.replace("\u2212", "-"))
    if not found or (found["before"] is None) == (found["after"] is None):
        return None
    unit = found["after"] and unit_of(found["after"])
    currency = not unit and _tables().currencies.get((found["before"] or found["after"]).upper())
    unit = (Decimal(1), currency) if currency else unit
    number = found["minus"] + found["number"]
    if not unit or (currency and _DOT_OF_THREE.match(number)):  # 1.950 of money says too little
        return None
    digits = number.replace(",", ".") if _COMMA.match(number) else parse_decimal(number)
    return f"{_shortest(Decimal(digits) * unit[0])} {unit[1]}" if digits else None


def _parse_duration(text: str) -> str | None:
    """Seconds of 1h30m or PT1H30M; None where a part alone may be something else, as 10m."""
    iso = _ISO_DURATION.match(text)
    found = iso or _DURATION.match(text.lower())
    given = [
        Decimal(part) * size
        for part, size in zip(found.groups() if found else (), _SECONDS, strict=False)
        if part
    ]
    return f"{_shortest(sum(given, Decimal(0)))} s" if len(given) > (not iso) else None


def _shortest(number: Decimal) -> str:
    plain = f"{number.normalize() + 0:f}"
    return "0" if plain in ("-0", "0") else plain


# Dates and times. English, German, French and Spanish months, three letters where usual.

_WEEKDAY = regex(
    r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?(?:,\s?|\s)"
    r"|(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)(?:,\s?|\s)"
)
_NAME = r"(?P<name>[^\W\d_]{3,10})\b\.?"
_TH = r"(?:st|nd|rd|th|\.|er)?"
_DAY, _YEAR, _MONTH = r"(?P<day>\d{1,2})", r"(?P<year>\d{4})", r"(?P<month>\d{1,2})"
# What may not stand before a date inside prose, and its form; most to least plain.
_DATES = (
    (r"(?<![\d-])", rf"{_YEAR}(?P<by>[-/.]){_MONTH}(?P=by){_DAY}(?!\d)"),
    ("", rf"(?:{_YEAR}\u5e74)?{_MONTH}\u6708{_DAY}[\u65e5\u53f7\u865f]"),
    (r"(?<![\d.])", rf"{_DAY}\.(?:\s(?=\d\d?\.\s?\d{{4}}))?{_MONTH}\.(?:\s?{_YEAR})?(?!\d)"),
    (r"(?<![\w/.-])", rf"(?P<one>\d{{1,2}})(?P<by>[/-])(?P<two>\d{{1,2}})(?P=by){_YEAR}(?!\d)"),
    (
        r"(?<![\w.,])",
        rf"{_DAY}{_TH}(?:\s+|-)(?:of\s+|de\s+)?{_NAME}(?:,?(?:\s+|-)(?:del?\s+)?{_YEAR}\b)?",
    ),
    (r"\b", rf"{_NAME}\s+{_DAY}(?:{_TH})(?![\w:])(?!\.\d)(?:,?\s+{_YEAR}\b)?"),
)
_INSIDE = tuple(regex(before + form) for before, form in _DATES)
_WHOLE = (
    *(regex(form) for _, form in _DATES),
    regex(rf"{_YEAR}(?P<month>\d\d)(?P<day>\d\d)(?=t)"),
    regex(rf"{_YEAR}[-/](?P<month>\d\d)\Z"),
    regex(rf"(?P<month>\d\d)[/-]{_YEAR}\Z"),
    regex(rf"{_NAME}\s{_YEAR}\Z"),
    regex(rf"--(?P<month>\d\d)-{_DAY}\Z"),
)
_BETWEEN = regex(r"t(?=\d)|,?\s(?:at\s|um\s)?")
_CLOCK = (
    r"(?P<hour>\d{1,2})(?:[:h](?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<part>\d{1,9}))?)?"
    r"|\.(?P<dotted>\d\d)(?=\s*uhr\b))?(?:\s*(?P<half>[ap])\.?m\b\.?)?(?P<clock>\s*uhr\b)?"
)
_TIME = regex(_CLOCK)
_TIME_INSIDE = regex(rf"(?<![\d:])(?<!\d[.,]){_CLOCK}(?!\d)")
_COMPACT_TIME = regex(r"(?P<hour>\d\d)(?P<minute>\d\d)(?P<second>\d\d)?")
_ZONE = regex(r"\s?(?:(?P<utc>z|utc|gmt)|(?P<sign>[+-])(?P<h>\d\d):?(?P<m>\d\d)?)\Z")


class Day(NamedTuple):
    """A date, of which the year or the day may not be said."""

    year: int | None
    month: int
    day: int | None

    def __str__(self) -> str:
        """Eight digits: as a number of the same place they hardly mean anything else."""
        if self.year is None:
            return f"--{self.month:02}-{self.day:02}"
        between = "-" if self.day is None else ""
        return f"{self.year:04}{between}{self.month:02}" + (f"{self.day:02}" if self.day else "")

    @property
    def date(self) -> date:
        """The date, of the year 2000 where none is said, which had all days."""
        year, day = 2000 if self.year is None else self.year, 1 if self.day is None else self.day
        return date(year, self.month, day)


def parse_moment(text: str) -> str | None:
    """Reads a day, a month, a day of no year, a time of day, or a point in time."""
    if len(text) > 48 or not any(map(str.isdigit, text)):
        return None
    text = _WEEKDAY.sub("", " ".join(text.lower().split()), count=1)
    for form in _WHOLE:
        found = form.match(text)
        day = _day_of(found) if found else None
        if found and day:
            return _point_in_time(day, text[found.end() :], found[0].isdigit())
    time = _TIME.fullmatch(text)
    return _time_of_day(time) if time and _is_time(time) else None


def _day_of(found: re.Match[str]) -> Day | None:
    """The date that a form says; None where nobody knows which, as of 05/06/2024, or 30 May."""
    parts = found.groupdict()
    numbers = int(parts.get("one") or 0), int(parts.get("two") or 0)
    if max(numbers) <= 12 and numbers[0] != numbers[1]:
        return None
    month = parts.get("month") or _tables().months.get(parts.get("name") or "") or min(numbers)
    day, year = parts.get("day") or max(numbers) or None, parts.get("year")
    said = Day(int(year) if year else None, int(month), None if day is None else int(day))
    try:
        return said if said.date else None
    except ValueError:  # 30 February, or a name that is none of a month
        return None


def _point_in_time(day: Day, rest: str, is_compact: bool) -> str | None:
    """A day, or what it becomes by the time and the zone behind it."""
    if not rest:
        return str(day)
    between = _BETWEEN.match(rest) if day.year and day.day else None
    form = _COMPACT_TIME if is_compact else _TIME
    time = form.match(rest, between.end()) if between else None
    clock = _time_of_day(time) if time and (is_compact or _is_time(time)) else None
    zone = _ZONE.match(rest, time.end()) if time else None
    if not clock or not time or (len(rest) > time.end() and not zone):
        return None
    whole, _, part = clock.partition(".")
    try:
        point = datetime.fromisoformat(f"{day.date.isoformat()}T{whole}")
        if zone:
            point = point.replace(tzinfo=_offset_of(zone)).astimezone(UTC)
    except (ValueError, OverflowError):  # a zone of 25 hours, a year 10000
        return None
    return point.isoformat()[:19] + (f".{part}" if part else "") + "Z"


def _offset_of(zone: re.Match[str]) -> timezone:
    size = timedelta(hours=int(zone["h"] or 0), minutes=int(zone["m"] or 0))
    return timezone(-size if zone["sign"] == "-" else size)


def _is_time(time: re.Match[str]) -> bool:
    """Whether more than a bare number says that it is a time."""
    return any(time[part] for part in ("minute", "dotted", "half", "clock"))


def _time_of_day(time: re.Match[str]) -> str | None:
    """Hours, minutes and seconds, with a fraction if there is one; None for 25:00."""
    parts = time.groupdict()
    hour, second = int(parts["hour"]), int(parts["second"] or 0)
    minute = int(parts["minute"] or parts.get("dotted") or 0)
    half = parts.get("half")
    if (half and not 1 <= hour <= 12) or hour > 23 or minute > 59 or second > 59:
        return None
    if half:
        hour = hour % 12 + 12 * (half == "p")
    part = (parts.get("part") or "").rstrip("0")
    return f"{hour:02}:{minute:02}:{second:02}" + (f".{part}" if part else "")


# Identifiers: names with digits. Their letter case is kept, but for what is hexadecimal.


_Spelling = Callable[[re.Match[str]], str]


def _lower(found: re.Match[str]) -> str:
    return found[0].lower()


_WITH_DIGIT = regex(r"[^\s,;]*\d[^\s,;]*\Z")


def _parse_form(
    longest: int, pattern: re.Pattern[str], spelling: _Spelling, text: str
) -> str | None:
    found = pattern.match(text) if len(text) <= longest else None
    return spelling(found) if found else None


def match_literal(text: str) -> tuple[str, str] | None:
    """Returns the kind and the one spelling of a text that is a literal; None for another text.

    A name with a digit in it (:func:`is_identifier`) is one where it is nothing else.
    """
    for kind, parse in _LITERALS:
        spelling = parse(text)
        if spelling is not None:
            return kind, spelling
    return None


# The kinds in the order in which they are tried. Of some: how long a text may be, what it looks
# like, and its one spelling.
_LITERALS: tuple[tuple[str, Callable[[str], str | None]], ...] = (
    ("number", parse_number),
    ("moment", parse_moment),
    ("phone", partial(
        _parse_form, 32,
        regex(
            r"\+\d{8,}\Z|(?!.\d*\.\d*\Z)\+\d[\d ()./-]{6,}\d\Z"
            r"|(?:1[ .-])?\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}\Z",
            re.ASCII,
        ),
        lambda found: ("+" if found[0][0] == "+" else "") + _NO_DIGIT.sub("", found[0]),
    )),
    ("quantity", parse_quantity),
    ("version", partial(
        _parse_form, 200,
        regex(r"[vV]?(\d+(?:\.\d+){2,}(?:[-+][\w.+-]+|[ab]\d+|rc\d+)?)\Z", re.ASCII),
        lambda found: str(found[1]),
    )),
    ("version", partial(_parse_form, 200, regex(r"[vV]\d+(?:\.\d+)?\Z", re.ASCII), _lower)),
    ("uuid", partial(
        _parse_form, 48,
        regex(
            r"(?:urn:uuid:)?\{?([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})"
            r"-([0-9a-f]{12})\}?\Z",
            re.IGNORECASE,
        ),
        lambda found: "".join(found.groups()).lower(),
    )),
    ("hexadecimal", partial(
        _parse_form, 66,
        regex(r"0[xX][0-9a-fA-F]+\Z|(?=.*\d)(?=.*[a-fA-F])[0-9a-fA-F]{7,64}\Z"),
        _lower,
    )),
)  # fmt: skip


def is_identifier(text: str) -> bool:
    """Says whether a text is a name with a digit in it."""
    return len(text) <= 200 and _WITH_DIGIT.match(text) is not None


# Literals inside prose.

_URL = regex(r"\bhttps?://[^\s<>\"')\]]+[^\s<>\"')\].,;:!?\u3002]", re.IGNORECASE)
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
_DIGIT = regex(r"\d")
# Each with a sign that a text must have, most have none, and what only looks like it.
_ADDRESSES = (
    ("url", _URL, regex("/"), None),
    ("mail", _MAIL, regex("@"), None),
    ("path", _PATH, regex("[/.]"), _NO_PATH),
    ("code", _CODE, _DIGIT, _NO_CODE),
)
_NUMBER = r"\d+(?:[.,'\u00a0\u202f]\d+)*"
_AMOUNT_INSIDE = regex(
    rf"(?<![^\W\d_{SCRIPT}])({_NUMBER})(?:(st|nd|rd|th|k)(?!\w)|(?=\s?-?([^\W\d_]{{1,12}}|%)(?![\d_])))?"
)
_SIGNS = "零一二三四五六七八九两兩十百千万亿億"
_SCRIPT_NUMBER = regex(
    rf"百分之([{_SIGNS}]+)|([{_SIGNS}]{{2,}})|第?([{_SIGNS}])(?=[个個天日月年周週点點时時分秒元円块塊"
    r"人名件本枚次回号號楼階张張台位份倍])"
)
_NO_NUMBERS = frozenset(("十分", "万一", "一一", "千万", "百分", "一万"))
_WORDS = regex(r"[^\W\d_]+(?:[ -][^\W\d_]+)*")
_BLANK = regex(r"([ -])")
_ARTICLES = frozenset(("a", "an", "one", "ein", "eine", "einen", "einer", "un", "una", "une"))


def find_identifiers(text: str) -> tuple[list[Literal], str]:
    """Returns the addresses, paths and names with digits inside prose, and what is left."""
    found: list[Literal] = []
    for kind, pattern, sign, looks_like in _ADDRESSES:
        if sign.search(text):

            def take(
                match: re.Match[str], kind: str = kind, no: re.Pattern[str] | None = looks_like
            ) -> str:
                spelling = match[0].lower().lstrip("#").rstrip("./")
                if no and no.match(spelling):
                    return match[0]
                found.append(Literal(kind, spelling, match[0]))
                return " "

            text = pattern.sub(take, text)
    return found, text


def words_in_digits(text: str) -> str:
    """Returns a text in small letters with its number words in digits: twenty-five are 25."""
    return _WORDS.sub(_number_words_in_digits, text)


def find_amounts(text: str) -> list[Literal]:
    """Returns the dates, times, amounts and numbers inside prose in small letters.

    Each stands in one spelling: six weeks are 3628800 s. A date is YYYY-MM-DD, without its year
    where none is said; the kind of an amount is its base unit, of a bare number "number".
    """
    found: list[Literal] = []
    text = words_in_digits(text)

    def take_frequency(match: re.Match[str]) -> str:
        piece = _frequency_piece(match)
        if piece:
            found.append(Literal(*piece, match[0].strip()))
        return " " if piece else match[0]

    text = _frequencies().sub(take_frequency, text)
    # Each form needs a digit, or signs of another script: most texts have neither.
    forms = (*(_FORMS if _DIGIT.search(text) else ()), *(() if text.isascii() else _SCRIPT_FORMS))
    for pattern, read in forms:

        def take(match: re.Match[str], read: _Reader = read) -> str:
            piece = read(match)
            if piece is None:
                return match[0]
            found.append(Literal(*piece, match[0].strip()))
            return " "

        text = pattern.sub(take, text)
    return found


@cache
def _frequencies() -> re.Pattern[str]:
    """Twice a day, 3 times every 2 weeks, every week, monthly."""
    known = lexicon()
    units = [name for name, (_, base) in known.units.items() if base in ("second", "month")]
    words, times, every, unit, period = (
        "|".join(sorted(map(re.escape, names), key=len, reverse=True))
        for names in (known.frequencies, known["times"], known["every"], units, known.periods)
    )
    return regex(
        rf"\b(?:({words})|(\d{{1,6}})\s?(?:{times}))\b"
        rf"(?:\s(?:(?:{every})\s)?(?:(\d{{1,6}})\s)?({unit}|{period})\b)?"
        rf"|\b(?:{every})\s(?:(\d{{1,6}})\s)?({unit})\b|\b({period})\b"
    )


def _frequency_piece(match: re.Match[str]) -> tuple[str, str] | None:
    """How often, by its period; without one a number of times, if a word says it."""
    word, number, each, unit, every, other_unit, period = match.groups()
    times = lexicon().frequencies.get(word) or int(number or 1)
    name = unit or other_unit or period
    if name is None:
        return ("number", str(times)) if word and times > 1 else None
    size, base = lexicon().units.get(name) or lexicon().periods[name]
    return "frequency", f"{times / (float(size) * int(each or every or 1) or 1):.12g} per {base}"


def _date_piece(match: re.Match[str]) -> tuple[str, str] | None:
    day = _day_of(match)
    year = "" if day is None or day.year is None else f"{day.year:04}"
    return ("date", f"{year}-{day.month:02}-{day.day:02}") if day else None


def _time_piece(match: re.Match[str]) -> tuple[str, str] | None:
    time = _time_of_day(match) if _is_time(match) else None
    return ("time", time[:5]) if time else None


def _amount_piece(match: re.Match[str]) -> tuple[str, str]:
    """A number, with the unit behind it if there is one."""
    number, name = number_in_prose(match[1]) * (1000 if match[2] == "k" else 1), match[3] or ""
    # In small letters, w is no watt; and what may be money, as pounds, mostly is.
    is_unit = name == "%" or len(name) > 1 or name in lexicon().units
    is_money = name.upper() in _tables().currencies
    size, base = (is_unit and not is_money and unit_of(name)) or (1, "number")
    return base, f"{number * float(size):.12g}"


def _number_words_in_digits(match: re.Match[str]) -> str:
    """A run of words, with its numbers in digits: twenty-five days are 25 days."""
    words, numbers, units = _BLANK.split(match[0]), lexicon().numbers, lexicon().units
    if numbers.keys().isdisjoint(words) and _ARTICLES.isdisjoint(words):
        return match[0]
    into: list[str] = []
    at = 0
    while at < len(words):
        end = at
        while end < len(words) and words[end] in numbers:
            end += 2
        if end > at:
            into.append(f"{_value_of_words([numbers[word] for word in words[at:end:2]])}")
            into.extend(words[end - 1 : end])
        else:
            behind = words[at + 2] if at + 2 < len(words) else ""
            one = words[at] in _ARTICLES and len(behind) > 2 and behind in units
            into.extend(["1" if one else words[at], *words[at + 1 : at + 2]])
        at = max(end, at + 2)
    return "".join(into)


def _value_of_words(numbers: Sequence[int], scales: Collection[int] = (100,)) -> int:
    """The number that two, hundred, twenty, five stand for.

    Args:
        numbers: in the order in which they are said.
        scales: those that multiply the ones before them, and no more.
    """
    total, part, ones = 0, 0, 0
    for number in numbers:
        if number in scales:
            part, ones = part + (ones or 1) * number, 0
        elif number < 1000:
            ones += number
        else:
            counted = part + ones
            larger = (total + counted or 1) * number
            total = larger if number > total else total + (counted or 1) * number
            part = ones = 0
    return total + part + ones


def _script_piece(match: re.Match[str]) -> tuple[str, str] | None:
    """A number in Chinese signs; a single one only where something is counted."""
    signs = match[1] or match[2] or match[3]
    if signs in _NO_NUMBERS or signs == "一" or set(signs) <= {"百", "千", "万"}:
        return None
    # Python knows the number of each but one.
    numbers = [int(unicodedata.numeric(sign, 2)) for sign in signs[:16]]
    if max(numbers) < 10:
        return "number", "".join(map(str, numbers)).lstrip("0") or "0"
    return "number", f"{_value_of_words(numbers, (10, 100, 1000)):.12g}"


_Reader = Callable[[re.Match[str]], tuple[str, str] | None]
_FORMS: tuple[tuple[re.Pattern[str], _Reader], ...] = (
    *((form, _date_piece) for form in _INSIDE),
    (_TIME_INSIDE, _time_piece),
    (_AMOUNT_INSIDE, _amount_piece),
)
_SCRIPT_FORMS: tuple[tuple[re.Pattern[str], _Reader], ...] = ((_SCRIPT_NUMBER, _script_piece),)
