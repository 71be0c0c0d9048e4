"""Parses bytes as JSON. An error is one line with the position and the reason."""

import math
import re
from collections.abc import Iterable
from typing import Any, Literal

from pydantic_core import from_json

from otap._patterns import regex
from otap.errors import FormatError, LimitError
from otap.formats.json.paths import JsonPath

Excess = Literal["depth", "number"]

_CHECKED_TYPES = frozenset((dict, list, float))


def excess_in(value: Any, max_depth: int) -> Excess | None:
    """Returns the limit that a value exceeds, or None.

    Visits the value level by level in flat lists, for speed.

    Args:
        value: the output of the parser.
        max_depth: the allowed number of nested lists and objects; ``[1]`` has one.
    """
    level = _children([[value]])
    for _ in range(max_depth + 1):
        if not level:
            return None
        numbers = [node for node in level if type(node) is float]
        # The parser turns a number beyond the range of a double into infinity.
        if any(math.isinf(number) for number in numbers):
            return "number"
        level = _children([node for node in level if type(node) is not float] if numbers else level)
    return "depth"


def path_of_infinity(value: Any, path: JsonPath) -> JsonPath | None:
    """Returns the path to the first infinite number, or None."""
    if isinstance(value, float):
        return path if math.isinf(value) else None
    children: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, dict | list):
        children = value.items() if isinstance(value, dict) else enumerate(value)
    for key, child in children:
        path_in_child = path_of_infinity(child, path[key])
        if path_in_child is not None:
            return path_in_child
    return None


def _children(nodes: list[Any]) -> list[Any]:
    """Returns the lists, objects and floats directly inside some lists and objects."""
    return [
        child
        for node in nodes
        for child in (node.values() if type(node) is dict else node)
        if type(child) in _CHECKED_TYPES
    ]


_BINARY_ERRORS = {  # by the first bytes of a file
    b"\xff\xfe": "is UTF-16 text; save it as UTF-8",
    b"\xfe\xff": "is UTF-16 text; save it as UTF-8",
}
_PARSER_ERROR = regex(r"^(?P<problem>.*) at line (?P<line>\d+) column (?P<column>\d+)$", re.DOTALL)


def parse(text: bytes, path: JsonPath) -> Any:
    """Returns the JSON value of a text in UTF-8. NaN, which Python's own writer writes, is null.

    Raises:
        FormatError: with line and column, if it is not JSON.
    """
    try:
        return from_json(text, allow_inf_nan=False)
    except ValueError as error:
        reason = str(error)
    if b"NaN" in text:
        try:
            return _replace_nan(from_json(text, allow_inf_nan=True))
        except ValueError as error:
            reason = str(error)
    raise _explain(reason, path)


def _replace_nan(value: Any) -> Any:
    """Returns a value with null for each NaN."""
    root = [value]
    level: list[Any] = [root]
    while level:
        inner = []
        for node in level:
            for key, child in list(node.items() if isinstance(node, dict) else enumerate(node)):
                if isinstance(child, dict | list):
                    inner.append(child)
                elif isinstance(child, float) and math.isnan(child):
                    node[key] = None
        level = inner
    return root[0]


def parse_text(text: str, max_depth: int) -> Any:
    """Returns the JSON value of a text inside a trace, such as the arguments of a call.

    Args:
        text: the text.
        max_depth: the allowed number of nested lists and objects.

    Raises:
        ValueError: if it is not JSON, too deep, or has a number beyond the range of a double.
    """
    value = from_json(text.encode(), allow_inf_nan=False)
    if excess_in(value, max_depth) is not None:
        raise ValueError(text)
    return value


def is_json(text: bytes) -> bool:
    """Returns whether a text in UTF-8 is a complete JSON document."""
    try:
        from_json(text, allow_inf_nan=True)
    except ValueError:
        return False
    return True


def is_cut_off(text: bytes) -> bool:
    """Returns whether a text in UTF-8 is the beginning of an object or a list."""
    try:
        from_json(text, allow_inf_nan=False)
    except ValueError as error:
        return str(error).startswith("EOF") and text.lstrip()[:1] in (b"{", b"[")
    return False


def refuse_binary(content: bytes, path: JsonPath) -> None:
    """Raises an error for content that is not text in UTF-8. The last character may be cut off.

    Raises:
        FormatError: if it is empty, compressed, binary, or text in another encoding.
    """
    if not content.strip():
        raise path.error("is empty; a trace holds at least one run")
    for prefix, message in _BINARY_ERRORS.items():
        if content.startswith(prefix):
            raise path.error(message)
    if b"\0" in content[:2]:
        raise path.error("seems to be UTF-16 text or a binary file; save it as UTF-8")
    if b"\0" in content:
        raise path.error("is a binary file, not JSON")
    try:
        content.decode()
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data":  # cut off inside a character
            return
        line = content.count(b"\n", 0, error.start) + (path.line or 1)
        raise JsonPath(path.file, line).error(
            f"not UTF-8 (byte 0x{content[error.start]:02x}); save the file as UTF-8"
        ) from None


def _explain(message: str, path: JsonPath) -> FormatError:
    """Returns the error for a message of the parser, with the line, the column and advice."""
    match = _PARSER_ERROR.match(message)
    problem, line, column = match.groups() if match else (message, "1", "0")
    if path.line is None and not path.expression:  # a row of a table has no line
        path = JsonPath(path.file, int(line))
    position = f"{path}, column {column}"
    if "recursion limit" in problem:
        return LimitError(
            f"{position}: is nested deeper than about 200 levels, above every limit (max_depth)"
        )
    return FormatError(f"{position}: {_advice(problem)}")


def _advice(problem: str) -> str:
    if problem.startswith("EOF"):
        return f"the JSON ends too early ({problem}); the file seems to be cut off, write it again"
    if "hex escape" in problem:
        return "half of a surrogate pair (\\ud800 to \\udfff); write the whole pair, or \\ufffd"
    if "number out of range" in problem:
        return "a number with too many digits; write it as text"
    return f"not JSON ({problem}); correct the file there, or write it again"
