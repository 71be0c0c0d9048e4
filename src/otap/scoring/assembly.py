"""A finished search in, the score that users see out."""

import math
from collections.abc import Callable
from typing import Any

from otap._version import __version__
from otap.alignment import Compared, Telling, WithoutSteps, align, find, order_agreement
from otap.dependencies import common_mechanism
from otap.scoring.compare.metric import Metric
from otap.scoring.config import Config
from otap.scoring.credit import step_rewards
from otap.scoring.prepare.prepared import PreparedRun
from otap.scoring.prepare.recognition import Role
from otap.scoring.prepare.words import WORDS_DIGEST
from otap.scoring.references.search import Search
from otap.scoring.references.soft_minimum import SoftMinimum, nearest, soft_minimum
from otap.scoring.result import Losses, Score
from otap.scoring.signature import METRIC, Signature
from otap.scoring.skill import skill, unrelated_loss
from otap.values.lexicon import lexicon

# The settings that a signature carries unchanged.
_SETTINGS = (
    "precedence", "contraction", "theta", "epsilon", "lambda_agent", "lambda_reference",
    "temperature", "kappa", "criticality", "goals", "arguments", "wording", "unobserved",
    "unknown_order", "dependencies", "order", "mass", "recognise", "reference", "only_changes",
)  # fmt: skip
_SIDES = "agent", "reference"
_OF_RUN = "id", "task", "trial", "outcome", "tokens", "understood", "source"


def assembled(
    search: Search, reach: Callable[[list[float], int], float], signature: Signature
) -> Score:
    """Returns the score of a run, read off the comparisons with its references.

    Args:
        search: the run and its references, of which all that can matter have been solved.
        reach: the loss up to which a reference matters, of the losses known, in rising order, and
            the number of references.
        signature: that of the metric.
    """
    found, metric = search.found, search.metric
    total = soft_minimum(search.losses, metric.config.temperature)
    solved = sorted(found)
    place = solved[nearest([found[k].loss for k in solved])]
    best = found[place]
    precision, recall, findings = best.precision, best.recall, find(best)
    # All records are made in one go, which takes a third of the time.
    parts = {
        **_recorded(search, place),
        "score": math.exp(-total.loss),
        "skill": _skill(total.loss, best, metric),
        "loss": total.loss,
        "mass": best.mass,
        "precision": precision,
        "recall": recall,
        "f1": _f1(precision, recall),
        "order_agreement": order_agreement(best),
        "losses": _mixed(search, total),
        "best_reference": search.references[place].name,
        "references": [_reference_score(search, k) for k in range(len(search.references))],
        "alignment": align(best),
        "step_rewards": step_rewards(search, total),
        "findings": findings,
        "severity": findings[0].severity if findings else None,
        "converged": search.converged(lambda losses: reach(losses, len(losses))),
        "signature": signature,
        "conditions": _conditions(search, place, metric),
    }
    return Score.model_validate(parts)


def _recorded(search: Search, place: int) -> dict[str, Any]:
    """What the run and its best reference say of themselves, whatever is compared of them."""
    run, sides = search.run, (search.run, search.references[place])
    return {
        **{name: getattr(run, name) for name in _OF_RUN},
        "left_out": dict(zip(_SIDES, search.left_out(place), strict=True)),
        "steps": {s: one.size for s, one in zip(_SIDES, search.recorded(place), strict=True)},
        "unknown": {s: one.unread.unknown for s, one in zip(_SIDES, sides, strict=True)},
        "reference_sources": tuple(one.source for one in search.references if one.source),
    }


def _skill(loss: float, best: Compared, metric: Metric) -> float | None:
    if isinstance(best, WithoutSteps):
        return _skill_without_steps(loss, best.telling, metric)
    weights, masses = best.problem.costs.weights, (1.0, 1.0)
    if metric.config.mass == "absolute":
        arrays = best.problem.arrays
        masses = float(arrays.mu.sum()), float(arrays.nu.sum())
    unrelated = metric.unrelated_loss(weights, *masses)
    return None if unrelated is None else skill(loss, unrelated + best.telling.at_most)


def _skill_without_steps(loss: float, telling: Telling, metric: Metric) -> float:
    """Against relative mass all or nothing; else on the scale of one step that is unrelated."""
    if metric.config.mass == "relative":
        return float(loss == 0)
    config = metric.config
    nothing_in_common = metric.moving_cost(1.0)
    penalties = config.lambda_agent, config.lambda_reference
    unrelated = unrelated_loss(nothing_in_common, config.theta, *penalties)
    return skill(loss, unrelated + telling.at_most)


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
        counting=metric.filter.digest,
        unrelated_cost=None if costs is None else {name: costs[name] for name in sorted(costs)},
    )


def _conditions(search: Search, place: int, metric: Metric) -> dict[str, Any]:
    best = search.found[place]
    run, reference = search.prepared(place)
    compared = None if isinstance(best, WithoutSteps) else best
    full = reference.in_full
    return {
        "fields": dict(compared.problem.costs.weights) if compared else {},
        "dependencies": _mechanisms(best, metric.config),
        "order_scored": compared is not None and compared.problem.order_scored,
        "recognised": _recognised(run, reference),
        "redrawn": len(run.renaming(reference).values),
        "in_full": sorted(full),
        "reference": "required" if reference.is_required else "complete",
        "masses": {
            "run": float(run.weights(full).sum()),
            "reference": reference.weight,
        },
        "told": best.telling.recorded if reference.must_tell else None,
        "solver": compared.solution.precision if compared else "double",
    }


def _recognised(run: PreparedRun, reference: PreparedRun) -> dict[str, tuple[Role, ...]]:
    """What the calls of each tool do on either side, by tool in sorted order."""
    sides = run.recognised, reference.recognised
    found = {
        tool: {*sides[0].get(tool, ()), *sides[1].get(tool, ())} for tool in {*sides[0], *sides[1]}
    }
    return {tool: tuple(sorted(found[tool])) for tool in sorted(found)}


def _mechanisms(best: Compared, config: Config) -> dict[str, str]:
    if not isinstance(best, WithoutSteps):
        return {"run": best.run.graph.mechanism, "reference": best.reference.graph.mechanism}
    mechanism = config.dependencies
    if mechanism in ("auto", "order"):
        mechanism = common_mechanism(best.run, best.reference)
    return {"run": mechanism, "reference": mechanism}


def _reference_score(search: Search, place: int) -> dict[str, Any]:
    name, compared = search.references[place].name, search.found.get(place)
    if compared is None:
        return {"id": name, "loss": None, "score": None, "at_least": float(search.bounds[place])}
    loss = compared.loss
    return {"id": name, "loss": loss, "score": math.exp(-loss)}


def _mixed(search: Search, total: SoftMinimum) -> dict[str, float]:
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


def _f1(precision: float | None, recall: float | None) -> float | None:
    if precision is None or recall is None:
        return None
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0
