"""Edits of a trajectory: valid ones (wording, order, granularity), and damage.

>>> import otap
>>> from otap.run import dependency_graph
>>> from examples.perturbation import perturb
>>> gold = otap.read("examples/hotel-booking/reference.json")
>>> broken = perturb(gold, dependency_graph(gold), ["delete"], seed=0)
>>> otap.score(broken, gold).findings[0].kind
'missing'
"""

from examples.perturbation.edits import EDITS, FAMILIES, LADDER, perturb
from examples.perturbation.flow import (
    CONSUMES,
    PRODUCES,
    annotated,
    consumed,
    produced,
    regrouped,
    retraced,
)
from examples.perturbation.material import DISTRACTORS, LEXICON, Material

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
