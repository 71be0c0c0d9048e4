"""A settings file that lists the inferred roles of tools as comments, to correct by hand."""

from collections.abc import Iterator, Sequence

from otap._numbers import count_text
from otap.errors import shown
from otap.learning.toml import comment_lines, toml_document, toml_string
from otap.learning.tools import Reason, ToolRole, ToolRoles

MAX_TOOLS = 300  # tools listed in the file
MAX_NAME = 200  # characters of a listed tool name; longer ones are counted only
MAX_ARGUMENTS = 100  # characters of a tool's argument keys; more are cut

# The settings list of each role, and the comment above it.
LISTS = {
    "writes": ("writes", "change something, or nothing shows that they only read; weight 1"),
    "reads": ("read_only", "only look something up; weight {reads:g}"),
    "thinks": ("thinks", "only compute or take a note; weight {thinks:g}"),
    "handoff": ("handoff", "pass the task to a person or agent; weight {handoff:g}"),
}
REASONS: dict[Reason, str] = {
    "settings": "by the settings",
    "definition": "by its definition",
    "arguments": "by the arguments of each call",
    "name": "by its name",
    "default": "nothing shows that it only reads",
}


def settings_template(roles: ToolRoles) -> str:
    """Returns a settings file with the roles of tools as comments.

    Raises:
        ConfigError: if TOML cannot hold one of the settings.
    """
    settings = roles.config.model_dump(mode="json", exclude_defaults=True)
    text = "".join(f"{line}\n" for line in _comments(roles, list(settings)))
    return text + ("\n" + toml_document(settings).lstrip("\n") if settings else "")


def _comments(roles: ToolRoles, settings: Sequence[str]) -> Iterator[str]:
    """Yields the comments above the first setting."""
    yield f"# Settings by otap init (version {roles.version}, metric {roles.metric})."
    yield from comment_lines(
        f"Inferred roles of the tools in {count_text(roles.runs, 'run')}."
        " They apply without this file as well."
    )
    has_tools = "tools" in settings
    if settings:
        yield from comment_lines("The settings at the end were in force before.")
    yield "#"
    how = (
        "add the tool to the right list of [tools] at the end."
        if has_tools
        else "add the tool to the right list, and remove the # before [tools] and before the lines"
        " of that list. The other tools of the list can stay in it or go."
    )
    yield from comment_lines(
        f"To correct a role, {how} docs/recognition.md has the rules, docs/what-counts.md more"
        " settings."
    )
    yield from _tool_lists(roles, with_table=not has_tools)


def _tool_lists(roles: ToolRoles, *, with_table: bool) -> Iterator[str]:
    """Yields the tools that the settings do not mention, one list for each role."""
    mentioned = {*roles.config.tools.ignore, *roles.config.tools.weight}
    unlisted = [
        tool for tool in roles.tools if tool.reason != "settings" and tool.name not in mentioned
    ]
    tools = [tool for tool in unlisted if len(tool.name) <= MAX_NAME][:MAX_TOOLS]
    if with_table:
        yield from ("#", "# [tools]")
    weights = roles.config.counts.model_dump()
    for role, (setting, meaning) in LISTS.items():
        yield from ("#", f"# # {setting}: they {meaning.format(**weights)}")
        members = [tool for tool in tools if list(tool.roles) == [role]]
        if not members:
            yield f"# {setting} = []"
            continue
        yield f"# {setting} = ["
        for tool in members:
            yield f"#   {toml_string(tool.name)},  # {_describe(tool)}"
        yield "# ]"
    mixed = [tool for tool in tools if len(tool.roles) > 1]
    if mixed:
        yield from ("#", "# # The role differs by call; in a list above, all calls have that role:")
    for tool in mixed:
        counts = ", ".join(f"{role} {count:,}" for role, count in tool.roles.items())
        yield f"# # {toml_string(tool.name)}: {counts}; {_describe(tool)}"
    if len(tools) < len(unlisted):
        yield from ("#", f"# # and {count_text(len(unlisted) - len(tools), 'more tool')}")


def _describe(tool: ToolRole) -> str:
    calls = count_text(sum(tool.roles.values()), "call")
    keys = f"; {shown(', '.join(tool.arguments), MAX_ARGUMENTS)}" if tool.arguments else ""
    return f"{REASONS[tool.reason]}; {calls} in {count_text(tool.runs, 'run')}{keys}"
