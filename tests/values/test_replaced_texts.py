"""Texts with nearly nothing in common are judged without a look at their sentences."""

import random

import numpy as np
import pytest

from otap.values.wording import find_replaced, is_replaced, judge_wording

WORDS = (
    "refund", "booked", "hotel", "Lisbon", "the", "a", "not", "cancel", "order", "customer", "and",
    "invoice", "42", "EUR", "flight", "Montag", "der", "Rechnung", "remboursement", "le",
    "\u9000\u6b3e",
)  # fmt: skip


def make_text(chosen: random.Random) -> str:
    """Returns one to three sentences of a few words."""
    sentences = [
        " ".join(chosen.choices(WORDS, k=chosen.randrange(1, 7)))
        for _ in range(chosen.randrange(1, 4))
    ]
    return chosen.choice((". ", "\n", "! ")).join(sentences)


def make_texts(seed: int) -> list[str]:
    chosen = random.Random(seed)
    return [make_text(chosen) for _ in range(40)]


@pytest.mark.parametrize("seed", range(5))
def test_the_quick_judgement_is_that_of_the_sentences(seed):
    """What is judged without pairing sentences is critical with pairing them, too."""
    runs, references = make_texts(seed), make_texts(seed + 100)
    judged = [(a, b) for a in runs for b in references if is_replaced(a, b)]
    assert len(judged) > 50
    for run, reference in judged:
        wording = judge_wording(run, reference)
        assert wording is not None
        assert wording.is_critical, (run, reference)


@pytest.mark.parametrize("seed", range(5))
def test_the_matrix_is_that_of_the_pairs(seed):
    runs, references = [*make_texts(seed), "word " * 900], [*make_texts(seed + 100), "other " * 900]
    pairs = [[is_replaced(run, reference) for reference in references] for run in runs]
    np.testing.assert_array_equal(find_replaced(runs, references), pairs)
