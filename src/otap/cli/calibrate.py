"""``otap calibrate``: the threshold that holds a rate of false alarms on good runs of new tasks."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from otap.cli.exits import INCONCLUSIVE
from otap.cli.labels import end_if_failed, labelled_runs
from otap.cli.options import (
    Bad,
    ConfigFile,
    Dependencies,
    Encoder,
    FormatName,
    Good,
    GoodFrom,
    OnlyChanges,
    Outcomes,
    Preset,
    Reasoning,
    Required,
    RunsOrNone,
    settings,
)
from otap.cli.output import escaped, say
from otap.errors import ConfigError, NoReferenceError, shown_path
from otap.report.view import show
from otap.scoring import Config
from otap.scoring.config.file import load_config

if TYPE_CHECKING:  # what calibrates is loaded when it is asked for: other commands start sooner
    from otap.learning.calibration import Calibration, Promise
    from otap.learning.runs import Found
    from otap.trajectory import Trajectory


class On(StrEnum):
    """What a threshold can be put on."""

    SCORE = "score"
    SKILL = "skill"
    SEVERITY = "severity"


def calibrate(
    runs: RunsOrNone = None,
    references: Annotated[
        list[str] | None,
        typer.Option(
            "--reference", "-r", metavar="REF",
            help="Known-good runs of all tasks: files, folders, JSONL. Without it, one good run a "
            "task is the reference.",
        ),
    ] = None,
    good: Good = None,
    bad: Bad = None,
    outcomes: Outcomes = None,
    good_from: GoodFrom = None,
    on: Annotated[On, typer.Option(help="What the threshold is put on.")] = On.SCORE,
    false_alarms: Annotated[
        float | None,
        typer.Option(
            "--false-alarms", metavar="X",
            help="The share of good runs of new tasks that may be stopped; else 0.05.",
        ),
    ] = None,
    confidence: Annotated[
        float | None,
        typer.Option(
            metavar="P",
            help="Hold that with this probability over calibrations, and not on average over them.",
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw it: FILE.svg or FILE.png. Needs matplotlib."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Processes; else one for each processor."),
    ] = None,
    required: Required = False,
    only_changes: OnlyChanges = False,
    preset: Preset = None,
    encoder: Encoder = None,
    dependencies: Dependencies = None,
    config: ConfigFile = None,
    format_name: FormatName = None,
    reasoning: Reasoning = False,
) -> None:  # fmt: skip
    """Find the threshold that stops a stated share of good runs of new tasks, and what it catches.

    RUNS have outcomes; or they are a file of otap evaluate, whose scores are then taken. Exits with
    3 if there are too few tasks with good runs for a threshold, or a run could not be read.
    """
    from otap.learning.calibration import promise

    chosen = settings(preset, encoder, dependencies, required=required, only_changes=only_changes)
    held = promise(0.05 if false_alarms is None else false_alarms, confidence)
    _check_plot(plot, runs or ())
    if _are_results(runs or ()):
        _refuse([*(references or ()), *(good or ()), *(bad or ()), *filter(None, [config])], chosen)
        found, read = _of_results(runs or (), outcomes, good_from, held, on), None
    else:
        loaded = load_config(config, chosen)
        read = labelled_runs(runs, good, bad, outcomes, good_from, format_name, reasoning=reasoning)
        known_good = _references(references, reasoning=reasoning)
        found = _of_traces(read, known_good, loaded.config, held, on, jobs)
    _report(found, plot, as_json)
    if not found.found:
        raise typer.Exit(INCONCLUSIVE)
    if read is not None:
        end_if_failed(read)
