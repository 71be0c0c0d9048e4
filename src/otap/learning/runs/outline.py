"""What learning reads of a score; whole scores of many configurations take gigabytes."""

from collections.abc import Sequence
from typing import NamedTuple

from otap.alignment import Severity, StepShare
from otap.scoring import Score


class Share(NamedTuple):
    """A step: how well it is matched, what it adds to the loss, and what it stands for."""

    id: str
    quality: float
    contribution: float
    counterpart: str | None


class Outline(NamedTuple):
    """A score without its texts: its numbers, its best reference, and what became of each step.

    ``left_out`` are the ids of steps that do not count, of the run and of the reference.
    """

    score: float
    loss: float
    skill: float | None
    severity: Severity | None
    converged: bool
    told: float
    best_place: int
    agent: Sequence[Share]
    reference: Sequence[Share]
    left_out: tuple[Sequence[str], Sequence[str]]


def outline(score: Score) -> Outline:
    """Returns what learning reads of a score."""
    return Outline(
        score.score, score.loss, score.skill, score.severity, score.converged, score.losses.told,
        score.best_place, _shares(score.alignment.agent), _shares(score.alignment.reference),
        (score.left_out.agent, score.left_out.reference),
    )  # fmt: skip


def _shares(steps: Sequence[StepShare]) -> tuple[Share, ...]:
    return tuple(Share(one.id, one.quality, one.contribution, one.counterpart) for one in steps)
