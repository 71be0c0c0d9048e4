"""A line of a result file: the score of a run, or why it has none."""

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

from otap.errors import FormatError, shown
from otap.findings import Finding, Severity
from otap.scoring.result import Steps, is_of_nothing
from otap.trajectory import Finite, RunIdentity, Source, Tokens, first_problem

Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
FailureKind = Literal["read", "unmatched", "score"]


class _ResultPart(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)


class Failure(_ResultPart):
    """Why a run has no score.

    ``read``: it could not be read. ``unmatched``: its task has no reference. ``score``: it could
    not be scored against its references.
    """

    kind: FailureKind
    message: str


class Result(RunIdentity, _ResultPart):
    """The fields of a result line that analyses of many runs need.

    A line has the keys of ``otap.score/1``. A run without a score has the known keys of the run,
    ``error``, ``signature``, and ``references_digest``, which changes if any reference changes.
    Exactly one of ``score`` and ``error`` is set. ``embedded`` is whether the line contains the run
    and its best reference.
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
    embedded: Annotated[bool, BeforeValidator(lambda traces: traces is not None)] = Field(
        False, validation_alias=AliasChoices("traces")
    )

    @model_validator(mode="after")
    def _scored_or_not(self) -> Self:
        if (self.score is None) == (self.error is None):
            raise ValueError("a result has either a score or an error")
        return self

    @property
    def of_nothing(self) -> bool:
        """Whether neither side has a step, so that the score decides nothing."""
        return is_of_nothing(
            self.steps, self.conditions.get("answers_recorded"), self.conditions.get("reference")
        )


_Kind = TypeVar("_Kind", bound=Result)


def parse_result(line: bytes, where: str, kind: type[_Kind]) -> _Kind:
    """Parses a result line.

    Args:
        line: JSON.
        where: the file and line number, for the error.
        kind: the class of the result, which decides the fields to keep.

    Raises:
        FormatError: if the line is no result.
    """
    try:
        return kind.model_validate_json(line)
    except ValidationError as error:
        problem = first_problem(error)
    raise FormatError(f"{where}: not a result of otap evaluate: {problem}")


def list_differences(first: Mapping[str, Any], second: Mapping[str, Any]) -> str:
    """Returns the names of the settings in which two signatures differ, on one line."""
    names = sorted(key for key in {*first, *second} if first.get(key) != second.get(key))
    return shown(", ".join(names), 200)
