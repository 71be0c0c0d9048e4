"""The distance of structured data: keys and leaves, compared one by one.

Objects: the mean over the union of their keys, a key that only one has costs 1; customerId and
customer_id are one key. Lists: each member costs what it is from its counterpart in the other list
(``lists`` says which that is), 1 if it has none, divided by the longer length; where order counts,
members out of order cost less than one that was replaced. Leaves: identifiers, numbers, dates and
single words are equal or not; text of several words costs its embedding distance, ``ANOTHER``
where two are different names, and no less than ``CONTRADICTED`` where they contradict each other.
Different types cost 1, but 1, 1.0 and "1" are the same, and so are true and "true".

Beside the distance stands in how many exact values the two differ: leaves that both have and that
are no prose, and those of the members of a list that the other lacks. A key that is missing is
none. It also says how many of these the first has and the second lacks, and the other way round.

Rules change this by path: numbers that are equal within a tolerance, texts that are equal or not,
words that are texts, lists as sets, lists whose order counts.

``PairDistance`` says what two values are apart. Where there are many, objects and leaves are
compared as whole matrices, where each key and each different value is looked at once: the same
sums in the same order.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from functools import cache
from itertools import chain, count, product
from math import fsum
from operator import attrgetter
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from otap.values.code import share_of_other_lines
from otap.values.contradiction import Contradiction, contradiction_of
from otap.values.effort import Way, split_by_way
from otap.values.lists import Assign, Cheapest, Pairing, pair_members
from otap.values.marks import Marks, read_marks
from otap.values.names import other_name
from otap.values.parameters import ANOTHER, CONTRADICTED, OTHER_CODE, OUT_OF_ORDER, SLACK, SMALL
from otap.values.rules import NO_RULE
from otap.values.value import JOINT, Value

FEW = 400  # pairs up to which calls of NumPy cost more than they save
ANOTHER_NAME = "another"
TABLE = 2_500  # pairs of texts up to which all distances are worked out at once
MOST_KEPT = 20_000  # pairs that are compared at once, up to which they are kept
_ONCE = 64  # values on a side, from which on a member in most of them is counted by a product

_NUMBER, _PROSE = attrgetter("number_of_content"), attrgetter("prose_below")
Values = Sequence[Value]
Matrix = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
T = TypeVar("T")


# Three counts in one number: the exact values that differ, of these those that the first value has
# and the second lacks, and those that the second has and the first lacks. They add up as they are.
WRONG, OWN, OTHER = 1, 1 << 20, 1 << 40
REPLACED = WRONG + OWN + OTHER


class Compared(NamedTuple):
    """Distances of values, and in which exact values they differ; (rows, columns) each."""

    distance: Matrix
    differ: Counts


class Texts(Protocol):
    """The distances of texts, in [0, 1]."""

    def between(self, rows: Sequence[str], columns: Sequence[str]) -> Matrix:
        """Returns the distances of two lists of texts."""

    def distance(self, a: str, b: str) -> float:
        """Returns the distance of two texts, the same as ``between`` has it."""

    def prepare(self, texts: Sequence[str]) -> None:
        """Works out in one go what is needed of texts that are compared one by one."""


class Memo(Protocol):
    """The distances of pairs that were compared before, by the numbers of what was compared."""

    def among(
        self,
        rows: Sequence[int],
        columns: Sequence[int],
        things: tuple[Sequence[T], Sequence[T]],
        compare: Callable[[Sequence[T], Sequence[T]], Matrix],
    ) -> Matrix:
        """Returns the distance of each row from each column; what is not known is compared."""


Read = Callable[[str], Marks]
AsOne = Callable[[Compared], Matrix]


class ValueDistances:
    """Distances between pieces of structured data, in [0, 1].

    Args:
        texts: the distances of texts.
        assign: the pairs of least total cost in a matrix.
        memo: makes a place where distances are kept by pair.
    """

    def __init__(self, texts: Texts, assign: Assign, memo: Callable[[], Memo]) -> None:
        self._texts, self._assign, self._memo = texts, assign, memo
        self._known: dict[tuple[AsOne, Way], Memo] = {}

    def distances(self, rows: Values, columns: Values, as_one: AsOne) -> Matrix:
        """Returns the distances of two lists of values; of pairs seen before those found before.

        The values of two runs that hold very much are compared less thoroughly: see ``effort``.

        Args:
            rows: values of one side.
            columns: those of the other.
            as_one: makes one number of distances and how many exact values differ, pair by pair.
        """
        found = np.empty((len(rows), len(columns)))
        for i, j, way in split_by_way(rows, columns):
            ours, theirs = list(map(rows.__getitem__, i)), list(map(columns.__getitem__, j))
            compare = _Matrices(self._texts, self._assign, way, as_one).compare_as_one
            numbers = list(map(_NUMBER, ours)), list(map(_NUMBER, theirs))
            if all(numbers[0]) and all(numbers[1]) and len(i) * len(j) <= MOST_KEPT:
                if (as_one, way) not in self._known:
                    self._known[as_one, way] = self._memo()
                new = self._known[as_one, way].among(*numbers, (ours, theirs), compare)
            else:
                new = compare(ours, theirs)
            found[np.ix_(i, j)] = new
        return found


class PairDistance:
    """What two values are apart, by the distance of their leaves.

    Args:
        leaf: the distance of two leaves.
        assign: the pairs of least total cost, by which the rests of short lists are paired; None:
            they are paired in order.
    """

    def __init__(self, leaf: Callable[[Value, Value], float], assign: Assign | None) -> None:
        self._leaf = leaf
        self._known: dict[tuple[int, int], tuple[float, int]] = {}
        self.cheapest = Cheapest(self._of_members, assign) if assign else None

    def compare(self, a: Value, b: Value) -> tuple[float, int]:
        """Returns the distance of two values, and in which exact ones they differ."""
        if a is b:
            return 0.0, 0
        if _is_one_of(a, b) or _is_one_of(b, a):
            return self._compare_lists(a.as_list, b.as_list)
        if a.kind != b.kind:
            if not (a.is_filled or b.is_filled):
                return 0.0, 0
            return 1.0, _differ_in_kind(a.exact, b.exact)
        if a.kind == "empty":
            return 0.0, 0
        if a.kind == "object":
            return self._compare_objects(a, b)
        if a.kind == "leaf":
            distance = self._leaf(a, b)
            says_another = (
                (a.prose or b.prose)
                and are_prose(a, b)
                and _says_another(distance, bool(a.name and b.name))
            )
            differs = distance > 0 if a.exact and b.exact else bool(says_another)
            return distance, REPLACED * differs
        return self._compare_lists(a, b)

    def _compare_objects(self, a: Value, b: Value) -> tuple[float, int]:
        shared, alone, wrong = 0.0, a.filled + b.filled, 0
        ours, theirs = a.members, b.members
        union = len(ours) + len(theirs)
        for key, one in ours.items():
            other = theirs.get(key)
            if other is not None:
                alone -= float(one.is_filled) + float(other.is_filled)
                union -= 1
                if one is not other:
                    distance, differ = self.compare(one, other)
                    shared += distance
                    wrong += differ
        return (shared + alone) / union, wrong

    def _compare_lists(self, a: Value, b: Value) -> tuple[float, int]:
        if a.identity == b.identity:
            return 0.0, 0
        longer = max(len(a.items), len(b.items))
        if a.as_things and b.as_things:
            shared = len(a.as_things & b.as_things)
            own, other = len(a.items) - shared, len(b.items) - shared
            return (longer - shared) / longer, longer - shared + OWN * own + OTHER * other
        if len(a.items) == 1 or len(b.items) == 1:
            found = self._pair_with_one(a, b) or pair_members(a, b, self.cheapest)
        else:
            found = pair_members(a, b, self.cheapest)
        pairs = [self._compare_members(a.items[i], b.items[j]) for i, j in found.pairs]
        cost = fsum(distance for distance, _ in pairs) + len(found.left) + len(found.right)
        wrong = sum(differ for _, differ in pairs)
        wrong += (WRONG + OWN) * sum(a.items[i].exact for i in found.left)
        wrong += (WRONG + OTHER) * sum(b.items[j].exact for j in found.right)
        return min(1.0, (cost + OUT_OF_ORDER * found.disorder) / longer), wrong

    def _pair_with_one(self, a: Value, b: Value) -> Pairing | None:
        """The counterparts that `pair_members` finds, where one list has one leaf; None: ask it.

        Unions of steps make very many such pairs.
        """
        one, several = (a.items[0], b.items) if len(a.items) == 1 else (b.items[0], a.items)
        if one.kind != "leaf" or any(item.kind != "leaf" for item in several):
            return None
        equal = [k for k, item in enumerate(several) if item.identity == one.identity]
        rest, pairs = list(range(len(several))), list[tuple[int, int]]()
        if equal:
            del rest[equal[0]]
        else:
            place = self._place_of_nearest(one, several, free=a.has_no_order and b.has_no_order)
            if place is None:
                return None
            rest.remove(place)
            pairs = [(0, place)] if len(a.items) == 1 else [(place, 0)]
        return Pairing(pairs, [], rest, 0.0) if len(a.items) == 1 else Pairing(pairs, rest, [], 0.0)

    def _place_of_nearest(self, one: Value, several: Values, *, free: bool) -> int | None:
        """The place of the leaf that stands for another; None where several are as near."""
        if self.cheapest is None or len(several) > SMALL or not _are_graded(one, several):
            return min(range(len(several)), key=lambda k: several[k].rank) if free else 0
        costs = [self._of_members(one, item) for item in several]
        return costs.index(min(costs)) if costs.count(min(costs)) == 1 else None

    def _compare_members(self, a: Value, b: Value) -> tuple[float, int]:
        """The same as `compare`, kept: members are compared to be paired, and then once more."""
        key = id(a), id(b)  # both live as long as the values that are compared
        if key not in self._known:
            self._known[key] = self.compare(a, b)
        return self._known[key]

    def _of_members(self, a: Value, b: Value) -> float:
        return self._compare_members(a, b)[0]


class _Matrices(NamedTuple):
    """Values of two sides compared in one way, each with each.

    Attributes:
        texts: the distances of texts.
        assign: the pairs of least total cost in a matrix.
        way: how they are compared.
        as_one: makes one number of distances and how many exact values differ, pair by pair.
    """

    texts: Texts
    assign: Assign
    way: Way
    as_one: AsOne

    def compare_as_one(self, rows: Values, columns: Values) -> Matrix:
        """Returns one number for each pair."""
        return self.as_one(self.compare(rows, columns))

    def compare(self, rows: Values, columns: Values) -> Compared:
        left, left_place = _different(rows)
        right, right_place = _different(columns)
        few = len(left) * len(right) <= FEW
        thorough = self.way.reads_prose and self.way.lists != "equal"
        found = (self._compare_pairs if few and thorough else self._compare_kinds)(left, right)
        if len(left) == len(rows) and len(right) == len(columns):
            return found
        places = np.ix_(left_place, right_place)
        return Compared(found.distance[places], found.differ[places])

    def _compare_pairs(self, rows: Values, columns: Values) -> Compared:
        assign = self.assign if self.way.lists == "cheapest" else None
        compare = PairDistance(_leaf_distance(self.texts, rows, columns), assign).compare
        shape = len(rows), len(columns)
        found = Compared(np.empty(shape), np.empty(shape, dtype=np.int64))
        for i, a in enumerate(rows):
            for j, b in enumerate(columns):
                found.distance[i, j], found.differ[i, j] = compare(a, b)
        return found

    def _compare_kinds(self, rows: Values, columns: Values) -> Compared:
        """Values of one kind are compared as such; values of different kinds cost 1."""
        found = Compared(np.ones((len(rows), len(columns))), _all_exact(rows, columns))
        in_lists = _compare_as_bags if self.way.lists == "equal" else self._compare_pairs
        for *kinds, compare in (
            ("object", "object", self._compare_objects),
            ("list", "list", in_lists),
            ("leaf", "leaf", self._compare_leaves),
            ("leaf", "list", self._compare_pairs),
            ("list", "leaf", self._compare_pairs),
        ):
            i, j = (
                [k for k, v in enumerate(side) if v.kind == kind]
                for side, kind in zip((rows, columns), kinds, strict=True)
            )
            if i and j:
                block = compare([rows[k] for k in i], [columns[k] for k in j])
                found.distance[np.ix_(i, j)], found.differ[np.ix_(i, j)] = block
        idle = [[not value.is_filled for value in side] for side in (rows, columns)]
        for found_of in found:
            found_of[np.logical_and.outer(*idle)] = 0
        return found

    def _compare_objects(self, rows: Values, columns: Values) -> Compared:
        left, right = _members_by_key(rows), _members_by_key(columns)
        alone = np.add.outer([value.filled for value in rows], [v.filled for v in columns])
        shared, wrong = np.zeros(alone.shape), np.zeros(alone.shape, dtype=np.int64)
        union = np.add.outer([len(v.members) for v in rows], [len(v.members) for v in columns])
        for key in sorted(left.keys() & right.keys()):
            (i, ours), (j, theirs) = left[key], right[key]
            places = np.ix_(i, j)
            found = self.compare(ours, theirs)
            shared[places] += found.distance
            wrong[places] += found.differ
            alone[places] -= np.add.outer(
                [float(value.is_filled) for value in ours], [float(v.is_filled) for v in theirs]
            )
            union[places] -= 1
        return Compared((shared + alone) / union, wrong)

    def _compare_leaves(self, rows: Values, columns: Values) -> Compared:
        distance = _unequal(rows, columns)
        i, j = ([k for k, v in enumerate(s) if v.worded or v.is_word] for s in (rows, columns))
        if i and j:
            ours, theirs = [rows[k] for k in i], [columns[k] for k in j]
            words = ~np.logical_or.outer(*([v.worded for v in side] for side in (ours, theirs)))
            if not words.all():
                between = self._prose_distances(ours, theirs)
                distance[np.ix_(i, j)] = np.where(words, distance[np.ix_(i, j)], between)
        i, j = ([k for k, v in enumerate(s) if v.scalar.kind == "code"] for s in (rows, columns))
        for k, m in product(i, j):
            distance[k, m] = _code_distance(rows[k], columns[m])
        if any(value.rule.has_tolerance for value in (*rows, *columns)):
            left, right = (np.array(list(map(_tolerances, side))).T for side in (rows, columns))
            distance[_is_near(left[:, :, None], right[:, None, :])] = 0.0
        wrong = (_all_exact(rows, columns) % OWN > 0) & (distance > 0)
        says_another = _says_another(distance, _both("name", rows, columns))
        wrong |= _both_prose(rows, columns) & says_another
        return Compared(distance, REPLACED * wrong.astype(np.int64))

    def _prose_distances(self, rows: Values, columns: Values) -> Matrix:
        """The distances of leaves that are compared by their text vectors."""
        between = self.texts.between([v.text for v in rows], [v.text for v in columns])
        equal = (_unequal(rows, columns) == 0) & _both_prose(rows, columns)
        between[equal] = 0.0
        if self.way.reads_prose:
            read = cache(read_marks)  # each text once, however many there are
            looked_at = ~equal & ((between < CONTRADICTED) | _both("name", rows, columns))
            for k, m in np.argwhere(looked_at).tolist():
                between[k, m] = prose_distance(between[k, m], rows[k], columns[m], read)
        return between


def _leaf_distance(texts: Texts, rows: Values, columns: Values) -> Callable[[Value, Value], float]:
    """The distance of two leaves of two sides.

    Texts are compared by their vectors: all at once where they are few, else when asked for.
    """
    ours, theirs = chain.from_iterable(map(_PROSE, rows)), chain.from_iterable(map(_PROSE, columns))
    left = dict(zip(dict.fromkeys(ours), count(), strict=False))
    right = dict(zip(dict.fromkeys(theirs), count(), strict=False))
    table: Sequence[Sequence[float]] = ()
    if 0 < len(left) * len(right) <= TABLE:
        table = texts.between(list(left), list(right)).tolist()
    elif left or right:
        texts.prepare([*left, *right])

    def distance(a: Value, b: Value) -> float:
        if (a.worded and (b.worded or b.is_word)) or (a.is_word and b.worded):
            i, j = left.get(a.text), right.get(b.text)  # neither where two lists were exchanged
            if table and i is not None and j is not None:
                return prose_distance(table[i][j], a, b)
            return prose_distance(texts.distance(a.text, b.text), a, b)
        if a.scalar.kind == b.scalar.kind == "code":
            return _code_distance(a, b)
        return float(not is_same(a, b))

    return distance


def _code_distance(a: Value, b: Value) -> float:
    """The distance of two programs: none, or more the more lines differ."""
    if is_same(a, b):
        return 0.0
    return OTHER_CODE + (1 - OTHER_CODE) * share_of_other_lines(a.canonical, b.canonical)


def is_same(a: Value, b: Value) -> bool:
    """Says whether two leaves that are compared exactly are equal, or near enough by their rule."""
    if a.canonical == b.canonical or a.rule is NO_RULE is b.rule:
        return a.canonical == b.canonical
    return bool(_is_near(_tolerances(a), _tolerances(b)))


def _tolerances(value: Value) -> tuple[float, float, float]:
    """The number that a leaf is, and within what it is equal to another."""
    return value.number, value.rule.absolute, value.rule.relative


def _is_near(ours: Any, theirs: Any) -> Any:
    """Whether numbers are equal within the larger of their tolerances, one by one or as arrays."""
    number, absolute, relative = ours
    other, absolute_too, relative_too = theirs
    largest = np.maximum(np.abs(number), np.abs(other))
    allowed = np.maximum(absolute, absolute_too), np.maximum(relative, relative_too) * largest
    within = np.abs(number - other) <= np.maximum(*allowed) * (1 + SLACK)
    return within & (np.maximum(*allowed) > 0)


def prose_distance(distance: float, a: Value, b: Value, read: Read = read_marks) -> float:
    """Returns the distance of two texts, raised where prose says something else in near words."""
    if not are_prose(a, b):
        return distance
    if a.canonical == b.canonical:
        return 0.0
    if a.name and b.name and other_name(a.name, b.name):
        return ANOTHER
    return CONTRADICTED if distance < CONTRADICTED and contradict(a, b, read) else distance


def are_prose(a: Value, b: Value) -> bool:
    """Says whether two leaves are compared as prose: both are, or one is and one is a word."""
    return (a.prose and (b.prose or b.is_word)) or (b.prose and a.is_word)


def contradict(a: Value, b: Value, read: Read = read_marks) -> Contradiction | None:
    """Returns in which way two leaves contradict each other, if both are prose.

    What contradicts still does so in a union: what a union's other parts say takes nothing back.

    Args:
        a: a leaf.
        b: a leaf.
        read: reads what is exact in a text.
    """
    if not are_prose(a, b) or a.text == b.text:
        return None
    if JOINT not in a.text and JOINT not in b.text:
        words = other_name(a.name, b.name) if a.name and b.name else None
        if words:
            return Contradiction(ANOTHER_NAME, *words)
        return contradiction_of(read(a.text), read(b.text))
    ours, theirs = a.text.split(JOINT), b.text.split(JOINT)
    pairs = ((x, y) for x in ours if x not in theirs for y in theirs if y not in ours)
    return next(filter(None, (contradiction_of(read(x), read(y)) for x, y in pairs)), None)


def _says_another(distance: Any, named: Any) -> Any:
    """Whether prose so far apart contradicts, or names two things; one by one or as arrays."""
    return (distance == CONTRADICTED) | ((distance == ANOTHER) & named)


def _compare_as_bags(rows: Values, columns: Values) -> Compared:
    """Lists of very many calls: of each member the other list has an equal one or not."""
    ours, theirs = ([value.counted for value in side] for side in (rows, columns))
    longer = np.maximum.outer(list(map(len, ours)), list(map(len, theirs)))
    shared = _count_shared(ours, theirs)
    lacking, exact = longer - shared, _all_exact(rows, columns)
    own = np.minimum(np.array(list(map(len, ours)))[:, None] - shared, exact % OTHER // OWN)
    other = np.minimum(np.array(list(map(len, theirs))) - shared, exact // OTHER)
    wrong = np.minimum(lacking, exact % OWN)
    return Compared(lacking / longer, wrong + OWN * own + OTHER * other)


def _count_shared(rows: Sequence[Set[Any]], columns: Sequence[Set[Any]]) -> npt.NDArray[np.int32]:
    """How many members each two sets have in common, (rows, columns)."""
    left, right = _places_of_members(rows), _places_of_members(columns)
    found = np.zeros((len(rows), len(columns)), dtype=np.int32)
    frequent = []
    for member in left.keys() & right.keys():
        if min(len(left[member]), len(right[member])) > _ONCE:
            frequent.append(member)
        else:
            found[np.ix_(left[member], right[member])] += 1
    for start in range(0, len(frequent), 512):
        held = [np.zeros((512, len(side)), dtype=np.float32) for side in (rows, columns)]
        for k, member in enumerate(frequent[start : start + 512]):
            held[0][k, left[member]] = held[1][k, right[member]] = 1
        found += (held[0].T @ held[1]).astype(np.int32)
    return found


def _places_of_members(sets: Sequence[Collection[Any]]) -> Mapping[Any, list[int]]:
    """For each member the places of the sets that have it."""
    found: dict[Any, list[int]] = defaultdict(list)
    for place, members in enumerate(sets):
        for member in members:
            found[member].append(place)
    return found


def _different(values: Values) -> tuple[list[Value], list[int]]:
    """The different values, and the place of each value among them."""
    places: dict[object, int] = {}
    different: list[Value] = []
    index = []
    for value in values:
        key: object = value.number_of_content or (
            value.kind, value.text if value.kind != "empty" else "", value.key, value.compared
        )  # fmt: skip
        if key not in places:
            places[key] = len(different)
            different.append(value)
        index.append(places[key])
    return different, index


def _both(name: str, rows: Values, columns: Values) -> npt.NDArray[np.bool_]:
    """Where both leaves have something that is true of prose alone."""
    ours, theirs = ([bool(getattr(v, name)) for v in side] for side in (rows, columns))
    found: npt.NDArray[np.bool_] = np.logical_and.outer(ours, theirs)
    return found


def _both_prose(rows: Values, columns: Values) -> npt.NDArray[np.bool_]:
    """As `are_prose`, by pair."""
    prose = ([v.prose for v in side] for side in (rows, columns))
    words = ([v.prose or v.is_word for v in side] for side in (rows, columns))
    found: npt.NDArray[np.bool_] = np.logical_or.outer(*prose) & np.logical_and.outer(*words)
    return found


def _unequal(rows: Values, columns: Values) -> Matrix:
    """1 where two leaves are spelled differently, by one code for each spelling; else 0."""
    known: dict[str, int] = {}
    ours, theirs = (
        np.array([known.setdefault(value.canonical, len(known)) for value in side], dtype=np.intp)
        for side in (rows, columns)
    )
    distances: Matrix = (ours[:, None] != theirs[None, :]).astype(float)
    return distances


def _all_exact(rows: Values, columns: Values) -> Counts:
    """As `_differ_in_kind`, by pair."""
    ours, theirs = (np.array([v.exact for v in side], dtype=np.int64) for side in (rows, columns))
    return np.minimum.outer(ours, theirs) + OWN * ours[:, None] + OTHER * theirs


def _are_graded(one: Value, several: Values) -> bool:
    return one.is_graded or any(item.is_graded for item in several)


def _is_one_of(one: Value, several: Value) -> bool:
    """Whether a leaf is compared with a list as a list of one: with one of one, or of exact."""
    if one.kind != "leaf" or several.kind != "list":
        return False
    count = len(several.items)
    return count == 1 or (one.exact > 0 and several.exact >= count)


def _differ_in_kind(own: int, other: int) -> int:
    """What differs of so many exact values, where nothing is the same: the fewer are wrong."""
    return min(own, other) + OWN * own + OTHER * other


def _members_by_key(objects: Iterable[Value]) -> dict[str, tuple[list[int], list[Value]]]:
    """For each key the objects that have it, by position, and what they have there."""
    found: dict[str, tuple[list[int], list[Value]]] = {}
    for index, value in enumerate(objects):
        for key, member in value.members.items():
            places, members = found.setdefault(key, ([], []))
            places.append(index)
            members.append(member)
    return found
