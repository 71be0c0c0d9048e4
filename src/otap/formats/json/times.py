"""Times in a trace: ISO 8601 texts, or numbers since the epoch (1970-01-01 in UTC)."""

from datetime import UTC, datetime, timedelta
from typing import Any

from otap.formats.json.paths import JsonPath, described

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def parse_time(value: Any, path: JsonPath) -> datetime | None:
    """Returns the time that an ISO 8601 text states, or None for null.

    Raises:
        FormatError: if it is anything else.
    """
    if value is None:
        return None
    try:
        return datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise path.error(f"expected a time in ISO 8601, found {described(value)}") from None


def parse_time_in_utc(value: Any, path: JsonPath) -> datetime | None:
    """Parses a time like :func:`parse_time`, and assumes UTC if the text names no time zone.

    Raises:
        FormatError: if it is anything else.
    """
    time = parse_time(value, path)
    return time.replace(tzinfo=UTC) if time is not None and time.tzinfo is None else time


def to_nanoseconds(time: datetime | None) -> int | None:
    """Returns the nanoseconds since the epoch. A time without a time zone counts as UTC."""
    if time is None:
        return None
    time = time if time.tzinfo is not None else time.replace(tzinfo=UTC)
    return (time - EPOCH) // timedelta(microseconds=1) * 1000


def time_from_nanoseconds(nanoseconds: int | None, path: JsonPath) -> datetime | None:
    """Converts nanoseconds since the epoch, rounded down to microseconds.

    Raises:
        FormatError: if the time is before the year 1 or after the year 9999.
    """
    if nanoseconds is None:
        return None
    try:
        return EPOCH + timedelta(microseconds=nanoseconds // 1000)
    except OverflowError:
        raise path.error("a time outside the years 1 to 9999") from None


def time_from_epoch(number: Any, unit: float = 1.0) -> datetime | None:
    """Converts a number since the epoch; None if it is not a number or is out of range.

    Args:
        number: the time since the epoch.
        unit: its unit in seconds.
    """
    if type(number) not in (int, float):
        return None
    try:
        return EPOCH + timedelta(seconds=number * unit)
    except (OverflowError, ValueError):
        return None
