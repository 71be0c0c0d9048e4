"""One pair at a time: OTAP against each rival on the same problems, and what each reached."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.ours import read
from benchmarks.problems import Array, plan_inputs
from benchmarks.rivals import EPSILON, numpy_cg, pot_cg, pot_fugw
from benchmarks.sample import (
    Run,
    Sample,
    Task,
    interleaved,
    ratios,
    say,
    stopped_after,
    times,
)
from otap.transport import Problem, objective

RIVALS: dict[str, Callable[[Problem], Array]] = {
    "pot_fugw": pot_fugw,
    "pot_cg": pot_cg,
    "numpy_cg": numpy_cg,
}


@dataclass(frozen=True)
class PairFigures:
    """What was measured at n steps a side; mappings are by the name of a solver.

    seconds: of one call: `otap` at the paper's epsilon, `otap_exact` at 0, and the rivals.
    faster, faster_exact: how many times as long a rival took in the same round as either.
    objective_gap: the rival's objective at the paper's epsilon less ours, median.
    loss_gap: the same without the entropy term: the loss that is reported.

    A rival that was stopped has no gaps, and what it took is a lower bound.
    """

    n: int
    threads: int
    seconds: dict[str, Sample]
    faster: dict[str, Sample]
    faster_exact: dict[str, Sample]
    exact_ratio: Sample | None
    objective_gap: dict[str, float | None]
    loss_gap: dict[str, float | None]


def compare(
    n: int,
    names: Sequence[str],
    seconds: float,
    *,
    threads: int = 1,
    exact: bool = True,
    limit: float = 300.0,
) -> PairFigures:
    """Rounds of different problems of n steps until the seconds are over, at least one round.

    A rival is stopped where one call takes longer than the limit.
    """
    say(f"  n = {n}, threads: {threads}, otap and {', '.join(names)}")
    with threadpool_limits(threads):
        found = interleaved(_rounds(n, names, threads, exact, limit), seconds)
    ours, exactly = found["otap"], found.get("otap_exact", [])
    return PairFigures(
        n=n,
        threads=threads,
        seconds={name: times(runs) for name, runs in found.items()},
        faster={name: ratios(found[name], ours) for name in names},
        faster_exact={name: ratios(found[name], exactly) for name in names if exact},
        exact_ratio=ratios(exactly, ours) if exact else None,
        objective_gap={name: _gap(found[name], ours, EPSILON) for name in names},
        loss_gap={name: _gap(found[name], ours, 0.0) for name in names},
    )


def warm_up() -> None:
    """Calls every solver once: POT takes seconds to load."""
    say("  loading")
    for name in RIVALS:
        RIVALS[name](_problem(6, 0))
    read([_problem(6, 0)], EPSILON)


def _rounds(
    n: int, names: Sequence[str], threads: int, exact: bool, limit: float
) -> Iterator[Mapping[str, Task]]:
    """A problem a round."""
    for seed in count():
        problem = _problem(n, seed)
        tasks: dict[str, Task] = {"otap": partial(read, [problem], EPSILON, threads)}
        if exact:
            tasks["otap_exact"] = partial(read, [problem], 0.0, threads)
        for name in names:
            tasks[name] = partial(stopped_after, limit, partial(RIVALS[name], problem))
        yield tasks


def _problem(n: int, seed: int) -> Problem:
    return plan_inputs(np.random.default_rng([n, seed]), n).problem()


def _gap(theirs: Sequence[Run], ours: Sequence[Run], epsilon: float) -> float | None:
    """The median of how far the rival's coupling lies above ours, None where there is none."""
    gaps = []
    for rival, own in zip(theirs, ours, strict=True):
        (solution,) = own.result
        if rival.result is not None:
            values = [objective(solution.problem, T, epsilon) for T in (rival.result, solution.T)]
            gaps.append(float(values[0] - values[1]))
    return float(np.median(gaps)) if gaps else None
