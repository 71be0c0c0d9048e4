"""Structured data compared key by key and leaf by leaf."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ways import ComparedValues, check_both_ways

from otap.costs.fields import TextDistances
from otap.encoders import CachedEncoder
from otap.values.distance import FIRST_ONLY
from otap.values.normalization import is_prose
from otap.values.value import Value, plain, text_of
from work import calls

LEAVES = st.sampled_from(
    [None, True, False, "true", 0, 1, 1.0, "1", 2.5, "", " ", "JFK", "economy", "2026-06-12",
     "a room with a view", "the room has a view", "cancel it", "[1]",
     "Ann Lee", "Ben Lee", "Dr. Ann Lee", '{"a": 1}', "[1, 2]"]
)  # fmt: skip
DATA = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=6,
)
LISTS = st.lists(DATA, max_size=5)


@pytest.fixture(scope="session")
def texts(encoder: CachedEncoder) -> TextDistances:
    """Distances of texts by the default encoder."""
    return TextDistances(encoder)


def between(texts: TextDistances, rows: list[Any], columns: list[Any]) -> np.ndarray:
    """Returns the distances of two lists of data."""
    return ComparedValues(texts).between(rows, columns)


def distance(texts: TextDistances, a: Any, b: Any) -> float:
    """Returns the distance of two pieces of data, the same in both directions."""
    there, back = between(texts, [a], [b])[0, 0], between(texts, [b], [a])[0, 0]
    assert there == back
    return float(there)


def reordered(data: Any) -> Any:
    """The same data with the keys of every object the other way round."""
    if isinstance(data, dict):
        return {key: reordered(value) for key, value in reversed(data.items())}
    return [reordered(value) for value in data] if isinstance(data, list) else data


@given(LISTS, LISTS)
def test_range_and_symmetry(texts: TextDistances, rows: list[Any], columns: list[Any]) -> None:
    """Distances lie in [0, 1] and do not change when the sides are exchanged."""
    matrix = between(texts, rows, columns)
    assert matrix.shape == (len(rows), len(columns))
    assert ((matrix >= 0) & (matrix <= 1)).all()
    np.testing.assert_allclose(matrix, between(texts, columns, rows).T, rtol=0, atol=1e-12)


@given(LISTS, LISTS)
def test_few_pairs_and_many_are_compared_alike(
    texts: TextDistances, rows: list[Any], columns: list[Any]
) -> None:
    """Pair by pair or as whole matrices: the same bits."""
    check_both_ways(lambda: between(texts, rows, columns))


@given(LISTS, LISTS)
def test_equal_data_costs_nothing(
    texts: TextDistances, rows: list[Any], columns: list[Any]
) -> None:
    """Data costs 0 against itself, and the order of keys changes no bit."""
    assert not np.diag(between(texts, rows, rows)).any()
    again = between(texts, [reordered(row) for row in rows], columns)
    assert again.tobytes() == between(texts, rows, columns).tobytes()


def test_the_order_of_many_keys_changes_no_bit(texts: TextDistances) -> None:
    """Sums of many different costs are added up in one order."""
    words = ["a room", "the price of it", "one more night", "two guests come", "book it", "by car"]
    a, b = dict(enumerate(words)), dict(enumerate(reversed(words)))
    row, column = ({str(key): value for key, value in data.items()} for data in (a, b))
    column["7"], row["8"] = "a taxi", "a train"
    assert distance(texts, row, column) == distance(texts, reordered(row), column)


@given(LISTS, LISTS, st.randoms(use_true_random=False))
def test_relisting_permutes(
    texts: TextDistances, rows: list[Any], columns: list[Any], random: Any
) -> None:
    """Data listed in another order: the same bits in another order."""
    order = list(range(len(rows)))
    random.shuffle(order)
    relisted = between(texts, [rows[i] for i in order], columns)
    assert relisted.tobytes() == between(texts, rows, columns)[order].tobytes()


@given(DATA, DATA)
def test_json_text_is_what_it_says(texts: TextDistances, a: Any, b: Any) -> None:
    """Arguments that could only be kept as text are compared as the data that they say."""
    if isinstance(a, dict | list):
        expected = distance(texts, a, b)
        assert between(texts, [f" {json.dumps(a)} "], [b])[0, 0] == expected
        np.testing.assert_array_equal(between(texts, [json.dumps(a), a], [b])[:, 0], expected)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ({"a": 1, "b": 2}, {"a": 1, "b": 3}, 1 / 2),
        ({"a": 1, "b": 2}, {"a": 1}, 1 / 2),
        ({"a": 1}, {"b": 1}, 1.0),
        ({"a": {"b": 1, "c": 2}, "d": 3}, {"a": {"b": 1, "c": 9}, "d": 3}, 1 / 4),
        ([1, 2, 3], [1, 2, 3, 4], 1 / 4),
        ([1, 2, 3], [2, 3], 1 / 3),
        ([1, 2], [2, 1], 1 / 8),  # half of it out of order
        ([1, 2, 3, 4], [4, 3, 2, 1], 3 / 32),
        (["LIS", "OPO"], ["OPO", "LIS"], 0.0),
        (["LIS", "LIS"], ["LIS"], 1 / 2),
        (["LIS", "OPO"], ["OPO", "FAO"], 1 / 2),
        ([1, 2, 3], [1, 9, 2, 3], 1 / 4),
        ([{"a": 1, "b": 1}, {"a": 2, "b": 2}], [{"a": 2, "b": 2}, {"a": 1, "b": 1}], 0.0),
        ([{"id": 1, "b": 1}, {"id": 2, "b": 2}], [{"id": 2, "b": 9}, {"id": 1, "b": 1}], 1 / 4),
        ([["a", 1], ["b", 2]], [["a", 1], ["b", 3]], 1 / 4),
        ([["a", "b"]], [["b", "a"]], 1 / 8),
        ({"route": ["LIS", "OPO"]}, {"route": ["OPO", "LIS"]}, 1 / 8),
        ({"cmd": ["cp", "a", "b"]}, {"cmd": ["cp", "b", "a"]}, 1 / 18),
        (["118", "119"], ["119", "118"], 0.0),
        ({"ids": ["a", "b"], "new_ids": ["x", "y"]}, {"ids": ["b", "a"], "new_ids": ["y", "x"]}, 0),
        (
            {"ids": ["a", "b"], "new_ids": ["x", "y"]},
            {"ids": ["a", "b"], "new_ids": ["y", "x"]},
            1 / 16,
        ),
        ({"orderId": 1}, {"order_id": 1}, 0.0),
        ({"orderId": 1, "order_id": 2}, {"orderId": 1, "order_id": 2}, 0.0),
        ({"OrderID": 1, "b": 2}, {"order-id": 1, "b": 3}, 1 / 2),
        ({"HAT-118": 1}, {"hat_118": 1}, 1.0),
        ([{"a": 1, "b": 1}], [{"a": 1, "b": 2}], 1 / 2),
        ([1], 1, 0.0),
        ([1, 2], 1, 0.5),
        ({"a": 1}, [1], 1.0),
        ({"a": 1}, "a", 1.0),
        ([], {}, 0.0),
        (None, "", 0.0),
        (None, " ", 0.0),
        ("", [], 0.0),
        (None, 0, 1.0),
        ("", False, 0.0),
        (1, 1.0, 0.0),
        (1, "1", 0.0),
        ("1.50", 1.5, 0.0),
        (1, 2, 1.0),
        (True, "true", 0.0),
        (True, 1, 1.0),
        ("JFK", "JFC", 1.0),
        (" JFK ", "JFK", 0.0),
        ("economy", "business", 1.0),
        ("2026-06-12", "2026-06-13", 1.0),
        ("123456789012345678", "123456789012345679", 1.0),
        ("BK-118 B", "BK-118 C", 1.0),
    ],
)
def test_the_rules(texts: TextDistances, a: Any, b: Any, expected: float) -> None:
    """Objects by the union of keys, lists in order, leaves equal or not, other types apart."""
    assert distance(texts, a, b) == pytest.approx(expected, abs=1e-12)
    assert distance(texts, {"x": a, "y": 1}, {"x": b, "y": 1}) == pytest.approx(expected / 2)


def test_text_of_several_words_costs_its_embedding_distance(texts: TextDistances) -> None:
    """Words that say the same are close, wherever in the data they stand."""
    a, b = "a room with a view", "the room has a view"
    expected = texts.between([a], [b])[0, 0]
    assert 0 < expected < 0.7
    assert distance(texts, a, b) == expected
    assert distance(texts, {"x": [a, 1]}, {"x": [b, 1]}) == pytest.approx(expected / 2, abs=1e-12)
    assert distance(texts, a, "JFK") == 1


def test_every_member_of_a_long_list_counts(texts: TextDistances) -> None:
    """However long it is."""
    full = [f"room {number}" for number in range(1000)]
    assert distance(texts, {"x": full}, {"x": full[:-1]}) == pytest.approx(1 / 1000)
    assert distance(texts, full, [*full[1:], "room 0b"]) == pytest.approx(1 / 1000)
    assert distance(texts, full, []) == 1


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ({"a": 1}, {"a": 2}, True),
        ({"a": 1}, {"a": "1"}, False),
        ({"a": 1}, {"b": 1}, False),
        ({"a": 1}, {"a": None}, False),
        ({"a": 1, "b": 2}, {"a": 1}, False),
        ({"a": "a room with a view"}, {"a": "the rooms have no windows"}, False),
        ({"a": "a room with a view"}, {"a": "A-1"}, False),
        ({"a": {"b": [{"c": 1}]}}, {"a": {"b": [{"c": 2}]}}, True),
        ({"a": ["x", "y"]}, {"a": ["y", "x"]}, False),
        ({"a": [1, 2]}, {"a": [2, 1]}, False),
        ({"a": ["x", "y"]}, {"a": ["x"]}, True),
        ({"a": ["x"]}, {"a": []}, False),
        ({"a": ["a room with a view"]}, {"a": ["a room with a view", "a big room"]}, False),
        ({"a": 1}, {"a": {"b": 1}}, True),
    ],
)
def test_what_is_another_value(texts: TextDistances, a: Any, b: Any, expected: bool) -> None:
    """An exact value that both have, or a member that one list lacks; no missing key, no prose."""
    compare = ComparedValues(texts).compare
    values = [Value(a), Value(b)]
    found = check_both_ways(lambda: compare(values, values).differ % FIRST_ONLY > 0)
    assert found.tolist() == [[False, expected], [expected, False]]


ROWS = [{"sku": name, "qty": 1} for name in "ABCD"]


@pytest.mark.parametrize(
    ("other", "count"),
    [
        (ROWS, 0),
        ([{**ROWS[0], "qty": 9}, *ROWS[1:]], 1),
        ([{**ROWS[0], "qty": 9}, {**ROWS[1], "qty": 9}, *ROWS[2:]], 2),
        (ROWS[1:], 2),
        (ROWS[2:], 4),
        (["A"], 7),
    ],
)
def test_how_many_values_are_others(texts: TextDistances, other: Any, count: int) -> None:
    """Each wrong cell is one, and each cell of a row that only one list has."""
    values = [Value({"rows": ROWS}), Value({"rows": other})]
    compare = ComparedValues(texts).compare
    found = check_both_ways(lambda: compare(values, values).differ % FIRST_ONLY)
    assert found[0, 1] == found[1, 0] == count


@given(LISTS, LISTS)
def test_differences_are_found_alike(
    texts: TextDistances, rows: list[Any], columns: list[Any]
) -> None:
    """Pair by pair, as matrices, and from the other side; where one is, something is lost."""
    sides = [Value(row) for row in rows], [Value(column) for column in columns]
    compare = ComparedValues(texts).compare
    found = check_both_ways(lambda: compare(*sides).differ % FIRST_ONLY)
    assert (found == compare(*reversed(sides)).differ.T % FIRST_ONLY).all()
    assert (compare(*sides).distance[found > 0] > 0).all()


MEMBERS = st.lists(st.integers(0, 9) | st.sampled_from("abcdefgh"), min_size=2, max_size=9)


@given(MEMBERS, st.randoms(use_true_random=False), st.integers(0, 8))
def test_a_replaced_member_is_dearer_than_any_order(
    texts: TextDistances, members: list[Any], random: Any, place: int
) -> None:
    """However a list is turned round, one wrong member costs more."""
    turned = random.sample(members, len(members))
    replaced = list(members)
    replaced[place % len(members)] = "another"
    assert distance(texts, members, turned) < distance(texts, members, replaced)


@pytest.mark.parametrize(
    "data",
    [
        [{"id": f"A{k}", "price": k} for k in range(500)],
        [{"price": k, "what": f"a room with {k} beds"} for k in range(300)],
        [[f"c{i * 25 + k}" for k in range(25)] for i in range(25)],
        [[f"{k}"] * 5 for k in range(200)],
        list(range(1000)),
    ],
    ids=["rows", "prose", "table", "words", "numbers"],
)
def test_the_work_grows_with_a_list(texts: TextDistances, data: list[Any]) -> None:
    """Each member changed, none in place: so many calls a leaf, however many there are."""
    changed = json.loads(json.dumps(data[::-1]).replace("7", "8"))
    assert 0 < distance(texts, {"x": data}, {"x": changed}) < 1
    assert calls(lambda: distance(texts, {"x": data}, {"x": changed})) < 500 * leaves(data)


def leaves(data: Any) -> int:
    """How many leaves some data has."""
    if isinstance(data, dict):
        return sum(map(leaves, data.values()))
    return sum(map(leaves, data)) if isinstance(data, list) else 1


def test_the_work_does_not_double_with_each_level(texts: TextDistances) -> None:
    """Lists in lists are compared about as often as they have members."""
    one, other = json.loads("[" * 50 + "1" + "]" * 50), json.loads("[" * 50 + "2" + "]" * 50)
    wide: Any = 1
    for _ in range(8):
        wide = [wide, [wide, 2]]
    changed = json.loads(json.dumps(wide).replace("1", "3"))
    assert distance(texts, one, other) == 1
    assert distance(texts, wide, changed) > 0
    assert calls(lambda: distance(texts, one, other)) < 500 * 60
    assert calls(lambda: distance(texts, wide, changed)) < 1000 * leaves(wide)


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ("a room with a view", True),
        ("cancel it", True),
        ("economy", False),
        ("one_way", False),
        ("BK-118 B", False),
        ("2026-06-12 10:00", False),
        ("at 10", False),
        ("cancel\nit", False),
        ("", False),
    ],
)
def test_prose(text: str, prose: bool) -> None:
    """Text means what its words mean if it has two of them and is mostly letters."""
    assert is_prose(text) is prose


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (None, ""),
        ("", ""),
        (" two words\n", "two words"),
        (5, "5"),
        (True, "true"),
        ([], "[]"),
        ({"b": 1, "a": [None]}, '{"a": [null], "b": 1}'),
        ('{"b":1,"a":[null]}', '{"a": [null], "b": 1}'),
        ("{not json", "{not json"),
        ("[NaN]", "[NaN]"),
        ('"quoted"', '"quoted"'),
        (["é"], '["é"]'),
    ],
)
def test_text_of(data: Any, text: str) -> None:
    """Equal data has one text."""
    assert text_of(data) == text_of(plain(data)) == text


@given(DATA)
def test_text_of_is_a_fixed_point(data: Any) -> None:
    """The text of a text is itself, and the order of keys does not show."""
    assert text_of(text_of(data)) == text_of(data) == text_of(reordered(data))
