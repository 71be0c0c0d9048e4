"""Reads JSON data for comparison: the kind of each value, its canonical form, its members."""

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from heapq import nlargest
from itertools import count
from typing import Any, Literal, NamedTuple

from pydantic import JsonValue
from pydantic_core import from_json

from otap._caching import GenerationCache, cached_property
from otap._patterns import regex
from otap.values.code import is_patch
from otap.values.codes import parse_code as parse_code_of_key
from otap.values.commands import canonical_command, split_line, split_message
from otap.values.identifiers import drop_anchors, parse_by_key
from otap.values.keys import (
    canonical_key,
    canonical_keys,
    is_edit_key,
    is_ordered_key,
    is_phone_key,
    is_rows_key,
    is_secret_key,
    is_set_key,
    is_version_key,
    last_word,
    unwrap_arguments,
)
from otap.values.kinds import Scalar, read_scalar
from otap.values.literals import dial, parse_hours, parse_span
from otap.values.moments import parse_epoch
from otap.values.names import words_of_name
from otap.values.normalization import normalize
from otap.values.numbers import numbered_words
from otap.values.rules import NO_RULE, Rule, Rules
from otap.values.units import amount_of_key, key_holds, unit_of_key

# Lists with up to this many unpaired members are paired at the least cost, in data of up to this
# many levels. Deeper data would be compared too often.
MAX_PAIRED, MAX_PAIRED_LEVELS = 8, 2

MAX_CACHED_LEAF = 200  # characters of a text whose canonical form is remembered
MAX_DEPTH = 64  # levels of data; deeper data is a leaf, equal or different
# Separates the texts of merged steps. A text that contains it counts as several, without harm.
JOINT = "\x1f"
_JSON = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(", ", ": "))
# A text counts once more for each further 400 bytes, of its first characters.
SHORT_TEXT, MAX_WEIGHED = 400, 20_000
_TEXT_WORKLOAD = 8  # of comparing two short texts, in comparisons of other leaves
_LIST_WORKLOAD = 24  # of comparing two empty lists
# Kinds of values with a meaningful order in a list.
_ORDERED_KINDS = {"number", "quantity", "moment", "range", "sql", "shell", "code"}
_PROGRAMS = ("sql", "shell", "code", "url", "path")
_CONTENT_IDS = count(1)
_PHONE = regex(r"\+?[\d ()./-]{7,30}\Z")
_BETWEEN_ADDRESSES = regex(r"[,;]")

Kind = Literal["empty", "object", "list", "leaf"]


class Workload(NamedTuple):
    """The number of comparisons of leaves between a value and a similar one.

    Attributes:
        cheapest: if the members of short lists are paired at the least cost.
        in_order: if they are paired in order.
        texts: texts of prose outside of lists; a long one counts as several.
    """

    cheapest: int
    in_order: int
    texts: int = 0


class Value:
    """JSON data with its kind and, for objects and lists, its members.

    A text with a JSON object or list is parsed. Members are read on first use. A copy shares this
    work and may belong to another run.

    Args:
        data: any JSON value.
        depth: the levels of data above; beyond MAX_DEPTH the data is a leaf.
        rules: the rules for data at a path; None: no rules.
        path: the path of the data; "" without rules.
        key: the last recorded key above the data.
        in_list: whether the data is a member of a list.
        rows: the members of a list in an order that counts because of parallel lists.

    Attributes:
        content_id: a number that only values with the same content share; 0 without a number.
        run_workload: the workload of the run (``budget``); None for a value without a run.
    """

    def __init__(
        self,
        data: JsonValue,
        depth: int = 0,
        rules: Rules | None = None,
        path: str = "",
        key: str = "",
        in_list: bool = False,
        rows: Sequence["Value"] | None = None,
    ) -> None:
        is_secret = isinstance(data, str) and (is_secret_key(key) or _is_indented(data, key))
        self.data = data if is_secret else plain(data)
        if self.data == "null" and key and not (is_secret or in_list):
            self.data = None
        self.key = key
        self._depth, self._rules, self._path, self._in_list = depth, rules, path, in_list
        self._rows = rows
        self.rule = rules.at(path) if rules else NO_RULE
        can_be_line = not (is_secret or in_list or self.rule.exact or self.rule.text)
        if isinstance(self.data, str) and can_be_line and not is_patch(self.data):
            self.data = split_line(self.data)
            if isinstance(self.data, list):
                self.key = "command"  # the key of each member, too
        if isinstance(self.data, str) and (can_be_line or (in_list and key == "command")):
            self.data = split_message(self.data)
        if self.rule.as_set and isinstance(self.data, list):
            self.data = _as_set(self.data)
        self.run_workload: Any = None
        self.content_id = 0
        self.kind: Kind = "leaf" if depth > MAX_DEPTH else _kind_of(self.data, self.rule)

    @cached_property
    def as_list(self) -> "Value":
        """The list itself; other values as a list of one member."""
        if self.kind == "list":
            return self
        return Value([self.data], self._depth, self._rules, self._path, self.key)

    def with_content_id(self) -> "Value":
        """Returns the value itself, with a new content id and with the work that copies share."""
        self.content_id = next(_CONTENT_IDS)
        if self.kind == "object":
            _ = self.members, self.filled_count
        _ = self.exact, self.exact_keys, self.embedded_texts, self.list_workload
        return self

    @property
    def rule_key(self) -> object:
        """The rules for this value: values with equal data and an equal rule key are equal."""
        if self._rules is None:
            return None
        return self.rule if self.kind == "leaf" else (self._rules, self._path)

    @cached_property
    def text(self) -> str:
        """The text of the data; equal data has equal texts."""
        if type(self.data) is str:
            return self.data
        return str(self.data) if type(self.data) is int else text_of(self.data)

    @cached_property
    def scalar(self) -> Scalar:
        """The kind and the canonical form of a leaf; objects, lists and null are texts."""
        if self.data is None or isinstance(self.data, dict | list):
            return Scalar("text", self.text)
        if is_secret_key(self.key) and not isinstance(self.data, bool):
            return Scalar("secret", self.text)  # each character counts
        if isinstance(self.data, str) and _is_indented(self.data, self.key):
            return Scalar("indented", self.data.rstrip())
        scalar = read_scalar(self.data)
        if not self.rule.has_tolerance:
            scalar = _read_by_key(self.data, self.text, self.key, scalar) or scalar
        if scalar.kind == "formula" and self._in_list:
            return Scalar("formula", drop_anchors(scalar.canonical))  # of one cell, not of many
        # A shell would run the lines of a patch.
        may_be_command = scalar.kind in ("prose", "text") or is_patch(self.text)
        if may_be_command and isinstance(self.data, str):
            command = canonical_command(self.data, canonical_key(self.key))
            scalar = scalar if command is None else Scalar("shell", command)
        if scalar.kind == "number" and is_version_key(self.key):
            return Scalar("version", self.text)  # as a text, 3.10 is not 3.1
        return scalar

    @cached_property
    def canonical(self) -> str:
        """The form of a leaf that equal values share: 1000, "1,000" and "1000.0" have one form."""
        if isinstance(self.data, dict | list) and self.rule.exact:
            return canonical_json(self.data)
        return self.scalar.canonical

    @cached_property
    def line_counts(self) -> Counter[str]:
        """How often the canonical form of a leaf has each line."""
        return Counter(self.canonical.split("\n"))

    @cached_property
    def number(self) -> float:
        """The number in a leaf, or NaN."""
        return float(self.canonical) if self.scalar.kind == "number" else math.nan

    @property
    def key_without_unit(self) -> str:
        """The key of an amount without the unit that it names; other keys, and of a tolerance, "".

        A tolerance is one of the number as recorded.
        """
        is_plain = not (self.rule.has_tolerance or self.rule.exact or self.rule.text)
        measure = unit_of_key(self.key) if self.kind == "leaf" and is_plain else None
        # An amount in cents is a number.
        kind = "quantity" if measure and measure[1][1] else "number"
        return measure[0] if measure and self.scalar.kind == kind else ""

    @cached_property
    def is_embedded(self) -> bool:
        """Whether a leaf is compared by its text vector: as prose, or because of its rule."""
        if self.rule.exact or self.rule.text:
            return self.rule.text
        return isinstance(self.data, str) and self.scalar.kind == "prose"

    @cached_property
    def is_graded(self) -> bool:
        """Whether it can be near to another value without being equal."""
        return self.kind != "leaf" or self.is_embedded or self.rule.has_tolerance

    @cached_property
    def is_prose(self) -> bool:
        """Whether a leaf is prose with exact facts: numbers, names, negations, order of words."""
        return self.is_embedded and isinstance(self.data, str) and not self.rule.text

    @cached_property
    def is_word(self) -> bool:
        """Whether a leaf is a single word; against prose it is compared as prose."""
        if self.rule.exact or self.rule.text or not isinstance(self.data, str):
            return False
        return self.scalar.kind == "word"

    @cached_property
    def name(self) -> tuple[frozenset[str], bool] | None:
        """The words of a name, and whether it is an address; None for other texts."""
        if not self.is_prose and not self.is_word:
            return None
        return words_of_name(self.text, last_word(self.key))

    @cached_property
    def members(self) -> Mapping[str, "Value"]:
        """The members of an object by canonical key, in sorted order, without empty ones.

        Null, an empty text or list, and a missing key are the same.

        Parallel lists, such as payees and amounts, are sorted together; their order then counts.
        """
        assert isinstance(self.data, dict)
        names = canonical_keys(self.data)
        members: dict[str, Value] = {}
        used = set(names.values())
        for key in sorted(self.data, key=lambda key: names[key]):
            path = "" if self._rules is None else join_path(self._path, key)
            member = self._member(self.data[key], path, key)
            if member.kind == "empty":
                continue
            stem = canonical_key(member.key_without_unit)  # weight_g is a weight
            is_free = bool(stem) and stem not in members and stem not in used
            members[stem if is_free else names[key]] = member
        for group in _parallel_lists(members):
            rows = sorted(
                zip(*(members[name].items for name in group), strict=True), key=_identities
            )
            for name, items in zip(group, zip(*rows, strict=True), strict=True):
                members[name] = members[name].with_rows(items)
        return members

    @cached_property
    def exact_keys(self) -> frozenset[str]:
        """The keys of an object that hold an exact value, other than a default."""
        members = self.members if self.kind == "object" else {}
        return frozenset(
            key
            for key, member in members.items()
            if member.exact and member.is_filled and not member.is_default
        )

    @cached_property
    def items(self) -> Sequence["Value"]:
        """The members of a list."""
        assert isinstance(self.data, list)
        if self._rows is not None:
            return self._rows
        return [self._member(member, self._path, self.key, in_list=True) for member in self.data]

    def with_rows(self, rows: Sequence["Value"]) -> "Value":
        """Returns the list with its members in an order that counts."""
        return Value(
            self.data, self._depth, self._rules, self._path, self.key, self._in_list, rows=rows
        )

    def _member(self, data: JsonValue, path: str, key: str, in_list: bool = False) -> "Value":
        """Returns a member; equal leaves without rules are one shared object."""
        location = self._depth + 1, self._rules, path, key, in_list
        if self._rules is not None or self._depth >= MAX_DEPTH or not isinstance(data, str | int):
            return Value(data, *location)  # floats: 0.0 and -0.0 are equal but not the same
        leaf_key = type(data), data, key, in_list
        member = _LEAVES.get(leaf_key)
        if member is None:
            member = Value(data, *location)
            if member.kind == "leaf":
                _LEAVES.put(leaf_key, member)
        return member

    @cached_property
    def identity(self) -> str:
        """A text that values at distance 0 share, of bounded length for nested data."""
        if self.kind == "leaf":
            return f"~{self.text}" if self.is_embedded else f"={self.canonical}"
        if self.kind == "object":
            members = self.members.items()
            return _digest([(key, member.identity) for key, member in members if member.is_filled])
        if self.kind == "list":
            identities = _identities(self.items)
            return _digest(sorted(identities) if self.has_no_order else identities)
        return ""

    @cached_property
    def has_no_order(self) -> bool:
        """Whether the order of a list has no meaning: by rule, or a list of names or objects."""
        if self.rule.as_set or self.rule.ordered:
            return self.rule.as_set
        if self._in_list or self._rows is not None or is_ordered_key(self.key):
            return False
        if is_set_key(self.key) and all(member.kind == "leaf" for member in self.items):
            return True
        if all(member.kind == "object" for member in self.items):
            return True
        return all(_is_name_like(member) for member in self.items)

    @cached_property
    def is_set(self) -> bool:
        """Whether it is known that the order of a list says nothing: by rule, key or content."""
        if self.rule.as_set or self._rows is not None:
            return True
        if not self.has_no_order:
            return False
        # Rows of an order are a set; the songs of a program are none.
        has_rows = is_rows_key(self.key) and all(member.kind == "object" for member in self.items)
        return has_rows or is_set_key(self.key)

    @cached_property
    def unordered_members(self) -> frozenset[tuple[str, int]]:
        """The members of a list that are equal or different, numbered among their equals.

        Empty if order counts, or if a tolerance may make different members equal.
        """
        if not self.has_no_order or any(member.is_graded for member in self.items):
            return frozenset()
        return self.numbered_members

    @cached_property
    def exact_members(self) -> frozenset[str]:
        """The members of a list of exact leaves; empty for other lists."""
        is_exact = all(member.kind == "leaf" and not member.is_graded for member in self.items)
        return frozenset(_identities(self.items) if is_exact else ())

    @cached_property
    def has_program(self) -> bool:
        """Whether a member of a list of leaves is a program, which may be near to another one."""
        return any(member.scalar.kind == "code" for member in self.items)

    @property
    def numbered_members(self) -> frozenset[tuple[str, int]]:
        """The members of a list, each with its number among its equals."""
        counts: Counter[str] = Counter()
        numbered = []
        for identity in _identities(self.items):
            counts[identity] += 1
            numbered.append((identity, counts[identity]))
        return frozenset(numbered)

    @cached_property
    def is_number(self) -> bool:
        """Whether a leaf is a number."""
        return not math.isnan(self.number)

    @property
    def _children(self) -> Iterable["Value"]:
        """The members of an object or a list."""
        if self.kind == "object":
            return self.members.values()
        return self.items if self.kind == "list" else ()

    @cached_property
    def exact(self) -> int:
        """The number of leaves that are equal or different, without grades between."""
        if self.kind == "leaf":
            return int(not self.is_embedded)
        return sum(member.exact for member in self._children)

    @cached_property
    def embedded_texts(self) -> Sequence[str]:
        """The distinct texts in this value that are compared by their text vectors."""
        if self.kind == "leaf":
            return (self.text,) if self.is_embedded else ()
        texts: dict[str, None] = {}
        for member in self._children:
            if member.kind != "leaf":
                texts.update(dict.fromkeys(member.embedded_texts))
            elif member.is_embedded:  # not stored in the leaf: there may be very many
                texts[member.text] = None
        return tuple(texts)

    @cached_property
    def levels(self) -> int:
        """The number of levels of objects and lists."""
        if self.kind not in ("object", "list"):
            return 0
        return 1 + max((member.levels for member in self._children), default=0)

    @cached_property
    def workload(self) -> Workload:
        """The comparisons between this value and a similar one."""
        if self.kind in ("leaf", "empty"):
            is_text = self.kind == "leaf" and self.is_embedded
            cost = _TEXT_WORKLOAD * self._text_weight if is_text else 1
            return Workload(cost, cost)
        members = [member.workload for member in self._children]
        cheapest, in_order, _ = _sum_of(members)
        if self.kind == "object":
            return Workload(cheapest, in_order)
        is_graded = any(member.is_graded for member in self.items)
        if is_graded and self.levels <= MAX_PAIRED_LEVELS + 1:
            largest = nlargest(MAX_PAIRED, (member.cheapest for member in members))
            cheapest += len(largest) * sum(largest)
        return Workload(cheapest + _LIST_WORKLOAD, in_order + _LIST_WORKLOAD)

    @cached_property
    def list_workload(self) -> Workload:
        """The comparisons for the lists in this value, and its prose outside of lists."""
        if self.kind == "object":
            return _sum_of([member.list_workload for member in self.members.values()])
        if self.kind == "list":
            return self.workload
        is_prose = self.kind == "leaf" and self.is_prose
        return Workload(0, 0, self._text_weight if is_prose else 0)

    @property
    def _text_weight(self) -> int:
        """The time that a comparison of this text takes, in those of a short one.

        Scripts with more bytes a character have more words a character, too.
        """
        size = len(self.text[:MAX_WEIGHED].encode("utf-8", "surrogatepass"))
        return 1 + size // SHORT_TEXT

    @cached_property
    def rank(self) -> tuple[bool, float, str]:
        """The sort key in lists without order: numbers by size, then other values."""
        if self.kind == "leaf" and self.is_number:
            return False, self.number, self.identity
        return True, 0.0, self.identity

    @cached_property
    def is_filled(self) -> bool:
        """Whether a key with this value costs something if the other object lacks the key.

        An explicit false costs nothing: it is the default of most options. Nor does an object of
        nothing else.
        """
        if self.data is False or _is_empty(self.data):
            return False
        return self.kind != "object" or self.filled_count > 0

    @property
    def is_default(self) -> bool:
        """Whether it is an explicit false or zero, the default of most options."""
        return isinstance(self.data, bool | int | float) and not self.data

    @cached_property
    def filled_count(self) -> float:
        """The number of filled members of an object."""
        return float(sum(member.is_filled for member in self.members.values()))


# Bounded by characters; each entry takes 800 bytes in addition.
_LEAVES: GenerationCache[tuple[type, str | int, str, bool], Value] = GenerationCache(
    1 << 23, lambda leaf: len(leaf[1]) + 800 if isinstance(leaf[1], str) else 800
)


def read_arguments(arguments: JsonValue, rules: Rules | None = None) -> Value:
    """Returns the arguments of a call for comparison, without a key that only wraps them.

    Args:
        arguments: the recorded arguments.
        rules: the rules for the arguments of the tool; None: no rules.
    """
    data, key = unwrap_arguments(plain(arguments))
    return Value(data, rules=rules, path=key)


def join_path(path: str, key: str) -> str:
    """Returns the path of an object's member: the path of the object, a dot, and the key."""
    return f"{path}.{key}" if path else key


def plain(data: JsonValue) -> JsonValue:
    """Returns the JSON object or list in a text, else the text without outer blanks."""
    document = parse_text(data)
    return document.strip() if isinstance(document, str) else document


def parse_text(data: JsonValue) -> JsonValue:
    """Returns the JSON object or list that a text holds; other data unchanged."""
    if not isinstance(data, str) or data[:1].isalnum() or not opens_json(data):
        return data
    try:
        document: JsonValue = from_json(data, allow_inf_nan=False)
    except ValueError:
        return data
    return document


def opens_json(text: str) -> bool:
    """Returns whether a text begins like a JSON object or list; it need not be valid JSON."""
    return text.lstrip()[:1] in ("{", "[")


def text_of(data: JsonValue) -> str:
    """Returns the text for comparing data: JSON with sorted keys; null is empty.

    A text with a JSON object or list is parsed first; other texts lose their outer blanks.
    """
    data = plain(data)
    if data is None or isinstance(data, str):
        return data or ""
    return _JSON.encode(data)


def canonical_json(data: JsonValue) -> str:
    """Returns the canonical form of data; key order and notation have no effect."""
    form = _canonical_form(data)
    return form if isinstance(form, str) else json.dumps(form)


def _canonical_form(data: JsonValue) -> JsonValue:
    """Data with sorted keys, in which each single value is its canonical form."""
    data = plain(data)
    if isinstance(data, dict):
        return {key: _canonical_form(data[key]) for key in sorted(data)}
    if isinstance(data, list):
        return [_canonical_form(member) for member in data]
    return Value(data).canonical


def canonical_leaf(data: str | int | float, key: str) -> str:
    """Returns the form that equal single values under a key share."""
    if isinstance(data, str) and len(data) > MAX_CACHED_LEAF:
        return Value(data, key=key, in_list=True).canonical
    return _canonical_leaf(data, key)


@lru_cache(maxsize=20_000, typed=True)  # 1, 1.0 and True are other values
def _canonical_leaf(data: str | int | float, key: str) -> str:
    return Value(data, key=key, in_list=True).canonical


def _sum_of(workloads: Sequence[Workload]) -> Workload:
    return Workload(
        sum(workload.cheapest for workload in workloads),
        sum(workload.in_order for workload in workloads),
        sum(workload.texts for workload in workloads),
    )


def _digest(parts: object) -> str:
    return blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _identities(values: Iterable[Value]) -> list[str]:
    return [value.identity for value in values]


def _is_name_like(value: Value) -> bool:
    """Whether a member is a name, or an exact value but no number, time, code or option."""
    if value.kind != "leaf" or value.is_embedded:
        return value.name is not None
    if isinstance(value.data, str) and value.data.isdigit():
        return True  # digits in a text are a name
    return value.scalar.kind not in _ORDERED_KINDS and not value.text.startswith("-")


def _parallel_lists(members: Mapping[str, Value]) -> list[list[str]]:
    """Returns the names of lists that correspond member by member.

    They have one length and one last word (new_ids, ids). Or one has names, the other has values
    with an order, and both keys are plurals (payees, amounts).
    """
    lists = {
        name: value
        for name, value in members.items()
        if value.kind == "list" and len(value.items) > 1
    }
    name_lists = [name for name in lists if _lists_names(lists[name])]
    if not name_lists:
        return []
    value_lists = [name for name in lists if _lists_ordered_values(lists[name])]
    lengths = {len(lists[name].items) for name in value_lists}
    groups: dict[tuple[str, int], list[str]] = {}
    for name in (*name_lists, *value_lists):  # names come first: rows are sorted by them
        length, word = len(lists[name].items), last_word(lists[name].key)
        shared_word = "" if word.endswith("s") and length in lengths else word
        groups.setdefault((shared_word, length), []).append(name)
    return [group for group in groups.values() if len(group) > 1 and group[0] in name_lists]


def _lists_names(value: Value) -> bool:
    return value.has_no_order and not value.rule.as_set and value.items[0].kind == "leaf"


def _lists_ordered_values(value: Value) -> bool:
    """Whether a list has amounts, dates or texts, one for each name in another list."""
    if value.has_no_order or value.rule.ordered or is_ordered_key(value.key):
        return False
    if not last_word(value.key).endswith("s"):
        return False
    return all(member.kind == "leaf" for member in value.items)


def _read_by_key(data: JsonValue, text: str, key: str, scalar: Scalar) -> Scalar | None:
    """Reads what only the key shows: an identifier, the unit of a number, a telephone number.

    Args:
        data: a leaf.
        text: the leaf as a text.
        key: its key.
        scalar: the leaf as read without its key.
    """
    if isinstance(data, bool):
        return None
    identifier = parse_by_key(text, key)
    if identifier:
        return Scalar(*identifier)
    point = (
        parse_epoch(scalar.canonical)
        if scalar.kind == "number" and key_holds(key, "moment")
        else None
    )
    if point:
        return Scalar("moment", point)
    if scalar.kind in ("number", "quantity", "moment"):
        return _read_amount_by_key(key, scalar) or _read_phone(data, key)
    if not isinstance(data, str):
        return None
    is_program = scalar.kind in _PROGRAMS and not key_holds(key, "timezone")
    canonical = None if is_program else parse_code_of_key(normalize(data), key)
    if canonical:
        return Scalar("word", canonical)
    return _read_text_by_key(data, key) or _read_phone(data, key)


def _read_text_by_key(data: str, key: str) -> Scalar | None:
    """Reads the number of channels, hours of a day, and several addresses."""
    if last_word(key) == "channels":
        count = numbered_words("channels").get(data.strip().lower())
        return Scalar("number", count) if count else None
    if key_holds(key, "span"):
        ends = parse_span(normalize(data))
        return Scalar("range", ends) if ends else None
    hours = parse_hours(normalize(data)) if key_holds(key, "clock") else None
    if hours:
        return Scalar("range", hours)
    if ("," in data or ";" in data) and "@" in data and is_set_key(key):
        parts = [part.strip() for part in _BETWEEN_ADDRESSES.split(data) if part.strip()]
        if len(parts) > 1 and all(read_scalar(part).kind == "email" for part in parts):
            return Scalar(
                "emails", ", ".join(sorted(read_scalar(part).canonical for part in parts))
            )
    return None


def _read_amount_by_key(key: str, scalar: Scalar) -> Scalar | None:
    """Reads a number whose key names the unit, and 00:01:30 as a duration under such a key."""
    canonical = amount_of_key(key, scalar.canonical)
    is_number = canonical is not None and canonical[-1:].isdigit()
    return Scalar("number" if is_number else "quantity", canonical) if canonical else None


def _read_phone(data: JsonValue, key: str) -> Scalar | None:
    if isinstance(data, str) and is_phone_key(key) and _PHONE.match(data):
        return Scalar("phone", dial(normalize(data)))
    return None


def _is_indented(text: str, key: str) -> bool:
    """Whether a text is a piece of a file, whose first blanks count."""
    return text[:1] in (" ", "\t") and is_edit_key(key) and bool(text.strip())


def _as_set(members: Sequence[JsonValue]) -> list[JsonValue]:
    """Returns each distinct member once, sorted by its canonical form."""
    by_form: dict[str, JsonValue] = {}
    for member in members:
        by_form.setdefault(canonical_json(member), member)
    return [by_form[form] for form in sorted(by_form)]


def _kind_of(data: JsonValue, rule: Rule) -> Kind:
    if _is_empty(data):
        return "empty"
    is_set = rule.as_set and isinstance(data, list)
    if (rule.exact or rule.text) and not is_set:
        return "leaf"
    if isinstance(data, dict):
        return "object"
    return "list" if isinstance(data, list) else "leaf"


def _is_empty(data: JsonValue) -> bool:
    """Whether data has no content; an object of blank values has none either."""
    return _is_blank(data) or (
        isinstance(data, dict) and all(_is_blank(member) for member in data.values())
    )


def _is_blank(data: JsonValue) -> bool:
    if isinstance(data, str):
        return not data.strip()
    return not data and (data is None or isinstance(data, dict | list))
