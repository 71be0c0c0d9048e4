"""Data flow as named artifacts that steps produce and consume, independent of their order.

The metadata of a step lists both, under the keys PRODUCES and CONSUMES. An edit can move steps and
then derive the dependencies that the new order still allows.
"""

from collections.abc import Sequence

from otap.errors import DependencyError, shown
from otap.graph import DependencyGraph, quotient
from otap.run import dependency_graph
from otap.trajectory import Step, Trajectory

PRODUCES, CONSUMES = "produces", "consumes"
# Turns and times belong to the old order.
_NO_TIMES = {"turn": None, "started_at": None, "ended_at": None}


def annotated(trajectory: Trajectory, graph: DependencyGraph) -> Trajectory:
    """Returns the trajectory with the artifacts of each step, derived from a dependency graph.

    A step produces one artifact, named after its id, and consumes those of the steps that it
    depends on.

    Args:
        trajectory: the steps.
        graph: the dependencies between them, by index.

    Raises:
        DependencyError: if the graph has another number of steps.
    """
    if graph.size != len(trajectory.steps):
        raise DependencyError(
            f"{shown(trajectory.name)} has {len(trajectory.steps)} steps, but its graph has"
            f" {graph.size}; pass the graph of this trajectory"
        )
    ids = [step.id for step in trajectory.steps]
    steps = tuple(
        with_flow(step, [step.id], [ids[parent] for parent in parents])
        for step, parents in zip(trajectory.steps, graph.parents, strict=True)
    )
    return trajectory.model_copy(update={"steps": steps})


def retraced(trajectory: Trajectory) -> Trajectory:
    """Returns the trajectory with ``depends_on`` derived from the artifacts and the step order.

    A step depends on the latest earlier step that produces an artifact it consumes. If no earlier
    step produces it, there is no dependency.

    Raises:
        DependencyError: if a step's metadata has no lists of names ``produces`` and ``consumes``.
    """
    latest_producer: dict[str, str] = {}
    steps: list[Step] = []
    for step in trajectory.steps:
        sources = {latest_producer[name] for name in consumed(step) if name in latest_producer}
        parents = tuple(earlier.id for earlier in steps if earlier.id in sources)
        steps.append(step.model_copy(update={"depends_on": parents}))
        latest_producer.update(dict.fromkeys(produced(step), step.id))
    return trajectory.model_copy(update={"steps": tuple(steps)})


def with_flow(step: Step, produces: Sequence[str], consumes: Sequence[str]) -> Step:
    """Returns the step with its artifacts in its metadata.

    Args:
        step: any step.
        produces: names of the artifacts that it produces.
        consumes: names of the artifacts that it consumes.
    """
    artifacts = {PRODUCES: list(produces), CONSUMES: list(consumes)}
    return step.model_copy(update={"metadata": {**step.metadata, **artifacts}})


def produced(step: Step) -> list[str]:
    """Returns the artifacts that a step produces.

    Raises:
        DependencyError: if its metadata has no list of names ``produces``.
    """
    return _read_names(step, PRODUCES)


def consumed(step: Step) -> list[str]:
    """Returns the artifacts that a step consumes.

    Raises:
        DependencyError: if its metadata has no list of names ``consumes``.
    """
    return _read_names(step, CONSUMES)


def _read_names(step: Step, key: str) -> list[str]:
    names = step.metadata.get(key)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise DependencyError(
            f"step '{shown(step.id)}': metadata.{key} must be a list of artifact names"
        )
    return [str(name) for name in names]


def graph_of(trajectory: Trajectory) -> DependencyGraph:
    """Returns the explicit dependency graph.

    Raises:
        DependencyError: if a step does not record its dependencies.
    """
    return dependency_graph(trajectory, "explicit")


def with_steps(trajectory: Trajectory, steps: Sequence[Step]) -> Trajectory:
    """Returns the trajectory with these steps, and the dependencies that their order allows.

    Turns and times are dropped, as they belong to the old order.

    Raises:
        DependencyError: if a step lacks its artifacts.
    """
    timeless = tuple(step.model_copy(update=_NO_TIMES) for step in steps)
    return retraced(trajectory.model_copy(update={"steps": timeless}))


def unused_id(trajectory: Trajectory, step_id: str) -> str:
    """Returns an id, with primes if a step has it already."""
    used_ids = {step.id for step in trajectory.steps}
    while step_id in used_ids:
        step_id += "'"
    return step_id


def regrouped(trajectory: Trajectory, replaced: Sequence[str], steps: Sequence[Step]) -> Trajectory:
    """Replaces some steps of a trajectory by others, and sorts all topologically.

    Args:
        trajectory: the run; its steps record their dependencies.
        replaced: ids of the steps to remove; they form one node of the quotient graph.
        steps: the steps to insert, in this order, with their artifacts (:func:`with_flow`).

    Raises:
        DependencyError: if a remaining step both depends on a removed one and is needed by one, or
            if a removed id does not exist.
    """
    graph = graph_of(trajectory)
    index_by_id = {step.id: index for index, step in enumerate(trajectory.steps)}
    unknown = sorted(set(replaced) - index_by_id.keys())
    if unknown or not replaced:
        raise DependencyError(
            f"{shown(trajectory.name)}: no step {shown(', '.join(unknown) or 'to replace')}"
        )
    group = tuple(sorted({index_by_id[step_id] for step_id in replaced}))
    groups = [
        group if index == group[0] else (index,)
        for index in range(graph.size)
        if index not in group[1:]
    ]
    contracted = quotient(graph, groups)
    if contracted is None:
        raise DependencyError(
            f"steps {shown(', '.join(replaced))} cannot become one: another step depends on one of"
            " them, and one of them depends on it"
        )
    order: list[Step] = []
    for node in contracted.order:
        order += steps if groups[node] == group else [trajectory.steps[groups[node][0]]]
    return with_steps(trajectory, order)
