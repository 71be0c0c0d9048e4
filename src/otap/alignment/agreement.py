"""How far the order of a run agrees with the order in which its reference is listed."""

import numpy as np

from otap.alignment.comparison import Compared, WithoutSteps


def order_agreement(compared: Compared) -> float | None:
    """Returns the share of pairs of matched steps that ran in the order of the reference's list.

    Pairs that one of the sides did side by side do not count. None where order is scored, or no
    pair is left.
    """
    if isinstance(compared, WithoutSteps) or compared.problem.order_scored:
        return None
    pairs = sorted(compared.reference_of.items())
    ran = compared.problem.run.turns[[i for i, _ in pairs]]
    listed = compared.problem.reference.turns[[j for _, j in pairs]]
    agreed = np.sign(np.subtract.outer(ran, ran)) * np.sign(np.subtract.outer(listed, listed))
    counted = np.count_nonzero(agreed)
    return float(np.count_nonzero(agreed > 0) / counted) if counted else None
