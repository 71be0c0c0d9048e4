"""All figures of one run: what is measured, in which order, and for how long."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from benchmarks.batches import BatchFigures, against_pot_batch, pairs_per_second, peak_share
from benchmarks.corpus import NearestFigures, nearest, score_ms
from benchmarks.guard import compare_with_release, measure_scores
from benchmarks.long import LONGEST, Growth, growth, longest, memory_above_input
from benchmarks.machine import description
from benchmarks.merging import MergingFigures, measure_merging
from benchmarks.optimum import GapFigures, gaps
from benchmarks.ours import CORES
from benchmarks.pairs import RIVALS, PairFigures, compare, warm_up
from benchmarks.problems import ragged_problems
from benchmarks.rivals import EPSILON
from benchmarks.sample import Deadline, Sample, say

SIZES = (1000, 2000, LONGEST)
THREADS = min(4, CORES)
# Which rivals the quick run times, by the number of steps.
_QUICK = {
    6: ("pot_fugw", "numpy_cg"),
    20: ("pot_fugw",),
    50: ("pot_fugw", "numpy_cg"),
    100: ("pot_fugw",),
    200: ("pot_cg",),
    500: ("pot_cg",),
}
# Seconds to leave for the others where the longest rival is timed.
_BESIDE = 4.0
_FULL_SECONDS = {6: 10, 20: 10, 50: 10, 100: 15, 200: 20, 500: 40, 1000: 90}


@dataclass(frozen=True)
class Figures:
    """What a full run finds; None is what could not be measured."""

    machine: dict[str, str]
    pairs: list[PairFigures]
    all_threads: list[PairFigures]
    rate: dict[str, Sample]
    rate_exact: dict[str, Sample]
    peak_share: float | None
    batches: list[BatchFigures]
    gaps: GapFigures
    growth: Growth
    longest: Sample | None
    memory: float | None
    nearest: NearestFigures
    score_ms: Sample
    merging: list[MergingFigures]

    def to_json(self) -> dict[str, Any]:
        """Everything, as plain data."""
        return asdict(self)


def full() -> Figures:
    """Everything, in some ten minutes with the native core."""
    machine = description()
    warm_up()
    threads = range(1, THREADS + 1)
    ragged = ragged_problems(np.random.default_rng(0), 10_000)
    grown = growth(SIZES, 60.0)
    long_enough = str(LONGEST) in grown.seconds  # without the native core it takes many minutes
    return Figures(
        machine=machine,
        pairs=[compare(n, list(RIVALS), seconds) for n, seconds in _FULL_SECONDS.items()],
        all_threads=[
            compare(n, ["pot_cg"], 20.0, threads=CORES, exact=False) for n in (200, 500, 1000)
        ],
        rate=pairs_per_second(ragged, EPSILON, threads, 30.0),
        rate_exact=pairs_per_second(ragged, 0.0, threads, 30.0),
        peak_share=peak_share(9),
        batches=[against_pot_batch(n, 512, 5) for n in (6, 12)],
        gaps=gaps(500, 24, 180.0),
        growth=grown,
        longest=longest(THREADS, 3, EPSILON) if long_enough else None,
        memory=memory_above_input(LONGEST, THREADS) if long_enough else None,
        nearest=nearest(200, 10, 7),
        score_ms=score_ms(3.0),
        merging=measure_merging(50, 5.0),
    )


def quick(seconds: float) -> dict[str, Any]:
    """The figures that a gate watches, within so many seconds: the longest rival comes last."""
    deadline = Deadline(seconds)
    warm_up()
    score = score_ms(0.5)
    over_release = compare_with_release(measure_scores())
    ragged = ragged_problems(np.random.default_rng(0), 2000)
    rate = pairs_per_second(ragged, EPSILON, [1], 1.5)
    share = peak_share(3)
    pairs = [compare(n, names, 0.8, exact=False) for n, names in _QUICK.items()]
    grown = growth(SIZES, deadline.left / 3)
    limit = deadline.left - _BESIDE
    pairs.append(compare(1000, ["pot_cg", "numpy_cg"], 0.0, exact=False, limit=limit))
    say(f"  {seconds - deadline.left:.0f} s")
    return {
        **{name: _faster(pairs, name) for name in RIVALS},
        "pairs_per_second_per_core": rate["1"].median,
        "peak_share": share,
        "exponent": grown.exponent,
        "score_ms": score.median,
        "over_last_release": over_release,
    }


def _faster(pairs: list[PairFigures], name: str) -> dict[str, float]:
    return {str(pair.n): pair.faster[name].median for pair in pairs if name in pair.faster}
