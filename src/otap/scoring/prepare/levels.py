"""Levels: what of a run can be compared with a reference that was recorded more or less deeply.

A call that consists of steps is a step as well. Which of its work is its own is said by the
reference, for the calls of that name on both sides: where the steps inside do as much as the call,
it hands over. Where the reference shows such a call only from outside, what is inside is unknown of
it: of that only steps are compared whose like the reference lists elsewhere.
"""

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from otap._caching import cached_property
from otap.alignment import Unseen
from otap.dependencies.tool_names import canonical_tool
from otap.scoring.prepare.flattening import Flattened
from otap.scoring.prepare.recognition import ROLES, Role, destroys
from otap.trajectory import Step


@dataclass(frozen=True, eq=False)
class Levels:
    """The calls of a run, and which of them consist of steps.

    Attributes:
        whole: the run's steps in one list, with those inside them.
        roles: what each does by itself.
        failed: which of them failed.
    """

    whole: Flattened
    roles: Sequence[Role]
    failed: NDArray[np.bool_]

    @cached_property
    def names(self) -> Sequence[str]:
        """The name of each call."""
        return [call_name(step) for step in self.whole.trajectory.steps]

    @cached_property
    def calls(self) -> frozenset[str]:
        """The names of all calls."""
        return frozenset(self.names)

    @cached_property
    def opened(self) -> frozenset[str]:
        """The names of calls of which some consists of steps."""
        return frozenset(self.names[outer] for outer in self.whole.inside)

    @cached_property
    def leaves(self) -> frozenset[str]:
        """The names of calls of which some consists of no steps."""
        inside = self.whole.inside
        return frozenset(name for place, name in enumerate(self.names) if place not in inside)

    @cached_property
    def handing(self) -> frozenset[str]:
        """The names of calls of which some has a step inside that does as much as itself."""
        return frozenset(self.names[outer] for outer in self.whole.inside if self._hands(outer))

    def _hands(self, outer: int) -> bool:
        own = ROLES.index(self.roles[outer])
        inside = (k for k in self.whole.below(outer) if not self.failed[k])
        return any(ROLES.index(self.roles[k]) <= own for k in inside)

    @cached_property
    def own(self) -> "Sight":
        """How this run is seen beside itself."""
        return self.sight(self)

    def sight(self, reference: "Levels") -> "Sight":
        """Returns how this run is seen beside a reference."""
        return Sight(frozenset(self._unseen(reference)), frozenset(self._over(reference)))

    def _over(self, reference: "Levels") -> Iterator[int]:
        """The calls that hand over.

        One that consists of steps does so if those of its name do in the reference; if the
        reference has none, or if it wraps a call of its own name, which then is the one meant. One
        that consists of none does, where the reference has its name for such calls alone.
        """
        names = (self.handing - reference.calls) | reference.handing
        closed, alone = reference.calls - reference.opened, reference.handing - reference.leaves
        for place, name in enumerate(self.names):
            if place not in self.whole.inside:
                if name in alone:
                    yield place
            elif name in names or (name in closed and self._wraps(place)):
                yield place

    def _wraps(self, outer: int) -> bool:
        """Whether a call has one of its own name inside."""
        return any(self.names[k] == self.names[outer] for k in self.whole.below(outer))

    def changes(self, unseen: Container[int]) -> Sequence[Unseen]:
        """Returns the changes among some steps, by the outermost call that they are part of."""
        outermost = sorted(k for k in self.whole.inside if k not in self.whole.outer)
        told = (self._inside(k, unseen) for k in outermost)
        return [one for one in told if one.changes]

    def _inside(self, outer: int, unseen: Container[int]) -> Unseen:
        """What a call changes in some of the steps inside, first what it destroys."""
        steps, facts = self.whole.trajectory.steps, self.whole.trajectory.tools
        changes = [k for k in self.whole.below(outer) if k in unseen and self._writes(k)]
        gone = [steps[k] for k in changes if destroys(steps[k], facts)]
        others = [steps[k] for k in changes if not destroys(steps[k], facts)]
        return Unseen(steps[outer], [*gone, *others], bool(gone))

    def _writes(self, place: int) -> bool:
        return self.roles[place] == "writes" and not self.failed[place]

    def _unseen(self, reference: "Levels") -> Iterator[int]:
        """The steps inside calls that the reference shows from outside, if it has none like it."""
        closed = reference.calls - reference.opened
        for outer in self.whole.inside:
            if self.names[outer] in closed and not self._wraps(outer):
                below = self.whole.below(outer)
                yield from (k for k in below if self.names[k] not in reference.calls)


@dataclass(frozen=True)
class Sight:
    """A run as it is seen beside one reference.

    Attributes:
        unseen: the positions of steps that are not compared.
        handing: the positions of calls whose work is done by the steps inside them.
    """

    unseen: frozenset[int]
    handing: frozenset[int]


def call_name(step: Step) -> str:
    """Returns the name that a call goes by: its tool's without the server's, or its action."""
    return canonical_tool(step.tool).bare if step.tool else step.action or step.kind
