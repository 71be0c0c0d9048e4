"""Our own format: what is written is read again equal, and what is wrong is said in one line."""

import json
import math
from datetime import datetime, timedelta, timezone
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from otap.errors import FormatError, OtapError, shown
from otap.trajectory import PARSED, Source, Step, Trajectory, find_cycle, parse_trajectory

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(max_size=8)
DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | FLOATS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
ZONES = st.integers(-1380, 1380).map(lambda minutes: timezone(timedelta(minutes=minutes)))
DATES = st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1), timezones=st.none() | ZONES)
FACTS = st.fixed_dictionaries(
    {},
    optional={
        "read_only": st.none() | st.booleans(),
        "destructive": st.none() | st.booleans(),
        "method": st.none() | TEXTS,
    },
)
METADATA = st.dictionaries(TEXTS, DATA, max_size=2)


@st.composite
def step_lists(draw: st.DrawFn, depth: int = 2) -> list[dict[str, Any]]:
    """Plain data of a list of steps; each field is there or left out, dependencies run back."""
    steps: list[dict[str, Any]] = []
    for name in draw(st.lists(st.text(min_size=1, max_size=4), unique=True, max_size=3)):
        earlier = [step["id"] for step in steps]
        fields = {
            "kind": st.sampled_from(["tool", "reasoning"]),
            "action": st.none() | TEXTS,
            "tool": st.none() | TEXTS,
            "arguments": DATA,
            "effect": DATA,
            "state": DATA,
            "depends_on": st.none()
            | st.lists(st.sampled_from(earlier) if earlier else st.nothing()),
            "substeps": step_lists(depth - 1) if depth else st.just([]),
            "status": st.sampled_from([None, "ok", "error"]),
            "agent": st.none() | TEXTS,
            "turn": st.none() | st.integers(),
            "started_at": st.none() | DATES,
            "ended_at": st.none() | DATES,
            "metadata": METADATA,
        }
        step = draw(st.fixed_dictionaries({"id": st.just(name)}, optional=fields))
        if step.get("kind") == "reasoning":
            step.pop("tool", None)
        steps.append(step)
    return steps


DOCUMENTS = st.fixed_dictionaries(
    {"steps": step_lists()},
    optional={
        "id": st.none() | TEXTS,
        "task": st.none() | TEXTS,
        "trial": st.none() | TEXTS | st.integers(),
        "request": st.lists(TEXTS, max_size=3),
        "outcome": st.none() | FLOATS,
        "source": st.none() | st.builds(Source, path=TEXTS, index=st.integers(0), sha256=TEXTS),
        "tools": st.dictionaries(TEXTS, FACTS, max_size=2),
        "metadata": METADATA,
    },
)


def problem(data: Any) -> str:
    """Returns why data is no trajectory, without the name of where it came from."""
    with pytest.raises(FormatError) as caught:
        parse_trajectory(data, "here")
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith("here: ")
    return message.removeprefix("here: ")


def wrong_step(**fields: Any) -> str:
    """Returns why the second of two steps is wrong."""
    return problem({"steps": [{"id": "a"}, {"id": "b", **fields}]})


@given(DOCUMENTS, st.sampled_from([None, 2]))
def test_written_and_read_again_is_equal(data: dict[str, Any], indent: int | None) -> None:
    """Whatever fields a trajectory has, its JSON says all of them."""
    trajectory = parse_trajectory(data)
    text = trajectory.to_json(indent)
    again = parse_trajectory(json.loads(text))
    assert again == trajectory
    assert again.to_json(indent) == text


@given(DOCUMENTS)
def test_no_field_is_invented(data: dict[str, Any]) -> None:
    """What was left out stays left out, but for the schema and the kinds."""
    written = json.loads(parse_trajectory(data).to_json())
    assert written.keys() == data.keys() | {"schema_version"}
    for step, given_step in zip(written["steps"], data["steps"], strict=True):
        assert step.keys() == given_step.keys() | {"kind"}


def test_a_trajectory_is_only_its_steps() -> None:
    """Only the steps, and in a step only its id, are required."""
    run = parse_trajectory({"steps": [{"id": "a"}]})
    assert run.to_json() == (
        '{"schema_version":"otap.trajectory/1","steps":[{"id":"a","kind":"tool"}]}'
    )
    assert parse_trajectory({"steps": []}).steps == ()


def test_null_is_not_empty() -> None:
    """Not recorded and none are told apart."""
    steps = [{"id": "a"}, {"id": "b", "depends_on": []}, {"id": "c", "depends_on": None}]
    run = parse_trajectory({"steps": steps})
    assert [step.depends_on for step in run.steps] == [None, (), None]


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({}, "tool"),
        ({"action": "think"}, "reasoning"),
        ({"action": "think", "tool": None, "state": "a page"}, "reasoning"),
        ({"action": "look", "tool": "search"}, "tool"),
        ({"action": "look", "arguments": {}}, "tool"),
        ({"action": "look", "effect": ""}, "tool"),
        ({"action": "look", "kind": "tool"}, "tool"),
        ({"effect": "seen", "kind": "reasoning"}, "reasoning"),
    ],
)
def test_kind_is_inferred(fields: dict[str, Any], kind: str) -> None:
    """A step that does not say its kind is a tool call, unless it has an action alone."""
    assert Step(id="a", **fields).kind == kind


def test_name() -> None:
    """People see the id, else the file, else that there is neither."""
    assert Trajectory(id="", steps=()).name == ""
    assert Trajectory(steps=(), source=Source(path="a.json")).name == "a.json"
    assert Trajectory(steps=(), source=Source(index=1)).name == "unnamed run"
    assert Trajectory(steps=()).name == "unnamed run"


def test_a_name_for_people() -> None:
    """A run whose id is a UUID is shown by its file; another id stays."""
    data = {"id": "01a214dc-df1f-7473-ad7d-f3dd0e5bb177", "steps": []}
    run = parse_trajectory(data)
    assert run.readable_name == run.name == data["id"]
    source = Source(path="runs/a.json", index=2)
    assert run.model_copy(update={"source": source}).readable_name == "runs/a.json#2"
    assert run.model_copy(update={"source": source, "id": "a"}).readable_name == "a"


def test_records_cannot_be_changed() -> None:
    """A trajectory is a value."""
    with pytest.raises(ValueError, match="frozen"):
        Trajectory(steps=()).id = "other"  # type: ignore[misc]


UNKNOWN = "unknown key; put data that OTAP has no field for into 'metadata'"
TWICE = "step id 'a' appears twice; ids are unique within a list of steps"


def test_what_our_parser_read_is_not_copied() -> None:
    """A large trace is not copied value by value; all but the values is checked as ever."""
    effect = {"hotels": [1, 2]}
    step = {"id": "a", "effect": effect}
    assert parse_trajectory({"steps": [step]}, context=PARSED).steps[0].effect is effect
    assert parse_trajectory({"steps": [step]}).steps[0].effect is not effect
    with pytest.raises(FormatError, match="step id 'a' appears twice"):
        parse_trajectory({"steps": [step, step]}, context=PARSED)
    with pytest.raises(FormatError, match=r"steps\[0\].toool: unknown key"):
        parse_trajectory({"steps": [{"id": "a", "toool": 1}]}, context=PARSED)


def test_unknown_key() -> None:
    """A key that we have no field for is an error with its place, and metadata takes any."""
    assert wrong_step(toool="x") == f"steps[1].toool: {UNKNOWN}"
    assert problem({"steps": [], "model": 1}) == f"model: {UNKNOWN}"
    assert problem({"steps": [], "source": {"file": "x"}}) == f"source.file: {UNKNOWN}"
    assert wrong_step(substeps=[{"id": "a", "x": 1}]) == f"steps[1].substeps[0].x: {UNKNOWN}"
    parse_trajectory({"steps": [{"id": "a", "metadata": {"toool": "x"}}]})


def test_duplicate_id() -> None:
    """Ids are unique within a list of steps, and free between lists."""
    assert problem({"steps": [{"id": "a"}, {"id": "a"}]}) == TWICE
    assert wrong_step(substeps=[{"id": "a"}, {"id": "a"}]) == f"steps[1]: {TWICE}"
    parse_trajectory({"steps": [{"id": "a", "substeps": [{"id": "a"}]}]})


def test_dangling_dependency() -> None:
    """A dependency stays within its list of steps."""
    message = "step 'b' depends on 'c', which is not in its list of steps"
    assert wrong_step(depends_on=["c"]) == message
    inner = {"id": "b", "substeps": [{"id": "c"}, {"id": "d", "depends_on": ["b"]}]}
    assert "'d' depends on 'b'" in problem({"steps": [inner]})


def test_cycle() -> None:
    """A cycle is named step by step, once around."""
    needs = {"a": ["b"], "b": ["d", "c"], "c": ["a"], "d": []}
    steps = [{"id": step, "depends_on": parents} for step, parents in needs.items()]
    message = "depends_on has a cycle: a -> b -> c -> a; remove one of these dependencies"
    assert problem({"steps": steps}) == message
    assert "a cycle: a -> a;" in problem({"steps": [{"id": "a", "depends_on": ["a"]}]})


@given(st.dictionaries(st.integers(0, 6), st.lists(st.integers(0, 6)), max_size=7))
def test_find_cycle(edges: dict[int, list[int]]) -> None:
    """A cycle is found if and only if the nodes cannot be taken away one by one."""
    parents = {str(node): [str(p) for p in needed if p in edges] for node, needed in edges.items()}
    left = set(parents)
    while free := {node for node in left if not left & set(parents[node])}:
        left -= free
    cycle = find_cycle(parents)
    assert bool(cycle) == bool(left)
    if cycle:
        assert cycle[0] == cycle[-1]
        assert len(set(cycle)) == len(cycle) - 1
        assert all(b in parents[a] for a, b in pairwise(cycle))


def test_a_long_chain_is_no_deep_recursion() -> None:
    """Ten thousand steps in a row are checked without running out of stack."""
    steps = [Step(id=str(i), depends_on=(str(i + 1),)) for i in range(10_000)]
    assert len(Trajectory(steps=(*steps, Step(id="10000"))).steps) == 10_001


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"steps": [], "outcome": float("nan")}, "outcome: Input should be a finite number"),
        ({"steps": [], "outcome": float("inf")}, "outcome: Input should be a finite number"),
        ({}, "steps: Field required"),
        ({"steps": [{}]}, "steps[0].id: Field required"),
        ({"steps": [{"id": ""}]}, "steps[0].id: String should have at least 1 character"),
        ({"steps": [{"id": 1}]}, "steps[0].id: Input should be a valid string"),
        ({"steps": [], "request": ["a", 1]}, "request[1]: Input should be a valid string"),
        ({"steps": [], "schema_version": "otap.trajectory/2"}, "schema_version: Input should be"),
        ({"steps": [], "source": {"index": -1}}, "source.index: Input should be greater"),
        (
            {"steps": [], "tools": {"f": {"read_only": "perhaps"}}},
            "tools.f.read_only: Input should be a valid boolean",
        ),
        ({"steps": [], "tools": {"f": {"safe": True}}}, f"tools.f.safe: {UNKNOWN}"),
        (
            {"steps": [], "required_answers": "54.04"},
            "required_answers: Input should be a list, in brackets",
        ),
        (
            {"steps": [], "required_answers": ["5", " \n"]},
            "required_answers[1]: an answer is blank",
        ),
        (
            {"steps": [], "required_answers": ["5"] * 101},
            "required_answers: List should have at most 100 items",
        ),
        (5, "Input should be an object"),
        ({"steps": [5]}, "steps[0]: Input should be an object"),
    ],
)
def test_the_place_of_a_bad_field(data: Any, message: str) -> None:
    """The message begins with the place of the field and says what was expected."""
    assert problem(data).startswith(message)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"kind": "reasoning", "tool": "search"},
            "steps[1]: a reasoning step cannot name a tool; make its kind 'tool'",
        ),
        ({"kind": "act"}, "steps[1].kind: Input should be 'tool' or 'reasoning'"),
        ({"status": "failed"}, "steps[1].status: Input should be 'ok' or 'error'"),
        ({"effect": object()}, "steps[1].effect: input was not a valid JSON value"),
        ({"started_at": "soon"}, "steps[1].started_at: Input should be a valid datetime"),
        ({"metadata": None}, "steps[1].metadata: Input should be an object"),
    ],
)
def test_a_bad_step(fields: dict[str, Any], message: str) -> None:
    """A step that cannot be is an error with its place in the list."""
    assert wrong_step(**fields).startswith(message)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain, with späces and 日本", "plain, with späces and 日本"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x9b2J", "\\x9b2J"),
        ("a\u202eb\u2066c", "a\\u202eb\\u2066c"),
        ("half \ud800 pair", "half \\ud800 pair"),
        ("two\nlines\r\tand\u2028more", "two\\nlines\\r\\tand\\u2028more"),
        ("\x00\x7f\u200b", "\\x00\\x7f\\u200b"),
        (150, "150"),
        ("x" * 80, "x" * 80),
        ("x" * 81, "x" * 79 + "…"),
        ("\n" * 80, "\\n" * 39 + "\\…"),
    ],
)
def test_shown(text: object, expected: str) -> None:
    """Nothing of a trace reaches a terminal unescaped, or at any length."""
    assert shown(text) == expected


@given(st.text(st.characters()), st.integers(1, 100))
def test_shown_is_one_plain_line(text: str, limit: int) -> None:
    """Whatever the text, one printable line within the limit comes out."""
    line = shown(text, limit)
    assert len(line) <= limit
    assert line.isprintable()
    line.encode()


def test_messages_are_escaped() -> None:
    """An id, a key or a message from a trace cannot write to the terminal."""
    evil = "\x1b]0;owned\x07\u202e"
    escaped = "\\x1b]0;owned\\x07\\u202e"
    assert escaped in problem({"steps": [{"id": evil}, {"id": evil}]})
    assert escaped in wrong_step(depends_on=[evil])
    assert escaped in problem({"steps": [{"id": evil, "depends_on": [evil]}]})
    assert wrong_step(**{evil: 1}) == f"steps[1].{escaped}: {UNKNOWN}"
    assert len(wrong_step(**{"k" * 1000: 1})) < 200
    assert str(OtapError(f"{evil}\n{'x' * 5000}")).startswith(escaped + "\\nx")
    assert len(str(OtapError("x" * 5000))) == 1000


@pytest.mark.parametrize("field", ["arguments", "effect", "state", "metadata"])
def test_json_with_infinite_numbers_is_refused_wherever_it_comes_from(field):
    """NaN is no JSON, in data as in a text that a program calls JSON."""
    with pytest.raises(ValidationError, match="NaN or infinite"):
        Step.model_validate({"id": "1", field: {"x": math.nan}})
    with pytest.raises(ValidationError, match="NaN or infinite"):
        Step.model_validate_json(f'{{"id": "1", "{field}": {{"x": NaN}}}}')
