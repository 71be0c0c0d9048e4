"""Credit by step: the loss of a run as costs of its steps, and as rewards for its progress."""

import math
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from otap.alignment import Comparison, Credit
from otap.scoring.compare.problem import telling_of
from otap.scoring.references.search import Search
from otap.scoring.references.soft_minimum import SoftMinimum, soft_minimum
from otap.scoring.result import StepRewards


def step_rewards(search: Search, total: SoftMinimum) -> StepRewards | None:
    """Returns the costs of a run's steps, and their rewards; None for a run without steps.

    Several references count by their weights in the soft-min, whose spread falls due at the end.

    Args:
        search: the run and its references, of which all that can matter have been solved.
        total: the soft-min of their losses.
    """
    steps = search.prepared(0)[0].whole.steps
    if not steps:
        return None
    costs, losses = [0.0] * len(steps), [0.0] * (len(steps) + 1)
    for place, weight in enumerate(total.weights.tolist()):
        if weight and place in search.found:
            by_step = _costs_and_losses(search, place)
            costs = [sum_ + weight * cost for sum_, cost in zip(costs, by_step[0], strict=True)]
            losses = [sum_ + weight * loss for sum_, loss in zip(losses, by_step[1], strict=True)]
    costs[-1] += max(total.loss - math.fsum(costs), 0.0)
    losses[-1] = total.loss
    shaped = [before - after for before, after in pairwise(losses)]
    shaped[-1] += _baseline(search) - losses[0]
    return StepRewards(
        ids=tuple(step.id for step in steps), costs=tuple(costs), shaped=tuple(shaped)
    )


def _baseline(search: Search) -> float:
    """What it costs to lack all that the references ask for, in a run that weighs as much.

    It depends on the references alone.
    """
    config = search.metric.config
    asked = [_asked(search, place) for place in range(len(search.references))]
    losses = [config.lambda_reference * min(weight, 1.0) for weight in asked]
    return soft_minimum(losses, config.temperature).loss


def _asked(search: Search, place: int) -> float:
    """What a reference asks for weighs: its steps, and the answers."""
    run, reference = search.prepared(place)
    if search.metric.config.mass == "relative":
        return float(reference.size)
    telling = telling_of(run, reference, search.metric)
    return reference.weight + telling.reference


def _costs_and_losses(search: Search, place: int) -> tuple[list[float], list[float]]:
    """What each step of the run costs against one reference, and the loss before and after each.

    That is the loss if the steps so far had stood for what they stood for in the end, in the unit
    of mass of the whole run, and nothing had been told.
    """
    run, found = search.prepared(place)[0], search.found[place]
    if isinstance(found, Comparison):
        parts, credit = found.run.parts, found.shares.credit
    else:
        parts, credit = tuple((k,) for k in range(run.size)), _unmatched(search, place)
    size, kept = len(run.whole.steps), run.kept
    costs, ended = [0.0] * size, dict[int, float]()
    for places, own, surplus in zip(parts, credit.own, credit.surplus, strict=True):
        for k in places:
            costs[kept[k]] = (own + surplus) / len(places)
        ended[kept[max(places)]] = own
    return costs, list(_losses(size, ended, credit.lacking, found.telling.at_most))


def _losses(
    size: int, ended: Mapping[int, float], lacking: Iterable[float], untold: float
) -> Iterator[float]:
    """The loss before and after each of so many steps; ``ended``: what those add that count."""
    after, added = iter(lacking), 0.0
    missing = next(after)
    yield missing + untold
    for step in range(size):
        if step in ended:
            added, missing = added + ended[step], next(after)
        yield added + missing + untold


def _unmatched(search: Search, place: int) -> Credit:
    """Of a run or a reference in which nothing counts."""
    run, reference = search.prepared(place)
    losses = search.found[place].losses
    weights = run.weights(reference.in_full) * run.penalties(reference)
    share = losses.get("agent_mass", 0.0) / weights.sum() if run.size else 0.0
    lacking = [losses.get("reference_mass", 0.0)] * (run.size + 1)
    return Credit((weights * share).tolist(), [0.0] * run.size, lacking)
