"""Runs with known outcomes: read, each with the references that it is scored against."""

from otap.learning.runs.labelled import Labelled, labelled
from otap.learning.runs.reading import Found, Named, read_labelled
from otap.learning.runs.sample import Case, Sample, sample
from otap.learning.runs.scores import Scores

__all__ = [
    "Case",
    "Found",
    "Labelled",
    "Named",
    "Sample",
    "Scores",
    "labelled",
    "read_labelled",
    "sample",
]
