"""The distance of structured data, key by key and leaf by leaf.

Objects: the mean over the union of their keys. A key in only one object costs 1; customerId and
customer_id are one key.
Lists: each member costs its distance from its counterpart in the other list (``lists``), or 1
without a counterpart, divided by the longer length. If order counts, members out of order cost less
than replaced ones.
Leaves: identifiers, numbers, dates and single words are equal or different. Texts of several words
cost their embedding distance: ``DIFFERENT_NAME`` for two different names, and at least
``CONTRADICTED`` for texts that contradict each other. Different types cost 1, but 1, 1.0 and "1"
are equal, and so are true and "true".

A comparison also counts the exact values that differ: leaves in both values, other than prose, and
members of a list that the other list lacks. A missing key does not count. Two further counts are of
the exact values in only the first or only the second value.

Rules change this by path: tolerances for numbers, exact texts, words compared by meaning, lists as
sets, ordered lists.

``PairDistance`` compares two values. Many values are compared as matrices, which read each key and
each distinct value once; the sums and their order are the same.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import count, product
from math import fsum
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from otap.values.budget import ComparisonMode, split_by_mode
from otap.values.closings import drop_signatures
from otap.values.code import form_without_names, share_of_other_lines
from otap.values.compatible_texts import find_compatible
from otap.values.contradiction import Contradiction, find_text_contradiction
from otap.values.keys import is_cell_key, is_payee_key, is_query_key
from otap.values.lists import Assign, Cheapest, Pairing, pair_members
from otap.values.names import find_other_names, other_name
from otap.values.rules import NO_RULE
from otap.values.sentences import Wording
from otap.values.sets import count_common
from otap.values.value import JOINT, MAX_PAIRED, Value
from otap.values.wording import (
    find_replaced,
    is_critical_wording,
    is_replaced,
    judge_wording,
)

# The cost of a list in the wrong order, in replaced members: it still has the same content.
OUT_OF_ORDER = 0.5
# The least cost of texts that contradict each other, however near their words are.
CONTRADICTED = 0.5
# The cost of a different name: the same as that of any different value.
DIFFERENT_NAME = 1.0
# The least cost of programs that differ; the share of different lines adds the rest.
DIFFERENT_CODE = 0.5
# The cost of a program with other names of variables; every other difference costs more.
RENAMED_CODE = 0.1
# Allowed rounding of a difference of numbers, as a share of the tolerance.
ROUNDING_SLACK = 1e-9

MAX_BLOCK = 2_000_000  # pairs of values that are compared at once
FEW_OPEN = 32  # pairs of texts, of which each is judged alone
FEW_PAIRS = 400  # up to this many pairs, calls of NumPy cost more time than they save
ANOTHER_NAME = "another"
CONTRADICTION = "contradiction"
MAX_TEXT_TABLE = 2_500  # up to this many pairs of texts, all distances are computed at once
MAX_CACHED_PAIRS = 20_000  # up to this many pairs compared at once, distances are cached

Values = Sequence[Value]
Matrix = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
T = TypeVar("T")


# One integer holds three counts: exact values that differ, those that only the first value has, and
# those that only the second value has. These integers can be added.
WRONG, FIRST_ONLY, SECOND_ONLY = 1, 1 << 20, 1 << 40
REPLACED = WRONG + FIRST_ONLY + SECOND_ONLY


class ValueComparison(NamedTuple):
    """Distances of values and counts of different exact values, both (rows, columns)."""

    distance: Matrix
    differ: Counts


class Texts(Protocol):
    """The distances of texts, in [0, 1]."""

    def between(self, rows: Sequence[str], columns: Sequence[str]) -> Matrix:
        """Returns the distances of two lists of texts."""

    def distance(self, a: str, b: str) -> float:
        """Returns the distance of two texts, the same as from ``between``."""

    def prepare(self, texts: Sequence[str]) -> None:
        """Embeds texts in one batch before they are compared one by one."""


class Memo(Protocol):
    """Cached distances of pairs, by content id."""

    def among(
        self,
        rows: Sequence[int],
        columns: Sequence[int],
        values: tuple[Sequence[T], Sequence[T]],
        compare: Callable[[Sequence[T], Sequence[T]], Matrix],
        /,
    ) -> Matrix:
        """Returns the distance of each row from each column; missing pairs are computed."""


AsOne = Callable[[ValueComparison], Matrix]


class ValueDistances:
    """Distances between structured values, in [0, 1].

    Args:
        texts: the distances of texts.
        assign: finds the pairs with the least total cost in a matrix.
        memo: makes a cache for the distances of pairs.
    """

    def __init__(self, texts: Texts, assign: Assign, memo: Callable[[], Memo]) -> None:
        self._texts, self._assign, self._new_memo = texts, assign, memo
        self._memos: dict[tuple[AsOne, ComparisonMode], Memo] = {}

    def distances(self, rows: Values, columns: Values, as_one: AsOne) -> Matrix:
        """Returns the distances of two lists of values; those of known pairs are cached.

        The values of very large runs are compared less thoroughly (``budget``).

        Args:
            rows: values of one side.
            columns: values of the other side.
            as_one: combines a distance and the counts of different values to one number.
        """
        distances = np.empty((len(rows), len(columns)))
        for i, j, mode in split_by_mode(rows, columns):
            left, right = [rows[k] for k in i], [columns[k] for k in j]
            left_ids = [value.content_id for value in left]
            right_ids = [value.content_id for value in right]
            compare = _Matrices(self._texts, self._assign, mode, as_one).compare_as_one
            if all(left_ids) and all(right_ids) and len(i) * len(j) <= MAX_CACHED_PAIRS:
                if (as_one, mode) not in self._memos:
                    self._memos[as_one, mode] = self._new_memo()
                memo = self._memos[as_one, mode]
                block = memo.among(left_ids, right_ids, (left, right), compare)
            else:
                # Each pair depends on its two values alone, so blocks of rows only bound memory.
                size = max(1, MAX_BLOCK // max(1, len(j)))
                starts = range(0, max(1, len(i)), size)
                blocks = [compare(left[start : start + size], right) for start in starts]
                block = blocks[0] if len(blocks) == 1 else np.concatenate(blocks)
            if [*i, *j] == [*range(len(rows)), *range(len(columns))]:
                return block
            distances[np.ix_(i, j)] = block
        return distances


class PairDistance:
    """The distance of two values from the distances of their leaves.

    Args:
        leaf: the distance of two leaves.
        assign: finds the least total cost, to pair the remaining members of short lists; None: they
            are paired in order.
    """

    def __init__(self, leaf: Callable[[Value, Value], float], assign: Assign | None) -> None:
        self._leaf = leaf
        self._by_members: dict[tuple[int, int], tuple[float, int]] = {}
        self.cheapest = Cheapest(self._distance_of_members, assign) if assign else None

    def compare(self, a: Value, b: Value) -> tuple[float, int]:
        """Returns the distance of two values and the counts of different exact values."""
        if a is b:
            return 0.0, 0
        if _is_member_of(a, b) or _is_member_of(b, a):
            return self._compare_lists(a.as_list, b.as_list)
        if a.kind != b.kind:
            if not (a.is_filled or b.is_filled):
                return 0.0, 0
            return 1.0, _count_all_different(a.exact, b.exact)
        if a.kind == "empty":
            return 0.0, 0
        if a.kind == "object":
            return self._compare_objects(a, b)
        if a.kind == "list":
            return self._compare_lists(a, b)
        distance = self._leaf(a, b)
        differs = distance > RENAMED_CODE
        if not (a.exact and b.exact):
            differs = are_prose(a, b) and says_something_else(a, b)
        return distance, REPLACED * differs

    def _compare_objects(self, a: Value, b: Value) -> tuple[float, int]:
        shared, unshared, wrong = 0.0, a.filled_count + b.filled_count, 0
        union = len(a.members) + len(b.members)
        for key, left in a.members.items():
            right = b.members.get(key)
            if right is not None:
                unshared -= float(left.is_filled) + float(right.is_filled)
                union -= 1
                if left is not right:
                    distance, differ = self.compare(left, right)
                    shared += distance
                    wrong += differ
        return (shared + unshared) / max(union, 1), wrong

    def _compare_lists(self, a: Value, b: Value) -> tuple[float, int]:
        if a.identity == b.identity:
            return 0.0, 0
        is_unordered = a.unordered_members and b.unordered_members
        if not (is_unordered or _are_wholly_different(a, b)):
            return self._compare_paired(a, b)
        longer = max(len(a.items), len(b.items))
        shared = len(a.unordered_members & b.unordered_members)
        first_only, second_only = len(a.items) - shared, len(b.items) - shared
        wrong = longer - shared + FIRST_ONLY * first_only + SECOND_ONLY * second_only
        return (longer - shared) / longer, wrong

    def _compare_paired(self, a: Value, b: Value) -> tuple[float, int]:
        """Compares lists by the pairs of their members."""
        longer = max(len(a.items), len(b.items))
        pairing = None
        if len(a.items) == 1 or len(b.items) == 1:
            pairing = self._pair_with_one(a, b)
        if pairing is None:
            pairing = pair_members(a, b, self.cheapest)
        pairs = [self._compare_members(a.items[i], b.items[j]) for i, j in pairing.pairs]
        cost = fsum(distance for distance, _ in pairs) + len(pairing.left) + len(pairing.right)
        wrong = sum(differ for _, differ in pairs)
        wrong += (WRONG + FIRST_ONLY) * sum(a.items[i].exact for i in pairing.left)
        wrong += (WRONG + SECOND_ONLY) * sum(b.items[j].exact for j in pairing.right)
        return min(1.0, (cost + OUT_OF_ORDER * pairing.disorder) / longer), wrong

    def _pair_with_one(self, a: Value, b: Value) -> Pairing | None:
        """Returns the result of `pair_members` for a list of one leaf, or None if it is unclear.

        Merged steps make very many of these pairs.
        """
        single, members = (a.items[0], b.items) if len(a.items) == 1 else (b.items[0], a.items)
        if single.kind != "leaf" or any(member.kind != "leaf" for member in members):
            return None
        equal = [k for k, member in enumerate(members) if member.identity == single.identity]
        unpaired, pairs = list(range(len(members))), list[tuple[int, int]]()
        if equal:
            del unpaired[equal[0]]
        else:
            index = self._find_nearest(single, members, a.has_no_order and b.has_no_order)
            if index is None:
                return None
            unpaired.remove(index)
            pairs = [(0, index)] if len(a.items) == 1 else [(index, 0)]
        if len(a.items) == 1:
            return Pairing(pairs, [], unpaired, 0.0)
        return Pairing(pairs, unpaired, [], 0.0)

    def _find_nearest(self, single: Value, members: Values, is_unordered: bool) -> int | None:
        """Returns the index of the nearest leaf, or None if several are equally near."""
        is_graded = single.is_graded or any(member.is_graded for member in members)
        if self.cheapest is None or len(members) > MAX_PAIRED or not is_graded:
            if not is_unordered:
                return 0
            return min(range(len(members)), key=lambda k: members[k].rank)
        costs = [self._distance_of_members(single, member) for member in members]
        return costs.index(min(costs)) if costs.count(min(costs)) == 1 else None

    def _compare_members(self, a: Value, b: Value) -> tuple[float, int]:
        """Compares members and stores the result, which pairing and summing both need."""
        key = id(a), id(b)  # both live as long as the compared values
        if key not in self._by_members:
            self._by_members[key] = self.compare(a, b)
        return self._by_members[key]

    def _distance_of_members(self, a: Value, b: Value) -> float:
        return self._compare_members(a, b)[0]


class _Matrices(NamedTuple):
    """Compares each value of one side with each value of the other side.

    Attributes:
        texts: the distances of texts.
        assign: finds the pairs with the least total cost in a matrix.
        mode: how thoroughly values are compared.
        as_one: combines a distance and the counts of different values to one number.
    """

    texts: Texts
    assign: Assign
    mode: ComparisonMode
    as_one: AsOne

    def compare_as_one(self, rows: Values, columns: Values) -> Matrix:
        """Returns one number for each pair."""
        return self.as_one(self.compare(rows, columns))

    def compare(self, rows: Values, columns: Values) -> ValueComparison:
        left, left_indices = _find_distinct(rows)
        right, right_indices = _find_distinct(columns)
        are_few = len(left) * len(right) <= FEW_PAIRS
        is_thorough = self.mode.reads_prose and self.mode.lists != "equal"
        compare = self._compare_pairs if are_few and is_thorough else self._compare_kinds
        distinct = compare(left, right)
        if len(left) == len(rows) and len(right) == len(columns):
            return distinct
        cells = np.ix_(left_indices, right_indices)
        return ValueComparison(distinct.distance[cells], distinct.differ[cells])

    def _compare_pairs(self, rows: Values, columns: Values) -> ValueComparison:
        assign = self.assign if self.mode.lists == "cheapest" else None
        compare = PairDistance(_leaf_distance(self.texts, rows, columns), assign).compare
        shape = len(rows), len(columns)
        comparison = ValueComparison(np.empty(shape), np.empty(shape, dtype=np.int64))
        for i, a in enumerate(rows):
            for j, b in enumerate(columns):
                comparison.distance[i, j], comparison.differ[i, j] = compare(a, b)
        return comparison

    def _compare_kinds(self, rows: Values, columns: Values) -> ValueComparison:
        """Compares values of one kind as matrices; values of different kinds cost 1."""
        comparison = ValueComparison(
            np.ones((len(rows), len(columns))), _count_exact(rows, columns)
        )
        compare_lists = _compare_as_bags if self.mode.lists == "equal" else self._compare_pairs
        for row_kind, column_kind, compare in (
            ("object", "object", self._compare_objects),
            ("list", "list", compare_lists),
            ("leaf", "leaf", self._compare_leaves),
            ("leaf", "list", self._compare_pairs),
            ("list", "leaf", self._compare_pairs),
        ):
            i = [k for k, value in enumerate(rows) if value.kind == row_kind]
            j = [k for k, value in enumerate(columns) if value.kind == column_kind]
            if i and j:
                block = compare([rows[k] for k in i], [columns[k] for k in j])
                cells = np.ix_(i, j)
                comparison.distance[cells], comparison.differ[cells] = block
        empty_rows = [not value.is_filled for value in rows]
        empty_columns = [not value.is_filled for value in columns]
        both_empty = np.logical_and.outer(empty_rows, empty_columns)
        comparison.distance[both_empty] = 0
        comparison.differ[both_empty] = 0
        return comparison

    def _compare_objects(self, rows: Values, columns: Values) -> ValueComparison:
        left, right = _members_by_key(rows), _members_by_key(columns)
        unshared = np.add.outer(
            [value.filled_count for value in rows], [value.filled_count for value in columns]
        )
        shared, wrong = np.zeros(unshared.shape), np.zeros(unshared.shape, dtype=np.int64)
        union = np.add.outer(
            [len(value.members) for value in rows], [len(value.members) for value in columns]
        )
        for key in sorted(left.keys() & right.keys()):
            (i, left_members), (j, right_members) = left[key], right[key]
            cells = np.ix_(i, j)
            comparison = self.compare(left_members, right_members)
            shared[cells] += comparison.distance
            wrong[cells] += comparison.differ
            unshared[cells] -= np.add.outer(
                [float(member.is_filled) for member in left_members],
                [float(member.is_filled) for member in right_members],
            )
            union[cells] -= 1
        return ValueComparison((shared + unshared) / np.maximum(union, 1), wrong)

    def _compare_leaves(self, rows: Values, columns: Values) -> ValueComparison:
        distance = _unequal(rows, columns)
        are_other = np.zeros(distance.shape, dtype=np.bool_)
        i = [k for k, value in enumerate(rows) if value.is_embedded or value.is_word]
        j = [k for k, value in enumerate(columns) if value.is_embedded or value.is_word]
        if i and j:
            left, right = [rows[k] for k in i], [columns[k] for k in j]
            are_words = ~np.logical_or.outer(
                [value.is_embedded for value in left], [value.is_embedded for value in right]
            )
            if not are_words.all():
                cells = np.ix_(i, j)
                between, are_other[cells] = self._prose_distances(left, right)
                distance[cells] = np.where(are_words, distance[cells], between)
        i = [k for k, value in enumerate(rows) if value.scalar.kind == "code"]
        j = [k for k, value in enumerate(columns) if value.scalar.kind == "code"]
        for k, m in product(i, j):
            distance[k, m] = _code_distance(rows[k], columns[m])
        if any(value.rule.has_tolerance for value in (*rows, *columns)):
            left_numbers = np.array([_tolerances_of(value) for value in rows]).T
            right_numbers = np.array([_tolerances_of(value) for value in columns]).T
            distance[_is_near(left_numbers[:, :, None], right_numbers[:, None, :])] = 0.0
        wrong = (_count_exact(rows, columns) % FIRST_ONLY > 0) & (distance > RENAMED_CODE)
        wrong |= _are_prose(rows, columns) & are_other
        return ValueComparison(distance, REPLACED * wrong.astype(np.int64))

    def _prose_distances(
        self, rows: Values, columns: Values
    ) -> tuple[Matrix, npt.NDArray[np.bool_]]:
        """Returns the distances of leaves by their text vectors, and which say something else."""
        between = self.texts.between(
            [value.text for value in rows], [value.text for value in columns]
        )
        are_prose = _are_prose(rows, columns)
        equal = (_unequal(rows, columns) == 0) & are_prose
        between[equal] = 0.0
        says_else = np.zeros(between.shape, dtype=np.bool_)
        if self.mode.reads_prose:
            differing = ~equal & are_prose
            names = [[value.name for value in side] for side in (rows, columns)]
            are_other_names = find_other_names(*names)
            is_single = np.logical_and.outer(*[_are_single(side) for side in (rows, columns)])
            is_single &= np.array([not is_payee_key(value.key) for value in columns])
            says_else = differing & (_find_replaced(rows, columns) | (is_single & are_other_names))
            texts = [[value.text for value in side] for side in (rows, columns)]
            is_open = differing & ~says_else
            if np.count_nonzero(is_open) > FEW_OPEN:
                is_open &= ~(is_single & find_compatible(*texts))
            i, j = np.nonzero(is_open)
            for k, m in zip(i.tolist(), j.tolist(), strict=True):
                says_else[k, m] = says_something_else(rows[k], columns[m])
            between[says_else & (between < CONTRADICTED)] = CONTRADICTED
            between[differing & are_other_names] = DIFFERENT_NAME
        return between, says_else


def _leaf_distance(texts: Texts, rows: Values, columns: Values) -> Callable[[Value, Value], float]:
    """Returns the distance function for the leaves of two sides.

    Few texts are embedded and compared at once, many on demand.
    """
    left = _number_texts(rows)
    right = _number_texts(columns)
    table: Sequence[Sequence[float]] = ()
    if 0 < len(left) * len(right) <= MAX_TEXT_TABLE:
        table = texts.between(list(left), list(right)).tolist()
    elif left or right:
        texts.prepare([*left, *right])

    def distance(a: Value, b: Value) -> float:
        if (a.is_embedded and (b.is_embedded or b.is_word)) or (a.is_word and b.is_embedded):
            i, j = left.get(a.text), right.get(b.text)  # None where two lists were swapped
            if table and i is not None and j is not None:
                return prose_distance(table[i][j], a, b)
            return prose_distance(texts.distance(a.text, b.text), a, b)
        if a.scalar.kind == b.scalar.kind == "code":
            return _code_distance(a, b)
        return float(not is_same(a, b))

    return distance


def _number_texts(values: Values) -> dict[str, int]:
    """Returns the distinct embedded texts of values, numbered from 0."""
    texts = dict.fromkeys(text for value in values for text in value.embedded_texts)
    return dict(zip(texts, count(), strict=False))


def _code_distance(a: Value, b: Value) -> float:
    """Returns the distance of two programs: 0, or more the more lines differ."""
    if is_same(a, b):
        return 0.0
    if is_renamed_code(a, b):
        return RENAMED_CODE
    other_lines = share_of_other_lines(a.line_counts, b.line_counts)
    return DIFFERENT_CODE + (1 - DIFFERENT_CODE) * other_lines


def is_renamed_code(a: Value, b: Value) -> bool:
    """Returns whether two cells of Python are equal but for the names of their own variables."""
    if not (a.scalar.kind == b.scalar.kind == "code" and is_cell_key(a.key)):
        return False
    form = form_without_names(a.text)
    return form is not None and form == form_without_names(b.text)


def is_same(a: Value, b: Value) -> bool:
    """Returns whether two exact leaves are equal, or near enough by their rules."""
    if a.canonical == b.canonical or a.rule is NO_RULE is b.rule:
        return a.canonical == b.canonical
    return bool(_is_near(_tolerances_of(a), _tolerances_of(b)))


def _tolerances_of(value: Value) -> tuple[float, float, float]:
    """Returns the number in a leaf with its absolute and relative tolerances."""
    return value.number, value.rule.absolute, value.rule.relative


def _is_near(a: Any, b: Any) -> Any:
    """Whether numbers are equal within the larger of their tolerances, as scalars or arrays."""
    a_number, a_absolute, a_relative = a
    b_number, b_absolute, b_relative = b
    largest = np.maximum(np.abs(a_number), np.abs(b_number))
    absolute = np.maximum(a_absolute, b_absolute)
    relative = np.maximum(a_relative, b_relative) * largest
    tolerance = np.maximum(absolute, relative)
    return (np.abs(a_number - b_number) <= tolerance * (1 + ROUNDING_SLACK)) & (tolerance > 0)


def prose_distance(distance: float, a: Value, b: Value) -> float:
    """Returns the distance of two texts, raised if they say different things."""
    if not are_prose(a, b):
        return distance
    if a.canonical == b.canonical:
        return 0.0
    if a.name and b.name and other_name(a.name, b.name):
        return DIFFERENT_NAME
    if distance < CONTRADICTED and says_something_else(a, b):
        return CONTRADICTED
    return distance


def _find_replaced(rows: Values, columns: Values) -> npt.NDArray[np.bool_]:
    """Which pairs of texts plainly say different things, without a look at their sentences.

    Other words may be harmless in names and searches, and of merged texts the parts are compared.
    """
    is_single = [_are_single(side) for side in (rows, columns)]
    is_named = [[bool(value.name) for value in side] for side in (rows, columns)]
    is_harmless: npt.NDArray[np.bool_] = ~np.logical_and.outer(*is_single)
    is_harmless |= np.logical_and.outer(*is_named)
    is_harmless |= np.array([is_query_key(value.key) for value in columns])
    texts = [[value.text for value in side] for side in (rows, columns)]
    is_replaced_text: npt.NDArray[np.bool_] = ~is_harmless & find_replaced(*texts)
    return is_replaced_text


def _are_single(values: Values) -> list[bool]:
    """Whether each text is that of one step, not of merged steps."""
    return [JOINT not in value.text for value in values]


def says_something_else(a: Value, b: Value) -> bool:
    """Returns whether two texts say different things, so that one is a wrong value."""
    if a.canonical == b.canonical:
        return False
    is_plain = not (a.name and b.name) and JOINT not in a.text and JOINT not in b.text
    if is_plain and not is_query_key(b.key) and is_replaced(a.text, b.text):
        return True
    if is_payee_key(b.key) or JOINT in a.text or JOINT in b.text:
        wording = judge_values(a, b)
        return wording is not None and wording.is_critical
    if find_value_contradiction(a, b):
        return True
    is_harmless = is_query_key(b.key) or (a.name and b.name)
    return not is_harmless and is_critical_wording(*drop_signatures(a.text, b.text))


def judge_values(a: Value, b: Value) -> Wording | None:
    """Returns how a text differs from another one, or None if only its notation does.

    Args:
        a: a leaf of the run.
        b: a leaf of the reference; ``are_prose`` holds for the two.
    """
    if a.canonical == b.canonical:
        return None
    contradiction = find_value_contradiction(a, b)
    if contradiction:
        return Wording("critical", CONTRADICTION, contradiction=contradiction)
    if JOINT in a.text or JOINT in b.text:
        return None
    a_text, b_text = drop_signatures(a.text, b.text)
    wording = judge_wording(a_text, b_text)
    if wording is None and (a_text, b_text) != (a.text, b.text):
        return Wording("minor", "reworded")
    if wording and is_query_key(b.key):
        return Wording("minor", "reworded")  # a search may use any words
    if wording and a.name and b.name:
        # The order of the words of a name says nothing, and it may lack a title or a second name.
        return None if a.name[0] == b.name[0] else Wording("minor", "reworded")
    if wording and wording.severity == "major" and is_payee_key(b.key):
        contradiction = Contradiction(ANOTHER_NAME, a.text, b.text)
        return Wording("critical", CONTRADICTION, contradiction=contradiction)
    return wording


def are_prose(a: Value, b: Value) -> bool:
    """Returns whether two leaves are compared as prose: both are, or one is and one is a word."""
    return (a.is_prose and (b.is_prose or b.is_word)) or (b.is_prose and a.is_word)


def find_value_contradiction(a: Value, b: Value) -> Contradiction | None:
    """Returns the contradiction of two leaves if both are prose, or None.

    Two texts of merged steps that contradict each other still do, whatever the other texts state.
    """
    if not are_prose(a, b) or a.text == b.text:
        return None
    if JOINT not in a.text and JOINT not in b.text:
        is_payee = is_payee_key(b.key)
        words = other_name(a.name, b.name, is_payee) if a.name and b.name else None
        if words:
            return Contradiction(ANOTHER_NAME, *words)
        return find_text_contradiction(*drop_signatures(a.text, b.text))
    a_texts, b_texts = a.text.split(JOINT), b.text.split(JOINT)
    for a_text, b_text in product(a_texts, b_texts):
        if a_text not in b_texts and b_text not in a_texts:
            contradiction = find_text_contradiction(a_text, b_text)
            if contradiction:
                return contradiction
    return None


def _compare_as_bags(rows: Values, columns: Values) -> ValueComparison:
    """Compares very large lists: a member has an equal in the other list or not."""
    left, right = ([value.numbered_members for value in side] for side in (rows, columns))
    left_sizes = np.array([len(members) for members in left])
    right_sizes = np.array([len(members) for members in right])
    longer = np.maximum.outer(left_sizes, right_sizes)
    shared = count_common(left, right)
    lacking, exact = longer - shared, _count_exact(rows, columns)
    first_only = np.minimum(left_sizes[:, None] - shared, exact % SECOND_ONLY // FIRST_ONLY)
    second_only = np.minimum(right_sizes - shared, exact // SECOND_ONLY)
    wrong = np.minimum(lacking, exact % FIRST_ONLY)
    return ValueComparison(
        lacking / longer, wrong + FIRST_ONLY * first_only + SECOND_ONLY * second_only
    )


def _find_distinct(values: Values) -> tuple[list[Value], list[int]]:
    """Returns the distinct values, and for each value its index among them."""
    index_by_key: dict[object, int] = {}
    distinct: list[Value] = []
    indices = []
    for value in values:
        key: object = value.content_id or (
            value.kind, value.text if value.kind != "empty" else "", value.key, value.rule_key
        )  # fmt: skip
        if key not in index_by_key:
            index_by_key[key] = len(distinct)
            distinct.append(value)
        indices.append(index_by_key[key])
    return distinct, indices


def _are_prose(rows: Values, columns: Values) -> npt.NDArray[np.bool_]:
    """Applies `are_prose` to each pair, (rows, columns)."""
    prose = ([value.is_prose for value in side] for side in (rows, columns))
    words = ([value.is_prose or value.is_word for value in side] for side in (rows, columns))
    are_both: npt.NDArray[np.bool_] = np.logical_or.outer(*prose) & np.logical_and.outer(*words)
    return are_both


def _unequal(rows: Values, columns: Values) -> Matrix:
    """Returns 1 where the canonical forms of two leaves differ, else 0."""
    codes: dict[str, int] = {}
    left, right = (
        np.array([codes.setdefault(value.canonical, len(codes)) for value in side], dtype=np.intp)
        for side in (rows, columns)
    )
    distances: Matrix = (left[:, None] != right[None, :]).astype(float)
    return distances


def _count_exact(rows: Values, columns: Values) -> Counts:
    """Applies `_count_all_different` to each pair, (rows, columns)."""
    left = np.array([value.exact for value in rows], dtype=np.int64)
    right = np.array([value.exact for value in columns], dtype=np.int64)
    return np.minimum.outer(left, right) + FIRST_ONLY * left[:, None] + SECOND_ONLY * right


def _is_member_of(leaf: Value, values: Value) -> bool:
    """Whether a leaf is compared with a list as a list of one member."""
    if leaf.kind != "leaf" or values.kind != "list":
        return False
    size = len(values.items)
    return size == 1 or (leaf.exact > 0 and values.exact >= size)


def _are_wholly_different(a: Value, b: Value) -> bool:
    """Whether no member of one list is equal or near to a member of the other, by exact leaves."""
    if not (a.exact_members and b.exact_members and a.exact_members.isdisjoint(b.exact_members)):
        return False
    return not (a.has_program and b.has_program)


def _count_all_different(left_exact: int, right_exact: int) -> int:
    """Returns the counts for two values without a common part: the fewer values are wrong."""
    return min(left_exact, right_exact) + FIRST_ONLY * left_exact + SECOND_ONLY * right_exact


def _members_by_key(objects: Iterable[Value]) -> dict[str, tuple[list[int], list[Value]]]:
    """Returns for each key the indices of the objects that have it, and their members."""
    by_key: dict[str, tuple[list[int], list[Value]]] = {}
    for index, value in enumerate(objects):
        for key, member in value.members.items():
            indices, members = by_key.setdefault(key, ([], []))
            indices.append(index)
            members.append(member)
    return by_key
