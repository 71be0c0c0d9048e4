"""The threshold of a gate: one that holds a stated rate of false alarms on new tasks."""

from otap.learning.calibration.pipeline import calibrated, of_scored, promise
from otap.learning.calibration.calibration import Calibration
from otap.learning.calibration.conformal import Promise
from otap.learning.calibration.front import calibrate
from otap.learning.calibration.results import is_result_file, scored_results

__all__ = [
    "Calibration",
    "Promise",
    "calibrate",
    "calibrated",
    "is_result_file",
    "of_scored",
    "promise",
    "scored_results",
]
