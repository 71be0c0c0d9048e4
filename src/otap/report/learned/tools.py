"""The tools of runs with their roles, as a table."""

from otap._numbers import count_text, number_text
from otap.errors import shown
from otap.learning import ToolRoles
from otap.learning.template import REASONS
from otap.report.view import Cell, Line, Table, View, line

MAX_TOOLS = 20  # rows of the table; --json has all
_NAMES = {"writes": "writes", "reads": "reads", "thinks": "thinks", "handoff": "hands over"}


def tools_view(roles: ToolRoles) -> View:
    """Returns the table of the tools with their roles."""
    rows = [
        [
            Cell(shown(tool.name)),
            Cell(", ".join(_NAMES[role] for role in tool.roles)),
            Cell(REASONS[tool.reason]),
            Cell(number_text(sum(tool.roles.values()))),
            Cell(number_text(tool.runs)),
            Cell(shown(", ".join(tool.arguments))),
        ]
        for tool in roles.tools[:MAX_TOOLS]
    ]
    counts = f"{count_text(len(roles.tools), 'tool')} in {count_text(roles.runs, 'run')}"
    view: list[Line | Table] = [line(counts, "bold")]
    if rows:
        view.append(Table(rows, ("tool", "role", "why", "calls", "runs", "arguments")))
    if len(roles.tools) > MAX_TOOLS:
        more = count_text(len(roles.tools) - MAX_TOOLS, "more tool")
        view.append(line(f"and {more}; --json lists all", "dim"))
    unclear = sum(tool.reason == "default" for tool in roles.tools)
    if unclear:
        have = "tool has its role" if unclear == 1 else "tools have their role"
        text = f"{number_text(unclear)} {have} by default: check these first"
        view.append(line(text, "yellow"))
    return view
