"""The report card: what is learned on some tasks is tried on the others, as AUROC.

The area under the ROC curve is the share of pairs of a good and a bad run whose good one scores
more [Hanley1982].
"""

from collections.abc import Callable, Collection, Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from otap._caching import cached_property
from otap._numbers import auroc_text
from otap.config import Tools
from otap.learning.held_out import Array, Flags, Gain, closeness, clustered, folds, surprises
from otap.learning.parameters import DIGITS, DRAWS, SEED, TAIL
from otap.learning.scores import Scores, Tell
from otap.learning.setting import Record, Setting, with_settings
from otap.scoring import Config

Places = NDArray[np.intp]


class Interval(Record):
    """A share in [0, 1], and where 95 % of the draws lie; null: it cannot be said."""

    value: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def hundredths(self) -> str:
        """As an AUROC times 100, the ends in brackets; "-" where it cannot be said."""
        if self.low is None or self.high is None:
            return auroc_text(self.value)
        return f"{auroc_text(self.value)} [{auroc_text(self.low)}, {auroc_text(self.high)}]"


class Ranking:
    """Runs of tasks, by what they score.

    Args:
        values: what each run scores; more is better.
        good: whether it was good.
        tasks: its task.
    """

    def __init__(self, values: Array, good: Flags, tasks: Sequence[str]) -> None:
        self._values, self._good = np.round(values, DIGITS), good
        names, owner = np.unique(np.array(tasks, dtype=object), return_inverse=True)
        self._owner: Places = owner
        self._count = len(names)

    @property
    def pairs(self) -> int:
        """How many pairs of a good and a bad run of one task there are."""
        return int(np.trace(self._of))

    @property
    def tasks_with_pairs(self) -> int:
        """How many tasks have good runs and bad ones."""
        return int(np.count_nonzero(np.diag(self._of)))

    def within(self) -> Interval:
        """Returns the share of pairs of one task whose good run scores more; a tie is a half.

        With the interval of a bootstrap over tasks [Efron1993]; where no pair is wrong, with that
        of a share of tasks [Clopper1934].
        """
        won, of = np.diag(self._won), np.diag(self._of)
        return _interval(won.sum(), of.sum(), self._draws @ won, self._draws @ of, len(of[of > 0]))

    def overall(self) -> Interval:
        """Returns the same share of all pairs of a good and a bad run."""
        won = ((self._draws @ self._won) * self._draws).sum(axis=1)
        of = ((self._draws @ self._of) * self._draws).sum(axis=1)
        return _interval(self._won.sum(), self._of.sum(), won, of, self._count)

    def null(self) -> Interval:
        """Returns what outcomes that are shuffled within their tasks give over all runs.

        Its value is the exact mean; its ends hold 95 % of the shuffles.
        """
        good = int(self._good.sum())
        pairs = good * (len(self._good) - good)
        if not pairs:
            return Interval()
        from scipy.stats import rankdata

        ranks, least = rankdata(self._values), good * (good + 1) / 2
        parts = [self._owner == task for task in range(self._count)]
        mean = sum(ranks[part].mean() * self._good[part].sum() for part in parts)
        random = np.random.default_rng(SEED)
        sums = np.zeros(DRAWS)
        for part in parts:
            sums += _shuffled(ranks[part], int(self._good[part].sum()), random)
        low, high = np.quantile((sums - least) / pairs, (TAIL, 1 - TAIL))
        value = float((mean - least) / pairs)
        return Interval(value=value, low=float(low), high=float(high))

    @cached_property
    def _of(self) -> Array:
        """How many pairs of a good run of one task and a bad one of another there are."""
        sides = self._owner[self._good], self._owner[~self._good]
        good, bad = (np.bincount(side, minlength=self._count) for side in sides)
        return np.outer(good, bad).astype(np.float64)

    @cached_property
    def _won(self) -> Array:
        """How many of them have the good run above; a tie is a half."""
        good, bad = self._good, ~self._good
        won = np.zeros((self._count, self._count))
        for place in np.flatnonzero(good):
            above = self._values[place] - self._values[bad]
            points = (above > 0) + 0.5 * (above == 0)
            won[self._owner[place]] += np.bincount(self._owner[bad], points, self._count)
        return won

    @cached_property
    def _draws(self) -> Array:
        """How often each draw of tasks has each."""
        random = np.random.default_rng(SEED)
        share = np.full(self._count, 1 / self._count)
        return random.multinomial(self._count, share, size=DRAWS).astype(np.float64)


def _interval(won: float, of: float, wons: Array, ofs: Array, tasks: int) -> Interval:
    if not of:
        return Interval()
    value = float(won / of)
    if tasks < 2:
        return Interval(value=value)
    low, high = map(float, np.quantile(wons[ofs > 0] / ofs[ofs > 0], (TAIL, 1 - TAIL)))
    # Tasks of which none is wrong, or right, are no proof that none can be.
    least = TAIL ** (1 / tasks)
    if value == 1:
        low = min(low, least)
    if value == 0:
        high = max(high, 1 - least)
    return Interval(value=value, low=low, high=high)


def _shuffled(ranks: Array, good: int, random: np.random.Generator) -> Array | float:
    """Sums of the ranks of so many runs, drawn at random of a task's."""
    if good in (0, len(ranks)):
        return float(ranks.sum()) if good else 0.0
    drawn = random.permuted(np.tile(ranks, (DRAWS, 1)), axis=1)[:, :good]
    return np.asarray(drawn.sum(axis=1))


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
    good, tasks, gain = scores.sample.good, scores.sample.owners, None
    every_step_alike = config.model_copy(update={"recognise": False, "tools": Tools()})
    values = {
        "nothing said": scores.numbers(every_step_alike).scores,
        "recognised": scores.numbers(config).scores,
    }
    count = int(folds(tasks).max(initial=-1)) + 1
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
        rows.append(Row(counted="learned", within=Interval(), overall=Interval(), null=Interval()))
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
