"""``otap learn``: settings out of runs with known outcomes, and what they are worth."""

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from otap.cli import options
from otap.cli.labels import LabelOptions, RunsOrNone, end_if_failed, known_good, labelled_runs
from otap.cli.output import STANDARD_OUTPUT, check_folder, escaped, same_file, say, write
from otap.config.file import FILE_NAMES, MAX_BYTES
from otap.errors import ConfigError, shown_path
from otap.report.view import show
from otap.scoring import Config
from otap.transport import processors

if TYPE_CHECKING:  # what learns is loaded when it is asked for: the help is there sooner
    from otap.learning import Learned


@options.as_command
def learn(
    *,
    runs: RunsOrNone = None,
    references: options.References = None,
    output: options.Output = None,
    force: bool = False,
    labels: LabelOptions,
    jobs: options.Jobs = None,
    as_json: options.AsJson = False,
    counting: options.Counting,
    settings: options.Settings,
    reading: options.Reading,
) -> None:
    """Learn from runs with known outcomes what counts, as settings with the evidence for each line.

    Prints the settings, or writes them, and shows what they are worth on tasks held out. Without
    any outcome it writes what was recognised, to be corrected by hand. Exits with 3 if a run could
    not be read.

    Options:
        references: Known-good runs of all tasks: files, folders, JSONL, or files that carry gold.
            Without it, one good run of each task is its reference.
        output: Write the settings here; else they are printed. A file that is there is written over
            only if this command made it and nobody edited it since.
        force: Write over any file.
    """
    from otap.cli.progress import Parts
    from otap.learning import learned

    begun = _load_beginning(settings, counting, output)
    if output is not None:
        check_folder(output)
        _check_free(output, force=force)
    read = labelled_runs(runs, labels, reading, begun.task_rule)
    gold = known_good(references, read, reading, begun.task_rule)
    with Parts("learning from all tasks", "held out") as parts:
        found = learned(read.runs, gold, begun, jobs or processors(), parts.update)
    _put_out(found, output, as_json=as_json)
    end_if_failed(read)


def _load_beginning(
    settings: options.Settings, counting: options.Counting, output: Path | None
) -> Config:
    """The settings that learning begins with: not those that it is to write anew."""
    if settings.config is None and output is not None and same_file(output, FILE_NAMES[0]):
        chosen = settings.overrides(counting)
        given = {name: value for name, value in chosen.items() if value is not None}
        return Config.preset(given.pop("preset", "default"), **given)
    loaded = settings.load(counting)
    named = {name for name in loaded.origins.values() if not name.startswith("preset ")}
    if named:
        say(f"learning begins with the settings of {' and '.join(sorted(named))}")
    return loaded.config


def _check_free(output: Path, *, force: bool) -> None:
    """Refuses to write over what somebody wrote or edited.

    Raises:
        ConfigError: if the file is there and is not as this command made it.
    """
    if force or str(output) == STANDARD_OUTPUT or not output.is_file():
        return
    from otap.learning.settings_file import is_unedited

    text = ""
    with suppress(OSError, ValueError), output.open(encoding="utf-8", newline="") as file:
        text = file.read(MAX_BYTES + 1)
    if text and not is_unedited(text):
        raise ConfigError(
            f"{shown_path(output)}: is there, and otap learn did not make it, or it was edited"
            " since; name another file with -o, or write over it with --force"
        )


def _put_out(learned: "Learned", output: Path | None, *, as_json: bool) -> None:
    """The settings where they are wanted, and what a person reads where those do not go."""
    from otap.report.learned.learning import learning_view

    text = learned.to_toml()
    file = None if output is None or str(output) == STANDARD_OUTPUT else output
    if file is not None:
        write(file, text)
    if as_json:
        print(escaped(learned.to_json(indent=2)))
        return
    if file is None:
        print(text, end="", flush=True)
    if file is not None or not sys.stdout.isatty():  # on a terminal the settings have said it all
        show(learning_view(learned), sys.stderr if file is None else sys.stdout)
    say(f"next: otap evaluate RUNS -r REFS --config {'FILE' if file is None else shown_path(file)}")
