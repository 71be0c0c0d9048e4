"""A leaf against a list of leaves is paired without all that lists take, and as these pair it."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from otap.transport import assignment
from otap.values.distance import PairDistance, is_same
from otap.values.lists import pair_members
from otap.values.value import Value

LEAVES = st.sampled_from(
    ["pay", "the invoice of May was paid late", "the invoice of June was paid", "A-17", "B-18"]
) | st.integers(0, 3)


def _distance(a: Value, b: Value) -> float:
    """Of two leaves: prose is as far as its lengths are, all else equal or not."""
    if a.is_embedded and b.is_embedded:
        return abs(len(a.text) - len(b.text)) / 100
    return float(not is_same(a, b))


@given(st.lists(LEAVES, min_size=1, max_size=5), LEAVES, st.booleans(), st.booleans())
def test_the_same_pairs(several: list[Any], one: Any, turned: bool, cheapest: bool) -> None:
    """Whichever of both the single one is; where several are as near it is asked."""
    compare = PairDistance(_distance, assignment if cheapest else None)
    a, b = Value(several), Value([one])
    a, b = (b, a) if turned else (a, b)
    found = compare._pair_with_one(a, b)
    wanted = pair_members(a, b, compare.cheapest)
    if found is not None:
        assert list(found.pairs) == list(wanted.pairs)
        assert (sorted(found.left), sorted(found.right)) == (
            sorted(wanted.left),
            sorted(wanted.right),
        )
        assert found.disorder == wanted.disorder
