"""A table of outcomes: a CSV file that names runs and says how each ended."""

import csv
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from otap.errors import FormatError, shown, shown_path

OUTCOME = "outcome"
ALSO = ("reward", "success", "passed", "label")  # what a column of outcomes is called as well
NAMES = ("id", "run")
GOOD = frozenset({"good", "true", "yes", "y", "pass", "passed", "success", "ok"})
BAD = frozenset({"bad", "false", "no", "n", "fail", "failed", "failure"})
SEPARATORS = (",", ";", "\t")  # of cells; a spreadsheet takes the second where numbers have commas
SHOWN = 30

Row = Sequence[str]


@dataclass(frozen=True)
class Said:
    """How a run ended, and where that is said: a number, or good (True) or bad."""

    outcome: float | bool
    where: str


@dataclass(frozen=True)
class _Columns:
    """Reads the name of a run and its outcome off a row."""

    name: Callable[[Row], str]
    outcome: Callable[[Row], str]


def read_outcomes(path: Path) -> dict[str, Said]:
    """Reads outcomes by the name of a run: its id, or TASK/TRIAL.

    The first line names the columns: ``id`` or ``run``, or ``task`` and ``trial``; and ``outcome``,
    or what else it is called. A row whose outcome is empty says nothing.

    Raises:
        FormatError: with the line, if it is no such table, or says two things of one run.
    """
    rows = _rows(path)
    where, header = next(rows, (shown_path(path), []))
    if not header:
        raise FormatError(f"{where}: is empty; its first line names the columns, as id,outcome")
    columns, found = _columns(header, where), dict[str, Said]()
    for where, row in rows:
        name, text = columns.name(row).strip(), columns.outcome(row).strip()
        if not name:
            raise FormatError(f"{where}: names no run; give its id, or its task and trial")
        if text:
            _keep(found, name, Said(_outcome(text, where), where))
    return found


def _keep(found: dict[str, Said], name: str, said: Said) -> None:
    known = found.setdefault(name, said)
    if known.outcome != said.outcome:
        raise FormatError(
            f"{said.where}: says another outcome of '{shown(name)}' than {known.where}; keep one"
        )


def _rows(path: Path) -> Iterator[tuple[str, Row]]:
    """Each row that is not blank, behind the file and the line where it ends."""
    name = shown_path(path)
    try:
        with path.open(encoding=_encoding(path), newline="") as file:
            lines = iter(file)
            first = next(lines, "")
            separator = max(SEPARATORS, key=first.count)
            yield from _parsed(_chained(first, lines), separator, name)
    except OSError as error:
        raise FormatError(f"{name}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise FormatError(f"{name}: is not UTF-8 text; save it as CSV in UTF-8") from None


def _chained(first: str, rest: Iterator[str]) -> Iterator[str]:
    yield first
    yield from rest


def _parsed(lines: Iterator[str], separator: str, name: str) -> Iterator[tuple[str, Row]]:
    reader = csv.reader(lines, delimiter=separator, strict=True)
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield f"{name}:{reader.line_num}", _plain(row, separator)
    except csv.Error as error:
        where = f"{name}:{reader.line_num}"
        raise FormatError(f"{where}: is not CSV ({shown(error)})") from None


def _plain(row: list[str], separator: str) -> Row:
    """A row; behind semicolons a number may have a comma for its point."""
    return [_with_point(cell) for cell in row] if separator == ";" else row


def _with_point(cell: str) -> str:
    whole, comma, rest = cell.strip().partition(",")
    is_number = comma and rest.isdigit() and whole.lstrip("+-").isdigit()
    return f"{whole}.{rest}" if is_number else cell


def _encoding(path: Path) -> str:
    """UTF-8, or what the mark at the beginning says."""
    with path.open("rb") as file:
        return "utf-16" if file.read(2) in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"


def _columns(header: Row, where: str) -> _Columns:
    names = [cell.strip().casefold() for cell in header]
    for name in names:
        if name and names.count(name) > 1:
            raise FormatError(f"{where}: has two columns '{shown(name, SHOWN)}'; keep one")
    return _Columns(_name_column(names, where), _cell(names.index(_outcome_name(names, where))))


def _name_column(names: list[str], where: str) -> Callable[[Row], str]:
    ids = [_cell(names.index(name)) for name in NAMES if name in names]
    if {"task", "trial"} <= set(names):
        ids.append(_pair(_cell(names.index("task")), _cell(names.index("trial"))))
    if not ids:
        raise FormatError(
            f"{where}: no column names the run: its first line needs 'id' or 'run', or 'task' and"
            f" 'trial'; it has {_listed(names)}"
        )
    return lambda row: next(filter(None, (one(row).strip() for one in ids)), "")


def _outcome_name(names: list[str], where: str) -> str:
    if OUTCOME in names:
        return OUTCOME
    found = [name for name in ALSO if name in names]
    if len(found) > 1:
        listed = " and ".join(f"'{name}'" for name in found)
        raise FormatError(f"{where}: {listed} are both there; call the one that counts 'outcome'")
    if not found:
        raise FormatError(
            f"{where}: no column says the outcome: call it 'outcome'; it has {_listed(names)}"
        )
    return found[0]


def _cell(place: int) -> Callable[[Row], str]:
    return lambda row: row[place] if place < len(row) else ""


def _pair(task: Callable[[Row], str], trial: Callable[[Row], str]) -> Callable[[Row], str]:
    def name(row: Row) -> str:
        parts = task(row).strip(), trial(row).strip()
        return "/".join(parts) if all(parts) else ""

    return name


def _listed(names: Sequence[str]) -> str:
    listed = ", ".join(f"'{shown(name, SHOWN)}'" for name in names[:5])
    return listed + (" and more" if len(names) > 5 else "")


def _outcome(text: str, where: str) -> float | bool:
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
