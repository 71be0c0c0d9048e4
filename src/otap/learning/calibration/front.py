"""``otap.calibrate``."""

import os
from collections.abc import Iterable, Mapping, Sequence

from otap.learning.calibration.calibration import Calibration, On
from otap.learning.calibration.pipeline import FALSE_ALARMS, calibrated, of_scored, promise
from otap.learning.calibration.results import scored_results
from otap.learning.runs import labelled, sample
from otap.scoring import Config
from otap.trajectory import Trajectory


def calibrate(
    runs: Iterable[Trajectory] | str | os.PathLike[str],
    references: Sequence[Trajectory] | None = None,
    *,
    outcomes: Mapping[str, float | bool] | None = None,
    good_from: float | None = None,
    on: On = "score",
    false_alarms: float = FALSE_ALARMS,
    confidence: float | None = None,
    config: Config | None = None,
    jobs: int = 1,
) -> Calibration:
    """Returns the threshold that holds a rate of false alarms on good runs of new tasks.

    Args:
        runs: runs whose outcomes are known; or a file of ``otap evaluate``, whose scores are taken.
        references: known-good runs of their tasks; None: one good run a task.
        outcomes: outcomes by the id of a run or by TASK/TRIAL, in place of the recorded ones.
        good_from: the outcome from which on a run is good; None: 1.
        on: what the threshold is put on: score, skill or severity.
        false_alarms: the share of good runs that may be stopped.
        confidence: in what share of calibrations that shall hold; None: on average over them.
        config: how runs are scored; None: the preset ``default``.
        jobs: processes that score.

    Raises:
        ConfigError: for a share out of (0, 1), or outcomes that name no run.
        OtapError: if a run cannot be read or scored.
    """
    held = promise(false_alarms, confidence)
    if isinstance(runs, str | os.PathLike):
        return of_scored(scored_results([runs], outcomes, good_from), held, on)
    known = sample(labelled(runs, outcomes, good_from=good_from), references)
    return calibrated(known, config or Config(), held, on, jobs)
