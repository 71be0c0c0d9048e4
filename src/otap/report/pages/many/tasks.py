"""The tasks of many runs: how each went, and how it went before."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from otap.evaluation import Summary, Tally
from otap.report.pages.many.packs import Packs
from otap.report.pages.many.words import Words


@dataclass(frozen=True)
class Task:
    """One task.

    Attributes:
        number: of its name among those that rows are filtered by.
        name: what it is called.
        tally: its runs.
        was: its mean score before; None: not known.
        pack: where the grid of its runs opens from; None: there is none.
    """

    number: int
    name: str
    tally: Tally
    was: float | None
    pack: int | None

    @property
    def score(self) -> float | None:
        """Its mean score."""
        return self.tally.means["score"].value

    @property
    def difference(self) -> float | None:
        """How much that moved."""
        return None if self.was is None or self.score is None else self.score - self.was


def tasks_of(
    summary: Summary, words: Words, before: Mapping[str, float], packs: Packs
) -> Sequence[Task]:
    """Returns the tasks that have a name: those without a score, then by score, the least first.

    Args:
        summary: of all runs.
        words: those that rows are filtered by.
        before: the mean score of each task that had one.
        packs: have the grids of tasks by ``task-NUMBER``.
    """
    return list(_tasks(summary.by_task(), words, before, packs))


def _tasks(
    tallies: Iterable[tuple[str | None, Tally]],
    words: Words,
    before: Mapping[str, float],
    packs: Packs,
) -> Iterable[Task]:
    for name, tally in tallies:
        if name is not None:
            number = words.tasks.number(name)
            yield Task(number, name, tally, before.get(name), packs.place(f"task-{number}"))
