"""The comparison of two result files, ``otap.comparison/1``, in Python and in JSON."""

from typing import Any, Literal

from pydantic import Field

from otap.findings import Severity
from otap.trajectory import FrozenRecord

SCHEMA_VERSION: Literal["otap.comparison/1"] = "otap.comparison/1"
Verdict = Literal["better", "equal", "worse", "not enough evidence"]


class ComparedFile(FrozenRecord):
    """One of the two files: its runs, and the runs that are missing."""

    path: str
    runs: int
    scored: int
    failed: int = Field(description="Runs that could not be read, understood or scored.")
    unmatched: int = Field(description="Runs without a reference of their task.")
    failures: tuple[str, ...] = Field(description="The first failed runs with their errors.")
    tasks: int
    only_here: tuple[str, ...] = Field(description="Tasks that have a score only in this file.")
    missing: float = Field(description="The share of the runs to compare that have no score.")
    steps: float | None = Field(
        description="Mean steps of a run, over tasks; not part of the verdict."
    )
    tokens: float | None = Field(description="Mean tokens of a run; not part of the verdict.")


class Difference(FrozenRecord):
    """The change of a measure from BASE to NEW: a mean over tasks, which count equally."""

    measure: str
    tasks: int
    moved: int = Field(description="Tasks whose mean differs between the sides.")
    base: float
    new: float
    difference: float
    low: float | None = Field(description="Lower end of the 95 % interval; null: unbounded.")
    high: float | None
    p: float = Field(description="Two-sided p value of the sign-flip test by task.")
    p_corrected: float = Field(
        description="For score, p; for other measures, p corrected for their number (Holm)."
    )
    detectable: float | None = Field(
        description="The smallest true difference that this many tasks show in four of five cases."
    )


class More(FrozenRecord):
    """The sample needed for a verdict; null if no number is enough, or it is unknown."""

    tasks: int | None = Field(description="Tasks like these, in total.")
    repetitions: float | None = Field(description="Factor for the repetitions of these tasks.")


class TasksVerdict(FrozenRecord):
    """A verdict on some tasks, with its evidence."""

    verdict: Verdict
    reason: str
    tasks: int
    score: Difference | None
    more: More | None = Field(None, description="If there is not enough evidence.")


class TaskChange(FrozenRecord):
    """A task whose score changed, and the first new finding (or gone, if the score rose)."""

    task: str
    base: float
    new: float
    difference: float
    runs: tuple[int, int]
    kind: str | None = None
    tool: str | None = None
    severity: Severity | None = None
    finding: str | None = Field(None, description="Of NEW if the score fell, of BASE if it rose.")


class FindingChange(FrozenRecord):
    """A kind of finding of some tools: its count on each side, and the tasks that changed."""

    kind: str
    tool: str | None
    severity: Severity = Field(description="The worst severity on both sides.")
    base: int
    new: int
    came: int = Field(description="Tasks that have it only in NEW.")
    went: int = Field(description="Tasks that have it only in BASE.")
    p_corrected: float = Field(
        description="p value of a sign test of came and went, corrected for all findings (Holm)."
    )


class ConditionChange(FrozenRecord):
    """A task that was measured under different conditions on both sides."""

    task: str
    what: tuple[str, ...]


class Tries(FrozenRecord):
    """How often k tries solve a task, at least once (pass@k) and each time (pass^k)."""

    k: int
    tasks: int
    pass_at: tuple[float, float] = Field(description="pass@k of BASE and NEW.")
    pass_all: tuple[float, float] = Field(description="pass^k of BASE and NEW.")


class Comparison(FrozenRecord):
    """The comparison of two result files.

    The verdict is on all tasks that have a score in both files.
    """

    schema_version: Literal["otap.comparison/1"] = SCHEMA_VERSION
    base: ComparedFile
    new: ComparedFile
    tolerance: float
    verdict: Verdict
    reason: str
    everywhere: TasksVerdict = Field(description="On all tasks, under any conditions.")
    same_conditions: TasksVerdict | None = Field(
        description="On the tasks of equal conditions; null if all tasks have these."
    )
    measures: tuple[Difference, ...]
    tasks: tuple[TaskChange, ...] = Field(
        description="Tasks whose score changed, the largest change first."
    )
    findings: tuple[FindingChange, ...]
    conditions: tuple[ConditionChange, ...]
    tries: tuple[Tries, ...]
    signature: dict[str, Any]

    def to_json(self, indent: int | None = None) -> str:
        """Returns the comparison as JSON; a missing value is null."""
        return self.model_dump_json(indent=indent)
