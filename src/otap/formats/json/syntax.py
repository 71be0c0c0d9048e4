"""From bytes to JSON values; what is no JSON is refused in one line that says where and why."""

import math
import re
from collections.abc import Iterable
from typing import Any, Literal

from pydantic_core import from_json

from otap._patterns import regex
from otap.errors import FormatError, LimitError
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
    children: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, dict | list):
        children = value.items() if isinstance(value, dict) else enumerate(value)
    found = (place_of_infinity(child, place[key]) for key, child in children)
    return next(filter(None, found), None)


def _inside(nodes: list[Any]) -> list[Any]:
    """Returns the lists, objects and broken numbers directly inside lists and objects."""
    return [
        child
        for node in nodes
        for child in (node.values() if type(node) is dict else node)
        if type(child) in _INTERESTING
    ]


_FOREIGN = {  # how a file begins that is surely no JSON
    b"\x1f\x8b": "is compressed with gzip; unpack it first",
    b"\xff\xfe": "is UTF-16 text; save it as UTF-8",
    b"\xfe\xff": "is UTF-16 text; save it as UTF-8",
}
_PLACED = regex(r"^(?P<problem>.*) at line (?P<line>\d+) column (?P<column>\d+)$", re.DOTALL)


def parse(data: bytes, place: Place) -> Any:
    """Returns the JSON value that ``data`` is.

    Raises:
        FormatError: with line and column, if it is none.
    """
    try:
        return from_json(data, allow_inf_nan=False)
    except ValueError as error:
        raise _explained(str(error), place) from None


def parse_text(text: str, max_depth: int) -> Any:
    """Returns the JSON value that a text inside a trace is, such as the arguments of a call.

    Args:
        text: the text.
        max_depth: how many levels of lists and objects are allowed.

    Raises:
        ValueError: if it is no JSON, too deep, or holds a number beyond the range of a double.
    """
    value = from_json(text.encode(), allow_inf_nan=False)
    if excess_in(value, max_depth) is not None:
        raise ValueError(text)
    return value


def is_json(data: bytes) -> bool:
    """Says whether ``data`` is a whole JSON document."""
    try:
        from_json(data, allow_inf_nan=False)
    except ValueError:
        return False
    return True


def refuse_binary(data: bytes, place: Place) -> None:
    """Refuses what is no text in UTF-8 at all; a last character may be cut off.

    Raises:
        FormatError: if the data is empty, compressed, binary, or text of another encoding.
    """
    if not data.strip():
        raise place.error("is empty; a trace holds at least one run")
    for start, what in _FOREIGN.items():
        if data.startswith(start):
            raise place.error(what)
    if b"\0" in data[:2]:
        raise place.error("seems to be UTF-16 text or a binary file; save it as UTF-8")
    if b"\0" in data:
        raise place.error("is a binary file, not JSON")
    try:
        data.decode()
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data":  # cut off inside a character
            return
        line = data.count(b"\n", 0, error.start) + (place.line or 1)
        raise Place(place.file, line).error(
            f"not UTF-8 (byte 0x{data[error.start]:02x}); save the file as UTF-8"
        ) from None


def _explained(message: str, place: Place) -> FormatError:
    found = _PLACED.match(message)
    problem, line, column = found.groups() if found else (message, "1", "0")
    if place.line is None and not place.trail:  # what lies in a row or the like has no line
        place = Place(place.file, int(line))
    where = f"{place}, column {column}"
    if "recursion limit" in problem:
        return LimitError(
            f"{where}: is nested deeper than about 200 levels, above every limit (max_depth)"
        )
    return FormatError(f"{where}: {_advice(problem)}")


def _advice(problem: str) -> str:
    if problem.startswith("EOF"):
        return f"the JSON ends too early ({problem}); the file seems to be cut off, write it again"
    if "hex escape" in problem:
        return "half of a surrogate pair (\\ud800 to \\udfff); write the whole pair, or \\ufffd"
    if "number out of range" in problem:
        return "a number with too many digits; write it as text"
    return f"not JSON ({problem}); mend the file there, or write it again"
