"""The dependencies of one run alone, with nothing that it is compared with."""

from otap.dependencies import DependencyGraph, dependency_graph, subgraph, with_order
from otap.scoring.config import Config
from otap.scoring.prepare.filtering import RunFilter
from otap.trajectory import Trajectory


def own_graph(trajectory: Trajectory, config: Config) -> tuple[Trajectory, DependencyGraph]:
    """Returns the steps of a run that count by the settings, and who of them needed whom.

    Sub-steps stand beside their outer steps. An edge leads through what does not count.

    Args:
        trajectory: the run as it was recorded.
        config: says what counts, how dependencies are found, and which tools have an order.

    Raises:
        DependencyError: if the run does not record what the mechanism needs.
        LimitError: if its sub-steps are too deep.
    """
    counting = RunFilter(config)
    filtered = counting.of(trajectory)
    steps, weighing = filtered.whole.trajectory, counting.weighing
    mechanism = "auto" if config.dependencies == "order" else config.dependencies
    writes = (
        weighing.writes(steps.steps, weighing.roles(steps)) if mechanism == "conflicts" else None
    )
    found = dependency_graph(steps, mechanism, writes, capitals=counting.capitals)
    kept = subgraph(filtered.whole.joined(found), filtered.kept)
    return filtered.trajectory, with_order(kept, filtered.trajectory, config.order)
