"""The tools of a sample, each by one name, and which of their calls departed from references."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from otap.learning.held_out import Array, Flags
from otap.learning.parameters import UNLIKE
from otap.learning.runs import LabelledRun
from otap.learning.scores import Outline
from otap.run.roles import Role, role_by_name
from otap.run.settings import RunSettings
from otap.run.substeps import flatten
from otap.run.tool_names import ByTool, tool_keys
from otap.run.weights import failed_steps, step_roles
from otap.scoring import Config
from otap.trajectory import Step, Trajectory


@dataclass(frozen=True)
class FlatRun:
    """A run with the steps inside its steps in one list, and what each does."""

    run: Trajectory
    roles: Sequence[Role]


class SampleTools:
    """The tools that some runs and their references call.

    Args:
        cases: the runs.
        config: what it says of tools, beats what is recognised.
    """

    def __init__(self, cases: Iterable[LabelledRun], config: Config) -> None:
        self.settings = RunSettings(config)
        self.flat: dict[int, FlatRun] = {}  # by the identity of a run
        found: dict[str, Counter[Role]] = {}
        told: set[str] = set()
        for trajectory in (side for case in cases for side in (case.run, *case.references)):
            if id(trajectory) not in self.flat:
                told |= _described_tools(trajectory)
                run, _ = flatten(trajectory, config.max_depth)
                flat = self.flat[id(trajectory)] = FlatRun(run, step_roles(run, self.settings))
                for step, role in zip(run.steps, flat.roles, strict=True):
                    if step.tool is not None:
                        found.setdefault(step.tool, Counter())[role] += 1
        keys = tool_keys(found)
        first: dict[str, str] = {}  # by key, the spelling that names a tool
        for tool in sorted(found):
            first.setdefault(keys[tool], tool)
        self.names = tuple(sorted(first.values()))
        self._place = {tool: self.names.index(first[keys[tool]]) for tool in found}
        self.roles = {name: Counter[Role]() for name in self.names}
        for tool, roles in found.items():
            self.roles[self.names[self._place[tool]]] += roles
        said = config.tools
        listed = (*said.ignore, *said.read_only, *said.writes, *said.thinks, *said.hands_over)
        by_name = ByTool(dict.fromkeys(listed, True))
        self.fixed = frozenset(tool for tool in self.names if by_name.get(tool))
        self._told = told

    def place(self, step: Step) -> int | None:
        """Returns the place of a step's tool among the names; None: it calls none."""
        return None if step.tool is None else self._place[step.tool]

    def role(self, tool: str) -> Role:
        """Returns what was recognised of most calls of a tool."""
        found = self.roles[tool]
        return min(found, key=lambda role: (-found[role], role))

    def varies(self, tool: str) -> bool:
        """Whether calls of a tool do several things, as their arguments decide."""
        return len(self.roles[tool]) > 1

    def says(self, tool: str) -> bool:
        """Whether its name, or what the trace records of it, says what a tool does."""
        return tool in self._told or self.varies(tool) or role_by_name(tool) is not None


def _described_tools(trajectory: Trajectory) -> set[str]:
    """The tools of which a trace records what they do."""
    return {
        tool
        for tool, facts in trajectory.tools.items()
        if (facts.read_only, facts.destructive, facts.method) != (None, None, None)
    }


@dataclass(frozen=True)
class Departures:
    """Cases by tools.

    Args:
        called: whether a tool is called on either side.
        departed: whether some such call has no equal on the other.
        untold: whether an answer was asked for and not told.
        good: the outcomes.
        tasks: the task of each case.
    """

    called: Flags
    departed: Flags
    untold: Flags
    good: Flags
    tasks: Sequence[str]


def departures(
    cases: Sequence[LabelledRun], scores: Sequence[Outline], tools: SampleTools
) -> Departures:
    """Returns what departed, as some scores see it.

    Args:
        cases: the runs.
        scores: of each.
        tools: the tools of these cases, under the configuration of the scores.
    """
    called, departed = np.zeros((2, len(cases), len(tools.names)), dtype=np.bool_)
    for row, (case, score) in enumerate(zip(cases, scores, strict=True)):
        reference = case.references[score.best_place]
        for place, unlike in _calls_of_both(case.run, reference, score, tools):
            called[row, place] = True
            departed[row, place] |= unlike
    return Departures(
        called,
        departed,
        untold=np.array([score.told > 0 for score in scores], dtype=np.bool_),
        good=np.array([case.good for case in cases], dtype=np.bool_),
        tasks=[case.task for case in cases],
    )


def _calls_of_both(
    run: Trajectory, reference: Trajectory, score: Outline, tools: SampleTools
) -> Iterator[tuple[int, bool]]:
    """Yields the tool of each call of both sides, and whether the call departs.

    Of a tool that does several things only what writes says something.
    """
    sides, found = (tools.flat[id(run)], tools.flat[id(reference)]), (score.agent, score.reference)
    for side, qualities, out in zip(sides, found, map(set, score.left_out), strict=True):
        failed = failed_steps(side.run.steps, tools.settings)
        for place, step in enumerate(side.run.steps):
            tool = tools.place(step)
            if tool is None or step.id in out:
                continue
            is_telling = side.roles[place] == "writes" or not tools.varies(tools.names[tool])
            # A side without steps has no alignment: all of the other departs.
            unlike = qualities.get(step.id, 0.0) < 1 - UNLIKE
            yield tool, unlike and is_telling and not failed[place]


def shares(tasks: Sequence[str]) -> Array:
    """Returns what each case counts as evidence: runs of one task are half alike."""
    _, owner, count = np.unique(np.array(tasks), return_inverse=True, return_counts=True)
    several: NDArray[np.intp] = count[owner]
    return np.asarray(2.0 / (1.0 + several))
