"""``otap score``: the score of one run, why, and a gate on it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from typer import Option

from otap import formats
from otap._numbers import score_text
from otap.cli import options
from otap.cli.gate import check
from otap.cli.output import STANDARD_OUTPUT, check_folder, escaped, is_one_of, same_file, say, write
from otap.cli.references import check_read_once, choose_references
from otap.errors import ConfigError, shown, shown_path
from otap.report.reading import settings_view
from otap.report.terminal.score import score_view, whole_score_view
from otap.report.view import show
from otap.scoring import Config, Explanation, Score, Scorer
from otap.scoring.explanation import EXPLAINED
from otap.scoring.gate import gate
from otap.scoring.selection import TOLD_BY, ReferenceIndex
from otap.trajectory import Trajectory, counted

NOTABLE = 0.01  # of a score, worth a line


@options.as_command
def score(
    *,
    run: options.Run,
    references: options.References = None,
    counting: options.Counting,
    must_tell: Annotated[list[str] | None, Option(metavar="ANSWER")] = None,
    which: options.Which = None,
    task: str | None = None,
    explain: bool = False,
    as_json: options.AsJson = False,
    markdown: options.File = None,
    html: options.File = None,
    redact: bool = False,
    fail_under: options.Bound = None,
    fail_on: options.FailOn = None,
    settings: options.Settings,
    show_config: bool = False,
    reading: options.Reading,
) -> None:
    """Score one run against its references.

    Shows the score, its parts, which step stands for which, and what to look at first.

    Options:
        references: Known-good runs: files, folders, JSONL. If they are of several tasks, those of
            the run's count, or of what its user asked for. Without it, the run's own gold.
        must_tell: An answer that the user must be told, whatever the reference. Can be repeated.
        task: The run's task: the references of this task count.
        explain: Show everything, of every step and every finding.
        as_json: Print the score as JSON.
        markdown: Write why, for a pull request: a table and a graph.
        html: Write a page that shows why, step by step.
        redact: Hide values and texts in what these two write.
        fail_under: Exit with 1 if the score is below X.
        show_config: Print the settings in force, and stop.
    """
    loaded = settings.load(counting)
    if show_config:
        show(settings_view(loaded))
        return
    paths = references or []
    asked = gate(fail_under, fail_on or [])
    _check_reports(markdown, html, [run, *paths], redact)
    if as_json and STANDARD_OUTPUT in map(str, (markdown, html)):
        raise ConfigError("--json prints, and so does a report named -; give the report a file")
    check_read_once([run, *paths])
    files = list(formats.open_files(run, format=reading.format_name))
    runs = [one for file in files for one in file.runs(reasoning=reading.reasoning)]
    trajectory = formats.select(runs, which, run)
    if task is not None:
        trajectory = trajectory.model_copy(update={"task": task})
    own = (one for file in files for one in file.references())
    given = choose_references(paths, own, reasoning=reading.reasoning, rule=loaded.config.task_rule)
    gold = _of_its_task(trajectory, ReferenceIndex(given, loaded.config.task_rule), task)
    if must_tell:
        gold = _asking(gold, must_tell)
    # Reports show several references, the terminal the best one, JSON none.
    most = EXPLAINED if markdown or html else int(not as_json)
    explained = Scorer(loaded.config).explain(trajectory, gold, most)
    result = explained.score
    _warn(result)
    if not as_json:
        _say_if_only_changes(trajectory, gold, loaded.config, result)
    _write_reports(markdown, html, explained, redact=redact)
    try:
        if as_json:
            print(escaped(result.to_json(indent=2)))
        else:
            view = whole_score_view if explain else score_view
            show(view(explained), fit=True)
    finally:
        check(asked, result)


def _check_reports(
    markdown: Path | None, html: Path | None, read: Sequence[str], redact: bool
) -> None:
    """Refuses, before any work is done, reports that cannot be written or would replace a trace.

    Raises:
        ConfigError: if so.
    """
    reports = [report for report in (markdown, html) if report is not None]
    if redact and not reports:
        raise ConfigError("--redact hides what --html and --markdown write; name one of these")
    for report in reports:
        check_folder(report)
        if is_one_of(report, read):
            raise ConfigError(f"{shown_path(report)}: is what is scored; name another file")
    if len(reports) == 2 and same_file(*reports):
        raise ConfigError("--markdown and --html name one file; one would be lost")


def _write_reports(
    markdown: Path | None, html: Path | None, explained: Explanation, *, redact: bool
) -> None:
    if redact:
        from otap.report.redaction import Redactor

        explained = Redactor().redact(explained)
    if markdown is not None:
        from otap.report.markdown import score_markdown

        write(markdown, score_markdown(explained))
    if html is not None:
        from otap.report.pages.run import score_page

        write(html, score_page(explained))
        if str(html) != STANDARD_OUTPUT:
            say(f"the page is in {shown_path(html)}")


def _of_its_task(
    run: Trajectory, references: ReferenceIndex, task: str | None
) -> Sequence[Trajectory]:
    """The references of a run: of the task that was said, else those that the run is told by."""
    if task is not None:
        return references.of_task(task)
    chosen = references.of_run(run)
    if chosen.by in ("request", "group"):
        whose = "" if chosen.task is None else f": task '{shown(chosen.task)}'"
        say(f"references found by {TOLD_BY[chosen.by]}{whose}")
    return chosen.references


def _asking(references: Sequence[Trajectory], answers: Sequence[str]) -> Sequence[Trajectory]:
    """The references, each asking for more answers, whatever it told itself.

    Raises:
        ConfigError: for a blank answer, which every text and none would hold.
    """
    if not all(answer.strip() for answer in answers):
        raise ConfigError("--must-tell: an answer is blank; give the words or the number")
    return [
        one.model_copy(update={"must_tell": (*one.must_tell, *answers), "told": None})
        for one in references
    ]


def _say_if_only_changes(
    run: Trajectory, references: Sequence[Trajectory], config: Config, result: Score
) -> None:
    """Says what a recorded run that serves as a reference leaves open: whether its looks count."""
    if config.only_changes or config.preset_name != "default" or result.score == 1:
        return
    if any({"only_changes", "reference"} & one.metadata.keys() for one in references):
        return
    changed = config.model_copy(update={"only_changes": True, "reference": "required"})
    other = Scorer(changed).score(run, references)
    if abs(other.score - result.score) > NOTABLE:
        say(
            "the references are whole runs; if only what changes something decides whether a run"
            f" is good, --required --only-changes makes it {score_text(other.score)}"
        )


def _warn(result: Score) -> None:
    """Says on standard error what makes a score say less than it seems to."""
    if not result.understood:
        say(f"nothing was understood of the run: {counted(result.unknown.agent)}")
    if result.mass is None and result.loss == 0:
        say("nothing was compared: neither side has a step that counts")
