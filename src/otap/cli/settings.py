"""Prints which settings file is in force, and the tools that it names and nothing calls."""

from collections.abc import Collection, Iterable, Iterator
from difflib import get_close_matches
from fnmatch import fnmatchcase

from otap._numbers import count_text
from otap.cli.output import say
from otap.config import Config
from otap.config.file import LoadedConfig
from otap.config.sections import EVERY_TOOL
from otap.errors import shown
from otap.plans import Plan
from otap.plans.model import PlanStep
from otap.trajectory import Trajectory, list_called_tools
from otap.values.tool_names import ByTool, canonical_tool

MAX_LISTED = 5  # names in one line
_SIMILARITY = 0.75  # of two names, from which one may be a misspelling of the other


def print_file(loaded: LoadedConfig) -> None:
    """Prints the settings file in force, unless an option named it."""
    if loaded.file is not None:
        say(f"settings from {loaded.file}")


def list_tools(runs: Iterable[Trajectory]) -> set[str]:
    """Returns the tools that some runs and plans call, allow or declare."""
    tools = set[str]()
    for run in runs:
        tools |= {*run.tools, *list_called_tools(run.steps)}
        if isinstance(run, Plan):
            tools |= {*_list_planned(run.listed)}
    return tools


def _list_planned(steps: Iterable[PlanStep]) -> Iterator[str]:
    for step in steps:
        yield from step.tools
        for alternative in step.one_of or ():
            yield from _list_planned(alternative)


def check_tools(config: Config, tools: Collection[str]) -> None:
    """Prints the names of tools in the settings that match none of the tools of a command.

    This is no error: a settings file may serve many tasks, and tools of similar names may belong to
    another one. So a similar name is a question, and a name without one is only listed.

    Args:
        config: the settings.
        tools: all tools of the runs and references; a plan may name a pattern.
    """
    if not tools:
        return
    unmatched = dict(_list_unmatched(config, tools))
    matched = {name for _, name in _list_entries(config)} - unmatched.keys()
    # A tool that another entry names is hardly meant.
    candidates = {canonical_tool(tool).full: tool for tool in sorted(set(tools) - matched)}
    unknown = []
    for name, setting in unmatched.items():
        similar = get_close_matches(canonical_tool(name).full, candidates, 1, _SIMILARITY)
        if not similar:
            unknown.append(shown(name, 40))
            continue
        say(
            f"{setting} names '{shown(name, 40)}', but no run or reference calls it; did you mean"
            f" '{shown(candidates[similar[0]], 40)}'?"
        )
    if unknown:
        more = len(unknown) - MAX_LISTED
        names = ", ".join(unknown[:MAX_LISTED]) + (f" and {more} more" if more > 0 else "")
        count = count_text(len(unknown), "tool")
        say(f"the settings name {count} that no run or reference here calls: {names}")


def _list_unmatched(config: Config, tools: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yields each name or pattern that matches no tool, with its setting."""
    patterns = [tool for tool in tools if EVERY_TOOL in tool]
    for setting, name in _list_entries(config):
        entry = ByTool({name: True})
        is_called = any(entry.get(tool) for tool in tools)
        if not is_called and not any(fnmatchcase(name, pattern) for pattern in patterns):
            yield name, setting


def _list_entries(config: Config) -> Iterator[tuple[str, str]]:
    """Yields each setting that names tools, with each of its names."""
    lists = config.tools.model_dump()
    for setting, names in lists.items():
        for name in names:
            yield f"tools.{setting}", name
    for name in config.parameters:
        if name != EVERY_TOOL:
            yield "parameters", name
    for chain in config.order:
        for name in chain:
            yield "order", name
    for free in config.order_free:
        for name in [free] if isinstance(free, str) else free:
            yield "order_free", name
