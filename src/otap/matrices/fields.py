"""What a list of steps records, by field, in the form in which it is compared."""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from otap.matrices.rules import Rules
from otap.matrices.texts import text_of
from otap.matrices.values import Value
from otap.trajectory import Step

T = TypeVar("T")
RulesOf = Callable[[str | None], Rules | None]


class Fields:
    """The steps of one side; each field is read once, however often it is compared.

    ``rules_of`` says how the arguments of a tool are compared.
    """

    def __init__(
        self,
        steps: Iterable[Step],
        parts: Sequence["Fields"] = (),
        rules_of: RulesOf = lambda _: None,
    ) -> None:
        self.steps: Sequence[Step] = tuple(steps)
        self._parts = parts
        self._rules_of = rules_of
        self._places: Sequence[int] | None = None  # which steps of the parts; all, where None

    def taken(self, places: Sequence[int]) -> "Fields":
        """Some of the steps, in this order; what was read of them stays read."""
        found = Fields((self.steps[place] for place in places), [self])
        found._places = places
        return found

    @classmethod
    def joined(cls, parts: Sequence["Fields"]) -> "Fields":
        """The steps of several sides, one after the other; what was read of them stays read."""
        if len(parts) == 1:
            return parts[0]
        return cls((step for part in parts for step in part.steps), parts)

    @cached_property
    def observed(self) -> frozenset[str]:
        """The fields that some step records.

        The tool field is observed unless every step is a tool call that does not name its tool.
        """
        observed = {
            field
            for field in ("action", "arguments", "effect", "state")
            if any(getattr(step, field) is not None for step in self.steps)
        }
        if any(step.kind == "reasoning" or step.tool is not None for step in self.steps):
            observed.add("tool")
        return frozenset(observed)

    @cached_property
    def calls_tools(self) -> bool:
        """Whether some step is a tool call."""
        return any(step.kind == "tool" for step in self.steps)

    @cached_property
    def calls(self) -> npt.NDArray[np.bool_]:
        """Which steps are tool calls with recorded arguments."""
        calls = [step.kind == "tool" and step.arguments is not None for step in self.steps]
        return np.array(calls, dtype=np.bool_)

    @cached_property
    def tools(self) -> frozenset[str | None]:
        """The tools that are called."""
        return frozenset(step.tool for step in self.steps if step.kind == "tool")

    @cached_property
    def actions(self) -> list[str]:
        """The text of each step's action."""
        return self._of_each("actions", lambda step: text_of(step.action))

    @cached_property
    def effects(self) -> list[str]:
        """The text of each step's effect."""
        return self._of_each("effects", lambda step: text_of(step.effect))

    @cached_property
    def arguments(self) -> list[Value]:
        """Each step's arguments as structure."""
        return self._of_each("arguments", self._arguments)

    @cached_property
    def argument_texts(self) -> list[str]:
        """Each step's arguments as one text."""
        return self._of_each("argument_texts", lambda step: text_of(step.arguments))

    @cached_property
    def states(self) -> list[Value]:
        """Each step's state as structure."""
        return self._of_each("states", lambda step: Value(step.state))

    @cached_property
    def state_texts(self) -> list[str]:
        """Each step's state as one text."""
        return self._of_each("state_texts", lambda step: text_of(step.state))

    def _arguments(self, step: Step) -> Value:
        return Value(step.arguments, rules=self._rules_of(step.tool))

    def _of_each(self, name: str, read: Callable[[Step], T]) -> list[T]:
        if self._places is not None:
            values = getattr(self._parts[0], name)
            return [values[place] for place in self._places]
        if self._parts:
            return [value for part in self._parts for value in getattr(part, name)]
        return [read(step) for step in self.steps]
