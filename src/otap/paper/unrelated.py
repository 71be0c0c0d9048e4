"""L_u, the loss of unrelated runs: the zero of ``skill``, and the unit of Remark 1.

The paper has no such number. It needs one to turn the loss of sub-steps into a distance in [0, 1].
"""

import math
from collections.abc import Mapping

# By field and encoder, the cost of matched steps of unrelated tasks: medians over 400 pairs of
# real tasks. ``reproduction/studies/unrelated_cost.py`` measured them and names its data; measured
# again with the paper's hops, actions cost .959, and the others the same. No corpus records states,
# whose cost is assumed to be that of effects.
_TEXTS = "wordllama-l2_supercat-256", "all-MiniLM-L6-v2"
UNRELATED: Mapping[str, Mapping[str, float]] = {
    "action": dict(zip(_TEXTS, (0.938, 0.910), strict=True)),
    "arguments": dict(zip(_TEXTS, (0.669, 0.664), strict=True)),
    "effect": dict(zip(_TEXTS, (0.931, 0.828), strict=True)),
    "tool": dict.fromkeys(_TEXTS, 1.0),
    "state": dict(zip(_TEXTS, (0.931, 0.828), strict=True)),
}


def unrelated_costs(encoder: str) -> Mapping[str, float] | None:
    """Returns the cost of matched steps of unrelated tasks by field; None if it is unknown."""
    if encoder not in _TEXTS:
        return None
    return {field: costs[encoder] for field, costs in UNRELATED.items()}


def unrelated_loss(c_0: float, theta: float, lambda_1: float, lambda_2: float) -> float:
    """Returns L_u, the loss of a run whose steps all cost c_0 and whose structure costs nothing.

    With S = lambda_1 + lambda_2 it is S (1 - exp(-(1 - theta) c_0 / S)): the best coupling shrinks
    all mass by one factor.
    """
    S = lambda_1 + lambda_2
    return S * -math.expm1(-(1 - theta) * c_0 / S)


def skill(L: float, L_u: float) -> float:
    """Returns max(0, 1 - L / L_u); if L_u is 0, 1 for no loss and 0 otherwise."""
    if L_u <= 0:
        return float(L <= 0)
    return max(0.0, 1.0 - L / L_u)
