"""Scores many runs in parallel, each against the references of its task, into a result file.

- ``inputs`` divides the runs into portions.
- ``work`` scores a portion, and merges the scored portions.
- ``engines`` score portions in parallel and keep their order.
- ``results`` reads and writes result files.
- ``explaining`` finds the traces of results and explains their scores.
- ``comparison`` compares two result files.
"""

from otap.evaluation.inputs import input_files
from otap.evaluation.results import Failure, Result, read_results
from otap.evaluation.results.summary import RunCounts, Summary
from otap.evaluation.results.writing import ResultFile
from otap.evaluation.work import Engine, Progress, Work, evaluate

__all__ = [
    "Engine",
    "Failure",
    "Progress",
    "Result",
    "ResultFile",
    "RunCounts",
    "Summary",
    "Work",
    "evaluate",
    "input_files",
    "read_results",
]
