"""Conversations in lines: read one by one where their names say that each is a run of its own."""

from typing import Any

import pytest

from otap import formats
from otap.formats.json.lines import JsonLines

CALL = {"id": "c", "type": "function", "function": {"name": "book", "arguments": "{}"}}


def talk(name: str, more: int = 0) -> dict[str, Any]:
    """A conversation, or its later state."""
    turn = [{"role": "user", "content": "go"}, {"role": "assistant", "tool_calls": [CALL]}]
    return {"id": name, "messages": turn * (1 + more)}


def is_streamed(path: object) -> bool:
    (file,) = formats.open_files(str(path))
    return isinstance(file.document, JsonLines)


def test_each_its_own_name(write) -> None:
    """The same runs as from a list in one document, and any of them without those before it."""
    talks = [talk(f"r{n}") for n in range(50)]
    path = write(talks, "talks.jsonl")
    assert is_streamed(path)
    whole = [run.model_copy(update={"source": None}) for run in formats.read_all(write([*talks]))]
    found = list(formats.read_all(path))
    assert [run.model_copy(update={"source": None}) for run in found] == whole
    (file,) = formats.open_files(path)
    places = [
        run.source.index for run in file.runs_or_failures(indices=slice(3, 40, 9)) if run.source
    ]
    assert places == [3, 12, 21, 30, 39]


@pytest.mark.parametrize(
    "talks",
    [
        [talk("a"), talk("a", 1), talk("b")],
        [{"messages": talk("")["messages"]}, talk("b")],
        [talk("a"), talk("a")],
        [{**talk("a"), "response": {"role": "assistant", "content": "x"}}, talk("b")],
    ],
)
def test_may_be_states_of_one_run(write, talks: list[dict[str, Any]]) -> None:
    """A name twice, none, or a request in a log: the file is read whole."""
    assert not is_streamed(write(talks, "talks.jsonl"))


def test_goes_on_behind_a_bad_one(write) -> None:
    """A conversation that cannot be read costs itself only."""
    talks = [talk("a"), {"id": "b", "messages": []}, talk("c")]
    found = list(formats.read_each(write(talks, "talks.jsonl")))
    assert [type(one).__name__ for one in found] == ["Trajectory", "Failed", "Trajectory"]
    assert [one.source.index for one in found if one.source] == [0, 1, 2]
