"""What is computed once: attributes when first asked for, and what is made of equal keys."""

from collections.abc import Callable, Hashable
from typing import Any, Generic, Self, TypeVar, overload

Value = TypeVar("Value", covariant=True)
Key = TypeVar("Key", bound=Hashable)
Made = TypeVar("Made")


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


class Kept(Generic[Key, Made]):
    """What was made of the keys asked for lately, bounded by size.

    There are two generations: what is asked for is in the younger one, or moves there. Once that is
    full it becomes the older one, and what was older goes.

    Args:
        room: the size of all that is kept, at most; a tenth of it may be one thing's.
    """

    def __init__(self, room: int) -> None:
        self._room = room
        self._young: dict[Key, Made] = {}
        self._old: dict[Key, Made] = {}
        self._size = 0

    def get(self, key: Key, size: int, make: Callable[[Key], Made]) -> Made:
        """Returns what was made of a key, or makes it.

        Args:
            key: equal keys stand for equal things.
            size: of what is made.
            make: makes it.
        """
        found = self._young.get(key)
        if found is not None:
            return found
        found = self._old.get(key)
        if found is None:
            found = make(key)
        if size <= self._room // 10:
            self._keep(key, size, found)
        return found

    def _keep(self, key: Key, size: int, made: Made) -> None:
        if self._size + size > self._room // 2:
            self._old, self._young, self._size = self._young, {}, 0
        self._young[key] = made
        self._size += size
