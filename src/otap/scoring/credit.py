"""Credit by step: the loss of a run as costs of its steps, and as rewards for its progress."""

import math
import operator

from otap.alignment import Comparison, Credit, judge_loss
from otap.scoring.compare import compare_answers
from otap.scoring.metric import SoftMinimum, soft_minimum
from otap.scoring.result import StepRewards
from otap.scoring.search import Search


def step_rewards(search: Search, total: SoftMinimum) -> StepRewards | None:
    """Returns the costs of a run's steps, and their rewards; None for a run without steps.

    Several references count by their weights in the soft-min, whose spread falls due at the end.

    Args:
        search: the run and its references, of which all that can matter have been solved.
        total: the soft-min of their losses.
    """
    steps = search.prepared[0][0].whole.steps
    if not steps:
        return None
    costs, losses = [0.0] * len(steps), [0.0] * (len(steps) + 1)
    for place, weight in enumerate(total.weights.tolist()):
        if weight and place in search.found:
            own_costs, own_losses = _divide_loss(search, place)
            for k, cost in enumerate(own_costs):
                costs[k] += weight * cost
            for k, loss in enumerate(own_losses):
                losses[k] += weight * loss
    costs[-1] += max(total.loss - math.fsum(costs), 0.0)
    losses[-1] = total.loss
    shaped = list(map(operator.sub, losses, losses[1:]))
    shaped[-1] += _baseline(search) - losses[0]
    ids = tuple(map(operator.attrgetter("id"), steps))
    return StepRewards(ids=ids, costs=tuple(costs), shaped=tuple(shaped))


def _baseline(search: Search) -> float:
    """What it costs to lack all that the references ask for, in a run that weighs as much.

    It depends on the references alone.
    """
    config = search.metric.config
    losses = []
    for run, reference in search.prepared:
        weight = float(reference.size)
        if config.mass != "relative":
            weight = reference.weight + compare_answers(run, reference, search.metric).reference
        lacking = config.lambda_reference * min(weight, 1.0)
        losses.append(lacking if config.mass == "relative" else judge_loss(lacking, "critical"))
    return soft_minimum(losses, config.temperature).loss


def _divide_loss(search: Search, place: int) -> tuple[list[float], list[float]]:
    """What each step of the run costs against one reference, and the loss before and after each.

    That is the loss if the steps so far had stood for what they stood for in the end, in the unit
    of mass of the whole run, and nothing had been told.
    """
    run, found = search.prepared[place][0], search.found[place]
    if isinstance(found, Comparison):
        parts, credit = found.problem.run.parts, found.shares.credit.times(found.factor)
    else:
        parts, credit = tuple((k,) for k in range(run.size)), _credit_unmatched(search, place)
    size, kept, untold = len(run.whole.steps), run.kept, found.answers.at_most
    costs, ended = [0.0] * size, dict[int, float]()
    for places, own, surplus in zip(parts, credit.own, credit.surplus, strict=True):
        for k in places:
            costs[kept[k]] = (own + surplus) / len(places)
        ended[kept[max(places)]] = own
    lacking, added = iter(credit.lacking), 0.0
    missing = next(lacking)
    losses = [missing + untold]
    for step in range(size):
        if step in ended:
            added, missing = added + ended[step], next(lacking)
        losses.append(added + missing + untold)
    return costs, losses


def _credit_unmatched(search: Search, place: int) -> Credit:
    """Of a run or a reference in which nothing counts."""
    run, reference = search.prepared[place]
    losses = search.found[place].losses
    weights = run.weights(reference.in_full) * run.penalties(reference)
    share = losses.get("agent_mass", 0.0) / weights.sum() if run.size else 0.0
    lacking = [losses.get("reference_mass", 0.0)] * (run.size + 1)
    return Credit((weights * share).tolist(), [0.0] * run.size, lacking)
