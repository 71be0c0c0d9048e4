"""The transport problem between the steps of a run and those of a reference."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from otap.alignment.telling import NOTHING_ASKED, Telling
from otap.dependencies.drawn import Renaming
from otap.dependencies.grounding import Ungrounded
from otap.matrices import FieldCosts, Nodes
from otap.trajectory import Step, Trajectory
from otap.transport import Problem


class Unseen(NamedTuple):
    """Changes inside a call of the run that are not compared: the reference shows no inside.

    Attributes:
        call: the call.
        changes: the steps inside it that write, at any depth; first those that destroy.
        destroys: whether one of them does.
    """

    call: Step
    changes: Sequence[Step]
    destroys: bool


class Recorded(Protocol):
    """A run as it was recorded, beside what is compared of it."""

    @property
    def whole(self) -> Trajectory:
        """The trajectory with the steps that do not count."""
        ...

    @property
    def counted(self) -> Trajectory:
        """The trajectory without them."""
        ...

    @property
    def names(self) -> Renaming:
        """The names in which it is compared, where these are not those recorded."""
        ...

    @property
    def kept(self) -> Sequence[int]:
        """The places in it of the steps that count."""
        ...

    @property
    def roles(self) -> Sequence[str]:
        """What each step that counts does: "writes", "reads", "hands_over" or "thinks"."""
        ...

    @property
    def failed(self) -> npt.NDArray[np.bool_]:
        """Which of them failed, as far as that is looked at."""
        ...

    @property
    def in_full(self) -> Collection[str]:
        """The roles that count in full where it is the reference."""
        ...

    @property
    def in_full_besides(self) -> Collection[str]:
        """The roles that count in full of what a run does besides it."""
        ...

    @property
    def ungrounded(self) -> Sequence[Ungrounded]:
        """The arguments without a ground, in the order in which they were used."""
        ...

    @property
    def unseen(self) -> Sequence[Unseen]:
        """The changes inside its calls that are not compared with the other side."""
        ...

    @property
    def assumed(self) -> Collection[str]:
        """The values that are used without a ground."""
        ...


@dataclass(frozen=True, eq=False)
class StepProblem:
    """A transport problem, and what its rows and columns stand for.

    recorded: the run and the reference as they were recorded.
    run, reference: the nodes of both sides.
    costs: the cost of each pair of nodes, by field; their sum is the node cost C.
    order_scored: whether the structure term takes part.
    telling: what the run told of what the reference says must be told.
    arrays: the problem that is solved.
    counts_pairs: whether precision and recall count one-to-one counterparts; else they are the
        mean quality of steps.
    """

    recorded: tuple[Recorded, Recorded]
    run: Nodes
    reference: Nodes
    costs: FieldCosts
    order_scored: bool
    arrays: Problem
    telling: Telling = NOTHING_ASKED
    counts_pairs: bool = False
