"""Our own format: what is written and read again is equal."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otap import formats
from otap.errors import FormatError
from otap.trajectory import Trajectory, parse_trajectory

RUN = {
    "schema_version": "otap.trajectory/1",
    "id": "hotel",
    "task": "book",
    "request": ["a hotel in Rome"],
    "steps": [
        {"id": "s", "action": "search", "tool": "search", "arguments": {"city": "Rome"}},
        {"id": "b", "tool": "book", "effect": [1, None], "depends_on": ["s"], "status": "ok"},
    ],
    "outcome": 1.0,
}

texts = st.text(st.characters(codec="utf-8"), max_size=5)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.just(10**4000)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


def unsourced(run: Trajectory) -> dict:
    """Returns all of a run but where it was read."""
    return run.model_dump(exclude={"source"})


def test_json(write):
    """One trajectory in a JSON file is read as it is written, and knows where it was read."""
    path = write(RUN)
    run = formats.read(path)
    assert unsourced(run) == unsourced(parse_trajectory(RUN))
    assert (run.source.path, run.source.index) == (str(path), 0)
    assert len(run.source.sha256) == 64


@pytest.mark.parametrize("name", ["runs.json", "runs.jsonl"])
def test_several(write, name):
    """A list of trajectories and one a line are the same, each with its index in the file."""
    runs = list(formats.read_all(write([RUN, {**RUN, "id": "other"}], name)))
    assert [(run.id, run.source.index) for run in runs] == [("hotel", 0), ("other", 1)]


@given(arguments=values, effect=values, note=values)
def test_written_and_read_again(arguments, effect, note):
    """Any JSON in a step survives writing and reading."""
    step = {"id": "1", "tool": "t", "arguments": arguments, "effect": effect}
    run = parse_trajectory({"steps": [step], "metadata": {"note": note}})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run.json")
        path.write_text(run.to_json(indent=2), "utf-8")
        again = formats.read(path)
        assert unsourced(again) == unsourced(run)
        path.write_text(again.to_json(), "utf-8")
        assert unsourced(formats.read(path)) == unsourced(run)


def test_key_order(write):
    """The order of keys changes nothing but the digest of the file."""

    def backwards(value):
        if isinstance(value, dict):
            return {key: backwards(value[key]) for key in reversed(value)}
        return [backwards(item) for item in value] if isinstance(value, list) else value

    assert unsourced(formats.read(write(RUN))) == unsourced(formats.read(write(backwards(RUN))))


def test_steps_suffice(write):
    """A list of steps with ids is recognised without a schema version."""
    assert formats.read(write({"steps": [{"id": "1"}]})).steps[0].id == "1"


def test_nothing_to_do(write):
    """A trajectory without steps is a run that did nothing."""
    assert formats.read(write({"steps": [], "task": "wait"})).steps == ()


def test_empty_steps_of_another_format(write):
    """An empty list of steps beside keys that are not ours is no trajectory."""
    with pytest.raises(FormatError, match="no format recognises it"):
        formats.read(write({"steps": [], "agent": "x"}))


def test_reasoning_steps_stay(write):
    """Reasoning steps are part of the run whatever the option for chat messages says."""
    path = write({"steps": [{"id": "1", "kind": "reasoning", "action": "hm"}]})
    assert formats.read(path, reasoning=False) == formats.read(path, reasoning=True)
    assert len(formats.read(path).steps) == 1


@pytest.mark.parametrize("version", ["otap.trajectory/2", "otap.score/1"])
def test_unknown_version(write, version):
    """Another schema version is an error that says which one is read."""
    path = write({**RUN, "schema_version": version})
    with pytest.raises(FormatError) as caught:
        formats.read(path)
    assert str(caught.value) == (
        f"{path}: schema_version: is '{version}'; this version reads 'otap.trajectory/1'"
    )


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"schema_version": 1}, "schema_version: is the value 1; this version reads"),
        ({"colour": "red"}, "colour: unknown key"),
        ({"steps": [{"id": "1"}, {"tool": "x"}]}, "steps[1].id: Field required"),
        ({"steps": [{"id": "1"}, {"id": "1"}]}, "step id '1' appears twice"),
        ({"steps": [{"id": "1", "depends_on": ["1"]}]}, "depends_on has a cycle: 1 -> 1"),
        ({"steps": [{"id": "1", "depends_on": ["2"]}]}, "depends on '2', which is not in"),
        ({"steps": [{"id": "1", "\x1b[31m": 1}]}, "steps[0].\\x1b[31m: unknown key"),
    ],
)
def test_bad_trajectories(write, changed, words):
    """A bad field is an error with its line and its place."""
    path = write([RUN, {**RUN, **changed}], "runs.jsonl")
    with pytest.raises(FormatError) as caught:
        list(formats.read_all(path))
    message = str(caught.value)
    assert message.startswith(f"{path}: line 2: ")
    assert words in message


def test_no_object_among_trajectories(write):
    """An item of a list that is no object is an error with its index."""
    path = write([RUN, 5])
    with pytest.raises(FormatError) as caught:
        list(formats.read_all(path))
    assert str(caught.value) == f"{path}: [1]: expected an object, found the value 5"


def test_no_gold_of_its_own(write):
    """Our format carries no gold: its runs are the references that it gives."""
    path = write(RUN)
    assert formats.own_references(path) == []
    assert formats.read_references(path) == [formats.read(path)]


def test_readable_by_json(write):
    """What we write is plain JSON with its schema version in it."""
    assert json.loads(formats.read(write(RUN)).to_json())["schema_version"] == "otap.trajectory/1"


def test_an_action_is_a_text(write):
    """As a tool is: what stands there otherwise cannot be shown."""
    step = {"id": "1", "tool": "pay", "action": {"a": 1}}
    file = write({"schema_version": "otap.trajectory/1", "steps": [step]})
    with pytest.raises(FormatError, match=r"steps\[0\]\.action: Input should be a valid string"):
        formats.read(file)


@pytest.mark.parametrize(
    "foreign",
    [
        {"run_id": "r", "status": "done", "steps": [{"id": "1", "type": "call", "name": "search"}]},
        {"steps": [{"id": 1, "title": "Look", "input": {}, "output": {}}]},
    ],
)
def test_steps_of_another_format(write, foreign):
    """Steps with ids whose keys are mostly not ours are no trajectory; one strange key is told."""
    with pytest.raises(FormatError, match="no format recognises it"):
        formats.read(write(foreign))
    with pytest.raises(FormatError, match="colour: unknown key"):
        formats.read(write({"steps": [{"id": "1", "tool": "search", "colour": "red"}]}))
