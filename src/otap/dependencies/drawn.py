"""Identifiers that the environment drew, named by what made them; a run in the names of another.

The rule, for each identifier in a trajectory:

1. It is drawn if an effect or a state showed it first: the user had not said it before, and no
   call up to then had it among its arguments or its action, the call itself included.
2. Its name is what made it: the tool, the call's arguments in canonical spelling (identifiers that
   were drawn before by their names), its place in the effect, and which different value this is
   that such a call showed there. The member of a list is named by what else it says and not by its
   position, a line of a text likewise; members that say the same are numbered.
3. Of a call that writes, what it made has two more names: by its arguments without their prose,
   since who words a title in another way has made the same thing, and by its tool alone. They
   count where they leave one value on either side (:func:`find_renaming`).

Two runs of one task give what they were given the same names, whatever was drawn, and in whatever
valid order they made their calls. A name that rests on a number is weak.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import filterfalse
from operator import attrgetter
from typing import Any

from pydantic import JsonValue

from otap._caching import cached_property
from otap.dependencies.content import (
    MAX_LEVELS,
    MAX_TEXT,
    Content,
    Utterances,
    canonical_value,
    content,
    hash_texts,
    parsed,
)
from otap.dependencies.identifiers import (
    SMALL,
    as_text,
    names_identifiers,
    read_identifiers,
    read_places,
    replace_identifiers,
)
from otap.dependencies.mechanisms import allows, dependency_graph, turn_ranks
from otap.dependencies.tool_names import tool_keys
from otap.trajectory import Step, Trajectory

MAX_DRAWN = 10_000  # identifiers that are named in one trajectory
_FIELDS = ("action", "arguments", "effect", "state")
_ROUNDS = 8  # in which pairs that would make two values one are taken out


@dataclass(frozen=True)
class Drawn:
    """The identifiers that were drawn in one trajectory, by name.

    Attributes:
        named: the values by their names; each has one.
        made: for each further kind of name the values that share it, by what they share.
        weak: the values whose names rest on a number.
        values: all identifiers that occur.
        guessed: those that a call used before anything had shown or said them.
    """

    named: Mapping[str, str] = field(default_factory=dict)
    made: Sequence[Mapping[str, Sequence[str]]] = ()
    weak: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()
    guessed: frozenset[str] = frozenset()


def find_drawn(trajectory: Trajectory, writes: Sequence[bool]) -> Drawn:
    """Returns the identifiers that were drawn in a trajectory: none if it records no effect.

    Args:
        trajectory: the whole of it, with steps that do not count.
        writes: for each step whether it is known to write.
    """
    steps = trajectory.steps
    if not any(map(attrgetter("effect"), steps)) and not any(map(attrgetter("state"), steps)):
        return Drawn()
    ranks: Sequence[int] = turn_ranks(steps)
    if allows(trajectory, "explicit"):
        ranks = dependency_graph(trajectory, "explicit").depth
    turns: dict[int, list[int]] = defaultdict(list)
    for k, rank in enumerate(ranks):
        turns[rank].append(k)
    naming = _Naming(trajectory, writes)
    for rank in sorted(turns):
        naming.name_turn(turns[rank])
    weak: set[str] = set()
    for values in naming.made[0].values():
        if len(values) > 1:
            weak.update(values)
    return Drawn(
        named=dict(zip(naming.names[0].values(), naming.names[0], strict=True)),
        made=naming.made[1:],
        weak=frozenset(weak),
        values=frozenset(naming.seen),
        guessed=frozenset(naming.used - naming.said),
    )


class _Naming:
    """Replays one trajectory, and names what each call shows for the first time."""

    def __init__(self, trajectory: Trajectory, writes: Sequence[bool]) -> None:
        # Of each kind of name: by all of the arguments, without prose, without arguments.
        self.names: tuple[dict[str, str], ...] = ({}, {}, {})
        self.made: tuple[dict[str, list[str]], ...] = ({}, {}, {})  # the values of each place
        self.said: set[str] = set()
        for text in trajectory.request:
            self.said.update(content(text).read(read_identifiers)[0])
        self.seen = set(self.said)
        self.used: set[str] = set()
        self._steps, self._writes = trajectory.steps, writes
        self._arguments = [*map(content, map(attrgetter("arguments"), self._steps))]
        self._utterances = Utterances(trajectory)
        self._tools = tool_keys(set(map(attrgetter("tool"), self._steps)) - {None})

    def name_turn(self, turn: Sequence[int]) -> None:
        """Names what the steps of a turn show, which do not know of each other.

        How they are listed says nothing.
        """
        for k in turn:
            for said in (self._arguments[k], content(self._steps[k].action or None)):
                values = said.read(read_identifiers)[0]
                self.seen.update(values)
                self.used.update(filterfalse(self.names[0].__contains__, values))
        calls = [*zip(map(self._list_makers, turn), turn, strict=True)]
        if len(calls) > 1:
            calls.sort(key=lambda call: (call[0], _write_shown(self._steps[call[1]])))
        for makers, k in calls:
            self._name_shown(makers, k)

    def _list_makers(self, k: int) -> list[str]:
        """What a call is named by: tool, arguments, whether it failed; of each kind."""
        step = self._steps[k]
        tool, failed = self._tools.get(step.tool or "", step.kind), str(step.status == "error")
        call = self._arguments[k]
        identifiers, _ = call.read(read_identifiers)
        makers = []
        for kind, names in enumerate(self.names):
            loosely = kind if self._writes[k] else 0
            named = tuple(map(names.get, identifiers))
            text = "null" if loosely == 2 else call.read(_spell_call, named, loosely > 0)
            makers.append(hash_texts(tool, text, failed))
        return makers

    def _name_shown(self, makers: Sequence[str], k: int) -> None:
        """Names what a call shows for the first time."""
        step, writes = self._steps[k], self._writes[k]
        for where, data in (("e", step.effect), ("s", step.state)):
            shown = content(data)
            identifiers, places = shown.read(read_identifiers)
            self.seen.update(identifiers)
            said = tuple(map(partial(self._says, k), identifiers))
            if said and (writes or any(said)):
                places = shown.read(read_places, said, writes)
            for value, path in places:
                if value in self.names[0]:
                    continue
                for names, made, maker in zip(self.names, self.made, makers, strict=True):
                    found = f"{maker}{where}{path}"
                    made.setdefault(found, []).append(value)
                    names[value] = f"{found}.{len(made[found])}"

    def _says(self, k: int, value: str) -> str | None:
        """What an identifier says to whoever compares records; None: it is new."""
        if value in self.names[0]:
            return self.names[-1][value]
        known = value in self.used or len(self.names[0]) >= MAX_DRAWN
        if known or self._utterances.mention(value.removeprefix(SMALL), k):
            return value
        return None


def _write_shown(step: Step) -> str:
    return json.dumps([step.effect, step.state], sort_keys=True)


def _spell_call(call: Content, named: Sequence[str | None], without_prose: bool) -> str:
    """What a call's arguments say, in one spelling for equal values.

    Args:
        call: its arguments.
        named: the names of its identifiers, as far as they have any.
        without_prose: whether texts of several words are left out.
    """
    names = dict(zip(call.read(read_identifiers)[0], named, strict=True))
    return json.dumps(_spell(call.data, names, without_prose))


def _spell(
    data: JsonValue,
    names: Mapping[str, str | None],
    without_prose: bool,
    key: str = "",
    depth: int = 0,
) -> JsonValue:
    data = parsed(data)
    if data is None or depth > MAX_LEVELS:
        return None
    if isinstance(data, list):
        return [_spell(value, names, without_prose, key, depth + 1) for value in data]
    if isinstance(data, dict):
        found: dict[str, JsonValue] = {}
        for name, value in sorted(data.items()):
            spelled = _spell(value, names, without_prose, name, depth + 1)
            if spelled not in (None, ""):
                found[name] = spelled
        return found
    text = as_text(data)
    if text is None:
        return canonical_value(data)
    if without_prose and sum(map(str.isalpha, text.split()[:50])) > 1:
        return "~"
    named = names_identifiers(key)
    known = replace_identifiers(text[:MAX_TEXT], named, lambda value: names.get(value) or value)
    return canonical_value(known).casefold()


@dataclass(frozen=True)
class Renaming:
    """Values and tools of one run, each with what it is in another; different ones stay different.

    Attributes:
        values: of identifiers that were drawn for both.
        tools: of tools that are the same under another name.
        copied: identifiers of the other that the run used out of nowhere, each with what the run
            has in its place.
    """

    values: Mapping[str, str] = field(default_factory=dict)
    tools: Mapping[str, str] = field(default_factory=dict)
    copied: Mapping[str, str] = field(default_factory=dict)

    @property
    def key(self) -> object:
        """Equal for equal renamings."""
        return tuple(tuple(sorted(o.items())) for o in (self.values, self.tools, self.copied))

    @cached_property
    def back(self) -> "Renaming":
        """Gives the values of the other the names that they have in the run."""
        return Renaming({theirs: ours for ours, theirs in self.values.items()})

    def of(self, trajectory: Trajectory) -> Trajectory:
        """Returns a trajectory in the other names; what has no other one stays the same object."""
        return trajectory.model_copy(update={"steps": tuple(map(self._rename, trajectory.steps))})

    def _rename(self, step: Step) -> Step:
        update: dict[str, Any] = {}
        if step.tool is not None and step.tool in self.tools:
            update["tool"] = self.tools[step.tool]
        if self.values:
            for name in _FIELDS:
                data = getattr(step, name)
                new = self.data(data)
                if new is not data:
                    update[name] = new
        if step.substeps:
            update["substeps"] = tuple(map(self._rename, step.substeps))
        return step.model_copy(update=update) if update else step

    def data(self, data: JsonValue, key: str = "", depth: int = 0) -> JsonValue:
        """Returns some data in the other names; itself where nothing in it has another.

        Args:
            data: any JSON value.
            key: the one that it stands under.
            depth: levels of data above it; below MAX_LEVELS nothing has another name.
        """
        inner = parsed(data)
        if depth > MAX_LEVELS:
            return data
        if isinstance(inner, dict):
            new: JsonValue = {
                replace_identifiers(name, False, self._name_of): self.data(value, name, depth + 1)
                for name, value in inner.items()
            }
        elif isinstance(inner, list):
            new = [self.data(value, key, depth + 1) for value in inner]
        elif (text := as_text(inner)) is not None:
            found = replace_identifiers(text, names_identifiers(key), self._name_of)
            new = int(found) if isinstance(inner, int) and found.isdigit() else found
        else:
            return data
        return data if new == inner else new

    def _name_of(self, value: str) -> str:
        return self.values.get(value, value).removeprefix(SMALL)


def find_renaming(run: Drawn, reference: Drawn, tools: Mapping[str, str]) -> Renaming:
    """Returns for drawn values of a run those of the reference that were drawn for the same thing.

    Values are the same by their names. Of what is left, the one value that a call of a kind made
    is that of the other side; these and what has a weak name only if neither value occurs on the
    other side. No two values become one: a value whose place is taken keeps its own name.

    Where the run used a drawn value of the reference out of nowhere, and was given another one for
    the same thing, it copied that: what it named is somebody else's.

    Args:
        run: what was drawn in the run.
        reference: the same of the reference.
        tools: those of the run with another name in the reference.
    """
    shared = run.named.keys() & reference.named
    named = map(run.named.__getitem__, shared), map(reference.named.__getitem__, shared)
    ours = dict(zip(*named, strict=True))
    found: dict[str, str] = {}
    for value, other in ours.items():
        is_sure = value not in run.weak and other not in reference.weak
        if value != other and (is_sure or _is_alone(value, other, run, reference)):
            found[value] = other
    if len(ours) < len(run.named):
        found |= _pair_made(run, reference, ours)
    copied: dict[str, str] = {}
    guessed = run.guessed.intersection(reference.named.values())
    if guessed:
        others = replace(run, values=run.values - guessed, guessed=frozenset())
        same = find_renaming(others, reference, tools).values
        copied = {other: value for value, other in same.items() if other in guessed}
    return Renaming(_keep_apart(found, run, reference) if found else found, tools, copied)


def _keep_apart(found: dict[str, str], run: Drawn, reference: Drawn) -> dict[str, str]:
    """The pairs whose values are free on the other side, or are to become so."""
    for left in range(_ROUNDS, -1, -1):  # in the last one, only those that are free
        leaving, coming = (found.keys(), {*found.values()}) if left else ((), ())
        kept = {
            value: other
            for value, other in found.items()
            if (other not in run.values or other in leaving)
            and (value not in reference.values or value in coming)
        }
        if len(kept) == len(found):
            break
        found = kept
    return found


def _pair_made(run: Drawn, reference: Drawn, known: Mapping[str, str]) -> Mapping[str, str]:
    """The pairs of what calls of one kind made, where one value is left on either side."""
    found: dict[str, str] = {}
    ours, theirs = set(known), set(known.values())
    for mine, others in zip(run.made, reference.made, strict=False):
        for place in sorted(mine.keys() & others.keys()):
            left = [*filterfalse(ours.__contains__, mine[place])]
            wanted = [*filterfalse(theirs.__contains__, others[place])]
            if len(left) == len(wanted) == 1 and _is_alone(left[0], wanted[0], run, reference):
                found[left[0]] = wanted[0]
                ours.add(left[0])
                theirs.add(wanted[0])
    return found


def _is_alone(ours: str, theirs: str, run: Drawn, reference: Drawn) -> bool:
    return ours not in reference.values and theirs not in run.values
