"""Credit by step: the loss of a run as costs of its steps, and as rewards for its progress."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from otap.alignment import Comparison
from otap.scoring.compare.telling import telling_of
from otap.scoring.references.search import Search
from otap.scoring.references.soft_minimum import SoftMinimum, soft_minimum
from otap.scoring.result import StepRewards
from otap.transport import Problem, kl

Array = npt.NDArray[np.float64]
_BLOCK = 256  # rows of a coupling that are summed at once: bounds memory at thousands of steps


class _Counted(NamedTuple):
    """The steps of a run that count, or unions of them, against one reference.

    parts: for each its places among the steps that count.
    own: what each adds to the loss by itself: its pairs, and its mass that does not move.
    surplus: what the mass adds that it moves to steps of the reference that have enough.
    lacking: what the masses of the reference's steps add while the first k of these alone have
        moved theirs, in the order in which they ended, (n + 1,).
    """

    parts: Sequence[Sequence[int]]
    own: Array
    surplus: Array
    lacking: Array


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
    costs, losses = np.zeros(len(steps)), np.zeros(len(steps) + 1)
    for place in np.flatnonzero(total.weights).tolist():
        if place in search.found:
            by_step = _costs_and_losses(search, place)
            costs += total.weights[place] * by_step[0]
            losses += total.weights[place] * by_step[1]
    costs[-1] += max(total.loss - float(costs.sum()), 0.0)
    losses[-1] = total.loss
    shaped = losses[:-1] - losses[1:]
    shaped[-1] += _baseline(search) - losses[0]
    return StepRewards(
        ids=tuple(step.id for step in steps),
        costs=tuple(costs.tolist()),
        shaped=tuple(shaped.tolist()),
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
    return float(reference.weights(reference.in_full).sum()) + telling.reference


def _costs_and_losses(search: Search, place: int) -> tuple[Array, Array]:
    """What each step of the run costs against one reference, and the loss before and after each.

    That is the loss if the steps so far had stood for what they stood for in the end, in the unit
    of mass of the whole run, and nothing had been told.
    """
    run, found = search.prepared(place)[0], search.found[place]
    counted = _matched(found) if isinstance(found, Comparison) else _unmatched(search, place)
    size, kept = len(run.whole.steps), np.asarray(run.kept, dtype=np.intp)
    costs, own, ended = np.zeros(size), np.zeros(size + 1), np.zeros(size + 1, dtype=np.intp)
    sizes = [len(parts) for parts in counted.parts]
    of_parts = (counted.own + counted.surplus) / sizes
    costs[kept[[k for parts in counted.parts for k in parts]]] = np.repeat(of_parts, sizes)
    last = kept[[max(parts) for parts in counted.parts]] + 1
    own[last], ended[last] = counted.own, 1
    lacking = counted.lacking[np.cumsum(ended)]
    return costs, np.cumsum(own) + lacking + found.telling.at_most


def _matched(found: Comparison) -> _Counted:
    problem, T = found.solution.problem, found.solution.T
    parts = found.run.parts
    own = found.pair_contribution.sum(axis=1) + problem.lambda_1 * kl(T.sum(axis=1), problem.mu)
    c = T.sum(axis=0)
    too_much = np.flatnonzero(c > problem.nu)
    price = (problem.lambda_2 * kl(c, problem.nu))[too_much] / c[too_much]
    order = np.argsort([max(places) for places in parts], kind="stable")
    return _Counted(parts, own, T[:, too_much] @ price, _lacking(problem, T[order]))


def _lacking(problem: Problem, T: Array) -> Array:
    """What the penalty of the reference's masses is after no row of T, the first, the first two."""
    penalties = [np.array([problem.lambda_2 @ problem.nu])]
    c = np.zeros(T.shape[1])
    for start in range(0, len(T), _BLOCK):
        so_far = c + np.cumsum(T[start : start + _BLOCK], axis=0, dtype=np.float64)
        penalties.append(kl(so_far, problem.nu) @ problem.lambda_2)
        c = so_far[-1]
    return np.concatenate(penalties)


def _unmatched(search: Search, place: int) -> _Counted:
    """Of a run or a reference in which nothing counts."""
    run, reference = search.prepared(place)
    losses = search.found[place].losses
    weights = run.weights(reference.in_full) * run.penalties(reference)
    share = losses.get("agent_mass", 0.0) / weights.sum() if run.size else 0.0
    lacking = np.full(run.size + 1, losses.get("reference_mass", 0.0))
    parts = [(k,) for k in range(run.size)]
    return _Counted(parts, weights * share, np.zeros(run.size), lacking)
