"""A plan, ``otap.plan/1``: its model, and what one run is to be compared with of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    PrivateAttr,
    StrictBool,
    ValidationError,
    model_validator,
)

from otap._patterns import regex
from otap.errors import FormatError, shown
from otap.plans.patterns import check_arguments, check_glob, list_from
from otap.trajectory import MAX_ANSWERS, Step, Trajectory, find_cycle, first_problem

SCHEMA_VERSION: Literal["otap.plan/1"] = "otap.plan/1"
MAX_PLAN_STEPS = 500  # of a plan, those inside alternatives included
MAX_NESTED = 4  # levels of alternatives inside alternatives
MAX_ALTERNATIVES = 26  # of one step
MAX_TIMES = 1_000  # how often a step may be due
MAX_NAMES = 100  # of tools in one step

_KIND = regex(r"\.(?:str|list\[[^\]]*\])(?=[.:\[])")  # what pydantic adds to a place: a type

Need = Literal["required", "optional", "forbidden"]
Times = tuple[int, int | None]


def _check_tool(tool: str | list[str]) -> str | list[str]:
    for name in [tool] if isinstance(tool, str) else tool:
        if not name.strip():
            raise ValueError("the name of a tool is blank")
        check_glob(name)
    return tool


def _check_arguments(arguments: dict[str, JsonValue]) -> dict[str, JsonValue]:
    check_arguments(arguments)
    return arguments


def _as_times(times: Any) -> Any:
    """Returns how often, as [least, most]: 3 is [3, 3], and [1] is at least once."""
    if isinstance(times, int) and not isinstance(times, bool):
        return [times, times]
    if isinstance(times, list) and len(times) == 1:
        return [times[0], None]
    return times


Count = Annotated[int, Field(ge=0, le=MAX_TIMES)]


class PlanStep(BaseModel):
    """One step of a plan: a call of a tool, or alternatives of which one is due."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str | None = Field(None, min_length=1, description="A name for 'after' and 'from'.")
    _numbered: bool = PrivateAttr(default=False)
    tool: Annotated[
        str | Annotated[list[str], Field(min_length=1, max_length=MAX_NAMES)] | None,
        AfterValidator(lambda tool: tool if tool is None else _check_tool(tool)),
    ] = Field(None, description="A name, a list of names of which any will do, or a glob.")
    arguments: Annotated[
        dict[str, JsonValue] | None, AfterValidator(lambda one: one and _check_arguments(one))
    ] = Field(None, description="What the call says; values may be patterns. Left out: anything.")
    partial: StrictBool = Field(False, description="Whether keys that are not named are free.")
    need: Need = "required"
    times: Annotated[tuple[Count, Count | None] | None, BeforeValidator(_as_times)] = Field(
        None,
        description="[least, most], [least] or one number.",
        json_schema_extra={
            "anyOf": [
                {"type": "integer"},
                {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 2},
            ]
        },
    )
    after: list[str] = Field([], description="Steps that come before, if they happen.")
    one_of: Annotated[
        list[Annotated[list["PlanStep"], Field(min_length=1)]] | None,
        Field(
            min_length=1,
            max_length=MAX_ALTERNATIVES,
            description="In place of 'tool': alternatives, of which one is due.",
        ),
    ] = None

    @model_validator(mode="after")
    def _check(self) -> "PlanStep":
        if (self.tool is None) == (self.one_of is None):
            raise ValueError("needs either 'tool' or 'one_of'")
        if self.one_of is not None and (self.arguments is not None or self.partial):
            raise ValueError("alternatives have no 'arguments' of their own; their steps have")
        if self.times is not None and self.need != "required":
            raise ValueError("say either 'times' or 'need'; [0, 1] is optional, [0, 0] forbidden")
        if self.one_of is not None and (self.is_forbidden or self.times is not None):
            raise ValueError("alternatives can be required or optional, once")
        least, most = self.bounds
        if most is not None and most < least:
            raise ValueError("'times' says first the least number, then the most")
        return self

    @property
    def bounds(self) -> Times:
        """How often it is due, at least and at most."""
        by_need: dict[Need, Times] = {"required": (1, 1), "optional": (0, 1), "forbidden": (0, 0)}
        return self.times or by_need[self.need]

    @property
    def is_named(self) -> bool:
        """Whether the file gives it an id, and not its number."""
        return not self._numbered

    @property
    def asked(self) -> str:
        """One text for steps that ask for the same call."""
        return self.model_dump_json(include={"tool", "arguments", "partial"})

    @property
    def is_forbidden(self) -> bool:
        """Whether it must not happen."""
        return self.bounds == (0, 0)

    @property
    def tools(self) -> Sequence[str]:
        """The names, or globs, of its tools; those of alternatives have their own."""
        return [self.tool] if isinstance(self.tool, str) else self.tool or ()


class PlanFile(BaseModel):
    """A plan as it is written."""

    model_config = ConfigDict(extra="forbid", frozen=True, title="Plan")

    schema_version: Literal["otap.plan/1"]
    id: str | None = None
    task: str | None = Field(None, description="Pairs runs with the plan.")
    request: str | list[str] = Field([], description="What the user asks for.")
    steps: list[PlanStep] = []
    must_tell: list[str] = Field([], max_length=MAX_ANSWERS, description="What must be told.")
    others: Literal["none", "reads", "free"] = Field(
        "reads", description="What a run may do besides."
    )
    only_changes: bool | None = Field(
        None, description="Whether looks never count as much as changes."
    )
    metadata: dict[str, JsonValue] = Field(default_factory=dict)


@dataclass(frozen=True)
class Demands:
    """What a plan asks of one run, in words, where it is not met.

    Attributes:
        allowed: by step and path in its arguments, what is allowed there.
        forbidden: by step of the run why it must not be.
        missing: by step what is said where it is missing.
        is_closed: whether nothing may be done besides, looks included.
        is_plan: whether a plan asks at all, or the reference is a recorded run.
    """

    allowed: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    forbidden: Mapping[str, str] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)
    is_closed: bool = False
    is_plan: bool = False


NO_DEMANDS = Demands()


class Plan(Trajectory):
    """A plan as a reference: it stands for all runs that fulfil it.

    Its ``steps`` are the calls that it names, for what tells references apart; the plan itself is
    in ``listed``.
    """

    listed: tuple[PlanStep, ...] = ()
    written: dict[str, JsonValue] = Field(default_factory=dict)  # as its file has it
    others: Literal["none", "reads", "free"] = "reads"


class Member(Trajectory):
    """One of the runs that a plan stands for: the nearest to a run, as far as can be said."""

    _demands: Demands = PrivateAttr(default=NO_DEMANDS)

    @property
    def demands(self) -> Demands:
        """What the plan asks of the run that this was made for."""
        return self._demands


def parse_plan(data: Any, where: object = "plan", lines: Sequence[int] = ()) -> Plan:
    """Makes a plan of plain data, as TOML and JSON give it.

    Args:
        data: the data.
        where: the beginning of an error, as its ``str``.
        lines: the lines in which its steps begin, where that is known.

    Raises:
        FormatError: with the place of the first bad field.
    """
    try:
        file = PlanFile.model_validate(data)
        _check_steps(file.steps)
    except ValidationError as error:
        place = error.errors(include_url=False)[0]["loc"]
        known = place[:1] == ("steps",) and len(place) > 1 and place[1] in range(len(lines))
        line = f"line {lines[int(place[1])]}: " if known else ""
        said = _KIND.sub("", first_problem(error))
        raise FormatError(f"{where}: {line}{said}") from None
    except ValueError as error:
        raise FormatError(f"{where}: {error}") from None
    metadata: dict[str, Any] = dict(file.metadata)
    metadata["reference"] = "complete" if file.others == "none" else "required"
    if file.others == "free":
        metadata["others"] = "allowed"
    if file.only_changes is not None:
        metadata["only_changes"] = file.only_changes
    listed = tuple(_name_steps(file.steps))
    return Plan(
        id=file.id,
        task=file.task,
        request=(file.request,) if isinstance(file.request, str) else tuple(file.request),
        steps=tuple(map(_as_step, each_step(listed))),
        must_tell=tuple(file.must_tell),
        metadata=metadata,
        listed=listed,
        written=file.model_dump(mode="json", exclude_unset=True),
        others=file.others,
    )


def each_step(steps: Sequence[PlanStep]) -> Iterator[PlanStep]:
    """Yields all steps of a plan that name a tool, those of alternatives included."""
    for step in steps:
        if step.one_of is None:
            yield step
        for several in step.one_of or ():
            yield from each_step(several)


def describe_content(step: PlanStep) -> str:
    """Returns one text for steps that ask for the same, whatever they are called."""
    inner = [list(map(describe_content, several)) for several in step.one_of or ()]
    return f"{step.model_dump_json(exclude={'id', 'one_of'})}{inner}"


def _as_step(step: PlanStep) -> Step:
    return Step(id=str(step.id), tool=step.tools[0])


def _name_steps(steps: Sequence[PlanStep], above: str = "") -> Iterator[PlanStep]:
    """Gives each step that has no id its number."""
    for number, step in enumerate(steps, 1):
        name = step.id or f"{above}{number}"
        inner = step.one_of and [
            list(_name_steps(several, f"{name}{chr(97 + k)}"))
            for k, several in enumerate(step.one_of)
        ]
        named = step.model_copy(update={"id": name, "one_of": inner})
        named._numbered = step.id is None
        yield named


def _check_steps(steps: Sequence[PlanStep]) -> None:
    """Refuses too many steps, ids that are there twice or unknown, and circles.

    Raises:
        ValueError: that says which.
    """
    found: dict[str, list[str]] = {}
    named = list(_name_steps(steps))
    for step in _walk(named, 0):
        if step.id in found:
            raise ValueError(f"steps: the id '{shown(step.id)}' appears twice")
        found[str(step.id)] = list(step.after)
        if len(found) > MAX_PLAN_STEPS:
            raise ValueError(f"steps: has more than {MAX_PLAN_STEPS} steps, the limit of a plan")
    for step in _walk(named, 0):
        sources = [said.partition(".")[0] for said in list_from(step.arguments)]
        if step.id in sources:
            raise ValueError(f"step '{shown(step.id)}': 'from' names the step itself")
        for name in [*step.after, *sources]:
            if name not in found:
                raise ValueError(
                    f"step '{shown(step.id)}': names '{shown(name)}', which is no step's id"
                )
    cycle = find_cycle(found)
    if cycle:
        raise ValueError(f"steps: 'after' has a circle: {shown(' -> '.join(cycle))}")


def _walk(steps: Sequence[PlanStep], depth: int) -> Iterator[PlanStep]:
    if depth > MAX_NESTED:
        raise ValueError(f"steps: alternatives nest deeper than {MAX_NESTED} levels, the limit")
    for step in steps:
        yield step
        for several in step.one_of or ():
            yield from _walk(several, depth + 1)
