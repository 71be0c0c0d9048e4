"""inverted: counterparts in the other order, where order costs nothing."""

import otap
from builders import StepData, call, run_of
from otap import Step, Trajectory
from otap.findings import Finding


def record_run(*calls: StepData) -> Trajectory:
    """Returns a run of calls that show a record as it is then."""
    return run_of(
        *({**step, "effect": {"record": "W-20", "now": f"K-{step['id']}99"}} for step in calls)
    )


def inverted(one: Trajectory, other: Trajectory) -> list[Finding]:
    """Returns the inverted pairs."""
    return [found for found in otap.score(one, other).findings if found.kind == "inverted"]


READ = call("get_record", {"record_id": "W-20"}, id="1")
CLOSE = call("close_record", {"record_id": "W-20"}, id="2")
MOVE = call("move_record", {"record_id": "W-20", "to": "archive"}, id="3")
OTHER = call("move_record", {"record_id": "W-31", "to": "archive"}, id="4")


def test_two_writes_in_the_other_order() -> None:
    """Both write to one record, whatever they return: major, and it costs something."""
    (found,) = otap.score(record_run(READ, MOVE, CLOSE), record_run(READ, CLOSE, MOVE)).findings
    assert (found.kind, found.severity) == ("reversed", "major")
    assert (found.agent, found.reference) == (("2", "3"), ("2", "3"))
    assert "both change W-20" in found.sentence


def test_a_read_after_the_write() -> None:
    """Who looks afterwards acted blindly: major, and it costs something."""
    result = otap.score(record_run(CLOSE, READ), record_run(READ, CLOSE))
    (found,) = result.findings
    assert (found.kind, found.severity) == ("reversed", "major")
    assert result.score < 1


def test_no_inverted_pair() -> None:
    """Other records, the same order, and a read that is there twice are none."""
    assert not inverted(record_run(OTHER, CLOSE), record_run(CLOSE, OTHER))
    assert not inverted(record_run(READ, CLOSE), record_run(READ, CLOSE))
    again = {**READ, "id": "5"}
    assert not inverted(record_run(READ, CLOSE, again), record_run(READ, CLOSE))


def test_a_tool_that_makes_something_else_of_a_thing_changes_nothing() -> None:
    """Two filters of one search result, whose names say nothing, can change places."""
    filters = [
        Step(id=name, tool=f"filter_{name}", arguments={"hotels": "rs-4410"}, effect=f"rs-{k}7")
        for k, name in enumerate(("price", "place"), 1)
    ]
    assert not inverted(Trajectory(steps=filters[::-1]), Trajectory(steps=tuple(filters)))


def test_the_sentence_has_both_orders_and_both_names() -> None:
    """Whatever the run calls its steps, each side's steps are named with their own ids."""
    steps = [("r1", "sand_floor", {"room_no": "a"}), ("r2", "oil_floor", {"coats": "b"})]
    reference = [Step(id=name, tool=tool, arguments=arguments) for name, tool, arguments in steps]
    turned = [step.model_copy(update={"id": f"x{step.id}"}) for step in reversed(reference)]
    (finding,) = inverted(Trajectory(steps=tuple(turned)), Trajectory(steps=tuple(reference)))
    assert finding.sentence.startswith(
        "step xr2 (oil_floor) ran before step xr1 (sand_floor); in the reference "
        "step r1 (sand_floor) comes before step r2 (oil_floor)"
    )


def test_calls_of_one_turn_have_no_order() -> None:
    """They ran in parallel, on either side."""
    calls = [("1", "sand_floor", {"a": 1}), ("2", "oil_floor", {"b": 2})]
    steps = [Step(id=name, tool=tool, arguments=arguments) for name, tool, arguments in calls]
    parallel = Trajectory(steps=tuple(step.model_copy(update={"turn": 1}) for step in steps))
    backwards = Trajectory(steps=tuple(reversed(steps)))
    assert not inverted(backwards, parallel)
    assert not inverted(parallel, backwards)


def test_a_merged_step_is_inverted_only_as_a_whole() -> None:
    """The batch stands for two calls; a call between these two ran neither before nor after."""
    singles = [
        Step(id=str(k), tool="archive_order", arguments={"order_id": f"O-{k}"}) for k in (1, 2)
    ]
    batch = Step(id="b", tool="archive_orders", arguments={"order_ids": ["O-1", "O-2"]})
    sweep = Step(id="s", tool="sweep_floor", arguments={"with": "broom"})
    reference = Trajectory(steps=(batch, sweep))
    between = Trajectory(steps=(singles[0], sweep, singles[1]))
    assert not inverted(between, reference)
    assert inverted(Trajectory(steps=(sweep, *singles)), reference)


def test_a_reference_that_records_all_dependencies_frees_the_rest() -> None:
    """What does not depend on anything may run at any time."""
    calls = [("1", "sand_floor", {"a": 1}), ("2", "oil_floor", {"b": 2})]
    steps = [
        Step(id=name, tool=tool, arguments=arguments, depends_on=())
        for name, tool, arguments in calls
    ]
    assert not inverted(Trajectory(steps=tuple(steps[::-1])), Trajectory(steps=tuple(steps)))
