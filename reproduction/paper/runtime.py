"""The run time of one evaluation: a run against its references, matrices and diagnostics included.

Vectors are cached before, as in the paper (its section 5.6).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter

import otap
from otap import Trajectory
from reproduction.corpora.cases import Benchmark, Case
from reproduction.paper.cell import Cell
from reproduction.paper.study import Plan, labelled, makers
from reproduction.paper.tables import printed
from reproduction.paper.vectors import default_encoder, paper_encoder
from reproduction.rivals import PAPER as PAPER_RIVALS
from reproduction.rivals import rivals
from reproduction.rivals.texts import forget

CASES, FEW_CASES = 60, 3  # of a benchmark, evenly over its cases
Evaluate = Callable[[Trajectory, Sequence[Trajectory]], object]


@dataclass(frozen=True)
class Timing:
    """Milliseconds of single evaluations on one benchmark, and the steps of their runs."""

    benchmark: str
    metric: str
    milliseconds: tuple[float, ...]
    steps: tuple[int, ...]


def timings(plan: Plan) -> Iterator[Timing]:
    """OTAP under both presets and the paper's rivals, on each benchmark."""
    for name, maker in {**makers(plan), **labelled(plan)}.items():
        made = maker(plan, 0)
        count = CASES if plan.slow else FEW_CASES
        cases = made.cases[:: max(1, len(made.cases) // count)]
        for metric, evaluate in _metrics(plan).items():
            yield _timed(name, metric, evaluate, made, cases)


def _metrics(plan: Plan) -> Mapping[str, Evaluate]:
    paper = otap.Scorer(otap.Config.preset("paper"), encoder=paper_encoder(plan.kept))
    known = rivals(paper_encoder(plan.kept))
    return {
        "OTAP": paper.score,
        "OTAP, default": otap.Scorer(encoder=default_encoder()).score,
        **{name: known[name] for name in PAPER_RIVALS},
    }


def _timed(
    name: str, metric: str, evaluate: Evaluate, made: Benchmark, cases: Sequence[Case]
) -> Timing:
    found = []
    for case in cases:
        references = made.references[case.task]
        evaluate(case.run, references)  # caches vectors
        forget()
        begin = perf_counter()
        evaluate(case.run.model_copy(), references)
        found.append(1000 * (perf_counter() - begin))
    return Timing(name, metric, tuple(found), tuple(len(case.run.steps) for case in cases))


def cells(found: Sequence[Timing]) -> list[Cell]:
    """The medians, with the fastest and the slowest; for OTAP the slowest of each benchmark too."""
    by = {(one.benchmark, one.metric): one.milliseconds for one in found}
    paper = dict(
        zip(printed()["runtime"]["columns"], printed()["runtime"]["rows"]["OTAP"], strict=True)
    )
    made = []
    for benchmark in dict.fromkeys(one.benchmark for one in found):
        for row in ("OTAP", *PAPER_RIVALS):
            default = by[benchmark, "OTAP, default" if row == "OTAP" else row]
            value = paper.get(benchmark) if row == "OTAP" else None
            made.append(_cell(row, benchmark, value, by[benchmark, row], default, median))
        slowest = by[benchmark, "OTAP"], by[benchmark, "OTAP, default"]
        made.append(_cell("OTAP, slowest", benchmark, None, *slowest, max))
    return made


def _cell(
    row: str,
    column: str,
    paper: float | None,
    ours: Sequence[float],
    default: Sequence[float],
    of: Callable[[Sequence[float]], float],
) -> Cell:
    return Cell("runtime", row, column, paper, of(ours), min(ours), max(ours), of(default))
