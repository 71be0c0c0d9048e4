"""What a finding quotes where a run was given other identifiers than its reference."""

import pytest

import builders
import otap
from builders import StepData, call, with_arguments
from otap.trajectory import Trajectory


def run_of(*steps: StepData, asked: bool = True) -> Trajectory:
    """A run that the user asked for a ticket, or was not asked for anything."""
    request = ["Open a ticket that the login is broken, for kim"] if asked else []
    return builders.run_of(*steps, request=request)


def ticket(drawn: str, used: str, to: str = "kim", title: str = "Login broken") -> list[StepData]:
    """A ticket that is opened and then assigned."""
    return [
        call("create_issue", {"project": "PROJ", "title": title}, {"id": drawn}),
        call("assign_issue", {"id": used, "to": to}, {"ok": True}),
    ]


GOLD = run_of(*ticket("PROJ-1234", "PROJ-1234"))


@pytest.mark.parametrize("asked", [True, False])
@pytest.mark.parametrize("title", ["Login broken", "The login is broken"])
def test_an_identifier_copied_from_the_reference(asked: bool, title: str) -> None:
    """The run was given another ticket: that of the reference's number is a stranger's."""
    gold = run_of(*ticket("PROJ-1234", "PROJ-1234"), asked=asked)
    run = run_of(*ticket("PROJ-1288", "PROJ-1234", title=title), asked=asked)
    first = otap.score(run, gold).findings[0]
    assert (first.kind, first.severity, first.agent) == ("arguments", "critical", ("2",))
    assert "id is PROJ-1234 instead of PROJ-1288 (in the reference PROJ-1234)" in first.sentence
    assert not otap.score(run_of(*ticket("PROJ-1288", "PROJ-1288")), gold).findings


def test_what_the_user_said_or_a_step_showed_is_not_copied() -> None:
    """Who says PROJ-1234 means it, and who read it knows of it."""
    steps = ticket("PROJ-1288", "PROJ-1234")
    said = run_of(*steps).model_copy(update={"request": ("Assign PROJ-1234 to kim",)})
    read = run_of(call("list_issues", {"project": "PROJ"}, [{"id": "PROJ-1234"}]), *steps)
    for run in (said, read):
        assert "arguments" not in {one.kind for one in otap.score(run, GOLD).findings}


def test_values_are_quoted_as_they_were_recorded() -> None:
    """And what the reference has is named as the run has it, where that is another name."""

    def posts(one: int, two: int, gone: int, tool: str) -> otap.Trajectory:
        """Two posts, of which one is deleted."""
        return run_of(
            call("create_post", {"text": "one"}, {"id": one}),
            call("create_post", {"text": "two"}, {"id": two}),
            call(tool, {"id": gone}, {"ok": True}),
        )

    gold = posts(101, 102, 101, "deletePost")
    sentence = otap.score(posts(201, 202, 202, "delete_post"), gold).findings[0].sentence
    assert sentence == ("step 3 (delete_post): id is 202 instead of 201 (in the reference 101)")
    assert otap.score(posts(201, 202, 201, "delete_post"), gold).score == 1


def test_what_two_steps_change_is_named_as_the_run_has_it() -> None:
    """Of their order as well."""
    open_it, assign = ticket("PROJ-1234", "PROJ-1234")
    close = call("close_issue", {"id": "PROJ-1234"}, {"ok": True})
    ours = [with_arguments(step, id="PROJ-1288") for step in (close, assign)]
    run = run_of(ticket("PROJ-1288", "")[0], *ours)
    sentences = [one.sentence for one in otap.score(run, run_of(open_it, assign, close)).findings]
    assert any("PROJ-1288" in one for one in sentences)
    assert not any("PROJ-1234" in one for one in sentences)
