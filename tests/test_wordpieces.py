"""Token ids by our own cutting and by the package ``tokenizers``, which must be the same."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wordllama import __file__ as wordllama_package

from otap._caching import GenerationCache
from otap.wordpieces import CACHED_WORDS, MAX_CHARACTERS, MAX_WORD, Tokenizer, _order

FILE = Path(wordllama_package).parent / "tokenizers" / "l2_supercat_tokenizer_config.json"
WINDOW = 1024
SIGNS = st.one_of(st.characters(codec="utf-8"), st.sampled_from(' \n"\\\u2581aeinorst=<>0x1'))


class Endless(Tokenizer):
    """Cuts by itself, however much it has cut already."""

    def ids(self, texts: list[str]) -> list[list[int]]:
        """The ids, from a full allowance, of words that nobody knows."""
        self._remaining_characters, self._cache = MAX_CHARACTERS, GenerationCache(CACHED_WORDS)
        return [list(found) for found in super().ids(texts)]

    @property
    def _package(self) -> None:
        raise AssertionError("the package is asked")


@pytest.fixture(scope="module")
def ours() -> Endless:
    """Our reading of the file."""
    return Endless(FILE, WINDOW, is_supported=True)


@pytest.fixture(scope="module")
def package() -> Tokenizer:
    """The package's reading."""
    return Tokenizer(FILE, WINDOW, is_supported=False)


def test_merges_are_those_of_the_file(ours: Endless) -> None:
    """All pairs that are a token together, in the order in which the file lists them."""
    model = json.loads(FILE.read_text(encoding="utf-8"))["model"]
    ids = ours._ids
    assert ids == model["vocab"]
    splits = ((token[:at], token[at:]) for token in ids for at in range(1, len(token)))
    pairs = [(left, right) for left, right in splits if left in ids and right in ids]
    pairs.sort(key=lambda pair: _order(*pair, ids))
    assert [" ".join(pair) for pair in pairs] == model["merges"]


def test_every_token_is_cut_as_the_package_does(ours: Endless, package: Tokenizer) -> None:
    """The vocabulary itself as texts: each entry, and so each merge, in a place of its own."""
    ids = ours._ids
    tokens = [token for token in ids if not token.startswith("<") and len(token) < MAX_WORD]
    texts = [" ".join(tokens[at : at + 50]) for at in range(3, len(tokens), 450)]
    texts += ["".join(tokens[at : at + 5]) for at in range(3, len(tokens), 55)]
    for text in texts:
        assert ours.ids([text]) == package.ids([text]), text


@given(st.text(SIGNS, max_size=MAX_WORD - 1))
def test_any_text_is_cut_as_the_package_does(ours: Endless, package: Tokenizer, text: str) -> None:
    """Characters without a token are their bytes, and spaces belong to what follows."""
    if not any(sign in text for sign in ("<s>", "</s>", "<unk>")):
        assert ours.ids([text]) == package.ids([text])


@pytest.mark.parametrize(
    "text",
    ["<s> and </s>", "=" * 500, "word " * MAX_CHARACTERS],
    ids=["special", "long word", "much"],
)
def test_what_is_left_to_the_package(text: str, package: Tokenizer) -> None:
    """Special signs, long words and long texts have the package's ids, and what follows does."""
    ours = Tokenizer(FILE, WINDOW, is_supported=True)
    assert [list(found) for found in ours.ids([text, "and more"])] == package.ids(
        [text, "and more"]
    )
    assert list(ours.ids(["a hotel"])[0]) == package.ids(["a hotel"])[0]


def test_a_text_is_cut_at_the_window() -> None:
    """No more tokens than that, whoever cuts."""
    text = "\n".join("a b c" for _ in range(40))
    ours, package = (Tokenizer(FILE, 50, known) for known in (True, False))
    assert list(ours.ids([text])[0]) == package.ids([text])[0]
    assert len(package.ids([text])[0]) == 50


@given(
    st.lists(st.sampled_from([" ", "  ", "\n", "a", "ab1", "</s>", "\u2581", "\u00a0", "\u65e5"]))
)
def test_word_by_word_as_a_whole(loaded: Tokenizer, package: Tokenizer, pieces: list[str]) -> None:
    """Words that the package cuts one by one have the tokens that they have in the text."""
    text = "".join(pieces)
    assert [list(found) for found in loaded.ids([text])] == package.ids([text])


@pytest.fixture(scope="module")
def loaded() -> Tokenizer:
    """A tokenizer that has cut so much that the package is there."""
    made = Tokenizer(FILE, WINDOW, is_supported=True)
    made._remaining_characters = 0
    return made


def test_no_token_reaches_over_the_beginning_of_a_word(ours: Endless) -> None:
    """A blank stands at the beginning of a token or behind another one: words can stand alone."""
    assert not [token for token in ours._ids if "\u2581" in token.lstrip("\u2581")]


def test_the_words_that_are_known_are_bounded() -> None:
    """Long ones are not kept at all."""
    ours = Tokenizer(FILE, WINDOW, is_supported=True)
    ours.ids(["room " + "x" * 2 * MAX_WORD])
    assert [*ours._cache._young] == ["\u2581room"]
