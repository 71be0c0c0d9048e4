"""Steps that together do the work of one: merged, reported by original steps, never at a loss."""

import json
import os
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

import hotel
import otap
from builders import run_of
from otap.alignment import Comparison
from otap.scoring.merge import MAX_ROUNDS, MAX_STEPS
from otap.scoring.references import ReferenceComparisons, solve_together
from otap.scoring.solve import merge_problem
from otap.transport import solve
from strategies import relisted, trajectories
from work import calls

LONG = os.environ.get("OTAP_LONG") == "1"
SCORER = otap.Scorer()
PLAIN = otap.Scorer(otap.Config(contraction=False))
few = settings(max_examples=300 if LONG else 15, deadline=None)

SEARCH = {
    "id": "search", "tool": "search", "arguments": {"city": "Rome"}, "effect": "list L1",
    "depends_on": [],
}  # fmt: skip
FILTER = {
    "id": "filter", "tool": "filter", "effect": "list L2 of hotels that fit",
    "action": "Keep what costs at most 150 euros, lies near the station and has a garden.",
    "arguments": {"price": 150, "landmark": "Termini", "garden": "with lemon trees"},
    "depends_on": ["search"],
}  # fmt: skip
BOOK = {
    "id": "book", "tool": "book", "arguments": {"list": "L2"}, "effect": "booked B7",
    "depends_on": ["filter"],
}  # fmt: skip
PARTS = [
    ("price", "Keep what costs at most 150 euros.", {"price": 150}),
    ("place", "Keep what lies near the station.", {"landmark": "Termini"}),
    ("garden", "Keep what has a garden.", {"garden": "with lemon trees"}),
]


def in_parts(parallel: bool = False) -> otap.Trajectory:
    """The plan with its filter in three steps, one after the other or side by side."""
    steps = [
        {
            "id": name, "tool": f"filter_{name}", "action": action, "arguments": arguments,
            "effect": "list L2 of hotels that fit",
            "depends_on": ["search"] if parallel or not k else [PARTS[k - 1][0]],
        }
        for k, (name, action, arguments) in enumerate(PARTS)
    ]  # fmt: skip
    needed = [name for name, _, _ in PARTS] if parallel else ["garden"]
    return run_of(SEARCH, *steps, {**BOOK, "depends_on": needed})


WHOLE = run_of(SEARCH, FILTER, BOOK)


@pytest.mark.parametrize("parallel", [False, True], ids=["chain", "side by side"])
def test_three_steps_that_are_one(parallel: bool) -> None:
    """Two rounds merge them, on either side; unmerged they are damage."""
    assert MAX_ROUNDS >= 2
    for run, gold, kind in (
        (in_parts(parallel), WHOLE, "split"),
        (WHOLE, in_parts(parallel), "merged"),
    ):
        found = SCORER.score(run, gold)
        assert found.score > 0.98 > 0.9 > PLAIN.score(run, gold).score
        (told,) = found.findings
        parts = told.agent if kind == "split" else told.reference
        assert (told.kind, parts) == (kind, ("price", "place", "garden"))


def test_the_alignment_names_original_steps() -> None:
    """Each step has a share, merged steps equal ones; all shares sum to the loss."""
    run = in_parts()
    found = SCORER.score(run, WHOLE)
    assert [share.id for share in found.alignment.agent] == [step.id for step in run.steps]
    whole = {pair.reference for pair in found.alignment.pairs if pair.agent in ("price", "garden")}
    assert whole == {"filter"}
    shares = [*found.alignment.agent, *found.alignment.reference]
    assert sum(share.contribution for share in shares) == pytest.approx(found.loss, abs=1e-9)
    assert found.alignment.agent[1].contribution == found.alignment.agent[2].contribution
    assert found.alignment.agent[1].counterpart is None
    masses = sum(pair.mass for pair in found.alignment.pairs)
    assert masses == pytest.approx(found.mass, abs=2e-3)


def moves(*calls: tuple[str, str]) -> otap.Trajectory:
    """A plan of calls whose arguments are text, each of which needs the one before it."""
    steps = [
        {"id": str(k), "tool": tool, "arguments": text, "depends_on": [str(k - 1)] if k else []}
        for k, (tool, text) in enumerate(calls)
    ]
    return run_of(*steps)


def errands(count: int) -> list[dict[str, Any]]:
    """Calls of as many tools, each with two arguments, each of which needs a recent one."""
    return [
        {
            "id": f"s{k}", "tool": f"errand_{k}", "action": f"w{7 * k} w{7 * k + 1}",
            "arguments": {f"item{k}": f"i-{k}", f"place{k}": f"p-{k}"}, "effect": f"done {k}",
            "depends_on": [f"s{k - 1 - k % min(k, 3)}"] if k else [],
        }
        for k in range(count)
    ]  # fmt: skip


def halved(steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same work with each step in two: its first argument, then its second."""
    found = []
    for step in steps:
        first, second = step["arguments"].items()
        one, other = step["action"].split()
        needs = [f"{name}b" for name in step["depends_on"]]
        a, b = f"{step['id']}a", f"{step['id']}b"
        found += [
            {**step, "id": a, "action": one, "arguments": dict([first]), "depends_on": needs},
            {**step, "id": b, "action": other, "arguments": dict([second]), "depends_on": [a]},
        ]
    return found


@pytest.mark.parametrize("count", [20, 50, 51, 150, *([500] if LONG else [])])
def test_a_run_in_halves_is_the_same_run_at_every_length(count: int) -> None:
    """Up to 1,000 steps; from both sides, and in whatever order the steps are listed."""
    whole, parts = run_of(*errands(count)), run_of(*halved(errands(count)))
    assert len(parts.steps) <= MAX_STEPS
    assert SCORER.score(parts, whole).score == pytest.approx(1.0, abs=1e-6)
    assert SCORER.score(relisted(whole, 1), relisted(parts, 2)).score == pytest.approx(1, abs=1e-6)
    assert PLAIN.score(parts, whole).score < 0.95


def flat(steps: list[dict[str, Any]]) -> otap.Trajectory:
    """Steps of which none needs another: any two may be one."""
    return run_of(*({**step, "depends_on": []} for step in steps))


@pytest.mark.parametrize("count", [60, *([400] if LONG else [])])
def test_many_steps_without_dependencies(count: int) -> None:
    """Of thousands of pairs the nearest to a step are tried, which are its halves."""
    whole, parts = flat(errands(count)), flat(halved(errands(count)))
    assert SCORER.score(parts, whole).score == pytest.approx(1.0, abs=1e-6)
    assert SCORER.score(relisted(parts, 3), whole).score == pytest.approx(1.0, abs=1e-6)


def test_merging_takes_work_that_grows_with_the_run() -> None:
    """Five times the steps: less than ten times the calls; all pairs are 25 times as many.

    Counted where all is read already, which makes up most of it.
    """
    pairs = [(flat(halved(errands(count))), flat(errands(count))) for count in (60, 300)]
    SCORER.score_many(pairs)
    few, many = (calls(partial(SCORER.score, *pair)) for pair in pairs)
    assert many < 10 * few


def test_steps_that_contradict_do_not_merge() -> None:
    """The same words in three steps are not the one step that says the converse."""
    gold = moves(("put-down", "block d"), ("pick-up", "block a"), ("stack", "block a on block d"))
    run = moves(("stack", "block d on block a"))
    assert SCORER.score(run, gold).score < 0.7


def test_a_tool_that_a_side_calls_itself_has_no_other_name() -> None:
    """Two calls may be another tool's one call only where that tool is not known."""
    begin = "stack", "block c on block e"
    gold = moves(begin, ("put-down", "block d"), ("pick-up", "block a"))
    run = moves(begin, ("stack", "block d on block a"))
    assert SCORER.score(run, gold).score < 0.8


def test_a_distractor_does_not_merge() -> None:
    """A step that adds nothing to its neighbour stays invented."""
    weather = {
        "id": "weather", "tool": "weather_forecast", "action": "Ask how warm it will be.",
        "arguments": {"day": "Monday"}, "effect": "31 degrees", "depends_on": ["filter"],
    }  # fmt: skip
    run = run_of(SEARCH, FILTER, weather, BOOK)
    found = SCORER.score(run, WHOLE)
    assert found.loss == PLAIN.score(run, WHOLE).loss
    assert [one.kind for one in found.findings] == ["invented"]


def test_a_step_with_substeps_does_not_merge() -> None:
    """Its sub-steps are compared already."""
    search, first, *rest = in_parts().steps
    inside = first.model_copy(update={"id": "x", "depends_on": ()})
    nested = first.model_copy(update={"substeps": (inside,)})
    run = in_parts().model_copy(update={"steps": (search, nested, *rest)})
    metric = SCORER._metric
    comparisons = ReferenceComparisons(run, [WHOLE], metric)
    [problem] = comparisons.problems([0]).values()
    solution = solve(problem.arrays, metric.config.epsilon)
    merged = merge_problem(Comparison(problem, solution), metric)
    assert merged is None or (1,) in merged.run.parts


@few
@given(run=trajectories(), gold=trajectories())
def test_merging_never_lowers_a_score(run: otap.Trajectory, gold: otap.Trajectory) -> None:
    """The smaller of the two losses counts."""
    assert SCORER.score(run, gold).loss <= PLAIN.score(run, gold).loss + 1e-9


@few
@given(run=trajectories(), gold=trajectories())
def test_listing_order_changes_nothing(run: otap.Trajectory, gold: otap.Trajectory) -> None:
    """Which steps are taken together is decided by what they say and need."""
    loss = SCORER.score(run, gold).loss
    assert SCORER.score(relisted(run, 1), gold).loss == pytest.approx(loss, abs=1e-9)
    assert SCORER.score(run, relisted(gold, 2)).loss == pytest.approx(loss, abs=1e-9)


def check_bounds(run: otap.Trajectory, gold: otap.Trajectory) -> None:
    """The lower bound of the loss is not above the loss."""
    comparisons = ReferenceComparisons(run, [gold], SCORER._metric)
    solve_together([comparisons])
    assert comparisons.bounds[0] <= comparisons.solved[0].loss + 1e-9


@few
@given(run=trajectories(), gold=trajectories())
def test_a_bound_holds_for_any_steps(run: otap.Trajectory, gold: otap.Trajectory) -> None:
    """Whatever merges."""
    check_bounds(run, gold)


def test_a_bound_holds_where_steps_merge() -> None:
    """A step in parts, and half steps throughout, on either side."""
    for run, gold in (
        (in_parts(), WHOLE),
        (in_parts(parallel=True), WHOLE),
        (run_of(*halved(errands(20))), run_of(*errands(20))),
    ):
        check_bounds(run, gold)
        check_bounds(gold, run)


def test_a_bound_holds_where_ids_of_merged_steps_are_renamed() -> None:
    """A write that uses the id of a merged step costs next to nothing once the id is renamed."""

    def with_write(path: Path) -> otap.Trajectory:
        return otap.parse(json.loads(path.read_text().replace("rank_hotels", "reserve_hotels")))

    run, gold = with_write(hotel.run_file("merged_filters")), with_write(hotel.REFERENCE)
    assert SCORER.score(run, gold).loss < 0.005
    check_bounds(run, gold)
    check_bounds(gold, run)


def call(name: str, tool: str, **arguments: Any) -> dict[str, Any]:
    """A call of which nothing but its arguments is known."""
    return {"id": name, "tool": tool, "arguments": arguments}


CANCEL = call("cancel", "cancel_order", order_id="W1")
PAY = call("pay", "pay_bill", account="A7", amount=20)


@pytest.mark.parametrize("other", [{}, {"user_id": "mia"}], ids=["nothing", "something else"])
def test_looks_are_never_a_change(other: dict[str, Any]) -> None:
    """Two steps that only look, of which one names the order, do not cancel it between them."""
    looks = call("look", "get_order", order_id="W1"), call("list", "list_users", **other)
    found = SCORER.score(run_of(*looks, PAY), run_of(CANCEL, PAY))
    assert [one.kind for one in found.findings if one.severity == "critical"] == ["missing"]
    assert found.score < SCORER.score(run_of(CANCEL, PAY), run_of(CANCEL, PAY)).score - 0.2


def test_a_part_that_brings_no_argument_makes_no_other_tool() -> None:
    """Another change with the same arguments stays another one, whatever is done beside it."""
    others = call("ship", "ship_order", order_id="W1"), call("ping", "notify_staff")
    found = SCORER.score(run_of(*others, PAY), run_of(CANCEL, PAY))
    assert not [one for one in found.findings if one.kind in ("split", "merged")]
    assert found.severity == "critical"


def test_a_look_may_be_part_of_a_change() -> None:
    """What books at once is done as well by a step that looks and one that books what it found."""
    halves = (
        call("find", "find_room", city="Rome", landmark="Termini", guests=2),
        call("book", "book_room", nights=3, card="C4", breakfast="yes"),
    )
    whole = {key: value for half in halves for key, value in half["arguments"].items()}
    found = SCORER.score(run_of(*halves), run_of(call("at_once", "reserve", **whole)))
    assert [one.kind for one in found.findings] == ["split"]


def test_thoughts_in_a_run_with_calls_are_one_by_their_words() -> None:
    """Two short thoughts are the one that says both; they need no arguments for that."""
    halves = (
        {"id": "a", "kind": "reasoning", "action": "The guest wants a room near the station."},
        {"id": "b", "kind": "reasoning", "action": "Breakfast must be included in the price."},
    )
    both = " ".join(half["action"] for half in halves)
    whole = {"id": "ab", "kind": "reasoning", "action": both}
    counting = otap.Scorer(otap.Config(recognise=False))
    found = counting.score(run_of(*halves, PAY), run_of(whole, PAY))
    assert [one.kind for one in found.findings] == ["split"]
