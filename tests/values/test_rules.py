"""Arguments compared by rules: tolerances, sets, free texts, exactly."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ways import ComparedValues, check_both_ways

from otap.costs import COMPARED
from otap.costs.fields import TextDistances
from otap.encoders import CachedEncoder
from otap.run.columns import StepColumns
from otap.trajectory import Step
from otap.values.distance import FIRST_ONLY
from otap.values.rules import Rule, Rules
from otap.values.value import Value, read_arguments

RULES = Rules(
    {
        "price": Rule(absolute=0.5),
        "total": Rule(relative=0.01),
        "name": Rule(exact=True),
        "payment": Rule(exact=True),
        "reason": Rule(text=True),
        "tags": Rule(as_set=True),
        "seats.prices": Rule(as_set=True, absolute=1.0),
        "words": Rule(as_set=True, exact=True),
    }
)
LEAVES = st.sampled_from([None, 1, 1.4, "1.6", 100, 100.9, "a room with a view", "JFK", True])
LISTED = LEAVES | st.lists(LEAVES, max_size=4)
CALLS = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            **dict.fromkeys(("price", "total", "name", "reason", "tags", "words", "x"), LISTED),
            "payment": st.dictionaries(st.sampled_from("ab"), LEAVES, max_size=2),
            "seats": st.dictionaries(st.just("prices"), LISTED, max_size=1),
        },
    ),
    min_size=1,
    max_size=4,
)


@pytest.fixture(scope="session")
def texts(encoder: CachedEncoder) -> TextDistances:
    """Distances of texts by the default encoder."""
    return TextDistances(encoder)


def between(texts: TextDistances, rows: list[Any], columns: list[Any]) -> np.ndarray:
    """Returns the distances of two lists of data under RULES."""
    sides = [[Value(data, rules=RULES) for data in side] for side in (rows, columns)]
    return ComparedValues(texts).compare(*sides).distance


@pytest.mark.parametrize(
    ("key", "a", "b", "expected"),
    [
        ("price", 100, 100.5, 0),
        ("price", 100, "100.5", 0),
        ("price", 100.1, 100.6, 0),  # 0.5 and a rounding
        ("price", 100, 100.51, 1),
        ("price", 1e-7, 2e-7, 0),
        ("price", 100, "JFK", 1),
        ("price", [100, 5], [100.2, 5.4], 0),
        ("total", 100, 101, 0),
        ("total", -100, -101, 0),
        ("total", 100, 102, 1),
        ("total", 0, 0.001, 1),
        ("other", 100, 100.1, 1),
        ("name", "Anna Bell", "Anna B. Bell", 1),
        ("name", "Anna Bell", "Anna Bell", 0),
        ("payment", {"a": 1, "b": 2}, {"b": "2", "a": 1.0}, 0),
        ("payment", {"a": 1, "b": 2}, {"a": 1, "b": 3}, 1),
        ("payment", [1, 2], [2, 1], 1),
        ("tags", ["a", "b"], ["b", "a", "a"], 0),
        ("tags", ["a", "b", "c"], ["b", "c", "d"], 1 / 3),
        ("tags", [{"x": 1, "y": 2}, {"x": 3, "y": 4}], [{"x": 3, "y": 9}, {"x": 1, "y": 2}], 1 / 4),
        ("tags", ["a"], [], 1),
        ("tags", [], [], 0),
        ("tags", "a", ["a"], 0),
        ("words", ["two words", "b"], ["b", "two words here"], 1 / 2),
        ("seats", {"prices": [10, 20]}, {"prices": [20.5, 9.5]}, 0),
    ],
)
def test_the_rules(texts: TextDistances, key: str, a: Any, b: Any, expected: float) -> None:
    """One key that differs, beside one that does not."""
    rows, columns = [{key: a, "x": 1}], [{key: b, "x": 1}]
    assert between(texts, rows, columns)[0, 0] == pytest.approx(expected / 2, abs=1e-12)
    assert between(texts, columns, rows)[0, 0] == pytest.approx(expected / 2, abs=1e-12)


def test_free_text_is_as_far_apart_as_what_it_means(texts: TextDistances) -> None:
    """A single word, an identifier, or data told as text."""
    for a, b in (("delayed", "late"), ("BK-118", "BK-119"), (["ill"], ["sick"])):
        found = between(texts, [{"reason": a}], [{"reason": b}])[0, 0]
        assert 0 < found < 1
        assert between(texts, [{"other": a}], [{"other": b}])[0, 0] == 1


def test_long_sets_do_not_mind_order(texts: TextDistances) -> None:
    """Of a thousand members each counts."""
    full = [f"room {number}" for number in range(1000)]
    assert between(texts, [{"tags": full}], [{"tags": full[::-1]}])[0, 0] == 0
    assert between(texts, [{"tags": full}], [{"tags": full[:50]}])[0, 0] == 0.95


def test_order_can_be_said_to_count(texts: TextDistances) -> None:
    """Things have no order by themselves; exchanged ones then cost less than a replaced one."""
    rules = Rules({"places": Rule(ordered=True)})
    places = ["LIS", "OPO", "FAO"]
    rows = [Value({"places": one}, rules=rules) for one in (places, places[::-1])]
    replaced = Value({"places": ["LIS", "OPO", "MAD"]}, rules=rules)
    found = ComparedValues(texts).compare(rows, [rows[0], replaced]).distance[:, 0].tolist()
    assert 0 == found[0] < found[1] < 1 / 3
    assert between(texts, [{"places": places}], [{"places": places[::-1]}])[0, 0] == 0


def test_a_rule_holds_in_any_spelling(texts: TextDistances) -> None:
    """Keys are spelled as the tool or the settings like; a key that only wraps may be there."""
    for path in ("unit_price", "unitPrice", "input.unit_price"):
        rules = Rules({path: Rule(absolute=0.5)})
        calls = [{"unitPrice": 100}, {"unit_price": 100.4}, {"input": {"unit-price": 99.6}}]
        values = [read_arguments(one, rules) for one in calls]
        assert not ComparedValues(texts).compare(values[:1], values).distance.any()


@given(CALLS, CALLS)
def test_few_pairs_and_many_are_compared_alike(
    texts: TextDistances, rows: list[Any], columns: list[Any]
) -> None:
    """Pair by pair or as whole matrices: the same bits, in [0, 1], and 0 for the same."""
    few = check_both_ways(lambda: between(texts, rows, columns))
    assert ((few >= 0) & (few <= 1)).all()
    np.testing.assert_allclose(few, between(texts, columns, rows).T, rtol=0, atol=1e-12)
    assert not np.diag(between(texts, rows, rows)).any()


def test_each_tool_has_its_own_rules(texts: TextDistances) -> None:
    """The same arguments of two tools are not taken for one."""
    steps = [Step(id=tool, tool=tool, arguments={"price": 100}) for tool in ("book", "look")]
    other = StepColumns([Step(id="1", tool="look", arguments={"price": 100.4})])
    read = StepColumns(steps, rules_of=lambda tool: RULES if tool == "book" else None)
    arguments = next(f for f in COMPARED if f.name == "arguments")
    ours, theirs = read.of(arguments), other.of(arguments)
    distances = ComparedValues(texts).compare(ours, theirs).distance
    assert distances.tolist() == [[0.0], [1.0]]


@pytest.mark.parametrize(
    ("key", "a", "b", "expected"),
    [
        ("price", 100, 100.4, False),
        ("price", 100, 101, True),
        ("name", "Anna Bell", "Anna B. Bell", True),
        ("name", 1, "1", False),
        ("reason", "ill", "BK-118", False),
        ("tags", [1, 2], [2, 1, 1], False),
        ("tags", [1, 2], [3], True),
        ("other", 1, 1, False),
    ],
)
def test_what_differs_by_a_rule(
    texts: TextDistances, key: str, a: Any, b: Any, expected: bool
) -> None:
    """No value within a tolerance and no free text is another exact value."""
    values = [Value({key: one}, rules=RULES) for one in (a, b)]
    found = check_both_ways(
        lambda: ComparedValues(texts).compare(values, values).differ % FIRST_ONLY > 0
    )
    assert found.tolist() == [[False, expected], [expected, False]]
