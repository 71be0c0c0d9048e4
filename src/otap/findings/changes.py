"""The arguments of a call whose values differ from the counterpart's, by the rule of costs."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal, cast

from pydantic import JsonValue

from otap.errors import shown
from otap.findings.finding import MAX_VALUE
from otap.run.generated_ids import Renaming
from otap.transport import assignment
from otap.values.code import compare_lines
from otap.values.distance import (
    ANOTHER_NAME,
    PairDistance,
    are_prose,
    is_renamed_code,
    is_same,
    judge_values,
)
from otap.values.keys import is_body_path, is_content_key, is_defaulted_key, is_written_path
from otap.values.lists import Cheapest, pair_members
from otap.values.normalization import (
    find_false_blanks,
    find_invisible,
    fold_lookalikes,
    mixes_scripts,
)
from otap.values.sentences import Wording
from otap.values.value import Value
from otap.values.wording import has_exact_part

_ABSENT = object()
LINES_SHOWN = 400  # characters of the difference between two values
TEXT_SHOWN = 80  # characters of a text that differs from another
_REORDERED = "in another order"
_FREE_TEXT = "by the settings any text passes here, with any numbers"
_LOOKS_THE_SAME = "letters of another script that look the same"
_PROGRAMS = ("code", "shell", "sql", "indented", "path", "email", "url", "identifier")
_MAX_LEAVES = 20_000  # leaves of one call in which hidden characters are looked for
Severity = Literal["critical", "major", "minor"]


@dataclass(frozen=True)
class Change:
    """One argument whose value differs, by its path of keys.

    Attributes:
        path: its keys, joined by dots; a member of a list by [].
        run: the run's value.
        reference: the reference's value.
        severity: how bad it is in a call that writes. critical: another value; major: a nested key
            that only one side has, a statement that only one side makes, another order; minor:
            other words, or an explicit false.
        is_disclosed: whether it matters only in a call that writes: other words, a default.
        how: the difference, if both values alone do not show it.
        here: the value that the run was given for the reference's, if it has no name of its own.
        allowed: the values that a plan allows there, in words.
    """

    path: str
    run: object
    reference: object
    severity: Severity = "major"
    is_disclosed: bool = False
    how: str | Wording = ""
    here: object = _ABSENT
    allowed: str = ""

    @property
    def is_added(self) -> bool:
        """Whether the reference has no value there."""
        return self.reference is _ABSENT

    @property
    def is_reworded(self) -> bool:
        """Whether both texts say the same in other words."""
        return isinstance(self.how, Wording) and (self.how.severity, self.how.kind) == (
            "minor",
            "reworded",
        )

    @property
    def dropped(self) -> str:
        """The statement or the words of a text that the run leaves out; empty if there are none."""
        how = self.how
        if not isinstance(how, Wording) or not how.kind.startswith("only") or how.run:
            return ""
        return how.reference

    @property
    def name(self) -> str:
        """The path, short."""
        return shown(self.path, 40)

    def __str__(self) -> str:
        if self.allowed:
            words = "is left out" if self.run is _ABSENT else f"is {_format_value(self.run)}"
            if self.allowed == "nothing":
                return f"{self.name} {words}, which the plan does not name"
            return f"{self.name} {words}, allowed: {self.allowed}"
        if isinstance(self.how, Wording):
            return f"{self.name} {self._describe_wording(self.how)}"
        if self.how and self.how != _REORDERED:
            return f"{self.name} {shown(self.how, LINES_SHOWN)}"
        if self.reference is _ABSENT:
            return f"{self.name} is {_format_value(self.run)}, which the reference lacks"
        if self.run is _ABSENT:
            lacking = "lacks" if self.path.endswith("[]") else "is left out, in the reference"
            return f"{self.name} {lacking} {_format_value(self.reference)}"
        run, reference = _format_sides(self.run, self.reference)
        if self.here is not _ABSENT:
            reference = f"{_format_value(self.here)} (in the reference {reference or 'nothing'})"
        order = f"{self.how}: " if self.how else ""
        return f"{self.name} is {order}{run or 'empty'} instead of {reference or 'nothing'}"

    def _describe_wording(self, wording: Wording) -> str:
        contradiction = wording.contradiction
        if contradiction is not None and contradiction.kind == ANOTHER_NAME:
            return "is {} instead of {}".format(*_format_sides(self.run, self.reference))
        if contradiction is not None and contradiction.kind != "negated":
            return shown(str(contradiction), LINES_SHOWN)
        if wording.kind.startswith("only") and bool(wording.run) != bool(wording.reference):
            kind = wording.kind.removeprefix("only ")
            if wording.run:
                return (
                    f'has the {kind} "{shown(wording.run, TEXT_SHOWN)}", which the reference lacks'
                )
            return f'lacks the {kind} "{shown(wording.reference, TEXT_SHOWN)}" of the reference'
        sides = self.run, self.reference
        if wording.run and wording.reference:
            sides = _mark_cuts(wording.run, self.run), _mark_cuts(wording.reference, self.reference)
        run, reference = _format_sides(*sides, TEXT_SHOWN)
        verb = _VERBS.get(wording.kind, "says")
        return f'{verb} "{run}", the reference says "{reference}"'

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
        if isinstance(how, Wording):
            how = how._replace(run=str(back.rename_data(how.run, key)))
            if how.contradiction is not None:
                run_part = str(back.rename_data(how.contradiction.run, key))
                how = how._replace(contradiction=how.contradiction._replace(run=run_part))
        run, here = (
            value if value is _ABSENT else back.rename_data(cast(JsonValue, value), key)
            for value in (self.run, self.reference)
        )
        return replace(self, run=run, how=how, here=_ABSENT if here == self.reference else here)


_VERBS = {
    "reworded": "is worded differently:",
    "label": "differs:",
    "only words": "differs:",
    "replaced": "says something else:",
    "translated": "is in another language, so its meaning was not judged:",
    "unjudged": "is in a language without word lists, so its meaning was not judged:",
}


def find_changes(run: Value, reference: Value, *, cheapest: bool = True) -> list[Change]:
    """Returns the arguments that differ, by path, in anything but notation.

    Args:
        run: the arguments of the run's call.
        reference: those of its counterpart.
        cheapest: whether the unequal members of two short lists are paired at the least cost, or
            else in their order.
    """
    pairing = PairDistance(_distance_of_leaves, assignment).cheapest if cheapest else None
    changes = list(_compare_values(run, reference, "", pairing))
    paths = {change.path for change in changes if change.severity == "critical"}
    hidden = [change for change in _find_hidden(run, reference) if change.path not in paths]
    return [*hidden, *changes]


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
        wording = judge_values(a, b)
        if wording:
            is_disclosed = not wording.is_critical
            yield Change(path, a.data, b.data, wording.severity, is_disclosed, how=wording)
    elif a.is_embedded and b.is_embedded:
        if a.text != b.text:
            run, reference = _format_sides(a.data, b.data, TEXT_SHOWN)
            how = f'says "{run}", the reference says "{reference}"; {_FREE_TEXT}'
            yield Change(path, a.data, b.data, "minor", is_disclosed=True, how=how)
    elif "empty" in (a.kind, b.kind):
        if a.kind != b.kind:
            yield from _compare_with_nothing(a, b, path)
    elif is_renamed_code(a, b) and not is_same(a, b):
        how = "has other names of variables"
        yield Change(path, a.data, b.data, "minor", is_disclosed=True, how=how)
    elif a.kind != b.kind or not is_same(a, b):
        are_names = bool((a.exact or a.name) and (b.exact or b.name))
        is_exact = (a.kind == b.kind and are_names) or bool(a.exact and b.exact)
        how = _show_lines(a, b) if is_exact else ""
        yield Change(path, a.data, b.data, "critical" if is_exact else "major", how=how)


def _compare_with_nothing(a: Value, b: Value, path: str) -> Iterator[Change]:
    """The change between a value and null, an empty text or an empty list."""
    value = a if b.kind == "empty" else b
    if value.is_filled:
        yield Change(path, a.data, b.data, _rate_one_sided(value))
    else:
        yield Change(path, a.data, b.data, "minor", is_disclosed=True)


def _rate_one_sided(value: Value) -> Severity:
    """How bad it is that only one side has a value, or a member of a list."""
    if value.exact or (value.kind == "leaf" and has_exact_part(value.text)):
        return "critical"
    return "major"


def _show_lines(a: Value, b: Value) -> str:
    """The lines in which two programs differ, or that two texts look the same."""
    if fold_lookalikes(a.text) == fold_lookalikes(b.text):
        signs = " ".join(
            f"U+{ord(sign):04X}" for sign in dict.fromkeys(a.text) if sign not in b.text
        )
        return f"is {a.text} with {_LOOKS_THE_SAME} ({signs}) instead of {b.text}" if signs else ""
    if "code" not in (a.scalar.kind, b.scalar.kind) or "\n" not in a.text + b.text:
        return ""
    return f"has other lines: {compare_lines(a.text, b.text)}"


def _compare_objects(a: Value, b: Value, path: str, pairing: Cheapest | None) -> Iterator[Change]:
    left, right = (value.members if value.kind == "object" else {} for value in (a, b))
    moved = {left[name].identity for name in left.keys() - right.keys()}
    moved &= {right[name].identity for name in right.keys() - left.keys()}
    # A table of counts is a list: one row more or less is another table.
    is_table = all(value.is_number for value in (*left.values(), *right.values()))
    for name in sorted({*left, *right}):
        run_value, reference_value = left.get(name), right.get(name)
        if run_value is not None and reference_value is not None:
            member_path = _join_path(path, run_value)
            yield from _compare_values(run_value, reference_value, member_path, pairing)
            continue
        value = run_value or reference_value
        assert value is not None
        severity: Severity = "minor"
        if value.is_filled and not value.is_default:
            # One more argument makes another call, as does one more field of content. One more
            # field of another argument does not.
            is_content = is_table or is_body_path(path) or is_written_path(path)
            is_field = bool(path and left and right) and not is_content
            has_default = run_value is None and is_defaulted_key(value.key)
            severity = "major" if is_field or has_default else _rate_one_sided(value)
            if run_value is None and is_content_key(value.key):
                severity = "critical"  # a mail or a file without its content
            if value.exact and value.identity in moved:
                severity = "critical"  # debit for credit
        run, reference = (
            _ABSENT if side is None else side.data for side in (run_value, reference_value)
        )
        is_disclosed = value.is_default
        yield Change(_join_path(path, value), run, reference, severity, is_disclosed)


def _compare_lists(a: Value, b: Value, path: str, pairing: Cheapest | None) -> Iterator[Change]:
    if a.identity == b.identity:
        if not a.is_set and [item.identity for item in a.items] != [
            item.identity for item in b.items
        ]:
            yield Change(path, a.data, b.data, "minor", is_disclosed=True, how=_REORDERED)
        return
    members = pair_members(a, b, pairing)
    member_path = f"{path}[]"
    for i, j in sorted(members.pairs):
        yield from _compare_values(a.items[i], b.items[j], member_path, pairing)
    for i in members.left:
        severity = _rate_one_sided(a.items[i])
        yield Change(member_path, a.items[i].data, _ABSENT, severity)
    for j in members.right:
        severity = _rate_one_sided(b.items[j])
        yield Change(member_path, _ABSENT, b.items[j].data, severity)
    if members.disorder:
        are_numbers = all(item.kind == "leaf" and item.is_number for item in (*a.items, *b.items))
        # Numbers count by their position: swapped coordinates are another place.
        severity = "critical" if are_numbers else "major"
        yield Change(path or "arguments", a.data, b.data, severity, how=_REORDERED)


def _find_hidden(run: Value, reference: Value) -> Iterator[Change]:
    """The texts of the run with invisible characters, or with letters of two scripts in a word.

    The reference's own do not count.
    """
    if run.text.isascii() or run.text == reference.text:
        return
    recorded = reference.text
    for path, leaf in islice(_list_leaves(run, ""), _MAX_LEAVES):
        text = leaf.text
        signs, is_mixed = find_invisible(text), mixes_scripts(text)
        signs += find_false_blanks(text, everywhere=leaf.scalar.kind in _PROGRAMS)
        if not (signs or is_mixed) or text in recorded:
            continue
        signs = [sign for sign in signs if sign not in recorded]
        severity: Severity = "major" if leaf.is_prose and not leaf.name else "critical"
        if signs:
            codes = ", ".join(f"U+{ord(sign):04X}" for sign in signs)
            how = f"has invisible characters ({codes}), which the reference lacks: {text!a}"
            yield Change(path, text, _ABSENT, severity, how=how)
        elif is_mixed:
            how = f"mixes {_LOOKS_THE_SAME}: {text!a}"
            yield Change(path, text, _ABSENT, severity, how=how)


def _list_leaves(value: Value, path: str) -> Iterator[tuple[str, Value]]:
    if value.kind == "object":
        for member in value.members.values():
            yield from _list_leaves(member, _join_path(path, member))
    elif value.kind == "list":
        for member in value.items:
            yield from _list_leaves(member, f"{path}[]")
    elif value.kind == "leaf":
        yield path or "arguments", value


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


def _mark_cuts(part: str, text: object) -> str:
    """A part of a text, with an ellipsis on each side where the text goes on."""
    start = text.find(part) if isinstance(text, str) else -1
    if start < 0 or not isinstance(text, str):
        return part
    lead = "… " if text[:start].strip() else ""
    return f"{lead}{part}{' …' if text[start + len(part) :].strip() else ''}"


def _format_value(value: object) -> str:
    return shown(_write_value(value), MAX_VALUE)


def _write_value(value: object) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
