"""The scorer: a run and its references in, a score out."""

import math
from collections.abc import Iterable, Sequence

from otap._version import __version__
from otap.dependencies import common_mechanism
from otap.encoders import Encoder, TextFunction, load_encoder
from otap.errors import NoReferenceError, shown
from otap.scoring.config import Config
from otap.scoring.ensemble import SoftMinimum, soft_minimum
from otap.scoring.outcome import Outcome, outcomes
from otap.scoring.pairing import Setting, unrelated_loss_of
from otap.scoring.score import (
    METRIC,
    DependencyMechanisms,
    Losses,
    ReferenceScore,
    Score,
    Signature,
)
from otap.scoring.skill import skill
from otap.trajectory import Trajectory

References = Trajectory | Sequence[Trajectory]


class Scorer:
    """Scores runs under one configuration; keeps the encoder and its vectors between calls.

    ``encoder`` overrides the one that the configuration names: a name, a model's folder, or any
    callable ``list[str] -> array``.
    """

    def __init__(
        self, config: Config | None = None, *, encoder: str | Encoder | TextFunction | None = None
    ) -> None:
        self.config = config or Config()
        self._setting = Setting(self.config, load_encoder(encoder or self.config.encoder))

    def score(self, run: Trajectory, references: References) -> Score:
        """Returns the score of ``run`` against one or more references.

        Raises:
            NoReferenceError: if there is no reference, or nothing to compare with one.
            DependencyError: if the mechanism asked for is not to be had.
            LimitError: if a side is too long, or its sub-steps too deep.
        """
        return next(iter(self.score_many([(run, references)])))

    def score_many(self, pairs: Iterable[tuple[Trajectory, References]]) -> list[Score]:
        """Returns the score of each run against its references, the same numbers as one by one."""
        tasks = [(run, _listed(run, references)) for run, references in pairs]
        found = outcomes(tasks, self._setting)
        return [self._assemble(run, each) for (run, _), each in zip(tasks, found, strict=True)]

    def _assemble(self, run: Trajectory, found: list[Outcome]) -> Score:
        total = soft_minimum([outcome.loss for outcome in found], self.config.temperature)
        best = min(found, key=lambda outcome: outcome.loss)
        precision, recall = best.precision, best.recall
        return Score(
            id=run.id,
            task=run.task,
            trial=run.trial,
            score=math.exp(-total.loss),
            skill=self._skill(total.loss, best),
            loss=total.loss,
            mass=best.mass,
            precision=precision,
            recall=recall,
            f1=_f1(precision, recall),
            losses=_mixed(found, total),
            best_reference=best.reference.name,
            references=tuple(
                ReferenceScore(
                    id=outcome.reference.name, loss=outcome.loss, score=math.exp(-outcome.loss)
                )
                for outcome in found
            ),
            alignment=best.alignment,
            findings=best.findings,
            converged=all(outcome.converged for outcome in found),
            signature=self._signature(best),
            source=run.source,
            reference_sources=tuple(
                outcome.reference.source for outcome in found if outcome.reference.source
            ),
        )

    def _skill(self, loss: float, best: Outcome) -> float | None:
        if best.comparison is None:
            return float(best.loss == 0)
        unrelated = unrelated_loss_of(best.weights, self._setting)
        return None if unrelated is None else skill(loss, unrelated)

    def _signature(self, best: Outcome) -> Signature:
        config, encoder = self.config, self._setting.encoder
        costs = self._setting.unrelated_cost
        return Signature(
            metric=METRIC,
            version=__version__,
            preset=config.preset_name,
            order_scored=best.comparison is not None and best.comparison.order_scored,
            theta=config.theta,
            epsilon=config.epsilon,
            lambda_agent=config.lambda_agent,
            lambda_reference=config.lambda_reference,
            temperature=config.temperature,
            kappa=config.kappa,
            criticality=config.criticality,
            goals=config.goals,
            arguments=config.arguments,
            unobserved=config.unobserved,
            unknown_order=config.unknown_order,
            fields=dict(best.weights),
            dependencies=_mechanisms(best, config),
            encoder=encoder.name,
            encoder_digest=encoder.digest,
            encoder_window=encoder.window,
            tools=self._setting.tools.digest,
            unrelated_cost=None if costs is None else {name: costs[name] for name in sorted(costs)},
            solver="double" if best.comparison is None else best.comparison.solution.precision,
        )


def score(run: Trajectory, references: References) -> Score:
    """Returns the score of ``run`` under the preset ``default``; :class:`Scorer` knows more."""
    return Scorer().score(run, references)


def _listed(run: Trajectory, references: References) -> Sequence[Trajectory]:
    listed = [references] if isinstance(references, Trajectory) else list(references)
    if not listed:
        raise NoReferenceError(
            f"{shown(run.name)}: no reference to compare it with; pass at least one known-good run"
        )
    return listed


def _mechanisms(best: Outcome, config: Config) -> DependencyMechanisms:
    if best.comparison is not None:
        graphs = best.comparison.run_graph, best.comparison.reference_graph
        return DependencyMechanisms(run=graphs[0].mechanism, reference=graphs[1].mechanism)
    mechanism = config.dependencies
    if mechanism == "auto":
        mechanism = common_mechanism(best.run, best.reference)
    return DependencyMechanisms(run=mechanism, reference=mechanism)


def _mixed(found: Sequence[Outcome], total: SoftMinimum) -> Losses:
    """The parts of the soft-min: those of each reference by its weight, and the spread."""
    parts = dict.fromkeys(Losses.model_fields, 0.0)
    for outcome, weight in zip(found, total.weights, strict=True):
        for name, value in outcome.losses.model_dump().items():
            parts[name] += float(weight) * value
    return Losses(**{**parts, "references": total.spread})


def _f1(precision: float | None, recall: float | None) -> float | None:
    if precision is None or recall is None:
        return None
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0
