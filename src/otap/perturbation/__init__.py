"""Edits of a trajectory: valid ones (wording, order, granularity), and damage.

>>> import otap
>>> from otap.run import dependency_graph
>>> from otap.perturbation import perturb
>>> gold = otap.read("examples/hotel-booking/reference.json")
>>> broken = perturb(gold, dependency_graph(gold), ["delete"], seed=0)
>>> otap.score(broken, gold).findings[0].kind
'missing'
"""

from otap.perturbation.edits import EDITS, FAMILIES, LADDER, perturb
from otap.perturbation.flow import (
    CONSUMES,
    PRODUCES,
    annotated,
    consumed,
    produced,
    regrouped,
    retraced,
)
from otap.perturbation.material import DISTRACTORS, LEXICON, Material

__all__ = [
    "CONSUMES",
    "DISTRACTORS",
    "EDITS",
    "FAMILIES",
    "LADDER",
    "LEXICON",
    "PRODUCES",
    "Material",
    "annotated",
    "consumed",
    "perturb",
    "produced",
    "regrouped",
    "retraced",
]
