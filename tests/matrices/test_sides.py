"""What the native core is told of one side: shares of texts in their unions, keys of arguments."""

from itertools import product

import numpy as np
import pytest

from otap.encoders import load_encoder
from otap.matrices import NodeCost, ReadSteps, Rule, Rules, TextDistances, ToolTable, UnionEncoder
from otap.matrices.prospects import Prospects
from otap.matrices.sides import MOST_KEYS, shares
from otap.matrices.texts import joined
from otap.trajectory import Step
from otap.transport.core import native

ENCODER = load_encoder("wordllama")
ROWS = ["find hotels", "book flight", "", "find hotels", "book flight\x1fpay", "pay"]
COLUMNS = ["book a hotel", "pay for the flight", "send"]


def test_a_union_is_as_similar_as_the_shares_of_its_parts_say() -> None:
    """Of two texts, of a text and nothing, of equal texts, of a text and one that holds it."""
    encoder = UnionEncoder(ENCODER)
    distances = TextDistances(encoder)
    said = np.array([[bool(text)] for text in ROWS])
    share = shares(ROWS, encoder.sums(ROWS) * said)
    similar = encoder.encode(ROWS) * said @ encoder.encode(COLUMNS).T
    for i, k in product(range(len(ROWS)), repeat=2):
        union = distances.between([joined([ROWS[i], ROWS[k]])], COLUMNS)[0]
        parts = [
            row if np.isinf(part) else part * row
            for part, row in ((share[i, k], similar[i]), (share[k, i], similar[k]))
        ]
        found = parts[0] if np.isinf(share[i, k]) else parts[0] + parts[1]
        assert np.clip(1 - found, 0, 1) == pytest.approx(union, abs=1e-9)


def test_texts_that_share_a_part_are_not_known() -> None:
    """What two unions both say counts once, so that their sum is not the vector of theirs."""
    texts = ["find\x1fpay", "book\x1fpay"]
    share = shares(texts, UnionEncoder(ENCODER).sums(texts))
    assert np.isnan(share[0, 1])
    assert np.isnan(share[1, 0])


def read(arguments: dict[str, int], rules: Rules | None = None) -> ReadSteps:
    """Two calls with these arguments."""
    steps = [Step(id=name, tool="t", arguments=arguments) for name in "ab"]
    return ReadSteps(steps, lambda _: rules)


def test_rules_and_very_many_keys_are_left_to_numpy() -> None:
    """The core goes by no rule, and holds keys side by side."""
    if native() is None:
        pytest.skip("no native core was built")
    bounds = Prospects.under(NodeCost(ENCODER, ToolTable()))
    assert bounds is not None
    pairs, wholes = np.array([[0, 1]], dtype=np.int32), np.ones(2, dtype=np.bool_)

    def asked(rows: ReadSteps) -> bool:
        costs = NodeCost(ENCODER, ToolTable()).between(rows, rows, {"arguments": 1.0})
        return bounds.promising(rows, rows, pairs, costs, wholes, 0.01) is not None

    assert asked(read({"x": 1}))
    assert not asked(read({"x": 1}, Rules({"x": Rule(absolute=1.0)})))
    assert not asked(read({f"k{place}": 1 for place in range(MOST_KEYS + 1)}))
