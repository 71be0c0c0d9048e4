"""Times in a trace: ISO 8601, or nanoseconds since the epoch, the start of 1970 in UTC."""

from datetime import UTC, datetime, timedelta
from typing import Any

from otap.formats.json.places import Place, described

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def moment(value: Any, place: Place) -> datetime | None:
    """Returns the time of an ISO 8601 text; of null none.

    Raises:
        FormatError: if it is anything else.
    """
    if value is None:
        return None
    try:
        return datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise place.error(f"expected a time in ISO 8601, found {described(value)}") from None


def moment_in_utc(value: Any, place: Place) -> datetime | None:
    """Returns the time of an ISO 8601 text like :func:`moment`, in UTC if it names no zone.

    Raises:
        FormatError: if it is anything else.
    """
    time = moment(value, place)
    return time.replace(tzinfo=UTC) if time is not None and time.tzinfo is None else time


def nanoseconds(at: datetime | None) -> int | None:
    """Returns the nanoseconds since the epoch; a time that names no zone is in UTC."""
    if at is None:
        return None
    at = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
    return (at - EPOCH) // timedelta(microseconds=1) * 1000


def date_of(time: int | None, place: Place) -> datetime | None:
    """Returns the date, in whole microseconds, of a time in nanoseconds since the epoch.

    Raises:
        FormatError: if it is before the year 1 or after the year 9999.
    """
    if time is None:
        return None
    try:
        return EPOCH + timedelta(microseconds=time // 1000)
    except OverflowError:
        raise place.error("a time that no calendar has") from None


def moment_of(number: Any, unit: float = 1.0) -> datetime | None:
    """Returns the time of a number since the epoch; None of what is none, or in no calendar.

    Args:
        number: the time.
        unit: its unit in seconds.
    """
    if type(number) not in (int, float):
        return None
    try:
        return EPOCH + timedelta(seconds=number * unit)
    except (OverflowError, ValueError):
        return None
