"""One run out of several."""

from collections.abc import Sequence

from otap.errors import FormatError, shown, shown_path
from otap.trajectory import Trajectory

LISTED = 10


def select(runs: Sequence[Trajectory], run: str | None, where: str) -> Trajectory:
    """Returns the run that is meant.

    Args:
        runs: the runs there are.
        run: "TASK/TRIAL", an id, "#INDEX" in the file, or a task that has one run only;
            ``None`` for the only run there is.
        where: the file, for the error.

    Raises:
        FormatError: with the runs there are, if not exactly one is meant.
    """
    meant = list(runs) if run is None else _meant(runs, run)
    if len(meant) == 1:
        return meant[0]
    if run is None:
        found = f"has {len(runs)} runs"
    else:
        found = f"{len(meant) or 'no'} runs match '{shown(run)}'"
    listed = _listed(meant or runs)
    raise FormatError(f"{shown_path(where)}: {found}; name one with --run TASK/TRIAL: {listed}")


def label(run: Trajectory) -> str:
    """Returns the name by which :func:`select` finds this run."""
    if run.task is not None and run.trial is not None:
        return f"{run.task}/{run.trial}"
    return run.id or run.task or _position(run)


def _meant(runs: Sequence[Trajectory], name: str) -> list[Trajectory]:
    named = [run for run in runs if name in (label(run), run.id, _position(run))]
    return named or [run for run in runs if run.task == name]


def _position(run: Trajectory) -> str:
    return f"#{run.source.index}" if run.source and run.source.index is not None else "#"


def _listed(runs: Sequence[Trajectory]) -> str:
    names = [shown(label(run), 40) for run in runs[:LISTED]]
    more = len(runs) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")
