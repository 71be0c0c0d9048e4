"""Objects in memory: what frameworks hold is read as its file would be."""

import json
from collections import namedtuple
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

import otap
from otap.errors import FormatError, LimitError
from otap.formats.live import to_data

CALL: dict[str, Any] = {"name": "pay", "arguments": json.dumps({"to": "A1"})}
MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": "Pay A1."},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "1", "type": "function", "function": CALL}],
    },
    {"role": "tool", "tool_call_id": "1", "content": "paid"},
    {"role": "assistant", "content": "Done."},
]


class Role(Enum):
    """A role, as frameworks have it."""

    USER = "user"


class Message(BaseModel):
    """A pydantic model."""

    role: str
    content: Any = None


@dataclass
class State:
    """A dataclass around messages."""

    messages: list[Any] = field(default_factory=list)


class Session:
    """An object that is no data, and has messages."""

    def __init__(self, messages: list[Any]) -> None:
        self.messages = messages


class Result:
    """An object that gives its messages."""

    def all_messages(self) -> list[Any]:
        """The messages."""
        return MESSAGES


class Span:
    """A span of OpenTelemetry's SDK says itself as JSON."""

    def to_json(self) -> str:
        """The span."""
        return json.dumps({"name": "x", "attributes": {"a": 1}})


def generate() -> Iterator[Any]:
    """Messages one by one."""
    yield from MESSAGES


@pytest.mark.parametrize(
    "live",
    [
        MESSAGES,
        tuple(MESSAGES),
        {"messages": MESSAGES},
        State(MESSAGES),
        Session(MESSAGES),
        Result(),
        generate(),
        [Message(role="user", content="Pay A1."), *MESSAGES[1:]],
        [{"role": Role.USER, "content": "Pay A1."}, *MESSAGES[1:]],
    ],
    ids=lambda live: type(live).__name__,
)
def test_an_object_is_read_as_its_file(live: Any, tmp_path: Path) -> None:
    """Whatever holds the messages."""
    file = tmp_path / "m.json"
    file.write_text(json.dumps(MESSAGES))
    run, read = otap.parse(live), otap.read(file)
    assert run.model_copy(update={"source": None}) == read.model_copy(update={"source": None})


def test_values() -> None:
    """Moments, bytes, sets, named tuples, tables, spans."""
    point = namedtuple("point", "x y")(1, 2)
    moment = datetime(2026, 1, 2, tzinfo=UTC)
    assert to_data([moment, b"a", {3, 1}, point, Span(), Role.USER]) == [
        moment.isoformat(),
        "a",
        [1, 3],
        {"x": 1, "y": 2},
        {"name": "x", "attributes": {"a": 1}},
        "user",
    ]


def test_scores_and_references() -> None:
    """Of objects alone; a trajectory is one, and so is the data of a plan."""
    run = otap.parse(MESSAGES)
    assert otap.parse(run) is run
    assert otap.score(MESSAGES, MESSAGES).score == 1
    assert otap.score(MESSAGES, [run, run]).score == 1
    assert otap.parse_references([run, MESSAGES]) == [run, run]
    plan = {"schema_version": "otap.plan/1", "steps": [{"tool": "pay"}]}
    assert otap.score(run, plan).score == 1
    assert otap.score([{"name": "pay", "args": {"to": "A1"}}], run).severity is None
    with pytest.raises(FormatError, match="is a plan, not a run"):
        otap.parse(plan)


@pytest.mark.parametrize(
    ("live", "message"),
    [
        ("runs/1.json", "found a text; otap.read takes the path of a file"),
        (Path("x"), "found a text"),
        (object(), r"found a builtins\.object, whose content OTAP cannot read"),
        ({"messages": [{"a": object()}]}, r"messages\[0\]\.a: found a builtins\.object"),
        (State, r"found a \S+\.State, whose content OTAP"),
        ([1, 2], "no format recognises it"),
    ],
)
def test_what_is_no_run(live: Any, message: str) -> None:
    """An error with the type, and where it stands."""
    with pytest.raises(FormatError, match=message):
        otap.parse(live)


def test_limits() -> None:
    """An object in itself, or a very deep one."""
    loop: list[Any] = []
    loop.append(loop)
    deep: Any = []
    for _ in range(200):
        deep = [deep]
    for one in (loop, deep):
        with pytest.raises(LimitError, match="deeper than 100 levels, or contains itself"):
            otap.parse(one)


def test_the_fixture(otap_score: Any) -> None:
    """Takes objects for runs and references."""
    assert otap_score(MESSAGES, MESSAGES, fail_on="critical").score == 1
    assert otap_score(MESSAGES, [otap.parse(MESSAGES)]).score == 1


class Invocation(BaseModel):
    """A model that leaves its inner runs out of its dump, as LangSmith's run trees do."""

    id: str
    run_type: str = "tool"
    name: str = "pay"
    inputs: dict[str, Any] = {"to": "A1"}
    outputs: dict[str, Any] = {"output": "paid"}
    parent_run_id: str | None = None
    trace_id: str = "1"

    @property
    def child_runs(self) -> list[Any]:
        """The inner run of the outermost."""
        return [Invocation(id="2", parent_run_id="1")] if self.id == "1" else []


def test_inner_runs() -> None:
    """Runs inside a model are read although its dump leaves them out."""
    root = Invocation(id="1", run_type="chain", name="clerk", inputs={"input": "Pay A1."})
    assert [step.tool for step in otap.parse(root).steps] == ["pay"]


class Trace:
    """An iterable object that describes itself, as MLflow's objects do."""

    def __iter__(self) -> Iterator[Any]:
        yield "info", 1

    def to_dict(self) -> Any:
        """The messages."""
        return MESSAGES


class Broken:
    """An object whose method fails."""

    def to_dict(self) -> Any:
        """Raises an error."""
        raise RuntimeError("not connected")


def test_methods_come_before_items() -> None:
    """An iterable object is asked for its data first; a method that fails is an error."""
    assert len(otap.parse(Trace()).steps) == 1
    with pytest.raises(FormatError, match=r"test_live\.Broken\.to_dict\(\) raised RuntimeError"):
        otap.parse(Broken())


def test_open_files_are_not_read() -> None:
    """Reading standard input because an object refers to it would wait for ever."""
    with Path(__file__).open() as file, pytest.raises(FormatError, match="TextIOWrapper"):
        otap.parse({"messages": [file]})


@dataclass
class Tool:
    """An object of a framework that is no run."""

    name: str
    description: str = ""


def test_an_object_that_is_no_run_is_refused_by_its_type() -> None:
    """Not by the keys of its data, and never scored."""
    for live in (Tool("pay"), [Tool("pay")]):
        with pytest.raises(FormatError, match=r"test_live\.Tool, of which OTAP understood nothing"):
            otap.parse(live)
    alone = Invocation(id="3", run_type="hologram")
    with pytest.raises(FormatError, match=r"test_live\.Invocation"):
        otap.score(alone, MESSAGES)


def test_errors_inside_objects() -> None:
    """An exception is data: its type and its message."""
    assert to_data({"error": ValueError("no")}) == {
        "error": {"type": "ValueError", "message": "no"}
    }
