"""The tools of a sample, each by one name, with what was recognised of its calls."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from otap._caching import cached_property
from otap.dependencies.tool_names import tool_keys
from otap.learning.runs import Case
from otap.scoring import Config
from otap.scoring.prepare.flattening import flattened
from otap.scoring.prepare.recognition import Role, said_by_name
from otap.scoring.prepare.weighing import Weighing
from otap.trajectory import Step, Trajectory


@dataclass(frozen=True)
class Opened:
    """A run with the steps inside its steps in one list, and what each does."""

    run: Trajectory
    roles: Sequence[Role]

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The place of each step, by id."""
        return {step.id: place for place, step in enumerate(self.run.steps)}


class Tools:
    """The tools that some runs and their references call.

    Args:
        cases: the runs.
        config: what it says of tools, beats what is recognised.
    """

    def __init__(self, cases: Iterable[Case], config: Config) -> None:
        self.weighing = Weighing(config)
        self._depth = config.max_depth
        self._opened: dict[int, Opened] = {}
        self._found: dict[str, Counter[Role]] = {}
        self._told: set[str] = set()
        for case in cases:
            for trajectory in (case.run, *case.references):
                self._look(trajectory)
        keys = tool_keys(self._found)
        by_key: dict[str, list[str]] = {}
        for tool in sorted(self._found):
            by_key.setdefault(keys[tool], []).append(tool)
        self.names = tuple(sorted(alike[0] for alike in by_key.values()))
        self._place = {
            tool: self.names.index(alike[0]) for alike in by_key.values() for tool in alike
        }
        said = config.tools
        self.fixed = frozenset(
            {*said.ignore, *said.read_only, *said.writes, *said.thinks, *said.hands_over}
        )

    def opened(self, trajectory: Trajectory) -> Opened:
        """Returns a run of the sample with all its steps in one list."""
        return self._opened[id(trajectory)]

    def place(self, step: Step) -> int | None:
        """Returns the place of a step's tool among the names; None: it calls none."""
        return None if step.tool is None else self._place[step.tool]

    def role(self, tool: str) -> Role:
        """Returns what was recognised of most calls of a tool."""
        found = self._roles(tool)
        return min(found, key=lambda role: (-found[role], role))

    def varies(self, tool: str) -> bool:
        """Whether calls of a tool do several things, as their arguments decide."""
        return len(self._roles(tool)) > 1

    def says(self, tool: str) -> bool:
        """Whether its name, or what the trace records of it, says what a tool does."""
        return tool in self._told or self.varies(tool) or said_by_name(tool) is not None

    def _roles(self, tool: str) -> Counter[Role]:
        alike = [other for other, at in self._place.items() if self.names[at] == tool]
        return sum((self._found[other] for other in alike), Counter())

    def _look(self, trajectory: Trajectory) -> None:
        if id(trajectory) in self._opened:
            return
        run = flattened(trajectory, self._depth).trajectory
        opened = Opened(run, self.weighing.roles(run))
        self._opened[id(trajectory)] = opened
        for step, role in zip(run.steps, opened.roles, strict=True):
            if step.tool is not None:
                self._found.setdefault(step.tool, Counter())[role] += 1
        self._told |= {
            tool
            for tool, facts in trajectory.tools.items()
            if (facts.read_only, facts.destructive, facts.method) != (None, None, None)
        }
