"""The threshold of a gate: one that holds a stated rate of false alarms on new tasks."""

from otap.learning.calibration.calibration import Calibration
from otap.learning.calibration.pipeline import (
    calibrate,
    calibrated,
    of_scored,
    promise,
)
from otap.learning.calibration.scored import (
    Sampled,
    is_result_file,
    score_sample,
    scored_results,
)

__all__ = [
    "Calibration",
    "Sampled",
    "calibrate",
    "calibrated",
    "is_result_file",
    "of_scored",
    "promise",
    "score_sample",
    "scored_results",
]
