"""What was read of one file, and the settings in force, for people."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from otap._numbers import ABSENT, count_text, given_text, number_text
from otap.config.file import Loaded
from otap.errors import shown, shown_path
from otap.report.view import Cell, Line, Table, View, line, make_cells
from otap.trajectory import Step, Trajectory

LISTED = 20  # runs of one file
TOOLS_LISTED = 12
REQUEST_LENGTH = 40
VALUE_LENGTH = 2000  # characters that are shown of one setting
_HEADER = (
    "run", "steps", "inside", "failed", "no result", "tools", "asked", "told", "outcome", "request",
)  # fmt: skip


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
    read = [run for _, run in runs]
    table: list[Line | Table] = [
        line(),
        Table([_run_cells(*one) for one in runs[:LISTED]], _HEADER, indent=2),
    ]
    rest = number_text(len(runs) - LISTED)
    return (
        line(shown_path(name), "bold"),
        line(f"  format   {known_by}"),
        line(f"  holds    {_count_contents(read, golds)}"),
        *_tool_lines(read),
        *_unread_lines("unknown", [run.unread.unknown for run in read], "bold red"),
        *_unread_lines("ignored", [run.unread.ignored for run in read], "dim"),
        *(table if runs else []),
        *([line(f"  and {rest} more runs", "dim")] if len(runs) > LISTED else []),
    )


def _count_contents(runs: Sequence[Trajectory], golds: int) -> str:
    """How much there is, of everything in the file."""
    steps = [step for run in runs for step in run.steps]
    inside = [step for one in steps for step in _list_substeps(one)]
    failed = sum(step.status == "error" for step in [*steps, *inside])
    counts = [count_text(len(runs), "run"), count_text(len(steps), "step")]
    counts += [count_text(len(inside), "sub-step")] if inside else []
    counts += [f"{number_text(failed)} failed"]
    counts += [count_text(golds, "gold")] if golds else []
    return ", ".join(counts)


def _tool_lines(runs: Sequence[Trajectory]) -> Iterator[Line]:
    """The tools that were called most, by which one sees whether a trace was understood."""
    calls = Counter(step.tool for run in runs for step in run.steps if step.tool is not None)
    most = calls.most_common(TOOLS_LISTED)
    more = len(calls) - len(most)
    rest = f" and {number_text(more)} more tools" if more else ""
    if calls:
        named = ", ".join(f"{shown(tool, 40)} ({number_text(n)})" for tool, n in most)
        yield line(f"  calls    {named}{rest}")


def _unread_lines(title: str, kinds: Sequence[dict[str, int]], style: str) -> Iterator[Line]:
    """What no step was made of, of all runs together; every kind is named."""
    total: Counter[str] = Counter()
    for counts in kinds:
        total.update(counts)
    if total:
        named = ", ".join(f"{shown(kind)} ({number_text(count)})" for kind, count in total.items())
        yield line(f"  {title}  {named}", style)


def _run_cells(name: str, run: Trajectory) -> tuple[Cell, ...]:
    """A run in numbers, and the beginning of what its user said, if anything was understood."""
    inside = [step for one in run.steps for step in _list_substeps(one)]
    steps = [*run.steps, *inside]
    first = " ".join(run.request[0].split()) if run.request else ABSENT
    request = Cell(shown(first, REQUEST_LENGTH))
    return make_cells(
        shown(name, 40),
        len(run.steps),
        len(inside),
        sum(step.status == "error" for step in steps),
        sum(step.kind == "tool" and step.effect is None for step in steps),
        len({step.tool for step in steps} - {None}),
        len(run.request),
        ABSENT if run.told is None else len(run.told),
        given_text(run.outcome),
        request if run.understood else Cell("NOTHING UNDERSTOOD", "bold red"),
    )


def _list_substeps(step: Step) -> Iterator[Step]:
    for inner in step.substeps:
        yield inner
        yield from _list_substeps(inner)


def settings_view(loaded: Loaded) -> View:
    """Returns one row a setting: name, value, and the file, option or preset that said it."""
    settings = loaded.config.model_dump(mode="json").items()
    rows = [make_cells(name, _write_value(value), loaded.origins[name]) for name, value in settings]
    return (Table(rows, ("setting", "value", "from")),)


def _write_value(value: Any) -> str:
    """A setting on one line; the empty ones of a group are left out."""
    if not isinstance(value, Mapping):
        return shown(value, VALUE_LENGTH)
    parts = []
    for name, part in value.items():
        text = _write_value(part)
        if part not in ([], {}):
            parts.append(f"{shown(name)} {f'{{{text}}}' if isinstance(part, Mapping) else text}")
    return ", ".join(parts) or "none"
