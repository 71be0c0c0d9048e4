"""One run out of several."""

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath

from otap.errors import FormatError, shown, shown_path
from otap.trajectory import Trajectory

LISTED = 10


def select(runs: Sequence[Trajectory], run: str | None, where: str) -> Trajectory:
    """Returns the run that is meant.

    Args:
        runs: the runs there are.
        run: "TASK/TRIAL", an id, a task that has one run only, or its place: "#INDEX" in the
            file, "FILE#INDEX" in a folder; ``None`` for the only run there is.
        where: the file, for the error.

    Raises:
        FormatError: with the runs there are, if not exactly one is meant.
    """
    if not runs:
        raise FormatError(f"{shown_path(where)}: holds no run; 'otap formats FILE' shows why")
    meant = list(runs) if run is None else _meant(runs, run)
    if len(meant) == 1:
        return meant[0]
    if run is None:
        found = f"has {len(runs)} runs"
    else:
        found = f"{len(meant) or 'no'} runs match '{shown(run)}'"
    listed = _list_runs(meant or runs)
    raise FormatError(f"{shown_path(where)}: {found}; name one with --run: {listed}")


def label(run: Trajectory) -> str:
    """Returns the name by which :func:`select` finds this run."""
    if run.task is not None and run.trial is not None:
        return f"{run.task}/{run.trial}"
    return run.id or run.task or _position(run)


def _meant(runs: Sequence[Trajectory], name: str) -> list[Trajectory]:
    """The runs of a name: by label or id, else by task, else by place."""
    for names in (_names_of_run, _task_of_run, _places):
        meant = [run for run in runs if name in names(run)]
        if meant:
            return meant
    return []


def _names_of_run(run: Trajectory) -> tuple[str | None, ...]:
    return label(run), run.id


def _task_of_run(run: Trajectory) -> tuple[str | None, ...]:
    return (run.task,)


def _places(run: Trajectory) -> tuple[str, ...]:
    return _position(run), _position_in_folder(run)


def _position(run: Trajectory) -> str:
    return f"#{run.source.index}" if run.source and run.source.index is not None else "#"


def _position_in_folder(run: Trajectory) -> str:
    file = run.source.path if run.source else None
    return f"{PurePath(file or '').name}{_position(run)}"


def _list_runs(runs: Sequence[Trajectory]) -> str:
    """The names that pick these runs: their places, where one name picks several."""
    labels = Counter(map(label, runs))
    places = Counter(map(_position, runs))
    names = [_unique(run, labels, places) for run in runs[:LISTED]]
    more = len(runs) - len(names)
    listed = ", ".join(shown(name, 40) for name in names)
    return listed + (f" and {more} more" if more else "")


def _unique(run: Trajectory, labels: Counter[str], places: Counter[str]) -> str:
    if labels[label(run)] == 1:
        return label(run)
    return _position(run) if places[_position(run)] == 1 else _position_in_folder(run)
