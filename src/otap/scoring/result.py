"""The result of scoring one run, ``otap.score/1``: the same record in Python, JSON and files."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from otap._numbers import score_text
from otap.alignment import Alignment, Finding, Severity
from otap.errors import ConfigError
from otap.scoring.metric import find_least
from otap.scoring.signature import Conditions, Signature
from otap.trajectory import RunIdentity, Source, Tokens, Trajectory

if TYPE_CHECKING:
    from otap.scoring.explanation import Explanation

SCHEMA_VERSION: Literal["otap.score/1"] = "otap.score/1"


@dataclass(frozen=True)
class Origin:
    """The way from a score back to its run, which only the process that made it knows.

    ``explain`` makes the explanation, against other references if some are given.
    """

    explain: "Callable[[Sequence[Trajectory] | None], Explanation] | None" = None

    def __reduce__(self) -> "tuple[type[Origin], tuple[()]]":
        return Origin, ()


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Losses(_Record):
    """The parts of the loss; none negative, and they sum to it."""

    action: float = 0.0
    arguments: float = 0.0
    effect: float = 0.0
    tool: float = 0.0
    state: float = 0.0
    structure: float = Field(0.0, description="Steps that depend on each other in another way.")
    agent_mass: float = Field(0.0, description="Steps of the run that stand for nothing.")
    reference_mass: float = Field(
        0.0, description="Steps of the reference that nothing stands for."
    )
    critical: float = Field(0.0, description="That something critical was found.")
    told: float = Field(0.0, description="Answers that must be told, and were not.")
    references: float = Field(0.0, description="Spread of the soft-min over references.")

    @property
    def total(self) -> float:
        """The sum of the parts."""
        return float(sum(self.model_dump().values()))


class LeftOut(_Record):
    """The steps that do not count, by id: of the run, and of the best reference."""

    agent: tuple[str, ...] = ()
    reference: tuple[str, ...] = ()


class Unknown(_Record):
    """What the reader had no rule for, by kind: of the run, and of the best reference."""

    agent: dict[str, int] = {}
    reference: dict[str, int] = {}


class Steps(_Record):
    """How many steps were recorded, before anything is left out; sub-steps are steps."""

    agent: int = Field(description="Of the run.")
    reference: int = Field(description="Of the best reference.")


def is_of_nothing(steps: Steps | None, told: Any, reference: Any) -> bool:
    """Says whether no step was held against no step, which says nothing of the run.

    It does where answers are asked for, or where the reference lists all that must happen, which
    is nothing then.

    Args:
        steps: of both sides; None for a run without a score.
        told: whether what must be told was scored, as the conditions say it.
        reference: what the reference was taken to list, as the conditions say it.
    """
    empty = steps is not None and steps.agent == steps.reference == 0
    return empty and told is None and reference != "required"


class StepRewards(_Record):
    """The loss by step of the run as it was recorded, for those who train agents.

    What the run lacks when it ends is charged to its last step.
    """

    ids: tuple[str, ...] = Field(description="The steps; those inside a step come before it.")
    costs: tuple[float, ...] = Field(description="Of each step; none negative, their sum the loss.")
    shaped: tuple[float, ...] = Field(
        description="What each step brings the run nearer to the reference, less what it costs; "
        "their sum is a number that depends on the references alone, less the loss."
    )


class ReferenceScore(_Record):
    """What the run scores against one reference.

    Of more than eight references only those are solved that can matter: of the others it is known
    what the loss is at least, and that this is too much to count.
    """

    id: str
    loss: float | None
    score: float | None
    at_least: float | None = Field(None, description="A lower bound of a loss not computed.")


class Traces(_Record):
    """What a score was made of, as it was recorded: the run, and its best reference."""

    run: Trajectory
    reference: Trajectory


class Score(RunIdentity, _Record):
    """How close one run is to its references, and where it departs from the best of them."""

    schema_version: Literal["otap.score/1"] = SCHEMA_VERSION
    id: str | None = None
    task: str | None = None
    trial: str | int | None = None
    score: float = Field(description="exp(-loss), in (0, 1]; 1 is the same as a reference.")
    skill: float | None = Field(description="0: no better than doing nothing; 1: the same.")
    loss: float
    mass: float | None = Field(
        description="Mass that the coupling moves: at most 1 where one lambda holds for all steps, "
        "at most 2 where reads or critical steps have another; in `paper`, where entropy spreads "
        "it, at most (n m)^.0244 for n and m steps, which passes 1."
    )
    precision: float | None = Field(description="How much of the run the reference has.")
    recall: float | None = Field(description="How much of the reference the run has.")
    f1: float | None
    order_agreement: float | None = Field(
        description="Where order is not scored: the share of pairs of matched steps that ran in "
        "the order in which the reference lists them."
    )
    losses: Losses
    best_reference: str
    references: tuple[ReferenceScore, ...]
    alignment: Alignment
    step_rewards: StepRewards | None = Field(description="null: the run has no steps.")
    findings: tuple[Finding, ...]
    severity: Severity | None = Field(description="Of the worst finding; null: none was found.")
    left_out: LeftOut = LeftOut()
    steps: Steps
    tokens: Tokens | None = Field(None, description="Of the run; null: not recorded.")
    outcome: float | None = Field(
        None, description="How the run ended, as the benchmark judged it; no part of the score."
    )
    understood: bool = Field(
        True, description="false: no step was found in the run, beside things that are unknown."
    )
    unknown: Unknown = Unknown()
    converged: bool = Field(
        description="Whether the solver reached its tolerance for all references that can matter."
    )
    signature: Signature
    conditions: Conditions
    source: Source | None = None
    reference_sources: tuple[Source, ...] = ()
    traces: Traces | None = Field(
        None,
        exclude=True,
        description="In result files that 'otap evaluate --embed' wrote, and nowhere else.",
    )

    @property
    def of_nothing(self) -> bool:
        """Whether no step was held against no step: such a score decides nothing."""
        return is_of_nothing(self.steps, self.conditions.told, self.conditions.reference)

    @property
    def best_place(self) -> int:
        """The place of the best reference among those that were given."""
        losses = [math.inf if one.loss is None else one.loss for one in self.references]
        return find_least(losses)

    def explain(self, references: "Sequence[Trajectory] | None" = None) -> "Explanation":
        """Returns both sides step by step, and what the score was read off.

        Args:
            references: others, to hold the run against under the same settings.

        Raises:
            ConfigError: if this score was read from a file, copied from another process, or made
                by hand: it does not know its run any more then.
        """
        origin: Origin = vars(self).get("origin") or Origin()
        if origin.explain is None:
            raise ConfigError(
                "this score does not know its run: it was read or sent; "
                "use Scorer.explain(run, references), or otap report for a result file"
            )
        return origin.explain(references)

    def __str__(self) -> str:
        """The score in one line: how good, what to look at first, how it was made."""
        first = self.findings[0] if self.findings else None
        why = "nothing was found" if first is None else f"{first.severity}: {first.sentence}"
        return f"score {score_text(self.score)}, {why} ({self.signature})"

    def to_html(self, *, redact: bool = False) -> str:
        """Returns one self-contained page that shows the score, its alignment and its findings.

        Args:
            redact: hides values, texts and names, for pages that leave the house.

        Raises:
            ConfigError: as :meth:`explain`.
        """
        explained = self.explain()
        if redact:
            explained = shown_by("redaction").Redactor().redact(explained)
        page: str = shown_by("pages.run").score_page(explained)
        return page

    def _repr_html_(self) -> str:
        """What a notebook shows of it: no script, and nothing that is outside of it."""
        card: str = shown_by("card").score_card(self)
        return card

    def to_json(self, indent: int | None = None) -> str:
        """Returns the score as JSON; absent is null."""
        return self.model_dump_json(indent=indent)


def shown_by(module: str) -> Any:
    """A module of the stage that shows scores, which imports this one; loaded when asked for."""
    return import_module(f"otap.report.{module}")
