"""One difference from the reference as a record: its severity, and how its sentence names steps.

critical: the world is not as the reference leaves it, or the user lacks an answer that the
reference requires. major: the run knew something else, or handed over to somebody else. minor:
another way to the same result. A role has full weight if the reference does nothing weightier: if
it only reads, its reads count as much as changes.
"""

from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple, get_args

from pydantic import BaseModel, ConfigDict, Field

from otap.errors import shown
from otap.trajectory import Step

Severity = Literal["critical", "major", "minor"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)  # the worst first
WRITES, READS, THINKS, HANDOFF = "writes", "reads", "thinks", "handoff"
BARRED = "forbidden"
MAX_VALUE = 30  # characters of a value in a sentence
COMMAND_SHOWN = 60  # characters of a command in a sentence
_COMMANDS = ("command", "cmd", "script", "sql", "query")  # arguments that say all that a call does


class Deviation(NamedTuple):
    """The fields of a finding; the records are validated together.

    ``answer`` is the required answer that it is about. It is part of the finding's id alone.
    """

    kind: str
    severity: Severity
    share: float | None
    sentence: str
    agent: tuple[str, ...] = ()
    reference: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    answer: str = ""


class Finding(BaseModel):
    """One difference from the reference; ``agent`` and ``reference`` are step ids.

    ``share`` is the part of the loss that the steps or the edge account for, before the severity
    band, in [0, 1]. The penalties of two steps that the finding pairs belong to it. It is None for
    a finding that is no part of the loss. Shares of different findings may overlap: a missing step
    also breaks the steps that depend on it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    id: str = Field(
        "",
        description="A short name, the same for the same difference of the task; empty in results "
        "of earlier versions.",
    )
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
    paths: tuple[str, ...] = Field(
        (), description="The paths of the arguments that differ, if it is about values."
    )
    share: float | None
    sentence: str


def name_step(step: Step) -> str:
    """Returns a step's id, and its tool, action or kind, as a sentence names it."""
    name = step.tool or step.action or step.kind
    return f"step {shown(step.id, 24)} ({shown(name, 40)})"


def name_call(step: Step) -> str:
    """Returns the name of a step, with the command that it ran, if its arguments are one."""
    command = step.arguments
    if isinstance(command, dict):
        command = next((command[key] for key in _COMMANDS if key in command), None)
    if not isinstance(command, str) or not command.strip():
        return name_step(step)
    name = step.tool or step.action or step.kind
    return f"step {shown(step.id, 24)} ({shown(name, 40)} `{shown(command, COMMAND_SHOWN)}`)"


def name_steps(steps: Sequence[Step]) -> str:
    """Returns the names of some steps as an enumeration."""
    return _enumerate([name_step(step) for step in steps])


def name_calls(steps: Sequence[Step]) -> str:
    """Returns the names of some steps as an enumeration, with their commands."""
    return _enumerate([name_call(step) for step in steps])


def _enumerate(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def list_ids(*steps: Sequence[Step]) -> tuple[str, ...]:
    """Returns the ids of several lists of steps, one after the other."""
    return tuple(step.id for several in steps for step in several)


def rate_missing(
    role: str, full_weight_roles: Collection[str], *, failed: bool = False, vital: bool = False
) -> Severity:
    """Returns the severity of a step of the reference that the run lacks.

    Args:
        role: the role of the step.
        full_weight_roles: the roles with full weight.
        failed: whether it failed in the reference too.
        vital: whether the goal cannot be reached without it.
    """
    if failed:
        return "minor"
    if role == WRITES or role in full_weight_roles or (vital and role == READS):
        return "critical"
    return "minor" if role == THINKS else "major"


def rate_extra(role: str, full_weight_roles: Collection[str], *, failed: bool = False) -> Severity:
    """Returns the severity of a step that the reference lacks.

    A failed step changed nothing. If no role has full weight, the reference allows other steps.
    """
    if failed or (not full_weight_roles and role != BARRED):
        return "minor"
    if role in (WRITES, BARRED):
        return "critical"
    is_weighty = role in full_weight_roles and role != READS
    return "major" if role == HANDOFF or is_weighty else "minor"


def rate_failure(role: str, full_weight_roles: Collection[str], *, needed: bool) -> Severity:
    """Returns the severity of a failure for which no later step made up.

    Args:
        role: the role of the step.
        full_weight_roles: the roles with full weight.
        needed: whether a step of the reference that it was aimed at is not done.
    """
    if role == WRITES and needed:
        return "critical"
    return "major" if role in (WRITES, HANDOFF) or role in full_weight_roles else "minor"


def rate_another_tool(
    role: str, expected_role: str, full_weight_roles: Collection[str]
) -> Severity:
    """Returns the severity of another tool: the expected call is missing, and this one is extra."""
    missing = rate_missing(expected_role, full_weight_roles)
    extra = rate_extra(role, full_weight_roles)
    return min(missing, extra, key=SEVERITIES.index)


def rate_arguments(
    role: str, expected_role: str, full_weight_roles: Collection[str], *, in_write: Severity
) -> Severity:
    """Returns the severity of other values in the arguments of a call.

    Args:
        role: the role of the run's step.
        expected_role: the role of the reference's step.
        full_weight_roles: the roles with full weight.
        in_write: the severity of the worst of the values in a call that writes.
    """
    if WRITES in (role, expected_role) or expected_role in full_weight_roles:
        return in_write
    return "minor"


def rate_order(
    ends: Collection[str], full_weight_roles: Collection[str], *, backwards: bool, feeds: bool
) -> Severity:
    """Returns the severity of an edge that a run reversed or lost.

    Args:
        ends: the roles of the two steps of the reference and of their counterparts.
        full_weight_roles: the roles with full weight.
        backwards: whether the later step ran first.
        feeds: whether a step that writes follows from the edge.
    """
    if backwards and WRITES in ends:
        return "critical"
    if feeds and THINKS not in ends:
        return "major"
    return "major" if backwards and not set(ends).isdisjoint(full_weight_roles) else "minor"
