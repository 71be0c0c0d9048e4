"""How a number was made: what was set, and what a pair of run and reference decided."""

import hashlib
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from otap.run.roles import Role

METRIC = 7  # raised whenever a default number changes


class _SignedRecord(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Signature(_SignedRecord):
    """What was set: equal for all scores of one scorer; scores of unequal ones do not compare."""

    metric: int
    version: str
    preset: str
    precedence: float = Field(description="Structure: 0 counts hops, 1 only who is before whom.")
    contraction: bool = Field(description="Whether steps that stand for one together are one.")
    theta: float
    epsilon: float
    lambda_agent: float
    lambda_reference: float
    temperature: float
    kappa: float
    criticality: str
    goals: str
    arguments: str
    wording: str
    unobserved: str
    unknown_order: str
    dependencies: str = Field(description="The mechanism asked for.")
    order: tuple[tuple[str, ...], ...] = Field(description="Chains of tools that were said.")
    mass: str = Field(description="Whether an ordinary step is the unit of mass, or a side.")
    recognise: bool = Field(description="Whether a step weighs what was recognised of it.")
    reference: str
    only_changes: bool
    weights: dict[str, float] = Field(description="How much each field of a step counts.")
    counts: dict[str, float] = Field(description="What a step weighs, by what was recognised.")
    words: str = Field(description="Digest of the words by which tools are recognised.")
    prose: str = Field(description="Digest of the words to which prose is held.")
    encoder: str
    encoder_digest: str | None
    encoder_window: int | None = Field(description="Tokens after which a text was cut.")
    tools: str = Field(description="Digest of the tool table.")
    counting: str = Field(description="Digest of what is said to count of a run.")
    unrelated_cost: dict[str, float] | None = Field(description="What skill 0 means, by field.")

    def __str__(self) -> str:
        known = {0.0: "hops", 1.0: "precedence"}
        structure = known.get(self.precedence, f"hops+{self.precedence:g}*precedence")
        return (
            f"OTAP|{self.preset}|metric:{self.metric}|D:{structure}|theta:{self.theta:g}"
            f"|eps:{self.epsilon:g}|lambda:{self.lambda_agent:g},{self.lambda_reference:g}"
            f"|kappa:{self.kappa:g}|T:{self.temperature:g}|mass:{self.mass}"
            f"|recognise:{'yes' if self.recognise else 'no'}"
            f"|encoder:{self.encoder}|v{self.version}|{self.digest}"
        )

    @property
    def digest(self) -> str:
        """Eight characters that differ where any part of the signature does."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:8]


class DependencyMechanisms(_SignedRecord):
    """How the dependencies of each side were found."""

    run: str
    reference: str

    def __str__(self) -> str:
        return self.run if self.run == self.reference else f"{self.run}/{self.reference}"


class Masses(_SignedRecord):
    """What both sides weigh, an ordinary step being 1."""

    run: float
    reference: float


class Conditions(_SignedRecord):
    """What the pair of a run and its best reference decided.

    ``fields`` are those that both record, with the weights that they had, rescaled to sum to 1.
    ``recognised`` says for each tool what its calls do; ``in_full`` which of that counted in full.
    """

    fields: dict[str, float]
    dependencies: DependencyMechanisms
    order_scored: bool
    recognised: dict[str, tuple[Role, ...]] = Field(
        {}, description="What the calls of each tool do."
    )
    redrawn: int = Field(
        0, description="Identifiers that were drawn for both, each for the same thing."
    )
    in_full: tuple[Role, ...] = ("writes",)
    reference: Literal["complete", "required"] = "complete"
    masses: Masses
    told: bool | None = Field(
        None,
        description="Whether what must be told is scored; false: the run does not record what was "
        "told; null: nothing must be told.",
    )
    solver: Literal["double", "single"] = Field(
        description="Precision of the arithmetic: single above a hundred steps, good to 1e-4."
    )

    def __str__(self) -> str:
        fields = "+".join(f"{name}:{weight:.3g}" for name, weight in self.fields.items())
        order = "" if self.order_scored else "|order not scored"
        order += "|told not recorded" if self.told is False else ""
        return f"{fields or 'no fields'}|edges:{self.dependencies}{order}|solver:{self.solver}"
