"""Where something is drawn, and how foreign text is written there."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from otap._numbers import count_text
from otap.errors import shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GREEN, SKY = "#009E73", "#56B4E9"  # besides those of ``report.picture``
LONGEST = 36  # characters of a label


def axes_of(axes: "Axes | None", width: float, height: float) -> "Axes":
    """Returns the axes that were given, else new ones of a size in inches."""
    if axes is not None:
        return axes
    from matplotlib import pyplot

    return pyplot.subplots(figsize=(width, height), layout="constrained")[1]


def written(text: object, limit: int = LONGEST) -> str:
    """Returns foreign text on one line, of which matplotlib makes no formula."""
    return shown(text, limit).replace("$", r"\$")


def bare(axes: "Axes", *sides: str) -> None:
    """Takes away the frame of axes, but for some sides."""
    for name, spine in axes.spines.items():
        spine.set_visible(name in sides)


def with_rest(title: str, found: Sequence[object], most: int, noun: str) -> str:
    """Returns a title, and how many are not drawn."""
    rest = len(found) - most
    return f"{title}; {count_text(rest, f'more {noun}')} not drawn" if rest > 0 else title
