"""``otap convert``: a trace in OTAP's own format, or what another tool checks as a plan."""

import json
from pathlib import Path
from typing import Annotated, Any, get_args

from typer import Option

from otap import formats
from otap.cli import options
from otap.cli.output import escaped, say, write
from otap.errors import ConfigError, FormatError, shown, shown_path
from otap.plans import parse_plan
from otap.plans.foreign import Arguments, Converted, Mode, convert_checks, convert_reference

_YAML = (".yaml", ".yml")
_ALIASES = 20  # of a YAML file: each may stand for all of another


@options.as_command
def convert(
    *,
    run: options.Run,
    which: options.Which = None,
    output: Annotated[Path | None, Option("-o")] = None,
    plan: bool = False,
    match: Annotated[str | None, Option(metavar="MODE")] = None,
    arguments: Annotated[str | None, Option(metavar="MODE")] = None,
    reading: options.Reading,
) -> None:
    """Write a trace in OTAP's own format, or what another tool checks as a plan.

    One run becomes JSON, several become JSONL, one a line; plans become JSON.

    Options:
        output: Write here; - is standard output.
        plan: Write plans: of promptfoo's assertions, of BFCL's answers, else of references.
        match: With --plan, how agentevals matches a reference: strict, unordered, subset or
            superset.
        arguments: With --plan, how it matches arguments: exact, ignore, subset or superset.
    """
    if plan:
        text = _plans_text(run, which, match, arguments, reading)
    elif run.lower().endswith(_YAML):
        raise ConfigError(f"{shown_path(run)}: YAML holds no run; --plan makes plans of it")
    elif match or arguments:
        raise ConfigError("--match and --arguments say what a plan asks for; they need --plan")
    else:
        text = _runs_text(run, which, reading)
    if output is None:
        print(escaped(text))
    else:
        write(output, escaped(text) + "\n")


def _runs_text(name: str, which: str | None, reading: options.Reading) -> str:
    runs = list(formats.read_all(name, format=reading.format_name, reasoning=reading.reasoning))
    if which is not None:
        runs = [formats.select(runs, which, name)]
    if len(runs) == 1:
        return runs[0].to_json(indent=2)
    return "\n".join(run.to_json() for run in runs)


def _plans_text(
    name: str, which: str | None, match: Any, arguments: Any, reading: options.Reading
) -> str:
    """The plans of a file as JSON; what no plan can say is told.

    Raises:
        ConfigError: if there is none, or one that no plan can be.
    """
    for option, given, known in (("--match", match, Mode), ("--arguments", arguments, Arguments)):
        if given is not None and given not in get_args(known):
            raise ConfigError(f"{option} is one of {', '.join(get_args(known))}")
    found = None if match or arguments else convert_checks(_read_data(name))
    if found is None and not name.lower().endswith(_YAML):
        found = _convert_references(name, which, match, arguments or "exact", reading)
    if not found:
        raise ConfigError(
            f"{shown_path(name)}: holds nothing to make a plan of; tests elsewhere are not read"
        )
    for line in (line for one in found for line in one.lost):
        say(f"no plan can say: {line}")
    data = [one.data for one in found if one.data]
    if not data:
        raise ConfigError(f"{shown_path(name)}: nothing of it is a plan")
    for one in data:
        parse_plan(one, shown_path(name))
    return json.dumps(data[0] if len(data) == 1 else data, indent=2, ensure_ascii=False)


def _convert_references(
    name: str, which: str | None, match: Mode, arguments: Arguments, reading: options.Reading
) -> list[Converted]:
    golds = formats.read_references(name, format=reading.format_name, reasoning=reading.reasoning)
    if which is not None:
        golds = [formats.select(golds, which, name)]
    return [convert_reference(gold, match, arguments) for gold in golds]


def _read_data(name: str) -> Any:
    """The data of a file of JSON or YAML; None where it is neither, or something else.

    Raises:
        ConfigError: for YAML without its package, or with too many aliases.
    """
    if not name.lower().endswith(_YAML):
        try:
            return formats.read_document(name).value
        except FormatError:
            return None
    try:
        import yaml  # type: ignore[import-untyped]
    except ImportError:
        raise ConfigError(
            f"{shown_path(name)}: YAML is read by PyYAML; install it with: pip install pyyaml"
        ) from None
    try:
        text = Path(name).read_text(encoding="utf-8")
        aliases = sum(isinstance(token, yaml.AliasToken) for token in yaml.scan(text))
        if aliases > _ALIASES:
            raise ConfigError(f"{shown_path(name)}: has {aliases} aliases, above {_ALIASES}")
        return yaml.safe_load(text)
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        raise ConfigError(f"{shown_path(name)}: cannot read it ({shown(error, 120)})") from None
