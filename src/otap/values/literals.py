"""The grammar of literals: numbers, dates, times, amounts, identifiers and addresses.

``parse_*`` and ``match_literal`` read a whole text by strict patterns; a text that matches none
stays a text. ``find_identifiers`` and ``find_amounts`` find the same literals inside prose, next to
any words. Both share the forms of dates and times, months and units.

05/06/2024 is ambiguous (May or June) and therefore no date; two digits are no year. Points in time
are converted to UTC, the default zone; a day differs from its midnight. An amount differs from its
number: 5 % is not 5, nor is 5 kg. Units of one measure are converted to a common one (1 kg is 1000
g, 90 min is PT1H30M), currencies never are. Nothing depends on the current day or on the time zone
and language of the machine.
"""

import math
import re
import tomllib
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from otap._patterns import regex
from otap.values.addresses import parse_url
from otap.values.lexicon import Unit, lexicon, read_numbered_words, read_units

# Significant digits of a double; a longer number is a name.
DIGITS = 15

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


# Numbers: 1,000 is 1000 and 1.50 is 1.5, but 007 and very long numbers are names.

_PLAIN = regex(r"[+-]?(?:0|[1-9]\d*)?(?:\.\d+)?(?:[eE][+-]?\d{1,3})?\Z", re.ASCII)
# Groups of three digits with any separator. A single dot is a decimal point, as in JSON.
_GROUPED = regex(
    r"(?P<sign>[+-]?)(?P<whole>[1-9]\d{0,2}(?:(?:,\d{3})+|(?: \d{3})+|(?:['\u2019]\d{3})+)"
    r"|[1-9]\d?(?:,\d\d)+,\d{3})(?P<part>\.\d+|(?<= \d{3}),\d{1,2})?\Z",
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
    """Returns the form that equal JSON numbers share: the shortest decimal of 15 digits."""
    if isinstance(number, int):
        return str(number)
    if not math.isfinite(number):
        return str(float(number))
    if abs(number) >= 10**DIGITS:
        return str(int(number)) if float(number).is_integer() else repr(number)
    return f"{number + 0.0:.{DIGITS}g}"


def parse_number(text: str) -> str | None:
    """Returns the canonical form of a number with sign, separators, fraction and exponent."""
    if len(text) > 40 or _TELEPHONE.match(text):
        return None
    digits = parse_decimal(text.replace("\u2212", "-"))
    return format_number(float(digits)) if digits and math.isfinite(float(digits)) else None


def parse_decimal(text: str) -> str | None:
    """Returns a number as digits, sign, point and exponent; None for a name."""
    if _PLAIN.match(text):
        decimal = text
    else:
        groups = _GROUPED.match(text) or _DOTTED.match(text)
        if not groups:
            return None
        fraction = (groups["part"] or "").replace(",", ".")
        decimal = groups["sign"] + _NO_DIGIT.sub("", groups["whole"]) + fraction
    mantissa = re.split("[eE]", decimal)[0]
    max_length = DIGITS + mantissa.startswith(("+", "-"))
    has_digits = any(character.isdigit() for character in mantissa)
    return decimal if has_digits and len(mantissa.split(".")[0]) <= max_length else None


def number_in_prose(text: str) -> float:
    """Returns the value of digits with decimal points, commas and separators of thousands."""
    text = re.sub(r"['\u00a0\u202f]", "", text)
    last = max(text.rfind(","), text.rfind("."))
    integer, sign, fraction = text[: max(last, 0)], text[last : last + 1], text[last + 1 :]
    if last < 0 or sign in integer or (sign == "," and len(fraction) == 3):
        integer, fraction = text, "0"
    return float(f"{_NO_DIGIT.sub('', integer)[:300] or '0'}.{fraction[:30]}")


# Amounts with a unit: money, measures, percent, durations.

_BASES = {"second": "s", "gram": "g", "metre": "m"}  # by their name in the lexicon
_AMOUNT = regex(
    r"(?P<minus>[+-]?)(?P<before>[^\W\d_]{1,3}[$.]?|[$\u20ac\u00a3\u20b9\u00a5\u20a9\u20ba\u20bd\u20ab\u0e3f\u20b4\u20aa])?"
    r"\s*(?P<number>[+-]?[\d.][\d.,'\u2019 ]*?)"
    r"\s*(?P<after>%|\u00b0?[^\W\d_]+\.?|[$\u20ac\u00a3\u20b9\u00a5\u20a9\u20ba\u20bd\u20ab\u0e3f\u20b4\u20aa])?\Z"
)
_SCALED = regex(r"(\d[\d.,]{0,12})([\u5343\u4e07\u842c\u5104\u4ebf\ub9cc])(?=[^\W\d_]{0,3}\Z)")
_SCALED_BY_WORD = regex(r"(\d[\d.,]{0,12})\s?([^\W\d_]{1,9})\.?(?=\s|\Z)")
_SCALES = {"\u5343": 1_000, "\u5104": 10**8, "\u4ebf": 10**8}  # the others: 10,000
_NO_CENTS = frozenset(("IDR", "VND", "CLP", "KRW", "JPY"))  # 1.950 of these is a thousand and more
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
_PART_SECONDS = (604800, 86400, 3600, 60, 1)  # in a week, day, hour, minute, second


class _Tables(NamedTuple):
    """The units by name and by name in small letters, the months and the currencies by name."""

    units: Mapping[str, Unit]
    any_case: Mapping[str, Unit]
    months: Mapping[str, int]
    currencies: Mapping[str, str]
    scales: Mapping[str, int]


@cache
def _tables() -> _Tables:
    text = files(__package__).joinpath("literals.toml").read_text(encoding="utf-8")
    sections = tomllib.loads(text)
    units = read_units(sections["units"])
    for word, (size, base) in lexicon().units.items():
        units.setdefault(word, (size, _BASES.get(base, base)))
    any_case = {name.lower(): unit for name, unit in units.items() if len(name) > 1}
    currencies = {code: code for code in sections["currencies"].split()}
    for line in sections["symbols"].strip().splitlines():
        code, *names = line.split()
        currencies.update(dict.fromkeys(names, code))
    months = lexicon().months | read_numbered_words(sections["months"])
    scales = read_numbered_words(sections["scales"])
    return _Tables(units, any_case, months, currencies, scales)


def unit_of(name: str) -> Unit | None:
    """Returns the size of a unit in its base unit, or None for other names."""
    tables = _tables()
    return tables.units.get(name) or tables.any_case.get(name.lower())


def parse_quantity(text: str) -> str | None:
    """Returns money, a measure or a duration as a number, a blank and the unit, or None."""
    if len(text) > 48 or not _has_digit(text):
        return None
    return _parse_duration(text) or _parse_amount(text)


def _has_digit(text: str) -> bool:
    return any(character.isdigit() for character in text)


def _parse_amount(text: str) -> str | None:
    amount = _AMOUNT.match(_multiply(text.replace("\u2212", "-")))
    if not amount or (amount["before"] is None) == (amount["after"] is None):
        return None
    unit = amount["after"] and unit_of(amount["after"])
    name = (amount["before"] or amount["after"]).upper()
    currency = not unit and _tables().currencies.get(name.rstrip("."))
    if currency:
        unit = Decimal(1), currency
    number = amount["minus"] + amount["number"]
    if currency and _DOT_OF_THREE.match(number):  # 1.950 of money is ambiguous
        if currency not in _NO_CENTS:
            return None
        number = number.replace(".", "")
    if not unit:
        return None
    digits = number.replace(",", ".") if _COMMA.match(number) else parse_decimal(number)
    return f"{_shortest(Decimal(digits) * unit[0])} {unit[1]}" if digits else None


def _multiply(text: str) -> str:
    """Returns an amount with its number in full: 2,5 mln EUR is 2500000 EUR."""
    text = _SCALED.sub(_write_scaled, text)
    words = _SCALED_BY_WORD.search(text)
    scale = words and _tables().scales.get(words[2].lower())
    if not words or not scale:
        return text
    number = number_in_prose(words[1]) * scale
    return f"{text[: words.start()]}{number:.12g}{text[words.end() :]}"


def _write_scaled(match: re.Match[str]) -> str:
    number = number_in_prose(match[1]) * _SCALES.get(match[2], 10_000)
    return f"{number:.12g}"


def _parse_duration(text: str) -> str | None:
    """Returns the seconds of 1h30m or PT1H30M; None for a single ambiguous part such as 10m."""
    iso_duration = _ISO_DURATION.match(text)
    duration = iso_duration or _DURATION.match(text.lower())
    if not duration:
        return None
    parts = [
        Decimal(part) * seconds
        for part, seconds in zip(duration.groups(), _PART_SECONDS, strict=False)
        if part
    ]
    fewest = 1 if iso_duration else 2
    return f"{_shortest(sum(parts, Decimal(0)))} s" if len(parts) >= fewest else None


def _shortest(number: Decimal) -> str:
    digits = f"{number.normalize() + 0:f}"
    return "0" if digits in ("-0", "0") else digits


# Dates and times, with English, German, French and Spanish months and their abbreviations.

_WEEKDAY = regex(
    r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?(?:,\s?|\s)"
    r"|(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)(?:,\s?|\s)"
)
_NAME = r"(?P<name>[^\W\d_]{3,12})\b\.?"
_TH = r"(?:st|nd|rd|th|\.|er)?"
_DAY, _YEAR, _MONTH = r"(?P<day>\d{1,2})", r"(?P<year>\d{4})", r"(?P<month>\d{1,2})"
# For each form of a date: a look-behind for prose, and the form. Clear forms come first.
_DATES = (
    (r"(?<![\d-])", rf"{_YEAR}(?P<by>[-/.]){_MONTH}(?P=by){_DAY}(?!\d)"),
    (
        "",
        rf"(?:{_YEAR}[\u5e74\ub144]\s?)?{_MONTH}[\u6708\uc6d4]\s?{_DAY}[\u65e5\u53f7\u865f\uc77c]",
    ),
    (r"(?<![\d.])", rf"{_DAY}\.(?:\s(?=\d\d?\.\s?\d{{4}}))?{_MONTH}\.(?:\s?{_YEAR})?(?!\d)"),
    (
        r"(?<![\w/.-])",
        rf"(?P<first>\d{{1,2}})(?P<by>[/-])(?P<second>\d{{1,2}})(?P=by){_YEAR}(?!\d)",
    ),
    (
        r"(?<![\w.,])",
        rf"{_DAY}{_TH}(?:\s+|-)(?:of\s+|de\s+)?{_NAME}(?:,?(?:\s+|-)(?:del?\s+)?{_YEAR}\b)?",
    ),
    (
        r"(?<![\w.,])",
        rf"(?:ng\u00e0y\s+)?{_DAY}\s+th\u00e1ng\s+{_MONTH}(?!\d)(?:,?\s+(?:n\u0103m\s+)?{_YEAR}\b)?",
    ),
    (r"\b", rf"{_NAME}\s+{_DAY}(?:{_TH})(?![\w:])(?!\.\d)(?:,?\s+{_YEAR}\b)?"),
)
_DATE_IN_PROSE = tuple(regex(before + form) for before, form in _DATES)
_DATE_FORMS = (
    *(regex(form) for _, form in _DATES),
    regex(rf"{_YEAR}(?P<month>\d\d)(?P<day>\d\d)(?=t)"),
    regex(rf"{_YEAR}[-/](?P<month>\d\d)\Z"),
    regex(rf"(?P<month>\d\d)[/-]{_YEAR}\Z"),
    regex(rf"{_NAME}\s{_YEAR}\Z"),
    regex(rf"{_YEAR}\s{_NAME}\s{_DAY}\.?\Z"),
    regex(rf"--(?P<month>\d\d)-{_DAY}\Z"),
)
# 9 in the evening, in languages without am and pm.
_HALVES = regex(
    r"(?<=\d)\s?(?:uhr\s|\u0447\u0430\u0441(?:\u0430|\u043e\u0432)?\s)?"
    r"(?:(?P<am>de la ma\u00f1ana|du matin|da manh\u00e3|di mattina|"
    r"del mattino|morgens|vormittags|\u0443\u0442\u0440\u0430|rano)"
    r"|(?P<pm>de la (?:tarde|noche)|du soir|de l'apr\u00e8s-midi|da (?:tarde|noite)|di sera|"
    r"della sera|abends|nachmittags|wieczorem|"
    r"\u0432\u0435\u0447\u0435\u0440\u0430|\u0434\u043d\u044f))\Z"
)
_MORNINGS = ("\u5348\u524d", "\u4e0a\u5348", "\uc624\uc804")
_HALF_BEFORE = regex(
    r"\A(?P<half>\u5348\u524d|\u4e0a\u5348|\uc624\uc804|\u5348\u5f8c|\u4e0b\u5348|\uc624\ud6c4)\s?"
    r"(?P<hour>\d{1,2})[\u6642\u65f6\u70b9\u9ede\uc2dc](?:\s?(?P<minute>\d\d)[\u5206\ubd84]?)?\Z"
)
_OCLOCK = regex(
    r"\A(?:kl\.?|klockan|klokken)\s(?=\d)|(?<=\d\d\d\d)\s?(?:\u0433\.?|\u0433\u043e\u0434\u0430)\Z"
)
_OF_YEAR = regex(r"(?<=\A\d{4})\.(?=\s[^\W\d_])")
_BETWEEN = regex(r"t(?=\d)|,?\s(?:at\s|um\s)?")
_CLOCK = (
    r"(?P<hour>\d{1,2})(?:[:h](?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<part>\d{1,9}))?)?"
    r"|\.(?P<dotted>\d\d)(?=\s*uhr\b))?(?:\s*(?P<half>[ap])\.?m\b\.?)?(?P<clock>\s*uhr\b)?"
)
_TIME = regex(_CLOCK)
_TIME_IN_PROSE = regex(rf"(?<![\d:])(?<!\d[.,]){_CLOCK}(?!\d)")
_COMPACT_TIME = regex(r"(?P<hour>\d\d)(?P<minute>\d\d)(?P<second>\d\d)?")
_ZONE = regex(r"\s?(?:(?P<utc>z|utc|gmt)|(?P<sign>[+-])(?P<h>\d\d):?(?P<m>\d\d)?)\Z")


class Day(NamedTuple):
    """A date; the year or the day may be unknown."""

    year: int | None
    month: int
    day: int | None

    def __str__(self) -> str:
        """Returns eight digits: a number at the same path hardly means anything else."""
        if self.year is None:
            return f"--{self.month:02}-{self.day:02}"
        separator = "-" if self.day is None else ""
        return f"{self.year:04}{separator}{self.month:02}" + (f"{self.day:02}" if self.day else "")

    @property
    def date(self) -> date:
        """The date, in the leap year 2000 if the year is unknown."""
        year, day = 2000 if self.year is None else self.year, 1 if self.day is None else self.day
        return date(year, self.month, day)


def parse_moment(text: str) -> str | None:
    """Returns a day, a month, a day without year, a time of day or a point in time, or None."""
    if len(text) > 48 or not _has_digit(text):
        return None
    text = _WEEKDAY.sub("", " ".join(text.lower().split()), count=1)
    text = _HALVES.sub(_write_half, _HALF_BEFORE.sub(_write_half_before, text))
    text = _OCLOCK.sub("", _OF_YEAR.sub("", text))
    for form in _DATE_FORMS:
        match = form.match(text)
        day = _day_of(match) if match else None
        if match and day:
            return _point_in_time(day, text[match.end() :], match[0].isdigit())
    time = _TIME.fullmatch(text)
    return _time_of_day(time) if time and _is_time(time) else None


def _write_half_before(match: re.Match[str]) -> str:
    half = "am" if match["half"] in _MORNINGS else "pm"
    return f"{match['hour']}:{match['minute'] or '00'} {half}"


def _write_half(match: re.Match[str]) -> str:
    return " am" if match["am"] else " pm"


def _day_of(match: re.Match[str]) -> Day | None:
    """Returns the date of a matched form; None if it is ambiguous (05/06/2024) or invalid."""
    parts = match.groupdict()
    numbers = int(parts.get("first") or 0), int(parts.get("second") or 0)
    if max(numbers) <= 12 and numbers[0] != numbers[1]:
        return None
    month = parts.get("month") or _tables().months.get(parts.get("name") or "") or min(numbers)
    day, year = parts.get("day") or max(numbers) or None, parts.get("year")
    parsed = Day(int(year) if year else None, int(month), None if day is None else int(day))
    try:
        return parsed if parsed.date else None
    except ValueError:  # 30 February, or a name of no month
        return None


def _point_in_time(day: Day, suffix: str, is_compact: bool) -> str | None:
    """Returns a day with the time and the zone from the text after it."""
    if not suffix:
        return str(day)
    separator = _BETWEEN.match(suffix) if day.year and day.day else None
    form = _COMPACT_TIME if is_compact else _TIME
    time = form.match(suffix, separator.end()) if separator else None
    clock = _time_of_day(time) if time and (is_compact or _is_time(time)) else None
    zone = _ZONE.match(suffix, time.end()) if time else None
    if not clock or not time or (len(suffix) > time.end() and not zone):
        return None
    seconds, _, fraction = clock.partition(".")
    try:
        point = datetime.fromisoformat(f"{day.date.isoformat()}T{seconds}")
        if zone:
            offset = timedelta(hours=int(zone["h"] or 0), minutes=int(zone["m"] or 0))
            zone_info = timezone(-offset if zone["sign"] == "-" else offset)
            point = point.replace(tzinfo=zone_info).astimezone(UTC)
    except (ValueError, OverflowError):  # a zone of 25 hours, a year 10000
        return None
    return point.isoformat()[:19] + (f".{fraction}" if fraction else "") + "Z"


def _is_time(time: re.Match[str]) -> bool:
    """Whether a match has more evidence of a time than a bare number."""
    return any(time[part] for part in ("minute", "dotted", "half", "clock"))


def _time_of_day(time: re.Match[str]) -> str | None:
    """Returns hours, minutes, seconds and a fraction; None for an invalid time such as 25:00."""
    parts = time.groupdict()
    hour, second = int(parts["hour"]), int(parts["second"] or 0)
    minute = int(parts["minute"] or parts.get("dotted") or 0)
    half = parts.get("half")
    if (half and not 1 <= hour <= 12) or hour > 23 or minute > 59 or second > 59:
        return None
    if half:
        hour = hour % 12 + 12 * (half == "p")
    fraction = (parts.get("part") or "").rstrip("0")
    return f"{hour:02}:{minute:02}:{second:02}" + (f".{fraction}" if fraction else "")


# Identifiers: names with digits. Letter case counts, except in hexadecimal numbers.


_WITH_DIGIT = regex(r"[^\s,;]*\d[^\s,;]*\Z")
_PHONE = regex(
    r"\+\d{8,}\Z|(?!.\d*\.\d*\Z)\+\d[\d ()./-]{6,}\d\Z"
    r"|(?:1[ .-])?\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}\Z",
    re.ASCII,
)
_VERSION = regex(r"[vV]?(?P<parts>\d+(?:\.\d+){2,}(?:[-+][\w.+-]+|[ab]\d+|rc\d+)?)\Z", re.ASCII)
_SHORT_VERSION = regex(r"[vV]\d+(?:\.\d+)?\Z", re.ASCII)
_UUID = regex(
    r"(?:urn:uuid:)?\{?([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})"
    r"-([0-9a-f]{12})\}?\Z",
    re.IGNORECASE,
)
_HEXADECIMAL = regex(r"0[xX][0-9a-fA-F]+\Z|(?=.*\d)(?=.*[a-fA-F])[0-9a-fA-F]{7,64}\Z")


def _parse_phone(text: str) -> str | None:
    if len(text) > 32 or not _PHONE.match(text):
        return None
    return ("+" if text[0] == "+" else "") + _NO_DIGIT.sub("", text)


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
_IBAN = regex(r"[A-Z]{2}\d{2}(?: ?[A-Z\d]){11,30}\Z", re.ASCII | re.IGNORECASE)


def parse_iban(text: str) -> str | None:
    """Returns a number of a bank account in capitals and without blanks, or None."""
    if len(text) > 45 or not _IBAN.match(text):
        return None
    digits = text.replace(" ", "").upper()
    rotated = "".join(str(int(sign, 36)) for sign in digits[4:] + digits[:4])
    return digits if int(rotated) % 97 == 1 else None


_LITERALS: tuple[tuple[str, Callable[[str], str | None]], ...] = (
    ("iban", parse_iban),
    ("number", parse_number),
    ("moment", parse_moment),
    ("phone", _parse_phone),
    ("quantity", parse_quantity),
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
_NO_NUMBERS = frozenset(("十分", "万一", "一一", "千万", "百分", "一万"))
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
    day = _day_of(match)
    year = "" if day is None or day.year is None else f"{day.year:04}"
    return ("date", f"{year}-{day.month:02}-{day.day:02}") if day else None


def _read_time(match: re.Match[str]) -> tuple[str, str] | None:
    time = _time_of_day(match) if _is_time(match) else None
    return ("time", time[:5]) if time else None


def _read_amount(match: re.Match[str]) -> tuple[str, str]:
    """Reads a number with the unit after it, if any."""
    number = number_in_prose(match[1]) * (1000 if match[2] == "k" else 1)
    name = match[3] or ""
    # In small letters, w is no watt; a possible currency such as pounds is mostly money.
    is_unit = name == "%" or len(name) > 1 or name in lexicon().units
    is_money = name.upper() in _tables().currencies
    size, base = (is_unit and not is_money and unit_of(name)) or (1, "number")
    return base, f"{number * float(size):.12g}"


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
            number = _value_of_words([numbers[word] for word in words[start:end:2]])
            converted.extend([str(number), *words[end - 1 : end]])
        else:
            following = words[start + 2] if start + 2 < len(words) else ""
            is_number = words[start] in _ARTICLES and len(following) > 2 and following in units
            word = "1" if is_number else words[start]
            converted.extend([word, *words[start + 1 : start + 2]])
        start = max(end, start + 2)
    return "".join(converted)


def _value_of_words(numbers: Sequence[int], scales: Collection[int] = (100,)) -> int:
    """Returns the number of the words two, hundred, twenty, five.

    Args:
        numbers: the values of the words, in their order.
        scales: the values that multiply only the units before them.
    """
    total, scaled, units = 0, 0, 0
    for number in numbers:
        if number in scales:
            scaled, units = scaled + (units or 1) * number, 0
        elif number < 1000:
            units += number
        else:
            pending = scaled + units
            if number > total:
                total = (total + pending or 1) * number
            else:
                total += (pending or 1) * number
            scaled = units = 0
    return total + scaled + units


def _read_script_number(match: re.Match[str]) -> tuple[str, str] | None:
    """Reads a number in Chinese characters; the pattern accepts a single one before a counter."""
    signs = match[1] or match[2] or match[3]
    if signs in _NO_NUMBERS or signs == "一" or set(signs) <= {"百", "千", "万"}:
        return None
    # 两 (two) is the only sign without a value in Python's tables.
    numbers = [int(unicodedata.numeric(sign, 2)) for sign in signs[:16]]
    if max(numbers) < 10:
        return "number", "".join(str(number) for number in numbers).lstrip("0") or "0"
    return "number", f"{_value_of_words(numbers, (10, 100, 1000)):.12g}"


_Reader = Callable[[re.Match[str]], tuple[str, str] | None]
_FORMS: tuple[tuple[re.Pattern[str], _Reader], ...] = (
    *((form, _read_date) for form in _DATE_IN_PROSE),
    (_TIME_IN_PROSE, _read_time),
    (_AMOUNT_IN_PROSE, _read_amount),
)
_SCRIPT_FORMS: tuple[tuple[re.Pattern[str], _Reader], ...] = (
    (_SCRIPT_NUMBER, _read_script_number),
)
