"""Problems between steps in, comparisons out: solved as they are, and again with unions."""

from collections.abc import Callable, Sequence

from otap.alignment import Comparison, StepProblem
from otap.scoring.compare.metric import Metric
from otap.scoring.compare.unions import with_unions
from otap.transport import Solution, solve_batch

Unions = Callable[[StepProblem, Metric], StepProblem | None]


def compare(
    problems: Sequence[StepProblem], metric: Metric, unions: Unions = with_unions
) -> list[Comparison]:
    """Returns the comparison of each problem, solved in one batch.

    Problems that have unions are solved again with these as nodes; the smaller loss is kept.

    Args:
        problems: the problems between single steps.
        metric: the settings.
        unions: gives the problem with unions of one, which may be known already.
    """
    found = [
        Comparison(problem, solution)
        for problem, solution in zip(problems, _solved(problems, metric), strict=True)
    ]
    if not metric.config.contraction:
        return found
    again = {
        place: united
        for place, problem in enumerate(problems)
        if found[place].solution.loss > 0 and (united := unions(problem, metric)) is not None
    }
    solutions = _solved(list(again.values()), metric)
    for (place, problem), solution in zip(again.items(), solutions, strict=True):
        if solution.loss < found[place].solution.loss:
            found[place] = Comparison(problem, solution)
    return found


def _solved(problems: Sequence[StepProblem], metric: Metric) -> Sequence[Solution]:
    if not problems:
        return []
    return solve_batch([problem.arrays for problem in problems], metric.config.epsilon)
