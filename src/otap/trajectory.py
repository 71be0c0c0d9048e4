"""A run of an agent as a trajectory of steps, in OTAP's format ``otap.trajectory/1``."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
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

MAX_STEPS = 20_000  # in one list of steps; readers refuse longer lists
MAX_ANSWERS = 100  # of one reference; each is searched for in all messages to the user
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
MAX_KINDS_LISTED = 5  # unread kinds in one line
READING_METHODS = ("GET", "HEAD", "OPTIONS")  # of HTTP

Finite = Annotated[float, Field(allow_inf_nan=False)]

# The validation context of data from our own parser, which is valid JSON already. Validating each
# value again would take longer than parsing it, and copy it.
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
    """Checks that values from Python can be written as JSON; skips values parsed from JSON."""

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
        raise ValueError("an answer is blank, so no message can contain or lack it")
    return answer


class FrozenRecord(BaseModel):
    """A frozen record; unknown fields are errors."""

    # The validator is built on first use; a nested record is built with its parent.
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Source(FrozenRecord):
    """The origin of a trajectory."""

    path: str | None = Field(
        None, description="The file as given by the user; '-' is standard input."
    )
    index: int | None = Field(None, ge=0, description="Index of the run in the file, from 0.")
    sha256: str | None = Field(None, description="Digest of the whole file.")


class Step(FrozenRecord):
    """One step of an agent: a tool call or a thought.

    ``None`` (JSON ``null``) means not recorded, which differs from empty.
    """

    id: str = Field(min_length=1, description="Identifier, unique in its list of steps.")
    kind: Literal["tool", "reasoning"] = Field(
        "tool",
        description="'reasoning' for a step without a tool call. The default is 'tool', unless the "
        "step has only an action.",
    )
    action: Text | None = Field(None, description="The announced action.")
    tool: str | None = Field(None, description="The name of the called tool.")
    arguments: Json = Field(
        None, description="Arguments of the call; text if it could not be parsed."
    )
    effect: Json = Field(None, description="The result of the call.")
    state: Json = Field(
        None, description="The environment after the step: a mapping of properties, or text."
    )
    depends_on: tuple[str, ...] | None = Field(
        None,
        description="Steps of the same list whose results this step needed. "
        "null: not recorded; []: none.",
    )
    substeps: tuple["Step", ...] = Field((), description="The steps that this step consists of.")
    status: Literal["ok", "error"] | None = None
    agent: str | None = Field(None, description="The acting agent, if there are several.")
    turn: int | None = Field(None, description="Steps of one turn ran in parallel.")
    started_at: datetime | None = None
    ended_at: datetime | None = None
    metadata: dict[str, Json] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _fill_kind(self, info: ValidationInfo) -> Self:
        """Sets the default kind: a tool call, unless the step has only an action."""
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


class ToolFacts(FrozenRecord):
    """The properties of a tool that a trace records; ``None`` means not recorded."""

    read_only: bool | None = Field(
        None, description="Whether it changes nothing, like MCP's readOnlyHint."
    )
    destructive: bool | None = Field(
        None, description="Whether it may destroy data, like MCP's destructiveHint."
    )
    method: str | None = Field(None, description="The HTTP method of its requests.")
    dry_run: bool | None = Field(
        None, description="Whether it has an argument that asks for a dry run."
    )

    @property
    def favourable(self) -> "ToolFacts | None":
        """Those facts that excuse a call: that it only reads, or that a dry run exists."""
        facts: dict[str, Any] = {}
        if self.read_only:
            facts["read_only"] = True
        if self.destructive is False:
            facts["destructive"] = False
        if self.dry_run:
            facts["dry_run"] = True
        if self.method and self.method.upper() in READING_METHODS:
            facts["method"] = self.method
        return ToolFacts(**facts) if facts else None

    @property
    def incriminating(self) -> "ToolFacts | None":
        """Those facts that speak against a call: the tool changes or destroys something."""
        facts: dict[str, Any] = {}
        if self.read_only is False:
            facts["read_only"] = False
        if self.destructive:
            facts["destructive"] = True
        if self.method and self.method.upper() not in READING_METHODS:
            facts["method"] = self.method
        return ToolFacts(**facts) if facts else None


class Tokens(FrozenRecord):
    """The tokens of a run's language model; ``None`` means not recorded."""

    input: int | None = Field(None, ge=0, description="Input tokens, including cached ones.")
    output: int | None = Field(None, ge=0, description="Output tokens, including reasoning.")


class Unread(FrozenRecord):
    """The parts of a trace that became no step: their kinds, with counts."""

    unknown: dict[str, Annotated[int, Field(gt=0)]] = Field(
        default_factory=dict, description="Parts that the reader does not know; they may be calls."
    )
    ignored: dict[str, Annotated[int, Field(gt=0)]] = Field(
        default_factory=dict, description="Parts that are known not to describe actions."
    )


def list_called_tools(steps: Iterable[Step]) -> Iterator[str]:
    """Yields the tool of each step and of its sub-steps, if it has one."""
    for step in steps:
        if step.tool is not None:
            yield step.tool
        yield from list_called_tools(step.substeps)


def kinds_text(kinds: Mapping[str, int]) -> str:
    """Returns the first kinds with their counts as text on one line."""
    first = list(kinds.items())[:MAX_KINDS_LISTED]
    text = ", ".join(f"{shown(kind, 60)} ({count:,})" for kind, count in first)
    omitted = len(kinds) - len(first)
    return text + (f" and {omitted} more kinds" if omitted else "")


class RunIdentity:
    """The name of a run, from its id, task, trial and source."""

    @property
    def name(self: Any) -> str:
        """The name of the run in all outputs, which commands also accept.

        It is the id, or else TASK/TRIAL, or else FILE (FILE#2 for the third run of a file).
        """
        if self.id is not None:
            return str(self.id)
        if self.task is not None and self.trial is not None:
            return f"{self.task}/{self.trial}"
        if self.source is None or self.source.path is None:
            return "unnamed run"
        return f"{self.source.path}#{self.source.index}" if self.source.index else self.source.path

    @property
    def readable_name(self: Any) -> str:
        """The name of the run for people: its file in the place of an id that is a UUID."""
        has_path = self.source is not None and self.source.path is not None
        if self.id is None or not has_path or not _UUID.fullmatch(self.id):
            return str(self.name)
        return f"{self.source.path}#{self.source.index}" if self.source.index else self.source.path


class Trajectory(RunIdentity, FrozenRecord):
    """One run of an agent, or one known-good solution of a task."""

    schema_version: Literal["otap.trajectory/1"] = SCHEMA_VERSION
    id: str | None = None
    task: str | None = Field(None, description="The task of the run; pairs runs with references.")
    trial: str | int | None = None
    request: tuple[str, ...] = Field((), description="The messages of the user, in order.")
    steps: tuple[Step, ...]
    messages_to_user: tuple[str, ...] | None = Field(
        None,
        description="The messages to the user, in order. null: not recorded; []: none.",
    )
    required_answers: tuple[Annotated[str, AfterValidator(_not_blank)], ...] = Field(
        (),
        max_length=MAX_ANSWERS,
        description="The required answers of a reference: the user must get each of them.",
    )
    outcome: Finite | None = Field(
        None, description="The outcome of the run, as judged by the benchmark."
    )
    tokens: Tokens | None = Field(
        None, description="Tokens of all requests together, if the trace records them."
    )
    tools: dict[str, ToolFacts] = Field(
        default_factory=dict, description="Properties of the tools that the trace records, by name."
    )
    unread: Unread = Field(
        default_factory=Unread, description="Parts of the trace that became no step."
    )
    source: Source | None = None
    metadata: dict[str, Json] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _fill_kind(self) -> Self:
        check_steps(self.steps)
        self.__pydantic_fields_set__.add("schema_version")  # always written
        return self

    def to_json(self, indent: int | None = None) -> str:
        """Returns this trajectory as JSON text, which parses to an equal trajectory."""
        empty = {"unread"} if self.unread == Unread() else set()
        empty |= {"tokens"} if self.tokens is None else set()
        return self.model_dump_json(indent=indent, exclude_unset=True, exclude=empty)

    @property
    def understood(self) -> bool:
        """Whether the trace was understood: it has steps, or no unknown parts."""
        return bool(self.steps) or not self.unread.unknown

    @property
    def size(self) -> int:
        """The number of recorded steps, including sub-steps."""
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
    """Returns the trajectory of JSON data.

    Args:
        data: the data.
        where: the file or path, for the error.
        context: :data:`PARSED` if our own parser has read the data, which is then not copied.

    Raises:
        FormatError: with the path of the first wrong field.
    """
    try:
        return Trajectory.model_validate(data, context=context)
    except ValidationError as error:
        raise FormatError(f"{where}: {first_problem(error)}") from None


def first_problem(error: ValidationError) -> str:
    """Returns the first problem of a validation, on one line that begins with the path."""
    problem = error.errors(include_url=False)[0]
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in problem["loc"])
    message = _describe_problem(problem)
    return f"{shown(path.lstrip('.'))}: {message}" if path else message


def _describe_problem(problem: ErrorDetails) -> str:
    """Returns the message of a problem, in terms of JSON or TOML: lists instead of tuples."""
    context = problem.get("ctx", {})
    match problem["type"]:
        case "extra_forbidden":
            return "unknown key; put data that OTAP has no field for into 'metadata'"
        case "tuple_type":
            return "Input should be a list, in brackets"
        case "model_type" | "dict_type" | "model_attributes_type":
            return "Input should be an object"
        case "too_short":
            minimum, length = context["min_length"], context["actual_length"]
            return f"List should have at least {minimum} items, not {length}"
        case "too_long":
            maximum, length = context["max_length"], context["actual_length"]
            return f"List should have at most {maximum} items, not {length}"
    return problem["msg"].removeprefix("Value error, ")


def _check_writable(data: JsonValue) -> None:
    """Checks that data can be written as JSON.

    Raises:
        ValueError: if there is a NaN, an infinity, or a lone surrogate.
    """
    try:
        json.dumps(data, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError:
        raise ValueError("a text has half a surrogate pair, which is not a character") from None
    except ValueError:
        raise ValueError("a number is NaN or infinite, which JSON cannot hold") from None


def check_steps(steps: Sequence[Step]) -> None:
    """Checks that the steps of a list have unique ids and form an acyclic graph.

    Args:
        steps: one list; sub-steps are separate lists.

    Raises:
        ValueError: if an id appears twice, a dependency is not in the list, or there is a cycle.
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
    for identifier, dependencies in parents.items():
        for parent in dependencies:
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
    """Returns the nodes of a cycle, with the first again at the end, or an empty list.

    Args:
        parents: the direct predecessors of each node, which are nodes too.
    """
    try:
        TopologicalSorter(parents).prepare()
    except CycleError as error:
        cycle: list[str] = error.args[1]
        return cycle[::-1]
    return []


@dataclass(frozen=True)
class PlanConstraints:
    """The constraints of a plan on one run, with the words for findings.

    Attributes:
        allowed: the allowed values by step and path, for values that violate the plan.
        forbidden: by step of the run, the reason why the plan forbids it.
        missing: by step of the expansion, the finding if it is missing.
        is_closed: whether further calls are forbidden, including look-ups.
        is_plan: whether the reference is a plan, not a recorded run.
    """

    allowed: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    forbidden: Mapping[str, str] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)
    is_closed: bool = False
    is_plan: bool = False


NO_CONSTRAINTS = PlanConstraints()
