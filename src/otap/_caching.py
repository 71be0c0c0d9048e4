"""What is computed once: attributes, when they are first asked for, and what is kept by a key."""

from collections.abc import Callable, Hashable
from typing import Any, Generic, Self, TypeVar, overload

Value = TypeVar("Value", covariant=True)
Key = TypeVar("Key", bound=Hashable)
T = TypeVar("T")


class CachedProperty(Generic[Value]):
    """A ``functools.cached_property`` as Python 3.12 has it, without a lock.

    That of 3.11 holds a lock that all objects of a class share: threads wait for each other, and a
    process that was forked meanwhile waits for ever. Without it two threads may compute the same
    value, and both get the one that was kept first.
    """

    def __init__(self, function: Callable[[Any], Value]) -> None:
        self._function = function
        self._name = function.__name__
        self.__doc__ = function.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type) -> Value: ...
    def __get__(self, instance: object | None, owner: type) -> Self | Value:
        if instance is None:
            return self
        value: Value = instance.__dict__.setdefault(self._name, self._function(instance))
        return value


cached_property = CachedProperty


class Kept(Generic[Key, T]):
    """What was worked out, by a key; what was not asked for in the longest time goes first.

    In two generations: when the young one is full it becomes the old one, which is let go. What is
    asked for of the old one is young again.

    Args:
        size: of a generation, in entries or in what ``weight`` says.
        weight: how much of the size an entry takes, by its key.
    """

    def __init__(self, size: int, weight: Callable[[Key], int] = lambda _: 1) -> None:
        self._size, self._weight, self._used = size, weight, 0
        self._young: dict[Key, T] = {}
        self._old: dict[Key, T] = {}

    def get(self, key: Key) -> T | None:
        """Returns what is kept under a key, None if nothing is."""
        found = self._young.get(key)
        if found is None and (found := self._old.get(key)) is not None:
            self.put(key, found)
        return found

    def made(self, key: Key, make: Callable[[Key], T]) -> T:
        """Returns what is kept under a key, or makes it; what takes much room is not kept."""
        found = self._young.get(key)
        if found is None:
            found = self._old.get(key)
            if found is None:
                found = make(key)
            if self._weight(key) <= self._size // 5:
                self.put(key, found)
        return found

    def put(self, key: Key, value: T) -> T:
        """Keeps a value, which is not None, and returns it."""
        self._make_room(self._weight(key))
        self._young[key] = value
        return value

    def _make_room(self, weight: int) -> None:
        if self._used + weight > self._size:
            self._old, self._young, self._used = self._young, {}, 0
        self._used += weight
