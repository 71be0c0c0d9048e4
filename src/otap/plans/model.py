"""The model of a plan, ``otap.plan/1``, and of its expansions."""

from collections.abc import Iterator, Mapping, Sequence
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
from otap.plans.patterns import check_arguments, check_glob, list_sources
from otap.trajectory import (
    MAX_ANSWERS,
    NO_CONSTRAINTS,
    Finite,
    PlanConstraints,
    Step,
    Trajectory,
    find_cycle,
    first_problem,
)

SCHEMA_VERSION: Literal["otap.plan/1"] = "otap.plan/1"
MAX_PLAN_STEPS = 500  # of a plan, including those in alternatives
MAX_NESTED = 4  # levels of nested alternatives
MAX_ALTERNATIVES = 26  # of one step
MAX_TIMES = 1_000  # calls of one step
MAX_NAMES = 100  # of tools in one step

BUDGET = "max_steps", "max_tool_calls", "max_tokens", "max_cost", "max_seconds"

_KIND = regex(r"\.(?:str|list\[[^\]]*\])(?=[.:\[])")  # the type that pydantic adds to a path

Need = Literal["required", "optional", "forbidden"]
Times = tuple[int, int | None]


def _check_tool(tool: str | list[str]) -> str | list[str]:
    for name in [tool] if isinstance(tool, str) else tool:
        if not name.strip():
            raise ValueError("the name of a tool is empty")
        check_glob(name)
    return tool


def _check_arguments(arguments: dict[str, JsonValue]) -> dict[str, JsonValue]:
    check_arguments(arguments)
    return arguments


def _as_times(times: Any) -> Any:
    """Returns a number of calls as [least, most]: 3 becomes [3, 3], and [1] has no maximum."""
    if isinstance(times, int) and not isinstance(times, bool):
        return [times, times]
    if isinstance(times, list) and len(times) == 1:
        return [times[0], None]
    return times


Count = Annotated[int, Field(ge=0, le=MAX_TIMES)]


class PlanStep(BaseModel):
    """One step of a plan: a call of a tool, or alternatives, one of which is required."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    id: str | None = Field(None, min_length=1, description="A name for 'after' and 'from'.")
    _has_default_id: bool = PrivateAttr(default=False)
    tool: Annotated[
        str | Annotated[list[str], Field(min_length=1, max_length=MAX_NAMES)] | None,
        AfterValidator(lambda tool: tool if tool is None else _check_tool(tool)),
    ] = Field(None, description="A name, a glob, or a list of these; any of them is allowed.")
    arguments: Annotated[
        dict[str, JsonValue] | None,
        AfterValidator(lambda arguments: arguments and _check_arguments(arguments)),
    ] = Field(None, description="The arguments of the call; values may be patterns. Default: any.")
    partial: StrictBool = Field(False, description="Whether the call may have further keys.")
    need: Need = "required"
    times: Annotated[tuple[Count, Count | None] | None, BeforeValidator(_as_times)] = Field(
        None,
        description="The number of calls: [least, most], [least] or one number.",
        json_schema_extra={
            "anyOf": [
                {"type": "integer"},
                {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 2},
            ]
        },
    )
    after: list[str] = Field([], description="Ids of steps that come first, if they happen.")
    one_of: Annotated[
        list[Annotated[list["PlanStep"], Field(min_length=1)]] | None,
        Field(
            min_length=1,
            max_length=MAX_ALTERNATIVES,
            description="Instead of 'tool': alternatives, one of which is required.",
        ),
    ] = None

    @model_validator(mode="after")
    def _check(self) -> "PlanStep":
        if (self.tool is None) == (self.one_of is None):
            raise ValueError("needs either 'tool' or 'one_of'")
        if self.one_of is not None and (self.arguments is not None or self.partial):
            raise ValueError("'one_of' excludes 'arguments' and 'partial'; set them in its steps")
        if self.times is not None and self.need != "required":
            raise ValueError(
                "set either 'times' or 'need'; times = [0, 1] is optional, [0, 0] forbidden"
            )
        if self.one_of is not None and (self.is_forbidden or self.times is not None):
            raise ValueError("'one_of' can only be required or optional, without 'times'")
        least, most = self.bounds
        if most is not None and most < least:
            raise ValueError("'times' needs first the least number, then the most")
        return self

    @property
    def bounds(self) -> Times:
        """The least and the largest allowed number of calls; None: no maximum."""
        by_need: dict[Need, Times] = {"required": (1, 1), "optional": (0, 1), "forbidden": (0, 0)}
        return self.times or by_need[self.need]

    @property
    def is_named(self) -> bool:
        """Whether the id comes from the file and is not a number."""
        return not self._has_default_id

    @property
    def call_text(self) -> str:
        """A text that steps with the same expected call share."""
        return self.model_dump_json(include={"tool", "arguments", "partial"})

    @property
    def is_forbidden(self) -> bool:
        """Whether the step must not happen."""
        return self.bounds == (0, 0)

    @property
    def tools(self) -> Sequence[str]:
        """The names or globs of the tools; empty for alternatives."""
        return [self.tool] if isinstance(self.tool, str) else self.tool or ()


class PlanFile(BaseModel):
    """The content of a plan file."""

    model_config = ConfigDict(extra="forbid", frozen=True, title="Plan", defer_build=True)

    schema_version: Literal["otap.plan/1"]
    id: str | None = None
    task: str | None = Field(None, description="Pairs runs with the plan.")
    request: str | list[str] = Field([], description="The request of the user.")
    steps: list[PlanStep] = []
    required_answers: list[str] = Field(
        [], max_length=MAX_ANSWERS, description="Answers that the user must get."
    )
    others: Literal["none", "reads", "free"] = Field(
        "reads", description="Which further calls a run may make."
    )
    only_changes: bool | None = Field(
        None, description="Whether look-ups always count less than changes."
    )
    max_steps: int | None = Field(None, ge=0, description="The most steps of a run.")
    max_tool_calls: int | None = Field(None, ge=0, description="The most tool calls.")
    max_tokens: int | None = Field(None, ge=0, description="The most tokens, input and output.")
    max_cost: Finite | None = Field(None, ge=0, description="The highest recorded cost.")
    max_seconds: Finite | None = Field(None, ge=0, description="The longest time.")
    metadata: dict[str, JsonValue] = Field(default_factory=dict)

    @property
    def limits(self) -> dict[str, float]:
        """The limits on a run that are set, by their names."""
        return {name: limit for name in BUDGET if (limit := getattr(self, name)) is not None}


class Plan(Trajectory):
    """A plan as a reference: the set of all runs that fulfil it.

    ``steps`` holds only the calls of the plan, to distinguish references; the plan itself is in
    ``listed``.
    """

    listed: tuple[PlanStep, ...] = ()
    written: dict[str, JsonValue] = Field(default_factory=dict)  # the content of the file
    others: Literal["none", "reads", "free"] = "reads"


class Expansion(Trajectory):
    """A run that fulfils a plan, chosen to be near to a given run."""

    _plan_constraints: PlanConstraints = PrivateAttr(default=NO_CONSTRAINTS)

    @property
    def plan_constraints(self) -> PlanConstraints:
        """The constraints of the plan on the given run."""
        return self._plan_constraints


class _StepError(ValueError):
    """A step contradicts other steps; ``index`` is that of the top-level step that contains it."""

    def __init__(self, problem: str, index: int) -> None:
        super().__init__(problem)
        self.index = index


def _describe_line(index: Any, lines: Sequence[int]) -> str:
    """Returns the beginning of an error with the line of a top-level step, if known."""
    return f"line {lines[index]}: " if index in range(len(lines)) else ""


def parse_plan(data: Any, where: object = "plan", lines: Sequence[int] = ()) -> Plan:
    """Returns the plan in plain data from TOML or JSON.

    Args:
        data: the data.
        where: the beginning of an error message; its ``str`` is used.
        lines: the first line of each step, if known.

    Raises:
        FormatError: with the path of the first invalid field.
    """
    try:
        file = PlanFile.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        path = first["loc"]
        index = path[1] if path[:1] == ("steps",) and len(path) > 1 else None
        line = _describe_line(index, lines)
        problem = _KIND.sub("", first_problem(error))
        if first["type"] == "extra_forbidden" and path[0] == "steps":  # has no metadata
            key, _, _ = problem.partition(": ")
            problem = f"{key}: unknown key; a step has {', '.join(PlanStep.model_fields)}"
        raise FormatError(f"{where}: {line}{problem}") from None
    try:
        _check_steps(file.steps)
    except _StepError as error:
        line = _describe_line(error.index, lines)
        raise FormatError(f"{where}: {line}{error}") from None
    metadata: dict[str, Any] = dict(file.metadata)
    metadata["reference"] = "complete" if file.others == "none" else "required"
    if file.others == "free":
        metadata["others"] = "allowed"
    if file.limits:
        metadata["budget"] = file.limits
    if file.only_changes is not None:
        metadata["only_changes"] = file.only_changes
    steps = tuple(_add_ids(file.steps))
    return Plan(
        id=file.id,
        task=file.task,
        request=(file.request,) if isinstance(file.request, str) else tuple(file.request),
        steps=tuple(
            Step(id=str(step.id), tool=step.tools[0]) for step in iterate_tool_steps(steps)
        ),
        required_answers=tuple(file.required_answers),
        metadata=metadata,
        listed=steps,
        written=file.model_dump(mode="json", exclude_unset=True),
        others=file.others,
    )


def iterate_tool_steps(steps: Sequence[PlanStep]) -> Iterator[PlanStep]:
    """Yields all steps with a tool, including those in alternatives."""
    for step in steps:
        if step.one_of is None:
            yield step
        for alternative in step.one_of or ():
            yield from iterate_tool_steps(alternative)


def describe_content(step: PlanStep) -> str:
    """Returns a text that steps with the same content share, whatever their ids."""
    inner = [
        [describe_content(inner_step) for inner_step in alternative]
        for alternative in step.one_of or ()
    ]
    return f"{step.model_dump_json(exclude={'id', 'one_of'})}{inner}"


def _add_ids(steps: Sequence[PlanStep], prefix: str = "") -> Iterator[PlanStep]:
    """Yields the steps; those without an id get their number."""
    for number, step in enumerate(steps, 1):
        step_id = step.id or f"{prefix}{number}"
        alternatives = step.one_of and [
            list(_add_ids(alternative, f"{step_id}{chr(97 + k)}"))
            for k, alternative in enumerate(step.one_of)
        ]
        with_id = step.model_copy(update={"id": step_id, "one_of": alternatives})
        with_id._has_default_id = step.id is None
        yield with_id


def _check_steps(steps: Sequence[PlanStep]) -> None:
    """Checks the number of steps, their ids and their order.

    Raises:
        _StepError: for too many steps, repeated or unknown ids, and cycles.
    """
    with_ids = list(_add_ids(steps))
    indices: dict[str, int] = {}
    for index, top_step in enumerate(with_ids):
        for step in _iterate_all([top_step], index):
            if step.id in indices:
                raise _StepError(f"steps: the id '{shown(step.id)}' appears twice", index)
            indices[str(step.id)] = index
            if len(indices) > MAX_PLAN_STEPS:
                raise _StepError(
                    f"steps: has more than {MAX_PLAN_STEPS} steps, the limit of a plan", index
                )
    for index, top_step in enumerate(with_ids):
        for step in _iterate_all([top_step], index):
            _check_names(step, indices)
    cycle = _find_order_cycle(with_ids)
    if cycle:
        hint = "; the steps of an alternative are part of their 'one_of' step"
        has_alternatives = any(step.one_of for step in with_ids)
        raise _StepError(
            f"steps: 'after' has a cycle: {shown(' -> '.join(cycle))}; remove one of these entries"
            + (hint if has_alternatives else ""),
            min(indices[step_id] for step_id in cycle),
        )


def _check_names(step: PlanStep, indices: Mapping[str, int]) -> None:
    """Checks that the steps that a step names exist.

    Args:
        step: a step at any level.
        indices: the top-level index of each step, by id.
    """
    index = indices[str(step.id)]
    sources = [source.partition(".")[0] for source in list_sources(step.arguments)]
    if step.id in sources:
        raise _StepError(f"step '{shown(step.id)}': 'from' names the step itself", index)
    for name in [*step.after, *sources]:
        if name not in indices:
            raise _StepError(
                f"step '{shown(step.id)}': names '{shown(name)}', but no step has this id", index
            )


def _find_order_cycle(steps: Sequence[PlanStep]) -> list[str]:
    """Returns the ids of steps that come before each other, or an empty list.

    A step with alternatives has two nodes, its beginning and its end. Its inner steps lie between
    them, and a step after it comes after its end.
    """
    predecessors: dict[str, list[str]] = {}

    def add(inner_steps: Sequence[PlanStep], parent: str | None) -> None:
        for step in inner_steps:
            end = f">{step.id}"
            begin = end if step.one_of is None else f"<{step.id}"
            predecessors[begin] = [f">{name}" for name in step.after]
            if parent:
                predecessors[begin].append(parent)
            if step.one_of is not None:
                inner = [inner for alternative in step.one_of for inner in alternative]
                predecessors[end] = [begin, *(f">{inner_step.id}" for inner_step in inner)]
                add(inner, begin)

    add(steps, None)
    ids = [node[1:] for node in find_cycle(predecessors)]
    # The two nodes of a step with alternatives may follow each other in the cycle.
    cycle = ids[:1]
    for step_id in ids[1:]:
        if step_id != cycle[-1]:
            cycle.append(step_id)
    return cycle if len(cycle) > 1 else ids[:2]


def _iterate_all(steps: Sequence[PlanStep], index: int, depth: int = 0) -> Iterator[PlanStep]:
    """Yields the steps at all levels below the top-level step with an index."""
    if depth > MAX_NESTED:
        limit = f"deeper than {MAX_NESTED} levels, the limit"
        raise _StepError(f"steps: alternatives nest {limit}", index)
    for step in steps:
        yield step
        for alternative in step.one_of or ():
            yield from _iterate_all(alternative, index, depth + 1)
