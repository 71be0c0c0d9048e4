"""The threshold of a gate: one that holds a stated rate of false alarms on new tasks."""

from otap.learning.calibration.calibration import Calibration
from otap.learning.calibration.conformal import Promise
from otap.learning.calibration.front import calibrate
from otap.learning.calibration.pipeline import bound_of, calibrated, of_scored, promise
from otap.learning.calibration.results import is_result_file, scored_results
from otap.learning.calibration.scored import Sampled, scored_cases

__all__ = [
    "Calibration",
    "Promise",
    "Sampled",
    "bound_of",
    "calibrate",
    "calibrated",
    "is_result_file",
    "of_scored",
    "promise",
    "scored_cases",
    "scored_results",
]
