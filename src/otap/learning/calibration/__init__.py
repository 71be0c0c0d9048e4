"""The threshold of a gate that limits the rate of false alarms on new tasks."""

from otap.learning.calibration.calibration import Calibration
from otap.learning.calibration.pipeline import (
    calibrate,
    calibrate_sample,
    calibrate_scored,
    make_promise,
)
from otap.learning.calibration.scored import (
    ScoredSample,
    is_result_file,
    read_scored_results,
    score_sample,
)

__all__ = [
    "Calibration",
    "ScoredSample",
    "calibrate",
    "calibrate_sample",
    "calibrate_scored",
    "is_result_file",
    "make_promise",
    "read_scored_results",
    "score_sample",
]
