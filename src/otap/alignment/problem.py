"""The transport problem between the steps of a run and those of a reference."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from otap.costs import CostNodes, FieldCosts
from otap.errors import LimitError, shown
from otap.run.answers import Doubt
from otap.run.run import RunView
from otap.transport import Problem

# Maximum steps of a side. Each pair of steps takes about 140 bytes: 5,000 steps against 5,000 take
# 4 GB, and less than a minute of one core.
MAX_SCORED = 5_000
# Maximum pairs of a step of the run and a step of any reference; memory holds all at once.
MAX_PAIRS = MAX_SCORED**2


@dataclass(frozen=True)
class MissingAnswer:
    """A required answer that the run never gave.

    Attributes:
        answer: as the reference has it.
        nearest: the nearest number that the run did give.
        doubt: why the run's mention of the answer is none; None if it does not mention it.
    """

    answer: str
    nearest: str | None = None
    doubt: Doubt | None = None


@dataclass(frozen=True)
class Answers:
    """The required answers of a reference: those that a run gave its user, and those it did not.

    Attributes:
        given_answers: the answers that the run gave.
        missing: the answers that it did not give.
        unproven: in strict mode, the answers that it seems to give, with the reason for the doubt.
        recorded: whether the run records its messages to the user; if not, none is required.
        contradiction: how the run's last message contradicts the reference's, if no answer is
            required; None if it does not.
        is_task: whether the answer is all that the task asks for: then the contradiction costs as
            much as a missing answer.
        weight: the weight of an answer; an ordinary step weighs 1.
        price: the loss for a missing weight of 1.
        run: the weight of the run's answers.
        reference: the weight of all required answers.
        share: the loss of one missing answer.
        loss: the loss of all missing answers.
        at_most: the loss of a run that gives no answer.
    """

    given_answers: tuple[str, ...] = ()
    missing: tuple[MissingAnswer, ...] = ()
    unproven: tuple[tuple[str, str], ...] = ()
    recorded: bool = True
    contradiction: str | None = None
    is_task: bool = False
    weight: float = 1.0
    price: float = 0.0
    run: float = field(init=False)
    reference: float = field(init=False)
    share: float = field(init=False)
    loss: float = field(init=False)
    at_most: float = field(init=False)

    def __post_init__(self) -> None:
        fields, missing = vars(self), len(self.missing)
        fields["run"] = self.weight * len(self.given_answers)
        fields["reference"] = self.weight * (len(self.given_answers) + missing)
        fields["share"] = self.price * self.weight
        is_other = self.contradiction is not None and self.is_task
        fields["loss"] = fields["share"] * (missing + is_other)
        fields["at_most"] = self.price * fields["reference"]


NO_ANSWERS = Answers()


@dataclass(frozen=True, eq=False)
class StepProblem:
    """A transport problem, with the steps that its rows and columns stand for.

    Attributes:
        recorded: the run and the reference as they were recorded.
        run: the nodes of the run.
        reference: the nodes of the reference.
        costs: the cost of each pair of nodes, by field; their sum is the node cost C.
        order_scored: whether the structure term takes part.
        arrays: the problem that is solved.
        nearness: for each step of the run the share of its full price that it costs as an extra
            step, (n,), which `arrays` includes (default: 1).
        answers: the required answers that the run gave, and those that are missing.
        counts_pairs: whether precision and recall count one-to-one counterparts; else they are the
            mean quality of steps.
        lookups: by the steps of two nodes, the share of the second's values that the first shows by
            another look-up.
    """

    recorded: tuple[RunView, RunView]
    run: CostNodes
    reference: CostNodes
    costs: FieldCosts
    order_scored: bool
    arrays: Problem
    nearness: NDArray[np.float64] | None = None
    answers: Answers = NO_ANSWERS
    counts_pairs: bool = False
    lookups: Mapping[tuple[tuple[int, ...], tuple[int, ...]], float] = field(default_factory=dict)

    def share_shown(self, i: int, j: int) -> float | None:
        """Returns the share of a node's values that another look-up shows; None if none does."""
        return self.lookups.get((self.run.parts[i], self.reference.parts[j]))


def check_sizes(runs: Sequence[RunView], references: Sequence[RunView]) -> None:
    """Refuses sides whose node costs would not fit into memory.

    Args:
        runs: for each reference the view of the run.
        references: the references.

    Raises:
        LimitError: if a side has more than MAX_SCORED steps, or there are more than MAX_PAIRS pairs
            of steps.
    """
    pairs = 0
    for run, reference in zip(runs, references, strict=True):
        longer = run if run.size >= reference.size else reference
        if longer.size > MAX_SCORED:
            raise LimitError(
                f"{shown(longer.trajectory.name)} has {longer.size:,} steps, above the limit of "
                f"{MAX_SCORED:,} for scoring; score its parts, or group its steps into sub-steps"
            )
        pairs += run.size * reference.size
    if pairs > MAX_PAIRS:
        size = runs[0].size
        raise LimitError(
            f"{shown(runs[0].trajectory.name)} has {size:,} steps and its references "
            f"{pairs // size:,}, together above the limit of {MAX_PAIRS:,} pairs of steps; score "
            "it against fewer references"
        )
