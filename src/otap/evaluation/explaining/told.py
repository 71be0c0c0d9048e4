"""A line of a result file with all that is shown of one run."""

from collections.abc import Sequence

from pydantic import Field

from otap.alignment import Alignment
from otap.evaluation.results.result import Result
from otap.scoring import Traces
from otap.scoring.result import ReferenceScore


class Told(Result):
    """A result with its alignment, what each reference says, and its traces if it carries them."""

    alignment: Alignment = Alignment()
    references: Sequence[ReferenceScore] = ()
    traces: Traces | None = Field(None, repr=False)

    @property
    def best_loss(self) -> float | None:
        """The loss against the best reference alone."""
        return min((one.loss for one in self.references if one.loss is not None), default=None)
