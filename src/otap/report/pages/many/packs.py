"""What rows open to, compressed: a page of a thousand runs stays small and opens at once."""

import base64
import json
import zlib
from collections.abc import Sequence

from markupsafe import Markup

PACK = 400_000  # characters of markup in one pack, which is unpacked as a whole
MOST = 24_000_000  # characters of all packs of a page


class Packs:
    """Pieces of a page by name, in packs of some that were added one after the other."""

    def __init__(self) -> None:
        self._open: dict[str, str] = {}
        self._size = 0
        self._done: list[str] = []
        self._place: dict[str, int] = {}

    def add(self, name: str, piece: Markup) -> None:
        """Takes a piece in."""
        self._place[name] = len(self._done)
        self._open[name] = str(piece)
        self._size += len(piece)
        if self._size >= PACK:
            self._close()

    def close(self) -> Sequence[str]:
        """Returns the packs: base64 of what zlib made of a JSON object, name to markup."""
        if self._open:
            self._close()
        return self._done

    @property
    def is_full(self) -> bool:
        """Whether a page should have no more of them."""
        return sum(map(len, self._done)) >= MOST

    def place(self, name: str) -> int | None:
        """Returns the pack that a piece is in; None: it is in none."""
        return self._place.get(name)

    def _close(self) -> None:
        data = json.dumps(self._open, ensure_ascii=False, separators=(",", ":"))
        packed = zlib.compress(data.encode("utf-8", "replace"), 9)
        self._done.append(base64.b64encode(packed).decode())
        self._open, self._size = {}, 0
