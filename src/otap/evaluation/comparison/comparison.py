"""The record of a comparison, ``otap.comparison/1``: the same in Python and in JSON."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from otap.alignment import Severity

SCHEMA_VERSION: Literal["otap.comparison/1"] = "otap.comparison/1"
Verdict = Literal["better", "equal", "worse", "not enough evidence"]


class ComparisonPart(BaseModel):
    """A part of ``otap.comparison/1``."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Side(ComparisonPart):
    """One of both files: what it holds, and what it has no score of."""

    path: str
    runs: int
    scored: int
    failed: int = Field(description="Runs that could not be read, understood or scored.")
    unmatched: int = Field(description="Runs without a reference of their task.")
    failures: tuple[str, ...] = Field(description="What failed, and why: the first ones.")
    tasks: int
    only_here: tuple[str, ...] = Field(
        description="Tasks that have a score in this file, and none in the other."
    )
    missing: float = Field(
        description="The share without a score of the runs that should be compared."
    )
    steps: float | None = Field(description="Steps a run, a mean over tasks; no part of a verdict.")
    tokens: float | None = Field(description="Tokens a run; no part of a verdict.")


class Difference(ComparisonPart):
    """How much a measure moved from BASE to NEW: a mean over tasks, each counting once."""

    measure: str
    tasks: int
    moved: int = Field(description="Tasks whose mean is not the same on both sides.")
    base: float
    new: float
    difference: float
    low: float | None = Field(description="Lower end of the 95 % interval; null: unbounded.")
    high: float | None
    p: float = Field(description="Of the sign-flip test by task, two-sided.")
    p_corrected: float = Field(
        description="Of score as it is; of the other measures corrected for their number (Holm)."
    )
    detectable: float | None = Field(
        description="The smallest true difference that so many tasks show in four of five cases."
    )


class More(ComparisonPart):
    """What would tell; null: no such number would, or none is known."""

    tasks: int | None = Field(description="So many tasks like these, in all.")
    repetitions: float | None = Field(description="So many times the repetitions of these tasks.")


class Judgement(ComparisonPart):
    """A verdict on some tasks, and what it rests on."""

    verdict: Verdict
    reason: str
    tasks: int
    score: Difference | None
    more: More | None = Field(None, description="Where there is not enough evidence.")


class TaskChange(ComparisonPart):
    """A task whose score moved, and the first finding that came (or went, if it rose)."""

    task: str
    base: float
    new: float
    difference: float
    runs: tuple[int, int]
    kind: str | None = None
    tool: str | None = None
    severity: Severity | None = None
    finding: str | None = Field(None, description="Of NEW if the task fell, of BASE if it rose.")


class FindingChange(ComparisonPart):
    """A kind of finding, of some tools: how often on each side, and in which tasks it moved."""

    kind: str
    tool: str | None
    severity: Severity = Field(description="The worst that was seen.")
    base: int
    new: int
    came: int = Field(description="Tasks that have it in NEW alone.")
    went: int = Field(description="Tasks that have it in BASE alone.")
    p_corrected: float = Field(
        description="Of a sign test of came against went, corrected for all findings (Holm)."
    )


class ConditionChange(ComparisonPart):
    """A task that both sides did not measure in the same way."""

    task: str
    what: tuple[str, ...]


class Tries(ComparisonPart):
    """How often tasks are solved in k tries, on both sides: at least once, and each time."""

    k: int
    tasks: int
    pass_at: tuple[float, float] = Field(description="pass@k of BASE and NEW.")
    pass_all: tuple[float, float] = Field(description="pass^k of BASE and NEW.")


class Comparison(ComparisonPart):
    """Two result files compared; ``verdict`` is on all tasks that both have a score of."""

    schema_version: Literal["otap.comparison/1"] = SCHEMA_VERSION
    base: Side
    new: Side
    tolerance: float
    verdict: Verdict
    reason: str
    everywhere: Judgement = Field(description="On all tasks, whatever their conditions.")
    same_conditions: Judgement | None = Field(
        description="On the tasks of equal conditions; null: all are."
    )
    measures: tuple[Difference, ...]
    tasks: tuple[TaskChange, ...] = Field(description="Those that moved, the most first.")
    findings: tuple[FindingChange, ...]
    conditions: tuple[ConditionChange, ...]
    tries: tuple[Tries, ...]
    signature: dict[str, Any]

    def to_json(self, indent: int | None = None) -> str:
        """Returns the comparison as JSON; absent is null."""
        return self.model_dump_json(indent=indent)
