"""Dates, times of day, points in time and ranges, in the notations of all languages.

05/06/2024 is ambiguous (May or June) and therefore no date; two digits are no year. Points in time
are converted to UTC, the default zone; a day differs from its midnight. A day of the week must be
that of the date. Nothing depends on the current day or on the time zone and language of the
machine.
"""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from typing import NamedTuple

from otap._patterns import regex
from otap.values.cldr import read_names, tidy_name
from otap.values.lexicon import lexicon
from otap.values.numbers import digits_of_script, numbered_words, read_section
from otap.values.units import number_word, unit_of

MAX_MOMENT, MAX_RANGE = 64, 80  # characters
_SHORT_MONTH = 3  # letters; in prose such names mean other things too
_NAME = r"(?P<name>[^\W\d_]{3,12})\b\.?"
_TH = r"(?:st|nd|rd|th|\.|er)?"
_DIGIT = regex(r"\d")
_NAME_WITH_DIGIT = regex(r"[A-Za-z_#][\w.@/]*\Z", re.ASCII)  # W123
_TWO_ENDS = regex(
    r"\d.*(?:[\s/~\u2013\u2014\u301c\uff5e-]|\u304b\u3089|\u5230|\u81f3|\ubd80\ud130|\uc5d0\uc11c).*\d"
)
_DAY, _YEAR, _MONTH = r"(?P<day>\d{1,2})", r"(?P<year>\d{4})", r"(?P<month>\d{1,2})"
# For each form of a date: a look-behind for prose, and the form. Clear forms come first.
_NUMERIC_DATES = (
    (r"(?<![\d-])", rf"{_YEAR}(?P<by>[-/.])\s?{_MONTH}(?P=by)\s?{_DAY}(?!\d)\.?"),
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
        rf"(?:ng\u00e0y\s+)?{_DAY}\s+(?:th\u00e1ng|thg)\s+{_MONTH}(?!\d)"
        rf"(?:,?\s+(?:n\u0103m\s+)?{_YEAR}\b)?",
    ),
)
_NAMED_DATES = (
    (
        r"(?<![\w.,])",
        rf"{_DAY}{_TH}(?:\s+|-)(?:of\s+|de\s+)?{_NAME}(?:,?(?:\s+|-)(?:del?\s+)?{_YEAR}\b)?",
    ),
    (r"\b", rf"{_NAME}\s+{_DAY}(?:{_TH})(?![\w:])(?!\.\d)(?:,?\s+{_YEAR}\b)?"),
)
DATES_IN_PROSE = tuple(regex(before + form) for before, form in (*_NUMERIC_DATES, *_NAMED_DATES))
_DATE_FORMS = (
    *(regex(form) for _, form in _NUMERIC_DATES),
    regex(rf"{_YEAR}(?P<month>\d\d)(?P<day>\d\d)(?=t)"),
    regex(rf"{_YEAR}[-/](?P<month>\d\d)\Z"),
    regex(rf"(?P<month>\d\d)[/-]{_YEAR}\Z"),
    regex(rf"{_YEAR}[\u5e74\ub144]\s?{_MONTH}[\u6708\uc6d4]\Z"),
    regex(rf"--(?P<month>\d\d)-{_DAY}\Z"),
)
# A date with a name: its parts, and small words of many languages between them.
_LAST_WORD = regex(r"(?:,?\s|(?<=[\u65e5\uc77c]))\(?([^\s\d,()]{1,30})\)?\Z")
_COMMAS = str.maketrans("\u060c\u104a", ",,")  # Arabic and Burmese
_PART_OF_DATE = regex(r"\d+|[^\s\d,/()-]+")
_CLOCK_AHEAD = regex(
    r"(?:[\s,:]+(?:[^\W\d]{1,5}\s){0,2}|t|,?\s?)"
    r"(?P<time>(?:[^\W\d_]{2}\s?)?\d{1,2}(?:[:h\u6642\u65f6\u70b9\u9ede\uc2dc]|\.\d\d\s?uhr|\s?[ap]\.?m|\s?uhr).*)\Z"
)
_TIME_FIRST = regex(r"(?P<time>\d{1,2}:\d\d(?::\d\d)?(?:\s?[ap]\.?m\.?)?),?\s(?:on\s|am\s)?(?=\S)")
_CLOCK = (
    r"(?P<hour>\d{1,2})(?:[:h](?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<part>\d{1,9}))?)?"
    r"|\.(?P<dotted>\d\d)(?=\s*uhr\b))?(?:\s*(?P<half>[ap])\.?m\b\.?)?(?P<clock>\s*uhr\b)?"
)
_TIME = regex(_CLOCK)
TIME_IN_PROSE = regex(rf"(?<![\d:])(?<!\d[.,]){_CLOCK}(?!\d)")
_COMPACT_TIME = regex(r"(?P<hour>\d\d)(?P<minute>\d\d)(?P<second>\d\d)?")
# A time between words: 9 in the evening, in any language.
_WORDED_TIME = regex(
    r"(?P<before>[^\d]{0,24}?)\s?(?P<hour>\d{1,2})"
    r"(?:(?:[:.h]|\s?[\u6642\u65f6\u70b9\u9ede\uc2dc]\s?)(?P<minute>\d\d)[\u5206\ubd84]?)?"
    r"(?::(?P<second>\d\d))?"
    r"(?:\s?(?P<clock>[\u6642\u65f6\u70b9\u9ede\uc2dc]|(?:uhr|o'clock)(?=\s|\Z)))?"
    r"\s?(?P<after>[^\d]{0,24})\Z"
)
_ZONE = regex(
    r"\s?\(?(?:(?:utc|gmt)(?=[+-]))?"
    r"(?:(?P<name>[a-z]{1,4})|(?P<sign>[+-])(?P<h>\d\d?):?(?P<m>\d\d)?)\)?\Z"
)
_NAMED_ZONE = regex(r"\s?\[?([a-z]+(?:/[a-z_-]+)+)\]?\Z")
_ERA = regex(r"\s?(\d{1,3}|\u5143)(?=\u5e74|\s?\Z)")
_YEAR_AT_END = regex(r"(\d{4})(?=\D*\Z)")
_TRADITIONAL = regex(r"(?<=[\u70b9\u9ede\u6642\u65f6\uc2dc])\s?(?:\u534a|\ubc18)")
_QUARTER_OF_SCRIPT = regex(r"(?<=[\u70b9\u9ede])([13])\u523b")
_PAST = regex(
    r"(?P<part>half|quarter|(?:five|ten|twenty|twenty-five)(?: minutes)?|\d\d? minutes?)"
    r" (?P<by>past|after|to|before|of|till) (?P<hour>[a-z]+|\d\d?)(?P<rest>.*)\Z"
)
_GERMAN_PAST = regex(
    r"(?P<part>halb|viertel|dreiviertel)(?: (?P<by>nach|vor))? "
    r"(?P<hour>[^\W\d_]+|\d\d?)(?P<rest>.*)\Z"
)
_ROMANCE_PAST = regex(
    r"(?:a |à |às |alle |las |la |le |as |l')*(?P<hour>[^\W\d_]+|\d\d?)(?: heures?| horas?| ore)? "
    r"(?P<by>y|e|et|menos|meno|moins) (?:una? |un |le )?"
    r"(?P<part>media|mezza|mezzo|meia|demie?|cuarto|quarto|quart)"
    r"(?P<rest>.*)\Z"
)
_WEEK = regex(r"\d{4}-?W(?:0[1-9]|[1-4]\d|5[0-2])-?[1-7]\Z")
_NOON = {"noon": 12, "midday": 12, "midnight": 0}
_EPOCH, _MILLISECONDS, _LAST_EPOCH = 10**9, 1000, 42 * 10**8  # from 2001 to 2103
_BEFORE_NIGHT = 6  # o'clock at night is in the morning before it, and in the evening from it on
_DASH = regex(
    r"\s?(?:[\u2013\u2014\u301c\uff5e~]|\u304b\u3089|\u5230|\u81f3|\ubd80\ud130|\uc5d0\uc11c)\s?"
)
_BETWEEN = regex(r"(?<=\s)\S{1,5}(?=\s)")
_AND = regex(r"\s(?:and|y|e|et|und|en|och|og|i|и)\s(?:las? )?")
# Two numbers between the same words: 2-4 pm, May 20-22, 2024, 5 to 10 kg.
_FRAME = regex(
    r"(?P<before>(?:[^\d/-]*(?<![\d.,:/-])))(?P<first>\d[\d.,:]*(?<![,:]))[-\u2013]"
    r"(?P<last>\d[\d.,:]*?)(?P<after>(?![\d:]|[.,]\d)[^-\u2013/]*)\Z"
)
_FROM = regex(
    r"\A(?:from|between|von|zwischen|vom|de|del|desde|entre|da|das|du|dal|dalle|tra|van|tussen|od|с|между|z|fra|från"
    r"|mellan|mellem|mellom|dari|từ)\s(?:las? |le |les |den )?(?=\S*\d)",
    re.IGNORECASE,
)


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
    if len(text) > MAX_MOMENT:
        return None
    text = digits_of_script(text)
    if _NAME_WITH_DIGIT.match(text):
        hour = _NOON.get(text.lower())
        return None if hour is None else f"{hour:02}:00:00"
    if _WEEK.match(text):
        return f"{date.fromisoformat(text):%Y%m%d}"
    if not _DIGIT.search(text):
        return _parse_worded_time(text.lower()) if " " in text else None
    text = " ".join(_in_common_years(text.lower()).translate(_COMMAS).split())
    time = _TIME_FIRST.match(text)
    moved = f"{text[time.end() :]} {time['time']}" if time else text
    moment = _parse_date(moved, "") or parse_time(text)
    if moment:
        return moment
    moved, weekday = _without_weekday(moved)
    return _parse_date(moved, weekday) if weekday else None


def _in_common_years(text: str) -> str:
    """Returns a text in small letters with a year of another era as a common one."""
    if text.isascii():
        return text
    for name, offset in numbered_words("eras").items():
        before, _, behind = text.partition(name)
        era = _ERA.match(behind) if behind != "" else None
        if era:
            year = 1 if era[1] == "\u5143" else int(era[1])
            return f"{before}{year + int(offset)}{behind[era.end() :]}"
        thai = _YEAR_AT_END.search(text) if name in text and int(offset) < 0 else None
        if thai:
            moved = f"{int(thai[1]) + int(offset)}"
            return f"{text[: thai.start()]}{moved}{text[thai.end() :]}".replace(name, "")
    return text


def _parse_worded_time(text: str) -> str | None:
    """Reads half past three, halb vier, las tres y media."""
    worded = _PAST.match(text) or _GERMAN_PAST.match(text) or _ROMANCE_PAST.match(text)
    if not worded:
        return None
    hour = _read_small_number(worded["hour"])
    minute = _read_small_number(worded["part"].removesuffix("s").removesuffix(" minute"))
    if not hour or not minute:
        return None
    part, by = worded["part"], worded["by"]
    if part == "dreiviertel" or (part == "halb" and not by) or by in _BEFORE_HOUR:
        minute, hour = (minute if part in ("dreiviertel", "halb") else 60 - minute), hour - 1
    elif part == "viertel" and not by:
        return None  # an hour that speakers of German disagree on
    return parse_time(f"{hour or 12}:{minute:02}{worded['rest']}")


_MINUTES = {
    **dict.fromkeys(("half", "halb", "media", "mezza", "mezzo", "meia", "demi", "demie"), 30),
    **dict.fromkeys(("quarter", "viertel", "cuarto", "quarto", "quart"), 15),
    "five": 5,
    "ten": 10,
    "twenty": 20,
    "twenty-five": 25,
    "dreiviertel": 45,
}
_BEFORE_HOUR = frozenset(("to", "before", "of", "till", "vor", "menos", "meno", "moins"))


def _read_small_number(word: str) -> int | None:
    if word.isdecimal():
        return int(word)
    return _MINUTES.get(word) or number_word(word)


def parse_epoch(canonical: str) -> str | None:
    """Returns a point in time from seconds or milliseconds since 1970, or None."""
    if not canonical.isdecimal() or len(canonical) > 13:
        return None
    seconds, rest = int(canonical), 0
    if len(canonical) == 13:
        seconds, rest = divmod(seconds, _MILLISECONDS)
    if not _EPOCH <= seconds < _LAST_EPOCH:
        return None
    point = datetime.fromtimestamp(seconds, UTC).isoformat()[:19]
    return point + (f".{rest:03}".rstrip("0") if rest else "") + "Z"


def _without_weekday(text: str) -> tuple[str, str]:
    """Returns a text without the day of the week before or after a date, and the day's number."""
    names = read_names("weekdays")
    words = text.split(" ")
    for count in (2, 1):
        name, remaining = " ".join(words[:count]), " ".join(words[count:])
        number = names.get(tidy_name(name.rstrip(",.:")))
        if number and remaining:
            return remaining, number
    last = _LAST_WORD.search(text)
    number = names.get(tidy_name(last[1])) if last else None
    return (text[: last.start()], number) if last and number else (text, "")


def _parse_date(text: str, weekday: str) -> str | None:
    for form in _DATE_FORMS:
        match = form.match(text)
        day = day_of(match) if match else None
        if match and day:
            return _point_in_time(day, text[match.end() :], weekday, match[0].isdigit())
    return _parse_named_date(text, weekday)


def _parse_named_date(text: str, weekday: str) -> str | None:
    """Reads a date whose month has a name, in any order of its parts."""
    if text[:1].isdigit() and ":" in text[:3]:
        return None
    for end in _ends_of_date(text):
        parts = [part.strip(".") for part in _PART_OF_DATE.findall(text[:end])]
        day = _day_of_parts([part for part in parts if part])
        if day:
            return _point_in_time(day, text[end:], weekday)
    return None


def _ends_of_date(text: str) -> Iterator[int]:
    """Yields where the date in a text may end: before each time, and at the end."""
    for match in re.finditer(r"(?<=[^\W_]),?[ :t]", text):
        if _CLOCK_AHEAD.match(text, match.start()):
            yield match.start()
    yield len(text)


def _day_of_parts(parts: list[str]) -> Day | None:
    """Returns the date of some numbers and words, of which one names a month; else None."""
    months = {month for month in map(month_of, parts) if month}
    words = [part for part in parts if not (part.isdigit() or month_of(part))]
    numbers = [part for part in parts if part.isdigit()]
    years = [int(number) for number in numbers if len(number) == 4]
    days = [int(number) for number in numbers if len(number) < 3]
    are_few = len(years) < 2 and len(days) < 2 and len(years) + len(days) == len(numbers)
    if len(months) != 1 or not are_few or not numbers or not _is_of(words, "date_words"):
        return None
    return _valid(Day(years[0] if years else None, months.pop(), days[0] if days else None))


def month_of(name: str, *, in_prose: bool = False) -> int | None:
    """Returns the number of a month by its name in any language."""
    if in_prose and len(name) <= _SHORT_MONTH and name not in lexicon()["short_months"]:
        return None
    names, small = read_names("months"), tidy_name(name)
    number = names.get(small) or names.get(small.removeprefix("\u05d1"))  # Hebrew: in
    return int(number) if number else None


def day_of(match: re.Match[str]) -> Day | None:
    """Returns the date of a matched form; None if it is ambiguous (05/06/2024) or invalid."""
    parts = match.groupdict()
    numbers = int(parts.get("first") or 0), int(parts.get("second") or 0)
    if max(numbers) <= 12 and numbers[0] != numbers[1]:
        return None
    name = parts.get("name")
    month = parts.get("month") or (name and month_of(name, in_prose=True)) or min(numbers)
    day, year = parts.get("day") or max(numbers) or None, parts.get("year")
    return _valid(Day(int(year) if year else None, int(month), None if day is None else int(day)))


def _valid(day: Day) -> Day | None:
    try:
        return day if day.date else None
    except ValueError:  # 30 February, or a name of no month
        return None


def _point_in_time(day: Day, suffix: str, weekday: str, is_compact: bool = False) -> str | None:
    """Returns a day with the time and the zone from the text after it."""
    if weekday and day.year and day.day and day.date.isoweekday() != int(weekday):
        return None
    if not suffix.strip(" .") or suffix in (" г", " г.", " года"):
        return str(day) if day.year or not weekday else f"{day} {weekday}"
    ahead = _CLOCK_AHEAD.match(suffix) if day.year and day.day and not is_compact else None
    text = ahead["time"] if ahead else suffix.removeprefix("t")
    if not day.year or not day.day or not (ahead or is_compact):
        return None
    form = _COMPACT_TIME if is_compact else _TIME
    time = form.match(text)
    clock = time_of_day(time) if time and (is_compact or is_time(time)) else None
    zone = _zone_of(text, time.end()) if time else None
    if not clock or not time or (len(text) > time.end() and not zone):
        clock, zone = parse_time(text), None
    return _write_point(day, clock, zone) if clock else None


def _zone_of(text: str, start: int) -> re.Match[str] | None:
    zone = _ZONE.match(text, start)
    return zone if zone and (not zone["name"] or zone["name"] in numbered_words("zones")) else None


def _offset_of(zone: re.Match[str]) -> timedelta:
    if zone["name"]:
        return timedelta(hours=float(numbered_words("zones")[zone["name"]]))
    return timedelta(hours=int(zone["h"]), minutes=int(zone["m"] or 0))


def _write_point(day: Day, clock: str, zone: re.Match[str] | None) -> str | None:
    seconds, _, fraction = clock.partition(".")
    try:
        point = datetime.fromisoformat(f"{day.date.isoformat()}T{seconds}")
        if zone:
            offset = _offset_of(zone)
            zone_info = timezone(-offset if zone["sign"] == "-" else offset)
            point = point.replace(tzinfo=zone_info).astimezone(UTC)
    except (ValueError, OverflowError):  # a zone of 25 hours, a year 10000
        return None
    return point.isoformat()[:19] + (f".{fraction}" if fraction else "") + "Z"


# Times of day.


def parse_time(text: str) -> str | None:
    """Returns a time of day, also with the words of a language: 9 in the evening is 21:00:00."""
    time = _TIME.fullmatch(text)
    if time and is_time(time):
        return time_of_day(time)
    if not text.isascii():
        text = _TRADITIONAL.sub("30", _QUARTER_OF_SCRIPT.sub(_write_quarters, text))
    worded = _WORDED_TIME.match(text)
    if not worded:
        return None
    context = [worded[part].strip(" .") for part in ("before", "after")]
    words = [tidy_name(word) for word in context if not _is_of(word.split(), "at")]
    half = read_names("halves").get(words[0], "") if words else ""
    is_oclock = any(_is_of([word], "clock_words") for side in context for word in side.split())
    has_clock = worded["clock"] or is_oclock or worded["minute"]
    if len(words) > 1 or (words and not half) or not (half or has_clock):
        return None
    if not worded["minute"] and unit_of(context[1]):
        return None  # дня is in the afternoon, and of days
    hour, minute, second = (int(worded[part] or 0) for part in ("hour", "minute", "second"))
    if not half and "." in text.strip(".") and not is_oclock:
        return None  # 14.30 is a number
    if half and hour <= 12:
        is_late = half == "pm" or (half == "night" and _BEFORE_NIGHT <= hour < 12)
        hour = hour % 12 + 12 * is_late
    is_valid = hour < 24 and minute < 60 and second < 60
    return f"{hour:02}:{minute:02}:{second:02}" if is_valid else None


def _write_quarters(match: re.Match[str]) -> str:
    return str(15 * int(match[1]))


def is_time(time: re.Match[str]) -> bool:
    """Returns whether a match has more evidence of a time than a bare number."""
    return any(time[part] for part in ("minute", "dotted", "half", "clock"))


def time_of_day(time: re.Match[str]) -> str | None:
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


def _is_of(words: list[str], section: str) -> bool:
    """Whether all words are in a list of small words."""
    return set(read_section(section).split()).issuperset(words)


# Ranges.


def _write_dash(match: re.Match[str]) -> str:
    return "\u2013" if _is_of([match[0].lower()], "to") else match[0]


def split_range(text: str) -> Iterator[tuple[str, str]]:
    """Yields the possible ends of a range: 2 pm - 4 pm, 14:00-16:00, 5 to 10 kg, May 20-22."""
    if len(text) > MAX_RANGE or not _TWO_ENDS.search(text):
        return
    begun = _FROM.sub("", text.strip(), count=1)
    if begun != text:
        begun = _AND.sub("\u2013", begun)
    text = _DASH.sub("\u2013", _BETWEEN.sub(_write_dash, begun))
    frame = _FRAME.match(text)
    if frame and (frame["before"] or frame["after"]):
        before, first, last, after = frame.groups()
        yield f"{before}{first}{after}", f"{before}{last}{after}"
    for separator in ("\u2013", "/", "-"):
        first, _, last = text.partition(separator)
        is_single = text.count(separator) == 1
        if is_single and first and last and (separator != "/" or "-" in text):
            yield first, last
