"""One line of a result file: the score of a run, or why it has none."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from otap.alignment import Finding, Severity
from otap.errors import FormatError, shown
from otap.scoring.result import Steps, is_of_nothing
from otap.trajectory import Finite, Named, Source, Tokens, first_problem

Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
FailureKind = Literal["read", "unmatched", "score"]


class _Record(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)


class Failure(_Record):
    """Why a run has no score.

    ``read``: it could not be read; ``unmatched``: there is no reference of its task; ``score``: it
    was read, and cannot be scored against its references.
    """

    kind: FailureKind
    message: str


class Result(Named, _Record):
    """What a line of a result file says that one asks of many runs at once.

    A line has the keys of ``otap.score/1``; of a run without a score it has those of what is known
    of the run, ``error``, ``signature``, and ``references_digest``, which differs where any of the
    references that the runs were matched with does. Exactly one of ``score`` and ``error`` is set.
    ``embedded``: whether it carries the run and its best reference.
    """

    schema_version: Literal["otap.score/1"]
    id: str | None = None
    task: str | None = None
    trial: str | int | None = None
    outcome: Finite | None = None
    source: Source | None = None
    error: Failure | None = None
    score: Share | None = None
    skill: Share | None = None
    loss: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    precision: Share | None = None
    recall: Share | None = None
    losses: Mapping[str, Finite] = Field(default_factory=dict)
    severity: Severity | None = None
    findings: tuple[Finding, ...] = ()
    steps: Steps | None = None
    tokens: Tokens | None = None
    understood: bool = True
    converged: bool = True
    best_reference: str | None = None
    reference_sources: tuple[Source, ...] = ()
    conditions: Mapping[str, Any] = Field(default_factory=dict)
    signature: Mapping[str, Any]
    references_digest: str | None = None
    embedded: Annotated[bool, BeforeValidator(lambda found: found is not None)] = Field(
        False, validation_alias=AliasChoices("traces")
    )

    @model_validator(mode="after")
    def _scored_or_not(self) -> Self:
        if (self.score is None) == (self.error is None):
            raise ValueError("a result has either a score or an error")
        return self

    @property
    def of_nothing(self) -> bool:
        """Whether no step was held against no step: such a score decides nothing."""
        return is_of_nothing(self.steps, *map(self.conditions.get, ("told", "reference")))


_Kind = TypeVar("_Kind", bound=Result)


def parse_result(line: bytes, where: str, kind: type[_Kind]) -> _Kind:
    """Returns the result that a line holds.

    Args:
        line: JSON.
        where: the beginning of an error.
        kind: how much of the line is kept.

    Raises:
        FormatError: if it is no result.
    """
    try:
        return kind.model_validate_json(line)
    except ValidationError as error:
        problem = first_problem(error)
    raise FormatError(f"{where}: no result of otap evaluate: {problem}")


def list_differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """Returns the names of the settings in which two signatures differ, for one line."""
    names = sorted(key for key in {*one, *other} if one.get(key) != other.get(key))
    return shown(", ".join(names), 200)
