"""Runs with their outcomes, as the options of a command name them."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Exit, Option

from otap import formats
from otap._numbers import number_text
from otap.cli import options
from otap.cli.output import INCONCLUSIVE, say
from otap.cli.references import choose_references
from otap.errors import FormatError, shown_path
from otap.tasks import TaskRule, assign_tasks

if TYPE_CHECKING:  # other commands start sooner
    from pydantic import JsonValue

    from otap.config import Config
    from otap.learning.reading import ReadRuns
    from otap.trajectory import Trajectory

TOLD = 5  # of what could not be used, a line each

RunsOrNone = Annotated[
    list[str] | None,
    Argument(
        metavar="RUNS", help="Runs with outcomes: trace files, folders, or patterns in quotes."
    ),
]


@dataclass(frozen=True)
class LabelOptions:
    """How runs ended, where their files do not say it.

    Options:
        good: Runs that are all good. Can be repeated.
        bad: Runs that are all bad. Can be repeated.
        outcomes: How runs ended, in place of what their files say: columns id, or task and trial;
            and outcome: a number, true or false, good or bad.
        good_from: The outcome from which on a run is good; else 1.
    """

    good: Annotated[list[str] | None, Option(metavar="FOLDER")] = None
    bad: Annotated[list[str] | None, Option(metavar="FOLDER")] = None
    outcomes: Annotated[Path | None, Option(metavar="FILE.csv")] = None
    good_from: options.Bound = None


def labelled_runs(
    runs: Sequence[str] | None,
    labels: LabelOptions,
    reading: options.Reading,
    rule: TaskRule | None,
) -> "ReadRuns":
    """Returns the runs that options name, and says what of them could not be used.

    Args:
        runs: files, folders and patterns.
        labels: how they ended.
        reading: how they are read.
        rule: where the names of their tasks stand.

    Raises:
        OtapError: as ``read_labelled``.
    """
    from otap.learning.reading import NamedRuns, read_labelled

    named = NamedRuns(
        runs or (), labels.good or (), labels.bad or (), labels.outcomes, labels.good_from,
        reading.format_name, reading.reasoning, rule,
    )  # fmt: skip
    found = read_labelled(named)
    _say_first(found.failed)
    _say_first(found.unused)
    if found.partial:
        one = found.partial == 1
        say(
            f"{number_text(found.partial)} outcome{' is' if one else 's are'} between 0 and 1 and"
            f" {'counts' if one else 'count'} as bad; --good-from X says otherwise"
        )
    return found


def known_good(
    names: Sequence[str] | None,
    found: "ReadRuns",
    reading: options.Reading,
    rule: TaskRule | None,
) -> "list[Trajectory] | None":
    """The references that are named; else none, and a word on gold that could be had."""
    if names:
        given = choose_references(names, reasoning=reading.reasoning)
        return assign_tasks(given, rule)
    file = next(filter(_has_gold, found.files if found.has_outcomes else ()), None)
    if file is not None:
        say(
            "one good run of each task is its reference; the files carry gold, which counts with"
            f" -r {shown_path(file)}"
        )
    return None


def _has_gold(file: str) -> bool:
    with suppress(FormatError):  # its runs have said so
        return any(True for _ in formats.own_references(file))
    return False


def find_judgement(config: "Config", files: Sequence[str]) -> "dict[str, JsonValue]":
    """Returns what references are to say of what counts: as the runs' own gold or settings have it.

    Args:
        config: the settings.
        files: the trace files of the runs.
    """
    judged = next((gold.metadata for gold in _list_gold(files)), {})
    keys = ("reference", "only_changes")
    own: dict[str, JsonValue] = {key: judged[key] for key in keys if key in judged}
    if not own and config.only_changes:
        own = {"reference": config.reference, "only_changes": True}
    return own


def _list_gold(files: Sequence[str]) -> "Iterator[Trajectory]":
    for file in files:
        with suppress(FormatError):  # its runs have said so
            yield from formats.own_references(file)


def end_if_failed(found: "ReadRuns") -> None:
    """Ends the program if some runs could not be read: what was said is not of all that there is.

    Raises:
        Exit: with INCONCLUSIVE.
    """
    if found.failed:
        raise Exit(INCONCLUSIVE)


def _say_first(lines: Sequence[str]) -> None:
    for line in islice(lines, TOLD):
        say(line)
    if len(lines) > TOLD:
        say(f"and {number_text(len(lines) - TOLD)} more such lines")
