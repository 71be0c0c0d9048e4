"""Runs with their outcomes, as a command line names them."""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from otap import formats
from otap.errors import ConfigError, FormatError, OtapError, shown, shown_path
from otap.evaluation.inputs import input_files
from otap.formats import Failed, label
from otap.formats.json.filesystems import is_uri
from otap.learning.runs.labelled import Labelled, labelled, names_of
from otap.learning.runs.outcomes import Said, read_outcomes
from otap.trajectory import Source, Trajectory, counted

HOW = (
    "put outcomes into the runs, or give --good FOLDER and --bad FOLDER, or --outcomes FILE.csv"
    " with columns id and outcome"
)


@dataclass(frozen=True)
class Named:
    """What a command line names: runs, and where it is said how they ended.

    Args:
        runs: files, folders and patterns of runs with outcomes of their own, or in the table.
        good: the same of runs that are all good.
        bad: the same of runs that are all bad.
        outcomes: a table of outcomes, which beat those of the files.
        good_from: the outcome from which on a run is good; None: 1.
        format: the format of all runs; None: found by itself.
        reasoning: whether text that leads to no call becomes a reasoning step.
    """

    runs: Sequence[str] = ()
    good: Sequence[str] = ()
    bad: Sequence[str] = ()
    outcomes: Path | None = None
    good_from: float | None = None
    format: str | None = None
    reasoning: bool = False


@dataclass(frozen=True)
class Found:
    """What was read.

    Args:
        runs: each with whether it was good.
        files: the trace files, in the order in which they are named.
        failed: what could not be read, a line each.
        unused: rows of the table that name none of these runs.
        partial: how many runs count as bad by an outcome between 0 and 1, no bound being said.
    """

    runs: Sequence[Labelled]
    files: Sequence[str]
    failed: Sequence[str] = ()
    unused: Sequence[str] = ()
    partial: int = 0

    @property
    def has_outcomes(self) -> bool:
        """Whether the outcome of any run is known."""
        return any(one.good is not None for one in self.runs)

    def require_outcomes(self) -> None:
        """Refuses runs of which no outcome is known.

        Raises:
            ConfigError: that says how to give them.
        """
        if not self.has_outcomes:
            raise ConfigError(f"no run has an outcome; {HOW}")


def read_labelled(named: Named) -> Found:
    """Reads runs with their outcomes; what cannot be read is left out and told.

    Raises:
        ConfigError: for what names nothing, a folder that is good and bad, or a table that names
            two runs by one name.
        FormatError: for a folder without any trace file, a table that cannot be read, or if no run
            at all could be.
    """
    files = _files(named)
    said = read_outcomes(named.outcomes) if named.outcomes else {}
    runs, failed = _read(files, named)
    if not runs:
        raise FormatError(failed[0] if failed else "no run was named")
    known = {name for run, _ in runs for name in names_of(run)}
    used = {name: one for name, one in said.items() if name in known}
    partial = _partial(runs, used) if named.good_from is None else 0
    found = _labelled(runs, used, named.good_from)
    return Found(found, list(files), failed, list(_unused(said, known)), partial)


def _unused(said: Mapping[str, Said], known: Collection[str]) -> Iterator[str]:
    for name, one in said.items():
        if name not in known:
            yield f"{one.where}: no run is called '{shown(name)}'"


def _partial(runs: Sequence[tuple[Trajectory, bool | None]], said: Mapping[str, Said]) -> int:
    """How many outcomes that no folder says lie between 0 and 1."""
    count = 0
    for run in (run for run, good in runs if good is None):
        names = sorted(names_of(run) & said.keys())
        outcome = said[names[0]].outcome if names else run.outcome
        count += outcome is not None and 0 < outcome < 1
    return count


def _read(
    files: Mapping[str, bool | None], named: Named
) -> tuple[list[tuple[Trajectory, bool | None]], list[str]]:
    """The runs, each with what its place says of it; and what could not be read, a line each."""
    runs, failed = [], []
    for file, good in files.items():
        for one in _each(file, named):
            if isinstance(one, Failed):
                failed.append(_told(one))
            else:
                runs.append((one, good))
    return runs, failed


def _files(named: Named) -> dict[str, bool | None]:
    """The trace files, each once, with what its place says of its runs.

    A file that RUNS name as well as a folder of good or bad runs is one of that folder.
    """
    if not (named.runs or named.good or named.bad):
        raise ConfigError("no runs are named: give files or folders, or --good and --bad")
    besides = [] if named.outcomes is None else [named.outcomes]
    found: dict[str, bool | None] = {}
    known: dict[str, str] = {}
    for names, good in ((named.runs, None), (named.good, True), (named.bad, False)):
        for file in input_files(names, besides):
            name = known.setdefault(_same(file), file)
            before = found.setdefault(name, good)
            if before is not None and before != good:
                raise ConfigError(f"{shown_path(file)}: is in --good and in --bad; keep one")
            found[name] = good
    return found


def _same(file: str) -> str:
    return file if is_uri(file) else os.path.realpath(file)


def _each(file: str, named: Named) -> Iterator[Trajectory | Failed]:
    """The runs of a file, and what of it could not be read."""
    none = True
    for one in formats.read_each(file, format=named.format, reasoning=named.reasoning):
        none = False
        yield _understood(one) if isinstance(one, Trajectory) else one
    if none:
        error = f"{shown_path(file)}: holds no run; 'otap formats FILE' shows what was read"
        yield Failed(FormatError(error), Source())


def _understood(run: Trajectory) -> Trajectory | Failed:
    if run.understood:
        return run
    where = f"{shown_path(run.source.path if run.source else None)}: '{shown(label(run))}'"
    error = FormatError(f"{where}: nothing was understood of it: {counted(run.unread.unknown)}")
    return Failed(error, run.source or Source())


def _told(failed: Failed) -> str:
    error = failed.error
    if isinstance(error, OtapError):
        return str(error)
    return (
        f"{shown_path(failed.source.path)}: internal error ({type(error).__name__}:"
        f" {shown(error, 200)}); please report it to OTAP's developers"
    )


def _labelled(
    runs: Sequence[tuple[Trajectory, bool | None]],
    said: Mapping[str, Said],
    good_from: float | None,
) -> list[Labelled]:
    _check_unique(said, [run for run, _ in runs])
    outcomes = {name: one.outcome for name, one in said.items()}
    of_table = labelled([run for run, _ in runs], outcomes, good_from=good_from)
    return [_with_place(one, good, said) for one, (_, good) in zip(of_table, runs, strict=True)]


def _with_place(one: Labelled, good: bool | None, said: Mapping[str, Said]) -> Labelled:
    """A run of a folder of good or bad ones is that, whatever outcome its file records."""
    if good is None:
        return one
    for name in sorted(names_of(one.run) & said.keys()):
        if one.good != good:
            place = "--good" if good else "--bad"
            raise ConfigError(f"{said[name].where}: '{shown(name)}' is in {place}; one is wrong")
    return Labelled(one.run, good)


def _check_unique(said: Mapping[str, Said], runs: Iterable[Trajectory]) -> None:
    known: dict[str, Trajectory] = {}
    for run in runs:
        for name in sorted(names_of(run) & said.keys()):
            other = known.setdefault(name, run)
            if other is not run:
                raise ConfigError(
                    f"{said[name].where}: two runs are called '{shown(name)}': {_place(other)} and"
                    f" {_place(run)}; name each by its id, or as TASK/TRIAL"
                )


def _place(run: Trajectory) -> str:
    source = run.source or Source()
    return f"{shown_path(source.path)}#{source.index}"
