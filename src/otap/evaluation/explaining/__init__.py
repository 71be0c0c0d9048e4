"""Results explained anew: their traces are found again, and scored as they were.

``traces`` finds what a result was made of, ``explainer`` scores it again and holds the score to
what the result says, ``night`` is a whole result file, run by run.
"""

from otap.evaluation.explaining.explainer import Explainer, Unexplained
from otap.evaluation.explaining.night import Line, Night, read_night
from otap.evaluation.explaining.told import Told
from otap.evaluation.explaining.traces import FoundTraces

__all__ = ["Explainer", "FoundTraces", "Line", "Night", "Told", "Unexplained", "read_night"]
