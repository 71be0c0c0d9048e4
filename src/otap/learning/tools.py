"""The tools of runs with the role that each is taken for: ``otap init``, ``otap.learning/1``."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal

from pydantic import Field

from otap._version import __version__
from otap.learning.samples import reject_file_name
from otap.run.declarations import DeclaredTools
from otap.run.roles import Role, infer_role, role_by_name
from otap.scoring import Config
from otap.scoring.signature import METRIC
from otap.trajectory import FrozenRecord, Step, Trajectory
from otap.values.tool_names import ByTool, without_server

SCHEMA_VERSION: Literal["otap.learning/1"] = "otap.learning/1"
MAX_KEYS = 8  # argument keys listed for each tool

Reason = Literal["settings", "definition", "arguments", "name", "default"]


class ToolRole(FrozenRecord):
    """A tool with the role that its calls are taken for."""

    name: str
    roles: dict[str, int] = Field(
        description="Number of calls by role: writes, reads, thinks or handoff."
    )
    reason: Reason = Field(
        description="What decides the role. settings: the settings list the tool; definition: "
        "hints in its definition; arguments: the arguments of each call; name: its name; default: "
        "none of these, and such calls count as writes."
    )
    runs: int = Field(description="Number of runs that call the tool.")
    arguments: tuple[str, ...] = Field(
        description="Keys of its arguments, the most frequent first; at most eight."
    )


class ToolRoles(FrozenRecord):
    """The tools of some runs with their roles, and the settings in force."""

    schema_version: Literal["otap.learning/1"] = SCHEMA_VERSION
    version: str = Field(__version__, description="Version of this package.")
    metric: int = Field(METRIC, description="Number of the metric's definition.")
    runs: int = Field(description="Number of runs read.")
    tools: tuple[ToolRole, ...] = Field(
        description="All tools that the runs call, those of the most runs first."
    )
    config: Config = Field(description="The settings in force.")

    def to_toml(self) -> str:
        """Returns a settings file with the roles as comments, to correct by hand.

        Raises:
            ConfigError: if TOML cannot hold one of the settings.
        """
        from otap.learning.template import settings_template

        return settings_template(self)

    def to_json(self, indent: int | None = None) -> str:
        """Returns the record as JSON."""
        return self.model_dump_json(indent=indent)

    def __str__(self) -> str:
        return self.to_toml()


def learn(runs: Iterable[Trajectory], *, config: Config | None = None) -> ToolRoles:
    """Lists the tools of runs with the role that each is taken for.

    Args:
        runs: the runs; their outcomes do not matter.
        config: the settings in force, which decide the role of the tools that they list; None: the
            preset ``default``.

    Raises:
        ConfigError: if a file name is given in place of runs.
    """
    reject_file_name(runs)
    runs = list(runs)
    config = config or Config()
    return ToolRoles(
        runs=len(runs),
        tools=tuple(_list_tools(runs, config)),
        config=config,
    )


def _list_tools(runs: Iterable[Trajectory], config: Config) -> Iterator[ToolRole]:
    """Yields the tools by descending number of runs, then by name."""
    configured_roles = _configured_roles(config)
    roles: dict[str, Counter[Role]] = {}
    reasons: dict[str, Counter[Reason]] = {}
    keys: dict[str, Counter[str]] = {}
    run_counts: Counter[str] = Counter()
    for run in runs:
        tools_of_run = set()
        steps = [step for _, step in _calls(run.steps)]
        declared_tools = DeclaredTools.of_reference(run.tools, steps)
        for tool, step in _calls(run.steps):
            tools_of_run.add(tool)
            role = configured_roles.get(tool)
            reason: Reason = "settings"
            if role is None:
                role = infer_role(step, declared_tools)
                reason = _find_reason(tool, step, role, run)
            roles.setdefault(tool, Counter())[role] += 1
            reasons.setdefault(tool, Counter())[reason] += 1
            arguments = step.arguments if isinstance(step.arguments, dict) else {}
            keys.setdefault(tool, Counter()).update(arguments.keys())
        run_counts.update(tools_of_run)
    for name in sorted(run_counts, key=lambda name: (-run_counts[name], name)):
        yield ToolRole(
            name=name,
            roles=dict(sorted(roles[name].items())),
            reason=_main_reason(reasons[name]),
            runs=run_counts[name],
            arguments=tuple(sorted(keys[name], key=lambda key: (-keys[name][key], key))[:MAX_KEYS]),
        )


def _configured_roles(config: Config) -> ByTool[Role]:
    tools = config.tools
    roles: dict[str, Role] = dict.fromkeys(tools.writes, "writes")
    roles |= dict.fromkeys(tools.read_only, "reads")
    roles |= dict.fromkeys(tools.thinks, "thinks")
    roles |= dict.fromkeys(tools.handoff, "handoff")
    return ByTool(roles)


def _calls(steps: Iterable[Step]) -> Iterator[tuple[str, Step]]:
    """Yields each tool call, including those of sub-steps, after the name of its tool."""
    for step in steps:
        if step.tool:
            yield step.tool, step
        yield from _calls(step.substeps)


def _find_reason(tool: str, step: Step, role: Role, run: Trajectory) -> Reason:
    """Returns the reason for the role of a call that the settings do not list."""
    facts = run.tools.get(tool) or run.tools.get(without_server(tool))
    if facts is not None and (facts.read_only is not None or facts.destructive or facts.method):
        return "definition"
    if role != infer_role(step.model_copy(update={"arguments": None}), DeclaredTools(run.tools)):
        return "arguments"
    return "default" if role_by_name(tool) is None else "name"


def _main_reason(reasons: Counter[Reason]) -> Reason:
    """Returns the most frequent reason; "arguments" if these decide any call."""
    if "arguments" in reasons:
        return "arguments"
    return min(reasons, key=lambda reason: (-reasons[reason], reason))
