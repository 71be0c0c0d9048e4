"""The report card: no run is ranked under what its own task taught, and shuffled outcomes tell."""

from collections.abc import Collection, Sequence
from random import Random

import pytest

import desk
from otap.learning.card import Card, Learner, report_card
from otap.learning.runs import Sample, labelled, sample
from otap.learning.scores import Outline, Scores, silent
from otap.learning.setting import Setting
from otap.scoring import Config
from otap.trajectory import Trajectory


class Known(Scores):
    """The scores of the same runs under other outcomes: those made before are not made again."""

    def __init__(self, sample: Sample, made: Scores) -> None:
        super().__init__(sample)
        self._made_before = made

    def _made(self, config: Config, places: Sequence[int]) -> list[Outline]:
        found = self._made_before.of(config)
        return [found[place] for place in places]


def card_of(runs: Sequence[Trajectory], learner: Learner = lambda *_: ()) -> Card:
    """The card of runs, with the references of their tasks."""
    with Scores(sample(labelled(runs), desk.references())) as scores:
        return report_card(scores, Config(), learner, silent)


def test_each_task_is_held_out_once() -> None:
    """What is learned on a part of the tasks is used on the others alone."""
    seen: list[frozenset[str]] = []

    def learner(scores: Scores, tasks: Collection[str], config: Config) -> Sequence[Setting]:
        seen.append(frozenset(tasks))
        return [Setting(path=("tools", "read_only"), value=desk.MISREAD)]

    card = card_of(desk.runs(), learner)
    every = {f"task {k}" for k in range(desk.TASKS)}
    assert sorted(task for tasks in seen for task in every - tasks) == sorted(every)
    assert card.folds == len(seen)
    before, after = card.row("recognised").within, card.row("learned").within
    assert (before.value or 0) < 0.9
    assert after.value == 1


def test_shuffled_outcomes_give_the_null() -> None:
    """Outcomes of a task given to its runs at random: a half within, the null over all runs."""
    runs, values, nulls = desk.runs(), [], []
    made = Scores(sample(labelled(runs), desk.references()))
    for seed in range(5):
        shuffled = []
        for task in range(desk.TASKS):
            of_task = runs[desk.TRIALS * task : desk.TRIALS * (task + 1)]
            outcomes = [run.outcome for run in of_task]
            Random(f"{seed} {task}").shuffle(outcomes)
            shuffled += [
                run.model_copy(update={"outcome": outcome})
                for run, outcome in zip(of_task, outcomes, strict=True)
            ]
        again = Known(sample(labelled(shuffled), desk.references()), made)
        row = report_card(again, Config(), lambda *_: (), silent).row("recognised")
        values.append((row.within.value or 0, row.overall.value or 0))
        nulls.append(row.null)
    assert sum(within for within, _ in values) / 5 == pytest.approx(0.5, abs=0.1)
    for (_, overall), null in zip(values, nulls, strict=True):
        assert (null.low or 0) - 0.05 <= overall <= (null.high or 0) + 0.05


def test_one_task_is_no_evidence() -> None:
    """Nothing can be held out of it: the row of what was learned is empty."""
    card = card_of(desk.runs()[: desk.TRIALS])
    assert (card.folds, card.row("learned").overall.value) == (0, None)
