"""What repeats, the direction of sorting and formulas: equal notations, and nearly equal ones."""

import pytest

from otap.values.value import read_arguments

EQUAL = [
    ("cron", "45 6 * * MON-FRI", "45  6 * * 1-5"),
    ("cron", "0 0 * * 0", "0 0 * * 7"),
    ("cron", "@daily", "00 0 * * *"),
    ("cron", "*/15 * * * *", "0,15,30,45 * * * *"),
    ("cron", "0 0 1 jan,JUL *", "0 0 1 7,1 *"),
    ("cron", "0 0 12 ? * mon-fri", "0 0  12 ? * MON-FRI"),
    (
        "rrule",
        "FREQ=WEEKLY;BYDAY=MO,WE;COUNT=8",
        "RRULE:count=8;freq=weekly;interval=1;byday=we,mo",
    ),
    ("order", "asc", "Ascending"),
    ("sort_direction", "descending", "DESC"),
    ("frequency", "q24h", "every 24 hours"),
    ("frequency", "every 24 h", "daily"),
    ("interval", "every month", "monthly"),
    ("values", ["=Raw!$C$2"], ["=raw!c2"]),
    ("values", [["=SUM($A$1:$A$9)"]], [["=sum(A1:A9)"]]),
]
DIFFERENT = [
    ("cron", "45 6 * * 1-5", "45 6 * * 1-6"),
    ("cron", "45 6 * * MON", "45 6 * * TUE"),
    ("cron", "0 0 1-31 * 1", "0 0 * * 1"),  # on each day, and on Mondays
    ("cron", "0 0 12 ? * SUN", "0 0 12 ? * 0"),  # 0 is no day for every program
    ("expression", "2 * 3 * 7", "2 * 3 * 0"),
    ("rrule", "FREQ=WEEKLY;INTERVAL=2", "FREQ=WEEKLY"),
    ("rrule", "FREQ=WEEKLY;COUNT=8", "FREQ=WEEKLY;COUNT=9"),
    ("order", "asc", "desc"),
    ("frequency", "q24h", "q12h"),
    ("frequency", "every 12 hours", "twice a day"),
    ("frequency", "nightly", "daily"),
    ("quarter", "q1", "q2"),
    ("values", ["=C2"], ["=C3"]),
    ("values", ['=TEXT(A1,"$0")'], ['=TEXT(A1,"0")']),
    ("formula", "=A2*$D$1", "=A2*D1"),  # in a range of several cells
]


def _is_same(key: str, one: object, other: object) -> bool:
    arguments = [read_arguments({key: value}) for value in (one, other)]  # type: ignore[dict-item]
    return arguments[0].identity == arguments[1].identity


@pytest.mark.parametrize(("key", "one", "other"), EQUAL)
def test_two_notations_of_one_value(key: str, one: object, other: object) -> None:
    """They have one identity."""
    assert _is_same(key, one, other)


@pytest.mark.parametrize(("key", "one", "other"), DIFFERENT)
def test_values_that_only_look_alike(key: str, one: object, other: object) -> None:
    """Their identities differ."""
    assert not _is_same(key, one, other)
