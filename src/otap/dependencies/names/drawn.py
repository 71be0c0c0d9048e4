"""Identifiers that the environment drew, named by what made them.

The rule, for each identifier in a trajectory:

1. It is drawn if an effect or a state showed it first: the user had not said it before, and no
   call up to then had it among its arguments or its action, the call itself included.
2. Its name is what made it: the tool, the call's arguments in canonical spelling (identifiers that
   were drawn before by their names), its place in the effect, and which different value this is
   that such a call showed there. The member of a list is named by what else it says and not by its
   position, a line of a text likewise; members that say the same are numbered.
3. Of a call that writes, what it made has two more names: by its arguments without their prose,
   since who words a title in another way has made the same thing, and by its tool alone. They
   count where they leave one value on either side (:mod:`otap.dependencies.names.renaming`).

Two runs of one task give what they were given the same names, whatever was drawn, and in whatever
valid order they made their calls. A name that rests on a number is weak.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import copy

from pydantic import JsonValue

from otap.dependencies.content import Content, content
from otap.dependencies.mechanisms import allows, dependency_graph, turn_ranks
from otap.dependencies.names.identifiers import (
    SMALL,
    as_text,
    has_several_words,
    names_identifiers,
    parts,
    replaced,
)
from otap.dependencies.names.places import KEPT, Place, places
from otap.dependencies.names.shapes import mixed
from otap.dependencies.tool_names import tool_keys
from otap.dependencies.utterances import Utterances
from otap.dependencies.values import MAX_LEVELS, MAX_TEXT, canonical_value, parsed
from otap.trajectory import Step, Trajectory

MAX_DRAWN = 10_000  # identifiers that are named in one trajectory
KINDS = 3  # of names: by all of the arguments, without prose, without arguments


class Drawn:
    """The identifiers that were drawn in one trajectory, by name.

    Args:
        trajectory: the whole of it, with steps that do not count.
        writes: for each step whether it is known to write.

    Attributes:
        named: the values by their names; each has one.
        made: for each further kind of name the values that share it, by what they share.
        weak: the values whose names rest on a number.
        values: all identifiers that occur.
        guessed: those that a call used before anything had shown or said them.
    """

    def __init__(self, trajectory: Trajectory, writes: Sequence[bool]) -> None:
        reader = _Reader(trajectory, writes)
        self.named: Mapping[str, str] = {name: v for v, name in reader.names[0].items()}
        by_place = [_grouped(places) for places in reader.places]
        self.made: Sequence[Mapping[str, Sequence[str]]] = by_place[1:]
        many = {v for shared in by_place[0].values() if len(shared) > 1 for v in shared}
        self.weak = frozenset(many | reader.numbered)
        self.values = frozenset(reader.seen)
        self.guessed = frozenset(reader.used - reader.said)

    def without(self, values: Collection[str]) -> "Drawn":
        """Returns the same as if some values did not occur."""
        found = copy(self)
        found.values = self.values.difference(values)
        return found


class _Reader:
    """Replays one trajectory, turn by turn, and names what each turn shows for the first time."""

    def __init__(self, trajectory: Trajectory, writes: Sequence[bool]) -> None:
        self.names: list[dict[str, str]] = [{} for _ in range(KINDS)]
        self.places: list[dict[str, str]] = [{} for _ in range(KINDS)]
        self.numbered: set[str] = set()
        self.said = {v for text in trajectory.request for v in content(text).read(_spoken)}
        self.seen = set(self.said)
        self.used: set[str] = set()
        self._times: list[Counter[str]] = [Counter() for _ in range(KINDS)]
        self._steps, self._writes = trajectory.steps, writes
        self._utterances, self._spoken = Utterances(trajectory), bool(trajectory.request)
        self._tools = tool_keys({step.tool for step in self._steps if step.tool is not None})
        for turn in _turns(trajectory):
            self._read(turn)

    def _read(self, turn: Sequence[int]) -> None:
        for k in turn:
            self._read_call(self._steps[k])
        calls = [(self._makers(k), k) for k in turn]
        if len(calls) > 1:  # how the steps of a turn are listed says nothing
            calls.sort(key=lambda call: (call[0], _shown(self._steps[call[1]])))
        for makers, k in calls:
            self._name_all(makers, k)

    def _read_call(self, step: Step) -> None:
        """Notes the identifiers of a call."""
        values = {*content(step.arguments).read(_Call).identifiers}
        values.update(content(step.action).read(_Call).identifiers)
        self.seen |= values
        self.used |= values.difference(self.names[0])

    def _makers(self, k: int) -> list[str]:
        """What a call is named by: its tool and arguments, and whether it failed; of each kind."""
        step = self._steps[k]
        tool, failed = self._tools.get(step.tool or "", step.kind), str(step.status == "error")
        call = content(step.arguments).read(_Call)
        said = [
            call.said(names, kind if self._writes[k] else 0)
            for kind, names in enumerate(self.names)
        ]
        return [mixed(tool, text, failed) for text in said]

    def _name_all(self, makers: Sequence[str], k: int) -> None:
        step = self._steps[k]
        for field, data in (("effect", step.effect), ("state", step.state)):
            found = places(content(data), lambda value: self._content(value, k), self._writes[k])
            self.seen.update([place.value for place in found])
            new = [p for p in found if p.is_new and p.value not in self.names[0]]
            by = [mixed(maker, field) for maker in makers] if new else []
            for place in new:
                if place.value not in self.names[0]:
                    self._name(place, by)

    def _content(self, value: str, k: int) -> str | None:
        """What an identifier says to whoever compares records; None: it is new."""
        if value in self.names[0]:
            return self.names[-1][value]
        if value in self.used or len(self.names[0]) >= MAX_DRAWN:
            return value
        said = self._spoken and self._utterances.mention(value.removeprefix(SMALL), k)
        return value if said else None

    def _name(self, place: Place, makers: Sequence[str]) -> None:
        where = {maker: mixed(maker, place.path) for maker in {*makers}}
        for kind, maker in enumerate(makers):
            self._times[kind][where[maker]] += 1
            self.places[kind][place.value] = where[maker]
            self.names[kind][place.value] = f"{where[maker]}.{self._times[kind][where[maker]]}"
        if place.is_numbered:
            self.numbered.add(place.value)


def shows_anything(trajectory: Trajectory) -> bool:
    """Says whether some step records what came back, or a state: only there names can be drawn."""
    return any(s.effect is not None or s.state is not None for s in trajectory.steps)


def _grouped(places: Mapping[str, str]) -> dict[str, list[str]]:
    """The values by their places."""
    found: dict[str, list[str]] = {}
    for value, place in places.items():
        found.setdefault(place, []).append(value)
    return found


def _turns(trajectory: Trajectory) -> list[list[int]]:
    """The steps in the order in which they ran; those of one turn do not know of each other."""
    if allows(trajectory, "explicit"):
        graph = dependency_graph(trajectory, "explicit")
        ranks = [0] * graph.size
        for k in graph.order:
            ranks[k] = 1 + max((ranks[parent] for parent in graph.parents[k]), default=-1)
    else:
        ranks = turn_ranks(trajectory.steps)
    turns: dict[int, list[int]] = {}
    for k, rank in enumerate(ranks):
        turns.setdefault(rank, []).append(k)
    return [turns[rank] for rank in sorted(turns)]


def _shown(step: Step) -> str:
    return json.dumps([step.effect, step.state], sort_keys=True)


def _spoken(content: Content) -> frozenset[str]:
    """The identifiers in what was said."""
    return frozenset(value for _, _, value in parts(str(content.data), named=False))


class _Call:
    """The arguments of a call, and what they say by the names of their identifiers.

    Args:
        arguments: of the call; or its action.
    """

    def __init__(self, arguments: Content) -> None:
        self._data = arguments.data
        self.identifiers = [*dict.fromkeys(_values(arguments.data, "", 0))]
        self._said: dict[tuple[bool, tuple[str | None, ...]], str] = {}

    def said(self, names: Mapping[str, str], loosely: int) -> str:
        """Returns what the arguments say: all of them, those that are no prose, nothing.

        Args:
            names: of identifiers.
            loosely: how much is left out, from 0 to 2.
        """
        if loosely == 2:
            return "null"
        key = loosely > 0, tuple([names.get(value) for value in self.identifiers])
        found = self._said.get(key)
        if found is None:
            if len(self._said) == KEPT:
                self._said.clear()
            found = self._said[key] = json.dumps(_Spelling(names, loosely > 0).of(self._data))
        return found


def _values(data: JsonValue, key: str, depth: int) -> Iterator[str]:
    data = parsed(data)
    if depth > MAX_LEVELS:
        return
    if isinstance(data, dict):
        for name, value in data.items():
            yield from _values(name, "", depth + 1)
            yield from _values(value, name, depth + 1)
    elif isinstance(data, list):
        for value in data:
            yield from _values(value, key, depth + 1)
    elif (text := as_text(data)) is not None:
        yield from (value for _, _, value in parts(text[:MAX_TEXT], names_identifiers(key)))


def _in_full(arguments: Content) -> str:
    """What arguments say in which no identifier has a name."""
    return json.dumps(_Spelling({}, without_prose=False).of(arguments.data))


def _without_prose(arguments: Content) -> str:
    """The same without texts of several words."""
    return json.dumps(_Spelling({}, without_prose=True).of(arguments.data))


class _Spelling:
    """Data with drawn identifiers replaced by their names, in one spelling for equal values.

    Args:
        names: of the identifiers.
        without_prose: whether texts of several words are left out.
    """

    def __init__(self, names: Mapping[str, str], without_prose: bool) -> None:
        self._names, self._without_prose = names, without_prose
        self._known: dict[tuple[str, bool], str] = {}  # leaves often repeat

    def of(self, data: JsonValue, key: str = "", depth: int = 0) -> JsonValue:
        """Returns the data in that spelling."""
        data = parsed(data)
        if data is None or depth > MAX_LEVELS:
            return None
        if isinstance(data, dict):
            found = {name: self.of(value, name, depth + 1) for name, value in sorted(data.items())}
            return {name: value for name, value in found.items() if value not in (None, "")}
        if isinstance(data, list):
            return [self.of(value, key, depth + 1) for value in data]
        return self._leaf(data, names_identifiers(key))

    def _leaf(self, data: JsonValue, named: bool) -> str:
        text = as_text(data)
        if text is None:
            return canonical_value(data)
        found = self._known.get((text, named))
        if found is None:
            found = self._known[text, named] = self._spelled(text, named)
        return found

    def _spelled(self, text: str, named: bool) -> str:
        if self._without_prose and has_several_words(text):
            return "~"
        known = replaced(text[:MAX_TEXT], named, lambda v: self._names.get(v, v))
        return canonical_value(known).casefold()
