"""The token ids of texts: byte pair encoding [Sennrich2016] as a tokenizer file has it.

The package ``tokenizers`` is the definition, and takes as long to load as a whole score. What one
run says is cut into pieces here, with the same ids; from some thousand characters on it loads.
"""

import json
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from otap._caching import cached_property

MOST_CHARACTERS = 8000  # of all texts so far; what more costs here, loading the package costs
LONGEST_WORD = 64  # the time for a word grows with the square of its length

_SPACE = "\u2581"  # what stands for a space inside a token
_WORD = re.compile(f"{_SPACE}*[^{_SPACE}]+|{_SPACE}+")  # no token goes on behind one
_SPECIAL = re.compile("</?s>|<unk>|[\ud800-\udfff]")  # signs, and halves of characters


class Tokenizer:
    """Cuts texts into the tokens of a file.

    Args:
        file: a tokenizer in the format of ``tokenizers``.
        window: tokens after which a text is cut.
        known: whether the file is the one that is read here too: byte pairs without pre-tokenizer,
            one line an entry, the vocabulary by id and the merges by rank.
    """

    def __init__(self, file: Path, window: int, known: bool) -> None:
        self._file = file
        self._window = window
        self._left = MOST_CHARACTERS if known else 0
        if not known:
            self._package.no_padding()  # a file that is none is an error now

    def ids(self, texts: Sequence[str]) -> list[Sequence[int]]:
        """Returns the ids of each text's tokens, no more than the window."""
        self._left -= sum(map(len, texts))
        if self._left < 0 or any(_SPECIAL.search(text) for text in texts):
            return self._by_package(texts)
        words = [_words(text) for text in texts]
        if max((len(word) for found in words for word in found), default=0) > LONGEST_WORD:
            return self._by_package(texts)
        ids, ranks = self._entries
        return [
            [ids[piece] for word in found for piece in _pieces(word, ids, ranks)][: self._window]
            for found in words
        ]

    def _by_package(self, texts: Sequence[str]) -> list[Sequence[int]]:
        found = self._package.encode_batch_fast(list(texts), add_special_tokens=False)
        return [encoding.ids for encoding in found]

    @cached_property
    def _package(self) -> Any:
        import tokenizers

        loaded = tokenizers.Tokenizer.from_file(str(self._file))
        loaded.no_padding()
        loaded.enable_truncation(self._window)
        return loaded

    @cached_property
    def _entries(self) -> tuple[dict[str, int], dict[str, int]]:
        """The id of each token, and the rank of each merge, written as its two sides."""
        text = self._file.read_text(encoding="utf-8")
        tokens, merges = text.split('"vocab": {\n', 1)[1].split('\n    },\n    "merges": [\n', 1)
        names = (line.rpartition(":")[0] for line in tokens.split("\n"))
        pairs = (line.rstrip(",") for line in merges.split("\n    ]", 1)[0].split("\n"))
        return _numbered(names), _numbered(pairs)


def _numbered(quoted: Iterator[str]) -> dict[str, int]:
    """The place of each string of JSON, by what it says."""
    return {
        json.loads(line) if "\\" in line else line.strip()[1:-1]: place
        for place, line in enumerate(quoted)
    }


def _words(text: str) -> list[str]:
    spaced = text.replace(" ", _SPACE)
    return _WORD.findall(_SPACE + spaced) if text else []


def _pieces(word: str, ids: dict[str, int], ranks: dict[str, int]) -> list[str]:
    """The tokens of a word: of all neighbours those that merge first do, from the left."""
    pieces = [piece for sign in word for piece in ([sign] if sign in ids else _bytes(sign))]
    never = len(ranks)
    while len(pieces) > 1:
        pairs = pairwise(pieces)
        orders = [ranks.get(f"{left} {right}", never) for left, right in pairs]
        first = min(orders)
        if first == never:
            break
        at = orders.index(first)
        pieces[at : at + 2] = [pieces[at] + pieces[at + 1]]
    return pieces


def _bytes(sign: str) -> list[str]:
    """The tokens of a character that is none: its bytes."""
    return [f"<0x{byte:02X}>" for byte in sign.encode()]
