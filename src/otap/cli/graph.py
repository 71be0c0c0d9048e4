"""``otap graph``: the dependency graph of a run."""

from typing import Annotated

import typer

from otap import formats
from otap.cli.options import ConfigFile, Dependencies, ReadingOptions, Run, Which, with_groups
from otap.cli.output import escaped
from otap.errors import ConfigError
from otap.report.graph import graph_dot, graph_json, graph_mermaid
from otap.report.terminal.graph import graph_view
from otap.report.view import show
from otap.scoring.config.file import load_config
from otap.scoring.prepare.own_graph import own_graph


@with_groups
def graph(
    *,
    run: Run,
    which: Which = None,
    dependencies: Dependencies = None,
    mermaid: Annotated[bool, typer.Option("--mermaid", help="Print a Mermaid flowchart.")] = False,
    dot: Annotated[bool, typer.Option("--dot", help="Print Graphviz DOT.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    config: ConfigFile = None,
    reading: ReadingOptions,
) -> None:
    """Show which step needed which, and why."""
    if mermaid + dot + as_json > 1:
        raise ConfigError("--mermaid, --dot and --json exclude each other; choose one")
    loaded = load_config(config, {"dependencies": dependencies})
    trajectory = formats.read(
        run, format=reading.format_name, run=which, reasoning=reading.reasoning
    )
    steps, found = own_graph(trajectory, loaded.config)
    if mermaid or dot or as_json:
        text = graph_mermaid if mermaid else graph_dot if dot else graph_json
        print(escaped(text(steps, found)))
    else:
        show(graph_view(steps, found), fit=True)
