"""The kept vectors are the encoder's, and there is one for each text of seed 0."""

import os

import numpy as np
import pytest

from otap.errors import EncoderError
from reproduction.corpora.hand_corpus import files
from reproduction.paper import vectors
from reproduction.paper.vectors import KeptVectors, Model, keep, key

LONG = os.environ.get("OTAP_LONG") == "1"


def test_they_are_the_encoders():
    """Half precision is good to four digits; a sample over all files of the corpus."""
    if not vectors.installed():
        pytest.skip("the paper's encoder is not installed: scripts/setup minilm")
    texts = [step.action for file in files() for step in file.steps][:: 1 if LONG else 8]
    kept, real = KeptVectors().encode(texts), Model().encode(texts)
    assert np.abs(kept - real / np.linalg.norm(real, axis=1, keepdims=True)).max() < 1e-3
    assert ((kept * real).sum(axis=1) > 0.99999).all()


def test_they_are_small():
    assert vectors.KEPT.stat().st_size <= 10e6


def test_what_was_not_kept_is_an_error(tmp_path):
    """Never a guess: the text is named, and how to mend it."""
    path = tmp_path / "vectors.npz"
    assert keep([("a", np.array([3.0, 4.0])), ("b", np.array([0.0, 1.0]))], path) == 2
    kept = KeptVectors(path)
    assert np.allclose(kept.encode(["b", "a"]), [[0, 1], [0.6, 0.8]], atol=1e-3)
    with pytest.raises(EncoderError, match="no vector was kept for 'c'"):
        kept.encode(["a", "c"])
    assert key("a") != key("b")
