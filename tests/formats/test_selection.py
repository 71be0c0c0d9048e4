"""One run of several is picked, never assumed."""

import json

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


def test_ids_come_with_their_file_and_task(tmp_path):
    """An id alone tells nobody which run it is."""
    for name, task in (("first", "refund A-12"), ("second", None), ("third", "A-13")):
        run = named(id=f"id-of-{name}", task=task) if name != "third" else named(task=task, trial=0)
        (tmp_path / f"{name}.json").write_text(json.dumps(run))
    names = message_of(tmp_path).partition("--run: ")[2]
    assert names == (
        "id-of-first (first.json: refund A-12), id-of-second (second.json), A-13/0 (third.json)"
    )


def test_the_same_file_is_not_repeated(write):
    """The runs of one file show their task alone, unless their name has it."""
    runs = [named(id="x", task="t"), named(task="u", trial=0), named(task="v")]
    assert message_of(write(runs)).endswith("--run: x (t), u/0, v")


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
