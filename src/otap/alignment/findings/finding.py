"""One departure from the reference, as a record, and how its sentence names steps."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

from pydantic import BaseModel, ConfigDict, Field

from otap.errors import shown
from otap.trajectory import Step

Severity = Literal["critical", "major", "minor"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)  # the worst first
SHOWN = 30  # characters of a value in a sentence


class Departure(NamedTuple):
    """What a rule says of a finding; the record is made of it once all are known."""

    kind: str
    severity: Severity
    share: float | None
    sentence: str
    agent: tuple[str, ...] = ()
    reference: tuple[str, ...] = ()


class Finding(BaseModel):
    """One departure from the reference; ``agent`` and ``reference`` are step ids.

    ``share`` is the part of the loss that the steps or the edge account for, in [0, 1]; None for
    what is no part of the loss. Shares of different findings may overlap: a missing step also
    breaks what depended on it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: str
    severity: Severity = Field(
        description="critical: another or no effect on the world, or an answer that was not given; "
        "else major or minor."
    )
    agent: tuple[str, ...] = ()
    reference: tuple[str, ...] = ()
    tools: tuple[str, ...] = Field(
        (), description="The tools of the steps that it names, each once, those of the run first."
    )
    share: float | None
    sentence: str


def name_step(step: Step) -> str:
    """Returns a step's id, and its tool or else its action, as a sentence names it."""
    what = step.tool or step.action or step.kind
    return f"step {shown(step.id, 24)} ({shown(what, 40)})"


def name_steps(steps: Sequence[Step]) -> str:
    """Returns the names of some steps as an enumeration."""
    names = list(map(name_step, steps))
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def list_ids(*steps: Sequence[Step]) -> tuple[str, ...]:
    """Returns the ids of several lists of steps, one after the other."""
    return tuple(step.id for several in steps for step in several)
