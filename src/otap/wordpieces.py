"""The token ids of texts: byte pair encoding [Sennrich2016] as a tokenizer file has it.

The package ``tokenizers`` is the definition, and takes as long to load as a whole score. What one
run says is cut into pieces here, with the same ids; from some thousand characters on it loads.
"""

import json
import re
import sys
from collections.abc import Sequence
from itertools import count, pairwise
from pathlib import Path
from typing import Any

from otap._caching import Kept, cached_property

MOST_CHARACTERS = 8000  # of all words so far; what more costs here, loading the package costs
KNOWN_WORDS = 25_000  # of a generation: most words of a text were in others
LONGEST_WORD = 64  # the time for a word grows with the square of its length

_SPACE = "\u2581"  # what stands for a space inside a token
_WORD = re.compile(f"{_SPACE}*[^{_SPACE}]+|{_SPACE}+")  # no token goes on behind one
_NEVER = (True, sys.maxsize, 0)
_SPECIAL = re.compile("</?s>|<unk>|[\ud800-\udfff]")  # signs, and halves of characters


class Tokenizer:
    """Cuts texts into the tokens of a file.

    Args:
        file: a tokenizer in the format of ``tokenizers``.
        window: tokens after which a text is cut.
        known: whether the file is the one that is read here too: byte pairs without pre-tokenizer,
            one line an entry, all merges there are, in the order of `_order`.
    """

    def __init__(self, file: Path, window: int, known: bool) -> None:
        self._file = file
        self._window = window
        self._by_word, self._left = known, MOST_CHARACTERS
        self._known: Kept[str, Sequence[int]] = Kept(KNOWN_WORDS)
        if not known:
            self._package.no_padding()  # a file that is none is an error now

    def ids(self, texts: Sequence[str]) -> list[Sequence[int]]:
        """Returns the ids of each text's tokens, no more than the window."""
        return [*map(self._of_text, texts)]

    def _of_text(self, text: str) -> Sequence[int]:
        if not self._by_word or _SPECIAL.search(text):
            whole: Sequence[int] = self._package.encode(text, add_special_tokens=False).ids
            return whole
        found: list[int] = []
        for word in _split_words(text)[: self._window]:  # of a token each at least
            found += self._known.get(word) or self._of_word(word)
        return found[: self._window]

    def _of_word(self, word: str) -> Sequence[int]:
        """The ids of a word and the blanks before it; those of a short one stay known."""
        self._left -= len(word)
        if self._left < 0 or len(word) > LONGEST_WORD:
            ids = [token.id for token in self._package.model.tokenize(word)]
        else:
            ids = [self._ids[piece] for piece in _pieces(word, self._ids)]
        if len(word) <= LONGEST_WORD:
            self._known.put(word, ids)
        return ids

    @cached_property
    def _package(self) -> Any:
        import tokenizers

        loaded = tokenizers.Tokenizer.from_file(str(self._file))
        loaded.no_padding()
        loaded.enable_truncation(self._window)
        return loaded

    @cached_property
    def _ids(self) -> dict[str, int]:
        """The id of each token: its place in the vocabulary."""
        text = self._file.read_bytes().decode()
        tokens = text.split('"vocab": {', 1)[1].split('"merges": ', 1)[0]
        said = re.sub(r"\\.", lambda found: str(json.loads(f'"{found[0]}"')), tokens)
        return dict(zip(re.findall(r'"(.*)": \d', said), count()))


def _split_words(text: str) -> list[str]:
    spaced = text.replace(" ", _SPACE)
    return _WORD.findall(_SPACE + spaced) if text else []


def _pieces(word: str, ids: dict[str, int]) -> list[str]:
    """The tokens of a word: of all neighbours those that merge first do, from the left."""
    pieces = [piece for sign in word for piece in ([sign] if sign in ids else _bytes(sign))]
    while len(pieces) > 1:
        orders = [_order(left, right, ids) for left, right in pairwise(pieces)]
        first = min(orders)
        if first == _NEVER:
            break
        at = orders.index(first)
        pieces[at : at + 2] = [pieces[at] + pieces[at + 1]]
    return pieces


def _order(left: str, right: str, ids: dict[str, int]) -> tuple[bool, int, int]:
    """When two neighbours merge, as the file's list of merges has it, which is not read.

    They do where they are a token together: the lower its id the sooner, and of one token's ways
    that with the lower id on the left; spaces last.
    """
    token = left + right
    return (token[-1] == _SPACE, ids[token], ids[left]) if token in ids else _NEVER


def _bytes(sign: str) -> list[str]:
    """The tokens of a character that is none: its bytes."""
    return [f"<0x{byte:02X}>" for byte in sign.encode()]
