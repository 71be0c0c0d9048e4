"""The coupling as a heat map: how much of each step of the run each step of the reference takes."""

from collections.abc import Mapping
from typing import NamedTuple

from otap.alignment import Pair
from otap.scoring import Against
from otap.trajectory import Step

WIDEST = 60  # steps of a side; of more, those that share mass at all
LEVELS = 5  # shades, the darkest for the most mass


class Cell(NamedTuple):
    """The mass of a pair, and its shade from 1 to LEVELS."""

    mass: float
    cost: float
    level: int


class Coupling(NamedTuple):
    """A table of masses.

    Attributes:
        run: the steps of its rows.
        reference: those of its columns.
        cells: by the ids of both.
        left_out: how many steps have neither a row nor a column.
    """

    run: tuple[Step, ...]
    reference: tuple[Step, ...]
    cells: Mapping[tuple[str, str], Cell]
    left_out: int


def coupling(against: Against) -> Coupling:
    """Returns which mass goes where."""
    pairs = against.score.alignment.pairs
    run = _side(against.run.steps, {pair.agent for pair in pairs})
    reference = _side(against.reference.steps, {pair.reference for pair in pairs})
    most = max((pair.mass for pair in pairs), default=1.0)
    cells = {(pair.agent, pair.reference): _cell(pair, most) for pair in pairs}
    count = len(against.run.steps) + len(against.reference.steps)
    return Coupling(run, reference, cells, count - len(run) - len(reference))


def _side(steps: tuple[Step, ...], moved: set[str]) -> tuple[Step, ...]:
    if len(steps) <= WIDEST:
        return steps
    return tuple(step for step in steps if step.id in moved)[:WIDEST]


def _cell(pair: Pair, most: float) -> Cell:
    level = max(1, round(LEVELS * pair.mass / most)) if most else 1
    return Cell(pair.mass, pair.cost, level)
