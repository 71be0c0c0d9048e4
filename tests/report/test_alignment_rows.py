"""The alignment in reading order: every step once, in an order that a reader follows."""

from hypothesis import given

import hotel
import otap
from otap.report.model.alignment_rows import Row, list_rows
from otap.report.model.vocabulary import SIGNS
from otap.scoring import Against
from strategies import trajectories

SCORER = otap.Scorer()


def against(name: str) -> Against:
    """A run of the example beside its reference."""
    return SCORER.explain(hotel.run_of(name), hotel.reference()).best


def named(found: Against) -> list[tuple[str, str, str]]:
    """The rows as text: the run's steps, the relation, the reference's."""
    return [
        (_ids(found.run.steps, row.run), row.relation, _ids(found.reference.steps, row.reference))
        for row in list_rows(found)
    ]


def _ids(steps: tuple[otap.Step, ...], places: tuple[int, ...]) -> str:
    return "+".join(steps[place].id for place in places)


@given(trajectories(), trajectories())
def test_every_step_has_one_row_in_its_order(run: otap.Trajectory, gold: otap.Trajectory) -> None:
    """No step is lost or shown twice; the run's come in their order."""
    found = SCORER.explain(run, gold).best
    listed = list_rows(found)
    ours = [place for row in listed for place in row.run]
    theirs = [place for row in listed for place in row.reference]
    assert sorted(ours) == list(range(len(run.steps)))
    assert sorted(theirs) == list(range(len(gold.steps)))
    firsts = [row.run[0] for row in listed if row.run]
    assert firsts == sorted(firsts)
    for row in listed:
        check(row)


def check(row: Row) -> None:
    """A relation fits the sides that are there, and has a sign."""
    assert row.relation in SIGNS
    assert (row.relation == "missing") == (not row.run)
    assert (row.relation in ("invented", "repeated", "failed")) == (not row.reference)
    assert (row.cost is None) == (not row.run or not row.reference) or row.relation in (
        "split", "merged",
    )  # fmt: skip


def test_a_missing_step_stands_where_it_should_have_been() -> None:
    """Behind the counterpart of the step before it."""
    assert named(against("missing_book"))[-1] == ("", "missing", "book")


def test_one_step_for_two_is_one_row() -> None:
    """Both steps of the reference stand beside the one that does what they do."""
    expected = ("filter", "merged", "filter-price+filter-location")
    assert expected in named(against("merged_filters"))


def test_another_tool_and_extra_steps_are_told() -> None:
    """Each by its own word."""
    assert ("rank", "tool", "rank") in named(against("wrong_tool"))
    extra = [row for row in named(against("invented_steps")) if row[1] == "invented"]
    assert extra == [("weather", "invented", ""), ("restaurants", "invented", "")]


def test_what_ran_out_of_order_says_so_at_both_ends() -> None:
    """The steps keep their relation; the order is told beside it."""
    moved = [row for row in list_rows(against("inverted_filter")) if row.order]
    assert len(moved) == 2
    assert {row.relation for row in moved} == {"same"}
    assert not moved[0].is_slight


def test_a_row_that_did_not_move_has_no_mark() -> None:
    """Only the recipient differs: whatever a finding says, no step ran out of order."""
    steps = [
        {"id": "1", "tool": "find_customer", "arguments": {"name": "Ana"},
         "effect": {"id": "C-1", "email": "ana@example.com"}},
        {"id": "2", "tool": "send_email", "arguments": {"to": "ana@example.com", "about": "C-1"}},
    ]  # fmt: skip
    wrong = [steps[0], {**steps[1], "arguments": {"to": "eve@evil.com", "about": "C-1"}}]
    run, gold = (otap.Trajectory.model_validate({"steps": s}) for s in (wrong, steps))
    rows = list_rows(otap.Scorer().explain(run, gold).best)
    assert [[sign.word for sign in row.signs] for row in rows] == [["same"], ["other values"]]
