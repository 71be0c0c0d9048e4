"""The score of one run, ``otap.score/1``: the same record in Python, JSON and files."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PrivateAttr

from otap._numbers import score_text
from otap.errors import ConfigError
from otap.findings import Finding, Severity
from otap.plans import parse_plan
from otap.scoring.alignment import Alignment
from otap.scoring.metric import find_least
from otap.scoring.signature import Conditions, Signature
from otap.trajectory import RunIdentity, Source, Tokens, Trajectory

if TYPE_CHECKING:
    from otap.scoring.explanation import Explanation

SCHEMA_VERSION: Literal["otap.score/1"] = "otap.score/1"
_FIELDS = BaseModel.__dict__["__dict__"]  # reads and sets the fields that a record holds
_MAKERS = "_makers"  # holds, among these, what makes the fields that were not read


@dataclass(frozen=True)
class Origin:
    """The run and the references of a score, and the scorer's method that explains them.

    Only the process that computed the score has it: a pickled or copied origin is empty. All
    origins are equal, so that scores are equal if their fields are.
    """

    explain: "Callable[[Trajectory, Sequence[Trajectory]], Explanation] | None" = field(
        default=None, compare=False
    )
    run: Trajectory | None = field(default=None, compare=False, repr=False)
    references: Sequence[Trajectory] = field(default=(), compare=False, repr=False)

    def __reduce__(self) -> "tuple[type[Origin], tuple[()]]":
        return Origin, ()


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Losses(_Record):
    """The parts of the loss; none is negative, and they sum to the loss."""

    action: float = 0.0
    arguments: float = 0.0
    effect: float = 0.0
    tool: float = 0.0
    state: float = 0.0
    structure: float = Field(0.0, description="Different dependencies between steps.")
    extra_steps: float = Field(0.0, description="Unmatched steps of the run.")
    missing_steps: float = Field(0.0, description="Unmatched steps of the reference.")
    critical: float = Field(0.0, description="The penalty for any critical finding.")
    answers: float = Field(0.0, description="Required answers that the run did not give.")
    references: float = Field(0.0, description="The spread of the soft-min over references.")

    @property
    def total(self) -> float:
        """The sum of the parts."""
        return float(sum(self.model_dump().values()))


class LeftOut(_Record):
    """The ids of the steps that do not count, of the run and of the best reference."""

    agent: tuple[str, ...] = ()
    reference: tuple[str, ...] = ()


class Unknown(_Record):
    """The parts that the reader had no rule for, by kind, of the run and of the best reference."""

    agent: dict[str, int] = {}
    reference: dict[str, int] = {}


class Steps(_Record):
    """The number of recorded steps, including sub-steps and steps that do not count."""

    agent: int = Field(description="Of the run.")
    reference: int = Field(description="Of the best reference.")


def is_of_nothing(steps: Steps | None, answers_recorded: Any, reference: Any) -> bool:
    """Whether a score compares two sides without steps, and so decides nothing.

    It decides if answers are required, or if the reference lists all that must happen: then no step
    must happen.

    Args:
        steps: the numbers of steps; None for a run without a score.
        answers_recorded: the condition of this name; None if no answer is required.
        reference: the condition ``reference``: whether the reference lists all required steps.
    """
    is_empty = steps is not None and steps.agent == steps.reference == 0
    return is_empty and answers_recorded is None and reference != "required"


class StepRewards(_Record):
    """The loss by recorded step of the run, for training agents.

    The last step pays for everything that is missing when the run ends.
    """

    ids: tuple[str, ...] = Field(
        description="The ids of the steps; sub-steps come before their parent."
    )
    costs: tuple[float, ...] = Field(
        description="The cost of each step; none is negative, and they sum to the loss."
    )
    hindsight: tuple[float, ...] = Field(
        description="The progress of each step towards the reference, minus its cost; the sum is a "
        "number that depends on the references alone, minus the loss."
    )


class ReferenceScore(_Record):
    """The loss and the score of the run against one reference.

    If there are more than eight references, only those that can matter are solved. The others have
    a lower bound of the loss, which proves that they do not matter.
    """

    id: str
    loss: float | None
    score: float | None
    at_least: float | None = Field(
        None, description="A lower bound of a loss that was not computed."
    )


def _as_reference(data: Any) -> Any:
    """Returns the plan in data, or other data unchanged."""
    is_plan = isinstance(data, dict) and str(data.get("schema_version")).startswith("otap.plan/")
    return parse_plan(data, "reference") if is_plan else data


class Traces(_Record):
    """The recorded run of a score, and its best reference."""

    run: Trajectory
    reference: Annotated[Trajectory, BeforeValidator(_as_reference)]


class Score(RunIdentity, _Record):
    """The distance of a run from its references, and its deviations from the best of them."""

    schema_version: Literal["otap.score/1"] = SCHEMA_VERSION
    id: str | None = None
    task: str | None = None
    trial: str | int | None = None
    score: float = Field(description="exp(-loss), in (0, 1]; 1: the same as a reference.")
    skill: float | None = Field(
        description="0: no better than doing nothing; 1: the same as a reference."
    )
    loss: float
    mass: float | None = Field(
        description="Mass that the coupling moves: at most 1 if all steps have one lambda, at most "
        "2 if reads or critical steps have another; in `paper`, where entropy spreads mass, at "
        "most (n m)^.0244 for n and m steps, which exceeds 1."
    )
    precision: float | None = Field(description="The share of the run that the reference has.")
    recall: float | None = Field(description="The share of the reference that the run has.")
    f1: float | None
    order_agreement: float | None = Field(
        description="If order is not scored: the share of pairs of matched steps that ran in the "
        "order of the reference."
    )
    losses: Losses
    best_reference: str
    references: tuple[ReferenceScore, ...]
    alignment: Alignment
    step_rewards: StepRewards | None = Field(description="null: the run has no steps.")
    findings: tuple[Finding, ...]
    severity: Severity | None = Field(
        description="The severity of the worst finding; null: no findings."
    )
    left_out: LeftOut = LeftOut()
    steps: Steps
    tokens: Tokens | None = Field(None, description="The tokens of the run; null: not recorded.")
    outcome: float | None = Field(
        None, description="The outcome of the run by its benchmark; no part of the score."
    )
    understood: bool = Field(
        True, description="false: the run has no step, but parts that the reader does not know."
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
        description="Only in result files of 'otap evaluate --embed'.",
    )
    _origin: Origin = PrivateAttr(default_factory=Origin)

    @classmethod
    def made_when_read(
        cls, fields: Mapping[str, Any], makers: Mapping[str, Callable[[], Any]], origin: Origin
    ) -> "Score":
        """Returns a score that makes some of its fields when they are read.

        A comparison, a copy and the JSON of a score read all of them.

        Args:
            fields: the other fields, in the types of a score.
            makers: by field what makes its value, in the type of a score.
            origin: of the score.
        """
        score = cls.__new__(cls)
        defaults = {"schema_version": SCHEMA_VERSION, "traces": None}
        _FIELDS.__set__(score, {**defaults, **fields, _MAKERS: makers})
        # The parts of a record that ``model_construct`` sets, without its copies of defaults.
        object.__setattr__(score, "__pydantic_fields_set__", {*fields, *makers})
        object.__setattr__(score, "__pydantic_extra__", None)
        object.__setattr__(score, "__pydantic_private__", {"_origin": origin})
        return score

    def make_fields(self) -> None:
        """Makes the fields that were not read, and lets their comparisons go."""
        held = _FIELDS.__get__(self)
        makers = held.get(_MAKERS)
        if makers is not None:
            created = {k: make() for k, make in makers.items() if k not in held}
            # In the order in which JSON lists them.
            fields = {k: created[k] if k in created else held[k] for k in type(self).model_fields}
            _FIELDS.__set__(self, fields)

    if not TYPE_CHECKING:  # pydantic reads a record as a whole by its ``__dict__``

        @property
        def __dict__(self) -> dict[str, Any]:
            self.make_fields()
            return _FIELDS.__get__(self)

        @__dict__.setter
        def __dict__(self, fields: dict[str, Any]) -> None:
            _FIELDS.__set__(self, fields)

        def __getattr__(self, name: str) -> Any:
            held = _FIELDS.__get__(self)
            makers = held.get(_MAKERS, ())
            if name not in makers:
                return super().__getattr__(name)
            return held.setdefault(name, makers[name]())

    @property
    def of_nothing(self) -> bool:
        """Whether neither side has a step, so that the score decides nothing."""
        return is_of_nothing(
            self.steps, self.conditions.answers_recorded, self.conditions.reference
        )

    @property
    def best_place(self) -> int:
        """The index of the best reference."""
        losses = [reference.loss for reference in self.references]
        return find_least([math.inf if loss is None else loss for loss in losses])

    def explain(self, references: "Sequence[Trajectory] | None" = None) -> "Explanation":
        """Returns both sides step by step, and the source of the score.

        Args:
            references: compare the run with these instead, under the same settings.

        Raises:
            ConfigError: if this score no longer knows its run, because it was read from a file,
                came from another process, or was built by hand.
        """
        origin = self._origin
        if origin.explain is None or origin.run is None:
            raise ConfigError(
                "this score does not know its run, because it was read or sent; "
                "use Scorer.explain(run, references), or otap report for a result file"
            )
        return origin.explain(origin.run, references or origin.references)

    def set_origin(self, origin: Origin) -> None:
        """Sets the run and the references that :meth:`explain` uses; an empty origin removes them.

        Args:
            origin: the new origin.
        """
        self._origin = origin

    def __str__(self) -> str:
        """The score, its worst finding and its signature in one line."""
        first = self.findings[0] if self.findings else None
        finding = "no findings" if first is None else f"{first.severity}: {first.sentence}"
        return f"score {score_text(self.score)}, {finding} ({self.signature})"

    def to_html(self, *, redact: bool = False) -> str:
        """Returns one self-contained page with the score, its alignment and its findings.

        Args:
            redact: hide values, texts and names, for pages that others may see.

        Raises:
            ConfigError: as :meth:`explain`.
        """
        explained = self.explain()
        if redact:
            explained = load_report_module("redaction").Redactor().redact(explained)
        page: str = load_report_module("pages.run_page").score_page(explained)
        return page

    def _repr_html_(self) -> str:
        """The card that a notebook shows: no scripts, and no links to files."""
        card: str = load_report_module("card").score_card(self)
        return card

    def to_json(self, indent: int | None = None) -> str:
        """Returns the score as JSON; absent values are null."""
        return self.model_dump_json(indent=indent)


def load_report_module(module: str) -> Any:
    """Returns a module of ``otap.report``, imported late because that package imports this one."""
    return import_module(f"otap.report.{module}")
