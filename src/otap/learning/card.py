"""The report card: what is learned on some tasks is tried on the others."""

from collections.abc import Callable, Collection, Sequence

import numpy as np
from pydantic import Field

from otap.learning.held_out import Array, Gain, closeness, clustered, folds, surprises
from otap.learning.ranking import Interval, Ranking
from otap.learning.scores import Scores, Tell
from otap.learning.setting import Record, Setting, with_settings
from otap.scoring import Config
from otap.scoring.config import Tools

Learner = Callable[[Scores, Collection[str], Config], Sequence[Setting]]
LEAST = 1e-300  # of a score: a loss is never infinite


class Row(Record):
    """What one way of counting is worth, as AUROC; ties count a half."""

    counted: str = Field(
        description="'nothing said': every step alike; 'recognised': under the settings that "
        "learning began with; 'learned': each task under what the others taught."
    )
    within: Interval = Field(
        description="Of pairs of a good and a bad run of one task; interval by tasks."
    )
    overall: Interval = Field(description="Of all pairs of a good and a bad run.")
    null: Interval = Field(
        description="What 'overall' is if outcomes are shuffled within their tasks."
    )


class Card(Record):
    """How well scores tell good runs from bad ones, by task held out."""

    runs: int
    good: int
    tasks: int
    pairs: int = Field(description="Of a good and a bad run of one task.")
    tasks_with_pairs: int
    folds: int = Field(description="Parts of the tasks, each held out once; 0: nothing was.")
    rows: tuple[Row, ...]
    gain: Gain | None = Field(
        description="How much less the outcome surprises whoever counts as learned than whoever "
        "counts as recognised, in nats a run of tasks held out; null: nothing was held out."
    )

    def row(self, counted: str) -> Row:
        """Returns the row of a way of counting."""
        return next(row for row in self.rows if row.counted == counted)


def gain_text(gain: Gain) -> str:
    """Returns a gain of the report card, with its standard error."""
    return f"gain {gain.mean:.3f} +- {gain.standard_error:.3f} nats a run"


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
    good, tasks = scores.sample.good, scores.sample.owners
    every_step_alike = config.model_copy(update={"recognise": False, "tools": Tools()})
    values = {
        "nothing said": scores.numbers(every_step_alike).scores,
        "recognised": scores.numbers(config).scores,
    }
    count, gain = int(folds(tasks).max(initial=-1)) + 1, None
    if count > 1:
        values["learned"] = _held_out(scores, config, learner, tell)
        before, after = (
            surprises(closeness(-np.log(np.maximum(values[name], LEAST))), good, tasks)
            for name in ("recognised", "learned")
        )
        gain = clustered(before - after, tasks)
    rankings = {name: Ranking(one, good, tasks) for name, one in values.items()}
    known = rankings["recognised"]
    rows = [
        Row(counted=name, within=one.within(), overall=one.overall(), null=one.null())
        for name, one in rankings.items()
    ]
    if count <= 1:
        nothing = Interval()
        rows.append(Row(counted="learned", within=nothing, overall=nothing, null=nothing))
    return Card(
        runs=len(tasks), good=int(good.sum()), tasks=len(set(tasks)), pairs=known.pairs,
        tasks_with_pairs=known.tasks_with_pairs, folds=count if count > 1 else 0,
        rows=tuple(rows), gain=gain,
    )  # fmt: skip


def _held_out(scores: Scores, config: Config, learner: Learner, tell: Tell) -> Array:
    """The score of each case under what the tasks of the other folds teach."""
    tasks = scores.sample.owners
    fold, found = folds(tasks), np.zeros(len(tasks))
    count = int(fold.max()) + 1
    for one in range(count):
        tell("held out", one, count)
        held = fold == one
        others = {task for task, out in zip(tasks, held, strict=True) if not out}
        changed = with_settings(config, learner(scores, others, config))
        found[held] = scores.numbers(changed).scores[held]
    tell("held out", count, count)
    return found
