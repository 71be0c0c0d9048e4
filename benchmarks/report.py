"""The figures as Markdown: the table of what was promised, then what each solver reached."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.figures import Figures
from benchmarks.pairs import PairFigures
from benchmarks.plot import LABELS
from benchmarks.sample import Sample

_REMARKS = Path(__file__).with_name("remarks.md")
_NONE = "not known"


def markdown(figures: Figures) -> str:
    """The whole report; `remarks.md`, written by hand, is its last part."""
    parts = [
        "# Benchmarks",
        "Written by `scripts/bench`; only the remarks at the end, from `remarks.md`, are by hand. "
        "Medians with quartiles in brackets, all solvers interleaved in one run. One thread "
        "where no number of threads is said.",
        "## Promised and reached",
        _table(("what", "floor", "wish", "reached"), _promises(figures)),
        "![Time against the number of steps](time.svg)",
        "## One pair, milliseconds",
        _table(("steps", *LABELS.values()), _times(figures.pairs)),
        "## What the rivals reached",
        "Their objective less ours, each at its own coupling: with the entropy term, which is "
        "what all minimise but FUGW; in brackets without, the loss that is reported.",
        _table(("steps", *(LABELS[name] for name in _rivals(figures))), _reached(figures)),
        "## Batches, and all threads",
        _table(("what", "OTAP", "the other", "times faster"), _others(figures)),
        "## Machine",
        _table(("", ""), figures.machine.items()),
        _REMARKS.read_text().strip(),
    ]
    return "\n\n".join(parts) + "\n"


def listed(found: dict[str, Any]) -> str:
    """The quick figures, one a line."""
    return "\n".join(f"{name}: {_plain(value)}" for name, value in found.items())


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return "  ".join(f"{name}: {number:.3g}x" for name, number in value.items())
    return _NONE if value is None else f"{value:.4g}"


def _promises(figures: Figures) -> Iterator[Sequence[str]]:
    """The rows of the issue for the core."""
    yield (
        "against POT's FUGW, one pair, n = 6 / 20 / 50 / 100",
        "500x / 100x / 25x / 8x",
        "3000x / 500x / 100x / 30x",
        _faster(figures, "pot_fugw", (6, 20, 50, 100)),
    )
    yield (
        "against CG of POT's parts, n = 200 / 500 / 1000",
        "8x / 10x / 15x",
        "20x / 30x / 40x",
        _faster(figures, "pot_cg", (200, 500, 1000)),
    )
    yield (
        "against the literal NumPy CG, n = 6 / 50 / 1000",
        "200x / 15x / 50x",
        "1000x / 60x / 200x",
        _faster(figures, "numpy_cg", (6, 50, 1000)),
    )
    yield (
        "pairs a second and core, ragged 5 to 12 steps, arrays given",
        "40,000",
        "150,000",
        f"{_spread(figures.rate['1'])}; epsilon to 0: {_spread(figures.rate_exact['1'])}",
    )
    yield (
        "share of the core's measured double-precision peak, batch of 6x6",
        "20 %",
        "45 %",
        _NONE if figures.peak_share is None else f"{figures.peak_share:.0%}",
    )
    yield (
        "epsilon to 0 over fixed epsilon, n = 6 / 20 / 50",
        "2x",
        "1.3x",
        " / ".join(_times_as(pair.exact_ratio) for pair in figures.pairs if pair.n <= 50),
    )
    yield (
        "loss gap to the best known minimum, n up to 12",
        "1e-5 in 99 %",
        "1e-7",
        f"1e-5 in {figures.gaps.share_within_1e_5:.1%} of {figures.gaps.problems}; "
        f"median {figures.gaps.median:.0e}, 99 % below {figures.gaps.percentile_99:.0e}, "
        f"largest {figures.gaps.largest:.0e}",
    )
    yield (
        f"exponent of time over n = {', '.join(figures.growth.seconds)}",
        "2.15",
        "2.0",
        _NONE if figures.growth.exponent is None else f"{figures.growth.exponent:.2f}",
    )
    yield (
        "n = 5000, four threads, D included / memory above the input",
        "5 s / 300 MB",
        "2 s / 100 MB",
        f"{_seconds(figures.longest)} / {_megabytes(figures.memory)}",
    )
    yield (
        "nearest of 2000 references: problems solved / speed-up",
        "1 % / 15x",
        ".2 % / 100x",
        _nearest(figures),
    )
    yield (
        "scaling from 1 to 4 threads, batch of 10,000",
        "3x on a quiet machine",
        "3.8x",
        f"{_scaling(figures.rate)}; epsilon to 0: {_scaling(figures.rate_exact)}",
    )
    yield (
        "`scorer.score` of six steps against three references, all included, vectors cached",
        "1 ms",
        ".3 ms",
        f"{_spread(figures.score_ms)} ms",
    )
    yield (
        "a score with merged steps over one without, n = 50: "
        + " / ".join(row.kind for row in figures.merging),
        "2x",
        "",
        " / ".join(_times_as(row.ratio) for row in figures.merging),
    )


def _times(pairs: Iterable[PairFigures]) -> Iterator[Sequence[str]]:
    for pair in pairs:
        yield str(pair.n), *(_milliseconds(pair.seconds.get(name)) for name in LABELS)


def _rivals(figures: Figures) -> list[str]:
    return list(figures.pairs[0].objective_gap)


def _reached(figures: Figures) -> Iterator[Sequence[str]]:
    for pair in figures.pairs:
        gaps = [(pair.objective_gap[name], pair.loss_gap[name]) for name in _rivals(figures)]
        yield str(pair.n), *("stopped" if a is None else f"{a:.0e} ({b:.0e})" for a, b in gaps)


def _others(figures: Figures) -> Iterator[Sequence[str]]:
    for batch in figures.batches:
        yield (
            f"512 pairs of {batch.n}x{batch.n}, epsilon 0, ot.batch (marginals exact: its loss "
            f"is higher by {batch.loss_gap:.0e}), microseconds a pair",
            _spread(batch.otap, 1e6),
            _spread(batch.pot_batch, 1e6),
            _times_as(batch.faster),
        )
    for pair in figures.all_threads:
        yield (
            f"one pair, n = {pair.n}, {pair.threads} threads, CG of POT's parts, milliseconds",
            _milliseconds(pair.seconds["otap"]),
            _milliseconds(pair.seconds["pot_cg"]),
            _times_as(pair.faster["pot_cg"]),
        )


def _faster(figures: Figures, name: str, sizes: Iterable[int]) -> str:
    """At the paper's epsilon, and after it at 0."""
    pairs = [pair for pair in figures.pairs if pair.n in sizes]
    fixed = " / ".join(_times_as(pair.faster[name]) for pair in pairs)
    exact = " / ".join(f"{_number(pair.faster_exact[name].median)}x" for pair in pairs)
    return f"{fixed}; epsilon to 0: {exact}"


def _nearest(figures: Figures) -> str:
    found = figures.nearest
    return f"{found.solved_share.median:.2%} / {_times_as(found.faster)}"


def _scaling(rate: dict[str, Sample]) -> str:
    ratios = (f"{threads}: {rate[threads].median / rate['1'].median:.2f}x" for threads in rate)
    return ", ".join(ratios)


def _times_as(sample: Sample | None) -> str:
    if sample is None:
        return _NONE
    low, median, high = map(_number, (sample.low, sample.median, sample.high))
    return f"{median}x ({low} to {high})"


def _milliseconds(sample: Sample | None) -> str:
    return "" if sample is None else _spread(sample, 1e3)


def _seconds(sample: Sample | None) -> str:
    return _NONE if sample is None else f"{_spread(sample)} s"


def _spread(sample: Sample, scale: float = 1.0) -> str:
    low, median, high = (_number(scale * each) for each in (sample.low, sample.median, sample.high))
    return f"{median} ({low} to {high})"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _megabytes(memory: float | None) -> str:
    return _NONE if memory is None else f"{memory:.0f} MB"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
