"""inverted: counterparts that name one thing, in the other order, where order costs nothing."""

from typing import Any

import otap
from otap import Step, Trajectory
from otap.alignment.findings import Finding


def run(*calls: tuple[str, str, Any]) -> Trajectory:
    """Returns a run of calls that name a record and show it as it is then."""
    steps = [
        Step(
            id=name, tool=tool, arguments=arguments, effect={"record": "W-20", "now": f"K-{name}99"}
        )
        for name, tool, arguments in calls
    ]
    return Trajectory(steps=tuple(steps))


def inverted(one: Trajectory, other: Trajectory) -> list[Finding]:
    """Returns the inverted pairs."""
    return [found for found in otap.score(one, other).findings if found.kind == "inverted"]


READ = ("1", "get_record", {"record_id": "W-20"})
CLOSE = ("2", "close_record", {"record_id": "W-20"})
MOVE = ("3", "move_record", {"record_id": "W-20", "to": "archive"})
OTHER = ("4", "move_record", {"record_id": "W-31", "to": "archive"})


def test_two_writes_in_the_other_order() -> None:
    """Both write to one record, whatever they return: major, and it costs something."""
    (found,) = otap.score(run(READ, MOVE, CLOSE), run(READ, CLOSE, MOVE)).findings
    assert (found.kind, found.severity) == ("reversed", "major")
    assert (found.agent, found.reference) == (("2", "3"), ("2", "3"))
    assert "both change W-20" in found.sentence


def test_a_read_after_the_write() -> None:
    """Who looks afterwards acted blindly: major, and it costs something."""
    result = otap.score(run(CLOSE, READ), run(READ, CLOSE))
    (found,) = result.findings
    assert (found.kind, found.severity) == ("reversed", "major")
    assert result.score < 1


def test_no_inverted_pair() -> None:
    """Other records, the same order, and a read that is there twice are none."""
    assert not inverted(run(OTHER, CLOSE), run(CLOSE, OTHER))
    assert not inverted(run(READ, CLOSE), run(READ, CLOSE))
    again = ("5", *READ[1:])
    assert not inverted(run(READ, CLOSE, again), run(READ, CLOSE))


def test_a_tool_that_makes_something_else_of_a_thing_changes_nothing() -> None:
    """Two filters of one search result, whose names say nothing, can change places."""
    filters = [
        Step(id=name, tool=f"filter_{name}", arguments={"hotels": "rs-4410"}, effect=f"rs-{k}7")
        for k, name in enumerate(("price", "place"), 1)
    ]
    assert not inverted(Trajectory(steps=filters[::-1]), Trajectory(steps=tuple(filters)))
