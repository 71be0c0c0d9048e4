"""Attributes that are computed once, when they are first asked for."""

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

Value = TypeVar("Value", covariant=True)


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
