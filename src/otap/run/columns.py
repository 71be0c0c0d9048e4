"""The content of a list of steps in columns, one for each field that is compared."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from otap._caching import cached_property
from otap.config.settings import Weights
from otap.run.settings import RulesOf
from otap.trajectory import Step

T = TypeVar("T")
Flags = npt.NDArray[np.bool_]

FIELDS = tuple(Weights.model_fields)  # in the order in which their costs are summed


class Column(ABC, Generic[T]):
    """Content that is read from each step of a list.

    Attributes:
        attributes: of a step, from which the content is read.
    """

    attributes: ClassVar[tuple[str, ...]]

    @abstractmethod
    def read(self, steps: Sequence[Step], rules_of: RulesOf) -> list[T]:
        """Returns the content of each step in the form in which it is compared.

        Args:
            steps: the steps.
            rules_of: returns the rules by which the arguments of a tool are compared, or None.
        """

    def gather(self, contents: Sequence[T], parts: Sequence[T]) -> None:
        """Makes contents that were read separately those of one run.

        Args:
            contents: as :meth:`read` returns them.
            parts: the contents of the single steps, if these are contents of merged steps.
        """


ColumnReader = Callable[[Column[Any]], list[Any]]


class StepColumns:
    """A list of steps; each column is read once, however often it is compared.

    Args:
        steps: the steps.
        rules_of: returns the rules by which the arguments of a tool are compared, or None.
        read_column: reads a column of steps that were made from other steps (default: from the
            steps themselves).
    """

    def __init__(
        self,
        steps: Iterable[Step],
        rules_of: RulesOf = lambda _: None,
        read_column: ColumnReader | None = None,
    ) -> None:
        self.steps: Sequence[Step] = tuple(steps)
        self.rules_of = rules_of
        self._read_column = read_column
        self._contents: dict[Column[Any], list[Any]] = {}

    def of(self, column: Column[T]) -> list[T]:
        """Returns the content of each step in a column, usually a field."""
        contents = self._contents.get(column)
        if contents is None:
            if self._read_column:
                contents = self._read_column(column)
            else:
                contents = column.read(self.steps, self.rules_of)
            self._contents[column] = contents
        return contents

    def select(self, indices: Sequence[int]) -> StepColumns:
        """Returns some of the steps, in this order; their columns are not read again."""
        return StepColumns(
            [self.steps[k] for k in indices],
            self.rules_of,
            lambda column: [self.of(column)[k] for k in indices],
        )

    @staticmethod
    def join(lists: Sequence[StepColumns]) -> StepColumns:
        """Returns the steps of several lists in one; their columns are not read again."""
        if len(lists) == 1:
            return lists[0]
        return StepColumns(
            [step for columns in lists for step in columns.steps],
            lists[0].rules_of,
            lambda column: [content for columns in lists for content in columns.of(column)],
        )

    def replace_steps(self, steps: Sequence[Step]) -> StepColumns:
        """Returns the columns of renamed steps; only contents that changed are read again.

        Args:
            steps: a renamed step for each step; unchanged attributes hold the same objects.
        """
        return StepColumns(steps, self.rules_of, lambda column: self._read_changed(steps, column))

    def _read_changed(self, steps: Sequence[Step], column: Column[T]) -> list[T]:
        contents = list(self.of(column))
        changed = [
            k
            for k, (old, new) in enumerate(zip(self.steps, steps, strict=True))
            if new is not old
            if any(getattr(new, name) is not getattr(old, name) for name in column.attributes)
        ]
        new_contents = self.read_with([steps[k] for k in changed], column)
        for k, content in zip(changed, new_contents, strict=True):
            contents[k] = content
        return contents

    def read_with(self, steps: Sequence[Step], column: Column[T]) -> list[T]:
        """Returns the contents of other steps in a column, compared as thoroughly as these."""
        contents = column.read(steps, self.rules_of)
        column.gather(contents, self.of(column))
        return contents

    @cached_property
    def observed(self) -> frozenset[str]:
        """The fields that some step records; a thought records as its tool that it calls none."""
        fields = {
            name for name in FIELDS if any(getattr(step, name) is not None for step in self.steps)
        }
        if any(step.kind == "reasoning" for step in self.steps):
            fields.add("tool")
        return frozenset(fields)

    @cached_property
    def calls_tools(self) -> bool:
        """Whether some step is a tool call."""
        return any(step.kind == "tool" for step in self.steps)

    @cached_property
    def flat(self) -> Flags:
        """Which steps have no sub-steps."""
        return np.array([not step.substeps for step in self.steps], dtype=np.bool_)

    @cached_property
    def calls(self) -> Flags:
        """Which steps are tool calls with recorded arguments."""
        return np.array(
            [step.kind == "tool" and step.arguments is not None for step in self.steps],
            dtype=np.bool_,
        )
