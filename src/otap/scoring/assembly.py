"""Assembles the score that users see from the comparisons with all references."""

import hashlib
import math
from collections.abc import Callable
from functools import cache
from typing import Any

from otap._version import __version__
from otap.alignment import Compared, Comparison, Credit, WithoutSteps, apply_severity_band
from otap.config import Config
from otap.paper import SoftMinimum, skill
from otap.run import common_mechanism
from otap.run.answers import words as answer_words
from otap.run.roles import Role
from otap.run.run import Run, RunView
from otap.run.words import WORDS_DIGEST
from otap.scoring.alignment import align, order_agreement
from otap.scoring.metric import Metric, find_least
from otap.scoring.references import ReferenceComparisons
from otap.scoring.result import (
    LeftOut,
    Losses,
    Origin,
    ReferenceScore,
    Score,
    StepRewards,
    Steps,
    Unknown,
)
from otap.scoring.signature import METRIC, Conditions, DependencyMechanisms, Masses, Signature
from otap.scoring.work import list_cheaper_methods
from otap.values import languages, numbers
from otap.values.cldr import digest_tables
from otap.values.lexicon import lexicon

# Settings that are fields of a signature.
_SETTINGS = (
    "precedence", "contraction", "theta", "epsilon", "lambda_agent", "lambda_reference",
    "temperature", "kappa", "dependencies", "order", "order_free", "recognise", "reference",
    "only_changes", "strict",
)  # fmt: skip
# Fields of the run that are fields of its score; runs of equal content share a prepared run.
_RUN_FIELDS = "id", "task", "trial", "outcome", "tokens", "source"


def assemble_score(
    comparisons: ReferenceComparisons,
    loss_cutoff: Callable[[list[float], int], float],
    signature: Signature,
    origin: Origin,
) -> Score:
    """Returns the score of a run from the comparisons with its references.

    Args:
        comparisons: the comparisons; all references that can matter are solved.
        loss_cutoff: returns the loss up to which a reference can matter, given the losses in rising
            order and the number of references.
        signature: the signature of the metric.
        origin: of the score.
    """
    metric, losses = comparisons.metric, comparisons.losses
    total = metric.aggregate(losses)
    solved = sorted(comparisons.solved)
    best_index = solved[find_least([losses[index] for index in solved])]
    best, (view, reference_view) = comparisons.solved[best_index], comparisons.views[best_index]
    run, reference = view.run, reference_view.run
    recorded = comparisons.run, comparisons.references[best_index]
    fields = {
        **{name: getattr(recorded[0], name) for name in _RUN_FIELDS},
        "understood": run.scored.understood,
        "score": math.exp(-total.loss),
        "loss": total.loss,
        "best_reference": recorded[1].name,
        "signature": signature,
    }
    makers: dict[str, Callable[[], Any]] = {
        "left_out": lambda: LeftOut(agent=run.left_out, reference=reference.left_out),
        "steps": lambda: Steps(agent=recorded[0].size, reference=recorded[1].size),
        "unknown": lambda: Unknown(
            agent=recorded[0].unread.unknown, reference=recorded[1].unread.unknown
        ),
        "reference_sources": lambda: tuple(
            trajectory.source for trajectory in comparisons.references if trajectory.source
        ),
        "skill": lambda: _compute_skill(total.loss, best, metric),
        "mass": lambda: best.mass,
        "precision": lambda: best.precision,
        "recall": lambda: best.recall,
        "f1": lambda: _compute_f1(best.precision, best.recall),
        "order_agreement": lambda: order_agreement(best),
        "losses": lambda: _mix_losses(comparisons, total),
        "references": lambda: _list_references(comparisons),
        "alignment": lambda: align(best),
        "step_rewards": lambda: step_rewards(comparisons, total),
        "findings": lambda: comparisons.findings(best_index),
        "severity": lambda: comparisons.find_severity(best_index),
        "converged": lambda: comparisons.has_converged(
            lambda losses: loss_cutoff(losses, len(losses))
        ),
        "conditions": lambda: _describe_conditions(best, view, reference, metric),
    }
    return Score.made_when_read(fields, makers, origin)


def _compute_skill(loss: float, best: Compared, metric: Metric) -> float | None:
    """The skill over doing nothing; by the paper's metric over an unrelated run."""
    if not metric.paper:
        if isinstance(best, WithoutSteps):
            missing = best.missing_steps
        else:
            missing = float(best.problem.arrays.lambda_2 @ best.problem.arrays.nu)
        return skill(loss, apply_severity_band(missing + best.answers.at_most, "critical"))
    if isinstance(best, WithoutSteps):
        return float(loss == 0)
    unrelated = metric.paper.unrelated_loss(best.problem.costs.weights)
    return None if unrelated is None else skill(loss, unrelated)


def signature_of(metric: Metric) -> Signature:
    """Returns the signature of all scores of a metric, which identifies its settings."""
    config, encoder = metric.config, metric.encoder
    costs = metric.paper.unrelated_cost if metric.paper else None
    return Signature(
        metric=METRIC,
        version=__version__,
        preset=config.preset_name,
        **{name: getattr(config, name) for name in _SETTINGS},
        weights=config.weights.model_dump(),
        counts=config.counts.model_dump(),
        words=WORDS_DIGEST,
        prose=_digest_prose(),
        encoder=encoder.name,
        encoder_digest=encoder.digest,
        encoder_window=encoder.window,
        tools=metric.tools.digest,
        counting=metric.run_settings.digest,
        unrelated_cost=None if costs is None else {name: costs[name] for name in sorted(costs)},
    )


@cache
def _digest_prose() -> str:
    """A digest of all words and tables that compare values, texts and answers."""
    sources = (
        *(lexicon().digest, languages.read_source(), answer_words.read_source()),
        *(numbers.read_source(), digest_tables()),
    )
    return hashlib.sha256("\n".join(sources).encode()).hexdigest()[:16]


def _describe_conditions(
    best: Compared, view: RunView, reference: Run, metric: Metric
) -> Conditions:
    """The conditions that depend on the run and its best reference."""
    problem = None if isinstance(best, WithoutSteps) else best.problem
    full_weight = reference.full_weight
    return Conditions(
        fields=dict(problem.costs.weights) if problem else {},
        dependencies=_name_mechanisms(best, metric.config),
        order_scored=problem is not None and problem.order_scored,
        changes_in_order=problem is not None and metric.config.recognise,
        inferred_roles=_merge_roles(view, reference.view) if metric.config.recognise else {},
        renamed_ids=len(view.names.ids),
        full_weight=tuple(sorted(full_weight)),
        reference="required" if reference.is_required else "complete",
        masses=Masses(
            run=float(view.weights(full_weight).sum()),
            reference=float(reference.reference_weights.sum()),
        ),
        answers_recorded=best.answers.recorded if reference.required_answers else None,
        solver="double" if isinstance(best, WithoutSteps) else best.solution.precision,
        cheaper_methods=list_cheaper_methods(view, reference.view, metric),
    )


def _merge_roles(*sides: RunView) -> dict[str, tuple[Role, ...]]:
    """The roles of the calls of each tool on either side, by tool in sorted order."""
    roles: dict[str, set[Role]] = {}
    for side in sides:
        for step, role in zip(side.run.scored.steps, side.roles, strict=True):
            if step.tool is not None:
                roles.setdefault(step.tool, set()).add(role)
    return {tool: tuple(sorted(roles[tool])) for tool in sorted(roles)}


def _name_mechanisms(best: Compared, config: Config) -> DependencyMechanisms:
    if not isinstance(best, WithoutSteps):
        run, reference = best.problem.run.graph, best.problem.reference.graph
        return DependencyMechanisms(run=run.mechanism, reference=reference.mechanism)
    mechanism = config.dependencies
    if mechanism in ("auto", "order"):
        mechanism = common_mechanism(best.run, best.reference)
    return DependencyMechanisms(run=mechanism, reference=mechanism)


def _list_references(comparisons: ReferenceComparisons) -> tuple[ReferenceScore, ...]:
    """The loss and the score against each reference, or a bound if it was not solved."""
    scores = []
    for index, reference in enumerate(comparisons.references):
        compared = comparisons.solved.get(index)
        if compared is None:
            bound = float(comparisons.bounds[index])
            score = ReferenceScore(id=reference.name, loss=None, score=None, at_least=bound)
        else:
            loss = compared.loss
            score = ReferenceScore(id=reference.name, loss=loss, score=math.exp(-loss))
        scores.append(score)
    return tuple(scores)


def _mix_losses(comparisons: ReferenceComparisons, total: SoftMinimum) -> Losses:
    """The parts of the soft-min: the weighted mean of the references' parts, and the spread.

    References that were not solved have next to no weight; their bounds count as spread.
    """
    parts = dict.fromkeys(Losses.model_fields, 0.0)
    spread = total.spread
    for index, weight in enumerate(total.weights.tolist()):
        compared = comparisons.solved.get(index)
        if compared is None:
            spread += weight * float(comparisons.bounds[index])
        elif weight:
            for name, part in compared.losses.items():
                parts[name] += weight * part
    return Losses(**{**parts, "references": spread})


def _compute_f1(precision: float | None, recall: float | None) -> float | None:
    if precision is None or recall is None:
        return None
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0


def step_rewards(comparisons: ReferenceComparisons, total: SoftMinimum) -> StepRewards | None:
    """Returns the costs of a run's steps and their rewards, or None for a run without steps.

    Several references count by their weights in the soft-min. The last step pays its spread.

    Args:
        comparisons: the comparisons; all references that can matter are solved.
        total: the soft-min of their losses.
    """
    steps = comparisons.views[0][0].run.flat.trajectory.steps
    if not steps:
        return None
    costs, losses = [0.0] * len(steps), [0.0] * (len(steps) + 1)
    for index, weight in enumerate(total.weights.tolist()):
        if weight and index in comparisons.solved:
            reference_costs, reference_losses = _divide_loss(comparisons, index)
            for k, cost in enumerate(reference_costs):
                costs[k] += weight * cost
            for k, loss in enumerate(reference_losses):
                losses[k] += weight * loss
    costs[-1] += max(total.loss - math.fsum(costs), 0.0)
    losses[-1] = total.loss
    hindsight = [losses[k] - losses[k + 1] for k in range(len(steps))]
    hindsight[-1] += _baseline(comparisons) - losses[0]
    ids = tuple(step.id for step in steps)
    return StepRewards(ids=ids, costs=tuple(costs), hindsight=tuple(hindsight))


def _baseline(comparisons: ReferenceComparisons) -> float:
    """The cost of missing everything that the references require, in a run of their weight.

    It depends on the references alone.
    """
    metric = comparisons.metric
    losses = []
    for (_, reference), answers in zip(comparisons.views, comparisons.answers, strict=True):
        if metric.paper:
            losses.append(metric.config.lambda_reference * min(float(reference.size), 1.0))
            continue
        weight = float(reference.run.reference_weights.sum()) + answers.reference
        missing = metric.config.lambda_reference * min(weight, 1.0)
        losses.append(apply_severity_band(missing, "critical"))
    return metric.aggregate(losses).loss


def _divide_loss(comparisons: ReferenceComparisons, index: int) -> tuple[list[float], list[float]]:
    """The cost of each step of the run against one reference, and the loss around each step.

    The loss after a step is the loss of the steps so far if they keep their final counterparts,
    with the final unit of mass and no answers.
    """
    run, compared = comparisons.views[index][0], comparisons.solved[index]
    if isinstance(compared, Comparison):
        parts, credit = compared.problem.run.parts, compared.shares.credit
        factor = compared.factor
    else:
        parts, credit = tuple((k,) for k in range(run.size)), _credit_unmatched(comparisons, index)
        factor = 1.0
    size, indices = len(run.run.flat.trajectory.steps), run.run.scored_indices
    missing_answers = compared.answers.at_most
    costs, step_losses = [0.0] * size, dict[int, float]()
    for node, own_loss, surplus in zip(parts, credit.own_loss, credit.surplus, strict=True):
        for k in node:
            costs[indices[k]] = (factor * own_loss + factor * surplus) / len(node)
        step_losses[indices[max(node)]] = factor * own_loss
    lacking = iter([factor * loss for loss in credit.lacking])
    added, missing = 0.0, next(lacking)
    losses = [missing + missing_answers]
    for k in range(size):
        if k in step_losses:
            added, missing = added + step_losses[k], next(lacking)
        losses.append(added + missing + missing_answers)
    return costs, losses


def _credit_unmatched(comparisons: ReferenceComparisons, index: int) -> Credit:
    """The credit if the run or the reference has no steps that count."""
    run, reference = comparisons.views[index]
    losses = comparisons.solved[index].losses
    weights = run.weights(reference.run.full_weight) * run.penalties(reference.run)
    share = losses.get("extra_steps", 0.0) / weights.sum() if run.size else 0.0
    lacking = [losses.get("missing_steps", 0.0)] * (run.size + 1)
    return Credit((weights * share).tolist(), [0.0] * run.size, lacking)
