"""The fields of a step: how each is read, and the distance of what two steps say in it.

A new field is a class and a line in the table here, a weight in the configuration and a part of
the loss in the score's record.
"""

from __future__ import annotations

import hashlib
import json
import marshal
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from functools import partial
from itertools import count, product, repeat, starmap
from operator import attrgetter, eq, itemgetter
from typing import Any, ClassVar, Generic, Literal, NamedTuple, TypeVar, cast

import numpy as np
import numpy.typing as npt
from pydantic import JsonValue

from otap._caching import cached_property
from otap.encoders import Encoder
from otap.run.tool_names import canonical_tool
from otap.trajectory import Step
from otap.transport import assignment
from otap.transport.core import pair_table
from otap.values.budget import set_run_workload
from otap.values.distance import FIRST_ONLY, SECOND_ONLY, ValueComparison, ValueDistances
from otap.values.rules import Rules
from otap.values.value import Value, read_arguments, text_of

Matrix = npt.NDArray[np.float64]
Numbered = npt.NDArray[np.intp]
Flags = npt.NDArray[np.bool_]
_Keys = Sequence[tuple[set[str], set[str]]]
T = TypeVar("T")
RulesOf = Callable[[str | None], Rules | None]
_Tool = tuple[str, bool, str | None]  # the kind of a step, whether it failed, and its tool

_KIND, _STATUS, _TOOL = map(attrgetter, ("kind", "status", "tool"))
_OTHER = 2.0**40  # a power of two changes no digit, and no distance is as small as one over it
ANOTHER_CALL = 0.4  # the least distance of arguments that differ in an exact value
MORE = 0.1  # the power of the number of such values by which what is left of 1 falls
KEPT = 150_000  # pairs of a generation, of which the native core holds two in 12 MB
MOST = 20_000  # pairs that are compared at once, up to which they are kept
_VERSION = 2  # of marshal's format: the last one in which equal data gives equal bytes
_ENTRY = 200  # what an entry takes beside the data that it was read of, in bytes


class ReadOnce(Generic[T]):
    """What was read of data, kept by what the data says and by which rules it was read.

    In data, 1, 1.0 and true are three, and the order of keys counts: what says the same in another
    order is read again, no more.

    Args:
        read: reads a piece of data by some rules.
        size: bytes of data of which it is kept; then all of it goes.
    """

    def __init__(self, read: Callable[[Any, Any], T], size: int) -> None:
        self._read, self._size, self._used = read, size, 0
        self._known: dict[tuple[bytes, object], T] = {}

    def of(self, data: Sequence[JsonValue], rules: Sequence[object]) -> list[T]:
        """Returns what each piece of data says, by the rules for it; None where there are none."""
        try:
            contents = list(map(marshal.dumps, data, repeat(_VERSION)))
        except ValueError:  # nested too deeply, or no plain JSON
            return list(map(self._read, data, rules))
        keys = list(zip(contents, rules, strict=True))
        found = list(map(self._known.get, keys))
        for place, known in enumerate(found):
            if known is None:
                found[place] = self._add(keys[place], data[place])
        return cast(list[T], found)

    def _add(self, key: tuple[bytes, object], data: JsonValue) -> T:
        self._used += len(key[0]) + _ENTRY
        if self._used > self._size:
            self._known, self._used = {}, len(key[0]) + _ENTRY
        value = self._known[key] = self._read(data, key[1])
        return value


class Numbers(dict[str, int]):
    """Numbers of texts from 1 on, equal for equal texts; what was let go gets a new one.

    Args:
        size: characters of texts that are known, and what an entry takes; then all of them go.
    """

    def __init__(self, size: int) -> None:
        super().__init__()
        self._next, self._size, self._used = count(1), size, 0

    def __missing__(self, text: str) -> int:
        """Gives a text a number."""
        self._used += len(text) + _ENTRY
        if self._used > self._size:
            self.clear()
            self._used = len(text) + _ENTRY
        number = self[text] = next(self._next)
        return number


class KnownPairs:
    """The distance of each two of some numbered things: it depends on these two alone."""

    def __init__(self) -> None:
        self._table = pair_table(KEPT)

    def among(
        self,
        rows: Sequence[int],
        columns: Sequence[int],
        things: tuple[Sequence[T], Sequence[T]],
        compare: Callable[[Sequence[T], Sequence[T]], Matrix],
    ) -> Matrix:
        """Returns the distance of each row from each column.

        Args:
            rows: the numbers of things.
            columns: those of the other side.
            things: the things themselves, of both sides.
            compare: compares some things of both sides, each with each.
        """
        if self._table is None:
            return compare(*things)
        found: Matrix
        found, missing = self._table.find(rows, columns)
        if missing:
            unknown = np.isnan(found)
            i = np.flatnonzero(unknown.any(axis=1)).tolist()
            j = np.flatnonzero(unknown.any(axis=0)).tolist()
            new = compare([*map(things[0].__getitem__, i)], [*map(things[1].__getitem__, j)])
            found[np.ix_(i, j)] = new
            self._table.put([*map(rows.__getitem__, i)], [*map(columns.__getitem__, j)], new)
        return found


_NUMBERS = Numbers(1 << 22)


class TextDistances:
    """Distances between texts: cosine distance of their vectors, clipped to [0, 1].

    Equal texts cost exactly 0; an empty text costs 1 against any other.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._known = KnownPairs()

    def prepare(self, texts: Sequence[str]) -> None:
        """Works out the vectors of texts in one go, for the encoder's cache."""
        if texts:
            self._encoder.encode(list(texts))

    def between(self, rows: Sequence[str], columns: Sequence[str]) -> Matrix:
        """Returns the distances of two lists of texts, shape (len(rows), len(columns))."""
        if not rows or not columns:
            return np.zeros((len(rows), len(columns)))
        if len(rows) * len(columns) > MOST:
            return self._compared(rows, columns)
        return self._known.among(
            list(map(_NUMBERS.__getitem__, rows)),
            list(map(_NUMBERS.__getitem__, columns)),
            (rows, columns),
            self._compared,
        )

    def distance(self, a: str, b: str) -> float:
        """Returns the distance of two texts, the same as :meth:`between` has it."""
        if a == b or not a or not b:
            return float(a != b)
        first, second = self._encoder.encode([a, b])
        cosine = float(np.einsum("id,jd->ij", first[None], second[None])[0, 0])
        return min(max(1.0 - cosine, 0.0), 1.0)

    def _compared(self, rows: Sequence[str], columns: Sequence[str]) -> Matrix:
        """The distances by the vectors; each text is looked at once."""
        left = dict(zip(dict.fromkeys(rows), count(), strict=False))
        right = dict(zip(dict.fromkeys(columns), count(), strict=False))
        vectors = self._encoder.encode([*left, *right])
        cosines = np.einsum("id,jd->ij", vectors[: len(left)], vectors[len(left) :])
        distances: Matrix = np.minimum(np.maximum(1.0 - cosines, 0.0), 1.0)
        if "" in left:
            distances[left[""]] = 1.0
        if "" in right:
            distances[:, right[""]] = 1.0
        for text in left.keys() & right.keys():
            distances[left[text], right[text]] = 0.0
        if len(left) == len(rows) and len(right) == len(columns):
            return distances
        places = [*map(left.__getitem__, rows)], [*map(right.__getitem__, columns)]
        return distances[np.ix_(*places)]


class ToolTable:
    """Distances between tools: 0 the same, 1 different, a fraction for declared substitutes.

    ``substitutes`` are groups of tools with the distance that any two of a group have; where two
    tools share several groups, the smallest counts. Reasoning steps are 0 from each other and 1
    from any tool.
    """

    def __init__(
        self,
        substitutes: Sequence[tuple[Sequence[str], float]] = (),
        *,
        failures_apart: bool = False,
    ) -> None:
        self._failures_apart = failures_apart
        self._distances = _least(substitutes)
        self._spelled = _least(
            [({canonical_tool(tool).full for tool in tools}, d) for tools, d in substitutes]
        )

    @cached_property
    def digest(self) -> str:
        """A short digest of the table, for the signature."""
        rows = sorted((*sorted(pair), distance) for pair, distance in self._distances.items())
        return hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:16]

    def between(self, rows: Sequence[Step], columns: Sequence[Step]) -> Matrix:
        """Returns the distances of two lists of steps."""
        steps = *rows, *columns
        failed = map(partial(eq, "error" if self._failures_apart else ""), map(_STATUS, steps))
        tools = list(zip(map(_KIND, steps), failed, map(_TOOL, steps), strict=True))
        numbers = dict(zip(dict.fromkeys(tools), count(), strict=False))
        found = list(map(numbers.__getitem__, tools))
        ours, theirs = np.array(found[: len(rows)], int), np.array(found[len(rows) :], int)
        distances: Matrix = np.not_equal.outer(ours, theirs).astype(np.float64)
        if self._distances:
            self._put_declared(distances, ours, theirs, list(numbers))
        return distances

    def _put_declared(
        self, found: Matrix, ours: Numbered, theirs: Numbered, tools: Sequence[_Tool]
    ) -> None:
        """Puts what was declared between different tools of one kind, both failed or neither."""
        for i, j in product(set(ours.tolist()), set(theirs.tolist())):
            if i != j and tools[i][:2] == tools[j][:2]:
                distance = self._declared(tools[i][2] or "", tools[j][2] or "")
                found[np.ix_(ours == i, theirs == j)] = distance

    def _declared(self, tool: str, other: str) -> float:
        """The distance of two tools as it was declared, under these names or without prefixes."""
        exactly = self._distances.get(frozenset((tool, other)))
        if exactly is not None:
            return exactly
        ours, theirs = canonical_tool(tool), canonical_tool(other)
        return min(self._spelled.get(frozenset((a, b)), 1.0) for a in ours for b in theirs)


def _least(groups: Iterable[tuple[Collection[str], float]]) -> Mapping[frozenset[str], float]:
    """The least distance that two tools have in some group, by pair."""
    found: dict[frozenset[str], float] = {}
    for tools, distance in groups:
        for pair in (frozenset((a, b)) for a in tools for b in tools if a != b):
            found[pair] = min(distance, found.get(pair, 1.0))
    return found


class Measures:
    """The distances that fields are made of: of texts, of structured data, of tools."""

    def __init__(self, texts: TextDistances, tools: ToolTable) -> None:
        self.texts, self.tools = texts, tools
        self.structured = ValueDistances(texts, assignment, KnownPairs)


class Field(ABC, Generic[T]):
    """One field of a step; ``T`` is the form in which its values are compared.

    name: the attribute of a step, the weight in the configuration and the part of the loss.
    unrelated: the cost of this field between matched steps of unrelated tasks, in [0, 1], by the
        name of the encoder: medians over 400 pairs of real tasks, measured by
        ``reproduction/studies/unrelated_cost.py``, which names its data.
    """

    name: ClassVar[str]
    unrelated: ClassVar[Mapping[str, float]]

    @abstractmethod
    def read(self, steps: Sequence[Step], rules_of: RulesOf) -> list[T]:
        """Returns the value of each step in the form in which it is compared.

        Args:
            steps: the steps.
            rules_of: says how the arguments of a tool are compared; None: by no rule.
        """

    def gather(self, values: Sequence[T], parts: Sequence[T]) -> None:
        """Lets values that were read apart know of each other, as those of one run do.

        Args:
            values: as :meth:`read` returns them.
            parts: those of the steps of which these are unions; none where they are no unions.
        """

    @abstractmethod
    def distances(self, rows: Sequence[T], columns: Sequence[T], by: Measures) -> Matrix:
        """Returns the distances of two lists of values, (len(rows), len(columns)), in [0, 1].

        Args:
            rows: values of the run's steps, as :meth:`read` returns them.
            columns: the same of the reference's.
            by: the distances to use.
        """


class TextField(Field[str]):
    """A field whose distance is the cosine distance of its texts (eq. 1 of [Barazandeh2026])."""

    def read(self, steps: Sequence[Step], rules_of: RulesOf) -> list[str]:  # noqa: ARG002
        """Returns the one text that stands for each value; empty where none is recorded."""
        return _TEXTS.of(list(map(attrgetter(self.name), steps)), [None] * len(steps))

    def distances(self, rows: Sequence[str], columns: Sequence[str], by: Measures) -> Matrix:
        """Returns the cosine distances of the texts."""
        return by.texts.between(rows, columns)


class Action(TextField):
    """The wording of a step: what the agent said it was about to do."""

    name = "action"
    unrelated = {"wordllama-l2_supercat-256": 0.938, "all-MiniLM-L6-v2": 0.910}  # noqa: RUF012


class Effect(TextField):
    """The result of a step, what came back of a call, compared as one text."""

    name = "effect"
    unrelated = {"wordllama-l2_supercat-256": 0.931, "all-MiniLM-L6-v2": 0.828}  # noqa: RUF012


class ArgumentText(TextField):
    """The arguments of a call compared as one text, as in the paper."""

    name = "arguments"
    unrelated = {"wordllama-l2_supercat-256": 0.669, "all-MiniLM-L6-v2": 0.664}  # noqa: RUF012


class Differing(NamedTuple):
    """Which calls have exact values that others lack, (rows, columns) each.

    own: the row has one where the column has another, or a member of a list that the column lacks;
    other: the column has. own_key: the row has one under a key that the column lacks; other_key:
    the column has.
    """

    own: Flags
    other: Flags
    own_key: Flags
    other_key: Flags

    def transposed(self) -> Differing:
        """The same, columns first."""
        return Differing(self.other.T, self.own.T, self.other_key.T, self.own_key.T)

    def taken(self, places: Any) -> Differing:
        """The same of some pairs, by an index."""
        return Differing(*(one[places] for one in self))


class Arguments(Field[Value]):
    """The arguments of a call compared key by key and leaf by leaf."""

    name = "arguments"
    unrelated = {"wordllama-l2_supercat-256": 1.0, "all-MiniLM-L6-v2": 1.0}  # noqa: RUF012

    def read(self, steps: Sequence[Step], rules_of: RulesOf) -> list[Value]:
        """Returns the arguments as structure, with the rules of each step's tool."""
        rules = list(map(rules_of, map(_TOOL, steps)))
        values = list(map(copy, _CALLS.of(list(map(attrgetter("arguments"), steps)), rules)))
        set_run_workload(values)
        return values

    def gather(self, values: Sequence[Value], parts: Sequence[Value]) -> None:
        """Says to each value which company it is in."""
        set_run_workload(values, parts)

    def distances(self, rows: Sequence[Value], columns: Sequence[Value], by: Measures) -> Matrix:
        """Returns the distances of structured data; at least ANOTHER_CALL with a wrong value.

        With more of them it is at least more, however much stands beside: one wrong cell of a
        table is nearer than two, or a row that is missing.
        """
        return self.compare(rows, columns, by)[0]

    def compare(
        self, rows: Sequence[Value], columns: Sequence[Value], by: Measures
    ) -> tuple[Matrix, Differing]:
        """Returns the distances, and which side has exact values that the other lacks."""
        found = by.structured.distances(rows, columns, _as_calls)
        own, size = found < 0, np.abs(found)
        other = size > 1
        ours, theirs = _keys_of(rows), _keys_of(columns)
        keys = _lack_keys(ours, theirs), _lack_keys(theirs, ours).T
        return np.where(other, size / _OTHER, size), Differing(own, other, *keys)


class Tool(Field[Step]):
    """Which tool is called: 0 the same, 1 another, a fraction for declared substitutes."""

    name = "tool"
    unrelated = {"wordllama-l2_supercat-256": 1.0, "all-MiniLM-L6-v2": 1.0}  # noqa: RUF012

    def read(self, steps: Sequence[Step], rules_of: RulesOf) -> list[Step]:  # noqa: ARG002
        """Returns the steps: the table of tools looks at their kind and tool."""
        return list(steps)

    def distances(self, rows: Sequence[Step], columns: Sequence[Step], by: Measures) -> Matrix:
        """Returns the distances of the tool table."""
        return by.tools.between(rows, columns)


class Environment(NamedTuple):
    """A recorded state as data, and whether it was given as a mapping of properties."""

    value: Value
    has_properties: bool


class State(Field[Environment]):
    """The environment after a step: the share of properties that differ, each as structure.

    What is no mapping, such as a page or a file, is compared as text. No corpus records states:
    between unrelated tasks they are taken to cost what effects do.
    """

    name = "state"
    unrelated = Effect.unrelated

    def read(self, steps: Sequence[Step], rules_of: RulesOf) -> list[Environment]:  # noqa: ARG002
        """Returns the states."""
        data = [step.state for step in steps]
        values = list(map(copy, _STATES.of(data, [None] * len(data))))
        set_run_workload(values)
        return list(map(Environment, values, [isinstance(one, dict) for one in data]))

    def gather(self, values: Sequence[Environment], parts: Sequence[Environment]) -> None:
        """Says to each value which company it is in."""
        set_run_workload(*([state.value for state in some] for some in (values, parts)))

    def distances(
        self, rows: Sequence[Environment], columns: Sequence[Environment], by: Measures
    ) -> Matrix:
        """Returns the distances by property where both are mappings, else those of the texts."""
        ours, theirs = ([state.value for state in side] for side in (rows, columns))
        by_text = by.texts.between([value.text for value in ours], [v.text for v in theirs])
        by_property = by.structured.distances(ours, theirs, _distance)
        both = np.outer([s.has_properties for s in rows], [s.has_properties for s in columns])
        return np.where(both, by_property, by_text)


def _as_calls(found: ValueComparison) -> Matrix:
    """The distances of calls; below 0 for what `own` says, times _OTHER for what `other` says."""
    wrong, own, other = (
        found.differ % FIRST_ONLY,
        found.differ % SECOND_ONLY >= FIRST_ONLY,
        found.differ >= SECOND_ONLY,
    )
    least = 1 - (1 - ANOTHER_CALL) / np.maximum(wrong, 1) ** MORE
    distances: Matrix = np.where(wrong, np.maximum(found.distance, least), found.distance)
    return distances * np.where(own, -1.0, 1.0) * np.where(other, _OTHER, 1.0)


def _keys_of(values: Sequence[Value]) -> list[tuple[set[str], set[str]]]:
    """Of each call the keys that hold an exact value, and all keys."""
    found = []
    for value in values:
        members, exact = value.members if value.kind == "object" else {}, set[str]()
        for key, one in members.items():
            if one.exact and one.data is not False:
                exact.add(key)
        found.append((exact, set(members)))
    return found


def _lack_keys(rows: _Keys, columns: _Keys) -> Flags:
    """Where the row has an exact value under a key that the column lacks."""
    pairs = product(map(itemgetter(0), rows), map(itemgetter(1), columns))
    covered = np.fromiter(starmap(set.issubset, pairs), np.bool_, len(rows) * len(columns))
    return ~covered.reshape(len(rows), len(columns))


def _distance(found: ValueComparison) -> Matrix:
    return found.distance


# By bytes of data; what is read of structured data takes some ten times as much.
_TEXTS: ReadOnce[str] = ReadOnce(lambda data, _: text_of(data), 1 << 22)
_CALLS: ReadOnce[Value] = ReadOnce(
    lambda data, rules: read_arguments(data, rules).with_content_id(), 1 << 20
)
_STATES: ReadOnce[Value] = ReadOnce(lambda data, _: Value(data).with_content_id(), 1 << 20)

_STRUCTURED: tuple[Field[Any], ...] = (Action(), Arguments(), Effect(), Tool(), State())
_AS_TEXT = tuple(ArgumentText() if f.name == "arguments" else f for f in _STRUCTURED)
FIELDS = tuple(field.name for field in _STRUCTURED)


def fields_compared(arguments: Literal["structured", "text"]) -> Sequence[Field[Any]]:
    """Returns all fields, in the order in which their costs are summed.

    ``arguments`` says whether arguments are compared as structure or as one text.
    """
    return _STRUCTURED if arguments == "structured" else _AS_TEXT
