"""Objects in memory of odd types, to be put into every field of traces."""

import dataclasses
import decimal
import enum
import fractions
import math
import threading
import uuid
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np


class Color(enum.Enum):
    """An enumeration with a value that is no scalar."""

    RED = ("red", 1)


class Raising:
    """An object that raises when its attributes are read, or when it is written."""

    def __getattr__(self, name: str) -> Any:
        """Raises for each attribute."""
        raise RuntimeError(f"no {name}")

    def __str__(self) -> str:
        """Raises."""
        raise ValueError("no text")


class RaisingDump:
    """An object whose conversion to data raises."""

    def model_dump(self) -> Any:
        """Raises."""
        raise ZeroDivisionError("no dump")


class EndlessDump:
    """An object whose data holds another object of its kind, without end."""

    def model_dump(self) -> Any:
        """Returns another one."""
        return {"next": EndlessDump()}


@dataclasses.dataclass
class Holder:
    """A dataclass that holds anything."""

    content: Any


def endless() -> Iterator[int]:
    """Yields numbers without end."""
    while True:
        yield 1


def circle() -> list[Any]:
    """Returns a list that contains itself."""
    inner: list[Any] = []
    inner.append(inner)
    return inner


def make_objects() -> list[Any]:
    """Returns the objects; each call makes new ones."""
    return [
        *(math.nan, math.inf, -math.inf, -0.0, 10**400, 1e308, 2**63, True, None, b"\xff", ""),
        *("\ud800", "\x00", bytearray(b"a"), memoryview(b"a"), 1j, object(), object, len, Color),
        *(Color.RED, Raising(), RaisingDump(), EndlessDump(), Holder(Holder(math.nan)), circle()),
        *({1: {2: 3}}, {None: 1}, {(1, 2): 3}, {1, "a"}, frozenset([None]), range(3), endless()),
        *(decimal.Decimal("NaN"), decimal.Decimal("sNaN"), decimal.Decimal("1e999999")),
        *(fractions.Fraction(1, 3), uuid.UUID(int=1), Path("x"), date.max, timedelta.max),
        *(datetime.max.replace(tzinfo=UTC), threading.Lock(), np.float64("nan"), np.int64(3)),
        *(np.array(3), np.array([1, math.nan]), np.datetime64("NaT"), np.array([object()])),
        *(np.bool_(1), NotImplemented),
        *(lambda: 1, iter([]), (x for x in [1]), type("Odd", (dict,), {})(a=math.nan)),
    ]  # fmt: skip
