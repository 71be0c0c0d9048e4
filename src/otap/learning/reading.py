"""Reads runs with their outcomes: trace files, folders, and a table in CSV."""

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
from otap.learning.samples import HOW_TO_LABEL, LabelledRun, label_runs, run_names, unknown_run_text
from otap.tasks import TaskRule, assign_tasks
from otap.trajectory import Source, Trajectory, kinds_text

OUTCOME_COLUMN = "outcome"
OTHER_OUTCOME_COLUMNS = ("reward", "success", "passed", "label")
RUN_COLUMNS = ("id", "run", "file", "name")
GOOD_WORDS = frozenset({"good", "true", "yes", "y", "pass", "passed", "success", "ok"})
BAD_WORDS = frozenset({"bad", "false", "no", "n", "fail", "failed", "failure"})
SEPARATORS = (",", ";", "\t")  # spreadsheets use ; where numbers have a decimal comma
MAX_CELL = 30  # characters of a cell in an error message
MAX_COLUMNS = 5  # columns listed in an error message


@dataclass(frozen=True)
class GivenOutcome:
    """An outcome in a table.

    Attributes:
        outcome: a number, or whether the run is good.
        where: the file and line.
    """

    outcome: float | bool
    where: str


def read_outcomes(path: Path) -> dict[str, GivenOutcome]:
    """Reads a table of outcomes by run id or TASK/TRIAL.

    The first line names the columns: ``id`` or ``run``, or ``task`` and ``trial``; and ``outcome``
    or one of OTHER_OUTCOME_COLUMNS. Rows with an empty outcome are skipped.

    Raises:
        FormatError: with the line, if the file is no such table, or has two different outcomes for
            one run.
    """
    rows = _read_rows(path)
    where, header = next(rows, (shown_path(path), []))
    if not header:
        raise FormatError(f"{where}: is empty; its first line names the columns, as id,outcome")
    columns = [cell.casefold() for cell in header]
    outcome_column = _find_outcome_column(columns, where)
    outcomes: dict[str, GivenOutcome] = {}
    for where, row in rows:
        cells = dict(zip(columns, row, strict=False))
        name = _run_name(cells)
        if name is None:
            raise FormatError(f"{where}: names no run; give its id, or its task and trial")
        text = cells.get(outcome_column)
        if not text:
            continue
        outcome = GivenOutcome(_parse_outcome(text, where), where)
        first = outcomes.setdefault(name, outcome)
        if first.outcome != outcome.outcome:
            raise FormatError(
                f"{where}: has another outcome for '{shown(name)}' than {first.where}; keep one"
            )
    return outcomes


def _run_name(cells: Mapping[str, str]) -> str | None:
    for column in RUN_COLUMNS:
        if cells.get(column):
            return cells[column]
    task, trial = cells.get("task"), cells.get("trial")
    return f"{task}/{trial}" if task and trial else None


def _read_rows(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Yields the rows that are not blank, each after its file and last line."""
    file_name = shown_path(path)
    try:
        with path.open(encoding=_encoding_of(path), newline="") as file:
            header = file.readline()
            separator = max(SEPARATORS, key=header.count)
            reader = csv.reader(chain([header], file), delimiter=separator, strict=True)
            for row in reader:
                cells = [cell.strip() for cell in row]
                if separator == ";":
                    cells = [_replace_decimal_comma(cell) for cell in cells]
                if any(cells):
                    yield f"{file_name}:{reader.line_num}", cells
    except OSError as error:
        raise FormatError(f"{file_name}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise FormatError(f"{file_name}: is not UTF-8 text; save it as CSV in UTF-8") from None
    except csv.Error as error:
        line = reader.line_num
        raise FormatError(f"{file_name}:{line}: is not CSV ({shown(error)})") from None


def _replace_decimal_comma(cell: str) -> str:
    integer, comma, decimals = cell.partition(",")
    is_number = comma and decimals.isdigit() and integer.lstrip("+-").isdigit()
    return f"{integer}.{decimals}" if is_number else cell


def _encoding_of(path: Path) -> str:
    """Returns UTF-16 if the file begins with its byte order mark, else UTF-8."""
    with path.open("rb") as file:
        return "utf-16" if file.read(2) in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"


def _find_outcome_column(columns: Sequence[str], where: str) -> str:
    """Returns the name of the outcome column.

    Raises:
        FormatError: if a column occurs twice, none names the runs, or not exactly one has outcomes.
    """
    for column in columns:
        if column and columns.count(column) > 1:
            raise FormatError(f"{where}: has two columns '{shown(column, MAX_CELL)}'; keep one")
    listing = ", ".join(f"'{shown(column, MAX_CELL)}'" for column in columns[:MAX_COLUMNS])
    listing += " and more" if len(columns) > MAX_COLUMNS else ""
    if not ({"task", "trial"} <= set(columns) or set(RUN_COLUMNS) & set(columns)):
        raise FormatError(
            f"{where}: no column names the run: its first line needs 'id' or 'run', or 'task' and"
            f" 'trial'; it has {listing}"
        )
    if OUTCOME_COLUMN in columns:
        return OUTCOME_COLUMN
    outcome_columns = [column for column in OTHER_OUTCOME_COLUMNS if column in columns]
    if len(outcome_columns) > 1:
        quoted = " and ".join(f"'{column}'" for column in outcome_columns)
        raise FormatError(
            f"{where}: has the columns {quoted}; rename the one with outcomes to 'outcome'"
        )
    if not outcome_columns:
        raise FormatError(f"{where}: no column has outcomes: call it 'outcome'; it has {listing}")
    return outcome_columns[0]


def _parse_outcome(text: str, where: str) -> float | bool:
    word = text.casefold()
    if word in GOOD_WORDS or word in BAD_WORDS:
        return word in GOOD_WORDS
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise FormatError(
            f"{where}: '{shown(text, MAX_CELL)}' is no outcome; give a number, or one of"
            " true/false, good/bad, pass/fail, yes/no"
        )
    return number


@dataclass(frozen=True)
class RunFiles:
    """The runs that a command line names, and the source of their outcomes.

    Attributes:
        runs: files, folders and patterns of runs that record their outcomes, or that the table
            lists.
        good: files, folders and patterns of good runs.
        bad: files, folders and patterns of bad runs.
        outcomes: a table of outcomes, which replace those in the files.
        good_from: minimum outcome of a good run; None: 1.
        format: the format of all runs; None: recognised file by file.
        reasoning: whether text without a tool call becomes a reasoning step.
        rule: where task names are found; None: by the default rule.
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
    """The runs of files, and the problems met on the way.

    Attributes:
        runs: the runs with their outcomes.
        files: the trace files, in the order of the command line.
        failed: one line for each run or file that could not be read.
        unused: one line for each row of the table that names none of these runs.
        partial: number of runs with an outcome between 0 and 1, which counts as bad; 0 if
            ``good_from`` is given.
    """

    runs: Sequence[LabelledRun]
    files: Sequence[str]
    failed: Sequence[str] = ()
    unused: Sequence[str] = ()
    partial: int = 0

    @property
    def has_outcomes(self) -> bool:
        """Whether the outcome of any run is known."""
        return any(labelled.good is not None for labelled in self.runs)

    def require_outcomes(self) -> None:
        """Raises an error if no outcome is known.

        Raises:
            ConfigError: if so; it says how to give outcomes.
        """
        if not self.has_outcomes:
            raise ConfigError(f"no run has an outcome; {HOW_TO_LABEL}")


def read_labelled(names: RunFiles) -> ReadRuns:
    """Reads runs with their outcomes, and lists the runs that cannot be read.

    Raises:
        ConfigError: if a name matches nothing, a file is in ``good`` and in ``bad``, or a row of
            the table names two runs.
        FormatError: for a folder without any trace file, a table that cannot be read, or if no run
            can be read.
    """
    files = _list_files(names)
    table = read_outcomes(names.outcomes) if names.outcomes else {}
    runs, by_folder, failed = _read_files(files, names)
    named_runs = _runs_by_name(runs, table)
    outcomes = {name: row.outcome for name, row in table.items() if name in named_runs}
    labelled_runs = label_runs(runs, outcomes, good_from=names.good_from)
    return ReadRuns(
        runs=[
            _apply_folder(labelled, good, table)
            for labelled, good in zip(labelled_runs, by_folder, strict=True)
        ],
        files=list(files),
        failed=failed,
        unused=[
            f"{row.where}: {unknown_run_text(name, runs)}"
            for name, row in table.items()
            if name not in named_runs
        ],
        partial=_count_partial(runs, by_folder, outcomes) if names.good_from is None else 0,
    )


def read_runs(names: RunFiles) -> ReadRuns:
    """Reads runs without their outcomes, and lists the runs that cannot be read.

    Raises:
        ConfigError: if a name matches nothing.
        FormatError: for a folder without any trace file, or if no run can be read.
    """
    files = _list_files(names)
    runs, _, failed = _read_files(files, names)
    return ReadRuns([LabelledRun(run, None) for run in runs], list(files), failed)


def _list_files(names: RunFiles) -> dict[str, bool | None]:
    """Returns the trace files, each once, with the outcome that their option gives; None: none.

    A file that is in ``runs`` and in ``good`` or ``bad`` has the outcome of the latter.
    """
    if not (names.runs or names.good or names.bad):
        raise ConfigError("no runs are named: give files or folders of runs")
    excluded = [] if names.outcomes is None else [names.outcomes]
    files: dict[str, bool | None] = {}
    spellings: dict[str, str] = {}  # by real path, the first spelling of a file
    for patterns, good in ((names.runs, None), (names.good, True), (names.bad, False)):
        for file in input_files(patterns, excluded):
            name = spellings.setdefault(file if is_uri(file) else os.path.realpath(file), file)
            earlier = files.setdefault(name, good)
            if earlier is not None and earlier != good:
                raise ConfigError(f"{shown_path(file)}: is in --good and in --bad; keep one")
            files[name] = good
    return files


def _read_files(
    files: Mapping[str, bool | None], names: RunFiles
) -> tuple[Sequence[Trajectory], list[bool | None], list[str]]:
    """Returns the runs of files, the outcome that the option of each gives, and the failures."""
    runs: list[Trajectory] = []
    by_folder: list[bool | None] = []
    failed: list[str] = []
    for file, good in files.items():
        for run in _read_file(file, names):
            if isinstance(run, Failed):
                failed.append(_failure_text(run))
            else:
                runs.append(run)
                by_folder.append(good)
    if not runs:
        raise FormatError(failed[0] if failed else "no run was named")
    return assign_tasks(runs, names.rule), by_folder, failed


def _read_file(file: str, names: RunFiles) -> Iterator[Trajectory | Failed]:
    """Yields the runs of a file; runs of which nothing was understood are failures."""
    run = None
    for run in formats.read_each(file, format=names.format, reasoning=names.reasoning):
        if isinstance(run, Failed) or run.understood:
            yield run
        else:
            where = f"{shown_path(run.source.path if run.source else None)}: '{shown(label(run))}'"
            error = f"{where}: nothing was understood of it: {kinds_text(run.unread.unknown)}"
            yield Failed(FormatError(error), run.source or Source())
    if run is None:
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
    """Returns the runs that a table names, by these names.

    Raises:
        ConfigError: if two runs have one of these names.
    """
    by_name: dict[str, Trajectory] = {}
    for run in runs:
        for name in sorted(run_names(run) & table.keys()):
            first = by_name.setdefault(name, run)
            if first is run:
                continue
            sources = [first.source or Source(), run.source or Source()]
            locations = [f"{shown_path(source.path)}#{source.index}" for source in sources]
            raise ConfigError(
                f"{table[name].where}: two runs are called '{shown(name)}':"
                f" {' and '.join(locations)}; name each by its id, or as TASK/TRIAL"
            )
    return by_name


def _apply_folder(
    labelled: LabelledRun, good: bool | None, table: Mapping[str, GivenOutcome]
) -> LabelledRun:
    """Returns a run with the outcome of its folder, which replaces the recorded one.

    Raises:
        ConfigError: if the table says otherwise.
    """
    if good is None:
        return labelled
    rows = sorted(run_names(labelled.run) & table.keys())
    if rows and labelled.good != good:
        option = "--good" if good else "--bad"
        raise ConfigError(f"{table[rows[0]].where}: '{shown(rows[0])}' is in {option}; fix one")
    return LabelledRun(labelled.run, good)


def _count_partial(
    runs: Sequence[Trajectory],
    by_folder: Sequence[bool | None],
    outcomes: Mapping[str, float | bool],
) -> int:
    """Returns the number of runs outside of folders with an outcome between 0 and 1."""
    count = 0
    for run, good in zip(runs, by_folder, strict=True):
        outcome = run.outcome
        for name in run_names(run):
            if name in outcomes:
                outcome = outcomes[name]
                break
        count += good is None and outcome is not None and 0 < outcome < 1
    return count
