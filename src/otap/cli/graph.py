"""``otap graph``: shows the dependency graph of a run or a plan."""

from otap import formats
from otap.cli import options
from otap.cli.output import escaped, escaped_drawing
from otap.cli.settings import print_file
from otap.config.file import load_config
from otap.errors import ConfigError, FormatError
from otap.plans import Plan, plan_graph
from otap.report.graph_files import graph_dot, graph_json, graph_mermaid
from otap.report.terminal.lanes import graph_view
from otap.report.view import show
from otap.run.run import recorded_graph


@options.as_command
def graph(
    *,
    run: options.Run,
    which: options.Which = None,
    dependencies: options.Dependencies = None,
    mermaid: bool = False,
    dot: bool = False,
    as_json: options.AsJson = False,
    config: options.ConfigFile = None,
    reading: options.Reading,
) -> None:
    """Show the dependencies between the steps of a run or a plan.

    Examples:
      otap graph mine.json
      otap graph plan.toml --mermaid

    Options:
        mermaid: Print a Mermaid flowchart.
        dot: Print Graphviz DOT.
        as_json: Print JSON.
    """
    if mermaid + dot + as_json > 1:
        raise ConfigError("--mermaid, --dot and --json exclude each other; choose one")
    loaded = load_config(config, {"dependencies": dependencies})
    if not as_json:
        print_file(loaded)
    try:
        trajectory = formats.read(
            run, format=reading.format_name, run=which, reasoning=reading.reasoning
        )
    except FormatError:
        plans = _read_plans(run)
        if len(plans) != 1:
            raise
        steps, dependency_graph = plan_graph(plans[0])
    else:
        steps, dependency_graph = recorded_graph(trajectory, loaded.config)
    if mermaid or dot or as_json:
        write_graph = graph_mermaid if mermaid else graph_dot if dot else graph_json
        escape = escaped if as_json else escaped_drawing
        print(escape(write_graph(steps, dependency_graph)))
    else:
        show(graph_view(steps, dependency_graph), fit=True)


def _read_plans(name: str) -> list[Plan]:
    """Returns the plans of a file; none if it cannot be read."""
    try:
        return [plan for plan in formats.own_references(name) if isinstance(plan, Plan)]
    except FormatError:
        return []
