"""Converts objects in memory to the data that a file of them would hold.

Frameworks hold dictionaries, pydantic models, dataclasses, and objects with a method that returns
their JSON. No framework is imported: an object is recognised by its attributes.
"""

import dataclasses
import json
from collections.abc import Iterable, Mapping, Sized
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from io import IOBase
from itertools import islice
from math import isnan
from numbers import Integral, Real
from pathlib import PurePath
from typing import Any
from uuid import UUID

from otap.errors import FormatError, LimitError, shown
from otap.formats.limits import LIMITS

PATH = "object in memory"  # the file name in errors
MAX_OBJECTS = 2_000_000  # in one object in all
# Methods that return the content of an object, in order of preference: the messages of results of
# pydantic-ai and of OpenAI's Agents SDK, the items and spans of that SDK, pydantic models.
_CONTENT_METHODS = ("all_messages", "to_input_list", "to_input_item", "export", "model_dump")
# The same for objects that are no dataclasses: AutoGen's messages, MLflow's traces, OpenTelemetry's
# spans.
_FALLBACK_METHODS = ("to_dict", "as_dict", "to_json")
# The attributes of an agent or a session that have its messages or spans.
_CONTENT_ATTRIBUTES = ("messages", "events", "spans", "steps", "history")
# Attributes that a model leaves out of its dump, although they hold calls: LangSmith's run trees.
_INNER_ATTRIBUTES = ("child_runs",)
# The types of the messages and blocks of Anthropic's Agent SDK, which are not among their fields.
_CLAUDE_SDK = "claude_agent_sdk"
_CLAUDE_TYPES = {
    "AssistantMessage": "assistant",
    "UserMessage": "user",
    "SystemMessage": "system",
    "ResultMessage": "result",
    "StreamEvent": "stream_event",
    "TextBlock": "text",
    "ThinkingBlock": "thinking",
    "ToolUseBlock": "tool_use",
    "ToolResultBlock": "tool_result",
    "ServerToolUseBlock": "server_tool_use",
    "ServerToolResultBlock": "server_tool_result",
}
_MESSAGE_FIELDS = ("content", "model", "usage", "stop_reason")


def describe_type(live: Any) -> str:
    """Returns the type of an object; for a list, the type of its first item."""
    is_list = isinstance(live, list | tuple) and type(live) in (list, tuple)
    if is_list and live:
        return f"list of {describe_type(live[0])}"
    kind = live if isinstance(live, type) else type(live)
    return f"{kind.__module__}.{kind.__qualname__}"


def is_plain(live: Any) -> bool:
    """Returns whether an object is data, or a list that begins with data, and of no framework."""
    first = live[0] if isinstance(live, list | tuple) and live else live
    return type(first) in (dict, list, tuple, str, int, float, bool, type(None))


def to_data(live: Any) -> Any:
    """Returns the plain data that a file of an object would hold.

    Raises:
        FormatError: for an object of an unknown kind, with its type.
        LimitError: if it is too deep or too large, or contains itself.
    """
    if isinstance(live, str | bytes | PurePath):
        raise FormatError(
            f"{PATH}: found a text; otap.read takes the path of a file, otap.parse its content"
        )
    return _Converter(None if is_plain(live) else describe_type(live)).to_plain(live)


class _Converter:
    """Converts one object and all objects in it."""

    def __init__(self, root_type: str | None) -> None:
        self._root_type = root_type  # for errors in the objects inside; None for plain data
        self._remaining = MAX_OBJECTS
        self._parents: dict[int, str] = {}  # the key of each object above, by the object's id

    def to_plain(self, source: Any, key: str = "") -> Any:
        """Returns the data of one object.

        Args:
            source: the object.
            key: its key in its parent.
        """
        if source is None or type(source) in (bool, int):
            return source
        if type(source) is str:
            return _as_unicode(source)
        if isinstance(source, float):
            return None if isnan(source) else float(source)
        self._remaining -= 1
        if len(self._parents) > LIMITS.max_depth or id(source) in self._parents:
            raise LimitError(
                f"{PATH}: is deeper than {LIMITS.max_depth} levels, or contains itself"
            )
        if self._remaining < 0:
            raise LimitError(f"{PATH}: holds more than {MAX_OBJECTS:,} objects")
        self._parents[id(source)] = key
        converted = self._convert_scalar(source)
        if converted is None and not _is_missing(source):
            converted = self._convert_collection(source)
        self._parents.pop(id(source), None)
        return converted

    def _convert_scalar(self, source: Any) -> Any:
        """Returns the text or number for a scalar object, or None for any other object."""
        if isinstance(source, Enum):
            return self.to_plain(source.value)
        if isinstance(source, date | datetime | time):
            return source.isoformat()
        if isinstance(source, timedelta):
            return source.total_seconds()
        if isinstance(source, bytes | bytearray):
            return source.decode(errors="replace")
        if isinstance(source, Integral):
            return int(source)
        if isinstance(source, Real | Decimal):
            return None if _is_missing(source) else self.to_plain(float(source))
        if hasattr(source, "dtype") and getattr(source, "shape", None) == ():  # NumPy's scalars
            return self.to_plain(source.item())
        return _as_unicode(str(source)) if isinstance(source, str | UUID | PurePath) else None

    def _convert_collection(self, source: Any) -> Any:
        if isinstance(source, Mapping):
            converted: dict[str, Any] = {}
            for key, member in source.items():
                name = _as_unicode(str(key.value) if isinstance(key, Enum) else str(key))
                converted[name] = self.to_plain(member, f".{name}")
            return converted
        if hasattr(source, "columns") and hasattr(source, "to_dict"):  # a table of pandas
            return self.to_plain(source.to_dict("records"))
        if isinstance(source, tuple) and hasattr(source, "_asdict"):
            return self.to_plain(source._asdict())
        if isinstance(source, BaseException):
            return {"type": type(source).__name__, "message": str(source)}
        if _is_collection(source):
            items = sorted(source, key=str) if isinstance(source, set | frozenset) else source
            if not isinstance(source, Sized):  # it may have no end
                items = list(islice(source, MAX_OBJECTS + 1))
                if len(items) > MAX_OBJECTS:
                    raise LimitError(f"{PATH}: holds more than {MAX_OBJECTS:,} objects")
            return [self.to_plain(item, f"[{index}]") for index, item in enumerate(items)]
        return self._convert_model(source)

    def _convert_model(self, source: Any) -> Any:
        """Returns the data of an object that is no collection, by its methods and attributes."""
        content = _call_first(source, _CONTENT_METHODS)
        if content is None and isinstance(source, Iterable):
            content = _call_first(source, _FALLBACK_METHODS)
        if content is None and dataclasses.is_dataclass(type(source)):
            fields = dataclasses.fields(source)
            content = {field.name: getattr(source, field.name) for field in fields}
            content = _claude_message(source, content)
        if content is None:
            content = _call_first(source, _FALLBACK_METHODS)
        if content is None:
            lists = (getattr(source, name, None) for name in _CONTENT_ATTRIBUTES)
            content = next((items for items in lists if isinstance(items, list | tuple)), None)
        if content is None or isinstance(source, type):
            keys = "".join(self._parents.values())
            if keys and self._root_type is not None:
                keys = f"{self._root_type}{keys}"
            keys = keys.lstrip(".")
            raise FormatError(
                f"{PATH}: {keys}{': ' if keys else ''}found a {describe_type(source)}, whose"
                " content OTAP cannot read; pass its messages, its spans, or its data"
            )
        if isinstance(content, dict):
            inner = {name: getattr(source, name, None) for name in _INNER_ATTRIBUTES}
            content = {**content, **{name: runs for name, runs in inner.items() if runs}}
        return self.to_plain(content)


def _as_unicode(text: str) -> str:
    """Returns a text; a lone surrogate, which no file can hold, becomes its escape."""
    if text.isascii():
        return text
    return text.encode("utf-8", "backslashreplace").decode()


def _is_missing(source: Any) -> bool:
    """Returns whether an object stands for a missing value: NaN of a type of its own."""
    return isinstance(source, Decimal) and source.is_nan()


def _is_collection(source: Any) -> bool:
    """Returns whether an object is nothing but its items. Open files are not read."""
    if not isinstance(source, Iterable) or isinstance(source, IOBase | type):
        return False
    methods = (*_CONTENT_METHODS, *_FALLBACK_METHODS)
    return not any(callable(getattr(source, name, None)) for name in methods)


def _claude_message(source: Any, fields: dict[str, Any]) -> dict[str, Any]:
    """Returns the fields of an object of Anthropic's Agent SDK as Claude Code streams them."""
    kind = _CLAUDE_TYPES.get(type(source).__name__)
    if kind is None or not type(source).__module__.startswith(_CLAUDE_SDK):
        return fields
    if kind == "system":
        return {"type": kind, "subtype": fields["subtype"], **fields["data"]}
    if kind not in ("assistant", "user"):
        return {"type": kind, **fields}
    message = {key: fields.pop(key) for key in _MESSAGE_FIELDS if key in fields}
    message["id"] = fields.pop("message_id", None)
    return {"type": kind, "message": {"role": kind, **message}, **fields}


def _call_first(source: Any, names: tuple[str, ...]) -> Any:
    """Returns the output of the first of these methods that an object has. JSON is parsed."""
    for name in names:
        if callable(getattr(source, name, None)) and not isinstance(source, type):
            try:
                content = getattr(source, name)()
            except Exception as error:
                raise FormatError(
                    f"{PATH}: {describe_type(source)}.{name}() raised"
                    f" {type(error).__name__}: {shown(str(error))}"
                ) from error
            try:
                return json.loads(content) if name.endswith("json") else content
            except ValueError:
                raise FormatError(f"{PATH}: the output of {name}() is not JSON") from None
    return None
