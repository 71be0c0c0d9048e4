"""What the other side decides: arguments in another notation that the two sides prove equal."""

from typing import Any

import pytest

import otap
from battery.language import call, run

SCORER = otap.Scorer()


def _severities(one: dict[str, Any], other: dict[str, Any]) -> set[str | None]:
    runs = [run(call("create_entry", arguments)) for arguments in (one, other)]
    return {SCORER.score(*runs).severity, SCORER.score(*reversed(runs)).severity}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"active": "ja"}, {"active": True}),
        ({"active": "нет"}, {"active": False}),
        ({"active": "いいえ"}, {"active": False}),
        ({"active": 1}, {"active": True}),
        ({"seats": "twenty-five"}, {"seats": 25}),
        ({"pages": "3-5, 9"}, {"pages": [3, 4, 5, 9]}),
        ({"tags": "new, red"}, {"tags": ["red", "new"]}),
        (
            {"room": "A2", "zeitraum": "10. bis 14. Juni 2025"},
            {"room": "A2", "start_date": "2025-06-10", "end_date": "2025-06-14"},
        ),
        ({"date": "2025-06-10", "time": "2 pm"}, {"start": "2025-06-10T14:00"}),
        ({"amount": 45.5, "currency": "USD"}, {"amount": "$45.50"}),
        ({"amount_cents": 4550, "currency": "usd"}, {"amount": "45.50", "currency": "USD"}),
        ({"weight": {"value": 5, "unit": "kg"}}, {"weight": "5000 g"}),
        ({"width": 800, "height": 600}, {"size": "800X600"}),
        ({"host": "db", "port": 5432}, {"address": "db:5432"}),
        ({"owner": "acme", "repo": "shop"}, {"repo": "acme/shop"}),
        ({"row": 2, "column": 28}, {"cell": "AB2"}),
        ({"first_name": "Ana", "last_name": "Li"}, {"name": "Ana Li"}),
        ({"lat": 48.85, "lng": 2.35}, {"location": "48.85,2.35"}),
        ({"start": "2025-06-10T14:00", "timezone": "+02:00"}, {"start": "2025-06-10T12:00Z"}),
        (
            {"start": {"dateTime": "2025-06-10T14:00", "timeZone": "UTC"}},
            {"start": "2025-06-10T14:00Z"},
        ),
        ({"name": "a", "sha256": "ab" * 32}, {"name": "a", "digest": "SHA256:" + "AB" * 32}),
    ],
)
def test_equal_arguments(one: dict[str, Any], other: dict[str, Any]) -> None:
    """No finding in either direction."""
    assert _severities(one, other) == {None}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"active": "ja"}, {"active": False}),
        ({"active": 2}, {"active": True}),
        ({"seats": "twenty-five"}, {"seats": 20}),
        ({"pages": "3-5"}, {"pages": [3, 5]}),
        ({"stops": "red, new"}, {"stops": ["new", "red"]}),
        ({"period": "10-15 June 2025"}, {"start_date": "2025-06-10", "end_date": "2025-06-14"}),
        ({"period": "10-14 June 2025"}, {"start_date": "2025-06-14", "end_date": "2025-06-10"}),
        ({"date": "2025-06-10", "time": "2 am"}, {"start": "2025-06-10T14:00"}),
        ({"amount": 45.5, "currency": "USD"}, {"amount": "€45.50"}),
        ({"amount_cents": 4550, "currency": "usd"}, {"amount": "4550", "currency": "USD"}),
        ({"weight": {"value": 5, "unit": "lb"}}, {"weight": "5000 g"}),
        ({"width": 600, "height": 800}, {"size": "800X600"}),
        ({"host": "db", "port": 5433}, {"address": "db:5432"}),
        ({"owner": "shop", "repo": "acme"}, {"repo": "acme/shop"}),
        ({"row": 28, "column": 2}, {"cell": "AB2"}),
        ({"lat": 2.35, "lng": 48.85}, {"location": "48.85,2.35"}),
        ({"start": "2025-06-10T14:00", "timezone": "+01:00"}, {"start": "2025-06-10T12:00Z"}),
        ({"password": "yes"}, {"password": True}),
        ({"password": "a, b"}, {"password": ["a", "b"]}),
        ({"coordinates": "2.35, 48.85"}, {"coordinates": [48.85, 2.35]}),
        ({"name": "a", "sha256": "ab" * 32}, {"name": "a", "digest": "sha256:" + "ac" * 32}),
    ],
)
def test_nearly_equal_arguments(one: dict[str, Any], other: dict[str, Any]) -> None:
    """What nearly says the same in another notation is another call."""
    assert _severities(one, other) <= {"major", "critical"}
