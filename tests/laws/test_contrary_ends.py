"""Runs whose steps look like the reference's, while the world or the user ends with something else.

Each pair differs in one thing. The contrary of each law is here too: what must not be critical.
"""

from typing import Any

import pytest

import otap
from builders import StepData, call, run_of
from otap import Trajectory
from otap.run.roles import role_by_name


def severity_of(run: Trajectory, reference: Trajectory) -> str | None:
    """Returns the severity of the worst finding."""
    return otap.score(run, reference).severity


def write(number: int, tool: str, effect: Any = "ok", **arguments: Any) -> StepData:
    """Returns a call with its result."""
    return {**call(tool, arguments, id=str(number)), "effect": effect}


OPEN = write(1, "open_run", {"run_id": "PR-18"}, month="2026-04")
ADD = write(2, "add_line", {"line": 1}, run_id="PR-18", employee="E-7", amount=310)
CLOSE = write(3, "close_run", {"state": "closed"}, run_id="PR-18")
GRADE = write(2, "set_grade", "ok", course="as-77", pupil="Jun", grade=2)
PUBLISH = write(3, "publish_grades", "ok", course="as-77")
PACK = write(2, "bash", "", command="tar czf /backup/logs.tgz /srv/logs")
REMOVE = write(3, "bash", "", command="rm -r /srv/logs")
RENAME = write(2, "rename_user", "ok", user_id="usr-61", name="N. Berg")
LEAVE = write(3, "remove_from_group", "ok", user_id="usr-61", group="finance-admins")


@pytest.mark.parametrize(
    ("earlier", "later", "severity"),
    [
        (ADD, CLOSE, "critical"),
        (GRADE, PUBLISH, "critical"),
        (PACK, REMOVE, "critical"),
        (RENAME, LEAVE, "major"),  # neither the user nor the group is gone
    ],
)
def test_a_change_after_the_last_one(earlier: StepData, later: StepData, severity: str) -> None:
    """Once an object is sent, decided, closed or gone, a change of it comes too late."""
    reference, swapped = run_of(OPEN, earlier, later), run_of(OPEN, later, earlier)
    assert severity_of(swapped, reference) == severity
    assert severity_of(reference, reference) is None


ROLLBACK = write(1, "rollback", {"state": "started", "job": "rb-8"}, service="pay", version="2.8.0")
AGAIN = write(3, "rollback", {"state": "started", "job": "rb-9"}, service="pay", version="2.8.0")


def look(number: int, job: str, state: str) -> StepData:
    """Returns a look at a job."""
    return write(number, "get_job", {"job": job, "state": state}, job=job)


def test_a_job_that_failed_is_a_failed_write() -> None:
    """Its own result said only that it began; the last look at it decides."""
    reference = run_of(ROLLBACK, look(2, "rb-8", "succeeded"))
    failed = run_of(ROLLBACK, look(2, "rb-8", "failed"))
    assert severity_of(failed, reference) == "critical"
    recovered = run_of(ROLLBACK, look(2, "rb-8", "failed"), look(3, "rb-8", "succeeded"))
    assert severity_of(recovered, reference) != "critical"
    first = {**ROLLBACK, "effect": {"state": "started", "job": "rb-3"}}
    repeated = run_of(first, look(2, "rb-3", "failed"), AGAIN, look(4, "rb-9", "succeeded"))
    assert severity_of(repeated, reference) != "critical"
    assert severity_of(failed, failed) is None


@pytest.mark.parametrize(
    ("text", "other", "severity"),
    [
        ("You can leave without the stamp.", "Do not leave without the stamp.", "critical"),
        ("Leave the valve open.", "Do not leave the valve open.", "critical"),
        ("Never leave without the stamp.", "Do not leave without the stamp.", "minor"),
        ("Return it charged.", "Return it charged, unless the charger is broken.", "critical"),
        ("We refund the shipping.", "We only refund the shipping.", "critical"),
    ],
)
def test_a_message_with_another_condition(text: str, other: str, severity: str) -> None:
    """A denial that both texts have says nothing; a dropped exception changes the message."""
    sent, expected = (
        run_of(write(1, "send_sms", "sent", to="+49 151 5550199", text=f"SH-77, 8 June. {each}"))
        for each in (text, other)
    )
    assert severity_of(sent, expected) == severity


def test_an_error_with_a_number_is_no_work_done() -> None:
    """The number is the code of the error, and the word of work is about the account."""
    transfer = write(2, "transfer_files", {"job": "tf-2"}, from_user="usr-61", to_user="usr-16")
    busy = {**transfer, "id": "1", "status": "error"}
    busy["effect"] = {"error": "423 account is being disabled, retry"}
    assert severity_of(run_of(busy, transfer), run_of(transfer)) == "minor"


def test_a_telephone_number_with_other_blanks() -> None:
    """Also under the names of numbers for help."""
    with_blanks, without = (
        run_of(write(1, "publish_page", "ok", page="help", hotline=number))
        for number in ("0800 445 112", "0800445112")
    )
    assert otap.score(with_blanks, without).score == 1


@pytest.mark.parametrize(
    ("tool", "role"),
    [
        ("terraform_show", "reads"),
        ("terraform_state_list", "reads"),
        ("gh_pr_view", "reads"),
        ("add_to_list", "writes"),
        ("terraform_state_rm", None),
    ],
)
def test_the_verb_behind_the_name_of_a_product(tool: str, role: str | None) -> None:
    """A last word that only looks, if no other word writes."""
    assert role_by_name(tool) == role
