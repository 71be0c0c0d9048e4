"""An edge that is lost because a value differs is no finding of order; steps that moved are."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

import otap
from otap.report.model.alignment_rows import list_rows
from otap.report.terminal.score_view import score_view
from otap.report.view import plain
from otap.trajectory import Trajectory, parse_trajectory

SCORER = otap.Scorer()
ORDER = {"reversed", "broken", "inverted"}
Call = tuple[str, dict[str, Any], Any]


def run_of(*calls: Call, request: str = "Do it.", turns: Sequence[int] = ()) -> Trajectory:
    """A run of calls, each in a turn of its own unless turns are given."""
    steps = [
        {"id": str(k), "tool": tool, "arguments": arguments, "effect": effect,
         "turn": turns[k - 1] if turns else k}
        for k, (tool, arguments, effect) in enumerate(calls, 1)
    ]  # fmt: skip
    return parse_trajectory({"steps": steps, "request": [request]})


FIND: Call = ("find_customer", {"email": "ana@example.com"}, {"customer_id": "C-77"})
ORDERED: Call = ("get_order", {"order_id": "A-1001"}, {"payment_id": "pay_881"})
MAIL: Call = ("send_email", {"to": "ana@example.com", "subject": "Your refund"}, {"sent": True})
REFUND: Call = ("issue_refund", {"order_id": "A-1001", "payment_id": "pay_881"}, {"ok": True})
CHECK: Call = ("verify_identity", {"customer": "C-77"}, {"verified": True})
DELETE: Call = ("delete_account", {"customer": "C-77"}, {"deleted": True})
CLOSE: Call = ("close_record", {"record_id": "W-20"}, {"closed": "yes"})
MOVE: Call = ("move_record", {"record_id": "W-20", "to": "archive"}, {"moved": "yes"})


def other(call: Call, **arguments: Any) -> Call:
    """The same call with other arguments."""
    return call[0], {**call[1], **arguments}, call[2]


# The last call has another value, so that what led to it in the reference leads there no more.
OTHER_VALUES: Mapping[str, tuple[Trajectory, Trajectory]] = {
    "a recipient that was looked up": (
        run_of(FIND, ORDERED, other(MAIL, to="eve@evil.com")),
        run_of(FIND, ORDERED, MAIL),
    ),
    "a recipient that the user named": (
        run_of(FIND, other(MAIL, to="eve@evil.com"), request="Write to ana@example.com."),
        run_of(FIND, MAIL, request="Write to ana@example.com."),
    ),
    "a value that flows": (
        run_of(ORDERED, other(REFUND, payment_id="pay_999")),
        run_of(ORDERED, REFUND),
    ),
    "a checked customer": (
        run_of(CHECK, other(DELETE, customer="C-78")),
        run_of(CHECK, DELETE),
    ),
    "a thing that both change": (
        run_of(CLOSE, other(MOVE, record_id="W-21")),
        run_of(CLOSE, MOVE),
    ),
    "a look at another thing": (
        run_of(other(FIND, email="bob@example.com"), MAIL),
        run_of(FIND, MAIL),
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
    "a look": (run_of(MAIL, FIND), run_of(FIND, MAIL)),
    "a value that flows": (run_of(REFUND, ORDERED), run_of(ORDERED, REFUND)),
    "a check": (run_of(DELETE, CHECK), run_of(CHECK, DELETE)),
    "a thing that both change": (run_of(MOVE, CLOSE), run_of(CLOSE, MOVE)),
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
    gold = run_of(ORDERED, REFUND, FIND, MAIL)
    explained = SCORER.explain(run_of(REFUND, ORDERED, FIND, other(MAIL, to="eve@evil.com")), gold)
    moved = {step.id for row in list_rows(explained.best) if row.order for step in row.steps[0]}
    assert moved == {"1", "2"}


def test_side_by_side_is_not_before() -> None:
    """A call of the same turn cannot use what the other showed; it did not run before it."""
    explained = SCORER.explain(run_of(ORDERED, REFUND, turns=(1, 1)), run_of(ORDERED, REFUND))
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
