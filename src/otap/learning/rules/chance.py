"""How probable it is that nothing but chance made what is seen, by exact tests."""

import math
from collections.abc import Iterable
from typing import NamedTuple

# Of a kind of rule: five kinds together find a rule in at most one of twenty samples without any.
LEVEL = 0.01
# Below so many tasks nothing is looked at. Of so many that all agree, each as likely as not to, one
# in 4,096 samples does; tasks and not runs, as the runs of one task repeat each other.
LEAST_TASKS = 12


class Stratum(NamedTuple):
    """The runs of one task: how many, how many of them good, and how many have a trait."""

    runs: int
    good: int
    marked: int


def at_least(count: int, of: int, share: float) -> float:
    """Returns the probability of so many successes or more, each of them as probable as a share.

    The exact binomial test [Clopper1934].
    """
    from scipy.special import bdtrc

    return float(bdtrc(count - 1, of, share)) if count else 1.0


def least_share(count: int, of: int, level: float) -> float:
    """Returns the lower bound of a share, at a one-sided level [Clopper1934]."""
    from scipy.special import betaincinv

    return float(betaincinv(count, of - count + 1, level)) if count else 0.0


def none_good(strata: Iterable[Stratum]) -> float:
    """Returns the probability that no good run has a trait, if outcomes do not depend on it.

    The exact test of the outcomes permuted within tasks [Mehta1985] at its utmost: every run with
    the trait is bad.
    """
    found = 0.0
    for one in strata:
        bad = one.runs - one.good
        if one.marked > bad:
            return 1.0
        found += math.log(math.comb(bad, one.marked) / math.comb(one.runs, one.marked))
    return math.exp(found)
