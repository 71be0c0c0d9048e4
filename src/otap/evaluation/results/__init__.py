"""Result files: one run a line, in the order in which they were read."""

from otap.evaluation.results.files import read_results
from otap.evaluation.results.result import Failure, Result

__all__ = ["Failure", "Result", "read_results"]
