"""What the contents of two changes say of their order; any contents, and in bounded time."""

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otap.run.change_facts import MAX_MENTIONS, ChangeFacts
from otap.run.precedence import judge_order
from otap.trajectory import Step


def facts(tool: str, **arguments: Any) -> ChangeFacts:
    return ChangeFacts(Step(id="1", tool=tool, arguments=arguments))


@pytest.mark.parametrize(
    ("arguments", "other"),
    [
        ({"path": "raw/a.parquet"}, {"bucket": "raw", "key": "a.parquet"}),
        ({"uri": "s3://raw/a.parquet"}, {"bucket": "raw", "key": "a.parquet"}),
        ({"uri": "s3://raw/a.parquet"}, {"path": "raw/a.parquet"}),
        ({"dsn": "postgres://etl@h1/ledger"}, {"database": "ledger"}),
        ({"path": "/srv/app/conf.yaml"}, {"directory": "/srv/app/"}),
        ({"contact": {"id": 17}}, {"contact_id": 17}),
        ({"order_id": "#W77"}, {"order": "w77"}),
        ({"command": "python run.py --fast"}, {"path": "./run.py"}),
        ({"sql": "UPDATE person SET a = 1"}, {"sql": "ALTER TABLE person DROP COLUMN fax"}),
        ({"employee": "lena"}, {"login": "lena"}),
    ],
)
def test_one_object_in_two_shapes(arguments: dict[str, Any], other: dict[str, Any]) -> None:
    for first, second in ((arguments, other), (other, arguments)):
        assert judge_order(facts("frob", **first), facts("grind", **second)).weight == "matters"


@pytest.mark.parametrize(
    ("arguments", "other"),
    [
        ({"path": "/a/x.txt"}, {"path": "/a/y.txt"}),
        ({"room": "hall"}, {"room": "bath"}),
        ({"sheet": "S", "cell": "A1"}, {"sheet": "S", "cell": "B2"}),
        ({"sql": "UPDATE users SET a = 1"}, {"sql": "UPDATE orders SET b = 2"}),
        ({"order_id": "W1", "reason": "late"}, {"order_id": "W2", "reason": "late"}),
    ],
)
def test_different_objects(arguments: dict[str, Any], other: dict[str, Any]) -> None:
    for tool in ("alter", "update_it"):
        assert judge_order(facts(tool, **arguments), facts(tool, **other)).weight == "free"


def test_a_circumstance_is_no_object() -> None:
    hotel, car = facts("reserve_hotel", city="Nice"), facts("hire_car", city="Nice")
    assert judge_order(hotel, car).weight == "open"


def test_a_report_is_about_a_deed() -> None:
    refund = facts("issue_refund", order_id="A-1", amount=18.5)
    mail = facts("send_email", to="ana@x.org", body="We refunded 18.50.")
    other = facts("send_email", to="ana@x.org", body="Shall we eat at noon?")
    assert judge_order(refund, mail).weight == "vital"
    assert judge_order(mail, refund).weight == "open"
    assert judge_order(refund, other).weight == "open"


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=30),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
_TOOLS = st.text(max_size=30) | st.sampled_from(["send_email", "bash", "move", "execute_sql", ""])


@given(_TOOLS, _JSON, _TOOLS, _JSON)
def test_any_two_calls_are_judged(tool: str, data: Any, other_tool: str, other_data: Any) -> None:
    steps = [
        ChangeFacts(Step(id="1", tool=name or None, arguments=arguments))
        for name, arguments in ((tool, data), (other_tool, other_data))
    ]
    assert judge_order(*steps).weight in ("free", "open", "matters", "vital")
    assert judge_order(*steps) == judge_order(*steps)


@pytest.mark.parametrize(
    "arguments",
    [
        {"command": "rm " + "a" * 400_000},
        {"command": "x " + "/a" * 200_000},
        {"sql": "select 1 from" + " " * 400_000},
        {"body": "refund " * 60_000},
        {f"key_{k}": f"db/{k}/x" for k in range(20_000)},
        {"database": [f"d{k}" for k in range(5_000)], "id": [f"i{k}" for k in range(5_000)]},
    ],
)
def test_large_calls_take_little_time(arguments: dict[str, Any]) -> None:
    start = time.process_time()
    first, second = facts("send_email", **arguments), facts("delete_rows", **arguments)
    judge_order(first, second)
    judge_order(second, first)
    assert len(first.names) <= MAX_MENTIONS
    assert time.process_time() - start < 5
