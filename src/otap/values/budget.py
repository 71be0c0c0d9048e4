"""Limits the time for comparing values: very large runs are compared less thoroughly.

Every call of a run is compared with every call of its reference. The limits therefore apply to a
run and a reference together, however many runs are compared at once. No ordinary run comes near
them.
"""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from pydantic import JsonValue

from otap.values.value import Value

MAX_LIST_COMPARISONS = 1_000_000  # of members of lists between two runs, about 5 s of one core
MAX_PROSE_COMPARISONS = 50_000  # of short texts, each with a search for contradictions, about 8 s
MAX_MERGED_PROSE_COMPARISONS = 40_000  # of prose in the search for merged steps
MAX_MERGE_COMPARISONS = 4_000_000  # of members of lists in the search for merged steps

# Units of work, each about .1 to 3 microseconds: of a comparison of two members of lists or of
# two texts of prose; of a value and of a character that is read.
LIST_WORK, PROSE_WORK = 25, 300
VALUE_WORK, CHARACTER_WORK = 250, 5
MAX_READ_CHARACTERS = 100_000  # characters of one text that count; few rules read more

# Methods for large runs, in the order in which they take over.
CheaperMethod = Literal["no merging", "prose by its words", "lists in order", "lists by equality"]


class RunWorkload(NamedTuple):
    """The comparisons that the values of one field of a run need.

    Attributes:
        cheapest: comparisons if the members of lists are paired at the least cost.
        in_order: comparisons if they are paired in order.
        lists: values with lists.
        texts: texts of prose; a long one counts as several.
        prose: values with prose.
    """

    cheapest: int
    in_order: int
    lists: int
    texts: int
    prose: int


class ComparisonMode(NamedTuple):
    """How thoroughly values are compared.

    Attributes:
        lists: unpaired members are paired at the least cost, or in order, or only if equal.
        reads_prose: whether prose is searched for names and contradictions.
    """

    lists: Literal["cheapest", "in_order", "equal"]
    reads_prose: bool


def set_run_workload(values: Sequence[Value], parts: Sequence[Value] = ()) -> None:
    """Stores the workload of their run in the values of one field.

    Args:
        values: all values of the field.
        parts: for merged steps, the values of the original steps; their workload is used.
    """
    workload = parts[0].run_workload if parts else _workload_of(values)
    for value in values:
        value.run_workload = workload


def _workload_of(values: Sequence[Value]) -> RunWorkload:
    loads = [value.list_workload for value in values]
    return RunWorkload(
        cheapest=sum(load.cheapest for load in loads),
        in_order=sum(load.in_order for load in loads),
        lists=sum(load.cheapest > 0 for load in loads),
        texts=sum(load.texts for load in loads),
        prose=sum(load.texts > 0 for load in loads),
    )


def _choose_mode(run: RunWorkload, reference: RunWorkload) -> ComparisonMode:
    texts = run.texts * reference.prose + reference.texts * run.prose
    reads_prose = texts <= 2 * MAX_PROSE_COMPARISONS
    if run.cheapest * reference.lists + reference.cheapest * run.lists <= MAX_LIST_COMPARISONS:
        return ComparisonMode("cheapest", reads_prose)
    comparisons = run.in_order * reference.lists + reference.in_order * run.lists
    return ComparisonMode(
        "in_order" if comparisons <= MAX_LIST_COMPARISONS else "equal", reads_prose
    )


def find_cheaper_methods(run: RunWorkload, reference: RunWorkload) -> set[CheaperMethod]:
    """Returns the cheaper methods that compare the values of two runs."""
    mode = _choose_mode(run, reference)
    methods = set[CheaperMethod]()
    if mode.lists != "cheapest" and run.lists and reference.lists:
        methods.add("lists in order" if mode.lists == "in_order" else "lists by equality")
    if not mode.reads_prose:
        methods.add("prose by its words")
    return methods


def count_work(run: RunWorkload, reference: RunWorkload) -> int:
    """Returns the work of comparing the values of two runs, in units."""
    mode = _choose_mode(run, reference)
    work = 0
    if mode.lists == "cheapest":
        work += LIST_WORK * (run.cheapest * reference.lists + reference.cheapest * run.lists)
    elif mode.lists == "in_order":
        work += LIST_WORK * (run.in_order * reference.lists + reference.in_order * run.lists)
    if mode.reads_prose:
        work += PROSE_WORK * (run.texts * reference.prose + reference.texts * run.prose) // 2
    return work


def count_reading(data: JsonValue) -> int:
    """Returns the work of reading some data, in units."""
    work, waiting = 0, [data]
    while waiting:
        member = waiting.pop()
        if isinstance(member, dict):
            waiting += member.values()
        elif isinstance(member, list | tuple):
            waiting += member
        elif isinstance(member, str):
            work += CHARACTER_WORK * min(len(member), MAX_READ_CHARACTERS)
        work += VALUE_WORK
    return work


def is_merge_affordable(
    parts: Sequence[Value], counterparts: Sequence[Value], pairs: Sequence[tuple[int, int]]
) -> bool:
    """Returns whether the lists and the prose of merged steps can be compared in bounded time.

    Args:
        parts: the values of one side.
        counterparts: the values of the other side.
        pairs: the indices of the two parts of each merged step.
    """
    part_costs = [value.list_workload.cheapest for value in parts]
    other_costs = [value.list_workload.cheapest for value in counterparts]
    merged_cost = sum(part_costs[i] + part_costs[j] for i, j in pairs)
    comparisons = merged_cost * sum(cost > 0 for cost in other_costs)
    if any(part_costs):
        comparisons += sum(other_costs) * len(pairs)
    part_texts = [value.list_workload.texts for value in parts]
    other_texts = [value.list_workload.texts for value in counterparts]
    merged_texts = sum(part_texts[i] + part_texts[j] for i, j in pairs)
    prose = merged_texts * sum(count > 0 for count in other_texts)
    return comparisons <= MAX_MERGE_COMPARISONS and prose <= MAX_MERGED_PROSE_COMPARISONS


def is_paired_at_least_cost(a: Value, b: Value) -> bool:
    """Returns whether the members of short lists in two values are paired at the least cost."""
    ((run_workload, _),), ((reference_workload, _),) = _by_run([a]), _by_run([b])
    return _choose_mode(run_workload, reference_workload).lists == "cheapest"


def split_by_mode(
    rows: Sequence[Value], columns: Sequence[Value]
) -> Iterator[tuple[Sequence[int], Sequence[int], ComparisonMode]]:
    """Yields the indices of values that are compared in one mode, and the mode.

    Args:
        rows: values of runs; those without a run form one run.
        columns: the values of the other side.
    """
    reference_runs = _by_run(columns)
    for run, row_indices in _by_run(rows):
        by_mode: dict[ComparisonMode, list[int]] = {}
        for reference, column_indices in reference_runs:
            by_mode.setdefault(_choose_mode(run, reference), []).extend(column_indices)
        for mode, column_indices in by_mode.items():
            yield row_indices, column_indices, mode


def _by_run(values: Sequence[Value]) -> list[tuple[RunWorkload, list[int]]]:
    """Returns the workload of each run with the indices of its values."""
    indices_by_run: dict[RunWorkload, list[int]] = {}
    without_run: list[int] = []
    for index, value in enumerate(values):
        if value.run_workload is None:
            without_run.append(index)
        else:
            indices_by_run.setdefault(value.run_workload, []).append(index)
    if without_run:
        workload = _workload_of([values[k] for k in without_run])
        indices_by_run.setdefault(workload, []).extend(without_run)
    return list(indices_by_run.items())
