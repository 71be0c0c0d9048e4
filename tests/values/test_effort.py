"""What two runs hold in lists and prose is compared more cheaply beyond a stated effort."""

import numpy as np
import pytest
from ways import ComparedValues

from otap.costs.fields import TextDistances
from otap.encoders import CachedEncoder
from otap.values import budget
from otap.values.budget import set_run_workload
from otap.values.distance import FIRST_ONLY, ValueComparison
from otap.values.value import Value

LISTS = [["a1", "a2", "a3"], ["a1", "b2"], [1, 2], [2, 1, 1], [{"k": 1}], []]
TEXTS = ["Pay 5 now", "Pay 6 now", "Anna Lee", "Ben Lee", "the order has not arrived", "pay 5 NOW"]


def compared(encoder: CachedEncoder, data: list[object], others: list[object]) -> ValueComparison:
    """Returns how far the calls of a run are from those of another."""
    rows, columns = ([Value({"x": one, "y": 1}) for one in side] for side in (data, others))
    set_run_workload(rows)
    set_run_workload(columns)
    return ComparedValues(TextDistances(encoder)).compare(rows, columns)


@pytest.mark.parametrize(
    "limit",
    [
        {"MAX_LIST_COMPARISONS": 0},
        {"MAX_PROSE_COMPARISONS": 0},
        {"MAX_LIST_COMPARISONS": 0, "MAX_PROSE_COMPARISONS": 0},
    ],
)
def test_equal_calls_cost_nothing_and_the_sides_can_be_exchanged(
    encoder: CachedEncoder, monkeypatch: pytest.MonkeyPatch, limit: dict[str, int]
) -> None:
    """The cheap ways are distances as the thorough one is."""
    for name, value in limit.items():
        monkeypatch.setattr(budget, name, value)
    data: list[object] = [*LISTS, *TEXTS]
    found, back = compared(encoder, data, data[::-1]), compared(encoder, data[::-1], data)
    assert np.array_equal(found.distance, back.distance.T)
    assert np.array_equal(found.differ % FIRST_ONLY, back.differ.T % FIRST_ONLY)
    assert not np.fliplr(found.distance).diagonal().any()
    assert found.distance.min() >= 0
    assert found.distance.max() <= 1


def test_beyond_the_last_limit_members_are_equal_or_not(
    encoder: CachedEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two of three differ, and one of two keys holds the list."""
    monkeypatch.setattr(budget, "MAX_LIST_COMPARISONS", 0)
    found = compared(encoder, [["a1", "a2", "a3"]], [["a1", "b2"]])
    assert found.distance[0, 0] == pytest.approx(2 / 3 / 2)
    assert found.differ[0, 0] % FIRST_ONLY == 2


def test_the_effort_of_one_run_says_nothing_of_another(
    encoder: CachedEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reference is compared alike, alone or beside one that holds very much."""
    monkeypatch.setattr(budget, "MAX_LIST_COMPARISONS", 600)
    run, reference = [Value({"x": [[1, 2], [3, 4]]})], [Value({"x": [[1, 3], [2, 4]]})]
    large = [Value({"x": [[k, k + 1] for k in range(100)]})]
    for values in (run, reference, large):
        set_run_workload(values)
    distances = ComparedValues(TextDistances(encoder))
    alone = distances.compare(run, reference).distance
    assert distances.compare(run, [*large, *reference]).distance[0, 1] == alone[0, 0]


def test_effort_multiplies_where_pairings_nest() -> None:
    """Pairs of seven times seven of lists of seven, and one after the other where they are many."""
    two = Value([[[k, j, "x"] for j in range(3)] for k in range(3)])
    assert Value([1, 2, 3]).workload == (27, 27, 0)
    assert two.workload.cheapest > 5 * two.workload.in_order
    assert Value([[k, 1] for k in range(100)]).workload.cheapest < 2 * 2_624  # in order: 2,624
