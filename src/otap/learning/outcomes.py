"""A table of outcomes: a CSV file that names runs and says how each ended."""

import csv
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from otap.errors import FormatError, shown, shown_path

OUTCOME = "outcome"
ALSO = ("reward", "success", "passed", "label")  # what a column of outcomes is called as well
NAMES = ("id", "run")
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
        name = _name_of_run(cells)
        if not name:
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


def _name_of_run(cells: Mapping[str, str]) -> str:
    pair = cells.get("task"), cells.get("trial")
    return next(filter(None, map(cells.get, NAMES)), "") or (
        f"{pair[0]}/{pair[1]}" if all(pair) else ""
    )


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
