"""Texts that plainly do not contradict each other are judged many at once."""

import random

import numpy as np
import pytest

from otap.costs.fields import Measures, TextDistances, ToolTable
from otap.encoders import load_encoder
from otap.values.compatible_texts import find_compatible
from otap.values.contradiction import find_text_contradiction
from otap.values.distance import ValueComparison
from otap.values.names import find_other_names, other_name
from otap.values.value import Value
from otap.values.wording import is_critical_wording, is_replaced
from work import calls

TOPICS = (
    "refund", "booked", "hotel", "Lisbon", "order", "customer", "invoice", "flight", "shipped",
    "street", "report", "window", "garden", "ticket", "music",
)  # fmt: skip
# Words that a contradiction may depend on.
RISKY = (
    "not", "never", "42", "17 kg", "EUR 30", "open", "close", "unlocked", "locked", "yes", "a", "b",
    "from Anna", "to Ben", "Monday", "Tuesday", "password", "red", "green", "mail@x.org", "?",
)  # fmt: skip


def make_texts(seed: int, count: int, risky: float = 0.2) -> list[str]:
    chosen = random.Random(seed)
    return [
        " ".join(
            chosen.choice(RISKY if chosen.random() < risky else TOPICS)
            for _ in range(chosen.randrange(3, 18))
        )
        for _ in range(count)
    ]


@pytest.mark.parametrize("seed", range(5))
def test_compatible_texts_do_not_contradict_each_other(seed):
    runs, references = make_texts(seed, 90), make_texts(seed + 100, 90)
    compatible = [
        (runs[i], references[j]) for i, j in np.argwhere(find_compatible(runs, references))
    ]
    assert len(compatible) > 100
    for run, reference in compatible:
        assert find_text_contradiction(run, reference) is None, (run, reference)
        if not is_replaced(run, reference):
            assert not is_critical_wording(run, reference), (run, reference)


@pytest.mark.parametrize(
    ("run", "reference"),
    [
        ("ship the blue lamp today", "never ship any green chair today"),
        ("open the shop with new music", "close the garden with the music"),
        ("please pay Anna 30 EUR for music", "please pay rent of 20 EUR in Lisbon"),
        ("the shop on the street is locked", "the unlocked window is on the garden side"),
        ("the window. the garden", "the window of the music hall"),
    ],
)
def test_pairs_that_need_a_look_are_not_judged(run, reference):
    assert not find_compatible([run], [reference]).any()


def test_names_are_compared_at_once():
    texts = ("Anna Schmidt", "Schmidt Anna", "Ben Schmidt", "Anna", "New York", "two")
    names = [Value({"name": text}).members["name"].name for text in texts]
    names += [Value({"street": text}).members["street"].name for text in ("Main St", "Main Street")]
    expected = [
        [bool(run and reference and other_name(run, reference)) for reference in names]
        for run in names
    ]
    np.testing.assert_array_equal(find_other_names(names, names), expected)


def compare_notes(count: int) -> int:
    """Returns the calls of Python for comparing some notes with as many others.

    Each two notes have two of five words in common.
    """
    chosen = random.Random(count)
    notes = [
        f"order shipped {' '.join(''.join(chosen.choices('klmnorst', k=9)) for _ in range(3))}"
        for _ in range(2 * count)
    ]
    values = [Value({"note": note}) for note in notes]
    rows, columns = values[:count], values[count:]
    measures = Measures(TextDistances(load_encoder("wordllama")), ToolTable())

    def as_one(compared: ValueComparison) -> np.ndarray:
        return compared.distance

    return calls(lambda: measures.structured.distances(rows, columns, as_one))


def test_the_work_for_prose_grows_with_the_texts_and_not_with_their_pairs():
    compare_notes(30)  # reads the lexicon
    assert compare_notes(160) < 2.5 * compare_notes(80)
