"""The transport problem between the steps of a run and those of a reference."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from pydantic import JsonValue

from otap.dependencies.grounding import Ungrounded
from otap.matrices import FieldCosts, Nodes
from otap.trajectory import Step, Trajectory
from otap.transport import Problem

# Whether two arguments of a tool, by path, are the same by its rules; None: these do not decide.
Alike = Callable[[str | None, str, JsonValue, JsonValue], bool | None]


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
    alike: which arguments are the same by the rules of a tool.
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
    alike: Alike = lambda *_: None
    counts_pairs: bool = False
