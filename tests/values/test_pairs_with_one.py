"""Lists of few or of exact leaves are compared without all that lists take, with equal results."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from otap.costs.fields import TextDistances
from otap.encoders import CachedEncoder, FunctionEncoder
from otap.transport import assignment
from otap.values.distance import PairDistance, _leaf_distance, is_same
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


COMMANDS = ["ls -la", "git push", "cat a.py", "for k in range(3):\n    print(k)", 7, "2024-05-20"]
OTHERS = ["make", "pwd", "for k in range(3):\n    print(k + 1)", "Anna", 8.5, "late again, sorry"]


@given(
    st.lists(st.sampled_from(COMMANDS), min_size=1, max_size=5),
    st.lists(st.sampled_from([*OTHERS, "git push"]), min_size=1, max_size=5),
    st.sampled_from(["moves", "command", "ids"]),
    st.booleans(),
)
def test_lists_without_a_common_member(
    members: list[Any], others: list[Any], key: str, cheapest: bool
) -> None:
    """Their distance and counts are those of their pairs, with or without programs."""
    texts = TextDistances(CachedEncoder(FunctionEncoder(lambda texts: [[1.0]] * len(texts))))
    a, b = Value(members, key=key), Value(others, key=key)
    leaf = _leaf_distance(texts, [a], [b])
    compare = PairDistance(leaf, assignment if cheapest else None)
    if a.identity != b.identity and not (a.unordered_members and b.unordered_members):
        assert compare.compare(a, b) == compare._compare_paired(a, b)
