"""Data flow by named artifacts: what each step produces and consumes, whatever the order.

A step keeps both in its metadata, under the keys PRODUCES and CONSUMES. So an edit can move steps
and then derive the dependencies that the new order still allows.
"""

from collections.abc import Sequence

from otap.errors import DependencyError, shown
from otap.run import DependencyGraph, dependency_graph, quotient
from otap.trajectory import Step, Trajectory

PRODUCES, CONSUMES = "produces", "consumes"
# When a step ran is not true of another order.
_WHEN = {"turn": None, "started_at": None, "ended_at": None}


def annotated(trajectory: Trajectory, graph: DependencyGraph) -> Trajectory:
    """Returns the trajectory with the artifacts that each step makes and needs by a graph.

    A step makes one artifact, named after itself, and needs those of the steps that it depends on.

    Args:
        trajectory: the steps.
        graph: what each step needs, by position.

    Raises:
        DependencyError: if the graph is one of another number of steps.
    """
    if graph.size != len(trajectory.steps):
        raise DependencyError(
            f"{shown(trajectory.name)} has {len(trajectory.steps)} steps, its graph {graph.size}; "
            "pass the graph of this trajectory"
        )
    ids = [step.id for step in trajectory.steps]
    both = zip(trajectory.steps, graph.parents, strict=True)
    steps = (with_flow(step, [step.id], [ids[one] for one in needed]) for step, needed in both)
    return trajectory.model_copy(update={"steps": tuple(steps)})


def retraced(trajectory: Trajectory) -> Trajectory:
    """Returns the trajectory with ``depends_on`` derived from its artifacts in this order.

    A step depends on the latest earlier step that makes what it needs. What nobody made before
    gives no edge: a step moved before its source has an unmet need.

    Raises:
        DependencyError: if a step's metadata has no lists of names ``produces`` and ``consumes``.
    """
    latest: dict[str, str] = {}
    steps: list[Step] = []
    for step in trajectory.steps:
        needed = {latest[name] for name in consumed(step) if name in latest}
        parents = tuple(other.id for other in steps if other.id in needed)
        steps.append(step.model_copy(update={"depends_on": parents}))
        latest.update(dict.fromkeys(produced(step), step.id))
    return trajectory.model_copy(update={"steps": tuple(steps)})


def with_flow(step: Step, produces: Sequence[str], consumes: Sequence[str]) -> Step:
    """Returns the step with its artifacts written into its metadata.

    Args:
        step: any step.
        produces: names of the artifacts that it makes.
        consumes: names of those that it needs.
    """
    flow = {PRODUCES: list(produces), CONSUMES: list(consumes)}
    return step.model_copy(update={"metadata": {**step.metadata, **flow}})


def produced(step: Step) -> list[str]:
    """Returns the artifacts that a step makes.

    Raises:
        DependencyError: if its metadata has no list of names ``produces``.
    """
    return _read_names(step, PRODUCES)


def consumed(step: Step) -> list[str]:
    """Returns the artifacts that a step needs.

    Raises:
        DependencyError: if its metadata has no list of names ``consumes``.
    """
    return _read_names(step, CONSUMES)


def _read_names(step: Step, key: str) -> list[str]:
    names = step.metadata.get(key)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise DependencyError(
            f"step '{shown(step.id)}': metadata.{key} must be a list of names of artifacts"
        )
    return [str(name) for name in names]


def graph_of(trajectory: Trajectory) -> DependencyGraph:
    """Returns the explicit dependency graph.

    Raises:
        DependencyError: if a step does not record what it depends on.
    """
    return dependency_graph(trajectory, "explicit")


def listed(trajectory: Trajectory, steps: Sequence[Step]) -> Trajectory:
    """Returns the trajectory with these steps in this order, and ``depends_on`` as that allows.

    Turns and times are dropped: they are those of the old order.

    Raises:
        DependencyError: if a step does not say what it makes and needs.
    """
    timeless = tuple(step.model_copy(update=_WHEN) for step in steps)
    return retraced(trajectory.model_copy(update={"steps": timeless}))


def free_id(trajectory: Trajectory, wanted: str) -> str:
    """Returns the wanted id, with primes if a step has it already."""
    used = {step.id for step in trajectory.steps}
    while wanted in used:
        wanted += "'"
    return wanted


def regrouped(trajectory: Trajectory, replaced: Sequence[str], steps: Sequence[Step]) -> Trajectory:
    """Returns the trajectory with other steps in place of some, listed in topological order.

    Args:
        trajectory: records in ``depends_on`` what each step needs.
        replaced: ids of the steps that go; they count as one node of the quotient graph.
        steps: what comes in their place, in this order, with what they make and need
            (:mod:`otap.perturbation.flow`).

    Raises:
        DependencyError: if a step that stays lies between those that are replaced, or one of them
            is no step of the trajectory.
    """
    graph = graph_of(trajectory)
    places = {step.id: place for place, step in enumerate(trajectory.steps)}
    unknown = sorted(set(replaced) - places.keys())
    if unknown or not replaced:
        raise DependencyError(
            f"{shown(trajectory.name)}: no step {shown(', '.join(unknown) or 'to replace')}"
        )
    group = tuple(sorted({places[name] for name in replaced}))
    groups = [group if k == group[0] else (k,) for k in range(graph.size) if k not in group[1:]]
    contracted = quotient(graph, groups)
    if contracted is None:
        raise DependencyError(
            f"steps {shown(', '.join(replaced))} cannot become one: another step needs one of them "
            "and is needed by the other"
        )
    order: list[Step] = []
    for place in contracted.order:
        order += steps if groups[place] == group else [trajectory.steps[groups[place][0]]]
    return listed(trajectory, order)
