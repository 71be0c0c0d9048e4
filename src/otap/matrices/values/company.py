"""How thoroughly values are compared: less so where there is so much that it would take too long.

What is compared all with all is the calls of two runs, so the limits are on a run and a reference
together, never on how many of either are compared at once. No ordinary run comes near them.
"""

from collections.abc import Iterator, Sequence
from heapq import nlargest
from typing import NamedTuple

from otap._caching import Kept, cached_property
from otap.matrices.values.lists import FLAT, SMALL, Way
from otap.matrices.values.value import Value

WORK = 1_000_000  # comparisons of members of lists between two runs, about 5 s of one core
TEXTS = 400_000  # comparisons of prose, each read for what contradicts, about as long
UNIONS = 4_000_000  # comparisons of members of lists, for which unions of steps are sought
_PROSE = 8  # what it takes to compare two texts, in comparisons of two other leaves
_ONE = 24  # what it takes to compare two lists of nothing, in comparisons of two leaves


class Effort(NamedTuple):
    """How many comparisons of leaves it takes to compare a value with one like it.

    Attributes:
        cheapest: where the members of short lists are paired at the least cost.
        listed: where they are paired in order.
    """

    cheapest: int
    listed: int


class Company:
    """The values that one field of a run has, one a step: what is compared all with all."""

    def __init__(self, values: Sequence[Value]) -> None:
        self._values = values

    @cached_property
    def _loads(self) -> Sequence["_Load"]:
        return list(map(_load_of, self._values))

    @cached_property
    def lists(self) -> tuple[Effort, int]:
        """The effort of all lists, and how many of the values have one."""
        total = Effort(
            sum(one.lists.cheapest for one in self._loads),
            sum(one.lists.listed for one in self._loads),
        )
        return total, sum(one.lists.cheapest > 0 for one in self._loads)

    @cached_property
    def texts(self) -> tuple[int, int]:
        """The texts that are prose, outside of lists, and how many of the values have one."""
        return sum(one.texts for one in self._loads), sum(one.texts > 0 for one in self._loads)

    def way(self, other: "Company") -> Way:
        """Returns how lists are compared with those of another run."""
        (ours, here), (theirs, there) = self.lists, other.lists
        if ours.cheapest * there + theirs.cheapest * here <= WORK:
            return "cheapest"
        return "listed" if ours.listed * there + theirs.listed * here <= WORK else "equal"

    def reads_prose(self, other: "Company") -> bool:
        """Says whether all prose is read for what contradicts that of another run."""
        (ours, here), (theirs, there) = self.texts, other.texts
        return ours * there + theirs * here <= 2 * TEXTS


class _Load(NamedTuple):
    """What it takes to compare a value with one like it: its lists, and its prose outside these."""

    lists: Effort
    texts: int


def _load_of(value: Value) -> _Load:
    """What it takes to compare a value; worked out once for each content."""
    if not value.number_of_content:
        return _load(value)
    found = _LOADS.get(value.number_of_content)
    return _LOADS.put(value.number_of_content, _load(value)) if found is None else found


def _load(value: Value) -> _Load:
    return _Load(_summed(map(effort, _lists(value))), _texts(value))


_LOADS: Kept[int, _Load] = Kept(20_000)
_OF_TEXT, _OF_LEAF = Effort(_PROSE, _PROSE), Effort(1, 1)


def effort(value: Value) -> Effort:
    """Returns how many comparisons of leaves it takes to compare a value with one like it."""
    if value.kind == "object":
        return _summed(map(effort, value.members.values()))
    if value.kind != "list":
        return _OF_TEXT if value.worded else _OF_LEAF
    members = list(map(effort, value.items))
    cheapest, listed = _summed(members)
    graded = any(member.is_graded for member in value.items)
    if graded and all(member.levels <= FLAT for member in value.items):
        rest = nlargest(SMALL, (one.cheapest for one in members))
        cheapest += len(rest) * sum(rest)
    return Effort(cheapest + _ONE, listed + _ONE)


def _summed(efforts: Iterator[Effort] | Sequence[Effort]) -> Effort:
    found = list(efforts)
    return Effort(sum(one.cheapest for one in found), sum(one.listed for one in found))


def _lists(value: Value) -> Iterator[Value]:
    """The lists of a value that are in no other."""
    if value.kind == "list":
        yield value
    elif value.kind == "object":
        for member in value.members.values():
            yield from _lists(member)


def _texts(value: Value) -> int:
    """The number of texts that are prose, outside of lists."""
    if value.kind == "object":
        return sum(map(_texts, value.members.values()))
    return int(value.kind == "leaf" and value.prose)


def in_company(values: Sequence[Value], parts: Sequence[Value] = ()) -> None:
    """Says to each of the values that one field of a run has which company it is in.

    Args:
        values: all of them.
        parts: where these are of unions, the values of the steps of which these are made, in whose
            company they are compared.
    """
    company = parts[0].company if parts else Company(values)
    for value in values:
        value.company = company


def may_be_united(
    parts: Sequence[Value], others: Sequence[Value], pairs: Sequence[tuple[int, int]]
) -> bool:
    """Says whether the lists in unions of two values each can be compared in bounded time.

    Args:
        parts: the values of one side.
        others: those that each union is compared with.
        pairs: the two parts of each union.
    """
    ours, theirs = ([_load_of(value).lists.cheapest for value in side] for side in (parts, others))
    united = sum(ours[i] + ours[j] for i, j in pairs)
    return united * sum(map(bool, theirs)) + sum(theirs) * len(pairs) * any(ours) <= UNIONS


def at_least_cost(a: Value, b: Value) -> bool:
    """Says whether the members of short lists in two values are paired at the least cost."""
    ours, theirs = (_company(value) for value in (a, b))
    return ours.way(theirs) == "cheapest"


def blocks(
    rows: Sequence[Value], columns: Sequence[Value]
) -> Iterator[tuple[Sequence[int], Sequence[int], tuple[Way, bool]]]:
    """Yields the places of values that are compared in one way, and the way.

    Args:
        rows: values of runs; each knows its company.
        columns: those of the other side.
    """
    ours, theirs = _companies(rows), _companies(columns)
    for company, places in ours:
        ways: dict[tuple[Way, bool], list[int]] = {}
        for other, others in theirs:
            ways.setdefault((company.way(other), company.reads_prose(other)), []).extend(others)
        yield from ((places, found, way) for way, found in ways.items())


def _company(value: Value) -> Company:
    return value.company if isinstance(value.company, Company) else Company([value])


def _companies(values: Sequence[Value]) -> list[tuple[Company, list[int]]]:
    """The companies of values, each with their places; values without one are one together."""
    found: dict[int, tuple[Company, list[int]]] = {}
    for place, value in enumerate(values):
        key = id(value.company)
        if key not in found:
            alone = [one for one in values if one.company is None]
            found[key] = _company(value) if value.company else Company(alone), []
        found[key][1].append(place)
    return list(found.values())
