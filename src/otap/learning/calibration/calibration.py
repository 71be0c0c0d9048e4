"""The record of a calibration, ``otap.calibration/1``: the same in Python and in JSON."""

from typing import Any, Literal

from pydantic import Field

from otap.findings import Severity
from otap.trajectory import FrozenRecord

SCHEMA_VERSION: Literal["otap.calibration/1"] = "otap.calibration/1"
On = Literal["score", "skill", "severity"]


class Share(FrozenRecord):
    """A share of runs with its 95 % interval clustered by task."""

    share: float
    low: float
    high: float


class Caught(FrozenRecord):
    """The share of some runs that raise an alarm."""

    runs: int
    tasks: int
    of_runs: Share = Field(description="Over all runs.")
    of_tasks: Share = Field(description="Mean over tasks of the share of their runs.")


class SeverityGate(FrozenRecord):
    """A gate on findings of a severity or worse."""

    severity: Severity
    stopped: float = Field(
        description="Share of the good runs that the gate stops; each task has the same weight."
    )
    most: float = Field(
        description="Upper bound of the share of good runs of new tasks that the gate stops: on "
        "average over calibrations, or with the confidence."
    )
    allowed: bool = Field(description="Whether the gate keeps the promise.")
    caught: Share | None = Field(description="Share of the bad runs; null: there are none.")


class Values(FrozenRecord):
    """The measured values, in ascending order.

    A severity is a number: 0 critical, 1 major, 2 minor, 3 no finding.
    """

    good: tuple[float, ...]
    bad: tuple[float, ...]


class Calibration(FrozenRecord):
    """A gate that limits the rate of false alarms on good runs of new tasks, or why there is none.

    A run raises an alarm if its value is below ``threshold``, or if it has a finding of
    ``severity`` or worse.
    """

    schema_version: Literal["otap.calibration/1"] = SCHEMA_VERSION
    on: On
    false_alarms: float = Field(description="The promised limit of the rate.")
    confidence: float | None = Field(
        description="Share of calibrations in which the limit holds; null: it holds on average."
    )
    threshold: float | None = Field(
        None, description="Of score or skill; null: none keeps the promise."
    )
    severity: Severity | None = Field(None, description="The gate on findings; null: none.")
    reason: str | None = Field(description="Why there is no gate; null: there is one.")
    tasks: int = Field(description="Number of tasks with good runs.")
    runs: int = Field(description="Number of good runs of these tasks.")
    fewest: int = Field(description="Number of tasks with good runs that the promise needs.")
    missing: int = Field(description="Number of these tasks that are missing.")
    spread: tuple[float, float] | None = Field(
        None,
        description="The true rate of one calibration of this size is in this interval nine times "
        "in ten; null: there is no gate.",
    )
    stopped: float | None = Field(
        None,
        description="Share of the good runs that raise an alarm; each task has the same weight.",
    )
    gates: tuple[SeverityGate, ...] = Field(description="The three gates on findings.")
    bad: Caught | None = Field(None, description="The bad runs; null: there are none.")
    own_references: bool | None = Field(
        description="Whether one good run of each task was its reference; null: results were read."
    )
    warnings: tuple[str, ...]
    values: Values
    signature: dict[str, Any]

    @property
    def has_gate(self) -> bool:
        """Whether there is a threshold or a gate on findings."""
        return self.reason is None

    def to_json(self, indent: int | None = None) -> str:
        """Returns the calibration as JSON; absent values are null."""
        return self.model_dump_json(indent=indent)
