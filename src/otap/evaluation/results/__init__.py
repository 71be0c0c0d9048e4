"""Result files: one run per line, in the order of the input."""

from otap.evaluation.results.files import read_results
from otap.evaluation.results.result import Failure, Result

__all__ = ["Failure", "Result", "read_results"]
