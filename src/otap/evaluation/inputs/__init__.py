"""The runs that are to be scored: which files, in which portions, and how these are read."""

from otap.evaluation.inputs.files import input_files
from otap.evaluation.inputs.portion import Begun, Portion, portions, size_of
from otap.evaluation.inputs.reading import Read, Reader, source_of

__all__ = ["Begun", "Portion", "Read", "Reader", "input_files", "portions", "size_of", "source_of"]
