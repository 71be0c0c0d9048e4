"""What a run told of what a reference says must be told."""

from collections.abc import Sequence

from otap.alignment import NOTHING_ASKED, Telling, Untold
from otap.scoring.compare.metric import Metric
from otap.scoring.prepare.prepared import PreparedRun


def telling_of(run: PreparedRun, reference: PreparedRun, metric: Metric) -> Telling:
    """Returns which answers a run gave, without their price.

    An answer that the reference asks for and records not to have given itself is not asked for:
    it is given in words that are not understood. Where the run does not record what was told,
    nothing is. Under relative mass answers have none.

    Args:
        run: the agent's side.
        reference: says what must be told.
        metric: the settings, and the encoder.
    """
    if not reference.must_tell or metric.config.mass == "relative":
        return NOTHING_ASKED
    if run.told is None:
        return Telling(recorded=False)
    asked = _asked(reference, metric)
    given = {a: run.told.says(a, metric.encoder.encode) for a in asked}
    lacking = tuple(Untold(a, run.told.nearest(a)) for a in asked if not given[a])
    told = tuple(a for a in asked if given[a])
    return Telling(told, lacking, weight=metric.config.counts.told)


def _asked(reference: PreparedRun, metric: Metric) -> Sequence[str]:
    told, vectors = reference.told, metric.encoder.encode
    if told is None:
        return reference.must_tell
    return [answer for answer in reference.must_tell if told.says(answer, vectors)]
