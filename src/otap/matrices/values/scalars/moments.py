"""Dates and times, read by strict patterns: what is not plainly one stays a text.

05/06/2024 may be May or June, so it is neither; two digits are no year. A point in time is told in
UTC, which is also meant where no zone is said; a day is not its midnight. Nothing depends on
today, on the machine's zone or on its language. A day is told in eight digits, which as a number
of the same place hardly mean anything else.
"""

import re
from datetime import UTC, date, datetime, timedelta, timezone

from otap._patterns import regex

# English, German, French, Spanish, by number; three letters are enough where they are usual.
_MONTHS = (
    "january jan januar janvier enero",
    "february feb februar fevrier f\u00e9vrier febrero",
    "march mar m\u00e4rz maerz mrz mars marzo",
    "april apr avril abril abr",
    "may mai mayo",
    "june jun juni juin junio",
    "july jul juli juillet julio",
    "august aug ao\u00fbt aout agosto",
    "september sep sept septembre septiembre",
    "october oct oktober okt octobre octubre",
    "november nov novembre noviembre",
    "december dec dezember dez d\u00e9cembre decembre diciembre dic",
)
_MONTH = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}
_WEEKDAY = regex(
    r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?(?:,\s?|\s)"
    r"|(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)(?:,\s?|\s)"
)
_NAME = r"(?P<name>[^\W\d_]{3,10})\.?"
_TH = r"(?:st|nd|rd|th|\.|er)?"
_DAY = r"(?P<day>\d{1,2})"
_YEAR = r"(?P<year>\d{4})"
_DATES = tuple(
    regex(pattern)
    for pattern in (
        rf"{_YEAR}(?P<by>[-/.])(?P<month>\d{{1,2}})(?P=by){_DAY}",
        rf"{_YEAR}(?P<month>\d\d){_DAY}(?=t)",
        rf"{_DAY}\.\s?(?P<month>\d{{1,2}})\.\s?{_YEAR}",
        rf"(?P<one>\d{{1,2}})(?P<by>[/-])(?P<two>\d{{1,2}})(?P=by){_YEAR}",
        rf"{_NAME}\s{_DAY}{_TH},?\s{_YEAR}",
        rf"{_DAY}{_TH}(?:\s|-)(?:of\s|de\s)?{_NAME},?(?:\s|-)(?:de\s)?{_YEAR}",
        rf"{_YEAR}\u5e74(?P<month>\d{{1,2}})\u6708{_DAY}\u65e5",
    )
)
_MONTH_ALONE = tuple(
    regex(pattern)
    for pattern in (
        rf"{_YEAR}[-/](?P<month>\d\d)\Z",
        rf"(?P<month>\d\d)[/-]{_YEAR}\Z",
        rf"{_NAME}\s{_YEAR}\Z",
        rf"--(?P<month>\d\d)-{_DAY}\Z",
        rf"{_NAME}\s{_DAY}{_TH}\Z",
        rf"{_DAY}{_TH}\s(?:of\s)?{_NAME}\Z",
    )
)
_BETWEEN = regex(r"t(?=\d)|,?\s(?:at\s|um\s)?")
_TIME = regex(
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<part>\d{1,9}))?)?)?"
    r"(?:\s?(?P<half>[ap])\.?m\.?)?(?P<clock>\suhr)?"
)
_COMPACT_TIME = regex(r"(?P<hour>\d\d)(?P<minute>\d\d)(?P<second>\d\d)?")
_ZONE = regex(r"\s?(?:(?P<utc>z|utc|gmt)|(?P<sign>[+-])(?P<h>\d\d):?(?P<m>\d\d)?)\Z")
_LONGEST = 48


def moment(text: str) -> str | None:
    """Reads a day, a month, a day of no year, a time of day, or a point in time."""
    if len(text) > _LONGEST or not any(map(str.isdigit, text)):
        return None
    try:
        return _read(_WEEKDAY.sub("", " ".join(text.lower().split()), count=1))
    except (ValueError, OverflowError):  # a 30 February, a year 10000
        return None


def _read(text: str) -> str | None:
    for pattern in _DATES:
        if found := pattern.match(text):
            day = _date(found.groupdict())
            return _with_time(day, text[found.end() :], found.group()) if day else None
    for pattern in _MONTH_ALONE:
        if found := pattern.match(text):
            return _of_month(found.groupdict())
    time = _TIME.fullmatch(text)
    return _clock(time.groupdict()) if time and _is_clock(time) else None


def _date(parts: dict[str, str]) -> date | None:
    month = _month(parts)
    if month is None and "one" in parts:
        return _by_size(int(parts["year"]), int(parts["one"]), int(parts["two"]))
    return None if month is None else date(int(parts["year"]), month, int(parts["day"]))


def _month(parts: dict[str, str]) -> int | None:
    return int(parts["month"]) if "month" in parts else _MONTH.get(parts.get("name", ""))


def _by_size(year: int, one: int, two: int) -> date | None:
    """The date of two numbers, in whichever order, if only one can be the month."""
    if one <= 12 and two <= 12 and one != two:
        return None
    return date(year, min(one, two), max(one, two))


def _of_month(parts: dict[str, str]) -> str | None:
    month = _month(parts)
    if month is None:
        return None
    day = date(int(parts.get("year", 2000)), month, int(parts.get("day", 1)))  # 2000 had all days
    return f"{day:%Y-%m}" if "year" in parts else f"--{day:%m-%d}"


def _with_time(day: date, rest: str, before: str) -> str | None:
    if not rest:
        return f"{day.year:04}{day:%m%d}"
    between = _BETWEEN.match(rest)
    at = between.end() if between else 0
    compact = before.isdigit()
    found = (_COMPACT_TIME if compact else _TIME).match(rest, at) if between else None
    if not found or not (compact or _is_clock(found)):
        return None
    return _point(day, found.groupdict(), rest[found.end() :])


def _point(day: date, time: dict[str, str | None], rest: str) -> str | None:
    zone = _ZONE.match(rest)
    if rest and not zone:
        return None
    clock = _clock(time)
    whole, _, part = clock.partition(".")
    point = datetime.fromisoformat(f"{day.isoformat()}T{whole}")
    if zone:
        point = point.replace(tzinfo=_offset(zone)).astimezone(UTC)
    seconds = f"{point:%Y-%m-%dT%H:%M:%S}" if day.year >= 1000 else point.isoformat()[:19]
    return seconds + (f".{part}" if part else "") + "Z"


def _offset(zone: re.Match[str]) -> timezone:
    size = timedelta(hours=int(zone["h"] or 0), minutes=int(zone["m"] or 0))
    return timezone(-size if zone["sign"] == "-" else size)


def _is_clock(time: re.Match[str]) -> bool:
    """Whether more than a bare number says that it is a time."""
    return any(time[part] for part in ("minute", "half", "clock"))


def _clock(parts: dict[str, str | None]) -> str:
    hour, minute = int(parts["hour"] or 0), int(parts["minute"] or 0)
    second = int(parts["second"] or 0)
    if half := parts.get("half"):
        hour = _of_day(hour, half)
    if hour > 23 or minute > 59 or second > 59:
        raise ValueError("no time of day")
    part = (parts.get("part") or "").rstrip("0")
    return f"{hour:02}:{minute:02}:{second:02}" + (f".{part}" if part else "")


def _of_day(hour: int, half: str) -> int:
    if not 1 <= hour <= 12:
        raise ValueError("no hour of half a day")
    return hour % 12 + (12 if half == "p" else 0)
