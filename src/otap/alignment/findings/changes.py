"""The arguments of a call whose values differ from the counterpart's, by the rule of costs."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import cast

from pydantic import JsonValue

from otap.alignment.findings.finding import MAX_VALUE
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
LINES_SHOWN = 400  # characters of the difference between two values
TEXT_SHOWN = 80  # characters of a text that contradicts another
_REORDERED = "in another order"


@dataclass(frozen=True)
class Change:
    """One argument whose value differs, by its path of keys.

    Attributes:
        path: its keys, joined by dots; a member of a list by [].
        run: the run's value.
        reference: the reference's value.
        is_exact: whether an exact value differs: not a missing key, prose or order.
        how: the difference, if both values alone do not show it.
        here: the value that the run was given for the reference's, if it has no name of its own.
        allowed: the values that a plan allows there, in words.
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
            words = "is left out" if self.run is _ABSENT else f"is {_format_value(self.run)}"
            if self.allowed == "nothing":
                return f"{path} {words}, which the plan does not name"
            return f"{path} {words}, allowed: {self.allowed}"
        if isinstance(self.how, Contradiction) and self.how.kind == "negated":
            run, reference = _format_sides(self.run, self.reference, TEXT_SHOWN)
            return f'{path} says "{run}", the reference says "{reference}"'
        if self.how and self.how != _REORDERED:
            return f"{path} {shown(self.how, LINES_SHOWN)}"
        if self.reference is _ABSENT:
            return f"{path} is {_format_value(self.run)}, which the reference lacks"
        if self.run is _ABSENT:
            lacking = "lacks" if self.path.endswith("[]") else "is left out, in the reference"
            return f"{path} {lacking} {_format_value(self.reference)}"
        run, reference = _format_sides(self.run, self.reference)
        if self.here is not _ABSENT:
            reference = f"{_format_value(self.here)} (in the reference {reference or 'nothing'})"
        order = f"{self.how}: " if self.how else ""
        return f"{path} is {order}{run or 'empty'} instead of {reference or 'nothing'}"

    @property
    def sides(self) -> tuple[str, str]:
        """The values of the run and of the reference as short texts; empty if a side has none."""
        run, reference = (
            "" if value is _ABSENT else _format_value(value) for value in (self.run, self.reference)
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

    A difference without a cost is no change; a difference in an exact value is one. Prose counts
    only if it contradicts the reference; the loss covers the rest of its difference.

    Args:
        run: the arguments of the run's call.
        reference: those of its counterpart.
        cheapest: whether the unequal members of two short lists are paired at the least cost, or
            else in their order.
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
    """The change between two leaves, or between two values of different kinds."""
    if are_prose(a, b):
        contradiction = find_value_contradiction(a, b)
        if contradiction:
            how = "" if contradiction.kind == ANOTHER_NAME else contradiction
            yield Change(path, a.data, b.data, is_exact=True, how=how)
    elif a.kind != b.kind or not ((a.is_embedded and b.is_embedded) or is_same(a, b)):
        are_names = bool((a.exact or a.name) and (b.exact or b.name))
        is_exact = (
            a.kind == "empty" or (a.kind == b.kind and are_names) or bool(a.exact and b.exact)
        )
        yield Change(path, a.data, b.data, is_exact, how=_show_lines(a, b) if is_exact else "")


def _show_lines(a: Value, b: Value) -> str:
    """The lines in which two programs differ; empty for other values."""
    if "code" not in (a.scalar.kind, b.scalar.kind) or "\n" not in a.text + b.text:
        return ""
    return f"has other lines: {compare_lines(a.text, b.text)}"


def _compare_objects(a: Value, b: Value, path: str, pairing: Cheapest | None) -> Iterator[Change]:
    left, right = (value.members if value.kind == "object" else {} for value in (a, b))
    for name in sorted({*left, *right}):
        run_value, reference_value = left.get(name), right.get(name)
        if run_value is not None and reference_value is not None:
            member_path = _join_path(path, run_value)
            yield from _compare_values(run_value, reference_value, member_path, pairing)
        elif run_value is not None and run_value.is_filled:
            # One more argument makes another call; one more field of an argument does not.
            is_exact = not path and run_value.exact > 0
            yield Change(_join_path(path, run_value), run_value.data, _ABSENT, is_exact)
        elif reference_value is not None and reference_value.is_filled:
            yield Change(_join_path(path, reference_value), _ABSENT, reference_value.data)


def _compare_lists(a: Value, b: Value, path: str, pairing: Cheapest | None) -> Iterator[Change]:
    if a.identity == b.identity:
        return
    members = pair_members(a, b, pairing)
    member_path = f"{path}[]"
    for i, j in sorted(members.pairs):
        yield from _compare_values(a.items[i], b.items[j], member_path, pairing)
    for i in members.left:
        yield Change(member_path, a.items[i].data, _ABSENT, a.items[i].exact > 0)
    for j in members.right:
        yield Change(member_path, _ABSENT, b.items[j].data, b.items[j].exact > 0)
    if members.disorder:
        yield Change(path or "arguments", a.data, b.data, how=_REORDERED)


def _join_path(path: str, member: Value) -> str:
    return f"{path}.{member.key}" if path else member.key


def _distance_of_leaves(a: Value, b: Value) -> float:
    """The distance of two leaves by their values alone; two different texts are 0.5 apart."""
    if a.is_embedded and b.is_embedded:
        return 0.0 if a.text == b.text else 0.5
    return float(not is_same(a, b))


def _format_sides(run: object, reference: object, limit: int = MAX_VALUE) -> tuple[str, str]:
    """Two values as short texts, from the character at which they differ."""
    texts = [_write_value(run), _write_value(reference)]
    same = next((k for k, (x, y) in enumerate(zip(*texts, strict=False)) if x != y), 0)
    start = same - limit // 3
    if start > limit // 3:
        texts = [f"…{text[start:]}" for text in texts]
    return shown(texts[0], limit), shown(texts[1], limit)


def _format_value(value: object) -> str:
    return shown(_write_value(value), MAX_VALUE)


def _write_value(value: object) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
