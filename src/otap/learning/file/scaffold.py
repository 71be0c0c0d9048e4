"""What was recognised of tools, as comments that a person corrects by hand."""

from collections.abc import Iterator, Sequence

from otap._numbers import count_text
from otap.errors import shown
from otap.learning.file.toml import comment, text
from otap.learning.learned import Learned, Tool
from otap.scoring import Config

MOST = 300  # tools that are listed
LONGEST = 200  # characters of a name that is listed
ARGUMENTS = 100  # characters of what is said of arguments

# The lists of the settings, with what their tools do.
LISTS = {
    "writes": ("writes", "change something, or are not known: a call weighs 1"),
    "reads": ("read_only", "only look something up: a call weighs {reads:g}"),
    "thinks": ("thinks", "only reckon or take a note: a call weighs {thinks:g}"),
    "hands_over": ("hands_over", "give the case to somebody else: a call weighs {hands_over:g}"),
}


def scaffold(learned: Learned) -> Iterator[str]:
    """Yields the lines of all tools, by what they were taken for."""
    tools = [tool for tool in learned.tools if tool.name not in _said(learned.config)]
    listed = [tool for tool in tools if len(tool.name) <= LONGEST][:MOST]
    yield from comment(
        "What was recognised. If a tool stands in the wrong list, take the # away from [tools] and"
        " from the list where it belongs, and keep there the tools that were taken for something"
        " else. docs/recognition.md has the rule, docs/what-counts.md what else can be said."
    )
    yield from ("#", "# [tools]")
    for role, (name, meaning) in LISTS.items():
        yield from _list(role, name, meaning.format(**_weights(learned.config)), listed)
    yield from _by_call(listed)
    if len(listed) < len(tools):
        yield from ("#", f"# # and {count_text(len(tools) - len(listed), 'more tool')}")


def _said(config: Config) -> set[str]:
    tools = config.tools
    named = (tools.ignore, tools.read_only, tools.writes, tools.thinks, tools.hands_over)
    return {tool for names in named for tool in names} | tools.weight.keys()


def _weights(config: Config) -> dict[str, float]:
    return config.counts.model_dump()


def _list(role: str, name: str, meaning: str, tools: Sequence[Tool]) -> Iterator[str]:
    mine = [tool for tool in tools if list(tool.recognised) == [role]]
    yield "#"
    yield f"# # {name}: they {meaning}"
    if not mine:
        yield f"# {name} = []"
        return
    yield f"# {name} = ["
    for tool in mine:
        yield f"#   {text(tool.name)},  # {_use(tool)}"
    yield "# ]"


def _by_call(tools: Sequence[Tool]) -> Iterator[str]:
    """Tools that do different things, as their arguments say: no list holds them."""
    several = [tool for tool in tools if len(tool.recognised) > 1]
    if several:
        yield from (
            "#",
            "# # told by each call what it does; in a list of these, all calls do that:",
        )
    for tool in several:
        roles = ", ".join(f"{role} {count:,}" for role, count in sorted(tool.recognised.items()))
        yield f"# # {text(tool.name)}: {roles}; {_use(tool)}"


def _use(tool: Tool) -> str:
    calls = count_text(sum(tool.recognised.values()), "call")
    keys = f"; {shown(', '.join(tool.arguments), ARGUMENTS)}" if tool.arguments else ""
    return f"{calls} in {count_text(tool.runs, 'run')}{keys}"
