"""``otap calibrate``: finds a threshold with a given false-alarm rate on new tasks."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

from typer import Exit, Option

from otap._numbers import count_text
from otap.cli import options
from otap.cli.labels import LabelOptions, RunsOrNone, end_if_failed, known_good, labelled_runs
from otap.cli.output import INCONCLUSIVE, escaped, say
from otap.cli.progress import Elapsed
from otap.errors import ConfigError, shown_path
from otap.report.view import show
from otap.transport import processors


class On(StrEnum):
    """The measures that a gate can use."""

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
    as_json: options.AsJson = False,
    jobs: options.Jobs = None,
    counting: options.Counting,
    settings: options.Settings,
    reading: options.Reading,
) -> None:
    """Find a gate that stops few good runs of new tasks.

    The gate is for --fail-on or --fail-under. RUNS are runs with outcomes, or a result file of otap
    evaluate. Also shows the runs that the gate stops.

    Examples:
      otap calibrate runs/ --false-alarms 0.1
      otap calibrate results.jsonl --on score

    Exit codes:
      0  done
      2  bad input or usage
      3  no verdict: a run could not be read or scored, or evidence is lacking

    Options:
        references: Known-good runs of all tasks: files or folders (default: one good run of
            each task).
        on: The measure of the gate: the severity of findings, or a threshold of score or skill.
        false_alarms: The share of good runs of new tasks that may be stopped (default: 0.05).
        confidence: Keep this share with this probability, instead of on average.
    """
    from otap.learning.calibration import (
        calibrate_sample,
        calibrate_scored,
        make_promise,
        read_scored_results,
    )
    from otap.learning.reading import read_outcomes
    from otap.learning.samples import build_sample
    from otap.report.learned import calibration_view

    read = None
    if _are_results(runs or ()):
        overrides = settings.overrides(counting).values()
        if references or labels.good or labels.bad or settings.config or any(overrides):
            raise ConfigError(
                "results of otap evaluate already have their scores; leave out references, folders"
                " of runs and settings, which belong to otap evaluate"
            )
        labelled = read_outcomes(labels.outcomes) if labels.outcomes else {}
        outcomes = {name: label.outcome for name, label in labelled.items()}
        target = make_promise(false_alarms, confidence)
        say("RUNS are results: their scores are used")
        results = read_scored_results(runs or (), outcomes, labels.good_from)
        calibration = calibrate_scored(results, target, on.value)
    else:
        config = settings.load(counting).config
        read = labelled_runs(runs, labels, reading, config.task_rule)
        gold = known_good(references, read, reading, config.task_rule)
        read.require_outcomes()
        target = make_promise(false_alarms, confidence)
        with Elapsed(f"scoring {count_text(len(read.runs), 'run')}"):
            calibration = calibrate_sample(
                build_sample(read.runs, gold), config, target, on.value, jobs or processors()
            )
    if as_json:
        print(escaped(calibration.to_json(indent=2)))
    else:
        show(calibration_view(calibration))
    if not calibration.has_gate:
        raise Exit(INCONCLUSIVE)
    if read is not None:
        end_if_failed(read)


def _are_results(runs: Sequence[str]) -> bool:
    """Returns whether RUNS are result files of ``otap evaluate``.

    Raises:
        ConfigError: if only some of them are.
    """
    from otap.learning.calibration import is_result_file

    results = [name for name in runs if is_result_file(name)]
    if results and len(results) < len(runs):
        raise ConfigError(
            f"{shown_path(results[0])}: is a result file of otap evaluate, but other RUNS are"
            " traces; give only one kind"
        )
    return bool(results)
