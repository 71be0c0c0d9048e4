"""Structured data as it is compared: what kind each piece is, read once."""

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from heapq import nlargest
from itertools import count
from operator import attrgetter
from typing import Literal, NamedTuple

from pydantic import JsonValue
from pydantic_core import from_json

from otap._caching import Kept, cached_property
from otap.values.commands import spell_command, split_line
from otap.values.keys import last_word, says_order, says_version, spelled, spellings, unwrapped
from otap.values.kinds import Scalar, read_scalar
from otap.values.names import words_of_name
from otap.values.parameters import FLAT, SMALL
from otap.values.rules import NO_RULE, Rule, Rules

DEEPEST = 64  # levels; what lies deeper is equal or another value
# Separates the texts of a union. A text that holds it itself is taken for several: no harm is done.
JOINT = "\x1f"
_JSON = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(", ", ": "))
_EFFORT_OF_TEXT = 8  # what it takes to compare two texts, in comparisons of two other leaves
_EFFORT_OF_LIST = 24  # the same of two lists of nothing
# Kinds of values whose order in a list counts.
_IN_ORDER = {"number", "quantity", "moment", "sql", "shell", "code"}
_NEXT = count(1)  # numbers of contents

Kind = Literal["empty", "object", "list", "leaf"]


class Effort(NamedTuple):
    """How many comparisons of leaves it takes to compare a value with one like it.

    Attributes:
        cheapest: where the members of short lists are paired at the least cost.
        listed: where they are paired in order.
        texts: texts that are prose, outside of lists.
    """

    cheapest: int
    listed: int
    texts: int = 0


class Value:
    """A piece of data with its kind and, for objects and lists, its members.

    Text that holds a JSON object or list is read as such. Members are read when first asked for. A
    copy shares what was read, and may belong to another run.

    Args:
        data: any JSON value.
        depth: levels of data above it; beyond DEEPEST it is a leaf.
        rules: how the data at a path is compared; None: by no rule.
        path: where this piece stands; "" if there are no rules.
        key: the last key above it, as it was recorded.
        in_list: whether it is a member of a list.
        rows: the members of a list whose order counts, where lists beside it say so.

    Attributes:
        number_of_content: where it is known by one, no value that says otherwise has it.
        run: the effort of the run that it belongs to (``effort``); None where it stands alone.
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
        self.data = plain(data)
        self.key = key
        self._depth, self._rules, self._path, self._in_list = depth, rules, path, in_list
        self._rows = rows
        self.rule = rules.at(path) if rules else NO_RULE
        if isinstance(self.data, str) and not (in_list or self.rule.exact or self.rule.text):
            self.data = split_line(self.data)
            if isinstance(self.data, list):
                self.key = "command"  # each of its members is one, too
        if self.rule.as_set and isinstance(self.data, list):
            self.data = _as_set(self.data)
        self.run: object = None
        self.number_of_content = 0
        self.kind: Kind = "leaf" if depth > DEEPEST else _kind(self.data, self.rule)

    @cached_property
    def as_list(self) -> "Value":
        """A list as it is, anything else as a list of one."""
        if self.kind == "list":
            return self
        return Value([self.data], self._depth, self._rules, self._path, self.key)

    def settled(self) -> "Value":
        """Returns the value itself, with a number of its own and what copies of it share read."""
        self.number_of_content = next(_NEXT)
        if self.kind == "object":
            _ = self.members, self.filled
        _ = self.exact, self.prose_below, self.load
        return self

    @property
    def compared(self) -> object:
        """The rules that it is compared by: values of equal data and equal rules are the same."""
        if self._rules is None:
            return None
        return self.rule if self.kind == "leaf" else (self._rules, self._path)

    @cached_property
    def text(self) -> str:
        """One text for equal data."""
        if type(self.data) is str:
            return self.data
        return str(self.data) if type(self.data) is int else text_of(self.data)

    @cached_property
    def scalar(self) -> Scalar:
        """What a leaf is, and its canonical form; objects, lists and nothing are texts."""
        if self.data is None or isinstance(self.data, dict | list):
            return Scalar("text", self.text)
        found = read_scalar(self.data)
        if found.kind in ("prose", "text") and isinstance(self.data, str):
            command = spell_command(self.data, spelled(self.key))
            found = found if command is None else Scalar("shell", command)
        if found.kind == "number" and says_version(self.key):
            return Scalar("version", self.text)  # as a text, 3.10 is not 3.1
        return found

    @cached_property
    def canonical(self) -> str:
        """One spelling of a leaf for equal values: 1000, "1,000" and "1000.0" are the same."""
        if isinstance(self.data, dict | list) and self.rule.exact:
            return canonical_json(self.data)
        return self.scalar.canonical

    @cached_property
    def number(self) -> float:
        """The number that a leaf is, NaN for one that is none."""
        return float(self.canonical) if self.scalar.kind == "number" else math.nan

    @cached_property
    def worded(self) -> bool:
        """Whether a leaf is compared by its text vector: prose, or by its rule."""
        if self.rule.exact or self.rule.text:
            return self.rule.text
        return isinstance(self.data, str) and self.scalar.kind == "prose"

    @cached_property
    def is_graded(self) -> bool:
        """Whether it can be near to another value without being equal."""
        return self.kind != "leaf" or self.worded or self.rule.has_tolerance

    @cached_property
    def prose(self) -> bool:
        """Whether a leaf is prose whose numbers, names, negations and order of words are exact."""
        return self.worded and isinstance(self.data, str) and not self.rule.text

    @cached_property
    def is_word(self) -> bool:
        """Whether a leaf is a single word: beside prose it is prose."""
        if self.rule.exact or self.rule.text or not isinstance(self.data, str):
            return False
        return self.scalar.kind == "word"

    @cached_property
    def name(self) -> tuple[frozenset[str], bool] | None:
        """The words of a text that is a name, and whether it is a place's; None for other text."""
        named = self.prose or self.is_word
        return words_of_name(self.text, last_word(self.key)) if named else None

    @cached_property
    def members(self) -> Mapping[str, "Value"]:
        """The members of an object, by the spelling of their keys in sorted order.

        Lists of things that belong together member by member are put into one order together,
        which counts from there on.
        """
        assert isinstance(self.data, dict)
        names = spellings(self.data)
        found = {names[key]: self._below(key) for key in sorted(self.data, key=names.__getitem__)}
        for group in _parallel_lists(found):
            rows = sorted(zip(*(found[name].items for name in group), strict=True), key=_identities)
            for name, items in zip(group, zip(*rows, strict=True), strict=True):
                found[name] = found[name].with_rows(items)
        return found

    @cached_property
    def items(self) -> Sequence["Value"]:
        """The members of a list."""
        assert isinstance(self.data, list)
        if self._rows is not None:
            return self._rows
        return [self._member(one, self._path, self.key, in_list=True) for one in self.data]

    def with_rows(self, rows: Sequence["Value"]) -> "Value":
        """Returns a list with its members in an order that counts."""
        where = self._depth, self._rules, self._path, self.key, self._in_list
        return Value(self.data, *where, rows=rows)

    def _below(self, key: str) -> "Value":
        assert isinstance(self.data, dict)
        path = "" if self._rules is None else below(self._path, key)
        return self._member(self.data[key], path, key)

    def _member(self, data: JsonValue, path: str, key: str, in_list: bool = False) -> "Value":
        """A member; leaves without a rule are the same object wherever they say the same."""
        where = self._depth + 1, self._rules, path, key, in_list
        if self._rules is not None or self._depth >= DEEPEST or not isinstance(data, str | int):
            return Value(data, *where)  # of floats, 0.0 and -0.0 are equal and not the same
        kept = type(data), data, key
        found = _LEAVES.get(kept)
        if found is None:
            found = Value(data, *where)
            if found.kind == "leaf":
                _LEAVES.put(kept, found)
        return found

    @cached_property
    def identity(self) -> str:
        """One text, of bounded length where data is nested, for values that are 0 apart."""
        if self.kind == "leaf":
            return f"~{self.text}" if self.worded else f"={self.canonical}"
        if self.kind == "object":
            return _digest_parts([(k, v.identity) for k, v in self.members.items() if v.is_filled])
        if self.kind == "list":
            members = _identities(self.items)
            return _digest_parts(sorted(members) if self.has_no_order else members)
        return ""

    @cached_property
    def has_no_order(self) -> bool:
        """Whether the order of a list's members says nothing: things and objects, by no rule."""
        if self.rule.as_set or self.rule.ordered:
            return self.rule.as_set
        if self._in_list or self._rows is not None or says_order(self.key):
            return False
        return {one.kind for one in self.items} <= {"object"} or all(map(_is_thing, self.items))

    @cached_property
    def as_things(self) -> frozenset[tuple[str, int]]:
        """The members of a list that are equal or not, each with its number among its equals.

        Empty where order counts, or where a tolerance may make different ones equal.
        """
        if not self.has_no_order or any(map(attrgetter("is_graded"), self.items)):
            return frozenset()
        return self.counted

    @property
    def counted(self) -> frozenset[tuple[str, int]]:
        """The members of a list, each with its number among its equals."""
        return frozenset(_numbered(_identities(self.items)))

    @cached_property
    def is_number(self) -> bool:
        """Whether a leaf is a number."""
        return not math.isnan(self.number)

    @property
    def _list_members(self) -> Iterable["Value"]:
        """The members of an object or a list; a leaf and nothing have none."""
        if self.kind == "object":
            return self.members.values()
        return self.items if self.kind == "list" else ()

    @cached_property
    def exact(self) -> int:
        """How many values in it are equal or different, and nothing between."""
        if self.kind == "leaf":
            return int(not self.worded)
        return sum(member.exact for member in self._list_members)

    @cached_property
    def prose_below(self) -> Sequence[str]:
        """The different texts at or below it that are compared by their text vectors."""
        members = (self,) if self.kind == "leaf" else self._list_members
        return tuple(dict.fromkeys(text for member in members for text in _prose_of(member)))

    @cached_property
    def levels(self) -> int:
        """How many levels of objects and lists it has."""
        if self.kind not in ("object", "list"):
            return 0
        return 1 + max(member.levels for member in self._list_members)

    @cached_property
    def effort(self) -> Effort:
        """What it takes to compare it with one like it."""
        if self.kind in ("leaf", "empty"):
            cost = _EFFORT_OF_TEXT if self.kind == "leaf" and self.worded else 1
            return Effort(cost, cost)
        members = [member.effort for member in self._list_members]
        cheapest, listed, _ = _sum_of(members)
        if self.kind == "object":
            return Effort(cheapest, listed)
        if any(map(attrgetter("is_graded"), self.items)) and self.levels <= FLAT + 1:
            rest = nlargest(SMALL, (one.cheapest for one in members))
            cheapest += len(rest) * sum(rest)
        return Effort(cheapest + _EFFORT_OF_LIST, listed + _EFFORT_OF_LIST)

    @cached_property
    def load(self) -> Effort:
        """What it takes to compare its lists with those of one like it, and its prose outside."""
        if self.kind == "object":
            return _sum_of([member.load for member in self.members.values()])
        if self.kind == "list":
            return self.effort
        return Effort(0, 0, int(self.kind == "leaf" and self.prose))

    @cached_property
    def rank(self) -> tuple[bool, float, str]:
        """Its place where order says nothing: numbers by size, then all else."""
        if self.kind == "leaf" and self.is_number:
            return False, self.number, self.identity
        return True, 0.0, self.identity

    @cached_property
    def is_filled(self) -> bool:
        """Whether a key with this value costs something where the other object lacks the key.

        An explicit false does not: it is what most options are by default.
        """
        return self.data is not False and not _is_empty(self.data)

    @cached_property
    def filled(self) -> float:
        """The number of members of an object that are filled."""
        return float(sum(map(attrgetter("is_filled"), self.members.values())))


# By characters, and what an entry takes besides.
_LEAVES: Kept[tuple[type, str | int, str], Value] = Kept(
    1 << 23, lambda kept: len(kept[1]) + 800 if isinstance(kept[1], str) else 800
)


def read_arguments(arguments: JsonValue, rules: Rules | None = None) -> Value:
    """Returns the arguments of a call as they are compared: without a key that only wraps them.

    Args:
        arguments: as they were recorded.
        rules: how the arguments of the tool are compared; None: by no rule.
    """
    data, key = unwrapped(plain(arguments))
    return Value(data, rules=rules, path=key)


def below(path: str, key: str) -> str:
    """Returns the path of an object's member: the object's own path, a dot, and the key."""
    return f"{path}.{key}" if path else key


def plain(data: JsonValue) -> JsonValue:
    """Returns the JSON object or list that a text holds, or the text without spaces at its ends."""
    if not isinstance(data, str):
        return data
    text = data.strip()
    if text[:1] not in ("{", "["):
        return text
    try:
        value: JsonValue = from_json(data, allow_inf_nan=False)
    except ValueError:
        return text
    return value


def text_of(data: JsonValue) -> str:
    """Returns the text by which data is compared: JSON with sorted keys; None is empty.

    Text that is itself a JSON object or list is treated as that; other text loses the spaces at
    its ends.
    """
    data = plain(data)
    if data is None or isinstance(data, str):
        return data or ""
    return _JSON.encode(data)


def canonical_json(data: JsonValue) -> str:
    """One spelling of data for equal values, whatever the order of keys and the spelling."""
    data = plain(data)
    if isinstance(data, dict):
        return json.dumps({key: canonical_json(data[key]) for key in sorted(data)})
    if isinstance(data, list):
        return json.dumps([canonical_json(member) for member in data])
    return Value(data).canonical


def _numbered(texts: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yields texts, each with its number among its equals."""
    times: Counter[str] = Counter()
    for text in texts:
        times[text] += 1
        yield text, times[text]


def _sum_of(efforts: Sequence[Effort]) -> Effort:
    return Effort(*map(sum, zip(*efforts, strict=True))) if efforts else Effort(0, 0)


def _prose_of(member: Value) -> Iterable[str]:
    """The texts at or below a member; of a leaf they are not kept, there may be very many."""
    if member.kind == "leaf":
        return (member.text,) if member.worded else ()
    return member.prose_below


def _digest_parts(parts: object) -> str:
    return blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _identities(values: Iterable[Value]) -> list[str]:
    return [one.identity for one in values]


def _is_thing(value: Value) -> bool:
    """Whether a member is a name, or an exact value that is no number, time, code or option."""
    if value.kind != "leaf" or value.worded:
        return value.name is not None
    if isinstance(value.data, str) and value.data.isdigit():
        return True  # digits given as text are a name
    return value.scalar.kind not in _IN_ORDER and not value.text.startswith("-")


def _parallel_lists(members: Mapping[str, Value]) -> list[list[str]]:
    """The lists whose members belong together: of one length and name, as new_ids beside ids.

    Or things beside what has an order, both in the plural: payees beside amounts.
    """
    lists = {name: v for name, v in members.items() if v.kind == "list" and len(v.items) > 1}
    things = [name for name in lists if _lists_things(lists[name])]
    if not things:
        return []
    beside = [name for name in lists if _lists_in_order(lists[name])]
    lengths = {len(lists[name].items) for name in beside}
    found: dict[tuple[str, int], list[str]] = {}
    for name in (*things, *beside):  # things first: by them the rows are put in order
        size, word = len(lists[name].items), last_word(lists[name].key)
        found.setdefault(("" if word.endswith("s") and size in lengths else word, size), []).append(
            name
        )
    return [group for group in found.values() if len(group) > 1 and group[0] in things]


def _lists_things(value: Value) -> bool:
    return value.has_no_order and not value.rule.as_set and value.items[0].kind == "leaf"


def _lists_in_order(value: Value) -> bool:
    """Whether it lists amounts, dates or texts, one for each thing of another list."""
    if value.has_no_order or value.rule.ordered or says_order(value.key):
        return False
    return last_word(value.key).endswith("s") and {one.kind for one in value.items} == {"leaf"}


def _as_set(members: Sequence[JsonValue]) -> list[JsonValue]:
    """Each different member once, in an order that does not depend on how they are listed."""
    found: dict[str, JsonValue] = {}
    for member in members:
        found.setdefault(canonical_json(member), member)
    return [found[text] for text in sorted(found)]


def _kind(data: JsonValue, rule: Rule) -> Kind:
    if _is_empty(data):
        return "empty"
    as_set = rule.as_set and isinstance(data, list)
    if (rule.exact or rule.text) and not as_set:
        return "leaf"
    if isinstance(data, dict):
        return "object"
    return "list" if isinstance(data, list) else "leaf"


def _is_empty(data: JsonValue) -> bool:
    return _says_nothing(data) or (
        isinstance(data, dict) and all(map(_says_nothing, data.values()))
    )


def _says_nothing(data: JsonValue) -> bool:
    if isinstance(data, str):
        return not data.strip()
    return not data and (data is None or isinstance(data, dict | list))
