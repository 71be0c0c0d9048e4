"""The token ids of texts, by byte pair encoding [Sennrich2016] with a list of tokens."""

import re
from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from otap._caching import GenerationCache, cached_property

CACHED_WORDS = 25_000  # in each generation of the cache; texts share most of their words
MAX_CACHED = 64  # characters of a cached word

_SPACE = "\u2581"  # the space inside a token
_WORD = re.compile(f"{_SPACE}*[^{_SPACE}]+|{_SPACE}+")  # no token crosses the end of a word
_SPECIAL = re.compile("(</?s>|<unk>)")  # tokens that no merge makes

_Merge = tuple[bool, int, int, int]  # the order of two neighbours, and where the left one starts


class Tokenizer:
    """Splits texts into tokens, with the ids of the package ``tokenizers``.

    Args:
        tokens: the tokens, one a line, in the order of their ids.
        window: the number of tokens after which a text is cut.
    """

    def __init__(self, tokens: str, window: int) -> None:
        self._tokens = tokens
        self._window = window
        self._cache: GenerationCache[str, Sequence[int]] = GenerationCache(CACHED_WORDS)

    def ids(self, texts: Sequence[str]) -> list[Sequence[int]]:
        """Returns the ids of each text's tokens, at most as many as the window."""
        return [self._tokenize_text(text) for text in texts]

    def _tokenize_text(self, text: str) -> Sequence[int]:
        ids: list[int] = []
        for part in _SPECIAL.split(text):
            if _SPECIAL.fullmatch(part):
                ids.append(self._ids[part])
                continue
            for word in _split_words(part)[: self._window]:  # a word has one token at least
                ids += self._cache.get(word) or self._tokenize_word(word)
        return ids[: self._window]

    def _tokenize_word(self, word: str) -> Sequence[int]:
        """Returns the ids of a word with the blanks before it, and caches those of short words."""
        ids = [self._ids[token] for token in _merge_neighbours(word, self._ids)]
        return self._cache.put(word, ids) if len(word) <= MAX_CACHED else ids

    @cached_property
    def _ids(self) -> dict[str, int]:
        """The id of each token."""
        tokens = self._tokens.split("\n")  # a token may hold another end of a line
        return dict(zip(tokens, range(len(tokens)), strict=True))


def _split_words(text: str) -> list[str]:
    spaced = text.replace(" ", _SPACE)
    return _WORD.findall(_SPACE + spaced) if text else []


def _merge_neighbours(word: str, ids: dict[str, int]) -> list[str]:
    """Returns the tokens of a word: merges the neighbours of the lowest order, the left first."""
    tokens: list[str] = []
    for character in word:
        tokens += [character] if character in ids else _byte_tokens(character)
    tokens.append("")  # no neighbour: on the right at the end, on the left as index -1
    following = list(range(1, len(tokens) + 1))  # where the right neighbour starts
    preceding = list(range(-1, len(tokens) - 1))

    starts = range(len(tokens) - 1)
    possible = [_possible_merge(tokens, left, left + 1, ids) for left in starts]
    merges = [merge for merge in possible if merge]
    heapify(merges)
    while merges:
        merge = heappop(merges)
        left = merge[-1]
        right = following[left]
        if merge != _possible_merge(tokens, left, right, ids):
            continue  # a neighbour was merged meanwhile
        tokens[left] += tokens[right]
        tokens[right] = ""
        following[left] = following[right]
        preceding[following[left]] = left
        for start in (preceding[left], left):
            added = _possible_merge(tokens, start, following[start], ids)
            if added:
                heappush(merges, added)
    return [token for token in tokens if token]


def _possible_merge(
    tokens: Sequence[str], left: int, right: int, ids: dict[str, int]
) -> _Merge | None:
    """Returns the merge of two neighbours; None if they form no token.

    Tokens with lower ids come first, then those with the lower id of the left neighbour. Tokens
    that end with a space come last.
    """
    if not (tokens[left] and tokens[right]):
        return None
    token = tokens[left] + tokens[right]
    token_id = ids.get(token)
    if token_id is None:
        return None
    return token[-1] == _SPACE, token_id, ids[tokens[left]], left


def _byte_tokens(character: str) -> list[str]:
    """Returns the byte tokens of a character that is no token; a lone surrogate has three."""
    return [f"<0x{byte:02X}>" for byte in character.encode(errors="surrogatepass")]
