"""The settings of a score, and the conditions that depend on its run and reference."""

import hashlib
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from otap.run.roles import Role
from otap.values.budget import CheaperMethod

METRIC = 12  # raised whenever a default number changes


class _SignedRecord(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Signature(_SignedRecord):
    """The settings of a score.

    All scores of one scorer have the same signature. Scores with different signatures are not
    comparable.
    """

    metric: int
    version: str
    preset: str
    precedence: float = Field(description="Structure: 0 counts hops, 1 only precedence.")
    contraction: bool = Field(description="Whether steps merge that do the work of one together.")
    theta: float
    epsilon: float
    lambda_agent: float
    lambda_reference: float
    temperature: float
    kappa: float
    dependencies: str = Field(description="The configured mechanism.")
    order: tuple[tuple[str, ...], ...] = Field(description="Configured chains of tools.")
    order_free: tuple[str | tuple[str, ...], ...] = Field(
        (), description="Configured tools whose order does not matter."
    )
    recognise: bool = Field(description="Whether a step is weighted by its recognised role.")
    reference: str
    only_changes: bool
    strict: bool = Field(description="Whether all that is not proven harmless is critical.")
    weights: dict[str, float] = Field(description="The weight of each field of a step.")
    counts: dict[str, float] = Field(description="The weight of a step by its recognised role.")
    words: str = Field(description="Digest of the words that identify roles of tools.")
    prose: str = Field(
        description="Digest of the words and tables that compare values, texts and answers."
    )
    encoder: str
    encoder_digest: str | None
    encoder_window: int | None = Field(
        description="Maximum tokens of a text; longer texts are cut."
    )
    tools: str = Field(description="Digest of the tool table.")
    counting: str = Field(
        description="Digest of the settings that decide which steps and arguments count."
    )
    unrelated_cost: dict[str, float] | None = Field(description="The loss at skill 0, by field.")

    def __str__(self) -> str:
        names = {0.0: "hops", 1.0: "precedence"}
        structure = names.get(self.precedence, f"hops+{self.precedence:g}*precedence")
        preset = f"{self.preset}|strict" if self.strict else self.preset
        return (
            f"OTAP|{preset}|metric:{self.metric}|D:{structure}|theta:{self.theta:g}"
            f"|eps:{self.epsilon:g}|lambda:{self.lambda_agent:g},{self.lambda_reference:g}"
            f"|kappa:{self.kappa:g}|T:{self.temperature:g}"
            f"|recognise:{'yes' if self.recognise else 'no'}"
            f"|encoder:{self.encoder}|v{self.version}|{self.digest}"
        )

    @property
    def digest(self) -> str:
        """Eight characters that differ if any part of the signature differs."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:8]


class DependencyMechanisms(_SignedRecord):
    """The mechanism that found the dependencies of each side."""

    run: str
    reference: str

    def __str__(self) -> str:
        return self.run if self.run == self.reference else f"{self.run}/{self.reference}"


class Masses(_SignedRecord):
    """The weight of both sides; an ordinary step weighs 1."""

    run: float
    reference: float


class Conditions(_SignedRecord):
    """The conditions of a score that depend on the run and its best reference.

    ``fields`` are the fields that both record, with their weights rescaled to sum to 1.
    ``inferred_roles`` lists for each tool the roles of its calls. Roles in ``full_weight``
    have full weight.
    """

    fields: dict[str, float]
    dependencies: DependencyMechanisms
    order_scored: bool
    changes_in_order: bool = Field(
        True,
        description="Whether the order of changes was compared, beyond the dependencies that are "
        "scored.",
    )
    inferred_roles: dict[str, tuple[Role, ...]] = Field(
        {}, description="The roles of the calls of each tool."
    )
    renamed_ids: int = Field(
        0, description="Generated ids of the run that stand for generated ids of the reference."
    )
    full_weight: tuple[Role, ...] = ("writes",)
    reference: Literal["complete", "required"] = "complete"
    masses: Masses
    answers_recorded: bool | None = Field(
        None,
        description="Whether required answers are scored; false: the run does not record its "
        "messages to the user; null: no answer is required.",
    )
    solver: Literal["double", "single"] = Field(
        description="Precision of the arithmetic: single above a hundred steps, good to 1e-4."
    )
    cheaper_methods: tuple[CheaperMethod, ...] = Field(
        (), description="The less thorough methods that compared two large runs."
    )

    def __str__(self) -> str:
        fields = "+".join(f"{name}:{weight:.3g}" for name, weight in self.fields.items())
        order = "" if self.order_scored else "|order not scored"
        order += "|answers not recorded" if self.answers_recorded is False else ""
        methods = f"|{', '.join(self.cheaper_methods)}" if self.cheaper_methods else ""
        edges = f"edges:{self.dependencies}"
        return f"{fields or 'no fields'}|{edges}{order}|solver:{self.solver}{methods}"
