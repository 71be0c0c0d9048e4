"""What rows open to, compressed: a page of a thousand runs stays small and opens at once.

Markup of runs repeats itself, also farther apart than zlib looks: each pack has its tags and texts
once, and of each piece their numbers.
"""

import base64
import json
import zlib
from collections.abc import Sequence

from markupsafe import Markup

from otap._patterns import regex

PACK = 5_000_000  # characters of markup in one pack, which is unpacked as a whole
MOST = 24_000_000  # characters of all packs of a page
_BEFORE_A_TAG = regex(r"(?=<)")


class Packs:
    """Pieces of a page by name, in packs of some that were added one after the other.

    Attributes:
        places: the pack that each piece is in.
    """

    def __init__(self) -> None:
        self.places: dict[str, int] = {}
        self._done: list[str] = []
        self._texts: dict[str, int] = {}
        self._pieces: dict[str, list[int]] = {}
        self._size = 0

    def add(self, name: str, piece: Markup) -> None:
        """Takes a piece in."""
        self.places[name] = len(self._done)
        parts = _BEFORE_A_TAG.split(str(piece))
        self._pieces[name] = [self._texts.setdefault(one, len(self._texts)) for one in parts]
        self._size += len(piece)
        if self._size >= PACK:
            self._compress()

    def close(self) -> Sequence[str]:
        """Returns the packs: base64 of what zlib made of JSON, a list of texts and the pieces."""
        if self._pieces:
            self._compress()
        return self._done

    @property
    def is_full(self) -> bool:
        """Whether a page should have no more of them."""
        return sum(map(len, self._done)) >= MOST

    def _compress(self) -> None:
        data = [list(self._texts), self._pieces]
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        packed = zlib.compress(text.encode("utf-8", "replace"), 9)
        self._done.append(base64.b64encode(packed).decode())
        self._texts, self._pieces, self._size = {}, {}, 0
