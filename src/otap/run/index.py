"""The value index of a run: every value of every step, read once and handed down.

Dependencies, generated ids, grounding, conflicts, answers and findings all search the same values.
The index reads a field when it is first needed. Equal fields are read once, since the runs of a
task repeat many calls and results.
"""

import json
from collections.abc import Callable, Container, Mapping, Sequence
from datetime import date
from itertools import groupby
from typing import Any, NamedTuple, TypeVar

from pydantic import JsonValue

from otap._caching import GenerationCache, cached_property, content_key
from otap._patterns import regex
from otap.run.objects import NamedObjects, named_objects
from otap.run.scalars import (
    COMMON,
    IDENTIFIER,
    MAX_PHRASE,
    MAX_TEXT,
    PUNCTUATION,
    Path,
    cache_short,
    canonical_value,
    date_of,
    has_digit,
    identifying_parts,
    is_capitalised,
    is_date,
    is_number,
    list_nodes,
    number_of,
    specificity,
    tokens,
)
from otap.trajectory import Step, Trajectory
from otap.values.kinds import read_scalar
from otap.values.literals import find_amounts, find_identifiers

MAX_SHARED = 1 << 18  # bytes of the largest field whose values several runs share
OVERHEAD = 200  # bytes that values take at least
MAX_READ = 10_000  # characters of a text that is searched for values in any notation
_WORD = regex(r"\w+")
MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_MONTH_NUMBERS = {name[:3]: number for number, name in enumerate(MONTHS, 1)}
_MONTH = "|".join(rf"{name}|{name[:3]}\.?" for name in MONTHS)
_DAY = r"0?([1-9]\d?)(?:st|nd|rd|th)?"
# Lookaheads, since "20 May 21" names two days.
_MONTH_DAY = regex(rf"\b(?=({_MONTH})\s+(?:the\s+)?{_DAY}\b)")
_DAY_MONTH = regex(rf"\b(?={_DAY}\s+(?:of\s+)?({_MONTH})\b)")
_NUMERIC_DAY = regex(r"\b(?=0?([1-9]\d?)/0?([1-9]\d?)\b)")
_ISO_DAY = regex(r"\b\d{4}-\d\d-\d\d\b")

T = TypeVar("T")

_as_json = json.JSONEncoder(ensure_ascii=False).encode


class Leaf(NamedTuple):
    """A value in a JSON document, and its location.

    Attributes:
        value: in canonical form.
        path: its location.
        record: the path of the innermost object, inside another object or a list, that holds the
            value; empty at the top. Values of one record belong together.
        is_part: whether it is a token of a longer text.
    """

    value: str
    path: Path
    record: Path = ()
    is_part: bool = False


class Claim(NamedTuple):
    """A value with identifying parts; each part, or all its atoms, must have a source."""

    path: Path
    value: str
    parts: Sequence[tuple[str, Sequence[str]]]


class FieldValues:
    """The values in one field of a step.

    Args:
        data: any JSON value; it must not change.
        size: in bytes if equal data shares the values, else 0.
    """

    def __init__(self, data: JsonValue, size: int = 0) -> None:
        self.data, self.size = data, size
        self._contents: dict[Callable[[JsonValue], Any], Any] = {}

    def of(self, read: Callable[[JsonValue], T]) -> T:
        """Returns the result of a function of the data, which is called once."""
        content: T
        try:
            content = self._contents[read]
        except KeyError:
            content = self._contents[read] = read(self.data)
        return content

    @cached_property
    def text(self) -> str:
        """A text itself, other data as JSON; empty for null and for data nested too deeply."""
        if self.data is None:
            return ""
        if isinstance(self.data, str):
            return self.data
        try:
            return _as_json(self.data)
        except RecursionError:
            return ""

    @cached_property
    def leaves(self) -> Sequence[Leaf]:
        """The leaves, depth first and in listing order.

        Text that is itself JSON is parsed. Other text gives its tokens, and itself if it is short.
        A key that holds a digit is a leaf too, because identifiers often serve as keys.
        """
        leaves: list[Leaf] = []
        for path, record, node in list_nodes(self.data):
            key = path[-1] if path else 0
            if isinstance(key, str) and not key.isalpha() and has_digit(key):
                leaves.append(Leaf(canonical_value(key), path, record))
            if isinstance(node, str):
                phrase, *parts = _phrase_and_tokens(node)
                if phrase:
                    leaves.append(Leaf(phrase, path, record))
                leaves += [Leaf(part, path, record, is_part=True) for part in parts]
            elif isinstance(node, int | float) and not isinstance(node, bool):
                leaves.append(Leaf(canonical_value(node), path, record))
        return leaves

    @cached_property
    def values(self) -> frozenset[str]:
        """The values of the leaves."""
        return frozenset([leaf.value for leaf in self.leaves])

    def list_specific(self, values: Container[str]) -> Sequence[tuple[Leaf, float]]:
        """Returns the leaves with some values that are specific, with their specificity."""
        scored = [(leaf, specificity(leaf.value)) for leaf in self.leaves if leaf.value in values]
        return [(leaf, score) for leaf, score in scored if score > COMMON]

    @cached_property
    def paths(self) -> Mapping[str, Path]:
        """For each value the path of the first leaf that has it."""
        return {leaf.value: leaf.path for leaf in reversed(self.leaves)}

    @cached_property
    def records(self) -> Mapping[Path, set[str]]:
        """The values of each record; values at the top belong to the empty path."""
        records: dict[Path, set[str]] = {}
        for leaf in self.leaves:
            records.setdefault(leaf.record, set()).add(leaf.value)
        return records

    @cached_property
    def objects(self) -> NamedObjects:
        """The objects that a call names if these are its arguments."""
        return named_objects(self.data)

    @cached_property
    def capitalised(self) -> frozenset[str]:
        """The capitalised words that are a whole value."""
        return frozenset(
            leaf.value for leaf in self.leaves if not leaf.is_part and is_capitalised(leaf.value)
        )

    @cached_property
    def claims(self) -> Sequence[Claim]:
        """The values with identifying parts; keys and tokens of texts make no claim."""
        claims = []
        for path, _, node in list_nodes(self.data):
            if isinstance(node, dict | list):
                continue
            value = canonical_value(node)
            parts = identifying_parts(value)
            if parts:
                claims.append(Claim(path, value, parts))
        return claims

    @cached_property
    def dates(self) -> frozenset[date]:
        """The dates among the values."""
        dates = [date_of(value) for value in self.values]
        return frozenset(day for day in dates if day is not None)

    @cached_property
    def numbers(self) -> Sequence[float]:
        """The absolute values of the numbers, ordered by their last occurrence."""
        numbers = [number_of(leaf.value) for leaf in reversed(self.leaves)]
        unique = dict.fromkeys(number for number in numbers if number is not None)
        return [*reversed(unique)]

    @cached_property
    def forms(self) -> frozenset[str]:
        """The forms that values share with equal ones, of leaves and inside texts."""
        forms: set[str] = set()
        for leaf in self.leaves:
            if not leaf.is_part and len(leaf.value) <= MAX_PHRASE:
                forms.add(read_scalar(leaf.value).canonical)
        for _, _, node in list_nodes(self.data):
            if isinstance(node, str) and len(node) <= MAX_READ:
                identifiers, rest = find_identifiers(node)
                amounts = find_amounts(rest.lower())
                forms.update(literal.canonical for literal in identifiers)
                plain = [a.canonical for a in amounts if a.kind in ("date", "time", "number")]
                forms.update(read_scalar(text).canonical for text in plain)
        return frozenset(forms)

    @cached_property
    def squashed(self) -> Sequence[str]:
        """The values at each path without punctuation and blanks, and duplicates."""
        texts = [
            "".join([leaf.value for leaf in leaves])
            for _, leaves in groupby(self.leaves, key=lambda leaf: leaf.path)
        ]
        return [*dict.fromkeys(PUNCTUATION.sub("", text).casefold() for text in texts)]


class StepValues:
    """The values of one step, by field.

    Args:
        step: the step, or another one with the same content.
        fields: action, arguments, effect and state.
    """

    def __init__(self, step: Step, fields: Sequence[FieldValues]) -> None:
        self.step = step
        self.action, self.arguments, self.effect, self.state = fields
        self._contents: dict[Callable[[Step], Any], Any] = {}

    def of(self, read: Callable[[Step], T]) -> T:
        """Returns the result of a function of the step, which is called once.

        Args:
            read: depends on the four fields, the kind, the tool and the status alone.
        """
        content: T
        try:
            content = self._contents[read]
        except KeyError:
            content = self._contents[read] = read(self.step)
        return content

    @property
    def objects(self) -> NamedObjects:
        """The objects that the arguments name; without arguments those that the action names."""
        return (self.action if self.arguments.data is None else self.arguments).objects

    @cached_property
    def shows_new_value(self) -> bool:
        """Whether the effect has a specific value that the arguments lack."""
        used = self.arguments.values
        for leaf in self.effect.leaves:
            is_word = leaf.is_part and is_capitalised(leaf.value)
            if not is_word and leaf.value not in used and specificity(leaf.value) > COMMON:
                return True
        return False


# The values of fields by their bytes; of steps by kind, tool, status and fields.
_FIELDS: GenerationCache[bytes, FieldValues] = GenerationCache(
    1 << 20, lambda key: len(key) + OVERHEAD
)
_STEPS: GenerationCache[tuple[Any, ...], StepValues] = GenerationCache(
    1 << 20, lambda key: sum([values.size for values in key[3:]]) + OVERHEAD
)


def _read_field(data: JsonValue) -> FieldValues:
    """The values in some data, which equal data shares unless it is very large."""
    key = content_key(data)
    if key is None or len(key) > MAX_SHARED:
        return FieldValues(data)
    return _FIELDS.get(key) or _FIELDS.put(key, FieldValues(data, len(key)))


def _read_step(step: Step, fields: Sequence[FieldValues]) -> StepValues:
    """The values of a step, which steps of equal content share."""
    if not all(values.size for values in fields):
        return StepValues(step, fields)
    key = step.kind, step.tool, step.status, *fields
    return _STEPS.get(key) or _STEPS.put(key, StepValues(step, fields))


class ValueIndex:
    """The values of a list of steps, and the user's messages.

    Args:
        trajectory: the run.
        shared: an index of the same run before some steps were left out or renamed. Steps and
            fields that stayed the same objects are not looked up again.

    Attributes:
        steps: the values of each step, in listing order.
        task: the values in the name of the task.
        messages: the user's messages.
    """

    def __init__(self, trajectory: Trajectory, shared: "ValueIndex | None" = None) -> None:
        # By the identity of data and steps, which stays the same while they are held here.
        self._fields: dict[int, tuple[JsonValue, FieldValues]] = shared._fields if shared else {}
        self._steps: dict[int, tuple[Step, StepValues]] = shared._steps if shared else {}
        self.steps: Sequence[StepValues] = [self.read_step(step) for step in trajectory.steps]
        self.task = self.read(trajectory.task)
        self.messages = UserMessages(trajectory)

    @cached_property
    def first_shown(self) -> Mapping[str, int]:
        """For each value the index of the first step whose result showed it."""
        first_shown: dict[str, int] = {}
        for k, step in enumerate(self.steps):
            for value in step.effect.values - step.arguments.values:
                first_shown.setdefault(value, k)
        return first_shown

    @cached_property
    def sources(self) -> Sequence[frozenset[int]]:
        """For each step those whose results first show an identifier that it uses.

        No value counts that the user mentioned.
        """
        first_shown = self.first_shown
        return [
            frozenset(
                first_shown[value]
                for value in step.arguments.values & first_shown.keys()
                if specificity(value) >= IDENTIFIER and not self.messages.mention(value, k)
            )
            for k, step in enumerate(self.steps)
        ]

    def read(self, data: JsonValue) -> FieldValues:
        """Returns the values of some data; equal data shares them."""
        entry = self._fields.get(id(data))
        if entry is None:
            entry = self._fields[id(data)] = data, _read_field(data)
        return entry[1]

    def read_step(self, step: Step) -> StepValues:
        """Returns the values of a step, by field."""
        entry = self._steps.get(id(step))
        if entry is None:
            data = step.action or None, step.arguments, step.effect, step.state
            entry = self._steps[id(step)] = step, _read_step(step, [*map(self.read, data)])
        return entry[1]


class UserMessages:
    """The user's messages in one run, and which of them came before each step.

    A step records in ``metadata["said"]`` how many messages came before it. Without that record
    all messages count as earlier.

    Args:
        trajectory: its ``request`` holds the messages.

    Attributes:
        before: how many messages came before each step.
    """

    def __init__(self, trajectory: Trajectory) -> None:
        self._request = trajectory.request
        self._first_mentions: dict[str, int] = {}
        self.before: list[int] = []
        count = len(trajectory.request)
        for step in trajectory.steps:
            earlier = step.metadata.get("said")
            if not isinstance(earlier, int) or not 0 <= earlier < count:
                earlier = count
            self.before.append(earlier)

    def mention(self, value: str, step: int) -> bool:
        """Returns whether the user mentioned a value before a step, in these or similar words.

        Only whole words count, in any case. A date is mentioned in the forms that people use (20th
        of May), a code by a word that begins with it (Denver mentions DEN).

        Args:
            value: in canonical form.
            step: the index of the step.
        """
        first = self._first_mentions.get(value)
        if first is None:
            first = self._first_mentions[value] = self._find_first(value)
        return first < self.before[step]

    @cached_property
    def _texts(self) -> Sequence[str]:
        return [text.casefold() for text in self._request]

    @cached_property
    def _first_tokens(self) -> Mapping[str, int]:
        """For each token, in canonical form, the index of the first message that has it."""
        return _first_by_word([tokens(text) for text in self._texts])

    @cached_property
    def _first_words(self) -> Mapping[str, int]:
        return _first_by_word([_WORD.findall(text) for text in self._texts])

    @cached_property
    def _first_days(self) -> Mapping[str, int]:
        return _first_by_word([_list_days(text) for text in self._texts])

    def _find_first(self, value: str) -> int:
        """The index of the first message that mentions a value; their number if none does."""
        count, phrase = len(self._texts), value.casefold()
        if is_number(value):
            return self._first_tokens.get(value, count)
        if is_date(value):
            days = self._first_days
            return min(days.get(value, count), days.get(value[5:], count))
        is_code = len(value) >= 3 and value.isalpha() and value.isupper()
        first = 0
        if not is_code:
            words = _WORD.findall(phrase)
            first = max((self._first_words.get(word, count) for word in words), default=0)
        for index in range(first, count):
            if _holds_phrase(self._texts[index], phrase, is_prefix=is_code):
                return index
        return count


def _first_by_word(texts: Sequence[Sequence[str]]) -> Mapping[str, int]:
    """The index of the first text that has each word."""
    first: dict[str, int] = {}
    for index, words in enumerate(texts):
        for word in words:
            first.setdefault(word, index)
    return first


@cache_short
def _phrase_and_tokens(text: str) -> Sequence[str]:
    """The whole text as one value, empty if it is long, and then its tokens."""
    text = text[:MAX_TEXT]
    phrase = canonical_value(text)
    parts = [token for token in tokens(text) if token != phrase]
    return (phrase if len(phrase) <= MAX_PHRASE else "", *parts)


def _list_days(text: str) -> list[str]:
    """Returns the days that a lower-case text names, with their year or as 05-20.

    May 20, 20 May, 20th of May and 5/20 all name 05-20.
    """
    days: list[str] = _ISO_DAY.findall(text)
    for month, day in _MONTH_DAY.findall(text):
        days.append(f"{_MONTH_NUMBERS[month[:3]]:02}-{day:0>2}")
    for day, month in _DAY_MONTH.findall(text):
        days.append(f"{_MONTH_NUMBERS[month[:3]]:02}-{day:0>2}")
    for month, day in _NUMERIC_DAY.findall(text):
        days.append(f"{month:0>2}-{day:0>2}")
    return days


def _holds_phrase(text: str, phrase: str, *, is_prefix: bool) -> bool:
    """Whether a text has a phrase that no letter or digit extends: rs-440 does not hold rs-44.

    Args:
        text: in lower case.
        phrase: in lower case.
        is_prefix: whether a letter or digit may follow, as Denver mentions DEN.
    """
    begin = text.find(phrase)
    while begin >= 0:
        end = begin + len(phrase)
        neighbours = text[begin - 1 : begin], "" if is_prefix else text[end : end + 1]
        if not any(sign.isalnum() or sign == "_" for sign in neighbours):
            return True
        begin = text.find(phrase, begin + 1)
    return False
