"""``otap calibrate``: the threshold that holds a rate of false alarms on good runs of new tasks."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

from typer import Exit, Option

from otap.cli import options
from otap.cli.labels import LabelOptions, RunsOrNone, end_if_failed, known_good, labelled_runs
from otap.cli.output import INCONCLUSIVE, escaped, say, write_bytes
from otap.errors import ConfigError, shown_path
from otap.report.picture import check_picture, picture_file
from otap.report.view import show
from otap.transport import processors


class On(StrEnum):
    """What a threshold can be put on."""

    SCORE = "score"
    SKILL = "skill"
    SEVERITY = "severity"


@options.as_command
def calibrate(
    *,
    runs: RunsOrNone = None,
    references: options.References = None,
    labels: LabelOptions,
    on: On = On.SEVERITY,
    false_alarms: options.Bound = None,
    confidence: Annotated[float | None, Option(metavar="P")] = None,
    plot: options.Plot = None,
    as_json: options.AsJson = False,
    jobs: options.Jobs = None,
    counting: options.Counting,
    settings: options.Settings,
    reading: options.Reading,
) -> None:
    """Find the gate that stops a stated share of good runs of new tasks, and say what it catches.

    RUNS have outcomes; or they are a file of otap evaluate, whose scores are then taken. Exits with
    3 if there are too few tasks with good runs for a threshold, or a run could not be read.

    Options:
        references: Known-good runs of all tasks: files, folders, JSONL, or files that carry gold.
            Without it, one good run of each task is its reference.
        on: What the gate is put on: the severity of findings, or a threshold of score or skill.
        false_alarms: The share of good runs of new tasks that may be stopped; else 0.05.
        confidence: Hold that with this probability over calibrations, and not on average over them.
    """
    from otap.learning.calibration import (
        calibrate_sample,
        calibrate_scored,
        make_promise,
        read_scored_results,
    )
    from otap.learning.reading import read_outcomes
    from otap.learning.runs import build_sample
    from otap.report.learned.calibration import calibration_picture, calibration_view

    if plot is not None:
        check_picture(plot)
    read = None
    if _are_results(runs or ()):
        chosen = settings.chosen(counting).values()
        if references or labels.good or labels.bad or settings.config or any(chosen):
            raise ConfigError(
                "results of otap evaluate have their scores: references, folders of runs and"
                " settings belong to the command that made them; leave them out here"
            )
        said = read_outcomes(labels.outcomes) if labels.outcomes else {}
        table = {name: one.outcome for name, one in said.items()}
        wanted = make_promise(false_alarms, confidence)
        say("RUNS are results: their scores are taken, and no run is changed on purpose")
        found = calibrate_scored(
            read_scored_results(runs or (), table, labels.good_from), wanted, on.value
        )
    else:
        config = settings.load(counting).config
        read = labelled_runs(runs, labels, reading, config.task_rule)
        gold = known_good(references, read, reading, config.task_rule)
        read.require_outcomes()
        known = build_sample(read.runs, gold)
        wanted = make_promise(false_alarms, confidence)
        found = calibrate_sample(known, config, wanted, on.value, jobs or processors())
    if plot is not None:
        write_bytes(plot, picture_file(calibration_picture(found), plot))
    if as_json:
        print(escaped(found.to_json(indent=2)))
    else:
        show(calibration_view(found))
    if not found.has_gate:
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
