"""The record of a selection, ``otap.selection/1``: the same in Python and in JSON."""

from typing import Any, Literal

from pydantic import Field, PrivateAttr

from otap.trajectory import FrozenRecord, Source, Trajectory

SCHEMA_VERSION: Literal["otap.selection/1"] = "otap.selection/1"


class ChosenRun(FrozenRecord):
    """A run that was chosen as a reference."""

    id: str | None
    trial: str | int | None
    source: Source | None
    stands_for: int = Field(
        description="Number of runs whose nearest reference it is, itself included."
    )
    copies: int = Field(
        description="Number of these runs that differ from it by at most one look-up."
    )
    loss: float = Field(description="Mean loss between it and the runs that it stands for.")


class Coverage(FrozenRecord):
    """How well the best k references cover the runs."""

    k: int
    loss: float = Field(description="Mean loss between a run and its nearest reference.")
    covered: float = Field(description="1 - loss / the loss of one reference.")
    solved: float = Field(1.0, description="Always 1: no loss here is an estimate.")


class TaskSelection(FrozenRecord):
    """The references of one task."""

    task: str | None
    runs: int = Field(description="Number of good runs.")
    sampled: int = Field(description="Number of these that were compared; at most 2,000.")
    distinct: int = Field(description="Number of different runs among these.")
    chosen: tuple[ChosenRun, ...] = Field(
        description="The references; those that stand for most runs come first."
    )
    coverage: tuple[Coverage, ...]
    bend: int | None = Field(
        description="The number of references at which the curve bends; null: it does not bend."
    )
    pairs: int = Field(description="Number of pairs of different runs.")
    pairs_solved: int


class Selection(FrozenRecord):
    """References chosen among good runs; ``references`` has the runs themselves."""

    schema_version: Literal["otap.selection/1"] = SCHEMA_VERSION
    k: int
    good: int
    bad: int = Field(description="Number of bad runs, which are left out.")
    unknown: int = Field(description="Number of runs without outcome, which are left out.")
    tasks: tuple[TaskSelection, ...]
    signature: dict[str, Any]
    _references: tuple[Trajectory, ...] = PrivateAttr(())

    @property
    def references(self) -> tuple[Trajectory, ...]:
        """The chosen runs, task by task; their ``metadata.selection`` has the numbers."""
        return self._references

    def with_references(self, references: tuple[Trajectory, ...]) -> "Selection":
        """Returns the record with the runs themselves."""
        selection = self.model_copy()
        selection._references = references
        return selection

    def to_json(self, indent: int | None = None) -> str:
        """Returns the selection as JSON, without the runs; absent values are null."""
        return self.model_dump_json(indent=indent)
