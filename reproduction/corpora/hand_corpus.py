"""The hand corpus: twenty tasks of six domains, written for this project.

One TOML file a task; :class:`TaskFile` is its schema. A task has six steps, with what each consumes
and produces, three references that differ in words and order, other granularities, and for phrases
of the canonical solution other ways to say them: some that a reference uses (shared) and some that
none does (independent).
"""

import random
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from examples.perturbation import retraced
from otap import Step, Trajectory
from reproduction.corpora.cases import Task

FOLDER = Path(__file__).parent / "hand"
Tool = Literal[
    "search", "read", "filter", "analyze", "compute", "transform", "execute", "validate", "write",
    "submit",
]  # fmt: skip
Domain = Literal[
    "travel booking", "data analysis", "software debugging", "database migration",
    "tax preparation", "security auditing",
]  # fmt: skip
TOOLS: tuple[str, ...] = get_args(Tool)
DOMAINS: tuple[str, ...] = get_args(Domain)
Lexicon = Literal["shared", "independent"]
DISTRACTORS = 6  # steps of other domains that may be put into a task


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Wording(_Record):
    """How a step is told."""

    action: str
    arguments: str
    effect: str


class TaskStep(Wording):
    """A step, with the artifacts that it needs and those that it makes."""

    id: str
    tool: Tool
    consumes: tuple[str, ...]
    produces: tuple[str, ...] = Field(min_length=1)


class Reference(_Record):
    """The same steps in another order and in other words."""

    order: tuple[str, ...]
    steps: Mapping[str, Wording]


class Regrouped(_Record):
    """Steps that are replaced by others which do the same work."""

    replaces: tuple[str, ...]
    steps: tuple[TaskStep, ...]


class Alternatives(_Record):
    """Other ways to say a phrase: as some reference says it, and as none does."""

    shared: tuple[str, ...] = Field(min_length=1)
    independent: tuple[str, ...] = Field(min_length=1)


class TaskFile(_Record):
    """One file of the corpus."""

    id: str
    domain: Domain
    half: Literal["development", "reporting"]
    request: str
    steps: tuple[TaskStep, ...] = Field(min_length=6, max_length=6)
    references: tuple[Reference, ...] = Field(min_length=2, max_length=2)
    regrouped: tuple[Regrouped, ...] = Field(min_length=3, max_length=3)
    lexicon: Mapping[str, Alternatives]


def files() -> Iterator[TaskFile]:
    """The tasks, by name of their file."""
    for path in sorted(FOLDER.glob("*.toml")):
        yield TaskFile.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))


def tasks(lexicon: Lexicon, half: str | None = None) -> list[Task]:
    """The tasks of one half of the corpus, or of both, to be paraphrased by one lexicon."""
    every = list(files())
    return [_task(file, every, lexicon) for file in every if half in (None, file.half)]


def _task(file: TaskFile, every: Sequence[TaskFile], lexicon: Lexicon) -> Task:
    foreign = [step for other in every if other.domain != file.domain for step in other.steps]
    distractors = random.Random(file.id).sample(foreign, min(DISTRACTORS, len(foreign)))
    return Task(
        name=file.id,
        references=[_canonical(file), *(_reference(file, other) for other in file.references)],
        lexicon={phrase: getattr(said, lexicon) for phrase, said in file.lexicon.items()},
        distractors=[_step(step, consumes=(), produces=()) for step in distractors],
        tools=TOOLS,
        regrouped=[
            (group.replaces, [_step(step) for step in group.steps]) for group in file.regrouped
        ],
    )


def _canonical(file: TaskFile) -> Trajectory:
    return retraced(_trajectory(file, [_step(step) for step in file.steps]))


def _reference(file: TaskFile, reference: Reference) -> Trajectory:
    steps = {step.id: step for step in file.steps}
    told = [_step(steps[name], **reference.steps[name].model_dump()) for name in reference.order]
    return retraced(_trajectory(file, told))


def _trajectory(file: TaskFile, steps: Sequence[Step]) -> Trajectory:
    return Trajectory(id=file.id, task=file.id, request=(file.request,), steps=tuple(steps))


def _step(step: TaskStep, **changes: Any) -> Step:
    told = {**step.model_dump(), **changes}
    flow = {name: list(told.pop(name)) for name in ("consumes", "produces")}
    return Step(**told, metadata=flow)
