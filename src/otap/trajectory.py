"""What an agent did: a trajectory of steps, in our own format ``otap.trajectory/1``."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from graphlib import CycleError, TopologicalSorter
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    JsonValue,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    model_validator,
)
from pydantic_core import CoreSchema, ErrorDetails
from pydantic_core.core_schema import (
    any_schema,
    json_or_python_schema,
    with_info_wrap_validator_function,
)

from otap.errors import FormatError, shown

SCHEMA_VERSION: Literal["otap.trajectory/1"] = "otap.trajectory/1"

MAX_STEPS = 20_000  # of one list of steps: a longer one is refused where it is read
MAX_ANSWERS = 100  # that one reference may ask for: each is looked for in all that a run told
KINDS_NAMED = 5  # of what was not read, in one line

Finite = Annotated[float, Field(allow_inf_nan=False)]

# The context of a validation whose data our own parser has read, so that it is valid JSON already.
# Validating each value once more takes longer than parsing it, and copies all of it.
PARSED = "parsed"


def _writable(value: Any, handler: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
    if info.context == PARSED:
        return value
    valid = handler(value)
    _check_writable(valid)
    return valid


def _writable_text(value: Any, handler: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
    if info.context == PARSED and isinstance(value, str):
        return value
    valid = handler(value)
    if info.context != PARSED:
        _check_writable(valid)
    return valid


class _FromPython:
    """Checks that JSON can hold what comes from Python; what is parsed from JSON, it does."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        checked = handler(source)
        parsed = any_schema() if source is JsonValue else checked
        check = _writable if source is JsonValue else _writable_text
        return json_or_python_schema(parsed, with_info_wrap_validator_function(check, checked))

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: GetJsonSchemaHandler) -> Any:
        return handler(schema["python_schema"]["schema"])


Json = Annotated[JsonValue, _FromPython]
Text = Annotated[str, _FromPython]


def _not_blank(answer: str) -> str:
    if not answer.strip():
        raise ValueError("an answer is blank, which every text and none would hold")
    return answer


class _Record(BaseModel):
    # Built on first use: a record inside another is built with it.
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Source(_Record):
    """Where a trajectory was read from."""

    path: str | None = Field(
        None, description="The file, as the user named it; '-' is standard input."
    )
    index: int | None = Field(
        None, ge=0, description="Position among the runs of the file, from 0."
    )
    sha256: str | None = Field(None, description="Digest of the whole file.")


class Step(_Record):
    """One thing that the agent did.

    ``None`` (JSON ``null``) means: not recorded. It is not the same as empty.
    """

    id: str = Field(min_length=1, description="Unique within its list of steps.")
    kind: Literal["tool", "reasoning"] = Field(
        "tool",
        description="'reasoning' for a step without a tool call. Left out: 'tool', unless the step "
        "has an action alone.",
    )
    action: Text | None = Field(None, description="What the agent said it was about to do.")
    tool: str | None = Field(None, description="The tool that was called.")
    arguments: Json = Field(
        None, description="Arguments of the call; text where it could not be parsed."
    )
    effect: Json = Field(None, description="What came back.")
    state: Json = Field(
        None, description="The environment after the step: a mapping of properties, or text."
    )
    depends_on: tuple[str, ...] | None = Field(
        None,
        description="Steps of the same list whose results this one needed. "
        "null: not recorded; []: none.",
    )
    substeps: tuple["Step", ...] = Field((), description="The steps that this one consists of.")
    status: Literal["ok", "error"] | None = None
    agent: str | None = Field(None, description="Who acted, where several agents did.")
    turn: int | None = Field(None, description="Steps of one turn ran in parallel.")
    started_at: datetime | None = None
    ended_at: datetime | None = None
    metadata: dict[str, Json] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _fill_kind(self, info: ValidationInfo) -> Self:
        """A step that does not say its kind is a tool call, unless it only has an action."""
        if "kind" not in self.__pydantic_fields_set__:
            called = (self.tool, self.arguments, self.effect) != (None, None, None)
            self.__dict__["kind"] = "tool" if called or self.action is None else "reasoning"
            self.__pydantic_fields_set__.add("kind")
        elif self.kind == "reasoning" and self.tool is not None:
            raise ValueError("a reasoning step cannot name a tool; make its kind 'tool'")
        if self.substeps:
            check_steps(self.substeps)
        if info.mode == "json" and info.context != PARSED:
            _check_writable([self.arguments, self.effect, self.state, self.metadata])
        return self


class ToolFacts(_Record):
    """What a trace itself records of a tool; ``None``: it does not say."""

    read_only: bool | None = Field(
        None, description="Whether it changes nothing, as MCP's readOnlyHint says."
    )
    destructive: bool | None = Field(
        None, description="Whether it may destroy what is there, as MCP's destructiveHint says."
    )
    method: str | None = Field(None, description="The HTTP method of its requests.")


class Tokens(_Record):
    """What a run cost in tokens of its language model; ``None``: it does not say."""

    input: int | None = Field(None, ge=0, description="Read, what came from a cache included.")
    output: int | None = Field(None, ge=0, description="Written, its reasoning included.")


class Unread(_Record):
    """What a trace holds and its reader made no step of: kinds, and how often each was met."""

    unknown: dict[str, Annotated[int, Field(gt=0)]] = Field(
        default_factory=dict, description="What the reader has no rule for: it may hold calls."
    )
    ignored: dict[str, Annotated[int, Field(gt=0)]] = Field(
        default_factory=dict, description="What is known to say nothing of what was done."
    )


def kinds_text(kinds: Mapping[str, int]) -> str:
    """Returns kinds with how often each was met, in words, for one line; not all of many."""
    named = [f"{shown(kind, 60)} ({count:,})" for kind, count in list(kinds.items())[:KINDS_NAMED]]
    more = len(kinds) - len(named)
    return ", ".join(named) + (f" and {more} more kinds" if more else "")


class RunIdentity:
    """A run, or what is known of one: it has an id, a task, a trial and a source."""

    @property
    def name(self: Any) -> str:
        """The name of the run that people read everywhere, and can type.

        Its id, else TASK/TRIAL, else FILE, or FILE#2 for the third run of a file.
        """
        if self.id is not None:
            return str(self.id)
        if self.task is not None and self.trial is not None:
            return f"{self.task}/{self.trial}"
        if self.source is None or self.source.path is None:
            return "unnamed run"
        return f"{self.source.path}#{self.source.index}" if self.source.index else self.source.path


class Trajectory(RunIdentity, _Record):
    """One run of an agent, or one known-good solution of a task."""

    schema_version: Literal["otap.trajectory/1"] = SCHEMA_VERSION
    id: str | None = None
    task: str | None = Field(
        None, description="What the run tried to do; pairs runs with references."
    )
    trial: str | int | None = None
    request: tuple[str, ...] = Field((), description="What the user said, in order.")
    steps: tuple[Step, ...]
    told: tuple[str, ...] | None = Field(
        None,
        description="What the agent said to the user, in order. null: not recorded; []: nothing.",
    )
    must_tell: tuple[Annotated[str, AfterValidator(_not_blank)], ...] = Field(
        (),
        max_length=MAX_ANSWERS,
        description="Of a reference: what the user must be told, an answer each.",
    )
    outcome: Finite | None = Field(
        None, description="How the run ended, as the benchmark judged it."
    )
    tokens: Tokens | None = Field(
        None, description="Tokens of all its requests together, where the trace records them."
    )
    tools: dict[str, ToolFacts] = Field(
        default_factory=dict, description="What the trace records of its tools, by name."
    )
    unread: Unread = Field(
        default_factory=Unread, description="What the trace holds and no step was made of."
    )
    source: Source | None = None
    metadata: dict[str, Json] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _fill_kind(self) -> Self:
        check_steps(self.steps)
        self.__pydantic_fields_set__.add("schema_version")  # what is written always says it
        return self

    def to_json(self, indent: int | None = None) -> str:
        """Returns this trajectory as JSON text; :func:`parse_trajectory` of it is equal."""
        empty = {"unread"} if self.unread == Unread() else set()
        empty |= {"tokens"} if self.tokens is None else set()
        return self.model_dump_json(indent=indent, exclude_unset=True, exclude=empty)

    @property
    def understood(self) -> bool:
        """Whether the steps are what the agent did: none, beside what is unknown, says nothing."""
        return bool(self.steps) or not self.unread.unknown

    @property
    def size(self) -> int:
        """How many steps were recorded, sub-steps included."""
        return _count(self.steps)


def _count(steps: Sequence[Step]) -> int:
    count = len(steps)
    for step in steps:
        if step.substeps:
            count += _count(step.substeps)
    return count


def parse_trajectory(
    data: Any, where: object = "trajectory", *, context: str | None = None
) -> Trajectory:
    """Makes a trajectory of plain data, as JSON gives it.

    Args:
        data: the data.
        where: the beginning of an error, as its ``str``.
        context: :data:`PARSED` where our own parser has read the data, which is then not copied.

    Raises:
        FormatError: with the place of the first bad field.
    """
    try:
        return Trajectory.model_validate(data, context=context)
    except ValidationError as error:
        raise FormatError(f"{where}: {first_problem(error)}") from None


def first_problem(error: ValidationError) -> str:
    """Returns the first problem of a validation, one line that begins with the place."""
    problem = error.errors(include_url=False)[0]
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in problem["loc"])
    message = _in_words(problem)
    return f"{shown(place.lstrip('.'))}: {message}" if place else message


def _in_words(problem: ErrorDetails) -> str:
    """What is wrong, to one who writes JSON or TOML, where there are lists and no tuples."""
    has = problem.get("ctx", {})
    match problem["type"]:
        case "extra_forbidden":
            return "unknown key; what OTAP has no field for goes into 'metadata'"
        case "tuple_type":
            return "Input should be a list, in brackets"
        case "model_type" | "dict_type" | "model_attributes_type":
            return "Input should be an object"
        case "too_short":
            return (
                f"List should have at least {has['min_length']} items, not {has['actual_length']}"
            )
        case "too_long":
            return f"List should have at most {has['max_length']} items, not {has['actual_length']}"
    return problem["msg"].removeprefix("Value error, ")


def _check_writable(data: JsonValue) -> None:
    """Refuses data that JSON cannot hold.

    Raises:
        ValueError: if there is a NaN, an infinity, or half of a surrogate pair.
    """
    try:
        json.dumps(data, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError:
        raise ValueError("a text holds half a surrogate pair, which is no character") from None
    except ValueError:
        raise ValueError("a number is NaN or infinite, which JSON cannot hold") from None


def check_steps(steps: Sequence[Step]) -> None:
    """Refuses a list of steps that is no acyclic graph over unique ids.

    Args:
        steps: one list; sub-steps are lists of their own.

    Raises:
        ValueError: if an id appears twice, a dependency leaves the list, or there is a cycle.
    """
    parents: dict[str, tuple[str, ...]] = {}
    for step in steps:
        if step.id in parents:
            raise ValueError(
                f"step id '{shown(step.id)}' appears twice; ids are unique within a list of steps"
            )
        parents[step.id] = step.depends_on or ()
    if not any(parents.values()):
        return
    for identifier, needed in parents.items():
        for parent in needed:
            if parent not in parents:
                raise ValueError(
                    f"step '{shown(identifier)}' depends on '{shown(parent)}', "
                    "which is not in its list of steps"
                )
    cycle = find_cycle(parents)
    if cycle:
        raise ValueError(
            f"depends_on has a cycle: {shown(' -> '.join(cycle))}; remove one of these dependencies"
        )


def find_cycle(parents: Mapping[str, Sequence[str]]) -> list[str]:
    """Returns the nodes of one cycle, the first repeated at the end, or an empty list.

    Args:
        parents: for each node its direct predecessors, all of which are nodes.
    """
    try:
        TopologicalSorter(parents).prepare()
    except CycleError as error:
        cycle: list[str] = error.args[1]
        return cycle[::-1]
    return []
