"""Steps inside steps as steps of one list: what a sub-agent did, as if its caller had done it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from otap._caching import cached_property
from otap.dependencies import DependencyGraph, Edge
from otap.errors import FormatError, LimitError, shown
from otap.trajectory import Step, Trajectory


@dataclass(frozen=True, eq=False)
class Flattened:
    """A trajectory whose sub-steps stand in its one list of steps.

    A step comes after its former sub-steps: its effect was there when they had ended.

    Attributes:
        trajectory: the steps in one list.
        inside: for the position of a step those of its former sub-steps; nothing for others.
    """

    trajectory: Trajectory
    inside: Mapping[int, Sequence[int]] = field(default_factory=dict)

    @cached_property
    def outer(self) -> Mapping[int, int]:
        """For the position of a sub-step that of the step that it is part of."""
        return {step: outer for outer, found in self.inside.items() for step in found}

    def below(self, place: int) -> range:
        """Returns the positions of what is inside a step, at any depth."""
        return range(self._begin(place), place)

    def joined(self, graph: DependencyGraph) -> DependencyGraph:
        """Returns a graph of the list with edges between steps and their former sub-steps.

        The sources among the sub-steps need what the step needed, and it needs their sinks alone.

        Args:
            graph: the dependencies of the list, which know nothing of sub-steps.
        """
        if not self.inside:
            return graph
        parents: list[dict[int, Edge]] = [{} for _ in range(graph.size)]
        for edge in graph.edges:
            parents[edge.target][edge.source] = edge
        for outer in sorted(self.inside, reverse=True):  # those further out come first
            self._open(outer, parents)
        edges = (edge for found in parents for edge in found.values())
        ordered = tuple(sorted(edges, key=lambda edge: (edge.target, edge.source)))
        return DependencyGraph(graph.size, ordered, graph.mechanism)

    def _open(self, outer: int, parents: list[dict[int, Edge]]) -> None:
        """Passes what a step needed on to the first ones inside it, in place."""
        inner, among = self.below(outer), set(self.inside[outer])
        needed = [edge for edge in parents[outer].values() if edge.source not in inner]
        last = among - {source for step in among for source in parents[step]}
        for step in among:
            if parents[step].keys().isdisjoint(among):
                for edge in needed:
                    parents[step].setdefault(edge.source, replace(edge, target=step))
        parents[outer] = {source: Edge(source, outer) for source in sorted(last)}

    def _begin(self, place: int) -> int:
        """The first position of what is inside a step, at any depth."""
        while place in self.inside:
            place = self.inside[place][0]
        return place


@dataclass
class _Builder:
    steps: list[Step] = field(default_factory=list)
    inside: dict[int, list[int]] = field(default_factory=dict)
    turns: dict[tuple[str, int], int] = field(default_factory=dict)

    def add(self, steps: Sequence[Step], within: str, recorded: bool) -> list[int]:
        """Appends steps after those inside them; returns their positions.

        Args:
            steps: one list of steps.
            within: what their names begin with.
            recorded: whether the steps around them say what they depend on. Steps inside of which
                none says it then depend on nothing, and what is said around them is not lost.
        """
        none = () if recorded and all(step.depends_on is None for step in steps) else None
        places = []
        for step in steps:
            name = within + step.id
            inner = self.add(step.substeps, f"{name}/", recorded)
            if inner:
                self.inside[len(self.steps)] = inner
            places.append(len(self.steps))
            self.steps.append(step.model_copy(update=self._placed(step, name, within, none)))
        return places

    def _placed(
        self, step: Step, name: str, within: str, none: tuple[str, ...] | None
    ) -> dict[str, object]:
        needed = none if step.depends_on is None else step.depends_on
        turn = step.turn
        return {
            "id": name,
            "substeps": (),
            "depends_on": None if needed is None else tuple(within + parent for parent in needed),
            # Turns of several lists are numbered on their own.
            "turn": None
            if turn is None
            else self.turns.setdefault((within, turn), len(self.turns)),
        }


def flattened(trajectory: Trajectory, max_depth: int) -> Flattened:
    """Returns the trajectory with the steps inside its steps in one list.

    Args:
        trajectory: the run.
        max_depth: how many levels may lie below its steps.

    Raises:
        FormatError: if a step has the name that one inside another gets.
        LimitError: if sub-steps nest deeper than ``max_depth``.
    """
    _check_depth(trajectory, max_depth)
    builder = _Builder()
    builder.add(trajectory.steps, "", all(s.depends_on is not None for s in trajectory.steps))
    names = [step.id for step in builder.steps]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise FormatError(
            f"{shown(trajectory.name)}: flattened, two steps are called '{shown(twice)}'; rename "
            "one of them"
        )
    steps = tuple(builder.steps)
    return Flattened(trajectory.model_copy(update={"steps": steps}), builder.inside)


def _check_depth(trajectory: Trajectory, max_depth: int) -> None:
    level: Sequence[Step] = trajectory.steps
    for _ in range(max_depth + 1):
        level = [inner for step in level for inner in step.substeps]
        if not level:
            return
    raise LimitError(
        f"{shown(trajectory.name)}: sub-steps nest deeper than {max_depth} levels (max_depth)"
    )
