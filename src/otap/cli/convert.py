"""``otap convert``: converts a trace to OTAP's format, or the checks of another tool to a plan."""

import json
from pathlib import Path
from typing import Annotated, Any, get_args

from typer import Option

from otap import formats
from otap.cli import options
from otap.cli.output import escaped, say, write
from otap.cli.sessions import open_run
from otap.cli.yaml_files import read_yaml
from otap.errors import ConfigError, FormatError, shown, shown_path
from otap.plans import parse_plan
from otap.plans.foreign import Arguments, Converted, Mode, convert_checks, convert_reference

_YAML = (".yaml", ".yml")


@options.as_command
def convert(
    *,
    run: options.RunOrNone = None,
    session: options.Session = None,
    which: options.Which = None,
    output: Annotated[Path | None, Option("-o")] = None,
    plan: bool = False,
    match: Annotated[str | None, Option(metavar="MODE")] = None,
    arguments: Annotated[str | None, Option(metavar="MODE")] = None,
    reading: options.Reading,
) -> None:
    """Convert a trace to OTAP's format, or checks to a plan.

    Writes one run as JSON, and several runs as JSONL with one run per line. Plans are JSON.

    Examples:
      otap convert trace.json -o mine.json
      otap convert promptfooconfig.yaml --plan -o plan.json
      otap convert good.json --plan --match superset
      otap convert --session latest -o good.json

    Options:
        output: Write to this file (default: print).
        plan: Write plans: from promptfoo's assertions, BFCL's answers, or references.
        match: With --plan, agentevals' mode for a reference: strict, unordered, subset or
            superset.
        arguments: With --plan, agentevals' mode for arguments: exact, ignore, subset or
            superset.
    """
    if plan:
        if run is None or session is not None:
            raise ConfigError("--plan makes plans of a file; name one, without --session")
        text = _plans_text(run, which, match, arguments, reading)
    elif run is not None and run.lower().endswith(_YAML):
        raise ConfigError(f"{shown_path(run)}: YAML holds no run; --plan makes plans of it")
    elif match or arguments:
        raise ConfigError("--match and --arguments are options of a plan; they need --plan")
    else:
        name, files = open_run(run, session, reading)
        text = _runs_text(files, name, which, reading)
    if output is None:
        print(escaped(text))
    else:
        write(output, escaped(text) + "\n")


def _runs_text(
    files: list[formats.TraceFile], name: str, which: str | None, reading: options.Reading
) -> str:
    runs = [run for file in files for run in file.runs(reasoning=reading.reasoning)]
    if which is not None:
        runs = [formats.select(runs, which, name)]
    if len(runs) == 1:
        return runs[0].to_json(indent=2)
    return "\n".join(run.to_json() for run in runs)


def _plans_text(
    name: str, which: str | None, match: Any, arguments: Any, reading: options.Reading
) -> str:
    """Returns the plans of a file as JSON; prints the checks that a plan cannot express.

    Raises:
        ConfigError: if the file holds no plan, or one that cannot be converted.
    """
    choices = (("--match", match, Mode), ("--arguments", arguments, Arguments))
    for option, mode, modes in choices:
        if mode is not None and mode not in get_args(modes):
            raise ConfigError(f"{option} is one of {', '.join(get_args(modes))}")
    converted = None if match or arguments else convert_checks(_read_data(name))
    if converted is None and not name.lower().endswith(_YAML):
        converted = _convert_references(name, which, match, arguments or "exact", reading)
    if not converted:
        raise ConfigError(
            f"{shown_path(name)}: holds nothing to make a plan of; tests in other files are not"
            " read"
        )
    lost = [line for conversion in converted for line in conversion.lost]
    plans = [conversion.data for conversion in converted if conversion.data]
    if not plans:
        example = f", such as {shown(lost[0], 200)}" if lost else ""
        raise ConfigError(f"{shown_path(name)}: holds nothing that a plan can express{example}")
    for plan in plans:
        parse_plan(plan, shown_path(name))
    for line in lost:
        say(f"a plan cannot express: {line}")
    return json.dumps(plans[0] if len(plans) == 1 else plans, indent=2, ensure_ascii=False)


def _convert_references(
    name: str, which: str | None, match: Mode, arguments: Arguments, reading: options.Reading
) -> list[Converted]:
    golds = formats.read_references(name, format=reading.format_name, reasoning=reading.reasoning)
    if which is not None:
        golds = [formats.select(golds, which, name)]
    return [convert_reference(gold, match, arguments) for gold in golds]


def _read_data(name: str) -> Any:
    """Returns the data of a JSON or YAML file; None if it cannot be read as JSON.

    Raises:
        ConfigError: if PyYAML is not installed, or a YAML file cannot be read or has too many
            aliases.
    """
    if not name.lower().endswith(_YAML):
        try:
            return formats.read_document(name).value
        except FormatError:
            return None
    return read_yaml(name)
