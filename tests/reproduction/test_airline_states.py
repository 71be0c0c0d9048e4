"""States are read off what tau-bench's tools answer, and the gold's follow from them."""

import json

import otap
from otap import Step, Trajectory
from reproduction import states

FLIGHT = {"flight_number": "HAT1", "date": "2024-05-20", "price": 100}
RECORD = {
    "reservation_id": "ABC", "user_id": "u", "cabin": "economy", "flights": [FLIGHT],
    "passengers": [], "total_baggages": 1, "nonfree_baggages": 0,
}  # fmt: skip


def call(name, tool, effect, **arguments):
    """A call with what it answered."""
    answer = effect if isinstance(effect, str) else json.dumps(effect)
    return Step(id=name, tool=tool, arguments=arguments, effect=answer)


def test_the_state_is_what_was_changed():
    """A look changes nothing, a refused update neither; a booking has no number of its own."""
    run = Trajectory(
        steps=(
            call("1", "get_reservation_details", RECORD),
            call("2", "update_reservation_baggages", "Error: no"),
            call("3", "update_reservation_baggages", {**RECORD, "total_baggages": 3}),
            call("4", "book_reservation", {**RECORD, "reservation_id": "HATHAT"}),
            call("5", "cancel_reservation", {**RECORD, "status": "cancelled"}),
        )
    )
    found = [step.state for step in states.with_states(run).steps]
    assert found[0] == found[1] == {}
    assert list(found[2]) == ["ABC"]
    assert found[2]["ABC"]["total_baggages"] == 3
    assert list(found[3]) == ["ABC", "new-1"]
    assert found[4]["ABC"]["status"] == "cancelled"


def test_the_gold_ends_where_a_run_that_does_it_ends(real_data):
    """Most rewarded runs on tasks that change something end so; few others, as payments are out."""
    runs = list(otap.read_all(real_data / "tau-bench"))
    shown = states.first_shown(runs)
    golds = {
        gold.task: states.gold_with_states(gold, shown)
        for gold in otap.read_references(real_data / "tau-bench")
        if any(step.tool in states.UPDATES for step in gold.steps)
    }
    same = {True: [], False: []}
    for run in map(states.with_states, runs):
        if run.task in golds and run.steps:
            equal = run.steps[-1].state == golds[run.task].steps[-1].state
            same[run.outcome == 1.0].append(equal)
    assert sum(same[True]) >= 0.7 * len(same[True]) > 0
    assert sum(same[False]) <= 0.2 * len(same[False])


def test_good_runs_are_not_their_own_reference():
    """Each is held against the others; what failed against as many, each left out in turn."""
    runs = [
        Trajectory(id=str(k), task="t", outcome=outcome, steps=())
        for k, outcome in enumerate((1.0, 1.0, 0.0))
    ]
    found = states.against_others(runs)
    chosen = [[[one.id for one in choice] for choice in run.choices] for run in found]
    assert chosen == [[["1"]], [["0"]], [["1"], ["0"]]]
