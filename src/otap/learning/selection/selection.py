"""The record of a selection, ``otap.selection/1``: the same in Python and in JSON."""

from typing import Any, Literal

from pydantic import Field, PrivateAttr

from otap.learning.record import Record
from otap.trajectory import Source, Trajectory

SCHEMA_VERSION: Literal["otap.selection/1"] = "otap.selection/1"


class Chosen(Record):
    """A run that was chosen as a reference."""

    id: str | None
    trial: str | int | None
    source: Source | None
    stands_for: int = Field(description="Runs that it is the nearest reference of, itself too.")
    copies: int = Field(description="Of these, runs that differ from it by less than one look-up.")
    loss: float = Field(description="Mean loss between it and the runs that it stands for.")


class Coverage(Record):
    """How well so many references, the best so many, cover the runs."""

    k: int
    loss: float = Field(description="Mean loss between a run and its nearest reference.")
    covered: float = Field(description="1 - loss / the loss of one reference.")
    solved: float = Field(1.0, description="Always 1: no loss here is an estimate.")


class TaskSelection(Record):
    """The references of one task."""

    task: str | None
    runs: int = Field(description="Runs known to be good.")
    drawn: int = Field(description="Runs that were looked at: of very many a part.")
    distinct: int = Field(description="Of these, runs of which no two are compared alike.")
    chosen: tuple[Chosen, ...] = Field(description="Those that stand for most first.")
    coverage: tuple[Coverage, ...]
    bend: int | None = Field(
        description="The number of references at which the curve bends; null: it does not."
    )
    pairs: int = Field(description="Pairs of distinct runs.")
    pairs_solved: int


class Selection(Record):
    """References chosen among good runs; ``references`` are the runs themselves."""

    schema_version: Literal["otap.selection/1"] = SCHEMA_VERSION
    k: int
    good: int
    bad: int = Field(description="Runs that were left out as no good ones.")
    unknown: int = Field(description="Runs that were left out as nobody says how they ended.")
    tasks: tuple[TaskSelection, ...]
    signature: dict[str, Any]
    _references: tuple[Trajectory, ...] = PrivateAttr(())

    @property
    def references(self) -> tuple[Trajectory, ...]:
        """The runs that were chosen, task by task; ``metadata.selection`` says what each is for."""
        return self._references

    def with_references(self, references: tuple[Trajectory, ...]) -> "Selection":
        """Returns the record with the runs themselves."""
        found = self.model_copy()
        found._references = references
        return found

    def to_json(self, indent: int | None = None) -> str:
        """Returns the selection as JSON, without the runs; absent is null."""
        return self.model_dump_json(indent=indent)
