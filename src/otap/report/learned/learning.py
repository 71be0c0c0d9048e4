"""What was learned: findings, the report card, what to mind; and as a picture what tools weigh."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from otap._numbers import brief_text, given_text
from otap.errors import shown
from otap.learning import Learned
from otap.learning.card import gain_text
from otap.learning.learned import ROLES, Tool
from otap.report.picture import BLACK, BLUE, GREY, RED, Picture
from otap.report.rendering import render_view
from otap.report.view import View

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TOOLS_DRAWN = 40  # those that the most runs call
_NAME = 40  # characters of a tool
_LEAST, _GREATEST = 0.003, 12.0  # weights beyond these are drawn at the edge


def learning_view(found: Learned) -> View:
    """Returns everything that a person wants to know of what was learned."""
    gain = gain_text(found.card.gain) if found.card is not None and found.card.gain else None
    return render_view("learning.txt", found=found, card=found.card, gain=gain, roles=ROLES)


def weights_picture(found: Learned) -> Picture:
    """Returns the picture of what tools weigh; one without any tool is empty but for its axis."""
    known = [tool for tool in found.tools if tool.weight is not None and tool.low is not None]
    tools = sorted(known[:TOOLS_DRAWN], key=lambda one: (one.weight or 0.0, one.name))
    return Picture(
        "What tools weigh",
        " ".join(map(_word_weight, reversed(tools))) or "No weight is known.",
        (8.0, 1.1 + 0.26 * max(1, len(tools))),
        lambda figure: _fill_figure(figure, found, tools),
    )


def _word_weight(tool: Tool) -> str:
    taken = ROLES[_main_role(tool)]
    changed = f", which was recognised as what {taken}" if tool.kept else ""
    return (
        f"{shown(tool.name, _NAME)} weighs {given_text(tool.weight)}, from"
        f" {brief_text(tool.low)} to {brief_text(tool.high)} by names and outcomes{changed}."
    )


def _main_role(tool: Tool) -> str:
    """What most calls of a tool were taken for."""
    return max(sorted(tool.recognised), key=lambda role: tool.recognised[role])


def _fill_figure(figure: "Figure", found: Learned, tools: Sequence[Tool]) -> None:
    axes = figure.add_subplot()
    for row, tool in enumerate(tools):
        _draw_tool(axes, row, tool, found)
    axes.set_xscale("log")
    axes.set_xlim(_LEAST, _GREATEST)
    axes.set_xticks([0.01, 0.05, 0.2, 1, 5], ["0.01", "0.05", "0.2", "1", "5"])
    axes.minorticks_off()
    axes.axvline(1, color=GREY, linestyle=":", linewidth=1)
    names = [f"{shown(tool.name, _NAME)} ({ROLES[_main_role(tool)]})" for tool in tools]
    axes.set_yticks(range(len(tools)), names)
    for tool, text in zip(tools, axes.get_yticklabels(), strict=True):
        text.set_fontweight("bold" if tool.kept else "normal")
    axes.set_xlabel(
        "weight of a call, an ordinary write weighing 1; lines: 95 % by names and outcomes\n"
        "circle: as recognised, in brackets as what; diamond: as learned"
    )
    axes.spines[["top", "right"]].set_visible(False)


def _draw_tool(axes: "Axes", row: int, tool: Tool, found: Learned) -> None:
    """The interval of a tool, and its weight: learned and recognised where these differ."""
    role = _main_role(tool)
    before = 1.0 if role == "writes" else float(getattr(found.config.counts, role))
    known = tool.low, tool.high, tool.weight, before
    low, high, weight, recognised = (min(max(one or 0.0, _LEAST), _GREATEST) for one in known)
    colour = RED if tool.kept else BLUE
    axes.plot([low, high], [row, row], color=colour, linewidth=3 if tool.kept else 1.5)
    if tool.kept:
        axes.plot(weight, row, marker="D", color=RED, markersize=7)
        arrow = {"arrowstyle": "->", "color": BLACK, "linestyle": ":"}
        axes.annotate("", (weight, row), (recognised, row), arrowprops=arrow)
        weight = recognised
    axes.plot(weight, row, marker="o", color=colour, markersize=6, markerfacecolor="white")
