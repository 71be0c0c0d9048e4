"""Canonical forms of what repeats: cron expressions, iCalendar rules and "every 24 hours"."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from otap._patterns import regex
from otap.values.lexicon import lexicon
from otap.values.units import parse_quantity

_CRON = regex(r"[\d*?,/A-Z#-]+(?:\s+[\d*?,/A-Z#-]+){4,5}\Z")
_PRODUCT = regex(r"\d+ \* \d+ \* \d+\Z")
_ITEM = regex(r"(?:(?P<any>\*)|(?P<first>\w+)(?:-(?P<last>\w+))?)(?:/(?P<step>\d{1,2}))?\Z")
_SPECIAL_DAY = regex(r"(?:\d{0,2}(?:LW?|W)|L-\d{1,2}|[0-7A-Z]{1,3}#[1-5])\Z")
_NICKNAMES = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_DAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")


class _Field(NamedTuple):
    """A field of a cron expression.

    Attributes:
        lowest: its lowest number.
        highest: its highest number.
        names: the numbers that have a name.
        is_day: whether days are chosen, by their number or by the weekday.
    """

    lowest: int
    highest: int
    names: Mapping[str, int]
    is_day: bool = False


_FIELDS = (
    _Field(0, 59, {}),
    _Field(0, 23, {}),
    _Field(1, 31, {}, is_day=True),
    _Field(1, 12, {name: number for number, name in enumerate(_MONTHS, 1)}),
    _Field(0, 7, {name: number for number, name in enumerate(_DAYS)}, is_day=True),
)


def read_cron(text: str) -> str | None:
    """Returns a cron expression with numbers for names and ranges, or None.

    Of six fields, only letter case and blanks are tidied. The first may be a second and the last
    a year, and Sunday is 0 for some programs and 1 for others.
    """
    text = _NICKNAMES.get(text.lower(), text.upper())
    if not _CRON.match(text) or not ("*" in text or "?" in text):
        return None
    written = text.split()
    if len(written) == len(_FIELDS) + 1:
        return " ".join(written) if all(_can_be_field(item) for item in written) else None
    if _PRODUCT.match(" ".join(written)):
        return None
    fields = [_read_field(item, field) for item, field in zip(written, _FIELDS, strict=True)]
    return None if None in fields else " ".join(field for field in fields if field)


def _can_be_field(written: str) -> bool:
    """Whether a text can be a field, whatever its position."""
    items = written.split(",")
    return written == "?" or all(_ITEM.match(item) or _SPECIAL_DAY.match(item) for item in items)


def _read_field(written: str, field: _Field) -> str | None:
    """Returns the numbers of a field, or None if it is none."""
    if field.is_day and _SPECIAL_DAY.match(written):
        return written
    if written in ("*", "*/1", "?"):
        return "*"
    # Days by number and by weekday are united, unless one of the fields begins with a star.
    if field.is_day and written.startswith("*/"):
        return written if _ITEM.match(written) else None
    numbers: set[int] = set()
    for item in written.split(","):
        listed = _list_numbers(item, field)
        if not listed:
            return None
        numbers.update(0 if number == 7 and field.highest == 7 else number for number in listed)
    is_full = len(numbers) == field.highest - field.lowest + 1 and not field.is_day
    return "*" if is_full else ",".join(str(number) for number in sorted(numbers))


def _list_numbers(item: str, field: _Field) -> Sequence[int]:
    """Returns the numbers that an item stands for; none if it is out of bounds."""
    match = _ITEM.match(item)
    if not match or (match["any"] and field.is_day):
        return []
    step = int(match["step"] or 1)
    ends = [match["first"], match["last"]]
    first, last = (None if end is None else _read_number(end, field) for end in ends)
    if match["any"]:
        first, last = field.lowest, field.highest
    elif match["last"] is None:
        last = field.highest if match["step"] else first
    if first is None or last is None or not step or first < field.lowest or last > field.highest:
        return []
    return range(first, last + 1, step)


def _read_number(written: str, field: _Field) -> int | None:
    if written.isdecimal() and len(written) < 3:
        return int(written)
    return field.names.get(written)


_RULE = regex(r"(?:RRULE:)?((?:[A-Z]+=[\w,+:-]+;){0,20}FREQ=[\w,+:;=-]+)\Z")
_DEFAULTS = frozenset(("INTERVAL=1", "WKST=MO"))


def read_rule(text: str) -> str | None:
    """Returns a rule of iCalendar with its parts in order and without defaults, or None."""
    rule = _RULE.match(text.upper())
    if not rule:
        return None
    parts = [part.partition("=") for part in rule[1].split(";") if part]
    names = {name for name, _, _ in parts}
    if len(names) < len(parts) or not all(value for _, _, value in parts):
        return None
    tidied = sorted(f"{name}={_sort_members(name, value)}" for name, _, value in parts)
    return ";".join(part for part in tidied if part not in _DEFAULTS)


def _sort_members(name: str, value: str) -> str:
    if not name.startswith("BY"):
        return value
    return ",".join(sorted({member.removeprefix("+") for member in value.split(",")}))


_INTERVAL = regex(r"(?:every\s|q\s?(?=\d))(\d{1,4})?\s?([a-z]{1,8}\.?)\Z")
_UNITS_OF_TIME = {"h": "h", "hr": "h", "hrs": "h", "d": "day", "wk": "week", "w": "week"}


def read_interval(text: str) -> str | None:
    """Returns q24h, every 24 hours and daily with their length in seconds or months, or None."""
    small = " ".join(text.lower().split())
    period = lexicon().periods.get(small)
    if period and small != "nightly":
        return f"every {parse_quantity(f'{period[0]} {period[1]}')}"
    interval = _INTERVAL.match(small)
    if not interval:
        return None
    unit = interval[2].rstrip(".")
    length = parse_quantity(f"{interval[1] or 1} {_UNITS_OF_TIME.get(unit, unit)}")
    return f"every {length}" if length and length.endswith((" s", " month")) else None
