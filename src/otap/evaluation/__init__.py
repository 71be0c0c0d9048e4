"""Many runs, each against the references of its task: scored in parallel, into a result file.

``inputs`` divides the runs into portions, ``work`` does one of them and puts all together,
``engines`` have many done at once and keep their order, ``results`` is the file that they go into,
``explaining`` finds again what they were made of, and ``comparison`` holds two such files against
each other.
"""

from otap.evaluation.inputs import input_files
from otap.evaluation.results import Failure, Result, read_results
from otap.evaluation.results.output import ResultFile
from otap.evaluation.results.summary import Summary, Tally
from otap.evaluation.work import Engine, Progress, Work, evaluate

__all__ = [
    "Engine",
    "Failure",
    "Progress",
    "Result",
    "ResultFile",
    "Summary",
    "Tally",
    "Work",
    "evaluate",
    "input_files",
    "read_results",
]
