"""The threshold of a gate: one that holds a stated rate of false alarms on new tasks."""

from otap.learning.calibration.calibrate import calibrated, of_scored, promise
from otap.learning.calibration.calibration import Calibration
from otap.learning.calibration.conformal import Promise
from otap.learning.calibration.front import calibrate

__all__ = ["Calibration", "Promise", "calibrate", "calibrated", "of_scored", "promise"]
