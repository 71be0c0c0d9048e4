"""``otap.calibrate``."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import get_args

from otap.errors import ConfigError, shown
from otap.learning.calibration.calibration import Calibration, On
from otap.learning.calibration.pipeline import FALSE_ALARMS, calibrated, of_scored, promise
from otap.learning.calibration.results import scored_results
from otap.learning.runs import Outcomes, as_told, sample
from otap.scoring import Config
from otap.trajectory import Trajectory


def calibrate(
    runs: Iterable[Trajectory] | str | os.PathLike[str],
    references: Sequence[Trajectory] | None = None,
    *,
    outcomes: Outcomes | None = None,
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
        outcomes: outcomes by the id of a run or by TASK/TRIAL, or one for each run, in place of the
            recorded ones.
        good_from: the outcome from which on a run is good; None: 1.
        on: what the threshold is put on: score, skill or severity.
        false_alarms: the share of good runs that may be stopped.
        confidence: in what share of calibrations that shall hold; None: on average over them.
        config: how runs are scored; None: the preset ``default``.
        jobs: processes that score.

    Raises:
        ConfigError: for a share out of (0, 1), outcomes that name no run, or another ``on``.
        OtapError: if a run cannot be read or scored.
    """
    if on not in get_args(On):
        raise ConfigError(f"on: '{shown(on)}' is none of {', '.join(get_args(On))}")
    held = promise(false_alarms, confidence)
    if isinstance(runs, str | os.PathLike):
        if outcomes is not None and not isinstance(outcomes, Mapping):
            raise ConfigError("outcomes: of a file of results give a mapping from ids")
        return of_scored(scored_results([runs], outcomes, good_from), held, on)
    known = sample(as_told(runs, outcomes, good_from=good_from), references)
    return calibrated(known, config or Config(), held, on, jobs)
