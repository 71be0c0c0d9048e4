"""The runs that are to be scored: which files, and in which portions."""

from otap.evaluation.inputs.files import input_files
from otap.evaluation.inputs.portions import Lines, Part, Portion, portions

__all__ = ["Lines", "Part", "Portion", "input_files", "portions"]
