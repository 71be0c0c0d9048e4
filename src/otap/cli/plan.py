"""``otap plan``: drafts a plan from good runs, or checks runs against a plan."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Exit, Option

from otap import formats
from otap._numbers import count_text, score_text
from otap.cli import options
from otap.cli.labels import (
    LabelOptions,
    RunsOrNone,
    end_if_failed,
    find_judgement,
    labelled_runs,
)
from otap.cli.output import (
    GATE_FAILED,
    INCONCLUSIVE,
    STANDARD_OUTPUT,
    check_folder,
    escaped,
    make_folder,
    name_part,
    say,
    write,
)
from otap.cli.progress import Elapsed
from otap.cli.secrets import copy_redacted, redact_runs, say_replaced
from otap.errors import ConfigError, NoReferenceError, shown, shown_path
from otap.plans import Plan
from otap.report.view import Cell, ViewTable, show

if TYPE_CHECKING:  # loaded when needed, so that other commands start faster
    from otap.config import Config
    from otap.scoring import Score
    from otap.trajectory import Trajectory

_MAX_TASKS_LISTED = 5  # in an error


@options.as_command
def plan(
    *,
    runs: RunsOrNone = None,
    check: Annotated[list[str] | None, Option(metavar="PLAN")] = None,
    output: options.Output = None,
    no_redaction: bool = False,
    labels: LabelOptions,
    counting: options.Counting,
    settings: options.Settings,
    reading: options.Reading,
) -> None:
    """Draft a plan from good runs, or check runs against a plan.

    A plan lists the steps that must, may and must never happen. A draft has the evidence for each
    line. Good runs have a good outcome in their files or in --outcomes, or are in a folder of
    --good. If no run has an outcome, all count as good.

    Examples:
      otap plan runs/ -o plan.toml
      otap plan runs/ --check plan.toml

    Exit codes:
      0  done; with --check: all runs fulfil their plan
      1  with --check: a run does not
      2  bad input or usage
      3  no verdict: a run could not be read or scored, or evidence is lacking

    Options:
        check: Check the runs against this plan, or the plans of this folder, and show why a run
            does not fulfil it. Can be repeated.
        output: Write the plan to this .toml file, or the plans of several tasks to this folder.
        no_redaction: Keep secrets and personal data as they are.
    """
    config = settings.load(counting).config
    read = labelled_runs(runs, labels, reading, config.task_rule)
    if check and output is not None:
        raise ConfigError("-o is for a draft; --check writes to standard output")
    if check:
        _check([labelled.run for labelled in read.runs], check, config)
    else:
        if not read.has_outcomes:
            say("no run has an outcome: all runs count as good")
        by_task: dict[str, list[Trajectory]] = {}
        for labelled in read.runs:
            if labelled.good or not read.has_outcomes:
                by_task.setdefault(labelled.run.task or "", []).append(labelled.run)
        if not by_task:
            raise ConfigError("no run is good; a plan is drafted from good runs")
        groups = list(by_task.values())
        if not no_redaction:
            redacted = [redact_runs(task_runs) for task_runs in groups]
            say_replaced([redaction for redactions in redacted for redaction in redactions])
            groups = [copy_redacted(redactions) for redactions in redacted]
        judgement = find_judgement(config, read.files)
        if judgement.get("only_changes") is True:
            config = config.model_copy(update={"only_changes": True})
        _draft(groups, output, config)
    end_if_failed(read)


def _draft(groups: "list[list[Trajectory]]", output: Path | None, config: "Config") -> None:
    """Writes a plan for the runs of each task.

    Raises:
        ConfigError: if there are several plans and no folder, or if the output exists.
    """
    from otap.learning import draft_plan

    is_folder = output is not None and output.suffix != ".toml" and str(output) != STANDARD_OUTPUT
    if output is not None and is_folder and output.suffix and not output.is_dir():
        raise ConfigError(f"{shown_path(output)}: name a file that ends in .toml, or a folder")
    if len(groups) > 1 and not is_folder:
        tasks = [runs[0].task or "" for runs in groups]
        names = ", ".join(shown(name, 40) for name in tasks[:_MAX_TASKS_LISTED])
        raise ConfigError(
            f"the runs are of {len(tasks)} tasks ({names}"
            f"{', ...' if len(tasks) > _MAX_TASKS_LISTED else ''}); -o FOLDER writes all plans"
        )
    if output is not None and str(output) != STANDARD_OUTPUT:
        if output.exists() and not (is_folder and output.is_dir() and not any(output.iterdir())):
            raise ConfigError(f"{shown_path(output)}: exists already; name another, or remove it")
        check_folder(output)
    used_names = set[str]()
    for runs in groups:
        task = runs[0].task or ""
        with Elapsed(f"drafting a plan from {count_text(len(runs), 'run')}"):
            draft = draft_plan(runs, config)
        failing = sum(score.severity not in (None, "minor") for score in draft.scores)
        if failing:
            sources = f"{failing} of {count_text(len(draft.scores), 'source run')}"
            say(f"{shown(task or 'the plan', 60)}: {sources} fail it; see its first lines")
        if output is None or str(output) == STANDARD_OUTPUT:
            print(escaped(draft.text), end="")
        else:
            write(
                _name_file(output, task, used_names) if is_folder else output, escaped(draft.text)
            )


def _name_file(folder: Path, task: str, used_names: set[str]) -> Path:
    make_folder(folder)
    stem = name_part(task) or "plan"
    name, number = stem, 2
    while name.lower() in used_names:
        name, number = f"{stem}-{number}", number + 1
    used_names.add(name.lower())
    return folder / f"{name}.toml"


def _check(runs: "Sequence[Trajectory]", names: Sequence[str], config: "Config") -> None:
    """Shows for each run whether it fulfils the plan of its task, or why not.

    Raises:
        ConfigError: if there is no plan.
        Exit: with GATE_FAILED if a run fails, with INCONCLUSIVE if no run has a plan.
    """
    from otap.scoring import Scorer
    from otap.scoring.selection import ReferenceIndex

    plans = _read_plans(names)
    index, scorer = ReferenceIndex(plans, config.task_rule), Scorer(config)
    tasks = {plan.task for plan in plans}
    rows: list[Sequence[Cell]] = []
    runs_without_plan = 0
    for run in runs:
        try:
            if None not in {run.task, *tasks} and run.task not in tasks:
                raise NoReferenceError("of another task")
            references = index.of_run(run).references
        except NoReferenceError:
            runs_without_plan += 1
            continue
        rows.append(_row(run, scorer.score(run, references) if run.understood else None))
    if rows:
        show((ViewTable(rows, ("fulfils", "run", "score", "why not")),), fit=True)
    if runs_without_plan:
        say(f"{count_text(runs_without_plan, 'run')} of other tasks")
    if not rows:
        say("no run is of a task of these plans, so no run was checked")
        raise Exit(INCONCLUSIVE)
    if any(row[0].text != "yes" for row in rows):
        raise Exit(GATE_FAILED)


def _read_plans(names: Sequence[str]) -> list[Plan]:
    """Returns the plans of files and folders.

    Raises:
        ConfigError: if one holds no plan.
    """
    plans = list[Plan]()
    for name in names:
        references = formats.read_references(name)
        plans_of_file = [reference for reference in references if isinstance(reference, Plan)]
        if not plans_of_file:
            raise ConfigError(f"{shown_path(name)}: holds no plan")
        plans += plans_of_file
    return plans


def _row(run: "Trajectory", score: "Score | None") -> Sequence[Cell]:
    """Returns the table row of a run, which has no score if nothing was understood."""
    name = Cell(shown(run.name, 40))
    if score is None:
        return Cell("?"), name, Cell(""), Cell("nothing was understood")
    sentences = [finding.sentence for finding in score.findings if finding.severity != "minor"]
    why = sentences[0] if sentences else ""
    fulfils = Cell("no", "bold red") if why else Cell("yes", "green")
    if score.conditions.answers_recorded is False and not why:
        why = "the plan requires answers, but no messages to the user are recorded"
    return fulfils, name, Cell(score_text(score.score)), Cell(why)
