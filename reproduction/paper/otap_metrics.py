"""OTAP as a metric of the tables: a score a case, under a preset or with one part changed."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from scipy.optimize import linear_sum_assignment

import otap
from otap.encoders import Encoder, load_encoder
from otap.scoring.metric import Metric
from otap.scoring.references import ReferenceComparisons
from otap.transport import Problem, Support, solve_batch, support_of
from reproduction.corpora.cases import Benchmark
from reproduction.rivals.texts import text_of

Scores = list[float]
Variant = Callable[[Benchmark, Encoder, str], Scores]  # the last is the preset's name
UNMATCHED = 2.0  # the loss of a run without steps: both penalties, with lambda 1
UNRELATED = 4.0  # the most that a pair costs under the preset default
PAPER_ONLY = frozenset({"soft-min T = 1"})  # ablations of parts that the default does not have
BALANCED = 100.0  # lambda at which next to no mass is left unmatched


def scores(benchmark: Benchmark, config: otap.Config, encoder: Encoder) -> Scores:
    """The score of each case against the references of its task."""
    scorer = otap.Scorer(config, encoder=encoder)
    pairs = [(case.run, benchmark.references[case.task]) for case in benchmark.cases]
    return [found.score for found in scorer.score_many(pairs)]


def changed(**changes: object) -> Variant:
    """A preset with some settings changed."""

    def variant(benchmark: Benchmark, encoder: Encoder, preset: str) -> Scores:
        return scores(benchmark, otap.Config.preset(preset, **changes), encoder)

    return variant


def one_reference(benchmark: Benchmark, encoder: Encoder, preset: str) -> Scores:
    """Against the first reference alone."""
    first = {task: several[:1] for task, several in benchmark.references.items()}
    return changed()(replace(benchmark, references=first), encoder, preset)


def total_order(benchmark: Benchmark, encoder: Encoder, preset: str) -> Scores:
    """Each step depends on the one before it, on both sides."""
    return changed(dependencies="sequential")(benchmark, encoder, preset)


def whole_step(benchmark: Benchmark, encoder: Encoder, preset: str) -> Scores:
    """One text a step, its tool included, and one cosine instead of four costs."""
    weights = {"action": 1.0, "arguments": 0.0, "effect": 0.0, "tool": 0.0, "state": 0.0}
    return changed(weights=weights)(_mapped(benchmark, _one_text), encoder, preset)


def hungarian(benchmark: Benchmark, encoder: Encoder, preset: str) -> Scores:
    """The mean cost of the best assignment of steps, with dummies of cost 1; no structure."""

    def loss(problem: Problem) -> float:
        cost = np.minimum(problem.C, UNRELATED)  # of a pair that may not be matched, too
        matched = cost[linear_sum_assignment(cost)].sum()
        return float((matched + abs(cost.shape[0] - cost.shape[1])) / max(cost.shape))

    return _by_problem(benchmark, encoder, preset, lambda found: [loss(one) for one in found])


def unsigned(benchmark: Benchmark, encoder: Encoder, preset: str) -> Scores:
    """Distances in the graph without their direction."""
    epsilon = otap.Config.preset(preset).epsilon

    def losses(found: Sequence[Problem]) -> list[float]:
        supports = [support_of(one) or Support(one, *map(np.arange, one.shape)) for one in found]
        problems = [without_direction(one.restricted()) for one in supports if len(one.rows)]
        solved = iter(solve_batch(problems, epsilon))
        return [one.extended(next(solved) if len(one.rows) else None).loss for one in supports]

    return _by_problem(benchmark, encoder, preset, losses)


def without_direction(problem: Problem) -> Problem:
    """The problem with absolute values of both structures, up to 100 steps.

    A Problem takes antisymmetric structures, whose transpose is their negative. The solver's
    formulas hold for symmetric ones too if the second is negated instead, so they are put in
    behind its check; a test compares the loss found with its definition.
    """
    found = Problem(
        problem.C, problem.D_p, problem.D_r, problem.mu, problem.nu, problem.theta,
        problem.lambda_1, problem.lambda_2,
    )  # fmt: skip
    np.abs(problem.D_p, out=found.D_p)
    np.negative(np.abs(problem.D_r), out=found.D_r)
    return found


ABLATIONS: dict[str, Variant] = {
    "full": changed(),
    "no structure": changed(theta=0.0),
    "Hungarian transport": hungarian,
    "no tool term": changed(weights={"tool": 0.0}),
    "whole-step embedding": whole_step,
    "one reference": one_reference,
    "total order": total_order,
    "soft-min T = 1": changed(paper={"temperature": 1.0}),
    "balanced marginals": changed(lambda_agent=BALANCED, lambda_reference=BALANCED),
    "uniform mass": changed(kappa=0.0),
    "unsigned D": unsigned,
}


def _by_problem(
    benchmark: Benchmark,
    encoder: Encoder,
    preset: str,
    losses: Callable[[Sequence[Problem]], list[float]],
) -> Scores:
    """The score from the soft-min of other losses on the same matrices."""
    config = otap.Config.preset(preset)
    metric = Metric(config, load_encoder(encoder))
    found = []
    for case in benchmark.cases:
        loss = UNMATCHED
        if case.run.steps:
            references = benchmark.references[case.task]
            posed = ReferenceComparisons(case.run, references, metric).problems(
                range(len(references))
            )
            arrays = [problem.arrays for problem in posed.values()]
            loss = soft_minimum(losses(arrays), config.temperature)
        found.append(float(np.exp(-loss)))
    return found


def soft_minimum(losses: Sequence[float], temperature: float) -> float:
    """-T log(mean exp(-L_k / T)) ([Barazandeh2026], eq. 5); at temperature 0 the least loss."""
    values = np.array(losses)
    if temperature == 0:
        return float(values.min())
    mean = np.exp(-(values - values.min()) / temperature).mean()
    return float(values.min() - temperature * np.log(mean))


def _mapped(
    benchmark: Benchmark, change: Callable[[otap.Trajectory], otap.Trajectory]
) -> Benchmark:
    return replace(
        benchmark,
        references={
            task: [change(one) for one in several] for task, several in benchmark.references.items()
        },
        cases=[replace(case, run=change(case.run)) for case in benchmark.cases],
    )


def _one_text(trajectory: otap.Trajectory) -> otap.Trajectory:
    steps = [
        step.model_copy(
            update={
                "kind": "reasoning",
                "action": " ".join(
                    text_of(part)
                    for part in (step.tool, step.action, step.arguments, step.effect)
                    if part is not None
                ),
                "tool": None,
                "arguments": None,
                "effect": None,
            }
        )
        for step in trajectory.steps
    ]
    return trajectory.model_copy(update={"steps": tuple(steps)})
