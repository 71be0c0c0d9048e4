"""``otap select``: references out of good runs."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

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
from otap.errors import ConfigError, shown_path
from otap.report.view import show

if TYPE_CHECKING:  # what selects is loaded when it is asked for: other commands start sooner
    from pydantic import JsonValue

    from otap.trajectory import Trajectory


@options.as_command
def select(
    *,
    runs: RunsOrNone = None,
    k: Annotated[int, Option("-k", metavar="K")] = 5,
    output: options.Output = None,
    labels: LabelOptions,
    as_json: options.AsJson = False,
    jobs: options.Jobs = None,
    counting: options.Counting,
    settings: options.Settings,
    reading: options.Reading,
) -> None:
    """Choose references out of good runs: of each task the K that cover the rest best.

    Only runs that are known to be good are chosen: by the outcomes in their files, --good or
    --outcomes. Says how many runs each reference stands for, and how well 1, 2, ... K cover them.

    Options:
        k: References of each task, at most.
        output: Write the references here: a .jsonl file, or a folder of one file each; - is
            standard output. What is there already is kept.
        as_json: Print what was chosen, and the curve, as JSON.
    """
    from otap.learning.selection import select as selected
    from otap.report.learned.selection import selection_view
    from otap.transport import processors

    if output is not None:
        _check_free(output)
    in_force = settings.load(counting).config
    found = labelled_runs(runs, labels, reading, in_force.task_rule)
    selection = selected(found.runs, k, config=in_force, jobs=jobs or processors())
    if output is not None:
        judged = find_judgement(in_force, found.files)
        if not judged:
            say("if only what changes something decides whether a run is good: --only-changes")
        elif not in_force.only_changes:
            say("the references say what the runs' own gold says: that only changes count")
        _write(output, [_note(run, judged) for run in selection.references])
    if as_json:
        print(escaped(selection.to_json(indent=2)))
    elif str(output) != STANDARD_OUTPUT:
        show(selection_view(selection, is_written=output is not None))
    end_if_failed(found)


def _check_free(output: Path) -> None:
    """Refuses to write over what is there.

    Raises:
        ConfigError: if there is such a file, or a folder with something in it.
    """
    if str(output) == STANDARD_OUTPUT or not output.exists():
        if output.suffix not in ("", ".jsonl"):
            raise ConfigError(f"{shown_path(output)}: name a file that ends in .jsonl, or a folder")
        if output.suffix:
            check_folder(output)
        return
    if not output.is_dir() or any(output.iterdir()):
        raise ConfigError(f"{shown_path(output)}: is there already; name another, or remove it")


def _note(run: "Trajectory", judged: "Mapping[str, JsonValue]") -> "Trajectory":
    return run.model_copy(update={"metadata": {**run.metadata, **judged}}) if judged else run


def _write(output: Path, references: "Sequence[Trajectory]") -> None:
    if output.suffix == ".jsonl" or str(output) == STANDARD_OUTPUT:
        write(output, "".join(f"{escaped(run.to_json())}\n" for run in references))
        return
    make_folder(output)
    digits = len(str(len(references)))
    for place, run in enumerate(references, 1):
        name = name_part(run.id or run.task or "")
        file = output / f"{place:0{digits}}{'-' if name else ''}{name}.json"
        write(file, escaped(run.to_json(indent=2)) + "\n")
