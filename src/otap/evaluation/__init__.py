"""Many runs, each against the references of its task: scored in parallel, into a result file.

``inputs`` divides the runs into portions, ``work`` does one of them, ``engines`` have many done at
once and keep their order, ``results`` is the file that they go into, ``resumption`` says where to
go on with one, and ``pipeline`` puts these together.
"""

from otap.evaluation.inputs import input_files
from otap.evaluation.pipeline import Engine, Progress, evaluate
from otap.evaluation.results import Failure, Result, read_results
from otap.evaluation.results.output import ResultFile
from otap.evaluation.results.summary import Summary, Tally
from otap.evaluation.work import Work

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
