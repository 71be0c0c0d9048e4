"""OTAP scores what an LLM agent did: how close its run is to known-good solutions, and why.

>>> import otap
>>> gold = otap.read("examples/hotel-booking/reference.json")
>>> run = otap.read("examples/hotel-booking/runs/missing_book.json")
>>> otap.score(run, gold).findings[0].kind
'missing'
"""

from otap._version import __version__
from otap.errors import OtapError
from otap.formats import read, read_all, read_references
from otap.scoring import Config, Score, Scorer, score
from otap.trajectory import Step, Trajectory

__all__ = [
    "Config",
    "OtapError",
    "Score",
    "Scorer",
    "Step",
    "Trajectory",
    "__version__",
    "read",
    "read_all",
    "read_references",
    "score",
]
