"""The four mechanisms, and which of them a trajectory or a pair allows."""

from typing import Any

import pytest

from otap.errors import DependencyError
from otap.run import MECHANISMS, common_mechanism, dependency_graph
from otap.trajectory import Step, Trajectory


def run(*steps: dict[str, Any]) -> Trajectory:
    """Returns a run of these steps, called a, b, c, ..."""
    named = zip("abcdefgh", steps, strict=False)
    return Trajectory(id="run", steps=tuple(Step(id=name, **step) for name, step in named))


def pairs(trajectory: Trajectory, mechanism: str) -> list[tuple[int, int]]:
    """Returns the edges that a mechanism finds."""
    graph = dependency_graph(trajectory, mechanism)
    assert graph.size == len(trajectory.steps)
    return [(edge.source, edge.target) for edge in graph.edges]


def needs(*parents: str) -> dict[str, Any]:
    """Returns a step that records what it needed."""
    return {"tool": "x", "depends_on": parents}


EXPLICIT = run(needs(), needs("a"), needs("b", "a", "b"))
TRACED = run({"tool": "x", "effect": "room H-22"}, {"tool": "y", "arguments": {"room": "H-22"}})
BARE = run({"tool": "x"}, {"tool": "y"})


def test_explicit() -> None:
    """The recorded dependencies, each once, sources by position, with full confidence."""
    assert pairs(EXPLICIT, "explicit") == [(0, 1), (0, 2), (1, 2)]
    edges = dependency_graph(EXPLICIT).edges
    assert {(edge.confidence, edge.evidence) for edge in edges} == {(1.0, ())}


def test_explicit_dependencies_may_run_backwards() -> None:
    """With explicit dependencies the listing order means nothing."""
    assert pairs(run(needs("c"), needs("a"), needs()), "explicit") == [(2, 0), (0, 1)]


def test_sequential() -> None:
    """Each step needs the one before it."""
    assert pairs(run({}, {}, {}), "sequential") == [(0, 1), (1, 2)]


def test_sequential_turns() -> None:
    """A step needs all steps of the turn before its own and none of its own turn."""
    turns = run({"turn": 1}, {"turn": 2}, {"turn": 2}, {}, {}, {"turn": 2}, {"turn": 2})
    expected = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (4, 5), (4, 6)]
    assert pairs(turns, "sequential") == expected


def test_traced() -> None:
    """A traced graph says so, and why each edge is there."""
    graph = dependency_graph(TRACED, "traced")
    assert graph.mechanism == "traced"
    assert graph.edges[0].evidence[0].value == "H-22"


@pytest.mark.parametrize(
    ("trajectory", "mechanism"),
    [
        (EXPLICIT, "explicit"),
        (TRACED, "traced"),
        (BARE, "sequential"),
        (run(needs(), {"tool": "x", "effect": "y"}), "traced"),
        (run(needs(), {"tool": "x"}), "sequential"),
        (run(), "explicit"),
        (run({"tool": "x"}), "sequential"),
    ],
)
def test_auto(trajectory: Trajectory, mechanism: str) -> None:
    """Auto takes the best mechanism that the trajectory allows."""
    assert dependency_graph(trajectory).mechanism == mechanism
    assert dependency_graph(trajectory) == dependency_graph(trajectory, mechanism)


@pytest.mark.parametrize(
    ("pair", "mechanism"),
    [
        ((EXPLICIT, EXPLICIT), "explicit"),
        ((TRACED, TRACED), "traced"),
        ((EXPLICIT, TRACED), "sequential"),
        ((TRACED, BARE), "sequential"),
        ((EXPLICIT, run()), "explicit"),
        ((TRACED, run()), "traced"),
        ((BARE, run()), "sequential"),
        ((EXPLICIT, run({})), "sequential"),
        ((), "explicit"),
    ],
)
def test_auto_for_a_pair(pair: tuple[Trajectory, ...], mechanism: str) -> None:
    """A pair takes the best mechanism that both sides allow, in either order."""
    assert common_mechanism(*pair) == common_mechanism(*reversed(pair)) == mechanism


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_no_steps_no_dependencies(mechanism: str) -> None:
    """Without steps every mechanism finds that there is nothing to find."""
    assert pairs(run(), mechanism) == []


def test_one_step_depends_on_nothing() -> None:
    """A single step has no edge, whatever it records."""
    lone = run({"arguments": "H-22", "effect": "H-22", "depends_on": []})
    assert [pairs(lone, mechanism) for mechanism in MECHANISMS] == [[]] * len(MECHANISMS)


@pytest.mark.parametrize(
    ("trajectory", "mechanism", "message"),
    [
        (TRACED, "explicit", "run: cannot find explicit dependencies, since not every step "
         "records depends_on; use another mechanism or 'auto'"),
        (BARE, "traced", "run: cannot find traced dependencies, since no step records an effect; "
         "use another mechanism or 'auto'"),
        (BARE, "\x1b", "no mechanism '\\x1b'; there are auto, explicit, traced, conflicts, "
         "sequential"),
    ],
)  # fmt: skip
def test_what_cannot_be_found(trajectory: Trajectory, mechanism: str, message: str) -> None:
    """A mechanism that the trajectory does not allow, or that does not exist, is an error."""
    with pytest.raises(DependencyError) as caught:
        dependency_graph(trajectory, mechanism)
    assert str(caught.value) == message
