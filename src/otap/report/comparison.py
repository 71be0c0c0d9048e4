"""Two result files compared, as people read it: the verdict first, then why."""

from otap._numbers import ABSENT, difference_text
from otap.errors import shown
from otap.evaluation.comparison import Comparison
from otap.evaluation.comparison.comparison import Difference, TaskChange
from otap.report.rendering import render_view
from otap.report.view import View


def comparison_view(found: Comparison) -> View:
    """Returns everything that a person wants to know of a comparison."""
    words = {"word_ends": _word_ends, "word_finding": word_finding, "word_interval": word_interval}
    return render_view("comparison.txt", found=found, **words)


def word_interval(one: Difference) -> str:
    """Returns a difference with its interval."""
    ends = _word_ends(one)
    moved = difference_text(one.difference)
    return f"{moved}, no interval" if ends == ABSENT else f"{moved}, {ends}"


def word_finding(one: TaskChange) -> str:
    """Returns what is new in a task that fell, what is gone in one that rose."""
    if one.finding is None:
        return ABSENT
    return f"{'came' if one.difference < 0 else 'gone'}: {shown(one.finding, 160)}"


def _word_ends(one: Difference) -> str:
    if one.low is None or one.high is None:
        return ABSENT
    return f"{difference_text(one.low)} to {difference_text(one.high)}"
