"""The report card of what was learned: how well scores tell good runs from bad ones."""

from pydantic import BaseModel, ConfigDict, Field

from otap._numbers import hundredths


class Record(BaseModel):
    """A part of ``otap.learning/1``."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Interval(Record):
    """A share in [0, 1], and where 95 % of the draws lie; null: it cannot be said."""

    value: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def hundredths(self) -> str:
        """As an AUROC times 100, the ends in brackets; "-" where it cannot be said."""
        if self.low is None or self.high is None:
            return hundredths(self.value)
        return f"{hundredths(self.value)} [{hundredths(self.low)}, {hundredths(self.high)}]"


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


class Difference(Record):
    """A mean with its standard error, clustered by task."""

    mean: float
    standard_error: float


class Card(Record):
    """How well scores tell good runs from bad ones, by task held out."""

    runs: int
    good: int
    tasks: int
    pairs: int = Field(description="Of a good and a bad run of one task.")
    tasks_with_pairs: int
    folds: int = Field(description="Parts of the tasks, each held out once; 0: nothing was.")
    rows: tuple[Row, ...]
    gain: Difference | None = Field(
        description="How much less the outcome surprises whoever counts as learned than whoever "
        "counts as recognised, in nats a run of tasks held out; null: nothing was held out."
    )

    def row(self, counted: str) -> Row:
        """Returns the row of a way of counting."""
        return next(row for row in self.rows if row.counted == counted)
