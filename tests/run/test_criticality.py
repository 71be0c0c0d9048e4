"""Critical steps: take one out and look whether some goal is still reached from every source."""

from collections.abc import Collection
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dags import HOTEL, HOTEL_STEPS, dags, reached
from otap.errors import FormatError
from otap.graph import DependencyGraph, Edge
from otap.paper.masses import critical as paper_critical
from otap.run.criticality import critical_steps
from otap.trajectory import Step, Trajectory


def listed(graph: DependencyGraph, **metadata: Any) -> Trajectory:
    """Returns a trajectory with as many steps, called by their positions."""
    steps = tuple(Step(id=str(step)) for step in range(graph.size))
    return Trajectory(steps=steps, metadata=metadata)


def found(trajectory: Trajectory, graph: DependencyGraph) -> list[int]:
    """Returns the critical steps."""
    critical = critical_steps(trajectory, graph)
    assert critical.shape == (graph.size,)
    return [step for step in range(graph.size) if critical[step]]


def look(graph: DependencyGraph, goals: Collection[int]) -> list[int]:
    """The definition, literally: without the step, is a goal gone that a source led to?"""
    needing = {edge.target for edge in graph.edges}
    sources = [step for step in range(graph.size) if step not in needing]
    return [
        step
        for step in range(graph.size)
        if any(
            goal in reached(graph, source) and goal not in reached(graph, source, without=step)
            for source in sources
            for goal in goals
        )
    ]


@given(dags())
def test_the_papers_criticality(graph: DependencyGraph) -> None:
    """With every sink a goal: what some sink cannot be reached without."""
    needed = {edge.source for edge in graph.edges}
    sinks = [step for step in range(graph.size) if step not in needed]
    assert np.flatnonzero(paper_critical(graph)).tolist() == look(graph, sinks)


@given(dags(), st.data())
def test_declared_goals(graph: DependencyGraph, data: st.DataObject) -> None:
    """With declared goals: what some of them cannot be reached without, anywhere in the graph."""
    goals = data.draw(st.lists(st.integers(0, graph.size - 1), min_size=1, max_size=3))
    trajectory = listed(graph, goals=[str(goal) for goal in goals])
    assert found(trajectory, graph) == look(graph, goals)
    assert set(goals) <= set(found(trajectory, graph))


def test_hotel() -> None:
    """In the hotel task each step is critical but the two filters, of which either leads on."""
    for critical in (found(listed(HOTEL), HOTEL), np.flatnonzero(paper_critical(HOTEL)).tolist()):
        names = {HOTEL_STEPS[step] for step in critical}
        assert names == set(HOTEL_STEPS) - {"filter-price", "filter-location"}


def test_the_hotels_mass() -> None:
    """Theory 1a: weighting the mass by criticality alone costs a run against itself .0230."""
    weights = [1 + critical for critical in paper_critical(HOTEL)]
    nu = [weight / sum(weights) for weight in weights]
    loss = sum((share**0.5 - (1 / 6) ** 0.5) ** 2 for share in nu)
    assert round(loss, 4) == 0.0230


FAN = DependencyGraph(4, (Edge(0, 1), Edge(0, 2), Edge(0, 3)), "traced")


def run(*states: Any, **changes: bool) -> Trajectory:
    """Returns steps with these states; changes say of step_1, step_2 ... that it changes state."""
    said = {int(name.removeprefix("step_")): value for name, value in changes.items()}
    return Trajectory(
        steps=tuple(
            Step(
                id=str(index),
                state=state,
                metadata={"changes_state": said[index]} if index in said else {},
            )
            for index, state in enumerate(states)
        )
    )


NONE = (None,) * 4


@pytest.mark.parametrize(
    ("trajectory", "critical"),
    [
        (run(*NONE), [0, 3]),
        (run(*NONE, step_1=True), [0, 1]),
        (run(*NONE, step_1=True, step_2=True, step_3=False), [0, 1, 2]),
        (run(*NONE, step_0=True), [0, 3]),  # it changes state, but is no sink
        (run({"a": 1}, {"a": 1}, {"a": 2}, {"a": 2}), [0, 2]),
        (run({"a": 1}, {"a": 2}, {"a": 3}, {"a": 3}, step_1=False), [0, 2]),
        (run({"a": 1}, None, {"a": 2}, None), [0, 3]),  # what it was before is not known
        (run("page", "page", "page", "other"), [0, 3]),
    ],
)
def test_goals_where_none_are_declared(trajectory: Trajectory, critical: list[int]) -> None:
    """The goals are the sinks known to change state; else the last step."""
    assert found(trajectory, FAN) == critical


def test_state_changes_with_explicit_dependencies() -> None:
    """With explicit dependencies a state is compared with those of the steps that were needed."""
    graph = DependencyGraph(4, (Edge(3, 0), Edge(3, 1), Edge(3, 2)), "explicit")
    assert found(run({"a": 1}, {"a": 2}, {"a": 1}, {"a": 1}), graph) == [1, 3]


def test_the_last_step_with_explicit_dependencies() -> None:
    """With explicit dependencies listing order means nothing: the deepest steps are the goals."""
    edges = (Edge(3, 2), Edge(2, 0), Edge(2, 1), Edge(3, 4))
    assert found(run(*NONE, None), DependencyGraph(5, edges, "explicit")) == [0, 1, 2, 3]
    assert found(run(*NONE, None), DependencyGraph(5, edges, "traced")) == [3, 4]


def test_sinks_ignore_what_is_declared() -> None:
    """The paper's criticality does not look at declared goals."""
    assert paper_critical(FAN).all()
    assert found(listed(FAN, goals=["1"]), FAN) == [0, 1]


@pytest.mark.parametrize("mechanism", ["explicit", "traced", "sequential"])
def test_no_steps(mechanism: str) -> None:
    """Without steps there is nothing critical."""
    assert found(Trajectory(steps=()), DependencyGraph(0, (), mechanism)) == []


@pytest.mark.parametrize(
    ("goals", "message"),
    [
        ("1", "metadata.goals must be a list of step ids"),
        ([], "metadata.goals must be a list of step ids"),
        (["1", "9"], "metadata.goals names '9', but no step has that id"),
        ([1], "metadata.goals names '1', but no step has that id"),
        ([["1"]], "metadata.goals names '['1']', but no step has that id"),
        (["\x1b"], "metadata.goals names '\\x1b', but no step has that id"),
    ],
)
def test_goals_that_are_none(goals: Any, message: str) -> None:
    """Goals that name no step are an error with the name of the trajectory."""
    with pytest.raises(FormatError) as caught:
        found(listed(FAN, goals=goals), FAN)
    assert str(caught.value) == f"unnamed run: {message}"
