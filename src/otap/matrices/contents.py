"""What data says as a key: by it what was read once is known again."""

import marshal
from collections.abc import Callable
from typing import Generic, TypeVar

from pydantic import JsonValue

from otap._caching import Kept

T = TypeVar("T")

_VERSION = 2  # of marshal's format: the last one in which equal data gives equal bytes
_ENTRY = 200  # what it takes to keep something besides what it was read of, in bytes


def content_of(data: JsonValue) -> str | bytes | None:
    """Returns what is equal for equal data alone, in which 1, 1.0 and true are three; None if none.

    The order of keys counts: the same data in another order is read again, no more.
    """
    if type(data) is str:
        return data
    try:
        return marshal.dumps(data, _VERSION)
    except ValueError:  # nested too deeply, or no plain JSON
        return None


class ReadOnce(Generic[T]):
    """What was read of data, kept by what the data says and by which rules it was read.

    Args:
        size: bytes of data of which it is kept, twice.
    """

    def __init__(self, size: int) -> None:
        self._read: Kept[tuple[str | bytes, object], T] = Kept(
            size, lambda key: len(key[0]) + _ENTRY
        )

    def of(self, data: JsonValue, rules: object, read: Callable[[], T]) -> T:
        """Returns what was read of data.

        Args:
            data: the data.
            rules: what else it depends on how it is read.
            read: reads it.
        """
        content = content_of(data)
        if content is None:
            return read()
        key = content, rules
        found = self._read.get(key)
        return self._read.put(key, read()) if found is None else found
