"""The node cost C (equation 1) and its fields."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otap.costs import FieldCosts, NodeCost, ToolTable
from otap.costs.fields import TextDistances
from otap.encoders import CachedEncoder, load_encoder
from otap.paper.node_cost import NodeCost as PaperNodeCost
from otap.run.columns import FIELDS, StepColumns
from otap.trajectory import Step

WEIGHTS = {"action": 0.35, "arguments": 0.2, "effect": 0.25, "tool": 0.2, "state": 0.1}
WORDS = st.sampled_from([None, "", "search", "Search for a room.", "Find a room.", "book_room"])
DATA = WORDS | st.fixed_dictionaries(
    {}, optional={"b": st.integers(0, 3), "a": WORDS, "c": st.lists(WORDS, max_size=2)}
)
STEPS = st.lists(
    st.builds(
        lambda **fields: Step(id="1", kind="tool", **fields),
        action=WORDS,
        tool=st.sampled_from([None, "search", "find", "book"]),
        arguments=DATA,
        effect=DATA,
        state=DATA,
    )
    | st.builds(lambda action: Step(id="1", kind="reasoning", action=action), WORDS),
    min_size=1,
    max_size=5,
)
TOOLS = ToolTable([(["search", "find"], 0.5)])
MODES = st.sampled_from([NodeCost, PaperNodeCost])


def costs_over(
    weights: dict[str, float],
    encoder: CachedEncoder,
    rows: list[Step],
    columns: list[Step],
    mode: Any = NodeCost,
) -> FieldCosts:
    """Returns the costs over the fields with a weight."""
    return mode(encoder, TOOLS).between(StepColumns(rows), StepColumns(columns), weights)


def costs(
    encoder: CachedEncoder, rows: list[Step], columns: list[Step], mode: Any = NodeCost
) -> FieldCosts:
    """Returns the costs over all fields."""
    return costs_over(WEIGHTS, encoder, rows, columns, mode)


def reordered(step: Step) -> Step:
    """The same step with the keys of its data the other way round."""
    data = {
        field: dict(reversed(value.items()))
        for field in ("arguments", "effect", "state")
        if isinstance(value := getattr(step, field), dict)
    }
    return step.model_copy(update=data)


def bits(found: FieldCosts) -> list[bytes]:
    """All numbers, to the last bit."""
    return [np.ascontiguousarray(m).tobytes() for m in (found.total, *found.distances.values())]


@given(STEPS, STEPS, MODES)
def test_range(encoder: CachedEncoder, rows: list[Step], columns: list[Step], mode: Any) -> None:
    """Every field and the total lie in [0, 1], shaped run by reference."""
    found = costs(encoder, rows, columns, mode)
    assert list(found.distances) == list(FIELDS)
    for matrix in (found.total, *found.distances.values()):
        assert matrix.shape == (len(rows), len(columns))
        assert ((matrix >= 0) & (matrix <= 1)).all()


@given(STEPS, STEPS, MODES)
def test_symmetry(encoder: CachedEncoder, rows: list[Step], columns: list[Step], mode: Any) -> None:
    """Exchanging the sides transposes the costs."""
    there, back = costs(encoder, rows, columns, mode), costs(encoder, columns, rows, mode)
    np.testing.assert_allclose(there.total, back.total.T, rtol=0, atol=1e-12)


@given(STEPS, STEPS, MODES)
def test_equal_steps_cost_nothing(
    encoder: CachedEncoder, rows: list[Step], columns: list[Step], mode: Any
) -> None:
    """A step costs exactly 0 against itself, and the order of its keys changes no bit."""
    assert not np.diag(costs(encoder, rows, rows, mode).total).any()
    again = costs(encoder, [reordered(row) for row in rows], columns, mode)
    assert bits(again) == bits(costs(encoder, rows, columns, mode))


@given(STEPS, STEPS, MODES, st.data())
def test_relisting_permutes(
    encoder: CachedEncoder, rows: list[Step], columns: list[Step], mode: Any, data: st.DataObject
) -> None:
    """Steps listed in another order, on either side: the same bits in another order."""
    left = data.draw(st.permutations(range(len(rows))))
    right = data.draw(st.permutations(range(len(columns))))
    found = costs(encoder, rows, columns, mode)
    relisted = costs(encoder, [rows[i] for i in left], [columns[j] for j in right], mode)
    assert (relisted.total == found.total[np.ix_(left, right)]).all()


def test_total() -> None:
    """C is the weighted sum of its fields, and rounding never takes it beyond 1."""
    ones = np.ones((2, 3))
    found = FieldCosts({"action": ones, "tool": ones / 2}, {"action": 0.6, "tool": 0.4})
    np.testing.assert_allclose(found.total, 0.8)
    above = FieldCosts({"action": ones, "tool": ones}, {"action": 0.7, "tool": 0.3 + 1e-9})
    assert above.total.max() == 1


def test_weights_are_rescaled(encoder: CachedEncoder) -> None:
    """Only fields with a weight take part, in a fixed order, and their weights sum to 1."""
    steps = [Step(id="1", tool="search", effect="rooms"), Step(id="2", tool="book")]
    weights = {"tool": 0.2, "action": 0.0, "effect": 0.6}
    found = costs_over(weights, encoder, steps, steps)
    assert list(found.distances) == ["effect", "tool"]
    assert found.weights == pytest.approx({"effect": 0.75, "tool": 0.25})
    np.testing.assert_allclose(found.total, [[0, 1], [1, 0]], atol=1e-12)


def test_a_hole_counts_as_empty(encoder: CachedEncoder) -> None:
    """A field that a step does not record costs 0 against an empty one and 1 against any other."""
    steps = [Step(id="1", effect=effect) for effect in (None, "", "three rooms")]
    found = costs_over({"effect": 1.0}, encoder, steps, steps).total
    np.testing.assert_array_equal(found, [[0, 0, 1], [0, 0, 1], [1, 1, 0]])


def test_arguments_as_structure_or_as_text(encoder: CachedEncoder) -> None:
    """As structure one of two keys costs a half; as text their one embedded string counts."""
    a = Step(id="1", arguments={"city": "Lisbon", "nights": 3})
    b = Step(id="2", arguments={"city": "Lisbon", "nights": 4})
    only = {"arguments": 1.0}
    assert costs_over(only, encoder, [a], [b]).total == 0.5
    text = costs_over(only, encoder, [a], [b], PaperNodeCost).total
    strings = ['{"city": "Lisbon", "nights": 3}', '{"city": "Lisbon", "nights": 4}']
    assert text == TextDistances(encoder).between(strings[:1], strings[1:])


@pytest.mark.parametrize(
    ("steps", "fields"),
    [
        ([], set()),
        ([Step(id="1")], set()),
        ([Step(id="1", tool="x")], {"tool"}),
        ([Step(id="1", effect="x"), Step(id="2", tool="x")], {"effect", "tool"}),
        ([Step(id="1", arguments={}), Step(id="2", effect="")], {"arguments", "effect"}),
        ([Step(id="1", action="think")], {"action", "tool"}),
        ([Step(id="1", action="think", kind="tool", state={})], {"action", "state"}),
    ],
)
def test_observed_fields(steps: list[Step], fields: set[str]) -> None:
    """A field is observed where some step records it; the tool unless every call hides its own."""
    read = StepColumns(steps)
    assert read.observed == fields


def test_text_distances(encoder: CachedEncoder) -> None:
    """Cosine distance clipped to [0, 1]; equal costs 0, empty against anything else 1."""
    texts = ["Search for a room.", "Find a room.", "", "Search for a room."]
    found = TextDistances(encoder).between(texts, texts)
    vectors = encoder.encode(texts)
    assert found[0, 1] == pytest.approx(1 - vectors[0] @ vectors[1])
    np.testing.assert_array_equal(found[[0, 2, 0, 2], [3, 2, 2, 0]], [0, 0, 1, 1])
    assert TextDistances(encoder).between([], texts).shape == (0, 4)


def test_opposite_texts_cost_no_more_than_one() -> None:
    """Vectors that point away from each other cost 1, not 2."""
    signs = load_encoder(lambda texts: [[1.0 if text == "yes" else -1.0] for text in texts])
    assert TextDistances(signs).between(["yes"], ["no"])[0, 0] == 1
