"""Runs with their outcomes, as a command line names them: trace files, folders, a table in CSV."""

import csv
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from otap import formats
from otap.errors import ConfigError, FormatError, OtapError, shown, shown_path
from otap.evaluation.inputs import input_files
from otap.formats import Failed, label
from otap.formats.json.streams import is_uri
from otap.learning.runs import HOW, LabelledRun, labelled, names_of, say_unknown
from otap.tasks import TaskRule, assign_tasks
from otap.trajectory import Source, Trajectory, kinds_text

OUTCOME = "outcome"
ALSO = ("reward", "success", "passed", "label")  # what a column of outcomes is called as well
NAMES = ("id", "run", "file", "name")
GOOD = frozenset({"good", "true", "yes", "y", "pass", "passed", "success", "ok"})
BAD = frozenset({"bad", "false", "no", "n", "fail", "failed", "failure"})
SEPARATORS = (",", ";", "\t")  # of cells; a spreadsheet takes the second where numbers have commas
SHOWN = 30


@dataclass(frozen=True)
class GivenOutcome:
    """How a run ended, and where that is said: a number, or good (True) or bad."""

    outcome: float | bool
    where: str


def read_outcomes(path: Path) -> dict[str, GivenOutcome]:
    """Reads outcomes by the name of a run: its id, or TASK/TRIAL.

    The first line names the columns: ``id`` or ``run``, or ``task`` and ``trial``; and ``outcome``,
    or what else it is called. A row whose outcome is empty says nothing.

    Raises:
        FormatError: with the line, if it is no such table, or says two things of one run.
    """
    rows = _read_rows(path)
    where, header = next(rows, (shown_path(path), []))
    if not header:
        raise FormatError(f"{where}: is empty; its first line names the columns, as id,outcome")
    columns = [cell.casefold() for cell in header]
    outcome = _outcome_column(columns, where)
    found: dict[str, GivenOutcome] = {}
    for where, row in rows:
        cells = dict(zip(columns, row, strict=False))
        task, trial = cells.get("task"), cells.get("trial")
        pair = f"{task}/{trial}" if task and trial else None
        name = next(filter(None, (*map(cells.get, NAMES), pair)), None)
        if name is None:
            raise FormatError(f"{where}: names no run; give its id, or its task and trial")
        if text := cells.get(outcome):
            given = GivenOutcome(_parse_outcome(text, where), where)
            known = found.setdefault(name, given)
            if known.outcome != given.outcome:
                raise FormatError(
                    f"{where}: says another outcome of '{shown(name)}' than {known.where}; keep one"
                )
    return found


def _read_rows(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Each row that is not blank, behind the file and the line where it ends."""
    name = shown_path(path)
    try:
        with path.open(encoding=_encoding_of(path), newline="") as file:
            first = file.readline()
            separator = max(SEPARATORS, key=first.count)
            reader = csv.reader(chain([first], file), delimiter=separator, strict=True)
            for row in reader:
                cells = [cell.strip() for cell in row]
                if any(cells):
                    where = f"{name}:{reader.line_num}"
                    yield where, list(map(_with_point, cells)) if separator == ";" else cells
    except OSError as error:
        raise FormatError(f"{name}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise FormatError(f"{name}: is not UTF-8 text; save it as CSV in UTF-8") from None
    except csv.Error as error:
        where = f"{name}:{reader.line_num}"
        raise FormatError(f"{where}: is not CSV ({shown(error)})") from None


def _with_point(cell: str) -> str:
    """A cell behind semicolons, where a number may have a comma for its point."""
    whole, comma, rest = cell.partition(",")
    is_number = comma and rest.isdigit() and whole.lstrip("+-").isdigit()
    return f"{whole}.{rest}" if is_number else cell


def _encoding_of(path: Path) -> str:
    """UTF-8, or what the mark at the beginning says."""
    with path.open("rb") as file:
        return "utf-16" if file.read(2) in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"


def _outcome_column(columns: Sequence[str], where: str) -> str:
    """The column that says how runs ended, of columns that name runs."""
    for name in columns:
        if name and columns.count(name) > 1:
            raise FormatError(f"{where}: has two columns '{shown(name, SHOWN)}'; keep one")
    listed = ", ".join(f"'{shown(name, SHOWN)}'" for name in columns[:5])
    listed += " and more" if len(columns) > 5 else ""
    if not ({"task", "trial"} <= set(columns) or set(NAMES) & set(columns)):
        raise FormatError(
            f"{where}: no column names the run: its first line needs 'id' or 'run', or 'task' and"
            f" 'trial'; it has {listed}"
        )
    found = [OUTCOME] if OUTCOME in columns else [name for name in ALSO if name in columns]
    if len(found) > 1:
        both = " and ".join(f"'{name}'" for name in found)
        raise FormatError(f"{where}: {both} are both there; call the one that counts 'outcome'")
    if not found:
        raise FormatError(
            f"{where}: no column says the outcome: call it 'outcome'; it has {listed}"
        )
    return found[0]


def _parse_outcome(text: str, where: str) -> float | bool:
    word = text.casefold()
    if word in GOOD or word in BAD:
        return word in GOOD
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise FormatError(
            f"{where}: '{shown(text, SHOWN)}' is no outcome: a number, or one of true/false,"
            " good/bad, pass/fail, yes/no"
        )
    return number


@dataclass(frozen=True)
class NamedRuns:
    """What a command line names: runs, and where it is said how they ended.

    Args:
        runs: files, folders and patterns of runs with outcomes of their own, or in the table.
        good: the same of runs that are all good.
        bad: the same of runs that are all bad.
        outcomes: a table of outcomes, which beat those of the files.
        good_from: the outcome from which on a run is good; None: 1.
        format: the format of all runs; None: found by itself.
        reasoning: whether text that leads to no call becomes a reasoning step.
        rule: where the names of tasks stand; None: where they mostly do.
    """

    runs: Sequence[str] = ()
    good: Sequence[str] = ()
    bad: Sequence[str] = ()
    outcomes: Path | None = None
    good_from: float | None = None
    format: str | None = None
    reasoning: bool = False
    rule: TaskRule | None = None


@dataclass(frozen=True)
class ReadRuns:
    """What was read.

    Args:
        runs: each with whether it was good.
        files: the trace files, in the order in which they are named.
        failed: what could not be read, a line each.
        unused: rows of the table that name none of these runs.
        partial: how many runs count as bad by an outcome between 0 and 1, no bound being said.
    """

    runs: Sequence[LabelledRun]
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


def read_labelled(named: NamedRuns) -> ReadRuns:
    """Reads runs with their outcomes; what cannot be read is left out and told.

    Raises:
        ConfigError: for what names nothing, a folder that is good and bad, or a table that names
            two runs by one name.
        FormatError: for a folder without any trace file, a table that cannot be read, or if no run
            at all could be.
    """
    files = _files(named)
    table = read_outcomes(named.outcomes) if named.outcomes else {}
    by_place: list[tuple[Trajectory, bool | None]] = []
    failed: list[str] = []
    for file, good in files.items():
        for one in _read_file(file, named):
            if isinstance(one, Failed):
                failed.append(_failure_text(one))
            else:
                by_place.append((one, good))
    if not by_place:
        raise FormatError(failed[0] if failed else "no run was named")
    runs = assign_tasks([run for run, _ in by_place], named.rule)
    by_place = [(run, good) for run, (_, good) in zip(runs, by_place, strict=True)]
    owners = _runs_by_name(runs, table)
    used = {name: one.outcome for name, one in table.items() if name in owners}
    by_outcome = zip(labelled(runs, used, good_from=named.good_from), by_place, strict=True)
    return ReadRuns(
        runs=[_labelled_by_place(one, good, table) for one, (_, good) in by_outcome],
        files=list(files),
        failed=failed,
        unused=[
            f"{one.where}: {say_unknown(name, runs)}"
            for name, one in table.items()
            if name not in owners
        ],
        partial=_count_partial(by_place, used) if named.good_from is None else 0,
    )


def _files(named: NamedRuns) -> dict[str, bool | None]:
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
            name = known.setdefault(file if is_uri(file) else os.path.realpath(file), file)
            before = found.setdefault(name, good)
            if before is not None and before != good:
                raise ConfigError(f"{shown_path(file)}: is in --good and in --bad; keep one")
            found[name] = good
    return found


def _read_file(file: str, named: NamedRuns) -> Iterator[Trajectory | Failed]:
    """The runs of a file, and what of it could not be read or understood."""
    one = None
    for one in formats.read_each(file, format=named.format, reasoning=named.reasoning):
        if isinstance(one, Failed) or one.understood:
            yield one
        else:
            where = f"{shown_path(one.source.path if one.source else None)}: '{shown(label(one))}'"
            error = f"{where}: nothing was understood of it: {kinds_text(one.unread.unknown)}"
            yield Failed(FormatError(error), one.source or Source())
    if one is None:
        error = f"{shown_path(file)}: holds no run; 'otap formats FILE' shows what was read"
        yield Failed(FormatError(error), Source())


def _failure_text(failed: Failed) -> str:
    error = failed.error
    if isinstance(error, OtapError):
        return str(error)
    return (
        f"{shown_path(failed.source.path)}: internal error ({type(error).__name__}:"
        f" {shown(error, 200)}); please report it to OTAP's developers"
    )


def _runs_by_name(
    runs: Sequence[Trajectory], table: Mapping[str, GivenOutcome]
) -> dict[str, Trajectory]:
    """The runs that a table names, by these names."""
    found: dict[str, Trajectory] = {}
    for run in runs:
        for name in sorted(names_of(run) & table.keys()):
            other = found.setdefault(name, run)
            if other is not run:
                sources = [one.source or Source() for one in (other, run)]
                places = [f"{shown_path(source.path)}#{source.index}" for source in sources]
                raise ConfigError(
                    f"{table[name].where}: two runs are called '{shown(name)}':"
                    f" {' and '.join(places)}; name each by its id, or as TASK/TRIAL"
                )
    return found


def _labelled_by_place(
    one: LabelledRun, good: bool | None, table: Mapping[str, GivenOutcome]
) -> LabelledRun:
    """A run of a folder of good or bad ones is that, whatever outcome its file records."""
    if good is None:
        return one
    given = sorted(names_of(one.run) & table.keys())
    if given and one.good != good:
        name, place = given[0], "--good" if good else "--bad"
        raise ConfigError(f"{table[name].where}: '{shown(name)}' is in {place}; one is wrong")
    return LabelledRun(one.run, good)


def _count_partial(
    runs: Sequence[tuple[Trajectory, bool | None]], outcomes: Mapping[str, float | bool]
) -> int:
    """How many outcomes that no folder says lie between 0 and 1."""
    found = [
        next((outcomes[name] for name in names_of(run) if name in outcomes), run.outcome)
        for run, good in runs
        if good is None
    ]
    return sum(outcome is not None and 0 < outcome < 1 for outcome in found)
