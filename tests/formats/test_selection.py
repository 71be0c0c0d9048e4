"""One run of several is picked, never assumed."""

import pytest

from otap import formats
from otap.errors import FormatError


def message_of(path, **options):
    """Returns why a file cannot be read."""
    with pytest.raises(FormatError) as caught:
        formats.read(path, **options)
    return str(caught.value).removeprefix(f"{path}: ")


def named(**names):
    """Returns a run with one step."""
    return {"steps": [{"id": "1"}], **names}


RUNS = [
    named(id="x", task="t", trial=0),
    named(id="y", task="t", trial=1),
    named(task="alone", trial="first"),
    named(),
]


@pytest.mark.parametrize(
    ("name", "index"),
    [("t/0", 0), ("t/1", 1), ("x", 0), ("y", 1), ("alone", 2), ("alone/first", 2), ("#3", 3)],
)
def test_picking_a_run(write, name, index):
    """A run is picked by task and trial, by id, by a task that has one run, or by its position."""
    assert formats.read(write(RUNS), run=name).source.index == index


def test_several_runs(write):
    """Several runs where one is read are an error that lists them by the names that pick them."""
    assert message_of(write(RUNS)) == ("has 4 runs; name one with --run: t/0, t/1, alone/first, #3")


def test_at_most_ten_are_listed(write):
    """The list of runs in an error is at most ten long."""
    message = message_of(write([named(id=f"r{n}") for n in range(12)]))
    assert message.endswith("r8, r9 and 2 more")


def test_no_such_run(write):
    """A run that is not there is an error that lists those that are."""
    assert message_of(write(RUNS), run="z").startswith("no runs match 'z'; name one with --run")


def test_task_of_several_runs(write):
    """A task that has several runs does not pick one; the error lists its runs only."""
    assert message_of(write(RUNS), run="t") == ("2 runs match 't'; name one with --run: t/0, t/1")
