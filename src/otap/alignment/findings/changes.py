"""Which arguments of a call differ in value from its counterpart, by the rule of costs."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from otap.alignment.findings.labels import SHOWN
from otap.errors import shown
from otap.matrices import Pairwise, Rules, Value, called, paired, same

_ABSENT = object()


@dataclass(frozen=True)
class Change:
    """One argument, by its path of keys: what the run has and what the reference has."""

    path: str
    run: object
    reference: object
    in_other_order: bool = False

    def __str__(self) -> str:
        if self.in_other_order:
            return f"{shown(self.path, 40)} is in another order"
        if self.reference is _ABSENT:
            return f"{shown(self.path, 40)} is {_value(self.run)}, which the reference lacks"
        if self.run is _ABSENT:
            return f"{shown(self.path, 40)} is left out, in the reference {_value(self.reference)}"
        return f"{shown(self.path, 40)} is {_value(self.run)} instead of {_value(self.reference)}"


def changes(run: JsonValue, reference: JsonValue, rules: Rules | None = None) -> list[Change]:
    """Returns the arguments that differ in value, by path; rewording is no change.

    What costs nothing is no change, and what differs in an exact value is one. Texts of several
    words without digits may be reworded: their difference is for the loss to tell.

    Args:
        run: the arguments of the run's call.
        reference: those of its counterpart.
        rules: how the arguments of their tool are compared; None: by no rule.
    """
    return list(_between(called(run, rules), called(reference, rules), ""))


def _between(a: Value, b: Value, path: str) -> Iterator[Change]:
    if {a.kind, b.kind} <= {"object", "empty"}:
        yield from _of_objects(a, b, path)
    elif a.kind != b.kind:
        yield Change(path or "arguments", a.data, b.data)
    elif a.kind == "list":
        yield from _of_lists(a, b, path)
    elif a.kind == "leaf" and not _says_the_same(a, b):
        yield Change(path or "arguments", a.data, b.data)


def _of_objects(a: Value, b: Value, path: str) -> Iterator[Change]:
    left, right = (value.members if value.kind == "object" else {} for value in (a, b))
    for name in sorted({*left, *right}):
        ours, theirs = left.get(name), right.get(name)
        if ours is not None and theirs is not None:
            yield from _between(ours, theirs, _below(path, ours))
        elif ours is not None and ours.is_filled:
            yield Change(_below(path, ours), ours.data, _ABSENT)
        elif theirs is not None and theirs.is_filled:
            yield Change(_below(path, theirs), _ABSENT, theirs.data)


def _of_lists(a: Value, b: Value, path: str) -> Iterator[Change]:
    if a.identity == b.identity:
        return
    found = paired(a, b, Pairwise(_apart).distance)
    place = f"{path}[]"
    for i, j in sorted(found.pairs):
        yield from _between(a.items[i], b.items[j], place)
    for i in found.left:
        yield Change(place, a.items[i].data, _ABSENT)
    for j in found.right:
        yield Change(place, _ABSENT, b.items[j].data)
    if found.disorder:
        yield Change(path or "arguments", a.data, b.data, in_other_order=True)


def _below(path: str, member: Value) -> str:
    return f"{path}.{member.key}" if path else member.key


def _apart(a: Value, b: Value) -> float:
    """The distance of two leaves by their values alone: one text is half of another."""
    if a.worded and b.worded:
        return 0.0 if a.text == b.text else 0.5
    return float(not same(a, b))


def _says_the_same(a: Value, b: Value) -> bool:
    if a.worded and b.worded:
        return a.rule.text or a.text == b.text or not (_has_digits(a) or _has_digits(b))
    return same(a, b)


def _has_digits(value: Value) -> bool:
    return any(map(str.isdigit, value.text))


def _value(value: object) -> str:
    text = (
        value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)
    )
    return shown(text, SHOWN)
