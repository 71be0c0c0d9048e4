"""A run in the names of another: what was drawn for it, and its tools, as the other has them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import JsonValue

from otap._caching import cached_property
from otap.dependencies.names.drawn import Drawn
from otap.dependencies.names.identifiers import SMALL, as_text, names_identifiers, replaced
from otap.dependencies.values import MAX_LEVELS, parsed
from otap.trajectory import Step, Trajectory

_FIELDS = ("action", "arguments", "effect", "state")
_ROUNDS = 8  # in which pairs that would make two values one are taken out


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

    def __bool__(self) -> bool:
        return bool(self.values or self.tools or self.copied)

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
        return trajectory.model_copy(update={"steps": tuple(map(self._step, trajectory.steps))})

    def _step(self, step: Step) -> Step:
        update: dict[str, Any] = {}
        if step.tool is not None and step.tool in self.tools:
            update["tool"] = self.tools[step.tool]
        if self.values:
            fields = ((name, getattr(step, name)) for name in _FIELDS)
            named = ((name, data, self.data(data)) for name, data in fields)
            update |= {name: new for name, data, new in named if new is not data}
        if step.substeps:
            update["substeps"] = tuple(map(self._step, step.substeps))
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
                replaced(name, False, self._value): self.data(value, name, depth + 1)
                for name, value in inner.items()
            }
        elif isinstance(inner, list):
            new = [self.data(value, key, depth + 1) for value in inner]
        elif (text := as_text(inner)) is not None:
            found = replaced(text, names_identifiers(key), self._value)
            new = int(found) if isinstance(inner, int) and found.isdigit() else found
        else:
            return data
        return data if new == inner else new

    def _value(self, value: str) -> str:
        return self.values.get(value, value).removeprefix(SMALL)


def same_values(run: Drawn, reference: Drawn) -> Mapping[str, str]:
    """Returns for drawn values of a run those of the reference that were drawn for the same thing.

    Values are the same by their names. Of what is left, the one value that a call of a kind made
    is that of the other side; these and what has a weak name only if neither value occurs on the
    other side. No two values become one: a value whose place is taken keeps its own name.
    """
    found = {
        run.named[name]: reference.named[name] for name in run.named.keys() & reference.named.keys()
    }
    sure = {
        ours: theirs
        for ours, theirs in found.items()
        if ours != theirs
        if (ours not in run.weak and theirs not in reference.weak)
        or _alone(ours, theirs, run, reference)
    }
    return _apart({**sure, **_made(run, reference, found)}, run, reference)


def copied_values(run: Drawn, reference: Drawn) -> Mapping[str, str]:
    """Returns the reference's drawn values that a run used out of nowhere, each with its own.

    The run was given another one for the same thing: what it named is somebody else's.
    """
    guessed = run.guessed.intersection(reference.named.values())
    if not guessed:
        return {}
    same = same_values(run.without(guessed), reference)
    return {theirs: ours for ours, theirs in same.items() if theirs in guessed}


def _made(run: Drawn, reference: Drawn, known: Mapping[str, str]) -> Mapping[str, str]:
    """The pairs of what calls of one kind made, where one value is left on either side."""
    found: dict[str, str] = {}
    taken = set(known.values())
    for mine, others in zip(run.made, reference.made, strict=True):
        for place in sorted(mine.keys() & others.keys()):
            left = [value for value in mine[place] if value not in known and value not in found]
            wanted = [value for value in others[place] if value not in taken]
            if len(left) == len(wanted) == 1 and _alone(left[0], wanted[0], run, reference):
                found[left[0]] = wanted[0]
                taken.add(wanted[0])
    return found


def _alone(ours: str, theirs: str, run: Drawn, reference: Drawn) -> bool:
    return ours not in reference.values and theirs not in run.values


def _apart(found: dict[str, str], run: Drawn, reference: Drawn) -> Mapping[str, str]:
    """The pairs that leave different values different, on either side."""
    for _ in range(_ROUNDS):
        left = _free(found, set(found), set(found.values()), run, reference)
        if len(left) == len(found):
            return found
        found = left
    return _free(found, set(), set(), run, reference)


def _free(
    found: dict[str, str],
    going: Collection[str],
    coming: Collection[str],
    run: Drawn,
    reference: Drawn,
) -> dict[str, str]:
    return {
        ours: theirs
        for ours, theirs in found.items()
        if (theirs not in run.values or theirs in going)
        and (ours not in reference.values or ours in coming)
    }
