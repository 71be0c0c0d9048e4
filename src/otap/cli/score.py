"""``otap score``: scores one run, explains the score, and applies a gate."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from typer import Option

from otap import formats
from otap._numbers import count_text, score_text
from otap.cli import options
from otap.cli.gating import check
from otap.cli.output import STANDARD_OUTPUT, check_folder, escaped, is_one_of, same_file, say, write
from otap.cli.progress import Elapsed
from otap.cli.reference_files import check_read_once, choose_references
from otap.cli.sessions import open_run
from otap.cli.settings import check_tools, list_tools, print_file
from otap.errors import ConfigError, NoReferenceError, shown, shown_path
from otap.report.file_contents import settings_view
from otap.report.terminal.score_view import score_view, whole_score_view
from otap.report.view import show
from otap.scoring import Config, Explanation, Score, Scorer
from otap.scoring.explanation import EXPLAINED
from otap.scoring.gate import gate
from otap.scoring.selection import HINT, MATCHED_BY, ReferenceIndex
from otap.trajectory import Trajectory, kinds_text

MAX_STEPS_WITH_ADVICE = 300  # steps of a run that is scored again for advice
MAX_WORK_WITH_ADVICE = 1_000_000  # units of work to read it; 200 kB of text
NOTABLE_DIFFERENCE = 0.01  # of scores; a smaller difference is not printed


@options.as_command
def score(
    *,
    run: options.RunOrNone = None,
    session: options.Session = None,
    references: options.References = None,
    counting: options.Counting,
    required_answer: Annotated[list[str] | None, Option(metavar="ANSWER")] = None,
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
    show_roles: bool = False,
    reading: options.Reading,
) -> None:
    """Score one run against its references, and explain the score.

    Shows the score, the reasons for it, and which step of the run corresponds to which step of the
    best reference.

    Examples:
      otap score mine.json -r good.json
      otap score mine.json -r good/ --html page.html
      otap score mine.json -r good.json --fail-on critical
      otap score --session latest -r gold/
      otap score mine.json -r good.json --show-roles > otap.toml

    Exit codes:
      0  passed, or no gate was set
      1  the gate failed: --fail-under, --fail-on or --strict
      2  bad input or usage
      3  no verdict: a run could not be read or scored, or evidence is lacking

    Options:
        references: Known-good runs or plans: files or folders. If they are of several tasks,
            only those of the run's task count (default: the gold in the file of the run).
        required_answer: An answer that the user must get, in addition to those of the
            references. Can be repeated.
        task: The task whose references to use (default: the task of the run).
        explain: Show every step, every finding, and every number that enters the score.
        as_json: Print the score as JSON.
        markdown: Write an explanation with a graph, for a pull request; - prints it.
        html: Write a page that explains the score step by step.
        redact: Hide values, texts and names in everything that is printed or written.
        fail_under: Exit with 1 if the score is below X.
        show_config: Print the settings in force, and exit.
        show_roles: Print the tools with their inferred roles as a settings file, and exit.
    """
    loaded = settings.load(counting)
    if show_config:
        show(settings_view(loaded))
        return
    paths = references or []
    run_gate = gate(fail_under, fail_on or [], strict=loaded.config.strict)
    inputs = [*([] if run is None else [run]), *paths]
    _check_reports(markdown, html, inputs)
    if as_json and STANDARD_OUTPUT in (str(markdown), str(html)):
        raise ConfigError("--json and a report named - both print; write the report to a file")
    check_read_once(inputs)
    name, files = open_run(run, session, reading)
    runs = [run for file in files for run in file.runs(reasoning=reading.reasoning)]
    trajectory = formats.select(runs, which, name)
    if task is not None:
        trajectory = trajectory.model_copy(update={"task": task})
    gold = (reference for file in files for reference in file.references())
    rule = loaded.config.task_rule
    candidates = choose_references(paths, gold, reasoning=reading.reasoning, rule=rule)
    index = ReferenceIndex(candidates, rule)
    chosen = _select_references(trajectory, index, task, is_redacted=redact)
    if show_roles:
        _print_roles([trajectory, *chosen], loaded.config)
        return
    if required_answer:
        chosen = _add_answers(chosen, required_answer)
    # Reports show several references, the terminal the best one, JSON none.
    most = EXPLAINED if markdown or html else int(not as_json)
    if not as_json:
        print_file(loaded)
    check_tools(loaded.config, list_tools([trajectory, *candidates]))
    with Elapsed(f"comparing with {count_text(len(chosen), 'reference')}"):
        scorer = Scorer(loaded.config)
        explanation = scorer.explain(trajectory, chosen, most)
    if not as_json:
        _suggest_only_changes(trajectory, chosen, scorer, explanation.score)
    explanation = _redact(explanation, [trajectory, *chosen]) if redact else explanation
    score = explanation.score
    _warn(score)
    _write_reports(markdown, html, explanation)
    try:
        if as_json:
            print(escaped(score.to_json(indent=2)))
        elif STANDARD_OUTPUT not in (str(markdown), str(html)):
            view = whole_score_view if explain else score_view
            show(view(explanation), fit=True)
    finally:
        check(run_gate, score)


def _redact(explanation: Explanation, runs: Sequence[Trajectory]) -> Explanation:
    from otap.report.redaction import Redactor

    return Redactor(runs).redact(explanation)


def _print_roles(runs: Sequence[Trajectory], config: Config) -> None:
    """Prints the roles of all tools that some runs call, as a settings file."""
    from otap.learning import learn

    print(escaped(learn(runs, config=config).to_toml()), end="", flush=True)


def _check_reports(markdown: Path | None, html: Path | None, inputs: Sequence[str]) -> None:
    """Checks before any work that the reports can be written, and replace no input.

    Raises:
        ConfigError: if not.
    """
    reports = [report for report in (markdown, html) if report is not None]
    for report in reports:
        check_folder(report)
        if is_one_of(report, inputs):
            raise ConfigError(f"{shown_path(report)}: is an input; name another file")
    if len(reports) == 2 and same_file(*reports):
        raise ConfigError("--markdown and --html name the same file; one would be lost")


def _write_reports(markdown: Path | None, html: Path | None, explanation: Explanation) -> None:
    if markdown is not None:
        from otap.report.markdown import score_markdown

        write(markdown, score_markdown(explanation))
    if html is not None:
        from otap.report.pages.run_page import score_page

        write(html, score_page(explanation))
        if str(html) != STANDARD_OUTPUT:
            say(f"the page is in {shown_path(html)}")


def _select_references(
    run: Trajectory, references: ReferenceIndex, task: str | None, *, is_redacted: bool
) -> Sequence[Trajectory]:
    """Returns the references of a task, or else of the run; prints if the request decided.

    Raises:
        NoReferenceError: if there are none; with ``is_redacted`` it names no task.
    """
    if task is not None:
        return references.of_task(task)
    try:
        chosen = references.of_run(run)
    except NoReferenceError:
        if not is_redacted:
            raise
        raise NoReferenceError(
            f"no reference is of the task of the run; {HINT}; without --redact, this error names"
            " the tasks"
        ) from None
    if chosen.by in ("request", "group"):
        has_name = not is_redacted and chosen.task is not None
        ending = f": task '{shown(chosen.task)}'" if has_name else ""
        say(f"references chosen by {MATCHED_BY[chosen.by]}{ending}")
    return chosen.references


def _add_answers(references: Sequence[Trajectory], answers: Sequence[str]) -> Sequence[Trajectory]:
    """Returns the references with more required answers, in place of their own messages.

    Raises:
        ConfigError: if an answer is blank.
    """
    if not all(answer.strip() for answer in answers):
        raise ConfigError("--required-answer: an answer is blank; give words or a number")
    return [
        reference.model_copy(
            update={
                "required_answers": (*reference.required_answers, *answers),
                "messages_to_user": None,
            }
        )
        for reference in references
    ]


def _suggest_only_changes(
    run: Trajectory, references: Sequence[Trajectory], scorer: Scorer, score: Score
) -> None:
    """Prints the score with --only-changes, if it differs and the references do not decide.

    A recorded run that serves as a reference does not say whether its look-ups count.
    """
    config = scorer.config
    if config.only_changes or config.preset_name != "default" or score.score == 1:
        return
    work = scorer.metric.runs.of(run, is_transient=True).reading_work
    if run.size > MAX_STEPS_WITH_ADVICE or work > MAX_WORK_WITH_ADVICE:
        return  # the advice takes as long as the score
    if any({"only_changes", "reference"} & reference.metadata.keys() for reference in references):
        return
    changed = config.model_copy(update={"only_changes": True, "reference": "required"})
    changes_score = scorer.with_config(changed).score(run, references).score
    if abs(changes_score - score.score) > NOTABLE_DIFFERENCE:
        say(
            "the references are whole runs; if only steps that change something decide whether a"
            f" run is good, use --required --only-changes (score {score_text(changes_score)})"
        )


def _warn(score: Score) -> None:
    """Prints on standard error why a score means less than it seems."""
    if not score.understood:
        kinds = kinds_text(score.unknown.agent)
        say(f"nothing was understood of the run{': ' if kinds else ''}{kinds}")
    if score.mass is None and score.loss == 0:
        say("nothing was compared: neither side has a step that counts")
