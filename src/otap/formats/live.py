"""Objects in memory as the data that their file would hold.

What frameworks hold is dictionaries, pydantic models, dataclasses and objects that say themselves
what they are as JSON. Nothing of a framework is imported: an object is known by what it has.
"""

import dataclasses
import json
from collections.abc import Iterable, Mapping
from datetime import date, datetime, time, timedelta
from enum import Enum
from pathlib import PurePath
from typing import Any
from uuid import UUID

from otap.errors import FormatError, LimitError
from otap.formats.limits import LIMITS

PATH = "object in memory"
MAX_OBJECTS = 2_000_000  # that one object may hold in all
# Methods by which an object gives what it holds, in the order in which they are asked: messages of
# results of pydantic-ai and of OpenAI's Agents SDK; spans of that SDK; pydantic models.
_HELD = ("all_messages", "to_input_list", "export", "model_dump")
# Of objects that are no dataclasses: messages of AutoGen, traces of MLflow, spans of OpenTelemetry.
_SAID = ("to_dict", "as_dict", "to_json")
# What holds messages or spans, of an agent or a session that is itself no data.
_INSIDE = ("messages", "events", "spans", "steps", "history")


def to_data(live: Any) -> Any:
    """Returns the plain data of an object: what a file of it would hold.

    Raises:
        FormatError: for an object that says nothing of itself, with its type.
        LimitError: if it is too deep or too large, or holds itself.
    """
    if isinstance(live, str | bytes | PurePath):
        raise FormatError(
            f"{PATH}: found a text; otap.read takes the path of a file, otap.parse what it holds"
        )
    return _Walk().take(live)


class _Walk:
    """One way through an object and all in it."""

    def __init__(self) -> None:
        self._left = MAX_OBJECTS
        self._above: dict[int, str] = {}  # the objects on the way down, with where each stands

    def take(self, one: Any, key: str = "") -> Any:
        """Returns the data of one object.

        Args:
            one: the object.
            key: where it stands in the one above it.
        """
        if one is None or type(one) in (bool, int, float, str):
            return one
        self._left -= 1
        if len(self._above) > LIMITS.max_depth or id(one) in self._above:
            raise LimitError(f"{PATH}: is deeper than {LIMITS.max_depth} levels, or holds itself")
        if self._left < 0:
            raise LimitError(f"{PATH}: holds more than {MAX_OBJECTS:,} objects")
        self._above[id(one)] = key
        found = self._take_leaf(one)
        if found is None:
            found = self._take_several(one)
        self._above.pop(id(one), None)
        return found

    def _take_leaf(self, one: Any) -> Any:
        """The text or number that stands for an object; None for one of several members."""
        if isinstance(one, Enum):
            return self.take(one.value)
        if isinstance(one, date | datetime | time):
            return one.isoformat()
        if isinstance(one, timedelta):
            return one.total_seconds()
        if isinstance(one, bytes | bytearray):
            return one.decode(errors="replace")
        return str(one) if isinstance(one, str | UUID | PurePath) else None

    def _take_several(self, one: Any) -> Any:
        if isinstance(one, Mapping):
            named = ((_key(key), value) for key, value in one.items())
            return {key: self.take(value, f".{key}") for key, value in named}
        if hasattr(one, "columns") and hasattr(one, "to_dict"):  # a table of pandas
            return self.take(one.to_dict("records"))
        if isinstance(one, tuple) and hasattr(one, "_asdict"):
            return self.take(one._asdict())
        if isinstance(one, Iterable) and not hasattr(one, "model_dump"):
            members = sorted(one, key=str) if isinstance(one, set | frozenset) else one
            return [self.take(member, f"[{k}]") for k, member in enumerate(members)]
        return self._take_model(one)

    def _take_model(self, one: Any) -> Any:
        """The data of an object that is no collection, by what it has."""
        given = _ask(one, _HELD)
        if given is None and dataclasses.is_dataclass(type(one)):
            given = {field.name: getattr(one, field.name) for field in dataclasses.fields(one)}
        if given is None:
            given = _ask(one, _SAID)
        if given is None:
            inside = (getattr(one, name, None) for name in _INSIDE)
            given = next((held for held in inside if isinstance(held, list | tuple)), None)
        if given is None or isinstance(one, type):
            kind = one if isinstance(one, type) else type(one)
            where = "".join(self._above.values()).lstrip(".")
            raise FormatError(
                f"{PATH}: {where}{': ' if where else ''}found a {kind.__module__}."
                f"{kind.__qualname__}, which says nothing of what it holds; pass its messages, its"
                " spans, or its data"
            )
        return self.take(given)


def _ask(one: Any, names: tuple[str, ...]) -> Any:
    """What the first of some methods gives that an object has; JSON is read."""
    for name in names:
        if callable(getattr(one, name, None)) and not isinstance(one, type):
            given = getattr(one, name)()
            try:
                return json.loads(given) if name.endswith("json") else given
            except ValueError:
                raise FormatError(f"{PATH}: what {name}() returns is no JSON") from None
    return None


def _key(key: Any) -> str:
    return str(key.value) if isinstance(key, Enum) else str(key)
