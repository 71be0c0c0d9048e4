"""Cached properties, and a bounded cache by key."""

import functools
import marshal
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
T = TypeVar("T")
_MARSHAL_VERSION = 2  # the last version in which equal data gives equal bytes


def content_key(data: Any) -> bytes | None:
    """Returns bytes that only equal JSON data of equal types and order shares.

    None if the data is nested too deeply, or is not plain JSON.
    """
    try:
        return marshal.dumps(data, _MARSHAL_VERSION)
    except ValueError:
        return None


class cached_property(functools.cached_property[T]):  # noqa: N801
    """A ``functools.cached_property`` as in Python 3.12, without a lock.

    In Python 3.11 all objects of a class share one lock. Threads wait for each other, and a process
    that was forked meanwhile waits for ever. Without the lock two threads may compute the same
    value.
    """

    def __init__(self, function: Callable[[Any], T]) -> None:
        super().__init__(function)

    if not TYPE_CHECKING:  # its types are those of the base class

        def __get__(self, instance: object, owner: type[Any] | None = None) -> Any:
            """Computes the value; the next access finds it among the attributes of the object."""
            if instance is None:
                return self
            value = instance.__dict__[self.attrname] = self.func(instance)
            return value


class GenerationCache(Generic[Key, T]):
    """A bounded cache in two generations.

    If the young generation is full, it becomes the old one, and the old one is dropped. An entry of
    the old generation that is used moves to the young one.

    Args:
        size: of one generation, in entries or in units of ``weight``.
        weight: the size of an entry, by its key.
    """

    def __init__(self, size: int, weight: Callable[[Key], int] = lambda _: 1) -> None:
        self._size, self._weight, self._used = size, weight, 0
        self._young: dict[Key, T] = {}
        self._old: dict[Key, T] = {}

    def get(self, key: Key) -> T | None:
        """Returns the entry of a key, or None."""
        entry = self._young.get(key)
        if entry is None:
            entry = self._old.get(key)
            if entry is not None:
                self.put(key, entry)
        return entry

    def put(self, key: Key, entry: T) -> T:
        """Stores an entry, which is not None, and returns it."""
        weight = self._weight(key)
        if self._used + weight > self._size:
            self._old, self._young, self._used = self._young, {}, 0
        self._used += weight
        self._young[key] = entry
        return entry
