"""The record of a calibration, ``otap.calibration/1``: the same in Python and in JSON."""

from typing import Any, Literal

from pydantic import Field

from otap.alignment import Severity
from otap.learning.record import Record

SCHEMA_VERSION: Literal["otap.calibration/1"] = "otap.calibration/1"
On = Literal["score", "skill", "severity"]


class Share(Record):
    """A share of runs, with its 95 % interval clustered by task."""

    share: float
    low: float
    high: float


class Caught(Record):
    """How many of some runs raise the alarm."""

    runs: int
    tasks: int
    of_runs: Share = Field(description="Of all runs alike.")
    of_tasks: Share = Field(description="The mean over tasks of the share of their runs.")


class Broken(Record):
    """Good runs changed on purpose in one way: what raises the alarm of them."""

    family: str = Field(description="P1 to P3 leave a run valid, P4 and P5 damage it.")
    edits: tuple[str, ...] | None = Field(description="null: all ways of the family together.")
    valid: bool = Field(description="true: an alarm is a false one; false: it catches damage.")
    alarms: Caught | None = Field(description="null: no run has a place for such an edit.")


class SeverityGate(Record):
    """A gate on findings that are at least so bad."""

    severity: Severity
    stopped: float = Field(description="Share of the good runs, each task counting once.")
    most: float = Field(
        description="Share of good runs of new tasks at most: on average over calibrations, or "
        "with the confidence."
    )
    allowed: bool = Field(description="Whether the promise allows this gate.")
    caught: Share | None = Field(description="Share of the bad runs; null: there are none.")


class Values(Record):
    """What was calibrated on, and what was held against the threshold, in ascending order.

    Of a severity: 0 critical, 1 major, 2 minor, 3 no finding.
    """

    good: tuple[float, ...]
    bad: tuple[float, ...]
    broken: tuple[float, ...] = Field((), description="Of the families that damage.")


class Calibration(Record):
    """A threshold that holds a rate of false alarms on good runs of new tasks, or why none does.

    A run raises the alarm if its value is below ``threshold``, or if it has a finding as bad as
    ``severity`` or worse.
    """

    schema_version: Literal["otap.calibration/1"] = SCHEMA_VERSION
    on: On
    false_alarms: float = Field(description="The rate that is promised.")
    confidence: float | None = Field(
        description="In what share of calibrations the rate holds; null: on average over them."
    )
    threshold: float | None = Field(
        None, description="Of score or skill; null: none can be promised."
    )
    severity: Severity | None = Field(None, description="The gate on findings; null: none.")
    reason: str | None = Field(description="Why there is no threshold; null: there is one.")
    tasks: int = Field(description="Tasks with good runs, each counting once.")
    runs: int = Field(description="Good runs of these.")
    fewest: int = Field(description="Tasks with good runs that the promise takes.")
    missing: int = Field(description="How many of them are not there.")
    spread: tuple[float, float] | None = Field(
        None,
        description="The true rate of one calibration of this size lies here nine times in ten; "
        "null: there is no threshold.",
    )
    stopped: float | None = Field(
        None,
        description="The share of the good runs that the alarm stops, each task counting once.",
    )
    gates: tuple[SeverityGate, ...] = Field(description="Of a severity: all three gates.")
    bad: Caught | None = Field(None, description="Runs known to be bad; null: there are none.")
    broken: tuple[Broken, ...] = Field((), description="Empty: no run was at hand to be changed.")
    own_references: bool | None = Field(
        description="Whether of each task a good run was the reference; null: results were read."
    )
    warnings: tuple[str, ...]
    values: Values
    signature: dict[str, Any]

    @property
    def found(self) -> bool:
        """Whether there is a threshold."""
        return self.reason is None

    def to_json(self, indent: int | None = None) -> str:
        """Returns the calibration as JSON; absent is null."""
        return self.model_dump_json(indent=indent)
