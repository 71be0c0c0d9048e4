"""What a list of steps records, by field, in the form in which it is compared."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from otap._caching import cached_property
from otap.matrices.fields import Field
from otap.matrices.unions import union
from otap.trajectory import Step
from otap.values.rules import Rules

T = TypeVar("T")
UNIONS = 64  # unions that a list of steps keeps, at least; a longer one as many as it has steps
RulesOf = Callable[[str | None], Rules | None]


class ReadSteps:
    """Some steps, of which each field is read once, however often it is compared.

    Args:
        steps: the steps.
        rules_of: says how the arguments of a tool are compared; None: by no rule.
        parts: the steps of which these are unions, which are compared as thoroughly; None: they
            are no unions.
    """

    def __init__(
        self,
        steps: Iterable[Step],
        rules_of: RulesOf = lambda _: None,
        parts: "ReadSteps | None" = None,
    ) -> None:
        self.steps: Sequence[Step] = tuple(steps)
        self._rules_of, self._united = rules_of, parts
        self._parts: Sequence[ReadSteps] = ()
        self._places: Sequence[int] | None = None  # which steps of the one part; all, where None
        self._original: ReadSteps | None = None  # these steps in the names that were recorded
        self._values: dict[Field[Any], list[Any]] = {}
        self._recorded: dict[str, bool] = {}
        self._unions: dict[tuple[int, ...], ReadSteps] = {}

    def taken(self, places: Sequence[int]) -> "ReadSteps":
        """Some of the steps, in this order; what was read of them stays read."""
        found = ReadSteps((self.steps[place] for place in places), self._rules_of)
        found._parts, found._places = [self], places
        return found

    def united(self, groups: Sequence[Sequence[int]], fields: Sequence[Field[Any]]) -> "ReadSteps":
        """These steps with some of them as unions; what was read of the others stays read.

        Args:
            groups: the places of the steps that are one each, in the order in which they were
                needed; a union that was made before is not made again.
            fields: say what a union has of its parts.
        """
        unions = [self.union(tuple(group), fields) for group in groups if len(group) > 1]
        places, made = [], len(self.steps)
        for group in groups:
            places.append(made if len(group) > 1 else group[0])
            made += len(group) > 1
        return ReadSteps.joined([self, *unions]).taken(places)

    def union(self, places: tuple[int, ...], fields: Sequence[Field[Any]]) -> "ReadSteps":
        """The union of some of the steps, which is kept for the next time.

        Args:
            places: in the order in which the steps were needed.
            fields: say what a union has of its parts.
        """
        if places not in self._unions:
            while len(self._unions) >= max(UNIONS, len(self.steps)):
                del self._unions[next(iter(self._unions))]
            self._unions[places] = self._new_union(places, fields)
        return self._unions[places]

    def _new_union(self, places: Sequence[int], fields: Sequence[Field[Any]]) -> "ReadSteps":
        step = union([self.steps[place] for place in places], fields)
        found = ReadSteps([step], self._rules_of, self)
        for field in fields:
            found.of(field)
        found._united = None  # it is kept here, and keeps nothing alive
        return found

    def renamed(self, steps: Iterable[Step]) -> "ReadSteps":
        """The same steps in other names; what has no other name in them stays read.

        Args:
            steps: one for each of these; it holds the same objects where nothing has another name.
        """
        found = ReadSteps(steps, self._rules_of, self)
        found._original = self
        return found

    def changed(self, field: Field[Any]) -> Sequence[int]:
        """The places of steps that say something in a field which they did not as recorded."""
        if self._original is None:
            return ()
        pairs = enumerate(zip(self.steps, self._original.steps, strict=True))
        # How arguments are compared may go by the tool.
        return [
            place
            for place, (ours, recorded) in pairs
            if ours is not recorded
            if ours.tool != recorded.tool
            or getattr(ours, field.name) is not getattr(recorded, field.name)
        ]

    @classmethod
    def joined(cls, parts: Sequence["ReadSteps"]) -> "ReadSteps":
        """The steps of several lists, one after the other; what was read of them stays read."""
        if len(parts) == 1:
            return parts[0]
        found = cls((step for part in parts for step in part.steps), parts[0]._rules_of)
        found._parts = parts
        return found

    def records(self, field: Field[Any]) -> bool:
        """Whether some step records a field."""
        if field.name not in self._recorded:
            self._recorded[field.name] = any(map(field.is_recorded, self.steps))
        return self._recorded[field.name]

    @cached_property
    def calls_tools(self) -> bool:
        """Whether some step is a tool call."""
        return any(step.kind == "tool" for step in self.steps)

    @cached_property
    def flat(self) -> npt.NDArray[np.bool_]:
        """Which steps have no steps inside."""
        return np.array([not step.substeps for step in self.steps], dtype=np.bool_)

    @cached_property
    def calls(self) -> npt.NDArray[np.bool_]:
        """Which steps are tool calls with recorded arguments."""
        calls = [step.kind == "tool" and step.arguments is not None for step in self.steps]
        return np.array(calls, dtype=np.bool_)

    def of(self, field: Field[T]) -> list[T]:
        """Returns what each step says in a field."""
        if field not in self._values:
            self._values[field] = self._read(field)
        return self._values[field]

    def _read(self, field: Field[T]) -> list[T]:
        if self._places is not None:
            values = self._parts[0].of(field)
            return [values[place] for place in self._places]
        if self._parts:
            return [value for part in self._parts for value in part.of(field)]
        if self._original is not None:
            places = self.changed(field)
            return _put(self._original.of(field), places, self._new(field, places))
        return self._new(field, range(len(self.steps)))

    def _new(self, field: Field[T], places: Iterable[int]) -> list[T]:
        """What some steps say that was not read before."""
        steps = [self.steps[place] for place in places]
        values = [field.read(step, self._rules_of(step.tool)) for step in steps]
        field.gather(values, self._united.of(field) if self._united else ())
        return values


def _put(values: Sequence[T], places: Iterable[int], new: Iterable[T]) -> list[T]:
    """The values with new ones at some places."""
    found = list(values)
    for place, value in zip(places, new, strict=True):
        found[place] = value
    return found
