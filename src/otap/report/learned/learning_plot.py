"""What tools weigh, as a picture: as recognised, and as outcomes say it, with intervals."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from otap._numbers import brief_text, given_text
from otap.errors import shown
from otap.learning import Learned
from otap.learning.learned import Tool
from otap.report.picture import BLACK, BLUE, GREY, RED, Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST = 40  # tools that are drawn: those that the most runs call
NAME = 40  # characters of one
LEAST, GREATEST = 0.003, 12.0  # weights beyond these are drawn at the edge
ROLES = {"writes": "writes", "reads": "reads", "thinks": "thinks", "hands_over": "hands over"}


def weights_picture(found: Learned) -> Picture:
    """Returns the picture of what tools weigh; one without any tool is empty but for its axis."""
    tools = sorted(_known(found.tools)[:MOST], key=lambda one: (one.weight or 0.0, one.name))
    return Picture(
        "What tools weigh",
        " ".join(map(_told, reversed(tools))) or "No weight is known.",
        (8.0, 1.1 + 0.26 * max(1, len(tools))),
        lambda figure: _fill(figure, found, tools),
    )


def _known(tools: Sequence[Tool]) -> list[Tool]:
    return [tool for tool in tools if tool.weight is not None and tool.low is not None]


def _told(tool: Tool) -> str:
    changed = f", which was recognised as what {_role(tool)}" if tool.kept else ""
    return (
        f"{shown(tool.name, NAME)} weighs {given_text(tool.weight)}, from"
        f" {brief_text(tool.low)} to {brief_text(tool.high)}"
        f" by names and outcomes{changed}."
    )


def _role(tool: Tool) -> str:
    """What most calls of a tool were taken for."""
    return ROLES[max(sorted(tool.recognised), key=lambda role: tool.recognised[role])]


def _fill(figure: "Figure", found: Learned, tools: Sequence[Tool]) -> None:
    axes = figure.add_subplot()
    for row, tool in enumerate(tools):
        _draw(axes, row, tool, found)
    axes.set_xscale("log")
    axes.set_xlim(LEAST, GREATEST)
    axes.set_xticks([0.01, 0.05, 0.2, 1, 5], ["0.01", "0.05", "0.2", "1", "5"])
    axes.minorticks_off()
    axes.axvline(1, color=GREY, linestyle=":", linewidth=1)
    names = [f"{shown(tool.name, NAME)} ({_role(tool)})" for tool in tools]
    axes.set_yticks(range(len(tools)), names)
    for tool, text in zip(tools, axes.get_yticklabels(), strict=True):
        text.set_fontweight("bold" if tool.kept else "normal")
    axes.set_xlabel(
        "weight of a call, an ordinary write weighing 1; lines: 95 % by names and outcomes\n"
        "circle: as recognised, in brackets as what; diamond: as learned"
    )
    axes.spines[["top", "right"]].set_visible(False)


def _draw(axes: "Axes", row: int, tool: Tool, found: Learned) -> None:
    """The interval of a tool, and its weight: learned and recognised where these differ."""
    assert tool.weight is not None
    assert tool.low is not None
    assert tool.high is not None
    colour = RED if tool.kept else BLUE
    low, high, weight = (_inside(one) for one in (tool.low, tool.high, tool.weight))
    axes.plot([low, high], [row, row], color=colour, linewidth=3 if tool.kept else 1.5)
    if tool.kept:
        axes.plot(weight, row, marker="D", color=RED, markersize=7)
        before = _inside(_recognised(tool, found))
        axes.annotate(
            "", (weight, row), (before, row),
            arrowprops={"arrowstyle": "->", "color": BLACK, "linestyle": ":"},
        )  # fmt: skip
        weight = before
    axes.plot(weight, row, marker="o", color=colour, markersize=6, markerfacecolor="white")


def _inside(weight: float) -> float:
    return min(max(weight, LEAST), GREATEST)


def _recognised(tool: Tool, found: Learned) -> float:
    """What a tool weighed before, by what most of its calls were taken for."""
    role = max(sorted(tool.recognised), key=lambda one: tool.recognised[one])
    return 1.0 if role == "writes" else float(getattr(found.config.counts, role))
