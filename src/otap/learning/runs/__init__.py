"""Runs with known outcomes: read, each with the references that it is scored against."""

from otap.learning.runs.labelled import Labelled, Outcomes, as_told, labelled
from otap.learning.runs.outline import Outline
from otap.learning.runs.reading import HOW, Found, Named, read_labelled
from otap.learning.runs.sample import Case, Sample, digest_of, sample
from otap.learning.runs.scorable import scorable
from otap.learning.runs.scores import Scores, Tell, silent

__all__ = [
    "HOW",
    "Case",
    "Found",
    "Labelled",
    "Named",
    "Outcomes",
    "Outline",
    "Sample",
    "Scores",
    "Tell",
    "as_told",
    "digest_of",
    "labelled",
    "read_labelled",
    "sample",
    "scorable",
    "silent",
]
