"""One departure from the reference, as a record."""

from typing import Literal, NamedTuple, get_args

from pydantic import BaseModel, ConfigDict, Field

Severity = Literal["critical", "major", "minor"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)  # the worst first


class Departure(NamedTuple):
    """What a rule says of a finding; the record is made of it once all are known."""

    kind: str
    severity: Severity
    share: float | None
    sentence: str
    agent: tuple[str, ...] = ()
    reference: tuple[str, ...] = ()


class Finding(BaseModel):
    """One departure from the reference; ``agent`` and ``reference`` are step ids.

    ``share`` is the part of the loss that the steps or the edge account for, in [0, 1]; None for
    what is no part of the loss. Shares of different findings may overlap: a missing step also
    breaks what depended on it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: str
    severity: Severity = Field(
        description="critical: another or no effect on the world, or an answer that was not given; "
        "else major or minor."
    )
    agent: tuple[str, ...] = ()
    reference: tuple[str, ...] = ()
    tools: tuple[str, ...] = Field(
        (), description="The tools of the steps that it names, each once, those of the run first."
    )
    share: float | None
    sentence: str
