"""A finished search in, the score that users see out."""

import math
from collections.abc import Callable
from functools import partial
from operator import attrgetter, mul, sub
from typing import Any

from otap._version import __version__
from otap.alignment import (
    Compared,
    Comparison,
    Credit,
    WithoutSteps,
    align,
    apply_severity_band,
    find,
    order_agreement,
)
from otap.config import Config
from otap.run import common_mechanism
from otap.run.roles import Role
from otap.run.run import Run, RunView
from otap.run.words import WORDS_DIGEST
from otap.scoring.compare import compare_answers
from otap.scoring.metric import Metric, SoftMinimum, find_least, skill, soft_minimum
from otap.scoring.result import Losses, Score, StepRewards
from otap.scoring.search import Search
from otap.scoring.signature import METRIC, Signature
from otap.values.lexicon import lexicon

# The settings that a signature carries unchanged.
_SETTINGS = (
    "precedence", "contraction", "theta", "epsilon", "lambda_agent", "lambda_reference",
    "temperature", "kappa", "criticality", "goals", "arguments", "wording", "unobserved",
    "unknown_order", "dependencies", "order", "mass", "recognise", "reference", "only_changes",
)  # fmt: skip
_OF_RUN = "id", "task", "trial", "outcome", "tokens", "understood", "source"


def assemble_score(
    search: Search, reach: Callable[[list[float], int], float], signature: Signature
) -> Score:
    """Returns the score of a run, read off the comparisons with its references.

    Args:
        search: the run and its references, of which all that can matter have been solved.
        reach: the loss up to which a reference matters, of the losses known, in rising order, and
            the number of references.
        signature: that of the metric.
    """
    metric, losses = search.metric, search.losses
    total = soft_minimum(losses, metric.config.temperature)
    solved = sorted(search.found)
    place = solved[find_least(list(map(losses.__getitem__, solved)))]
    best, (view, other) = search.found[place], search.prepared[place]
    run, reference = view.run, other.run
    (recorded, references), counted = search.given, run.scored
    precision, recall, findings = best.precision, best.recall, search.findings.get(place)
    findings = find(best) if findings is None else findings
    # All records are made in one go, which takes a third of the time.
    parts = {
        **dict(zip(_OF_RUN, map(counted.__getattribute__, _OF_RUN), strict=True)),
        "left_out": {"agent": run.left_out, "reference": reference.left_out},
        "steps": {"agent": recorded.size, "reference": references[place].size},
        "unknown": {
            "agent": recorded.unread.unknown,
            "reference": references[place].unread.unknown,
        },
        "reference_sources": list(filter(None, map(attrgetter("source"), references))),
        "score": math.exp(-total.loss),
        "skill": _compute_skill(total.loss, best, metric),
        "loss": total.loss,
        "mass": best.mass,
        "precision": precision,
        "recall": recall,
        "f1": _compute_f1(precision, recall),
        "order_agreement": order_agreement(best),
        "losses": _mix_losses(search, total),
        "best_reference": references[place].name,
        "references": _list_references(search),
        "alignment": align(best),
        "step_rewards": step_rewards(search, total),
        "findings": findings,
        "severity": findings[0].severity if findings else None,
        "converged": search.converged(lambda losses: reach(losses, len(losses))),
        "signature": signature,
        "conditions": _describe_conditions(best, view, reference, metric),
    }
    return Score.model_validate(parts)


def _compute_skill(loss: float, best: Compared, metric: Metric) -> float | None:
    """Against doing nothing; under relative mass against doing what is unrelated."""
    if metric.config.mass == "absolute":
        if isinstance(best, WithoutSteps):
            lacking = best.reference_mass
        else:
            lacking = float(best.problem.arrays.lambda_2 @ best.problem.arrays.nu)
        return skill(loss, apply_severity_band(lacking + best.answers.at_most, "critical"))
    if isinstance(best, WithoutSteps):
        return float(loss == 0)
    unrelated = metric.unrelated_loss(best.problem.costs.weights)
    return None if unrelated is None else skill(loss, unrelated + best.answers.at_most)


def signature_of(metric: Metric) -> Signature:
    """Returns what all scores of a metric have in common: how their numbers are made."""
    config, encoder, costs = metric.config, metric.encoder, metric.unrelated_cost
    return Signature(
        metric=METRIC,
        version=__version__,
        preset=config.preset_name,
        **{name: getattr(config, name) for name in _SETTINGS},
        weights=config.weights.model_dump(),
        counts=config.counts.model_dump(),
        words=WORDS_DIGEST,
        prose=lexicon().digest,
        encoder=encoder.name,
        encoder_digest=encoder.digest,
        encoder_window=encoder.window,
        tools=metric.tools.digest,
        counting=metric.run_settings.digest,
        unrelated_cost=None if costs is None else {name: costs[name] for name in sorted(costs)},
    )


def _describe_conditions(
    best: Compared, view: RunView, reference: Run, metric: Metric
) -> dict[str, Any]:
    """What the pair of a run and its best reference decided."""
    problem = None if isinstance(best, WithoutSteps) else best.problem
    full = reference.full_weight
    return {
        "fields": dict(problem.costs.weights) if problem else {},
        "dependencies": _name_mechanisms(best, metric.config),
        "order_scored": problem is not None and problem.order_scored,
        "recognised": _merge_roles(view, reference.view) if metric.config.recognise else {},
        "redrawn": len(view.names.ids),
        "in_full": sorted(full),
        "reference": "required" if reference.is_required else "complete",
        "masses": {
            "run": float(view.run.weights(full).sum()),
            "reference": float(reference.reference_weights.sum()),
        },
        "told": best.answers.recorded if reference.required_answers else None,
        "solver": "double" if isinstance(best, WithoutSteps) else best.solution.precision,
    }


def _merge_roles(*sides: RunView) -> dict[str, list[Role]]:
    """What the calls of each tool do on either side, by tool in sorted order."""
    found: dict[str, set[Role]] = {}
    for side in sides:
        for step, role in zip(side.run.scored.steps, side.roles, strict=True):
            if step.tool is not None:
                found.setdefault(step.tool, set()).add(role)
    return dict(sorted(zip(found, map(sorted, found.values()), strict=True)))


def _name_mechanisms(best: Compared, config: Config) -> dict[str, str]:
    if not isinstance(best, WithoutSteps):
        run, reference = best.problem.run.graph, best.problem.reference.graph
        return {"run": run.mechanism, "reference": reference.mechanism}
    mechanism = config.dependencies
    if mechanism in ("auto", "order"):
        mechanism = common_mechanism(best.run, best.reference)
    return {"run": mechanism, "reference": mechanism}


def _list_references(search: Search) -> list[dict[str, Any]]:
    """What the run scores against each reference, as far as that was solved."""
    scores: list[dict[str, Any]] = []
    for place, reference in enumerate(search.given[1]):
        compared = search.found.get(place)
        one: dict[str, Any] = {"id": reference.name, "loss": None, "score": None}
        if compared is None:
            one["at_least"] = float(search.bounds[place])
        else:
            one.update(loss=compared.loss, score=math.exp(-compared.loss))
        scores.append(one)
    return scores


def _mix_losses(search: Search, total: SoftMinimum) -> dict[str, float]:
    """The parts of the soft-min: the weighted mean of the references' parts, and the spread.

    References that were not solved have next to no weight; their bounds count as spread.
    """
    parts = dict.fromkeys(Losses.model_fields, 0.0)
    spread = total.spread
    for place, weight in enumerate(total.weights.tolist()):
        compared = search.found.get(place)
        if compared is None:
            spread += weight * float(search.bounds[place])
        elif weight:
            for name, part in compared.losses.items():
                parts[name] += weight * part
    return {**parts, "references": spread}


def _compute_f1(precision: float | None, recall: float | None) -> float | None:
    if precision is None or recall is None:
        return None
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0


def step_rewards(search: Search, total: SoftMinimum) -> StepRewards | None:
    """Returns the costs of a run's steps, and their rewards; None for a run without steps.

    Several references count by their weights in the soft-min, whose spread falls due at the end.

    Args:
        search: the run and its references, of which all that can matter have been solved.
        total: the soft-min of their losses.
    """
    steps = search.prepared[0][0].run.flat.trajectory.steps
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
    shaped = list(map(sub, losses, losses[1:]))
    shaped[-1] += _baseline(search) - losses[0]
    ids = tuple(map(attrgetter("id"), steps))
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
            answers = compare_answers(run.run, reference.run, search.metric)
            weight = float(reference.run.reference_weights.sum()) + answers.reference
        lacking = config.lambda_reference * min(weight, 1.0)
        losses.append(
            lacking if config.mass == "relative" else apply_severity_band(lacking, "critical")
        )
    return soft_minimum(losses, config.temperature).loss


def _divide_loss(search: Search, place: int) -> tuple[list[float], list[float]]:
    """What each step of the run costs against one reference, and the loss before and after each.

    That is the loss if the steps so far had stood for what they stood for in the end, in the unit
    of mass of the whole run, and nothing had been told.
    """
    run, found = search.prepared[place][0], search.found[place]
    if isinstance(found, Comparison):
        parts, credit, factor = found.problem.run.parts, found.shares.credit, found.factor
    else:
        parts, credit = tuple((k,) for k in range(run.size)), _credit_unmatched(search, place)
        factor = 1.0
    size, kept = len(run.run.flat.trajectory.steps), run.run.scored_indices
    untold = found.answers.at_most
    costs, ended = [0.0] * size, dict[int, float]()
    for places, own, surplus in zip(parts, credit.own_loss, credit.surplus, strict=True):
        for k in places:
            costs[kept[k]] = (factor * own + factor * surplus) / len(places)
        ended[kept[max(places)]] = factor * own
    lacking, added = map(partial(mul, factor), credit.lacking), 0.0
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
    weights = run.run.weights(reference.run.full_weight) * run.penalties(reference.run)
    share = losses.get("agent_mass", 0.0) / weights.sum() if run.size else 0.0
    lacking = [losses.get("reference_mass", 0.0)] * (run.size + 1)
    return Credit((weights * share).tolist(), [0.0] * run.size, lacking)
