"""One run out of several."""

from collections import Counter
from collections.abc import Callable, Sequence
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
    found = f"{len(meant) or 'no'} runs match '{shown(run or '')}'"
    if run is None:
        found = f"has {len(runs)} runs"
    listed = _list_runs(meant or runs)
    raise FormatError(f"{shown_path(where)}: {found}; name one with --run: {listed}")


def label(run: Trajectory) -> str:
    """Returns the name by which :func:`select` finds this run."""
    if run.task is not None and run.trial is not None:
        return f"{run.task}/{run.trial}"
    return run.id or run.task or _position(run)


def _meant(runs: Sequence[Trajectory], name: str) -> list[Trajectory]:
    """The runs of a name: by label or id, else by task, else by place."""
    picks: tuple[Callable[[Trajectory], tuple[str | None, ...]], ...] = (
        lambda run: (label(run), run.id),
        lambda run: (run.task,),
        lambda run: (_position(run), _position_in_folder(run)),
    )
    found = ([run for run in runs if name in names(run)] for names in picks)
    return next(filter(None, found), [])


def _position(run: Trajectory) -> str:
    return f"#{run.source.index}" if run.source and run.source.index is not None else "#"


def _position_in_folder(run: Trajectory) -> str:
    file = run.source.path if run.source else None
    return f"{PurePath(file or '').name}{_position(run)}"


def _list_runs(runs: Sequence[Trajectory]) -> str:
    """The names that pick these runs: their places, where one name picks several."""
    names: list[str] = []
    for run in runs[:LISTED]:
        tried = (label, _position, _position_in_folder)
        name = next((n for n in tried[:2] if Counter(map(n, runs))[n(run)] == 1), tried[2])
        names.append(name(run))
    more = len(runs) - len(names)
    listed = ", ".join(shown(name, 40) for name in names)
    return listed + (f" and {more} more" if more else "")
