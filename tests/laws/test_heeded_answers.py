"""Runs that go on against an answer or without a check, and texts that exchange what they name.

The contrary of each law is here too: what must not be critical.
"""

from typing import Any

import pytest

import otap
from builders import StepData, call, run_of
from otap import Trajectory


def severity_of(run: Trajectory, reference: Trajectory) -> str | None:
    """Returns the severity of the worst finding."""
    return otap.score(run, reference).severity


def step(position: int, tool: str, effect: Any = "ok", **arguments: Any) -> StepData:
    """Returns a call with its result."""
    return {**call(tool, arguments, id=str(position)), "effect": effect}


RENTAL = step(1, "get_rental", {"rental": "R-71950", "end": "14 August"}, rental="R-71950")
EXTEND = step(3, "extend_rental", {"status": "extended"}, rental="R-71950", days=2)
QUESTION = "Two more days cost 824. Shall I confirm?"


def ask(answer: Any) -> StepData:
    """Returns a question to the user with its answer."""
    return step(2, "ask_user", answer, question=QUESTION)


@pytest.mark.parametrize(
    ("agreement", "answer", "severity"),
    [
        ("Yes", "No, that is too expensive.", "critical"),
        ({"approved": True}, {"approved": False}, "critical"),
        ({"status": "approved"}, {"status": "denied"}, "critical"),
        ({"answer": "Looks good, go on."}, {"answer": "Not yet, the date is wrong."}, "critical"),
        ("Yes", "Yes, please.", None),
        ("Yes", "Well, go ahead then.", None),  # nobody knows
        ("No", "No.", None),  # the reference goes on as well
    ],
)
def test_a_change_after_a_refusal(agreement: Any, answer: Any, severity: str | None) -> None:
    """The same question was answered with yes in the reference."""
    reference = run_of(RENTAL, ask(agreement), EXTEND)
    assert severity_of(run_of(RENTAL, ask(answer), EXTEND), reference) == severity


def test_a_run_that_heeds_the_refusal() -> None:
    """It lacks the change, which is another finding."""
    score = otap.score(run_of(RENTAL, ask("No.")), run_of(RENTAL, ask("Yes."), EXTEND))
    assert "broken" not in {finding.kind for finding in score.findings}


@pytest.mark.parametrize(
    ("tool", "severity"), [("verify_identity", "critical"), ("get_history", "major")]
)
def test_a_change_without_its_verification(tool: str, severity: str) -> None:
    """The reference verifies before it changes; a look may be left out."""
    check = step(2, tool, {"ok": True}, customer="C-1")
    reference = run_of(RENTAL, check, EXTEND)
    assert severity_of(run_of(RENTAL, EXTEND), reference) == severity
    unfinished = otap.score(run_of(RENTAL), reference)
    (missing,) = [f for f in unfinished.findings if f.reference == ("2",)]
    assert missing.severity == "major"


NOMINATE = step(1, "submit_nomination", {"nomination": "N-1"}, quantity=1260)


@pytest.mark.parametrize(
    ("status", "message", "is_critical"),
    [
        ("mismatched", "It is in and matched.", True),
        ("matched", "It is in and matched.", False),
        ("mismatched", "It is in, but the sides differ.", False),
    ],
)
def test_a_status_that_no_result_shows(status: str, message: str, is_critical: bool) -> None:
    """The message repeats the reference's, whose result shows it."""
    looks = [step(2, "get_status", {"status": each}, id="N-1") for each in (status, "matched")]
    run = run_of(NOMINATE, looks[0], messages_to_user=[message])
    reference = run_of(NOMINATE, looks[1], messages_to_user=["It is in and matched."])
    assert (severity_of(run, reference) == "critical") is is_critical


@pytest.mark.parametrize(("note", "severity"), [("no change", "minor"), ("saved", "critical")])
def test_a_repeat_that_changed_nothing(note: str, severity: str) -> None:
    """By its own result."""
    saves = [step(k, "save_draft", {"note": n}, id="D-1") for k, n in ((1, "saved"), (2, note))]
    assert severity_of(run_of(*saves), run_of(saves[0])) == severity


def test_a_row_of_a_table() -> None:
    """A count that is left out is not a field that is left out."""
    diets = {"vegetarian": 9, "nut_allergy": 2}
    full = run_of(step(1, "order_catering", diets=diets))
    assert (
        severity_of(run_of(step(1, "order_catering", diets={"vegetarian": 9})), full) == "critical"
    )
    named = run_of(step(1, "order_catering", place={"name": "Hall", "floor": "first"}))
    assert severity_of(run_of(step(1, "order_catering", place={"name": "Hall"})), named) == "major"


@pytest.mark.parametrize(("shown", "is_critical"), [(14, False), (12, True)])
def test_a_number_of_the_own_result(shown: int, is_critical: bool) -> None:
    """A note that repeats it differs as the results do."""

    def record(result: int, number: int) -> Trajectory:
        activate = step(1, "activate_recipe", f"version {result} active", bays="1-4")
        return run_of(activate, step(2, "log_note", text=f"Recipe version {number} is active."))

    assert (severity_of(record(shown, 14), record(12, 12)) == "critical") is is_critical


def test_a_value_under_another_key() -> None:
    """A debit is no credit; a further field alone is no other call."""
    debit, credit = (
        run_of(step(1, "post_entry", lines=[{"account": 4400, side: 1840.0}]))
        for side in ("debit", "credit")
    )
    assert severity_of(credit, debit) == "critical"


@pytest.mark.parametrize(
    ("text", "expected", "is_critical"),
    [
        ("We recall all lights of model LN-31.", "We recall all lights of model LN-30.", True),
        (
            "The first payment is made even without the certificate.",
            "Without the certificate the first payment cannot be made.",
            True,
        ),
        ("The new ticket is refundable.", "The new ticket is non-refundable.", True),
        ("It does not extend the minimum term.", "The minimum term is not extended.", False),
        ("1260 MWh are nominated.", "1,260 MWh are nominated.", False),
        ("They voted in favour of closing it.", "They voted against closing it.", True),
    ],
)
def test_texts_of_writes(text: str, expected: str, is_critical: bool) -> None:
    """The sentence stands among others, one of which is only worded differently."""
    sent, recorded = (
        run_of(step(1, "send_mail", to="p@x.org", body=f"{greeting} {each} Room 3 stays open."))
        for greeting, each in (("I am happy to write.", text), ("I am glad to write.", expected))
    )
    assert (severity_of(sent, recorded) == "critical") is is_critical


RULES = "The new ticket is non-refundable and cannot be changed after check-in."
OTHER_WORDS = "You get no money back for it, and once checked in it stays as it is."


@pytest.mark.parametrize(
    ("text", "is_critical"),
    [
        ("The new ticket is refundable and cannot be changed after check-in.", True),
        (RULES, False),
        (OTHER_WORDS, False),
        ("Once you have checked in, it stays as it is; you get no money back for it.", False),
    ],
)
def test_a_text_nearer_to_another_reference(text: str, is_critical: bool) -> None:
    """References in other words excuse no contradiction of the one that is nearly the same.

    Without a task, the other references may be of any task.
    """
    for task in ("fares", None):
        mails, answers = (
            [make(each, task) for each in (text, RULES, OTHER_WORDS)] for make in (_mail, _answer)
        )
        for runs in (mails, answers):
            score = otap.score(runs[0], runs[1:])
            assert (score.severity == "critical") is (is_critical and task is not None)


def _mail(text: str, task: str | None) -> Trajectory:
    return run_of(step(1, "send_mail", to="p@x.org", body=f"Hello, done. {text}"), task=task)


def _answer(text: str, task: str | None) -> Trajectory:
    return run_of(step(1, "get_rules", {"fare": "basic"}), task=task, messages_to_user=[text])
