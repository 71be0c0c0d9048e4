"""What was read of one file, for people: its format, its runs, and what no step was made of."""

from collections import Counter
from collections.abc import Iterator, Sequence

from otap._numbers import ABSENT, count_text, given_text, number_text
from otap.errors import shown, shown_path
from otap.report.view import Cell, Line, Table, View, line
from otap.trajectory import Step, Trajectory

LISTED = 20  # runs of one file
TOOLS_LISTED = 12
REQUEST_LENGTH = 40


def reading_view(
    name: str, known_by: str, runs: Sequence[tuple[str, Trajectory]], golds: int
) -> View:
    """Returns what a person looks at to see whether a file was understood.

    Args:
        name: the file.
        known_by: its format, and by what that is known.
        runs: all its runs, each with the name that picks it.
        golds: how many golds the file carries.
    """
    return tuple(_parts(name, known_by, runs, golds))


def _parts(
    name: str, known_by: str, named: Sequence[tuple[str, Trajectory]], golds: int
) -> Iterator[Line | Table]:
    runs = [run for _, run in named]
    yield line(shown_path(name), "bold")
    yield line(f"  format   {known_by}")
    yield line(f"  holds    {_held(runs, golds)}")
    yield from _tools(runs)
    yield from _unread("unknown", [run.unread.unknown for run in runs], "bold red")
    yield from _unread("ignored", [run.unread.ignored for run in runs], "dim")
    if runs:
        yield line()
        yield Table([_row(*pair) for pair in named[:LISTED]], _HEADER, indent=2)
    if len(runs) > LISTED:
        yield line(f"  and {number_text(len(runs) - LISTED)} more runs", "dim")


_HEADER = (
    "run", "steps", "inside", "failed", "no result", "tools", "asked", "told", "outcome", "request",
)  # fmt: skip


def _held(runs: Sequence[Trajectory], golds: int) -> str:
    """How much there is, of everything in the file."""
    steps = [step for run in runs for step in run.steps]
    inside = [step for one in steps for step in _inside(one)]
    failed = sum(step.status == "error" for step in [*steps, *inside])
    counts = [count_text(len(runs), "run"), count_text(len(steps), "step")]
    counts += [count_text(len(inside), "sub-step")] if inside else []
    counts += [f"{number_text(failed)} failed"]
    counts += [count_text(golds, "gold")] if golds else []
    return ", ".join(counts)


def _tools(runs: Sequence[Trajectory]) -> Iterator[Line]:
    """The tools that were called most, by which one sees whether a trace was understood."""
    called = Counter(step.tool for run in runs for step in run.steps if step.tool is not None)
    if called:
        named = [
            f"{shown(tool, 40)} ({number_text(n)})" for tool, n in called.most_common(TOOLS_LISTED)
        ]
        more = len(called) - len(named)
        rest = f" and {number_text(more)} more tools" if more else ""
        yield line(f"  calls    {', '.join(named)}{rest}")


def _unread(title: str, kinds: Sequence[dict[str, int]], style: str) -> Iterator[Line]:
    """What no step was made of, of all runs together; every kind is named."""
    total: Counter[str] = Counter()
    for counts in kinds:
        total.update(counts)
    if total:
        named = ", ".join(f"{shown(kind)} ({number_text(count)})" for kind, count in total.items())
        yield line(f"  {title}  {named}", style)


def _row(name: str, run: Trajectory) -> tuple[Cell, ...]:
    steps = [*run.steps, *(step for one in run.steps for step in _inside(one))]
    numbers = (
        len(run.steps),
        len(steps) - len(run.steps),
        sum(step.status == "error" for step in steps),
        sum(step.kind == "tool" and step.effect is None for step in steps),
        len({step.tool for step in steps} - {None}),
        len(run.request),
    )
    known = ABSENT if run.told is None else str(len(run.told)), _outcome(run)
    cells = [Cell(str(number)) for number in numbers] + [Cell(text) for text in known]
    return Cell(shown(name, 40)), *cells, _request(run)


def _outcome(run: Trajectory) -> str:
    return ABSENT if run.outcome is None else given_text(run.outcome)


def _request(run: Trajectory) -> Cell:
    """The beginning of what the user said, or that nothing was understood."""
    if not run.understood:
        return Cell("NOTHING UNDERSTOOD", "bold red")
    first = " ".join(run.request[0].split()) if run.request else ABSENT
    return Cell(shown(first, REQUEST_LENGTH))


def _inside(step: Step) -> Iterator[Step]:
    for inner in step.substeps:
        yield inner
        yield from _inside(inner)
