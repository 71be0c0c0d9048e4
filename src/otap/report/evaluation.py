"""Many results as people read them: all in all, by task, and what was found most."""

from collections.abc import Sequence

from otap.evaluation import Summary
from otap.evaluation.results.summary import MEASURES
from otap.report.rendering import render_view
from otap.report.view import View


def evaluation_view(summary: Summary, faults: Sequence[str] = ()) -> View:
    """Returns what a person wants to know of many runs.

    Args:
        summary: the results.
        faults: what their gate says against them.
    """
    return render_view("evaluation.txt", summary=summary, faults=faults, measures=MEASURES)
