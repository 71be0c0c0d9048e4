"""Draws scores on axes of matplotlib, for notebooks and papers: ``pip install 'otap-eval[plot]'``.

>>> import otap.plot
>>> gold = otap.read("examples/hotel-booking/reference.json")
>>> result = otap.score(otap.read("examples/picture.json"), gold)
>>> otap.plot.loss(result).get_title(loc="left")
'Parts of the loss: score 0.702'
"""

from collections.abc import Iterable
from importlib.util import find_spec
from typing import TYPE_CHECKING

from otap.report.plots import draw_alignment, draw_coupling, draw_loss, draw_runs
from otap.scoring import Explanation, Score

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["alignment", "coupling", "loss", "runs"]

if find_spec("matplotlib") is None:
    raise ImportError("otap.plot needs matplotlib; install it with: pip install 'otap-eval[plot]'")


def alignment(result: Score | Explanation, axes: "Axes | None" = None) -> "Axes":
    """Draws the run beside its best reference, with matched steps and their differences.

    Args:
        result: a score or an explanation.
        axes: where to draw (default: a new figure).

    Raises:
        ConfigError: if the score was read from a file, because it lacks the run.
    """
    return draw_alignment(_explain(result).best, axes)


def coupling(result: Score | Explanation, axes: "Axes | None" = None) -> "Axes":
    """Draws how much of each step of the run is matched to each step of the best reference.

    Args:
        result: a score or an explanation.
        axes: where to draw (default: a new figure).

    Raises:
        ConfigError: if the score was read from a file, because it lacks the run.
    """
    return draw_coupling(_explain(result).best, axes)


def loss(result: Score | Explanation, axes: "Axes | None" = None) -> "Axes":
    """Draws the parts of the loss as a waterfall chart.

    Args:
        result: a score or an explanation.
        axes: where to draw (default: a new figure).
    """
    return draw_loss(result, axes)


def runs(results: Iterable[Score], axes: "Axes | None" = None) -> "Axes":
    """Draws the scores of many runs by task; markers show the worst finding of each run.

    Args:
        results: the scores.
        axes: where to draw (default: a new figure).
    """
    return draw_runs(list(results), axes)


def _explain(result: Score | Explanation) -> Explanation:
    return result.explain() if isinstance(result, Score) else result
