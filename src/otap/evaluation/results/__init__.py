"""Result files: one run per line, in the order of the input."""

from otap.evaluation.results.result_files import read_results
from otap.evaluation.results.run_result import Failure, Result

__all__ = ["Failure", "Result", "read_results"]
