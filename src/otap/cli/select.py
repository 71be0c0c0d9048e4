"""``otap select``: selects references from good runs."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from otap._numbers import count_text
from otap.cli import options
from otap.cli.labels import (
    LabelOptions,
    RunsOrNone,
    end_if_failed,
    find_judgement,
    labelled_runs,
)
from otap.cli.output import (
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
from otap.errors import ConfigError, shown_path
from otap.report.view import show

if TYPE_CHECKING:  # loaded when needed, so that other commands start faster
    from pydantic import JsonValue

    from otap.learning.selection import Selection
    from otap.trajectory import Trajectory


@options.as_command
def select(
    *,
    runs: RunsOrNone = None,
    k: Annotated[int, Option("-k", metavar="K")] = 5,
    output: options.Output = None,
    labels: LabelOptions,
    as_json: options.AsJson = False,
    no_redaction: bool = False,
    jobs: options.Jobs = None,
    counting: options.Counting,
    settings: options.Settings,
    reading: options.Reading,
) -> None:
    """Select the good runs that serve best as references.

    For each task, selects up to K good runs that cover the others best. Shows how many runs each of
    them represents, and how well 1, 2, ... K references cover the runs.

    Examples:
      otap select runs/ -k 3 -o references/
      otap select --good good/ -o references.jsonl

    Exit codes:
      0  done
      2  bad input or usage
      3  no verdict: a run could not be read or scored, or evidence is lacking

    Options:
        k: Maximum number of references per task.
        output: Write the references to a .jsonl file, or to a folder with one file each; -
            prints them. Existing files are not overwritten.
        as_json: Print the references and their coverage as JSON.
        no_redaction: Keep secrets and personal data as they are.
    """
    from otap.learning.selection import select as select_references
    from otap.report.learned import selection_view
    from otap.transport import processors

    if output is not None:
        _check_free(output)
    config = settings.load(counting).config
    read = labelled_runs(runs, labels, reading, config.task_rule)
    with Elapsed(f"comparing {count_text(len(read.runs), 'run')}"):
        selection = select_references(read.runs, k, config=config, jobs=jobs or processors())
    references = list(selection.references)
    redactions = [] if no_redaction else redact_runs(references)
    if redactions:
        references = copy_redacted(redactions)
        selection = _rename(selection, references)
    if output is not None:
        judgement = find_judgement(config, read.files)
        if not judgement:
            say("if only steps that change something decide whether a run is good: --only-changes")
        elif not config.only_changes:
            say("only changes count in the references, as in the gold of the runs")
        if not no_redaction:
            say_replaced(redactions)
        _write(output, [_add_judgement(run, judgement) for run in references])
    if as_json:
        print(escaped(selection.to_json(indent=2)))
    elif str(output) != STANDARD_OUTPUT:
        show(selection_view(selection, is_written=output is not None))
    end_if_failed(read)


def _check_free(output: Path) -> None:
    """Checks that the output does not exist, or is an empty folder.

    Raises:
        ConfigError: if it exists.
    """
    if str(output) == STANDARD_OUTPUT or not output.exists():
        if output.suffix not in ("", ".jsonl"):
            raise ConfigError(f"{shown_path(output)}: name a file that ends in .jsonl, or a folder")
        if output.suffix:
            check_folder(output)
        return
    if not output.is_dir() or any(output.iterdir()):
        raise ConfigError(f"{shown_path(output)}: exists already; name another, or remove it")


def _rename(selection: "Selection", references: "Sequence[Trajectory]") -> "Selection":
    """Returns a selection with the names of the redacted references."""
    runs = iter(references)
    tasks = []
    for task in selection.tasks:
        chosen_runs = [next(runs) for _ in task.chosen]
        chosen = tuple(
            entry.model_copy(update={"id": run.id, "trial": run.trial, "source": run.source})
            for entry, run in zip(task.chosen, chosen_runs, strict=True)
        )
        name = chosen_runs[0].task if chosen_runs else task.task
        tasks.append(task.model_copy(update={"task": name, "chosen": chosen}))
    return selection.model_copy(update={"tasks": tuple(tasks)})


def _add_judgement(run: "Trajectory", judgement: "Mapping[str, JsonValue]") -> "Trajectory":
    return run.model_copy(update={"metadata": {**run.metadata, **judgement}}) if judgement else run


def _write(output: Path, references: "Sequence[Trajectory]") -> None:
    if output.suffix == ".jsonl" or str(output) == STANDARD_OUTPUT:
        write(output, "".join(f"{escaped(run.to_json())}\n" for run in references))
        return
    make_folder(output)
    digits = len(str(len(references)))
    for number, run in enumerate(references, 1):
        name = name_part(run.id or run.task or "")
        file = output / f"{number:0{digits}}{'-' if name else ''}{name}.json"
        write(file, escaped(run.to_json(indent=2)) + "\n")
