"""What each step of a run weighs: an ordinary one 1, others by what was recognised of them."""

from collections.abc import Container, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from otap.dependencies.tool_names import ByTool
from otap.scoring.config import Config
from otap.scoring.prepare.recognition import ROLES, Role, recognised
from otap.trajectory import Step, Trajectory

# Factor of lambda_agent on a look too many where looks count in full: it costs a little less than a
# change too many, or than a look too few.
BESIDES_IN_FULL = 0.9


class Weighing:
    """What steps do to the world, and what they weigh, under a configuration.

    What is said of a tool beats what is recognised. Without ``recognise`` every step writes, and
    none is seen to have failed.
    """

    def __init__(self, config: Config) -> None:
        self._config, tools = config, config.tools
        said: Mapping[Role, Sequence[str]] = {
            "reads": tools.read_only,
            "writes": tools.writes,
            "thinks": tools.thinks,
            "hands_over": tools.hands_over,
        }
        self._said = ByTool({tool: role for role, names in said.items() for tool in names})
        self._by_tool = ByTool(tools.weight)

    @property
    def tells_apart(self) -> bool:
        """Whether what writes is told from what does not, or need not be."""
        return self._config.recognise or self._config.dependencies == "conflicts"

    def roles(self, trajectory: Trajectory, handing: Container[int] = ()) -> list[Role]:
        """Returns what each step of a trajectory does.

        Args:
            trajectory: the run.
            handing: the positions of calls whose work is done by the steps inside them.
        """
        if not self._config.recognise:
            return ["writes"] * len(trajectory.steps)
        return [
            self._said.get(step.tool)
            or ("hands_over" if place in handing else recognised(step, trajectory.tools))
            for place, step in enumerate(trajectory.steps)
        ]

    def writes(self, steps: Sequence[Step], roles: Sequence[Role]) -> list[bool]:
        """Returns which steps change something: those that do and did not fail."""
        return [
            role == "writes" and not self._has_failed(step)
            for step, role in zip(steps, roles, strict=True)
        ]

    def known_writes(self, trajectory: Trajectory) -> list[bool]:
        """Returns which steps are known to write: none where nothing is recognised."""
        return [self._config.recognise and role == "writes" for role in self.roles(trajectory)]

    def recognised(self, steps: Sequence[Step], roles: Sequence[Role]) -> Mapping[str, set[Role]]:
        """Returns what the calls of each tool do: several things where arguments decide it."""
        found: dict[str, set[Role]] = {}
        for step, role in zip(steps, roles, strict=True):
            if step.tool is not None and self._config.recognise:
                found.setdefault(step.tool, set()).add(role)
        return found

    def failed(self, steps: Sequence[Step]) -> NDArray[np.bool_]:
        """Returns which steps failed."""
        return np.array([self._has_failed(step) for step in steps], dtype=np.bool_)

    def in_full(self, reference: Trajectory, roles: Sequence[Role]) -> frozenset[Role]:
        """Returns what counts in full against a reference: its changes.

        Where it changes nothing, and does not say that only changes count, what it does instead.
        """
        if reference.metadata.get("only_changes", self._config.only_changes) is True:
            return frozenset({"writes"})
        highest: Role = next((role for role in ROLES if role in roles), "writes")
        return frozenset({"writes", highest})

    def is_required(self, reference: Trajectory) -> bool:
        """Whether a reference says only what must happen, and not all of a good run."""
        said = reference.metadata.get("reference", self._config.reference)
        return said == "required"

    def weights(
        self, steps: Sequence[Step], roles: Sequence[Role], in_full: frozenset[Role]
    ) -> NDArray[np.float64]:
        """Returns the weight of each step."""
        counts: Mapping[str, float] = {"writes": 1.0, **self._config.counts.model_dump()}
        by_role = {role: 1.0 if role in in_full else counts[role] for role in ROLES}
        failed = counts["failed"]
        weights = [
            self._by_tool.get(step.tool) or by_role[role]
            for step, role in zip(steps, roles, strict=True)
        ]
        return np.where(self.failed(steps), np.minimum(weights, failed), weights)

    def penalties(
        self, steps: Sequence[Step], roles: Sequence[Role], in_full: frozenset[Role]
    ) -> NDArray[np.float64]:
        """Returns the factor of lambda_agent of each step: lower on what changes nothing."""
        if not self._config.recognise:
            return np.ones(len(steps))
        besides = self._config.counts.besides
        full = {role: 1.0 if role == "writes" else BESIDES_IN_FULL for role in in_full}
        factors = [full.get(role, besides) for role in roles]
        return np.where(self.failed(steps), besides, factors)

    def _has_failed(self, step: Step) -> bool:
        return self._config.recognise and step.status == "error"


def writing(trajectory: Trajectory) -> list[bool]:
    """Returns which steps of a trajectory change something, as far as that is recognised.

    Args:
        trajectory: the run as it was recorded.
    """
    weighing = Weighing(Config())
    return weighing.writes(trajectory.steps, weighing.roles(trajectory))
