"""The work of a score: its limit, and the cheaper methods for large runs.

The unit is the comparison of two steps, about a microsecond. Cheaper methods depend on the run and
one reference alone, so that no reference changes the score of another one. They take over in this
order:

1. Steps of long runs are not merged (``merge``).
2. Prose is compared by its words, without a search for contradictions (``values.budget``).
3. The members of lists are paired in order, and then only if they are equal.

The work that is left is summed over all references, and refused above the setting ``max_work``.
"""

from collections.abc import Collection, Iterator, Sequence

from otap.costs import COMPARED
from otap.errors import LimitError, shown
from otap.run.columns import StepColumns
from otap.run.run import RunView
from otap.scoring.merge import MAX_STEPS
from otap.scoring.metric import Metric
from otap.values.budget import CheaperMethod, RunWorkload, count_work, find_cheaper_methods


def check_work(views: Sequence[tuple[RunView, RunView]], metric: Metric) -> None:
    """Refuses a run whose comparison with all its references takes too much work.

    Args:
        views: for each reference the view of the run, and the view of the reference.
        metric: the settings.

    Raises:
        LimitError: if it takes more than ``max_work``.
    """
    limit, work = metric.config.max_work, 0
    for run, reference in views:
        work += run.size * reference.size
        if run.size and reference.size and not metric.paper:
            workloads = _list_workloads(run.columns, reference.columns, metric.weighted_fields)
            work += sum(count_work(*pair) for pair in workloads)
        if work > limit:
            count = f"{len(views):,} references" if len(views) > 1 else "its reference"
            raise LimitError(
                f"{shown(run.trajectory.name)}: to compare it with {count} takes more than"
                f" {limit:,} comparisons, the setting max_work; score it against fewer references,"
                " or raise the setting"
            )


def list_cheaper_methods(
    run: RunView, reference: RunView, metric: Metric
) -> tuple[CheaperMethod, ...]:
    """Returns the cheaper methods that compared two large runs."""
    if metric.paper or not (run.size and reference.size):
        return ()
    methods = set[CheaperMethod]()
    for pair in _list_workloads(run.columns, reference.columns, metric.weighted_fields):
        methods |= find_cheaper_methods(*pair)
    if metric.config.contraction and max(run.size, reference.size) > MAX_STEPS:
        methods.add("no merging")
    return tuple(sorted(methods))


def _list_workloads(
    run: StepColumns, reference: StepColumns, fields: Collection[str]
) -> Iterator[tuple[RunWorkload, RunWorkload]]:
    """Yields the workloads of the two sides in each field that both record."""
    observed = run.observed & reference.observed & frozenset(fields)
    for field in COMPARED:
        if field.name in observed:
            first = field.workload_of(run.of(field))
            second = field.workload_of(reference.of(field))
            if first is not None and second is not None:
                yield first, second
