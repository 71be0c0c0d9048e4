"""Selects one run of several."""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import PurePath

from otap.errors import FormatError, shown, shown_path
from otap.trajectory import Trajectory

MAX_LISTED = 10  # runs in an error
MAX_NAME = 40  # characters of a name, a file or a task in it


def select(runs: Sequence[Trajectory], run: str | None, source: str) -> Trajectory:
    """Returns the run with a name.

    Args:
        runs: the runs to select from.
        run: "TASK/TRIAL", an id, a task that has one run only, "#INDEX" in a file, or
            "FILE#INDEX" in a folder; ``None`` for the only run.
        source: the file, for the error.

    Raises:
        FormatError: if not exactly one run matches. The error lists the runs.
    """
    if not runs:
        raise FormatError(f"{shown_path(source)}: holds no run; 'otap formats FILE' shows why")
    matches = list(runs) if run is None else _matches(runs, run)
    if len(matches) == 1:
        return matches[0]
    problem = f"{len(matches) or 'no'} runs match '{shown(run or '')}'"
    if run is None:
        problem = f"has {len(runs)} runs"
    names = _names_of(matches or runs)
    raise FormatError(f"{shown_path(source)}: {problem}; name one with --run: {names}")


def label(run: Trajectory) -> str:
    """Returns the name with which :func:`select` finds this run."""
    if run.task is not None and run.trial is not None:
        return f"{run.task}/{run.trial}"
    return run.id or run.task or _position(run)


def _matches(runs: Sequence[Trajectory], name: str) -> list[Trajectory]:
    """Returns the runs with a label or an id; if there are none, by task, and then by position."""
    names_by: tuple[Callable[[Trajectory], tuple[str | None, ...]], ...] = (
        lambda run: (label(run), run.id),
        lambda run: (run.task,),
        lambda run: (_position(run), _position_in_folder(run)),
    )
    for names_of in names_by:
        matches = [run for run in runs if name in names_of(run)]
        if matches:
            return matches
    return []


def _position(run: Trajectory) -> str:
    return f"#{run.source.index}" if run.source and run.source.index is not None else "#"


def _position_in_folder(run: Trajectory) -> str:
    return f"{_file_name(run)}{_position(run)}"


def _file_name(run: Trajectory) -> str:
    """Returns the name of the file that holds the run, without its folder."""
    file = run.source.path if run.source else None
    return PurePath(file or "").name


def _names_of(runs: Sequence[Trajectory]) -> str:
    """Lists the names of runs. A run whose name is not unique is listed by its position."""
    labels = Counter(label(run) for run in runs)
    positions = Counter(_position(run) for run in runs)
    has_files = len({_file_name(run) for run in runs}) > 1
    names: list[str] = []
    for run in runs[:MAX_LISTED]:
        if labels[label(run)] == 1:
            name = label(run)
        elif positions[_position(run)] == 1:
            name = _position(run)
        else:
            name = _position_in_folder(run)
        names.append(shown(name, MAX_NAME) + _describe_run(run, name, has_files=has_files))
    more = len(runs) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")


def _describe_run(run: Trajectory, name: str, *, has_files: bool) -> str:
    """Returns the file and the task of a run in parentheses, unless its name has them."""
    file = _file_name(run) if has_files else ""
    notes = [
        shown(note, MAX_NAME)
        for note in (file, run.task or "")
        if note and note not in name and PurePath(note).stem != PurePath(name).name
    ]
    return f" ({': '.join(notes)})" if notes else ""
