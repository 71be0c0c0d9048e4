"""The options of commands that read runs with their outcomes."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Exit, Option

from otap import formats
from otap._numbers import number_text
from otap.cli import options
from otap.cli.output import INCONCLUSIVE, say
from otap.cli.reference_files import choose_references
from otap.errors import FormatError, shown_path
from otap.tasks import TaskRule, assign_tasks

if TYPE_CHECKING:  # loading these would slow down other commands
    from pydantic import JsonValue

    from otap.config import Config
    from otap.learning.reading import ReadRuns
    from otap.trajectory import Trajectory

MAX_LINES = 5  # messages about runs and rows that cannot be used

RunsOrNone = Annotated[
    list[str] | None,
    Argument(
        metavar="RUNS", help="Runs with outcomes: trace files, folders, or patterns in quotes."
    ),
]


@dataclass(frozen=True)
class LabelOptions:
    """The outcomes of runs, where their files do not record them.

    Options:
        good: A folder of good runs. Can be repeated.
        bad: A folder of bad runs. Can be repeated.
        outcomes: A table of outcomes, which replace those in the files. Its columns are id, or task
            and trial; and outcome: a number, true or false, good or bad.
        good_from: The minimum outcome of a good run (default: 1).
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
    """Reads the runs of a command line, and prints which of them cannot be used.

    Args:
        runs: files, folders and patterns.
        labels: the options with the outcomes.
        reading: the options for reading traces.
        rule: where task names are found.

    Raises:
        OtapError: as ``read_labelled``.
    """
    from otap.learning.reading import RunFiles, read_labelled

    names = RunFiles(
        runs or (), labels.good or (), labels.bad or (), labels.outcomes, labels.good_from,
        reading.format_name, reading.reasoning, rule,
    )  # fmt: skip
    read = read_labelled(names)
    say_first(read.failed)
    say_first(read.unused)
    if read.partial:
        verbs = ("is", "counts") if read.partial == 1 else ("are", "count")
        say(
            f"{number_text(read.partial)} outcome{'' if read.partial == 1 else 's'} {verbs[0]}"
            f" between 0 and 1 and {verbs[1]} as bad; --good-from X sets another minimum"
        )
    return read


def known_good(
    names: Sequence[str] | None,
    read: "ReadRuns",
    reading: options.Reading,
    rule: TaskRule | None,
) -> "list[Trajectory] | None":
    """Returns the references that -r names, or None.

    Without -r it prints whether the files of the runs contain references.
    """
    if names:
        references = choose_references(names, reasoning=reading.reasoning)
        return assign_tasks(references, rule)
    for file in read.files if read.has_outcomes else ():
        if _has_gold(file):
            say(
                "the reference of each task is one of its good runs; to use the references in the"
                f" files: -r {shown_path(file)}"
            )
            break
    return None


def _has_gold(file: str) -> bool:
    with suppress(FormatError):  # reported when its runs were read
        return any(True for _ in formats.own_references(file))
    return False


def find_judgement(config: "Config", files: Sequence[str]) -> "dict[str, JsonValue]":
    """Returns the metadata that tells how references judge runs: the first gold's, or the settings.

    Args:
        config: the settings.
        files: the trace files of the runs.
    """
    gold = next(_list_gold(files), None)
    metadata = {} if gold is None else gold.metadata
    keys = ("reference", "only_changes")
    judged: dict[str, JsonValue] = {key: metadata[key] for key in keys if key in metadata}
    if not judged and config.only_changes:
        return {"reference": config.reference, "only_changes": True}
    return judged


def _list_gold(files: Sequence[str]) -> "Iterator[Trajectory]":
    for file in files:
        with suppress(FormatError):  # reported when its runs were read
            yield from formats.own_references(file)


def end_if_failed(read: "ReadRuns") -> None:
    """Ends the program if some runs could not be read, because the output is incomplete.

    Raises:
        Exit: with INCONCLUSIVE.
    """
    if read.failed:
        raise Exit(INCONCLUSIVE)


def say_first(lines: Sequence[str]) -> None:
    """Prints the first few lines to standard error, and the number of the others."""
    for line in lines[:MAX_LINES]:
        say(line)
    if len(lines) > MAX_LINES:
        say(f"and {number_text(len(lines) - MAX_LINES)} more such lines")
