"""What a report card warns of, each on the least runs that show it."""

from collections.abc import Sequence

import pytest

import desk
import otap
from otap.learning.card import Card, Interval, Row
from otap.learning.doubts import doubts
from otap.learning.held_out import Gain
from otap.learning.runs import Sample, labelled, sample
from otap.learning.setting import Setting


def told(found: Sample, card: Card | None = None, learned: Sequence[Setting] = ()) -> str:
    """All that is warned of."""
    return "\n".join(doubts(found, card, learned))


def card(gain: float = 0.5, tasks: int = 30) -> Card:
    """A card with such figures."""
    row = Row(counted="recognised", within=Interval(), overall=Interval(), null=Interval())
    return Card(
        runs=9, good=5, tasks=9, pairs=tasks, tasks_with_pairs=tasks, folds=9, rows=(row,),
        gain=Gain(mean=gain, standard_error=0.1),
    )  # fmt: skip


def enough() -> Sample:
    """Runs of which nothing is to be said but of their card."""
    return sample(labelled(desk.runs()), desk.references())


def test_nothing_to_mind() -> None:
    """Both outcomes, one reference a task, tasks enough, something gained."""
    assert told(enough(), card(), [Setting(path=("failed",), value="dropped")]) == ""


@pytest.mark.parametrize(
    ("figures", "words"),
    [
        (
            (0.5, 11),
            "only 11 tasks have both good and bad runs: a score that ranks one task in ten",
        ),
        ((0.5, 0), "no task has both good and bad runs"),
        ((0.1, 30), "what was learned gains nothing on tasks held out (gain 0.100 +- 0.100 nats"),
        ((-0.2, 30), "what was learned loses on tasks held out (gain -0.200"),
    ],
)
def test_of_the_card(figures: tuple[float, int], words: str) -> None:
    """Few tasks, no pairs, nothing gained, something lost."""
    assert words in told(enough(), card(*figures), [Setting(path=("failed",), value="dropped")])


def test_of_one_task_nothing_is_held_out() -> None:
    alone = card(tasks=1).model_copy(update={"folds": 0})
    assert "of one task nothing can be held out" in told(enough(), alone)


def test_of_the_runs() -> None:
    """What is left out is counted; outcomes of one kind, or nearly, are no evidence."""
    runs = desk.runs()
    unknown = [run.model_copy(update={"outcome": None}) for run in runs[:3]]
    other = runs[3].model_copy(update={"task": "nobody's"})
    found = told(sample(labelled([*unknown, other, *runs[4:]]), desk.references()))
    assert "3 runs without an outcome: left out" in found
    assert "1 run without a reference of its task" in found
    bad = [run.model_copy(update={"outcome": 0.0}) for run in runs]
    assert "no run is good" in told(sample(labelled(bad), desk.references()))
    assert "only 2 runs of 56 are good" in told(
        sample(labelled([*runs[:4], *bad[4:]]), desk.references())
    ).replace(f"only {sum(run.outcome == 1 for run in runs[:4])} runs", "only 2 runs")
    assert "no run has an outcome; " in told(sample(labelled(unknown)))


def test_of_runs_that_are_references_themselves() -> None:
    """Those are good, and are not told to be left out; nor is nothing said where they are all."""
    runs = desk.runs()
    only = {run.task: run for run in runs if run.outcome == 1}
    assert "no run is left to compare" in told(sample(labelled(only.values())))
    copies = [run.model_copy(update={"trial": 99}) for run in only.values()]
    found = told(sample(labelled([*only.values(), *copies])))
    assert f"{len(only)} runs, {len(only)} of them good, no different from the" in found
    bad = [run.model_copy(update={"outcome": 0.0, "trial": 99}) for run in only.values()]
    assert "beside the references no run is good" in told(sample(labelled([*only.values(), *bad])))


def test_references_that_tell_the_outcome() -> None:
    """A run among its references, and good runs with more of them."""
    runs, gold = desk.runs(), desk.references()
    good = [run for run in runs if run.outcome == 1]
    found = told(sample(labelled(runs), [*gold, *good]))
    assert f"{len(good)} runs, {len(good)} of them good, are among the references" in found
    more = [
        one.model_copy(update={"steps": (*one.steps, otap.Step(id="x", tool=f"note_{k}"))})
        for one in gold
        for k in range(sum(run.outcome == 1 for run in runs if run.task == one.task))
    ]
    assert "good runs are of tasks with more references" in told(
        sample(labelled(runs), [*gold, *more])
    )
