"""Whether the verdict of ``otap compare`` keeps its promises, in worlds whose difference is known.

    python -m reproduction.studies.comparing [--report] [--sims N]
    python -m reproduction.studies.comparing --resample A.jsonl B.jsonl

The protocol, written before the method was chosen. A world has tasks, each with a chance that a run
scores exactly 1 and a mean of what it scores otherwise, and both sides draw a few runs a task. NEW
has no other chances, or lower ones everywhere, or is broken in some tasks, or broken in some and
mended in others. To choose by are the worlds CHOOSING; --report simulates REPORTING, whose numbers
and shapes are others, and is looked at once. Asked is how often each interval covers the true mean
difference over all tasks there could be (wanted: 93 to 97 %), how often ``worse`` comes where there
is no difference (at most 5 %), and how often a difference of the size that ``detectable`` names is
found (80 %). --resample draws tasks and runs out of two real result files, with their own mean
differences as truth, and with both sides drawn of the same runs.
"""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean

import numpy as np
import numpy.typing as npt
from scipy import stats

from otap.evaluation.comparison.inference import Estimate, estimate, sign_flip_test
from otap.evaluation.results import read_results
from reproduction.paper.rows import head, row

Array = npt.NDArray[np.float64]
Random = np.random.Generator
TASKS, SPREAD, SEED = (10, 25, 100), 8.0, 7
BOOTSTRAPS = 400
ENOUGH = 400_000  # tasks by which the true difference of a world is known


@dataclass(frozen=True)
class World:
    """How tasks are drawn: the share that always scores 1, else two beta distributions."""

    name: str
    always: float
    ones: tuple[float, float] | None
    others: tuple[float, float]
    repetitions: Sequence[int]


@dataclass(frozen=True)
class Effect:
    """What NEW does: factors everywhere, and the shares of tasks that are broken and mended."""

    name: str
    everywhere: float = 1.0
    broken: float = 0.0
    mended: float = 0.0


CHOOSING = (
    World("ties at 1", 0.0, (6, 2), (6, 3), (1, 5)),
    World("hard tasks", 0.0, (1.5, 3), (4, 3), (1, 5)),
    World("most never move", 0.6, (4, 2), (6, 3), (1, 5)),
    World("no ties", 0.0, None, (5, 2), (1, 5)),
)
REPORTING = (
    World("ties at 1", 0.0, (4, 1), (5, 2), (1, 3)),
    World("hard tasks", 0.0, (1, 2), (3, 3), (2, 4)),
    World("most never move", 0.5, (3, 2), (5, 2), (1, 3)),
    World("no ties", 0.0, None, (8, 2), (1, 4)),
)
EFFECTS = {
    "choosing": (
        Effect("none"),
        Effect("all lower", everywhere=0.9),
        Effect("a fifth broken", broken=0.2),
        Effect("broken and mended", broken=0.2, mended=0.15),
    ),
    "reporting": (
        Effect("none"),
        Effect("all lower", everywhere=0.93),
        Effect("a quarter broken", broken=0.25),
        Effect("broken and mended", broken=0.25, mended=0.2),
    ),
}
Side = tuple[Array, Array]  # for each task the chance of a 1, and the mean of other scores


def sides(
    world: World, effect: Effect, shape: tuple[int, ...], random: Random
) -> tuple[Side, Side]:
    """The chances of both sides in drawn tasks."""
    ones = np.zeros(shape) if world.ones is None else random.beta(*world.ones, shape)
    ones = np.where(random.random(shape) < world.always, 1.0, ones)
    others = random.beta(*world.others, shape)
    fate = random.random(shape)
    new_ones, new_others = ones * effect.everywhere, others * effect.everywhere
    broken, mended = fate < effect.broken, fate > 1 - effect.mended
    new_ones = np.where(broken, 0.1 * ones, np.where(mended, np.sqrt(ones), new_ones))
    new_others = np.where(broken, 0.6 * others, np.where(mended, np.sqrt(others), new_others))
    return (ones, others), (new_ones, new_others)


def means(side: Side, repetitions: int, random: Random) -> Array:
    """The mean score of each task, of so many runs."""
    ones, others = side
    total = np.zeros(ones.shape)
    for _ in range(repetitions):
        scores = random.beta(
            np.maximum(SPREAD * others, 0.05), np.maximum(SPREAD * (1 - others), 0.05)
        )
        total += np.where(random.random(ones.shape) < ones, 1.0, scores)
    return total / repetitions


def truth(world: World, effect: Effect) -> float:
    """The mean difference over all tasks that there could be."""
    if effect.name == "none":
        return 0.0
    (ones, others), (new_ones, new_others) = sides(
        world, effect, (ENOUGH,), np.random.default_rng(SEED)
    )
    return float((new_ones + (1 - new_ones) * new_others - ones - (1 - ones) * others).mean())


Ends = tuple[float, float]


def ours(values: Array, _: Random) -> Ends:
    """Student's t, its degrees of freedom by the kurtosis: what the package has."""
    found = estimate(values)
    return found.mean - found.half_width, found.mean + found.half_width


def student(values: Array, _: Random) -> Ends:
    """Student's t at n - 1 degrees of freedom."""
    half = stats.t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / sqrt(len(values))
    return float(values.mean() - half), float(values.mean() + half)


def percentile(values: Array, random: Random) -> Ends:
    """The percentile bootstrap over tasks."""
    low, high = np.quantile(_drawn(values, random).mean(axis=1), [0.025, 0.975])
    return float(low), float(high)


def bca(values: Array, random: Random) -> Ends:
    """The bias-corrected and accelerated bootstrap over tasks."""
    drawn, mean = _drawn(values, random).mean(axis=1), values.mean()
    centred = values - mean
    if not centred.any():
        return float(mean), float(mean)
    acceleration = (centred**3).sum() / (6 * (centred**2).sum() ** 1.5)
    below = ((drawn < mean).mean() + (drawn <= mean).mean()) / 2
    bias = stats.norm.ppf(np.clip(below, 1e-3, 1 - 1e-3))
    shifted = bias + stats.norm.ppf([0.025, 0.975])
    levels = stats.norm.cdf(bias + shifted / (1 - acceleration * shifted))
    low, high = np.quantile(drawn, levels)
    return float(low), float(high)


def studentised(values: Array, random: Random) -> Ends:
    """The bootstrap of t over tasks, symmetric."""
    drawn, mean = _drawn(values, random), values.mean()
    errors = drawn.std(axis=1, ddof=1)
    known = errors > 1e-12
    if not known.any():
        return float(mean), float(mean)
    ratios = np.abs(drawn.mean(axis=1)[known] - mean) / errors[known]
    half = np.quantile(ratios, 0.95) * values.std(ddof=1)
    return float(mean - half), float(mean + half)


def _drawn(values: Array, random: Random) -> Array:
    return values[random.integers(0, len(values), (BOOTSTRAPS, len(values)))]


METHODS: Mapping[str, Callable[[Array, Random], Ends]] = {
    "t": student,
    "percentile": percentile,
    "BCa": bca,
    "bootstrap t": studentised,
    "t, df by kurtosis": ours,
}


def share_covered(
    draws: Sequence[Array], true: float, method: Callable[[Array, Random], Ends], random: Random
) -> float:
    """How often an interval holds the true difference, in percent."""
    ends = [method(values, random) for values in draws]
    return 100 * fmean(low - 1e-12 <= true <= high + 1e-12 for low, high in ends)


def says_worse(values: Array) -> bool:
    """Whether interval and test both say that NEW is worse."""
    found = estimate(values)
    return (
        found.mean + found.half_width < 0 and sign_flip_test(values) <= 0.05
    )  # the test takes longer


def coverage(half: str, sims: int, methods: Sequence[str]) -> Iterator[str]:
    """A table: how often the intervals cover, and how often worse is said."""
    random = np.random.default_rng(SEED)
    yield from head(("world", "NEW", "tasks", "runs"), ["true", *methods, "worse"])
    for world in CHOOSING if half == "choosing" else REPORTING:
        for effect in EFFECTS[half]:
            true = truth(world, effect)
            for tasks in TASKS:
                for runs in world.repetitions:
                    base, new = sides(world, effect, (sims, tasks), random)
                    draws = list(means(new, runs, random) - means(base, runs, random))
                    found = [share_covered(draws, true, METHODS[m], random) for m in methods]
                    worse = 100 * fmean(says_worse(values) for values in draws)
                    names = (world.name, effect.name, str(tasks), str(runs))
                    yield row(names, [f"{true:+.3f}", *(f"{x:.1f}" for x in (*found, worse))])


def power(sims: int) -> Iterator[str]:
    """A table: how often a difference is found that is as large as ``detectable`` names.

    The size is that at the true spread of the differences, and at the median of the degrees of
    freedom. It is the same shift of every task, in a world without another difference.
    """
    random = np.random.default_rng(SEED)
    yield from head(("world", "tasks", "runs"), ["size", "found", "median that is named"])
    for world in REPORTING:
        for tasks in TASKS:
            runs = world.repetitions[-1]
            base, new = sides(world, Effect("none"), (ENOUGH // 4,), random)
            spread = float((means(new, runs, random) - means(base, runs, random)).std())
            base, new = sides(world, Effect("none"), (sims, tasks), random)
            draws = means(new, runs, random) - means(base, runs, random)
            freedom = float(np.median([estimate(values).freedom for values in draws]))
            size = Estimate(tasks, tasks, 0.0, spread / sqrt(tasks), freedom).detectable
            assert size is not None
            found = 100 * fmean(says_worse(values - size) for values in draws)
            named = [estimate(values).detectable or np.nan for values in draws]
            figures = [f"{size:.3f}", f"{found:.1f}", f"{np.nanmedian(named):.3f}"]
            yield row((world.name, str(tasks), str(runs)), figures)


def resampled(base: str, new: str, sims: int) -> Iterator[str]:
    """A table: the same of tasks and runs drawn out of two real files."""
    random = np.random.default_rng(SEED)
    before, after = _scores(base), _scores(new)
    pairs = [
        (np.array(before[name]), np.array(after[name])) for name in sorted(before) if name in after
    ]
    pooled = [np.concatenate(both) for both in pairs]
    yield from head(("drawn of", "tasks"), ["true", "covered", "worse", "better"])
    for name, chosen in (("both files", pairs), ("the same runs", [(p, p) for p in pooled])):
        true = fmean(float(b.mean() - a.mean()) for a, b in chosen)
        for tasks in TASKS:
            draws = [_redrawn(chosen, tasks, random) for _ in range(sims)]
            covered = share_covered(draws, true, ours, random)
            worse = 100 * fmean(says_worse(values) for values in draws)
            better = 100 * fmean(says_worse(-values) for values in draws)
            figures = [f"{true:+.3f}", *(f"{x:.1f}" for x in (covered, worse, better))]
            yield row((name, str(tasks)), figures)


def _scores(path: str) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for result in read_results(path):
        if result.score is not None:
            found.setdefault(str(result.task), []).append(result.score)
    return found


def _redrawn(pairs: Sequence[tuple[Array, Array]], tasks: int, random: Random) -> Array:
    """The differences of drawn tasks, a run drawn on each side."""
    chosen = [pairs[place] for place in random.integers(0, len(pairs), tasks)]
    return np.array([random.choice(b) - random.choice(a) for a, b in chosen])


def main() -> None:
    """The command: the tables of a half, or of two real files."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--report", action="store_true", help="the worlds to report on")
    parser.add_argument("--sims", type=int, default=1000, help="of each row")
    parser.add_argument("--resample", nargs=2, metavar="FILE", help="two real result files")
    options = parser.parse_args()
    for line in lines_of(options):
        print(line, flush=True)


def lines_of(options: argparse.Namespace) -> Iterator[str]:
    """The lines that are asked for."""
    if options.resample:
        base, new = options.resample
        yield from resampled(base, new, options.sims)
    elif options.report:
        yield from coverage("reporting", options.sims, ["t", "t, df by kurtosis"])
        yield ""
        yield from power(options.sims)
    else:
        yield from coverage("choosing", options.sims, list(METHODS))


if __name__ == "__main__":
    main()
