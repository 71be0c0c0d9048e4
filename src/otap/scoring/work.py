"""The work of a score: the one account, and the cheaper methods for large runs.

Every stage draws from the account before it begins: reading, plans, the comparison of steps and
values, dependencies, solving and merging. The unit takes about .1 to 3 microseconds; pairs of
steps count less than their time, so that the longest run fits with one reference. Work is counted
from sizes, never by a clock. Beyond the setting ``max_work`` the run is refused.

Cheaper methods depend on the run and one reference alone, so that no reference changes the score of
another one. They take over in this order:

1. Steps of long runs are not merged (``merge``).
2. Prose is compared by its words, without a search for contradictions (``values.budget``).
3. The members of lists are paired in order, and then only if they are equal.
"""

from collections.abc import Collection, Iterator, Sequence

from otap._work import WorkAccount
from otap.costs import COMPARED
from otap.errors import shown
from otap.run.columns import StepColumns
from otap.run.run import RunView
from otap.scoring.merge import MAX_STEPS
from otap.scoring.metric import Metric
from otap.trajectory import Trajectory
from otap.values.budget import CheaperMethod, RunWorkload, count_work, find_cheaper_methods

# Units of work of each reference, and of each step that is compared with it.
REFERENCE_WORK, STEP_WORK = 500, 100
# Of each solved reference; of each of its steps, with dependencies; of each pair that may merge.
SOLVING_WORK, GRAPH_WORK, MERGING_WORK = 5_000, 300, 2


def open_account(run: Trajectory, count: int, metric: Metric) -> WorkAccount:
    """Returns the account of the score of a run.

    Args:
        run: the run.
        count: the number of its references.
        metric: the settings.
    """
    references = f"{count:,} references" if count > 1 else "its reference"
    purpose = f"{shown(run.name)}: to compare it with {references}"
    return WorkAccount(metric.config.max_work, purpose)


def draw_comparisons(
    account: WorkAccount, views: Sequence[tuple[RunView, RunView]], metric: Metric
) -> None:
    """Draws the work of comparing the steps of a run with those of all its references.

    Args:
        account: the work of the score.
        views: for each reference the view of the run, and the view of the reference.
        metric: the settings.

    Raises:
        LimitError: if it takes too much.
    """
    for run, reference in views:
        account.draw(reference.run.reading_work, "to read a reference")
        steps = run.size * reference.size + STEP_WORK * reference.size
        account.draw(REFERENCE_WORK + steps, "to compare the steps")
        if run.size and reference.size and not metric.paper:
            workloads = _list_workloads(run.columns, reference.columns, metric.weighted_fields)
            work = sum(count_work(*pair) for pair in workloads)
            account.draw(work, "to compare lists and prose")


def draw_solving(account: WorkAccount, views: tuple[RunView, RunView], metric: Metric) -> None:
    """Draws the work of dependencies, solving and merging with one reference.

    Args:
        account: the work of the score.
        views: the view of the run, and the view of the reference.
        metric: the settings.

    Raises:
        LimitError: if it takes too much.
    """
    run, reference = views
    account.draw(GRAPH_WORK * (run.size + reference.size), "to find dependencies")
    account.draw(SOLVING_WORK, "to solve a problem")
    is_merged = metric.config.contraction and max(run.size, reference.size) <= MAX_STEPS
    if is_merged and not reference.run.plan_constraints.is_plan:
        account.draw(MERGING_WORK * run.size * reference.size, "to merge steps")


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
