"""One departure from the reference as a record: how bad it is, and how its sentence names steps.

critical: the world is not as the reference leaves it, or the user lacks an answer that the
reference says must be given. major: what the run knew, or who took over, is another. minor: another
way to the same. A role counts in full where the reference counts steps of that role as much as
changes: where it does nothing but read, its reads.
"""

from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple, get_args

from pydantic import BaseModel, ConfigDict, Field

from otap.errors import shown
from otap.trajectory import Step

Severity = Literal["critical", "major", "minor"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)  # the worst first
WRITES, READS, THINKS, HANDS_OVER = "writes", "reads", "thinks", "hands_over"
BARRED = "forbidden"
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


def rate_missing(
    role: str, in_full: Collection[str], *, failed: bool = False, vital: bool = False
) -> Severity:
    """Returns how bad it is that the run lacks a step of the reference.

    Args:
        role: what the step does.
        in_full: the roles that count in full.
        failed: whether it failed in the reference too.
        vital: whether the goal cannot be reached without it.
    """
    if failed:
        return "minor"
    if role == WRITES or role in in_full or (vital and role == READS):
        return "critical"
    return "minor" if role == THINKS else "major"


def rate_extra(role: str, in_full: Collection[str], *, failed: bool = False) -> Severity:
    """Returns how bad a step is that the reference lacks; one that failed changed nothing.

    Nor is anything bad where nothing counts in full, as besides a reference that allows it.
    """
    if failed or (not in_full and role != BARRED):
        return "minor"
    if role in (WRITES, BARRED):
        return "critical"
    return "major" if role == HANDS_OVER or role in in_full else "minor"


def rate_failure(role: str, in_full: Collection[str], *, needed: bool) -> Severity:
    """Returns how bad a failure is for which nothing made up.

    Args:
        role: what the step should have done.
        in_full: the roles that count in full.
        needed: whether a step of the reference for which it would stand is not done.
    """
    if role == WRITES and needed:
        return "critical"
    return "major" if role in (WRITES, HANDS_OVER) or role in in_full else "minor"


def rate_another_tool(role: str, wanted: str, in_full: Collection[str]) -> Severity:
    """Returns how bad another tool is: what the reference wanted is missing."""
    lost, instead = rate_missing(wanted, in_full), rate_extra(role, in_full)
    return min(lost, instead, key=SEVERITIES.index)


def rate_arguments(
    role: str, wanted: str, in_full: Collection[str], *, exact: bool = True
) -> Severity:
    """Returns how bad other values in the arguments of a call are.

    Args:
        role: what the step of the run does.
        wanted: what that of the reference does.
        in_full: the roles that count in full.
        exact: whether one is another exact value; else keys are missing, or prose contradicts.
    """
    if WRITES in (role, wanted) or wanted in in_full:
        return "critical" if exact else "major"
    return "minor"


def rate_order(
    ends: Collection[str], in_full: Collection[str], *, backwards: bool, feeds: bool
) -> Severity:
    """Returns how bad it is that a run turned an edge of the reference round, or lost it.

    Args:
        ends: the roles of the two steps of the reference and of their counterparts.
        in_full: the roles that count in full.
        backwards: whether the later one ran first.
        feeds: whether a step that writes follows from the edge.
    """
    if backwards and WRITES in ends:
        return "critical"
    if feeds and THINKS not in ends:
        return "major"
    return "major" if backwards and not set(ends).isdisjoint(in_full) else "minor"
