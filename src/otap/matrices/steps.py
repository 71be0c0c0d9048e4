"""What a list of steps records, by field, in the form in which it is compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from otap._caching import cached_property
from otap.matrices.fields import Field, RulesOf, fields_compared
from otap.trajectory import Step

T = TypeVar("T")
Marks = npt.NDArray[np.bool_]
_Read = Callable[[Field[Any]], list[Any]]


class ReadSteps:
    """Some steps, of which each field is read once, however often it is compared.

    Args:
        steps: the steps.
        rules_of: says how the arguments of a tool are compared; None: by no rule.
        read: reads a field of steps that are made of other ones; None: these are not.
    """

    def __init__(
        self,
        steps: Iterable[Step],
        rules_of: RulesOf = lambda _: None,
        read: _Read | None = None,
    ) -> None:
        self.steps: Sequence[Step] = tuple(steps)
        self.rules_of = rules_of
        self.bounds: dict[str, Any] = {}  # what bounds of unions look at, by field
        self._read = read
        self._original: ReadSteps | None = None  # these steps in the names that were recorded
        self._columns: dict[Field[Any], list[Any]] = {}

    def of(self, field: Field[T]) -> list[T]:
        """Returns what each step says in a field."""
        column = self._columns.get(field)
        if column is None:
            column = self._columns[field] = (self._read or self._read_alone)(field)
        return column

    def _read_alone(self, field: Field[T]) -> list[T]:
        values = field.read(self.steps, self.rules_of)
        field.gather(values, ())
        return values

    def taken(self, places: Sequence[int]) -> ReadSteps:
        """Some of the steps, in this order; what was read of them stays read."""
        steps = map(self.steps.__getitem__, places)
        return ReadSteps(
            steps, self.rules_of, lambda field: list(map(self.of(field).__getitem__, places))
        )

    @staticmethod
    def joined(parts: Sequence[ReadSteps]) -> ReadSteps:
        """The steps of several lists, one after the other; what was read of them stays read."""
        if len(parts) == 1:
            return parts[0]
        return ReadSteps(
            chain.from_iterable(part.steps for part in parts),
            parts[0].rules_of,
            lambda field: [value for part in parts for value in part.of(field)],
        )

    def renamed(self, steps: Iterable[Step]) -> ReadSteps:
        """The same steps in other names; what has no other name in them stays read.

        Args:
            steps: one for each of these; it holds the same objects where nothing has another name.
        """
        named = tuple(steps)
        found = ReadSteps(named, self.rules_of, lambda field: self._read_renamed(named, field))
        found._original = self
        return found

    def _read_renamed(self, named: Sequence[Step], field: Field[T]) -> list[T]:
        values = list(self.of(field))
        places = _changed(self.steps, named, field)
        for place, value in zip(
            places, self.read_with([named[k] for k in places], field), strict=True
        ):
            values[place] = value
        return values

    def read_with(self, steps: Sequence[Step], field: Field[T]) -> list[T]:
        """Returns what other steps say in a field, compared as thoroughly as these are."""
        values = field.read(steps, self.rules_of)
        field.gather(values, self.of(field))
        return values

    def changed(self, field: Field[Any]) -> Sequence[int]:
        """The places of steps that say something in a field which they did not as recorded."""
        return _changed(self._original.steps, self.steps, field) if self._original else ()

    @cached_property
    def observed(self) -> frozenset[str]:
        """The fields that some step records."""
        fields = fields_compared("structured")
        return frozenset([field.name for field in fields if field.is_recorded(self.steps)])

    @cached_property
    def calls_tools(self) -> bool:
        """Whether some step is a tool call."""
        return "tool" in [step.kind for step in self.steps]

    @cached_property
    def flat(self) -> Marks:
        """Which steps have no steps inside."""
        return np.array([not step.substeps for step in self.steps], dtype=np.bool_)

    @cached_property
    def calls(self) -> Marks:
        """Which steps are tool calls with recorded arguments."""
        calls = [step.kind == "tool" and step.arguments is not None for step in self.steps]
        return np.array(calls, dtype=np.bool_)


def _changed(recorded: Sequence[Step], named: Sequence[Step], field: Field[Any]) -> list[int]:
    """The places of steps that say something else in a field under other names."""
    return [
        place
        for place, (before, now) in enumerate(zip(recorded, named, strict=True))
        if now is not before
        # How arguments are compared may go by the tool.
        if now.tool != before.tool or getattr(now, field.name) is not getattr(before, field.name)
    ]
