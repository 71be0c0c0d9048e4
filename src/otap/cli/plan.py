"""``otap plan``: a plan drafted out of good runs, and which runs fulfil one."""

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
from otap.errors import ConfigError, NoReferenceError, shown, shown_path
from otap.plans import Plan
from otap.report.view import Cell, Table, show

if TYPE_CHECKING:  # what scores is loaded when it is asked for: other commands start sooner
    from otap.config import Config
    from otap.scoring import Score
    from otap.trajectory import Trajectory

_NAMED = 5  # tasks that an error names


@options.as_command
def plan(
    *,
    runs: RunsOrNone = None,
    check: Annotated[list[str] | None, Option(metavar="PLAN")] = None,
    output: options.Output = None,
    labels: LabelOptions,
    counting: options.Counting,
    settings: options.Settings,
    reading: options.Reading,
) -> None:
    """Draft a plan out of good runs, or check which runs fulfil one.

    Of each task that has good runs one plan, with the evidence beside every line. Runs are good by
    the outcomes in their files, --good or --outcomes; where none has an outcome, all are.

    Options:
        check: Say which of the runs fulfil this plan, or those of a folder, and which not and why;
            ends with 1 if one does not. A run fulfils its plan if nothing found is above minor. Can
            be repeated.
        output: Write the plan to this .toml file; of several tasks, one file each into this folder.
    """
    in_force = settings.load(counting).config
    found = labelled_runs(runs, labels, reading, in_force.task_rule)
    if check and output is not None:
        raise ConfigError("-o is for a draft; --check writes to standard output")
    if check:
        _check([one.run for one in found.runs], check, in_force)
    else:
        chosen = [one.run for one in found.runs if one.good or not found.has_outcomes]
        if not found.has_outcomes:
            say("no run says how it ended: each is taken as good")
        if not chosen:
            raise ConfigError("no run is good, and a plan is drafted out of good ones")
        judged = find_judgement(in_force, found.files)
        if judged.get("only_changes") is True:
            in_force = in_force.model_copy(update={"only_changes": True})
        _draft(_group(chosen), output, in_force)
    end_if_failed(found)


def _group(runs: "Sequence[Trajectory]") -> "dict[str, list[Trajectory]]":
    """The runs by the names of their tasks."""
    found: dict[str, list[Trajectory]] = {}
    for run in runs:
        found.setdefault(run.task or "", []).append(run)
    return found


def _draft(by_task: "dict[str, list[Trajectory]]", output: Path | None, config: "Config") -> None:
    """Writes a plan of each task.

    Raises:
        ConfigError: if there are several and no folder for them, or something is there already.
    """
    from otap.learning import draft_plan

    is_folder = output is not None and output.suffix != ".toml" and str(output) != STANDARD_OUTPUT
    if output is not None and is_folder and output.suffix and not output.is_dir():
        raise ConfigError(f"{shown_path(output)}: name a file that ends in .toml, or a folder")
    if len(by_task) > 1 and not is_folder:
        names = ", ".join(shown(name, 40) for name in list(by_task)[:_NAMED])
        raise ConfigError(
            f"the runs are of {len(by_task)} tasks ({names}"
            f"{', ...' if len(by_task) > _NAMED else ''}); -o FOLDER writes a plan of each"
        )
    if output is not None and str(output) != STANDARD_OUTPUT:
        if output.exists() and not (is_folder and output.is_dir() and not any(output.iterdir())):
            raise ConfigError(f"{shown_path(output)}: is there already; name another, or remove it")
        check_folder(output)
    taken = set[str]()
    for task, runs in by_task.items():
        draft = draft_plan(runs, config)
        broken = sum(one.severity not in (None, "minor") for one in draft.scores)
        if broken:
            whose = f"{broken} of {count_text(len(draft.scores), 'source')}"
            say(f"{shown(task or 'the plan', 60)}: {whose} not fulfilled; the first lines say why")
        if output is None or str(output) == STANDARD_OUTPUT:
            print(escaped(draft.text), end="")
        else:
            write(_name_file(output, task, taken) if is_folder else output, escaped(draft.text))


def _name_file(folder: Path, task: str, taken: set[str]) -> Path:
    make_folder(folder)
    stem = name_part(task) or "plan"
    name, number = stem, 2
    while name.lower() in taken:
        name, number = f"{stem}-{number}", number + 1
    taken.add(name.lower())
    return folder / f"{name}.toml"


def _check(runs: "Sequence[Trajectory]", names: Sequence[str], config: "Config") -> None:
    """Shows of each run whether it fulfils the plan of its task, and what it does instead.

    Raises:
        ConfigError: if there is no plan.
        Exit: with GATE_FAILED if a run does not, with INCONCLUSIVE if none is judged.
    """
    from otap.scoring import Scorer
    from otap.scoring.selection import ReferenceIndex

    plans = _read_plans(names)
    index, scorer = ReferenceIndex(plans, config.task_rule), Scorer(config)
    known = {one.task for one in plans}
    rows: list[Sequence[Cell]] = []
    others = 0
    for run in runs:
        try:
            if None not in {run.task, *known} and run.task not in known:
                raise NoReferenceError("of another task")
            found = index.of_run(run).references
        except NoReferenceError:
            others += 1
            continue
        rows.append(_row(run, scorer.score(run, found) if run.understood else None))
    if rows:
        show((Table(rows, ("fulfils", "run", "score", "why not")),), fit=True)
    if others:
        say(f"{count_text(others, 'run')} of other tasks")
    if not rows:
        say("no run is of a task of these plans, so nothing is decided")
        raise Exit(INCONCLUSIVE)
    if any(row[0].text != "yes" for row in rows):
        raise Exit(GATE_FAILED)


def _read_plans(names: Sequence[str]) -> list[Plan]:
    """The plans of some files and folders.

    Raises:
        ConfigError: for one that holds none.
    """
    plans = list[Plan]()
    for name in names:
        found = [one for one in formats.read_references(name) if isinstance(one, Plan)]
        if not found:
            raise ConfigError(f"{shown_path(name)}: holds no plan")
        plans += found
    return plans


def _row(run: "Trajectory", score: "Score | None") -> Sequence[Cell]:
    """What is shown of a run; one of which nothing was understood has no score."""
    name = Cell(shown(run.name, 40))
    if score is None:
        return Cell("?"), name, Cell(""), Cell("nothing of it was understood")
    why = next((one.sentence for one in score.findings if one.severity != "minor"), "")
    sign = Cell("no", "bold red") if why else Cell("yes", "green")
    if score.conditions.told is False and not why:
        why = "what it told is not recorded, which the plan asks for"
    return sign, name, Cell(score_text(score.score)), Cell(why)
