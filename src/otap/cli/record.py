"""``otap record``: freezes good runs as references, without secrets and personal data."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Exit, Option

from otap._numbers import count_text
from otap.cli import options
from otap.cli.labels import LabelOptions, RunsOrNone, end_if_failed, labelled_runs
from otap.cli.output import GATE_FAILED, say
from otap.cli.progress import Elapsed
from otap.errors import ConfigError

if TYPE_CHECKING:  # loaded when needed, so that other commands start faster
    from otap.learning.reading import ReadRuns
    from otap.trajectory import Trajectory


@options.as_command
def record(
    *,
    runs: RunsOrNone = None,
    output: Annotated[Path, Option("-o", metavar="FOLDER")] = Path("gold"),
    force: bool = False,
    no_redaction: bool = False,
    labels: LabelOptions,
    counting: options.Counting,
    settings: options.Settings,
    reading: options.Reading,
) -> None:
    """Record good runs as references, one file for each task.

    A single run of a task stays a run, several become a plan. Several stay runs if a plan could
    not bind a value to its source, such as a hidden recipient. Secrets and personal data are
    replaced: a placeholder stands for the value of its kind in the run. A recording is never
    replaced without asking.

    Examples:
      otap record good-run.json
      otap record runs/ -o gold/

    Exit codes:
      0  done
      1  a recording that exists was not replaced
      2  bad input or usage
      3  a run could not be read

    Options:
        output: The folder of the references.
        force: Replace existing recordings without asking.
        no_redaction: Keep secrets and personal data as they are.
    """
    from otap.cli.golden_files import read_folder, read_today, write_recordings
    from otap.golden.records import compare_with_existing, record_runs

    if output.exists() and not output.is_dir():
        raise ConfigError(f"{output}: is no folder; name one with -o")
    config = settings.load(counting).config
    read = labelled_runs(runs, labels, reading, config.task_rule)
    good = select_good(read)
    with Elapsed(f"recording {count_text(len(good), 'run')}"):
        recordings = record_runs(good, read_today().date(), config, redact=not no_redaction)
        existing = read_folder(output)
        replacements = list(compare_with_existing(recordings, good, existing, config))
    count, refused = write_recordings(replacements, output, force=force)
    say(f"{count_text(count, 'reference')} written to {output}/")
    if refused:
        say(f"not replaced: {', '.join(refused[:5])}; --force replaces without asking")
        raise Exit(GATE_FAILED)
    end_if_failed(read)


def select_good(read: "ReadRuns") -> "list[Trajectory]":
    """Returns the runs with a good outcome; all of them if no run has an outcome.

    Raises:
        ConfigError: if runs have outcomes and none is good.
    """
    good = [labelled.run for labelled in read.runs if labelled.good or not read.has_outcomes]
    if not good:
        raise ConfigError("no run is good; references are recorded from good runs")
    count = len(read.runs) - len(good)
    if count:
        say(f"{count_text(count, 'run')} without a good outcome left out")
    return good
