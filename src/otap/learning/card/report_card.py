"""The report card, made: what is learned on some tasks is tried on the others."""

from collections.abc import Callable, Collection, Sequence

import numpy as np

from otap.learning.card.card import Card, Difference, Interval, Row
from otap.learning.card.ranking import Array, Flags, Ranking
from otap.learning.held_out import closeness, clustered, folds, surprises
from otap.learning.runs import Scores, Tell
from otap.learning.setting import Setting, with_settings
from otap.scoring import Config
from otap.scoring.config import Tools

Learner = Callable[[Scores, Collection[str], Config], Sequence[Setting]]
LEAST = 1e-300  # of a score: a loss is never infinite


def report_card(scores: Scores, config: Config, learner: Learner, tell: Tell) -> Card:
    """Returns how well scores tell good runs from bad ones, with what was learned and without.

    Args:
        scores: of the cases, under any settings.
        config: the settings that learning begins with.
        learner: learns settings on some tasks.
        tell: is told how many parts of the tasks have been "held out", of how many.

    Raises:
        OtapError: if a case cannot be scored.
    """
    cases = scores.sample.cases
    good = np.array([case.good for case in cases], dtype=np.bool_)
    tasks = [case.task for case in cases]
    values = {
        "nothing said": _values(scores, nothing_said(config)),
        "recognised": _values(scores, config),
    }
    count, gain = int(folds(tasks).max(initial=-1)) + 1, None
    if count > 1:
        values["learned"] = _held_out(scores, config, learner, tell)
        gain = _gain(values["recognised"], values["learned"], good, tasks)
    rankings = {name: Ranking(one, good, tasks) for name, one in values.items()}
    known = rankings["recognised"]
    return Card(
        runs=len(cases), good=int(good.sum()), tasks=len(set(tasks)), pairs=known.pairs,
        tasks_with_pairs=known.tasks_with_pairs, folds=count if count > 1 else 0,
        rows=tuple(_row(name, rankings.get(name)) for name in (*values, "learned")[:3]),
        gain=gain,
    )  # fmt: skip


def nothing_said(config: Config) -> Config:
    """Returns settings under which every step counts alike, and else as they are."""
    return config.model_copy(update={"recognise": False, "tools": Tools()})


def _held_out(scores: Scores, config: Config, learner: Learner, tell: Tell) -> Array:
    """The score of each case under what the tasks of the other folds teach."""
    tasks = [case.task for case in scores.sample.cases]
    fold, found = folds(tasks), np.zeros(len(tasks))
    count = int(fold.max()) + 1
    for one in range(count):
        tell("held out", one, count)
        held = fold == one
        others = {task for task, out in zip(tasks, held, strict=True) if not out}
        changed = with_settings(config, learner(scores, others, config))
        found[held] = _values(scores, changed)[held]
    tell("held out", count, count)
    return found


def _gain(before: Array, after: Array, good: Flags, tasks: Sequence[str]) -> Difference:
    first, second = (
        surprises(closeness(-np.log(np.maximum(scores, LEAST))), good, tasks)
        for scores in (before, after)
    )
    found = clustered(first - second, tasks)
    return Difference(mean=found.mean, standard_error=found.standard_error)


def _values(scores: Scores, config: Config) -> Array:
    return scores.numbers(config).scores


def _row(name: str, ranking: Ranking | None) -> Row:
    if ranking is None:
        return Row(counted=name, within=Interval(), overall=Interval(), null=Interval())
    return Row(
        counted=name, within=ranking.within(), overall=ranking.overall(), null=ranking.null()
    )
