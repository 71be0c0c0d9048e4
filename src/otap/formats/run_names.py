"""Selects one run of several."""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import PurePath

from otap.errors import FormatError, shown, shown_path
from otap.trajectory import Trajectory

MAX_LISTED = 10  # runs in an error


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
    file = run.source.path if run.source else None
    return f"{PurePath(file or '').name}{_position(run)}"


def _names_of(runs: Sequence[Trajectory]) -> str:
    """Lists the names of runs. A run whose name is not unique is listed by its position."""
    labels = Counter(label(run) for run in runs)
    positions = Counter(_position(run) for run in runs)
    names: list[str] = []
    for run in runs[:MAX_LISTED]:
        if labels[label(run)] == 1:
            names.append(label(run))
        elif positions[_position(run)] == 1:
            names.append(_position(run))
        else:
            names.append(_position_in_folder(run))
    more = len(runs) - len(names)
    return ", ".join(shown(name, 40) for name in names) + (f" and {more} more" if more else "")
