"""What an alignment was read from, pair by pair: the cost by field, and the values that differ."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from otap.alignment.alignment import NEGLIGIBLE
from otap.alignment.comparison import Compared, WithoutSteps
from otap.alignment.findings.changed import changed
from otap.alignment.findings.changes import Change
from otap.alignment.findings.reading import Reading


@dataclass(frozen=True)
class PairDetails:
    """A step of the run beside one of the reference.

    Attributes:
        cost: the node cost, in [0, 1].
        fields: what each field adds to the cost of the pair; they sum to it, unless that is cut
            at 1.
        changes: the arguments that differ in value, where the two are counterparts.
    """

    cost: float
    fields: Mapping[str, float]
    changes: tuple[Change, ...] = ()


def details(compared: Compared) -> dict[tuple[str, str], PairDetails]:
    """Returns the details of each pair that shares mass or are counterparts, by step ids."""
    return {} if isinstance(compared, WithoutSteps) else dict(_details(Reading(compared)))


def _details(reading: Reading) -> Iterator[tuple[tuple[str, str], PairDetails]]:
    comparison = reading.comparison
    problem, T = comparison.solution.problem, comparison.solution.T
    met = reading.matching.reference_of
    told = {*reading.counterparts, *reading.unions}
    weighted = comparison.problem.costs.weighted
    for i, j in product(range(T.shape[0]), range(T.shape[1])):
        if T[i, j] < NEGLIGIBLE * min(problem.mu[i], problem.nu[j]) and met.get(i) != j:
            continue
        fields = {name: float(matrix[i, j]) for name, matrix in weighted.items()}
        differing = tuple(changed(reading, i, j)) if (i, j) in told else ()
        found = PairDetails(float(comparison.cost[i, j]), fields, differing)
        for one, other in product(comparison.run.ids[i], comparison.reference.ids[j]):
            yield (one, other), found
