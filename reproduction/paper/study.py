"""Every metric on every benchmark and seed, spread over processes."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from otap.encoders import CachedEncoder, Encoder
from reproduction.corpora import (
    gaia,
    hand_corpus,
    planbench,
    salient,
    tau_bench,
    webarena,
    worfbench,
)
from reproduction.corpora.cases import Benchmark, Case
from reproduction.corpora.perturbed import benchmark, with_lexicon_references
from reproduction.paper.otap_metrics import ABLATIONS, PAPER_ONLY, Scores, Variant
from reproduction.paper.vectors import CACHED, Array, Recorder, default_encoder, paper_encoder
from reproduction.rivals import EMBEDDED, FIELD, PAPER, rivals
from reproduction.rivals.metric import Metric

SEEDS = 5
# The references of the first are made with the lexicon that rewords the runs, as the paper's
# presumably are; those of the others people wrote, who used the same words or other ones.
HAND, WRITTEN, INDEPENDENT = "hand", "hand, written references", "hand, independent words"
SLOW = "graph edit"  # the rival that takes longer than all others together: seed 0 alone


@dataclass(frozen=True)
class Plan:
    """Where data lies, and how much of it is used."""

    data: Path
    gaia: Path | None = None
    seeds: int = SEEDS
    kept: bool = False  # the paper's encoder from kept vectors
    slow: bool = True  # graph edit distances, all readings and ablations, many timings
    ablations: bool = True
    beside: bool = True  # the preset ``default``, and rivals that the paper does not have


@dataclass(frozen=True)
class Found:
    """What all metrics say of one benchmark under one seed, case by case.

    paper: under the preset ``paper`` and with the paper's encoder; default: under ``default``, and
    for rivals with its encoder. Ablations are named "ablation: " and their row.
    """

    benchmark: str
    seed: int
    tasks: Sequence[str]
    families: Sequence[str]
    variants: Sequence[str]
    valid: Sequence[bool | None]
    paper: Mapping[str, Scores]
    default: Mapping[str, Scores]
    limited: int = 0  # pairs whose graph edit distance took too long to be exact
    executable: tuple[int, int] = (0, 0)  # reorderings that can be run, of how many
    vectors: Mapping[str, Array] | None = None


Maker = Callable[[Plan, int], Benchmark]


def makers(plan: Plan) -> dict[str, Maker]:
    """How each benchmark is made, by its name in the tables; perturbed ones depend on the seed."""
    found: dict[str, Maker] = {
        HAND: lambda _, seed: benchmark(
            HAND, [with_lexicon_references(task) for task in hand_corpus.tasks("shared")], seed
        ),
        WRITTEN: lambda _, seed: benchmark(WRITTEN, hand_corpus.tasks("shared"), seed),
        INDEPENDENT: lambda _, seed: benchmark(INDEPENDENT, hand_corpus.tasks("independent"), seed),
        "PlanBench": lambda plan, seed: benchmark(
            "PlanBench", planbench.tasks(plan.data / "planbench"), seed
        ),
        "WebArena": lambda plan, seed: benchmark(
            "WebArena",
            [with_lexicon_references(task) for task in webarena.tasks(plan.data / "webarena")],
            seed,
        ),
        "WebArena, written references": lambda plan, seed: benchmark(
            "WebArena, written references", webarena.tasks(plan.data / "webarena"), seed
        ),
    }
    for domain in worfbench.DOMAINS:
        found[f"WorFBench {domain}"] = _workflows(domain, traced=False)
        found[f"WorFBench {domain}, traced"] = _workflows(domain, traced=True)
    if plan.gaia:
        found["GAIA"] = lambda plan, seed: benchmark(
            "GAIA", gaia.tasks(plan.gaia), seed, salient.traced
        )
    return found


READINGS = {
    "oracle": planbench.JUDGED,
    "oracle, hand may be full": planbench.Reading(handempty=False, sentences=False),
    "oracle, sentences": planbench.Reading(handempty=True, sentences=True),
    "oracle, sentences, hand may be full": planbench.Reading(handempty=False, sentences=True),
}


def labelled(plan: Plan) -> dict[str, Maker]:
    """The benchmarks whose runs are real, and come with a label."""
    readings = READINGS if plan.slow else {"oracle": READINGS["oracle"]}
    return {
        "tau-bench": lambda plan, _: tau_bench.benchmark(plan.data / "tau-bench"),
        **{name: _judged(reading) for name, reading in readings.items()},
    }


def _judged(reading: planbench.Reading) -> Maker:
    return lambda plan, _: planbench.oracle(plan.data / "planbench", reading)


def _workflows(domain: str, traced: bool) -> Maker:
    name = f"WorFBench {domain}" + (", traced" if traced else "")
    retrace = salient.traced if traced else None
    return lambda plan, seed: benchmark(
        name, worfbench.tasks(plan.data / "worfbench", domain), seed, retrace
    )


def jobs(plan: Plan) -> list[tuple[str, int]]:
    """Benchmark and seed of each unit of work; those with the ablations, the longest, first."""
    perturbed = [(name, seed) for seed in range(plan.seeds) for name in makers(plan)]
    every = [*((name, 0) for name in labelled(plan)), *perturbed]
    return sorted(every, key=lambda job: job[0] != HAND)


def study(plan: Plan, processes: int | None = None) -> Iterator[Found]:
    """All results, as they come in."""
    with ProcessPoolExecutor(processes or os.cpu_count(), initializer=_one_thread_each) as pool:
        waiting = [pool.submit(found, plan, *job) for job in jobs(plan)]
        for future in as_completed(waiting):
            yield future.result()


def _one_thread_each() -> None:
    """Processes share the cores already."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    threadpool_limits(1)


def found(plan: Plan, name: str, seed: int) -> Found:
    """All metrics on one benchmark under one seed."""
    made = {**makers(plan), **labelled(plan)}[name](plan, seed)
    recorder = Recorder(paper_encoder(plan.kept))
    encoder = CachedEncoder(recorder, CACHED)
    ablated = ABLATIONS if name == HAND and plan.ablations else {}
    theirs = _rivals(plan, name, seed, encoder)
    of_rivals = _of_rivals(made, theirs)
    return Found(
        benchmark=name,
        seed=seed,
        **_columns(made.cases),
        paper={**_of_otap(made, encoder, "paper", ablated), **of_rivals},
        default=_by_default(made, of_rivals, ablated if plan.slow else {}) if plan.beside else {},
        limited=sum(getattr(rival, "limited", 0) for rival in theirs.values()),
        executable=_executable(plan, made) if name == "PlanBench" else (0, 0),
        vectors=recorder.texts if seed == 0 and not plan.kept else None,
    )


def _columns(cases: Sequence[Case]) -> dict[str, Any]:
    """What a result keeps of its cases."""
    return {
        "tasks": [case.task for case in cases],
        "families": [case.family for case in cases],
        "variants": [case.variant for case in cases],
        "valid": [case.valid for case in cases],
    }


def _rivals(plan: Plan, name: str, seed: int, encoder: Encoder) -> dict[str, Metric]:
    """The rivals that are run on a benchmark under a seed."""
    slow = plan.slow and not seed and name not in list(READINGS)[1:]
    known = PAPER if not plan.beside else [*PAPER, *(row for row in FIELD if slow or row != SLOW)]
    every = rivals(encoder)
    return {row: every[row] for row in known}


def _by_default(
    made: Benchmark, of_rivals: Mapping[str, Scores], ablated: Mapping[str, Variant]
) -> dict[str, Scores]:
    """All metrics under the preset ``default``: a rival changes where it has an encoder."""
    encoder = default_encoder()
    every = rivals(encoder)
    embedded = _of_rivals(made, {row: every[row] for row in EMBEDDED})
    of_default = {row: way for row, way in ablated.items() if row not in PAPER_ONLY}
    return {**_of_otap(made, encoder, "default", of_default), **of_rivals, **embedded}


def _of_otap(
    made: Benchmark, encoder: Encoder, preset: str, ablated: Mapping[str, Variant]
) -> dict[str, Scores]:
    full = {"OTAP": ABLATIONS["full"](made, encoder, preset)}
    return full | {f"ablation: {row}": way(made, encoder, preset) for row, way in ablated.items()}


def _of_rivals(made: Benchmark, metrics: Mapping[str, Metric]) -> dict[str, Scores]:
    return {
        name: [metric(case.run, made.references[case.task]) for case in made.cases]
        for name, metric in metrics.items()
    }


def _executable(plan: Plan, made: Benchmark) -> tuple[int, int]:
    instances = planbench.instances(plan.data / "planbench")
    reordered = [case for case in made.cases if case.family == "P2"]
    runnable = [planbench.executable(case.run, instances[case.task]) for case in reordered]
    return sum(runnable), len(runnable)
