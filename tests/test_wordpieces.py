"""Token ids by our own cutting and by the package ``tokenizers``, which must be the same."""

import json
from importlib.resources import files
from pathlib import Path
from time import process_time

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from otap.encoders import WORDLLAMA
from otap.values import cldr
from otap.wordpieces import MAX_CACHED, Tokenizer, _possible_merge

CONFIGURATION = files("wordllama").joinpath("tokenizers", "l2_supercat_tokenizer_config.json")
WINDOW = 1024
SIGNS = st.one_of(st.characters(codec="utf-8"), st.sampled_from(' \n"\\\u2581aeinorst=<>0x1'))
PIECES = [
    " ", "  ", "\n", "a", "ab1", "<s>", "</s>", "<unk>", "<", "s>", "\u2581", "\u00a0", "\u65e5",
    "e\u0301", "\U0001f468\u200d\U0001f469", "the", "hotel",
]  # fmt: skip


class Package:
    """The package's reading, of texts without lone surrogates."""

    def __init__(self, window: int) -> None:
        self._package = tokenizers.Tokenizer.from_str(CONFIGURATION.read_text(encoding="utf-8"))
        self._package.no_padding()
        self._package.enable_truncation(window)

    def ids(self, text: str) -> list[int]:
        """Returns the ids of a text."""
        ids: list[int] = self._package.encode(text, add_special_tokens=False).ids
        return ids


class Ours:
    """Our reading, without a cache."""

    def __init__(self, window: int) -> None:
        self._window = window
        self._vocabulary = new_tokenizer(window)._ids

    def ids(self, text: str) -> list[int]:
        """Returns the ids of a text."""
        tokenizer = new_tokenizer(self._window)
        vars(tokenizer)["_ids"] = self._vocabulary
        return list(tokenizer.ids([text])[0])


def new_tokenizer(window: int = WINDOW) -> Tokenizer:
    """Returns a tokenizer of the carried list."""
    return Tokenizer((WORDLLAMA / "l2_supercat_tokens.txt").read_bytes().decode(), window)


@pytest.fixture(scope="module")
def ours() -> Ours:
    """Our reading."""
    return Ours(WINDOW)


@pytest.fixture(scope="module")
def package() -> Package:
    """The package's reading."""
    return Package(WINDOW)


def test_merges_are_those_of_the_file() -> None:
    """All pairs that are a token together, in the order in which the package lists them."""
    model = json.loads(CONFIGURATION.read_text(encoding="utf-8"))["model"]
    ids = new_tokenizer()._ids
    assert ids == model["vocab"]
    splits = ((token[:at], token[at:]) for token in ids for at in range(1, len(token)))
    pairs = [(left, right) for left, right in splits if left in ids and right in ids]
    pairs.sort(key=lambda pair: _possible_merge(pair, 0, 1, ids) or ())
    assert [" ".join(pair) for pair in pairs] == model["merges"]


def test_every_token_is_cut_as_the_package_does(ours: Ours, package: Package) -> None:
    """The vocabulary itself as texts: each entry, and so each merge, in a context of its own."""
    tokens = [token for token in ours._vocabulary if not token.startswith("<")]
    texts = [" ".join(tokens[at : at + 50]) for at in range(3, len(tokens), 450)]
    texts += ["".join(tokens[at : at + 5]) for at in range(3, len(tokens), 55)]
    for text in texts:
        assert ours.ids(text) == package.ids(text), text


@given(st.text(SIGNS, max_size=300))
def test_any_text_is_cut_as_the_package_does(ours: Ours, package: Package, text: str) -> None:
    """Characters without a token are their bytes, and spaces belong to what follows."""
    assert ours.ids(text) == package.ids(text)


@given(st.lists(st.sampled_from(PIECES), max_size=40))
def test_words_and_special_tokens(ours: Ours, package: Package, pieces: list[str]) -> None:
    """Each part between special tokens begins anew, with a space of its own."""
    text = "".join(pieces)
    assert ours.ids(text) == package.ids(text)


@given(st.text(st.sampled_from("aeinorst=-_/0123\u65e5\u2581"), min_size=60, max_size=600))
def test_long_words(ours: Ours, package: Package, text: str) -> None:
    """Words without a space, in which many merges compete."""
    assert ours.ids(text) == package.ids(text)


@given(st.binary(max_size=300))
def test_bytes(ours: Ours, package: Package, content: bytes) -> None:
    """What a program reads from a file of another kind."""
    for encoding in ("utf-8", "latin-1", "cp437"):
        text = content.decode(encoding, errors="replace")
        assert ours.ids(text) == package.ids(text)


@pytest.mark.parametrize("table", ["territories", "cities", "zones"])
def test_names_of_many_languages(table: str, ours: Ours, package: Package) -> None:
    """The names of countries and cities in the scripts of the world."""
    for line in lines_of(table):
        assert ours.ids(line) == package.ids(line), line


def lines_of(table: str) -> list[str]:
    """Returns the lines of a table of names."""
    path = Path(cldr.__file__).parent / f"{table}.txt"
    return path.read_text(encoding="utf-8").splitlines()


def test_pages_and_code(ours: Ours, package: Package) -> None:
    """Prose, tables and programs, by the window."""
    folder = Path(__file__).parent
    for file in [Path(__file__), *(folder.parent / "docs").glob("*.md")]:
        text = file.read_text(encoding="utf-8")
        for start in range(0, len(text), 3 * WINDOW):
            part = text[start : start + 3 * WINDOW]
            assert ours.ids(part) == package.ids(part)


@pytest.mark.parametrize("part", ["=", "ab", "<s>", " ", "\u2581", "word ", "x7Fq9Zk", "\u65e5"])
def test_a_text_is_cut_at_the_window(part: str) -> None:
    """No more tokens than that, of one long word or of many."""
    ours, package = Ours(50), Package(50)
    for times in (49, 50, 51, 700):
        assert ours.ids(part * times) == package.ids(part * times)
    assert len(ours.ids("\n".join(["a b c"] * 40))) == 50


def test_a_lone_surrogate_is_its_bytes(ours: Ours) -> None:
    """The package knows none, but a trace may hold one."""
    before, tokens, after = ours.ids("a"), ours.ids("a\ud800b"), ours.ids("ab")
    assert tokens[:1] == before
    names = {token_id: token for token, token_id in ours._vocabulary.items()}
    assert [names[token_id] for token_id in tokens[1:4]] == ["<0xED>", "<0xA0>", "<0x80>"]
    assert names[tokens[4]] == "b"
    assert len(after) < len(tokens)


def test_no_token_reaches_over_the_beginning_of_a_word(ours: Ours) -> None:
    """A blank stands at the beginning of a token or behind another one: words can stand alone."""
    assert not [token for token in ours._vocabulary if "\u2581" in token.lstrip("\u2581")]


def test_the_time_for_a_long_word_does_not_grow_with_its_square(ours: Ours) -> None:
    """Sixteen times the word takes far less than 256 times as long."""
    short, long = (min(_seconds(ours, "ab" * n) for _ in range(3)) for n in (500, 8000))
    assert long < 64 * short


def _seconds(ours: Ours, text: str) -> float:
    start = process_time()
    ours.ids(text)
    return process_time() - start


def test_the_cached_words_are_bounded() -> None:
    """Long ones are not cached at all, and the cache changes no id."""
    tokenizer = new_tokenizer()
    text = "room " + "x" * 2 * MAX_CACHED
    first = tokenizer.ids([text])
    assert [*tokenizer._cache._young] == ["\u2581room"]
    assert tokenizer.ids([text, text]) == first * 2
