"""The transport problem between the steps of a run and those of a reference."""

from dataclasses import dataclass, field

from otap.matrices import FieldCosts, Nodes
from otap.run.run import RunView
from otap.transport import Problem


@dataclass(frozen=True)
class MissingAnswer:
    """An answer that the run never gave, and the number nearest to it that it gave instead."""

    answer: str
    nearest: str | None = None


@dataclass(frozen=True)
class Answers:
    """What a run told its user of what a reference says must be told.

    Attributes:
        given: the answers that were given.
        missing: those that were not.
        recorded: whether the run records what was told; if not, no answer is asked for.
        weight: what an answer weighs; an ordinary step weighs 1.
        price: what lacking a weight of 1 adds to the loss.
        run: what the run's answers weigh.
        reference: what the answers weigh that are asked for.
        share: what one answer that is lacking adds to the loss.
        loss: what those that are lacking add to the loss.
        at_most: what it would cost to give no answer.
    """

    given: tuple[str, ...] = ()
    missing: tuple[MissingAnswer, ...] = ()
    recorded: bool = True
    weight: float = 1.0
    price: float = 0.0
    run: float = field(init=False)
    reference: float = field(init=False)
    share: float = field(init=False)
    loss: float = field(init=False)
    at_most: float = field(init=False)

    def __post_init__(self) -> None:
        given, missing = len(self.given), len(self.missing)
        known = vars(self)
        known["run"] = self.weight * given
        known["reference"] = self.weight * (given + missing)
        known["share"] = self.price * self.weight
        known["loss"] = known["share"] * missing
        known["at_most"] = self.price * known["reference"]


NOTHING_ASKED = Answers()


@dataclass(frozen=True, eq=False)
class StepProblem:
    """A transport problem, and what its rows and columns stand for.

    recorded: the run and the reference as they were recorded.
    run, reference: the nodes of both sides.
    costs: the cost of each pair of nodes, by field; their sum is the node cost C.
    order_scored: whether the structure term takes part.
    answers: what the run told of what the reference says must be told.
    arrays: the problem that is solved.
    counts_pairs: whether precision and recall count one-to-one counterparts; else they are the
        mean quality of steps.
    """

    recorded: tuple[RunView, RunView]
    run: Nodes
    reference: Nodes
    costs: FieldCosts
    order_scored: bool
    arrays: Problem
    answers: Answers = NOTHING_ASKED
    counts_pairs: bool = False
