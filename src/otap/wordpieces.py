"""The token ids of texts, by byte pair encoding [Sennrich2016] with a tokenizer file.

The package ``tokenizers`` defines the ids, but takes as long to load as a score. The texts of a
single run are therefore tokenised here, with the same ids; for more text the package is loaded.
"""

import re
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from otap._caching import GenerationCache, cached_property

MAX_CHARACTERS = 8000  # of all words together; for more, loading the package is faster
CACHED_WORDS = 25_000  # in each generation of the cache; texts share most of their words
MAX_WORD = 64  # characters; the time for a word grows with the square of its length

_SPACE = "\u2581"  # the space inside a token
_WORD = re.compile(f"{_SPACE}*[^{_SPACE}]+|{_SPACE}+")  # no token crosses the end of a word
_VOCABULARY = b'"vocab": '  # the key before the object with the ids
_NEVER = (True, sys.maxsize, 0)
_SPECIAL = re.compile("</?s>|<unk>|[\ud800-\udfff]")  # special tokens, and lone surrogates


class Tokenizer:
    """Splits texts into the tokens of a tokenizer file.

    Args:
        file: a tokenizer in the format of ``tokenizers``.
        window: the number of tokens after which a text is cut.
        is_supported: whether this module can read the file: byte pairs without a pre-tokenizer, one
            entry per line, and all possible merges in the order of `_order`.
    """

    def __init__(self, file: Path, window: int, is_supported: bool) -> None:
        self._file = file
        self._window = window
        self._is_supported = is_supported
        self._remaining_characters = MAX_CHARACTERS
        self._cache: GenerationCache[str, Sequence[int]] = GenerationCache(CACHED_WORDS)
        if not is_supported:
            self._package.no_padding()  # raise an error for an invalid file now

    def ids(self, texts: Sequence[str]) -> list[Sequence[int]]:
        """Returns the ids of each text's tokens, at most as many as the window."""
        return [self._tokenize_text(text) for text in texts]

    def _tokenize_text(self, text: str) -> Sequence[int]:
        if not self._is_supported or _SPECIAL.search(text):
            package_ids: list[int] = self._package.encode(text, add_special_tokens=False).ids
            return package_ids
        ids: list[int] = []
        for word in _split_words(text)[: self._window]:  # a word has one token at least
            ids += self._cache.get(word) or self._tokenize_word(word)
        return ids[: self._window]

    def _tokenize_word(self, word: str) -> Sequence[int]:
        """Returns the ids of a word with the blanks before it, and caches those of short words."""
        self._remaining_characters -= len(word)
        if self._remaining_characters < 0 or len(word) > MAX_WORD:
            ids = [token.id for token in self._package.model.tokenize(word)]
        else:
            ids = [self._ids[piece] for piece in _split_word(word, self._ids)]
        if len(word) <= MAX_WORD:
            self._cache.put(word, ids)
        return ids

    @cached_property
    def _package(self) -> Any:
        import tokenizers

        tokenizer = tokenizers.Tokenizer.from_file(str(self._file))
        tokenizer.no_padding()
        tokenizer.enable_truncation(self._window)
        return tokenizer

    @cached_property
    def _ids(self) -> dict[str, int]:
        """The id of each token. The rest of the file is not parsed, because it is far longer."""
        content = self._file.read_bytes()
        before, _, _ = content.partition(b'"merges": ')
        start = before.index(_VOCABULARY) + len(_VOCABULARY)
        ids: dict[str, int] = from_json(
            before[start : before.rindex(b"}") + 1], cache_strings=False
        )
        return ids


def _split_words(text: str) -> list[str]:
    spaced = text.replace(" ", _SPACE)
    return _WORD.findall(_SPACE + spaced) if text else []


def _split_word(word: str, ids: dict[str, int]) -> list[str]:
    """Returns the tokens of a word: merges the neighbours of the lowest order, the left first."""
    pieces: list[str] = []
    for character in word:
        pieces += [character] if character in ids else _byte_tokens(character)
    while len(pieces) > 1:
        orders = [_order(left, right, ids) for left, right in pairwise(pieces)]
        lowest = min(orders)
        if lowest == _NEVER:
            break
        index = orders.index(lowest)
        pieces[index : index + 2] = [pieces[index] + pieces[index + 1]]
    return pieces


def _order(left: str, right: str, ids: dict[str, int]) -> tuple[bool, int, int]:
    """Returns the order in which two neighbours merge, without reading the file's merges.

    Neighbours merge if they form a token. Tokens with lower ids come first, then those with the
    lower id of the left neighbour. Tokens that end with a space come last.
    """
    token = left + right
    return (token[-1] == _SPACE, ids[token], ids[left]) if token in ids else _NEVER


def _byte_tokens(character: str) -> list[str]:
    """Returns the byte tokens of a character that is not in the vocabulary."""
    return [f"<0x{byte:02X}>" for byte in character.encode()]
