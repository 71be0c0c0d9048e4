"""Shows the tools of runs with their roles, a calibration, and selected references."""

from otap import _numbers
from otap._numbers import ABSENT, count_text, number_text, percent_text, plain_number_text
from otap.errors import shown
from otap.learning import ToolRoles
from otap.learning.calibration import Calibration
from otap.learning.selection import Selection
from otap.learning.template import REASONS
from otap.report.rendering import render_view
from otap.report.view import Cell, View, ViewLine, ViewTable, line

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
    view: list[ViewLine | ViewTable] = [line(counts, "bold")]
    if rows:
        view.append(ViewTable(rows, ("tool", "role", "why", "calls", "runs", "arguments")))
    if len(roles.tools) > MAX_TOOLS:
        more = count_text(len(roles.tools) - MAX_TOOLS, "more tool")
        view.append(line(f"and {more}; --json lists all", "dim"))
    unclear = sum(tool.reason == "default" for tool in roles.tools)
    if unclear:
        have = "tool has its role" if unclear == 1 else "tools have their role"
        text = f"{number_text(unclear)} {have} by default: check these first"
        view.append(line(text, "yellow"))
    return view


def calibration_view(calibration: Calibration) -> View:
    """Returns the threshold of a calibration, its guarantee, and the runs that it catches."""
    words = {"bound": _write_bound(calibration), "promise": _word_promise(calibration)}
    return render_view("calibration.txt", calibration=calibration, range=_write_range, **words)


def _write_bound(calibration: Calibration) -> str:
    """Returns the threshold with all its digits, which are few."""
    threshold = calibration.threshold
    text = ABSENT if threshold is None else _numbers.threshold_text(threshold)
    return calibration.severity or text


def _word_promise(calibration: Calibration) -> str:
    rate = f"{plain_number_text(100 * calibration.false_alarms)} %"
    alarm = "are below it"
    if calibration.on == "severity":
        alarm = "have such a finding or a worse one"
    scope = "on average over calibrations"
    if calibration.confidence is not None:
        scope = f"in {plain_number_text(100 * calibration.confidence)} % of calibrations"
    return f"at most {rate} of good runs of new tasks {alarm}, {scope}"


def _write_range(low: float, high: float) -> str:
    return f"{percent_text(low).removesuffix(' %')} to {percent_text(high)}"


def selection_view(selection: Selection, *, is_written: bool) -> View:
    """Returns the selected references of each task.

    Args:
        selection: the references.
        is_written: whether they are in a file already.
    """
    return render_view("selection.txt", selection=selection, is_written=is_written)
