"""Which arguments of a call differ from those of its counterpart."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from otap.errors import shown

SHOWN = 30  # characters of a value in a sentence
_ABSENT = object()


@dataclass(frozen=True)
class Change:
    """One argument, by its path of keys: what the run has and what the reference has."""

    path: str
    run: object
    reference: object

    def __str__(self) -> str:
        if self.reference is _ABSENT:
            return f"{shown(self.path, 40)} is {_value(self.run)}, which the reference lacks"
        if self.run is _ABSENT:
            return f"{shown(self.path, 40)} is left out, in the reference {_value(self.reference)}"
        return f"{shown(self.path, 40)} is {_value(self.run)} instead of {_value(self.reference)}"


def changes(run: JsonValue, reference: JsonValue) -> list[Change]:
    """Returns the arguments that differ in value, by path; rewording is no change.

    Members of a list in another order are the same; so are 1, 1.0 and "1", and two texts without
    digits, of several words each: how far apart they are, the loss says.
    """
    return list(_changes(run, reference, ""))


def _changes(run: object, reference: object, path: str) -> Iterator[Change]:
    if isinstance(run, dict) and isinstance(reference, dict):
        for key in sorted({*run, *reference}):
            place = f"{path}.{key}" if path else key
            yield from _changes(run.get(key, _ABSENT), reference.get(key, _ABSENT), place)
    elif isinstance(run, list) and isinstance(reference, list):
        yield from _list_changes(run, reference, path)
    elif not _same(run, reference):
        yield Change(path or "arguments", run, reference)


def _list_changes(run: list[object], reference: list[object], path: str) -> Iterator[Change]:
    """Members that only one side has, in order: those that pair up differ, the rest is extra."""
    missing = list(reference)
    extra = []
    for member in run:
        same = next((other for other in missing if _same(member, other)), _ABSENT)
        extra.append(member) if same is _ABSENT else missing.remove(same)
    for index in range(max(len(extra), len(missing))):
        ours = extra[index] if index < len(extra) else _ABSENT
        theirs = missing[index] if index < len(missing) else _ABSENT
        yield from _changes(ours, theirs, f"{path}[]")


def _same(a: object, b: object) -> bool:
    if isinstance(a, dict) or isinstance(b, dict):
        both = isinstance(a, dict) and isinstance(b, dict)
        return both and not any(_changes(a, b, ""))
    if isinstance(a, list) or isinstance(b, list):
        both = isinstance(a, list) and isinstance(b, list)
        return both and not any(_changes(a, b, ""))
    return _spelled(a) == _spelled(b) or (_worded(a) and _worded(b))


def _spelled(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return value


def _worded(value: object) -> bool:
    return isinstance(value, str) and " " in value.strip() and not any(map(str.isdigit, value))


def _value(value: object) -> str:
    text = (
        value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)
    )
    return shown(text, SHOWN)
