"""Which of many references a run is compared with."""

from collections.abc import Sequence

import pytest

from otap.errors import NoReferenceError
from otap.scoring.selection import ReferenceIndex
from otap.trajectory import Trajectory


def of(task: str | None, name: str = "r", *request: str) -> Trajectory:
    """A trajectory of a task, and of what the user said."""
    return Trajectory(id=name, task=task, request=request, steps=())


def chosen(run: Trajectory, references: Sequence[Trajectory]) -> list[Trajectory]:
    """The references of a run that names its task."""
    found = ReferenceIndex(references).of_run(run)
    assert found.by in ("task", "only")
    return found.references


def test_those_of_the_task() -> None:
    """And those that say no task, which serve every run."""
    gold = [of("a"), of("b"), of(None), of("a", "s")]
    assert chosen(of("a"), gold) == [gold[0], gold[2], gold[3]]
    assert chosen(of("c"), gold) == [gold[2]]
    assert chosen(of(None), gold) == [gold[2]]


def test_references_of_one_task_are_meant_for_the_run() -> None:
    """Whatever the run calls its task."""
    gold = [of("a"), of("a", "s"), of(None)]
    assert chosen(of("b"), gold) == gold
    assert chosen(of(None), gold) == gold
    assert chosen(of("a"), gold) == gold


def test_several_tasks_none_of_them_the_runs() -> None:
    """A guess would compare a run with another task's solution."""
    gold = [of(name) for name in "gfedcba"]
    message = (
        "r: no reference of its task 'z', nor .*; the references are of a, b, c, d, e and 2 more"
    )
    with pytest.raises(NoReferenceError, match=message):
        ReferenceIndex(gold).of_run(of("z"))
    with pytest.raises(
        NoReferenceError,
        match=r"it names no task and records no request; .* of a, b; .*--task-from",
    ):
        ReferenceIndex(gold[5:]).of_run(of(None))


def test_none_at_all() -> None:
    """The error says how to pass one."""
    with pytest.raises(NoReferenceError, match="r: no reference; pass some with -r"):
        ReferenceIndex([]).of_run(of("a"))


BOOK, CANCEL = "Please book a flight to Oslo", "Please cancel my flight to Rome"


def test_what_the_user_said_tells_tasks_apart() -> None:
    """Where the run names no task, or one that no reference has; case and blanks do not matter."""
    gold = [of("a", "r", BOOK), of("b", "s", CANCEL), of("b", "t", CANCEL, "Yes")]
    for task in (None, "z"):
        found = ReferenceIndex(gold).of_run(of(task, "r", f" {CANCEL.upper()}\n"))
        assert (found.by, found.task) == ("request", "b")
        assert found.references == [gold[1]]
    assert ReferenceIndex(gold).of_run(of("a", "r", CANCEL)).references == [gold[0]]


def test_references_that_know_neither_task_nor_request_serve_every_run() -> None:
    """They may be gold plans; those without a task are told apart by the request all the same."""
    gold = [of(None, "r", BOOK), of(None, "s", CANCEL), of(None, "t")]
    found = ReferenceIndex(gold).of_run(of(None, "r", BOOK))
    assert (found.by, found.task) == ("request", BOOK.lower())
    assert found.references == [gold[0], gold[2]]
    assert chosen(of(None, "r", "Something else altogether, please"), gold) == [gold[2]]


def test_the_first_text_decides_where_what_followed_differs() -> None:
    """But for a greeting, with which conversations about anything begin."""
    gold = [of("a", "r", BOOK, "Yes"), of("b", "s", CANCEL, "Yes"), of("c", "t", "Hello", "Yes")]
    assert ReferenceIndex(gold).of_run(of(None, "r", BOOK, "No")).references == [gold[0]]
    with pytest.raises(NoReferenceError, match="--task-from"):
        ReferenceIndex(gold).of_run(of(None, "r", "Hello", "No"))


def test_a_request_of_two_tasks_decides_nothing() -> None:
    """A guess would compare a run with another task's solution."""
    gold = [of("a", "r", BOOK), of("b", "s", BOOK)]
    with pytest.raises(NoReferenceError, match="--task-from"):
        ReferenceIndex(gold).of_run(of(None, "r", BOOK))


def test_a_task_that_is_said() -> None:
    """Takes its references and those of no task; one that no reference has is an error."""
    gold = [of("a"), of("b"), of(None)]
    assert ReferenceIndex(gold).of_task("a") == [gold[0], gold[2]]
    assert ReferenceIndex(gold[2:]).of_task("a") == gold[2:]
    with pytest.raises(NoReferenceError, match="task 'z'; the references are of a, b"):
        ReferenceIndex(gold).of_task("z")
