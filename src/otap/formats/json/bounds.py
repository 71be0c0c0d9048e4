"""What the parser of JSON lets through and we do not: deep nesting, and infinite numbers."""

import math
from typing import Any, Literal

from otap.formats.json.places import Place

Excess = Literal["depth", "number"]

_INTERESTING = frozenset((dict, list, float))


def excess_in(value: Any, max_depth: int) -> Excess | None:
    """Returns what goes beyond the bounds, or nothing: one flat pass a level, for speed.

    Args:
        value: what the parser returned.
        max_depth: how many levels of lists and objects are allowed; ``[1]`` has one.
    """
    level = _inside([[value]])
    for _ in range(max_depth + 1):
        if not level:
            return None
        numbers = [node for node in level if type(node) is float]
        if any(map(math.isinf, numbers)):  # a number beyond the range of a double becomes one
            return "number"
        level = _inside([node for node in level if type(node) is not float] if numbers else level)
    return "depth"


def place_of_infinity(value: Any, place: Place) -> Place | None:
    """Returns the place of the first infinite number."""
    if isinstance(value, float):
        return place if math.isinf(value) else None
    if not isinstance(value, dict | list):
        return None
    children = value.items() if isinstance(value, dict) else enumerate(value)
    for key, child in children:
        if isinstance(child, float | dict | list):
            found = place_of_infinity(child, place[key])
            if found:
                return found
    return None


def _inside(nodes: list[Any]) -> list[Any]:
    """Returns the lists, objects and broken numbers directly inside lists and objects."""
    return [
        child
        for node in nodes
        for child in (node.values() if type(node) is dict else node)
        if type(child) in _INTERESTING
    ]
