"""What the bounds of unions look at on one side, worked out once for all other sides."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, permutations
from types import ModuleType
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from pydantic import JsonValue

from otap.encoders import unit_rows
from otap.matrices.fields import Field
from otap.matrices.steps import ReadSteps
from otap.matrices.texts import JOINT, Matrix
from otap.matrices.unions import UnionEncoder
from otap.values.keys import WRAPPING
from otap.values.value import Value

MOST_KEYS = 256  # different keys on a side up to which arguments are bounded key by key
_CANCELLED = 1e-6  # the length of a sum of vectors below which they cancel out
# What the arguments of a step are, and what a key holds: as core/unions.hpp numbers them.
_NONE, _TEXT, _OBJECT, _OTHER, _EMPTY_OBJECT, _EMPTY_TEXT = range(6)
_PRESENT, _FILLED, _EXACT, _LIST, _SEVERAL, _WRAPS = (1 << bit for bit in range(6))

Members = Mapping[str, Value]


class KeyTable(NamedTuple):
    """The arguments of the steps of a side, key by key.

    names: the keys, each with its place.
    keys: what each step has there, as the native core holds it.
    share: of arguments that are texts, as `shares` returns them.
    vectors: their unit vectors; rows of zeros for what is no text, None where nothing is one.
    """

    names: Mapping[str, int]
    keys: Any
    share: Matrix
    vectors: Matrix | None


class Sides:
    """What is known of the sides that are alive.

    Args:
        encoder: gives the vectors of texts.
        core: the native core.
    """

    def __init__(self, encoder: UnionEncoder, core: ModuleType) -> None:
        self._encoder, self._core = encoder, core
        self._known: WeakKeyDictionary[ReadSteps, dict[str, Any]] = WeakKeyDictionary()

    def share(self, read: ReadSteps, field: Field[str]) -> Matrix:
        """Returns the shares of the parts in a union of texts, as `shares` does."""
        known = self._of(read)
        if field.name not in known:
            known[field.name] = self._share(read.of(field))
        found: Matrix = known[field.name]
        return found

    def table(self, read: ReadSteps, field: Field[Value]) -> KeyTable | None:
        """Returns the arguments key by key; None for very many keys, or rules by which they go."""
        known = self._of(read)
        if field.name not in known:
            known[field.name] = self._table(read.of(field))
        found: KeyTable | None = known[field.name]
        return found

    def _of(self, read: ReadSteps) -> dict[str, Any]:
        return self._known.setdefault(read, {})

    def _share(self, texts: Sequence[str]) -> Matrix:
        if len(set(texts)) == 1:
            return np.full((len(texts), len(texts)), np.inf)
        return shares(texts, _sums(self._encoder, texts))

    def _table(self, values: Sequence[Value]) -> KeyTable | None:
        objects = [value.members if isinstance(value.data, dict) else {} for value in values]
        names = {name: k for k, name in enumerate(dict.fromkeys(chain.from_iterable(objects)))}
        if len(names) > MOST_KEYS or any(value.compared is not None for value in values):
            return None
        keys = self._keys(values, objects, names)
        texts = [value.text if _kind(value) == _TEXT else "" for value in values]
        if not any(texts):
            return KeyTable(names, keys, np.zeros((len(values), len(values))), None)
        sums = _sums(self._encoder, texts)
        return KeyTable(names, keys, shares(texts, sums), unit_rows(sums))

    def _keys(
        self, values: Sequence[Value], objects: Sequence[Members], names: Mapping[str, int]
    ) -> Any:
        """What the steps have at each key, as the core holds it."""
        shape = len(values), len(names)
        holds, said = np.zeros(shape, dtype=np.uint8), np.zeros(shape, dtype=np.int32)
        steps = [i for i, members in enumerate(objects) for _ in members]
        places = [names[name] for members in objects for name in members]
        holds[steps, places] = [_holds(*item) for members in objects for item in members.items()]
        said[steps, places] = list(_numbers(chain.from_iterable(map(_recorded, values))))
        return self._core.Keys(
            np.array(list(map(_kind, values)), dtype=np.uint8),
            np.array(list(map(len, objects)), dtype=np.int32),
            ((holds & _FILLED) > 0).sum(axis=1, dtype=np.int32),
            holds,
            said,
            np.array(["[0]" in members for members in objects], dtype=np.uint8),
        )


def shares(texts: Sequence[str], sums: Matrix) -> Matrix:
    """Returns how much of the similarity of a union each part brings, (part, other part).

    The vector of a union is the sum of its parts', so that its similarity to any text is the sum of
    theirs, each times its length over that of the sum. Where one part says all that the union does,
    its share is infinite, and that of the other one 0 unless both say the same; NaN where nothing
    is known: their vectors cancel out, or they have something in common.

    Args:
        texts: what each step says.
        sums: the vectors of these texts, each the sum of its parts' unit vectors.
    """
    products = sums @ sums.T
    squares = np.diagonal(products)
    total = np.sqrt(np.maximum(np.add.outer(squares, squares) + 2.0 * products, 0.0))
    cancelled = total < _CANCELLED
    found: Matrix = np.sqrt(squares)[:, None] / np.where(cancelled, 1.0, total)
    found[cancelled] = np.nan
    said = np.array([bool(text) for text in texts])
    found[:, ~said], found[~said, :] = np.inf, 0.0
    numbers = np.array(list(_numbers(texts)))
    found[numbers[:, None] == numbers] = np.inf
    _put_parts(found, texts)
    return found


def _put_parts(found: Matrix, texts: Sequence[str]) -> None:
    """Puts the shares of texts that are unions and have a part in common with another."""
    if not any(JOINT in text for text in texts):
        return
    parts = [frozenset(text.split(JOINT)) - {""} for text in texts]
    for (i, ours), (k, theirs) in permutations(enumerate(parts), 2):
        if ours != theirs and not ours.isdisjoint(theirs):
            found[i, k] = np.inf if ours > theirs else 0.0 if ours < theirs else np.nan


def _sums(encoder: UnionEncoder, texts: Sequence[str]) -> Matrix:
    """The vectors of texts, each the sum of its parts'; zeros for an empty text."""
    found: Matrix = encoder.sums(list(texts)) * np.array([[bool(text)] for text in texts])
    return found


def _kind(value: Value) -> int:
    if value.data is None:
        return _NONE
    if isinstance(value.data, str):
        return _TEXT if value.kind == "leaf" else _EMPTY_TEXT
    if isinstance(value.data, dict):
        return _OBJECT if value.kind == "object" else _EMPTY_OBJECT
    return _OTHER


def _recorded(value: Value) -> list[JsonValue]:
    """What an object was recorded to have, in the order of its members."""
    data = value.data
    return [data[m.key] for m in value.members.values()] if isinstance(data, dict) else []


def _holds(name: str, member: Value) -> int:
    """What a key holds, as bits."""
    several = member.kind == "list" and len(member.items) > 1
    return (
        _PRESENT
        | _FILLED * member.is_filled
        | _EXACT * (member.exact > 0)
        | _LIST * (member.kind == "list")
        | _SEVERAL * several
        | _WRAPS * (name in WRAPPING)
    )


def _numbers(values: Iterable[JsonValue]) -> Iterator[int]:
    """A number for each value, the same for equal ones."""
    known: dict[Any, int] = {}
    nested: list[tuple[JsonValue, int]] = []
    for value in values:
        if not isinstance(value, dict | list):
            yield known.setdefault(value, len(known))
            continue
        number = next((number for one, number in nested if one == value), 0)
        if not number:
            number = -1 - len(nested)
            nested.append((value, number))
        yield number
