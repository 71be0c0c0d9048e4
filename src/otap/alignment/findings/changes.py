"""Which arguments of a call differ in value from its counterpart, by the rule of costs."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import cast

from pydantic import JsonValue

from otap.alignment.findings.finding import SHOWN
from otap.errors import shown
from otap.matrices import (
    ANOTHER_NAME,
    Contradiction,
    Value,
    find_value_contradiction,
)
from otap.run.generated_ids import Renaming
from otap.transport import assignment
from otap.values.code import compare_lines
from otap.values.distance import PairDistance, are_prose, is_same
from otap.values.lists import Cheapest, pair_members

_ABSENT = object()
LINES_SHOWN = 400  # characters of what is another in a value
_REORDERED = "in another order"


@dataclass(frozen=True)
class Change:
    """One argument, by its path of keys: what the run has and what the reference has.

    Attributes:
        path: its keys, joined by dots; a member of a list by [].
        run: the run's value.
        reference: the reference's.
        is_exact: whether it is another exact value: no missing key, no prose, no order.
        how: what is another in it, where that takes more than both values to see.
        here: what the run has for the reference's value, where that is no name of its own.
        allowed: what a plan allows there, in words.
    """

    path: str
    run: object
    reference: object
    is_exact: bool = False
    how: str | Contradiction = ""
    here: object = _ABSENT
    allowed: str = ""

    @property
    def is_added(self) -> bool:
        """Whether the reference has no value there."""
        return self.reference is _ABSENT

    def __str__(self) -> str:
        path = shown(self.path, 40)
        if self.allowed:
            has = "is left out" if self.run is _ABSENT else f"is {_format_value(self.run)}"
            if self.allowed == "nothing":
                return f"{path} {has}, which the plan does not name"
            return f"{path} {has}, allowed: {self.allowed}"
        if self.how and self.how != _REORDERED:
            return f"{path} {shown(self.how, LINES_SHOWN)}"
        if self.reference is _ABSENT:
            return f"{path} is {_format_value(self.run)}, which the reference lacks"
        if self.run is _ABSENT:
            lacking = "lacks" if self.path.endswith("[]") else "is left out, in the reference"
            return f"{path} {lacking} {_format_value(self.reference)}"
        run, wanted = _format_sides(self.run, self.reference)
        if self.here is not _ABSENT:
            wanted = f"{_format_value(self.here)} (in the reference {wanted or 'nothing'})"
        order = f"{self.how}: " if self.how else ""
        return f"{path} is {order}{run or 'empty'} instead of {wanted or 'nothing'}"

    @property
    def sides(self) -> tuple[str, str]:
        """What the run has and what the reference has as short texts; empty: it has none."""
        run, reference = (
            "" if one is _ABSENT else _format_value(one) for one in (self.run, self.reference)
        )
        return run, reference

    def in_names(self, names: Renaming) -> "Change":
        """Returns it with the values as the run recorded them, not in the names compared."""
        if not names.ids:
            return self
        key, how, back = self.path.rpartition(".")[2].removesuffix("[]"), self.how, names.inverse()
        if isinstance(how, Contradiction):
            how = how._replace(run=str(back.rename_data(how.run, key)))
        run, here = (
            value if value is _ABSENT else back.rename_data(cast(JsonValue, value), key)
            for value in (self.run, self.reference)
        )
        return replace(self, run=run, how=how, here=_ABSENT if here == self.reference else here)


def find_changes(run: Value, reference: Value, *, cheapest: bool = True) -> list[Change]:
    """Returns the arguments that differ in value, by path; rewording is no change.

    What costs nothing is no change, and what differs in an exact value is one. Of prose only what
    contradicts is told: the rest of its difference is for the loss to tell.

    Args:
        run: the arguments of the run's call.
        reference: those of its counterpart.
        cheapest: whether what is left of two short lists is paired at the least cost, else in
            order.
    """
    pairing = PairDistance(_distance_of_leaves, assignment).cheapest if cheapest else None
    return list(_compare_values(run, reference, "", pairing))


def _compare_values(a: Value, b: Value, path: str, pairing: Cheapest | None) -> Iterator[Change]:
    if {a.kind, b.kind} <= {"object", "empty"}:
        yield from _compare_objects(a, b, path, pairing)
    elif {a.kind, b.kind} in ({"list"}, {"list", "leaf"}):
        yield from _compare_lists(a.as_list, b.as_list, path, pairing)
    else:
        yield from _compare_leaves(a, b, path or "arguments")


def _compare_leaves(a: Value, b: Value, path: str) -> Iterator[Change]:
    """What two leaves, or two values of different kinds, say of themselves."""
    if are_prose(a, b):
        found = find_value_contradiction(a, b)
        if found:
            named = found.kind == ANOTHER_NAME
            yield Change(path, a.data, b.data, is_exact=True, how="" if named else found)
    elif a.kind != b.kind or not ((a.is_embedded and b.is_embedded) or is_same(a, b)):
        named = bool((a.exact or a.name) and (b.exact or b.name))
        exact = a.kind == "empty" or (a.kind == b.kind and named) or bool(a.exact and b.exact)
        yield Change(path, a.data, b.data, exact, how=_show_lines(a, b) if exact else "")


def _show_lines(a: Value, b: Value) -> str:
    """The lines in which two programs differ; empty for other values."""
    if "code" not in (a.scalar.kind, b.scalar.kind) or "\n" not in a.text + b.text:
        return ""
    return f"has other lines: {compare_lines(a.text, b.text)}"


def _compare_objects(a: Value, b: Value, path: str, pairing: Cheapest | None) -> Iterator[Change]:
    left, right = (value.members if value.kind == "object" else {} for value in (a, b))
    for name in sorted({*left, *right}):
        ours, theirs = left.get(name), right.get(name)
        if ours is not None and theirs is not None:
            yield from _compare_values(ours, theirs, _join_path(path, ours), pairing)
        elif ours is not None and ours.is_filled:
            # One more thing said of the call itself is another call; of a thing in it, it is not.
            another = not path and ours.exact > 0
            yield Change(_join_path(path, ours), ours.data, _ABSENT, another)
        elif theirs is not None and theirs.is_filled:
            yield Change(_join_path(path, theirs), _ABSENT, theirs.data)


def _compare_lists(a: Value, b: Value, path: str, pairing: Cheapest | None) -> Iterator[Change]:
    if a.identity == b.identity:
        return
    found = pair_members(a, b, pairing)
    place = f"{path}[]"
    for i, j in sorted(found.pairs):
        yield from _compare_values(a.items[i], b.items[j], place, pairing)
    for i in found.left:
        yield Change(place, a.items[i].data, _ABSENT, a.items[i].exact > 0)
    for j in found.right:
        yield Change(place, _ABSENT, b.items[j].data, b.items[j].exact > 0)
    if found.disorder:
        yield Change(path or "arguments", a.data, b.data, how=_REORDERED)


def _join_path(path: str, member: Value) -> str:
    return f"{path}.{member.key}" if path else member.key


def _distance_of_leaves(a: Value, b: Value) -> float:
    """The distance of two leaves by their values alone: one text is half of another."""
    if a.is_embedded and b.is_embedded:
        return 0.0 if a.text == b.text else 0.5
    return float(not is_same(a, b))


def _format_sides(run: object, reference: object) -> tuple[str, str]:
    """Two values as short texts, from where they differ."""
    texts = list(map(_write_value, (run, reference)))
    same = next((k for k, (x, y) in enumerate(zip(*texts, strict=False)) if x != y), 0)
    start = same - SHOWN // 3
    if start > SHOWN // 3:
        texts = [f"…{text[start:]}" for text in texts]
    ours, theirs = (shown(text, SHOWN) for text in texts)
    return ours, theirs


def _format_value(value: object) -> str:
    return shown(_write_value(value), SHOWN)


def _write_value(value: object) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
