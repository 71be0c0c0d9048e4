"""The values in the columns of a table, as JSON has them, and the room that they take."""

import math
from datetime import date, time, timedelta
from decimal import Decimal
from typing import Any

from otap.formats.json.places import Place, described

POINTER = 8  # bytes that an item of a list takes at least


def weight(array: Any) -> int:
    """Returns about how many bytes the values of an Arrow array take as objects of Python.

    A list of nulls takes no room in a file, and a text that a dictionary has once may stand in any
    number of items: so items are counted, and texts as often as they occur.
    """
    from pyarrow import types

    kind = array.type
    if hasattr(array, "storage"):
        return weight(array.storage)
    if types.is_dictionary(kind):
        return len(array) * (POINTER + weight(array.dictionary))
    if types.is_struct(kind):
        return sum(map(weight, array.flatten())) + POINTER * len(array)
    if types.is_map(kind):
        return weight(array.keys) + weight(array.items)
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return weight(array.flatten()) + POINTER * len(array)
    return POINTER * len(array) + int(array.nbytes)


def plain(value: Any, place: Place) -> Any:
    """Returns the JSON of a value in a column.

    In structs each key has a value in every row, null where it has none: those are left out. NaN is
    null, as pandas means it; a time is text; a map, which comes as pairs, is an object.

    Raises:
        FormatError: with the place of what JSON has no form for.
    """
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return None if math.isnan(value) else value
        case dict():
            found = ((key, plain(one, place[key])) for key, one in value.items())
            return {key: one for key, one in found if one is not None}
        case list():
            return _listed(value, place)
        case _:
            return _written(value, place)


def _listed(values: list[Any], place: Place) -> Any:
    """A list, or the object that the pairs of a map are."""
    if values and all(type(one) is tuple for one in values):
        return {str(key): plain(one, place[str(key)]) for key, one in values}
    return [plain(one, place[n]) for n, one in enumerate(values)]


def _written(value: Any, place: Place) -> Any:
    """The text or the number for what JSON has no type of its own for."""
    match value:
        case date() | time():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case Decimal():
            return int(value) if value == value.to_integral_value() else float(value)
        case bytes():
            try:
                return value.decode()
            except UnicodeDecodeError:
                raise place.error("bytes that are no text; leave this column out") from None
        case _:
            raise place.error(f"expected text or a number, found {described(value)}")
