"""``otap calibrate``: the threshold that holds a rate of false alarms on good runs of new tasks."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Exit, Option

from otap.cli.labels import LabelOptions, RunsOrNone, end_if_failed, known_good, labelled_runs
from otap.cli.options import (
    AsJson,
    Bound,
    Counting,
    Jobs,
    Plot,
    ReadingOptions,
    References,
    SettingsOptions,
    as_command,
)
from otap.cli.output import INCONCLUSIVE, check_plot, escaped, say, write_plot
from otap.errors import ConfigError, shown_path
from otap.report.view import show
from otap.scoring import Config

if TYPE_CHECKING:  # what calibrates is loaded when it is asked for: other commands start sooner
    from otap.learning.calibration import Calibration
    from otap.learning.reading import ReadRuns
    from otap.trajectory import Trajectory

Held = tuple[float | None, float | None]  # --false-alarms and --confidence


class On(StrEnum):
    """What a threshold can be put on."""

    SCORE = "score"
    SKILL = "skill"
    SEVERITY = "severity"


@as_command
def calibrate(
    *,
    runs: RunsOrNone = None,
    references: References = None,
    labels: LabelOptions,
    on: On = On.SCORE,
    false_alarms: Bound = None,
    confidence: Annotated[float | None, Option(metavar="P")] = None,
    plot: Plot = None,
    as_json: AsJson = False,
    jobs: Jobs = None,
    counting: Counting,
    settings: SettingsOptions,
    reading: ReadingOptions,
) -> None:
    """Find the threshold that stops a stated share of good runs of new tasks, and what it catches.

    RUNS have outcomes; or they are a file of otap evaluate, whose scores are then taken. Exits with
    3 if there are too few tasks with good runs for a threshold, or a run could not be read.

    Options:
        references: Known-good runs of all tasks: files, folders, JSONL, or files that carry gold.
            Without it, one good run of each task is its reference.
        on: What the threshold is put on.
        false_alarms: The share of good runs of new tasks that may be stopped; else 0.05.
        confidence: Hold that with this probability over calibrations, and not on average over them.
    """
    check_plot(plot)
    read = None
    if _are_results(runs or ()):
        given = [*(references or ()), *(labels.good or ()), *(labels.bad or ())]
        _refuse(given, settings.config, settings.chosen(counting))
        found = _of_results(runs or (), labels, (false_alarms, confidence), on)
    else:
        loaded = settings.load(counting).config
        read = labelled_runs(runs, labels, reading)
        gold = known_good(references, read, reading)
        found = _of_traces(read, gold, loaded, (false_alarms, confidence), on, jobs)
    if plot is not None:
        _draw(found, plot)
    _print(found, as_json=as_json)
    if not found.found:
        raise Exit(INCONCLUSIVE)
    if read is not None:
        end_if_failed(read)


def _are_results(runs: Sequence[str]) -> bool:
    """Whether RUNS are files of ``otap evaluate``.

    Raises:
        ConfigError: if only some of them are.
    """
    from otap.learning.calibration import is_result_file

    results = [name for name in runs if is_result_file(name)]
    if results and len(results) < len(runs):
        raise ConfigError(
            f"{shown_path(results[0])}: holds results of otap evaluate, and other RUNS are traces;"
            " give either"
        )
    return bool(results)


def _refuse(given: Sequence[str], config: Path | None, chosen: Mapping[str, Any]) -> None:
    """Refuses what would have results scored in another way.

    Raises:
        ConfigError: if anything of that was given.
    """
    if given or config is not None or any(value is not None for value in chosen.values()):
        raise ConfigError(
            "results of otap evaluate have their scores: references, folders of runs and settings"
            " belong to the command that made them; leave them out here"
        )


def _of_results(runs: Sequence[str], labels: LabelOptions, held: Held, on: On) -> "Calibration":
    from otap.learning.calibration import of_scored, promise, scored_results
    from otap.learning.reading import read_outcomes

    said = read_outcomes(labels.outcomes) if labels.outcomes else {}
    table = {name: one.outcome for name, one in said.items()}
    wanted = promise(*held)
    say("RUNS are results: their scores are taken, and no run is changed on purpose")
    return of_scored(scored_results(runs, table, labels.good_from), wanted, on.value)


def _of_traces(
    read: "ReadRuns",
    gold: "list[Trajectory] | None",
    config: Config,
    held: Held,
    on: On,
    jobs: int | None,
) -> "Calibration":
    from otap.learning.calibration import calibrated, promise
    from otap.learning.runs import sample
    from otap.transport import processors

    read.require_outcomes()
    known = sample(read.runs, gold)
    return calibrated(known, config, promise(*held), on.value, jobs or processors())


def _draw(found: "Calibration", plot: Path) -> None:
    from otap.report.learned.calibration import calibration_picture

    write_plot(calibration_picture(found), plot)


def _print(found: "Calibration", *, as_json: bool) -> None:
    from otap.report.learned.calibration import calibration_view

    if as_json:
        print(escaped(found.to_json(indent=2)))
    else:
        show(calibration_view(found))
