"""An edge that is lost because a value differs is no finding of order; steps that moved are."""

from collections.abc import Mapping, Sequence

import pytest

import otap
from builders import StepData, call, run_of, with_arguments
from otap.report.model.alignment_rows import list_rows
from otap.report.terminal.score_view import score_view
from otap.report.view import plain
from otap.trajectory import Trajectory, parse_trajectory

SCORER = otap.Scorer()
ORDER = {"reversed", "broken", "inverted"}


def request_run(*calls: StepData, request: str = "Do it.", turns: Sequence[int] = ()) -> Trajectory:
    """A run of calls, each in a turn of its own unless turns are given."""
    steps = [{**step, "turn": turns[k - 1] if turns else k} for k, step in enumerate(calls, 1)]
    return run_of(*steps, request=[request])


FIND = call("find_customer", {"email": "ana@example.com"}, {"customer_id": "C-77"})
ORDERED = call("get_order", {"order_id": "A-1001"}, {"payment_id": "pay_881"})
MAIL = call("send_email", {"to": "ana@example.com", "subject": "Your refund"}, {"sent": True})
REFUND = call("issue_refund", {"order_id": "A-1001", "payment_id": "pay_881"}, {"ok": True})
CHECK = call("verify_identity", {"customer": "C-77"}, {"verified": True})
DELETE = call("delete_account", {"customer": "C-77"}, {"deleted": True})
CLOSE = call("close_record", {"record_id": "W-20"}, {"closed": "yes"})
MOVE = call("move_record", {"record_id": "W-20", "to": "archive"}, {"moved": "yes"})


# The last call has another value, so that what led to it in the reference leads there no more.
OTHER_VALUES: Mapping[str, tuple[Trajectory, Trajectory]] = {
    "a recipient that was looked up": (
        request_run(FIND, ORDERED, with_arguments(MAIL, to="eve@evil.com")),
        request_run(FIND, ORDERED, MAIL),
    ),
    "a recipient that the user named": (
        request_run(
            FIND, with_arguments(MAIL, to="eve@evil.com"), request="Write to ana@example.com."
        ),
        request_run(FIND, MAIL, request="Write to ana@example.com."),
    ),
    "a value that flows": (
        request_run(ORDERED, with_arguments(REFUND, payment_id="pay_999")),
        request_run(ORDERED, REFUND),
    ),
    "a checked customer": (
        request_run(CHECK, with_arguments(DELETE, customer="C-78")),
        request_run(CHECK, DELETE),
    ),
    "a thing that both change": (
        request_run(CLOSE, with_arguments(MOVE, record_id="W-21")),
        request_run(CLOSE, MOVE),
    ),
    "a look at another thing": (
        request_run(with_arguments(FIND, email="bob@example.com"), MAIL),
        request_run(FIND, MAIL),
    ),
}


@pytest.mark.parametrize("name", OTHER_VALUES)
def test_another_value_is_no_other_order(name: str) -> None:
    """There is one finding for the value, none for the order, and no row is out of order."""
    run, gold = OTHER_VALUES[name]
    explained = SCORER.explain(run, gold)
    kinds = [finding.kind for finding in explained.score.findings]
    assert "arguments" in kinds
    assert ORDER.isdisjoint(kinds)
    rows = list_rows(explained.best)
    assert not [row for row in rows if row.order or row.links]
    text = plain(score_view(explained))
    assert "ran before" not in text
    assert "out of order" not in text


# Both steps are as in the reference, or nearly; but the second ran first.
MOVED: Mapping[str, tuple[Trajectory, Trajectory]] = {
    "a look": (request_run(MAIL, FIND), request_run(FIND, MAIL)),
    "a value that flows": (request_run(REFUND, ORDERED), request_run(ORDERED, REFUND)),
    "a check": (request_run(DELETE, CHECK), request_run(CHECK, DELETE)),
    "a thing that both change": (request_run(MOVE, CLOSE), request_run(CLOSE, MOVE)),
}


@pytest.mark.parametrize("name", MOVED)
def test_steps_that_moved_are_out_of_order(name: str) -> None:
    """The finding says which ran before which, and their rows are marked."""
    run, gold = MOVED[name]
    explained = SCORER.explain(run, gold)
    (finding,) = (one for one in explained.score.findings if one.kind in ORDER)
    first, second = (f"step {step.id} ({step.tool})" for step in run.steps)
    assert finding.sentence.startswith(f"{first} ran before {second}")
    moved = {step.id for row in list_rows(explained.best) if row.order for step in row.steps[0]}
    assert moved == {"1", "2"}
    assert "out of order" in plain(score_view(explained))


def test_only_the_steps_that_moved_are_out_of_order() -> None:
    """Others keep their rows, whatever differs in them."""
    gold = request_run(ORDERED, REFUND, FIND, MAIL)
    explained = SCORER.explain(
        request_run(REFUND, ORDERED, FIND, with_arguments(MAIL, to="eve@evil.com")), gold
    )
    moved = {step.id for row in list_rows(explained.best) if row.order for step in row.steps[0]}
    assert moved == {"1", "2"}


def test_side_by_side_is_not_before() -> None:
    """A call of the same turn cannot use what the other showed; it did not run before it."""
    explained = SCORER.explain(
        request_run(ORDERED, REFUND, turns=(1, 1)), request_run(ORDERED, REFUND)
    )
    (finding,) = (one for one in explained.score.findings if one.kind in ORDER)
    assert "step 2 (issue_refund) ran in the same turn as step 1 (get_order)" in finding.sentence
    assert [bool(row.order) for row in list_rows(explained.best)] == [True, True]


def test_a_lost_dependency_is_not_out_of_order() -> None:
    """Where nothing else differs, and the steps ran in order, the row says what was lost."""
    gold = parse_trajectory(
        {"steps": [{"id": "1", "tool": "a", "depends_on": []},
                   {"id": "2", "tool": "b", "depends_on": ["1"]}]}
    )  # fmt: skip
    run = parse_trajectory(
        {"steps": [{"id": "1", "tool": "a", "depends_on": []},
                   {"id": "2", "tool": "b", "depends_on": []}]}
    )  # fmt: skip
    explained = SCORER.explain(run, gold)
    assert [one.kind for one in explained.score.findings] == ["broken"]
    rows = list_rows(explained.best)
    assert [(bool(row.order), bool(row.links)) for row in rows] == [(False, False), (False, True)]
    text = plain(score_view(explained))
    assert "lost link" in text
    assert "out of order" not in text


SEARCH = call("search_customers", {"name": "Ana"}, {"customers": [{"customer": "C-77"}]})
LOOK = call("find_customer", {"email": "ana@example.com"}, {"customer": "C-77"})


def test_a_value_that_an_extra_look_up_showed_first_is_no_lost_link() -> None:
    """The step of the reference shows it as well, before it is used."""
    run, gold = request_run(SEARCH, LOOK, CHECK, DELETE), request_run(LOOK, CHECK, DELETE)
    kinds = [finding.kind for finding in SCORER.score(run, gold).findings]
    assert ORDER.isdisjoint(kinds)


def test_a_look_up_after_the_use_is_still_out_of_order() -> None:
    """An earlier look-up showed the value; the step of the reference came too late for its use."""
    run, gold = request_run(SEARCH, CHECK, LOOK, DELETE), request_run(LOOK, CHECK, DELETE)
    assert "reversed" in [finding.kind for finding in SCORER.score(run, gold).findings]
