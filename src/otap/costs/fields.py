"""The fields of a step: how each field is read, and the distance of two steps in it.

A new field is a class and an entry in the table here, a weight in the configuration and a part of
the loss in the score's record.
"""

from __future__ import annotations

import hashlib
import json
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from copy import copy
from itertools import product
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
from pydantic import JsonValue

from otap._caching import GenerationCache, cached_property, content_key
from otap.encoders import Encoder
from otap.run.columns import FIELDS, Column
from otap.run.settings import RulesOf
from otap.run.verbs import are_synonyms, read_deed
from otap.trajectory import Step
from otap.transport import assignment
from otap.transport.core import pair_table
from otap.values.budget import RunWorkload, set_run_workload
from otap.values.distance import FIRST_ONLY, SECOND_ONLY, ValueComparison, ValueDistances
from otap.values.rules import Rules
from otap.values.tool_names import canonical_tool
from otap.values.value import Value, read_arguments, text_of

Matrix = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]
Flags = npt.NDArray[np.bool_]
T = TypeVar("T")
Key = TypeVar("Key", bound=Hashable)
_Tool = tuple[str, bool, str | None]  # the kind of a step, whether it failed, and its tool

SYNONYM = 0.5  # the distance of tools whose names are synonyms
WRONG_VALUE = 0.4  # the least distance of arguments with one wrong exact value
WRONG_VALUE_POWER = 0.1  # with n of them the remaining 0.6 falls by this power of n
# Marks a distance for values that only the column has. A power of two changes no digit, and no
# distance is as small as one over it.
_COLUMN_ONLY = 2.0**40
# Pairs in one generation of a pair cache; the native core holds two generations in 12 MB.
MAX_CACHED_PAIRS = 150_000
# Arguments that were read, by bytes of data and rules. Without this cache a score takes 9 % longer
# if the arguments were seen before, and 7 % longer if only the reference was. Without the pair
# caches it takes 7 % longer in both cases. Caches of texts saved at most 2 %.
_CALLS: GenerationCache[tuple[bytes, Rules | None], Value] = GenerationCache(
    1 << 20, lambda key: len(key[0]) + 200
)


class PairCache:
    """Caches the distances of pairs of numbered contents; each depends on its pair alone."""

    def __init__(self) -> None:
        self._table = pair_table(MAX_CACHED_PAIRS)

    def among(
        self,
        rows: Sequence[int],
        columns: Sequence[int],
        contents: tuple[Sequence[T], Sequence[T]],
        compare: Callable[[Sequence[T], Sequence[T]], Matrix],
    ) -> Matrix:
        """Returns the distance of each row from each column.

        Args:
            rows: the numbers of the rows' contents.
            columns: the numbers of the columns' contents.
            contents: the contents of both sides.
            compare: returns the distances of some contents of both sides.
        """
        if self._table is None:
            return compare(*contents)
        distances: Matrix
        distances, missing_count = self._table.find(rows, columns)
        if missing_count:
            missing = np.isnan(distances)
            i = np.flatnonzero(missing.any(axis=1)).tolist()
            j = np.flatnonzero(missing.any(axis=0)).tolist()
            block = compare([contents[0][k] for k in i], [contents[1][k] for k in j])
            distances[np.ix_(i, j)] = block
            self._table.put([rows[k] for k in i], [columns[k] for k in j], block)
        return distances


class TextDistances:
    """Distances between texts: cosine distance of their vectors, clipped to [0, 1].

    Equal texts cost exactly 0; an empty text costs 1 against any other.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    def prepare(self, texts: Sequence[str]) -> None:
        """Encodes texts in one batch, for the encoder's cache."""
        if texts:
            self._encoder.encode(list(texts))

    def between(self, rows: Sequence[str], columns: Sequence[str]) -> Matrix:
        """Returns the distances of two lists of texts, shape (len(rows), len(columns))."""
        if not rows or not columns:
            return np.zeros((len(rows), len(columns)))
        left, right = _index_unique(rows), _index_unique(columns)
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
        return distances[np.ix_([left[text] for text in rows], [right[text] for text in columns])]

    def distance(self, a: str, b: str) -> float:
        """Returns the distance of two texts, equal to that of :meth:`between`."""
        if a == b or not a or not b:
            return float(a != b)
        first, second = self._encoder.encode([a, b])
        cosine = float(np.einsum("id,jd->ij", first[None], second[None])[0, 0])
        return min(max(1.0 - cosine, 0.0), 1.0)


def _index_unique(contents: Sequence[Key]) -> dict[Key, int]:
    """The different contents, each with its index among them."""
    return {content: index for index, content in enumerate(dict.fromkeys(contents))}


class ToolTable:
    """Distances between tools: 0 the same, 1 different, a fraction for substitutes.

    Substitutes are declared, or their names are synonyms. Reasoning steps have distance 0 from each
    other and 1 from any tool.

    Args:
        substitutes: groups of tools, each with the distance of any two of its tools. If two tools
            share several groups, the smallest distance counts.
        failures_apart: whether a failed call has distance 1 from a call that succeeded.
        reads_verbs: whether tools whose names are synonyms have distance SYNONYM.
    """

    def __init__(
        self,
        substitutes: Sequence[tuple[Sequence[str], float]] = (),
        *,
        failures_apart: bool = False,
        reads_verbs: bool = False,
    ) -> None:
        self._failures_apart = failures_apart
        self._reads_verbs = reads_verbs
        self._distances = _least_distances(substitutes)
        self._canonical_distances = _least_distances(
            [({canonical_tool(tool).full for tool in tools}, d) for tools, d in substitutes]
        )

    @cached_property
    def digest(self) -> str:
        """A short digest of the table, for the signature."""
        rows = sorted((*sorted(pair), distance) for pair, distance in self._distances.items())
        return hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:16]

    def between(self, rows: Sequence[Step], columns: Sequence[Step]) -> Matrix:
        """Returns the distances of two lists of steps."""
        calls = [
            (step.kind, self._failures_apart and step.status == "error", step.tool)
            for step in (*rows, *columns)
        ]
        tools = _index_unique(calls)
        indices = np.array([tools[call] for call in calls], int)
        row_tools, column_tools = indices[: len(rows)], indices[len(rows) :]
        distances: Matrix = np.not_equal.outer(row_tools, column_tools).astype(np.float64)
        if self._distances or (self._reads_verbs and _have_synonyms(tools)):
            self._put_substitutes(distances, row_tools, column_tools, list(tools))
        return distances

    def _put_substitutes(
        self, distances: Matrix, rows: Indices, columns: Indices, tools: Sequence[_Tool]
    ) -> None:
        """Puts the distances of substitutes of one kind, if both failed or neither did."""
        row_indices, column_indices = _group_indices(rows), _group_indices(columns)
        by_name: dict[Hashable, set[int]] = defaultdict(set)
        for j in column_indices:
            for name in self._list_names(tools[j][2] or ""):
                by_name[name].add(j)
        for i in row_indices:
            names = self._list_names(tools[i][2] or "")
            partners = [
                partner for name in names for partner in (name, *self._partners.get(name, ()))
            ]
            for j in set().union(*[by_name.get(name, ()) for name in partners]):
                if i != j and tools[i][:2] == tools[j][:2]:
                    distance = self._substitute_distance(tools[i][2] or "", tools[j][2] or "")
                    if distance < 1:
                        distances[np.ix_(row_indices[i], column_indices[j])] = distance

    def _list_names(self, tool: str) -> Collection[Hashable]:
        """The names under which a tool may have substitutes, and the work that it announces."""
        names = set[Hashable]()
        if self._distances:
            names = {tool, *canonical_tool(tool)}
        deed = read_deed(tool) if self._reads_verbs else None
        return {*names, deed} if deed is not None and deed.is_graded else names

    @cached_property
    def _partners(self) -> Mapping[Hashable, set[str]]:
        """The names of the declared substitutes of each name."""
        partners: dict[Hashable, set[str]] = defaultdict(set)
        for first, second in map(tuple, (*self._distances, *self._canonical_distances)):
            partners[first].add(second)
            partners[second].add(first)
        return partners

    def _substitute_distance(self, tool: str, other_tool: str) -> float:
        """The declared distance of two tools, else that of their names."""
        declared = self._declared_distance(tool, other_tool) if self._distances else 1.0
        if declared < 1 or not self._reads_verbs:
            return declared
        return SYNONYM if are_synonyms(tool, other_tool) else 1.0

    def _declared_distance(self, tool: str, other_tool: str) -> float:
        """The declared distance of two tools, by their names or by their canonical names."""
        exact = self._distances.get(frozenset((tool, other_tool)))
        if exact is not None:
            return exact
        names, other_names = canonical_tool(tool), canonical_tool(other_tool)
        pairs = [frozenset(pair) for pair in product(names, other_names)]
        return min([self._canonical_distances.get(pair, 1.0) for pair in pairs])


def _group_indices(tools: Indices) -> Mapping[int, list[int]]:
    """The indices of the steps with each tool."""
    indices: dict[int, list[int]] = {}
    for index, tool in enumerate(tools.tolist()):
        indices.setdefault(tool, []).append(index)
    return indices


def _have_synonyms(tools: Collection[_Tool]) -> bool:
    """Whether the names of two of some tools are synonyms."""
    names = {tool for _, _, tool in tools if tool is not None}
    deeds = [deed for name in names if (deed := read_deed(name)) is not None and deed.is_graded]
    return len(set(deeds)) < len(deeds)


def _least_distances(
    groups: Iterable[tuple[Collection[str], float]],
) -> Mapping[frozenset[str], float]:
    """For each pair of tools their least distance in a group."""
    distances: dict[frozenset[str], float] = {}
    for tools, distance in groups:
        for pair in (frozenset((a, b)) for a in tools for b in tools if a != b):
            distances[pair] = min(distance, distances.get(pair, 1.0))
    return distances


class Measures:
    """The distances of texts, of structured data and of tools, which fields use."""

    def __init__(self, texts: TextDistances, tools: ToolTable) -> None:
        self.texts, self.tools = texts, tools
        self.structured = ValueDistances(texts, assignment, PairCache)


class Field(Column[T]):
    """One field of a step; ``T`` is the form in which its values are compared.

    Attributes:
        name: of the attribute of a step, the weight in the configuration and the part of the loss.
    """

    name: ClassVar[str]

    def __init_subclass__(cls) -> None:
        if hasattr(cls, "name"):
            cls.attributes = (cls.name, "tool")  # the rules for arguments depend on the tool

    def workload_of(self, contents: Sequence[T]) -> RunWorkload | None:  # noqa: ARG002
        """Returns the workload of values of one run; None if it is bounded by their number."""
        return None

    @abstractmethod
    def distances(self, rows: Sequence[T], columns: Sequence[T], by: Measures) -> Matrix:
        """Returns the distances of two lists of values, (len(rows), len(columns)), in [0, 1].

        Args:
            rows: values of the run's steps, as :meth:`read` returns them.
            columns: values of the reference's steps.
            by: the distances to use.
        """


class TextField(Field[str]):
    """A field whose distance is the cosine distance of its texts (eq. 1 of [Barazandeh2026])."""

    def read(self, steps: Sequence[Step], rules_of: RulesOf) -> list[str]:  # noqa: ARG002
        """Returns each value as one text; empty if none is recorded."""
        return [text_of(getattr(step, self.name)) for step in steps]

    def distances(self, rows: Sequence[str], columns: Sequence[str], by: Measures) -> Matrix:
        """Returns the cosine distances of the texts."""
        return by.texts.between(rows, columns)


class Action(TextField):
    """The wording of a step: the agent's announcement."""

    name = "action"


class Effect(TextField):
    """The result of a call, compared as one text."""

    name = "effect"


class ExactDifferences(NamedTuple):
    """Which calls have exact values that their counterparts lack, (rows, columns) each.

    Attributes:
        row_only: the row has an exact value where the column has another one, or a member of a list
            that the column lacks.
        column_only: the column has one that the row lacks in this way.
        row_only_keys: the row has an exact value under a key that the column lacks.
        column_only_keys: the column has one under a key that the row lacks.
    """

    row_only: Flags
    column_only: Flags
    row_only_keys: Flags
    column_only_keys: Flags

    def transposed(self) -> ExactDifferences:
        """Returns the flags with rows and columns exchanged."""
        return ExactDifferences(
            self.column_only.T, self.row_only.T, self.column_only_keys.T, self.row_only_keys.T
        )

    def select(self, index: Any) -> ExactDifferences:
        """Returns the flags of some pairs, by an index of NumPy."""
        return ExactDifferences(*[flags[index] for flags in self])


class Arguments(Field[Value]):
    """The arguments of a call compared key by key and leaf by leaf."""

    name = "arguments"

    def read(self, steps: Sequence[Step], rules_of: RulesOf) -> list[Value]:
        """Returns the arguments as structure, with the rules of each step's tool."""
        values = _read_calls([(step.arguments, rules_of(step.tool)) for step in steps])
        set_run_workload(values)
        return values

    def gather(self, contents: Sequence[Value], parts: Sequence[Value]) -> None:
        """Makes the arguments those of one run."""
        set_run_workload(contents, parts)

    def workload_of(self, contents: Sequence[Value]) -> RunWorkload | None:
        """Returns the workload of the arguments of one run."""
        return contents[0].run_workload if contents else None

    def distances(self, rows: Sequence[Value], columns: Sequence[Value], by: Measures) -> Matrix:
        """Returns the distances of structured data, at least WRONG_VALUE with a wrong exact value.

        With more wrong values the least distance is larger, however many values are right. One
        wrong cell of a table is thus closer than two wrong cells, or than a missing row.
        """
        return self.compare(rows, columns, by)[0]

    def compare(
        self, rows: Sequence[Value], columns: Sequence[Value], by: Measures
    ) -> tuple[Matrix, ExactDifferences]:
        """Returns the distances, and which side has exact values that the other lacks."""
        marked = by.structured.distances(rows, columns, _mark_differences)
        row_only, sizes = marked < 0, np.abs(marked)
        column_only = sizes > 1
        row_only_keys, column_only_keys = _lack_keys(rows, columns), _lack_keys(columns, rows).T
        distances = np.where(column_only, sizes / _COLUMN_ONLY, sizes)
        return distances, ExactDifferences(row_only, column_only, row_only_keys, column_only_keys)


class Tool(Field[Step]):
    """The tool of a call: 0 for the same, 1 for another one, a fraction for substitutes."""

    name = "tool"

    def read(self, steps: Sequence[Step], rules_of: RulesOf) -> list[Step]:  # noqa: ARG002
        """Returns the steps, since the table of tools reads their kind and tool."""
        return list(steps)

    def distances(self, rows: Sequence[Step], columns: Sequence[Step], by: Measures) -> Matrix:
        """Returns the distances of the tool table."""
        return by.tools.between(rows, columns)


class Environment(NamedTuple):
    """A recorded state, and whether it is a mapping of properties."""

    value: Value
    has_properties: bool


class State(Field[Environment]):
    """The environment after a step: the share of properties that differ, each as structure.

    States that are no mapping, such as a page or a file, are compared as text.
    """

    name = "state"

    def read(self, steps: Sequence[Step], rules_of: RulesOf) -> list[Environment]:  # noqa: ARG002
        """Returns the states."""
        data = [step.state for step in steps]
        values = [Value(state) for state in data]
        set_run_workload(values)
        return [
            Environment(value, isinstance(state, dict))
            for value, state in zip(values, data, strict=True)
        ]

    def gather(self, contents: Sequence[Environment], parts: Sequence[Environment]) -> None:
        """Makes the states those of one run."""
        set_run_workload([state.value for state in contents], [state.value for state in parts])

    def workload_of(self, contents: Sequence[Environment]) -> RunWorkload | None:
        """Returns the workload of the states of one run."""
        return contents[0].value.run_workload if contents else None

    def distances(
        self, rows: Sequence[Environment], columns: Sequence[Environment], by: Measures
    ) -> Matrix:
        """Returns the distances by property if both are mappings, otherwise those of the texts."""
        row_values, column_values = [[state.value for state in side] for side in (rows, columns)]
        texts = [[value.text for value in side] for side in (row_values, column_values)]
        by_text = by.texts.between(*texts)
        by_property = by.structured.distances(row_values, column_values, _distance)
        are_mappings = np.outer(
            [state.has_properties for state in rows], [state.has_properties for state in columns]
        )
        return np.where(are_mappings, by_property, by_text)


def _read_calls(calls: Sequence[tuple[JsonValue, Rules | None]]) -> list[Value]:
    """Returns arguments as structure, by the rules for each; equal ones share one number."""
    values = []
    for arguments, rules in calls:
        content = content_key(arguments)
        if content is None:
            values.append(read_arguments(arguments, rules).with_content_id())
            continue
        key = content, rules
        value = _CALLS.get(key)
        if value is None:
            value = _CALLS.put(key, read_arguments(arguments, rules).with_content_id())
        values.append(copy(value))
    return values


def _mark_differences(compared: ValueComparison) -> Matrix:
    """The distances of calls, with marks for exact values that one side lacks.

    A distance is negative if the row has a value that the column lacks, and multiplied by
    _COLUMN_ONLY if the column has one that the row lacks.
    """
    counts = compared.differ
    wrong, row_only, column_only = (
        counts % FIRST_ONLY,
        counts % SECOND_ONLY >= FIRST_ONLY,
        counts >= SECOND_ONLY,
    )
    least = 1 - (1 - WRONG_VALUE) / np.maximum(wrong, 1) ** WRONG_VALUE_POWER
    distances: Matrix = np.where(wrong, np.maximum(compared.distance, least), compared.distance)
    return distances * np.where(row_only, -1.0, 1.0) * np.where(column_only, _COLUMN_ONLY, 1.0)


def _lack_keys(rows: Sequence[Value], columns: Sequence[Value]) -> Flags:
    """Whether the row has an exact value under a key that the column lacks, (rows, columns)."""
    keys = [column.members.keys() if column.kind == "object" else set() for column in columns]
    exact = [row.exact_keys for row in rows]
    lacks = {row_keys: [not row_keys <= others for others in keys] for row_keys in set(exact)}
    return np.array([lacks[row_keys] for row_keys in exact], dtype=np.bool_).reshape(
        len(rows), len(columns)
    )


def _distance(compared: ValueComparison) -> Matrix:
    return compared.distance


# In the order in which their costs are summed.
COMPARED: Sequence[Field[Any]] = (Action(), Arguments(), Effect(), Tool(), State())
assert tuple(field.name for field in COMPARED) == FIELDS
