"""Several runs of a task in one grid: nothing lost, the same in any order, each parting marked."""

from collections import Counter
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hotel
import otap
from builders import StepData, call, run_of
from otap.errors import NoReferenceError
from otap.report.together.build import align_runs
from otap.report.together.departures import group_departures, word_departure
from otap.report.together.grid import Grid, Lane
from otap.scoring import Explanation
from otap.trajectory import Trajectory, parse_trajectory
from strategies import trajectories

SCORER = otap.Scorer()
LOOK = call("get_user", {"user": "mia_3668"})
BOOK = call("book_room", {"hotel": "rs-4411", "nights": 2})
OTHER = call("book_room", {"hotel": "rs-4499", "nights": 2})
PAY = call("pay_invoice", {"invoice": "inv-77", "amount": 120})
MAIL = call("send_mail", {"to": "mia@example.com"})
CANCEL = call("cancel_trip", {"trip": "tr-12"})


def run(
    *calls: StepData, name: str = "run", outcome: float | None = None, failed: Sequence[int] = ()
) -> Trajectory:
    """A run of such calls; failed are the places of those that failed."""
    steps = [
        {**step, "id": str(k), "status": "error" if k in failed else "ok"}
        for k, step in enumerate(calls)
    ]
    return run_of(*steps, id=name, task="trip", outcome=outcome)


def grid(gold: Trajectory, *runs: Trajectory) -> Grid:
    """The grid of some runs beside one reference."""
    return align_runs([SCORER.explain(one, gold) for one in runs])


def said(found: Grid) -> dict[str, str]:
    """Where each bad run parts, by its name."""
    return {one.name: word_departure(found, one) for one in found.lanes if not one.is_good}


def drawn(found: Grid) -> list[object]:
    """A grid without what its runs are called."""
    return [
        found.columns,
        *(
            (one.against.run.steps, one.cells, one.order, one.is_good, one.departure)
            for one in found.lanes
        ),
    ]


@given(st.lists(trajectories(most=5), min_size=1, max_size=3), trajectories(most=5))
def test_every_step_has_one_cell_in_any_order_of_the_runs(
    runs: list[Trajectory], gold: Trajectory
) -> None:
    """No step is lost or shown twice, and the grid does not depend on how the runs are listed."""
    found = [SCORER.explain(one, gold) for one in [*runs, runs[0]]]
    expected = align_runs(found)
    assert [one.step for one in expected.columns if one.step] == list(gold.steps)
    for lane in expected.lanes:
        check(lane, len(expected.columns))
    for other in list(permutations(found))[1:4]:
        assert drawn(align_runs(other)) == drawn(expected)
    twins = [one.cells for one in expected.lanes if one.against.run.recorded == runs[0]]
    assert len(twins) > 1
    assert all(one == twins[0] for one in twins)


def check(lane: Lane, size: int) -> None:
    """Each step of both sides stands in one cell, and the order names each cell with steps once."""
    assert len(lane.cells) == size
    own = [cell for cell in lane.cells if cell is not None and not cell.joined]
    ours = Counter(place for cell in own for place in cell.row.run)
    theirs = Counter(place for cell in own for place in cell.row.reference)
    assert ours == Counter(range(len(lane.against.run.steps)))
    assert theirs == Counter(range(len(lane.against.reference.steps)))
    assert sorted(lane.order) == [cell.column for cell in own]
    first = [cell.row.run[0] for cell in map(lane.cells.__getitem__, lane.order) if _runs(cell)]
    assert first == sorted(first)


def _runs(cell: Any) -> bool:
    return cell is not None and bool(cell.row.run)


def test_what_runs_do_besides_shares_a_column_where_the_call_is_the_same() -> None:
    """Calls of one tool at one place stand below each other; others get a column of their own."""
    found = grid(run(BOOK), run(LOOK, MAIL, BOOK), run(LOOK, BOOK), run(MAIL, BOOK, MAIL))
    assert [one.tool for one in found.columns] == [
        "get_user", "send_mail", "book_room", "send_mail",
    ]  # fmt: skip
    assert [one.number for one in found.columns] == [None, None, 1, None]


def test_the_same_arguments_stand_below_each_other_first() -> None:
    """Of two columns of a tool the one whose arguments are those of the run."""
    rome, oslo = call("search", {"city": "Rome"}), call("search", {"city": "Oslo"})
    found = grid(run(BOOK), run(rome, oslo, BOOK), run(oslo, BOOK, name="one"))
    (lane,) = [one for one in found.lanes if one.name == "one"]
    assert [one.tool for one in found.columns] == ["search", "search", "book_room"]
    assert [cell is None for cell in lane.cells] == [True, False, False]


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ([LOOK, BOOK], "step 3 (pay_invoice) is missing"),
        (
            [LOOK, OTHER, PAY],
            "step 2 (book_room) has other values: hotel is rs-4499 instead of rs-4411",
        ),
        ([LOOK, BOOK, CANCEL, PAY], "an extra cancel_trip after step 2"),
        ([CANCEL, LOOK, BOOK, PAY], "an extra cancel_trip before step 1"),
        ([LOOK, BOOK, PAY, PAY], "a repeated pay_invoice after step 3"),
        (
            [LOOK, CANCEL, PAY],
            "an extra cancel_trip after step 1, and step 2 (book_room) is missing",
        ),
        ([LOOK, BOOK, PAY], "its steps do not differ from those of the good runs"),
    ],
)
def test_where_a_bad_run_parts_is_said(calls: list[StepData], expected: str) -> None:
    """In a sentence that names the step of the reference and what is other."""
    gold = run(LOOK, BOOK, PAY)
    found = grid(gold, run(LOOK, BOOK, PAY, outcome=1), run(*calls, name="bad", outcome=0))
    assert said(found) == {"bad": expected}


def test_what_good_runs_do_as_well_is_no_parting() -> None:
    """A failed try and a mail that a good run has, too, do not explain a bad one."""
    good = run(LOOK, MAIL, PAY, BOOK, PAY, outcome=1, failed=[2], name="good")
    bad = run(LOOK, MAIL, PAY, OTHER, PAY, outcome=0, failed=[2], name="bad")
    found = grid(run(LOOK, BOOK, PAY), good, bad)
    assert said(found)["bad"].startswith("step 2 (book_room) has other values")
    alone = grid(run(LOOK, BOOK, PAY), bad)
    assert said(alone)["bad"] == "an extra send_mail after step 1"


def test_the_order_is_that_of_the_run() -> None:
    """What it did first counts first, wherever that stands in the reference."""
    gold = run(LOOK, BOOK, PAY)
    bad = run(LOOK, call("pay_invoice", {"invoice": "inv-99", "amount": 120}), OTHER, name="bad")
    assert said(grid(gold, bad))["bad"].startswith("step 3 (pay_invoice) has other values")


def test_what_is_lacking_counts_where_the_run_goes_on_without_it() -> None:
    """What it does instead, at the same place, is named before."""
    found = grid(run(LOOK, BOOK, PAY), run(LOOK, CANCEL, MAIL, PAY, name="bad", outcome=0))
    parting = found.lanes[0].departure
    assert parting is not None
    assert found.columns[parting.column].tool != "pay_invoice"
    assert parting.others >= 1


def test_what_all_good_runs_do_besides_is_missed() -> None:
    """Only where nothing worse tells a bad run from them."""
    gold, good = run(BOOK, PAY), run(LOOK, BOOK, PAY, outcome=1, name="good")
    found = grid(gold, good, run(BOOK, PAY, outcome=0, name="bad"))
    expected = "get_user before step 1 is missing; all good runs have it"
    assert said(found) == {"bad": f"only minor differences, the first: {expected}"}


def test_without_outcomes_a_run_is_good_that_does_nothing_critical() -> None:
    """The good ones come first, then the score; of the others each says what is wrong."""
    found = align_runs(
        [SCORER.explain(hotel.run_of(one), hotel.reference()) for one in hotel.NAMES]
    )
    assert [one.is_good for one in found.lanes] == [True] * 5 + [False] * 4
    tool = said(found)["hotel-booking/wrong_tool"]
    assert tool == "step 4 calls currency_converter instead of rank_hotels"
    assert (
        said(found)["hotel-booking/inverted_filter"] == "step 2 (filter_by_price) ran out of order"
    )
    docs = (hotel.FOLDER.parents[1] / "docs" / "reading.md").read_text("utf-8")
    assert all(f"| {one.description} |" in docs for one in group_departures(found))
    scores = [one.explanation.score.score for one in found.lanes if one.is_good]
    assert scores == sorted(scores, reverse=True)


def test_runs_that_part_alike_are_told_together() -> None:
    """Those that most runs have in common come first, with the values that are other in all."""
    runs = [run(LOOK, OTHER, PAY, name=f"b{k}", outcome=0) for k in range(2)]
    dearer = call("book_room", {"hotel": "rs-4499", "nights": 3})
    found = grid(
        run(LOOK, BOOK, PAY), run(LOOK, dearer, PAY, outcome=0), *runs, run(LOOK, BOOK, outcome=0)
    )
    groups = group_departures(found)
    assert [len(one.lanes) for one in groups] == [3, 1]
    assert groups[0].description.endswith("hotel is rs-4499 instead of rs-4411; and more")


def test_all_runs_are_held_against_the_reference_that_most_are_nearest_to() -> None:
    """Also those whose best one is another, and those that were never held against it."""
    first, second = run(LOOK, BOOK, PAY, name="first"), run(LOOK, MAIL, CANCEL, name="second")
    runs = [run(*calls) for calls in ([LOOK, BOOK], [LOOK, BOOK, PAY], [LOOK, MAIL, CANCEL])]
    found = [SCORER.explain(one, [second, first]) for one in runs]
    assert align_runs(found).reference == first
    assert align_runs(found).nearest == 2
    found[2] = SCORER.explain(runs[2], [second])
    assert align_runs(found).reference == first
    assert all(one.against.reference.recorded == first for one in align_runs(found).lanes)


def test_what_cannot_be_held_against_it_is_held_against_another() -> None:
    """If all can be held against that one; else what cannot is counted."""
    first, second = run(LOOK, BOOK), run(MAIL)
    near, far = (SCORER.explain(one, one) for one in (first, second))
    lost, other = (
        Explanation(otap.Score.model_validate(one.score.model_dump()), one.against)
        for one in (near, far)
    )
    assert align_runs([near, near, other]).reference == second
    assert align_runs([near, near, other]).missing_runs == 0
    found = align_runs([other, lost, lost])
    assert (found.reference, len(found.lanes), found.missing_runs) == (first, 2, 1)
    with pytest.raises(NoReferenceError, match="no run to show"):
        align_runs([])


def test_answers_have_a_column_at_the_end() -> None:
    """A run that told them, and one that did not, which parts there."""
    given = {"id": "gold", "required_answers": ["327"], "steps": [{"id": "1", "tool": "get_user"}]}
    gold = parse_trajectory(given)
    told, silent = (
        parse_trajectory({**given, "id": name, "required_answers": [], "messages_to_user": [text]})
        for name, text in (("messages_to_user", "It costs 327 dollars."), ("silent", "No."))
    )
    found = grid(gold, told, silent)
    assert found.columns[-1].answers == ("327",)
    assert said(found) == {"silent": "the run never gave the answer '327'"}


def test_a_task_in_which_nothing_is_to_be_done_has_columns_for_what_was_done() -> None:
    """An empty reference is one; an empty run has an empty row."""
    nothing = parse_trajectory({"id": "none", "steps": []})
    found = grid(nothing, nothing, run(CANCEL, name="bad"))
    assert [one.number for one in found.columns] == [None]
    assert said(found) == {"bad": "an extra cancel_trip where the reference does nothing"}
    assert grid(nothing, nothing).columns == ()


def test_real_runs_lose_no_step_and_part_somewhere(real_data: Path) -> None:
    """A hundred runs of 25 tasks, four of each."""
    path = real_data / "tau-bench" / "gpt-4o-airline.tasks-0-24.json"
    golds = {one.task: one for one in otap.read_references(path)}
    runs: dict[str | None, list[Explanation]] = {}
    for one in otap.read_all(path):
        runs.setdefault(one.task, []).append(SCORER.explain(one, golds[one.task]))
    lanes = []
    for found in runs.values():
        made = align_runs(found)
        for lane in made.lanes:
            check(lane, len(made.columns))
        lanes += made.lanes
    bad = [one for one in lanes if not one.is_good]
    assert len(lanes) == 100
    assert sum(one.departure is None for one in bad) <= 3
