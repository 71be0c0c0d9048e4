"""One side of a comparison as it is solved: its steps, or unions of steps taken as one."""

from dataclasses import dataclass

from otap.dependencies import DependencyGraph
from otap.trajectory import Step


@dataclass(frozen=True)
class Nodes:
    """The nodes of one side and the graph between them.

    ``listed`` are its steps in the order of their list; ``parts`` says for each node which of them
    it consists of, one unless it is a union; ``steps`` what each node says.
    """

    listed: tuple[Step, ...]
    steps: tuple[Step, ...]
    parts: tuple[tuple[int, ...], ...]
    graph: DependencyGraph

    @classmethod
    def single(cls, steps: tuple[Step, ...], graph: DependencyGraph) -> "Nodes":
        """Each step as a node of its own."""
        return cls(steps, steps, tuple((place,) for place in range(len(steps))), graph)

    def of(self, node: int) -> list[Step]:
        """The steps that a node consists of, in the order of their list."""
        return [self.listed[place] for place in sorted(self.parts[node])]

    def ids(self, node: int) -> tuple[str, ...]:
        """The ids of these steps."""
        return tuple(step.id for step in self.of(node))
