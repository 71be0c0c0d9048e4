"""The node costs of a run against its references, over the fields that each pair has in common."""

from collections.abc import Hashable, Iterator, Mapping, Sequence

from otap.errors import LimitError, NoReferenceError, shown
from otap.matrices import FIELDS, FieldCosts, ReadSteps
from otap.scoring.compare.metric import Metric
from otap.scoring.prepare.prepared import MAX_SCORED, PreparedRun

LARGEST = 100_000  # steps of references in one cost matrix
MAX_PAIRS = MAX_SCORED**2  # of a step of the run and one of its references: all are held at once


def cost_matrices(
    run: PreparedRun, references: Sequence[PreparedRun], metric: Metric
) -> Iterator[tuple[list[int], FieldCosts]]:
    """Yields cost matrices of a run against the steps of references joined, and which these are.

    References that are compared over the same fields share a matrix, of LARGEST columns at most.

    Args:
        run: the rows.
        references: the columns, each side with at least one step.
        metric: weights and distances.

    Yields:
        The places of the references that share a matrix, and their costs, reference by reference.

    Raises:
        LimitError: if a side has more than MAX_SCORED steps, or there are more than MAX_PAIRS pairs
            of steps.
        NoReferenceError: if no field is recorded on both sides.
    """
    for one in (run, *references):
        one.check_size()
    _check_pairs(run, references)
    weights = _all_weights(run, references, metric)
    runs = [run.in_names_of(reference).read for reference in references]
    keys = [tuple(found.items()) for found in weights]
    for places in _alike(keys, [reference.size for reference in references]):
        columns = [references[k].read for k in places]
        named = [runs[k] for k in places]
        used = weights[places[0]]
        if len(set(named)) == 1:
            yield places, metric.node_cost.between(named[0], ReadSteps.joined(columns), used)
        else:
            yield places, metric.node_cost.of_versions(run.read, named, columns, used)


def common_fields(run: ReadSteps, reference: ReadSteps, metric: Metric) -> Mapping[str, float]:
    """Returns the fields that take part in a comparison, with their weights as configured.

    Args:
        run: what the run records.
        reference: what the reference records.
        metric: says which fields have a weight, and whether one side may lack them.
    """
    return _in_common(run, reference, metric, _configured(metric))


def _configured(metric: Metric) -> Mapping[str, float]:
    """The weights above 0."""
    return {name: value for name, value in metric.config.weights if value > 0}


def _in_common(
    run: ReadSteps, reference: ReadSteps, metric: Metric, weights: Mapping[str, float]
) -> Mapping[str, float]:
    if metric.config.unobserved == "empty":
        return weights
    common = {f.name for f in metric.node_cost.fields if f.is_common(run, reference)}
    return {name: value for name, value in weights.items() if name in common}


def _check_pairs(run: PreparedRun, references: Sequence[PreparedRun]) -> None:
    steps = sum(reference.size for reference in references)
    if run.size * steps > MAX_PAIRS:
        raise LimitError(
            f"{shown(run.trajectory.name)} has {run.size:,} steps and its references "
            f"{steps:,}, together above the limit of {MAX_PAIRS:,} pairs of steps; score it "
            "against fewer references"
        )


def _alike(keys: Sequence[Hashable], sizes: Sequence[int]) -> Iterator[list[int]]:
    """The places of equal keys, in portions of at most LARGEST steps in all."""
    groups: dict[Hashable, list[int]] = {}
    for place, key in enumerate(keys):
        groups.setdefault(key, []).append(place)
    for places in groups.values():
        portion: list[int] = []
        steps = 0
        for place in places:
            if portion and steps + sizes[place] > LARGEST:
                yield portion
                portion, steps = [], 0
            portion.append(place)
            steps += sizes[place]
        yield portion


def _all_weights(
    run: PreparedRun, references: Sequence[PreparedRun], metric: Metric
) -> list[Mapping[str, float]]:
    """The weights of the fields that take part, for each reference; they sum to 1.

    Raises:
        NoReferenceError: if no field takes part.
    """
    configured = _configured(metric)
    scaled: dict[tuple[str, ...], Mapping[str, float]] = {}
    found = []
    for reference in references:
        weights = _in_common(run.read, reference.read, metric, configured)
        if not weights:
            raise NoReferenceError(
                f"{shown(run.trajectory.name)} and {shown(reference.trajectory.name)} have no "
                f"field in common: of {', '.join(FIELDS)}, none with a weight is recorded on both "
                "sides"
            )
        key = tuple(weights)
        if key not in scaled:
            total = sum(weights.values())
            scaled[key] = {name: weights[name] / total for name in FIELDS if name in weights}
        found.append(scaled[key])
    return found
