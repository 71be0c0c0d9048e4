"""What of a configuration a case can see: nothing that is said of tools that it does not call.

Most settings that are tried speak of one tool, and leave all cases without it as they are.
"""

from collections.abc import Iterator, Sequence

from otap.dependencies.tool_names import canonical_tool
from otap.learning.runs.sample import Case
from otap.scoring import Config, Tools
from otap.scoring.config.what_counts import EVERY_TOOL

Key = tuple[str, ...]


def seen_of(config: Config, cases: Sequence[Case]) -> list[Key]:
    """Returns for each case what it sees: under configurations that look alike it scores alike."""
    general = {name: one for name, one in config.parameters.items() if name == EVERY_TOOL}
    rest = config.model_copy(update={"tools": Tools(), "parameters": general})
    of_failed = rest.model_dump_json()
    of_others = _without_failed(rest).model_dump_json()
    said = list(_said(config))
    return [
        (
            of_failed if case.fails else of_others,
            *(text for names, text in said if names & case.tools),
        )
        for case in cases
    ]


def _without_failed(config: Config) -> Config:
    """The settings without what they say of failed calls."""
    usual = Config()
    counts = config.counts.model_copy(update={"failed": usual.counts.failed})
    return config.model_copy(update={"failed": usual.failed, "counts": counts})


def _said(config: Config) -> Iterator[tuple[frozenset[str], str]]:
    """What is said of single tools: the names of the tool, and what is said, as a text."""
    for place, value in config.tools.model_dump(mode="json").items():
        for tool in value:
            weight = f" = {value[tool]!r}" if isinstance(value, dict) else ""
            yield _names(tool), f"{place} {tool}{weight}"
    for tool, rules in config.parameters.items():
        if tool != EVERY_TOOL:
            yield _names(tool), f"parameters {tool} {rules.model_dump_json()}"


def _names(tool: str) -> frozenset[str]:
    return frozenset((tool, *canonical_tool(tool)))
