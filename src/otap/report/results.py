"""Shows the results of many runs, and comparisons of two result files, to people and CI systems."""

from collections.abc import Sequence
from itertools import pairwise

from markupsafe import Markup

from otap._numbers import ABSENT, difference_text
from otap._patterns import regex
from otap.errors import shown
from otap.evaluation import Summary
from otap.evaluation.comparison import Comparison
from otap.evaluation.comparison.differences import Difference, TaskChange
from otap.evaluation.results.summary import MEASURES, RunCounts
from otap.report.flowcharts import reasons_flowchart
from otap.report.rendering import render_template, render_view
from otap.report.view import View, ViewLine, plain

NAME = 60  # characters of a task's name
BEGINNING = 20  # of these, before the text that similar names share
# Characters that XML 1.0 cannot contain, even escaped.
_NOT_XML = regex("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def evaluation_view(summary: Summary, faults: Sequence[str] = (), results: str = "") -> View:
    """Returns the summary of many runs.

    Args:
        summary: the results.
        faults: the requirements of the gate that they do not meet.
        results: the file with the results, for the commands that accept findings; empty for none.
    """
    # A measure that no run has gets no column; without any score all have one.
    recorded = [measure for measure in MEASURES if summary.all.mean(measure) is not None]
    measures = recorded or list(MEASURES)

    def list_means(tally: RunCounts) -> list[float | None]:
        return [tally.mean(measure) for measure in measures]

    return render_view(
        "evaluation.txt",
        summary=summary,
        faults=faults,
        results=results,
        measures=measures,
        names=shorten_names([task for task in summary.tasks if task is not None]),
        list_means=list_means,
    )


def shorten_names(names: Sequence[str]) -> dict[str, str]:
    """Returns short forms of names, on one line, which differ where the names do.

    A name is cut at its end. If that makes it equal to its neighbour in alphabetical order, the
    text before the first difference is cut instead, except its beginning.
    """
    cut = {name: shown(name, NAME) for name in names}
    short = dict(cut)
    for first, second in pairwise(sorted(cut)):
        if cut[first] != cut[second]:
            continue
        pairs = enumerate(zip(first, second, strict=False))
        same = next((k for k, (a, b) in pairs if a != b), min(len(first), len(second)))
        start = first.rfind(" ", 0, same) + 1 or same
        for name in (first, second):
            short[name] = f"{shown(name[:BEGINNING], NAME)}…{shown(name[start:], NAME - BEGINNING)}"
    return short


def comparison_view(comparison: Comparison) -> View:
    """Returns a comparison of two result files: first the verdict, then its reasons."""
    return render_view(
        "comparison.txt",
        comparison=comparison,
        names=shorten_names([task.task for task in comparison.tasks]),
        word_bounds=_word_bounds,
        word_finding=_word_finding,
        word_interval=_word_interval,
    )


def evaluation_markdown(summary: Summary, faults: Sequence[str] = (), results: str = "") -> str:
    """Returns the summary of many runs as Markdown.

    Args:
        summary: the results.
        faults: the requirements of the gate that they do not meet.
        results: the file with the results, for the commands that accept findings; empty for none.
    """
    return _view_markdown(evaluation_view(summary, faults, results))


def comparison_markdown(comparison: Comparison) -> str:
    """Returns a comparison as Markdown, with a flowchart of why scores of tasks changed."""
    return _view_markdown(comparison_view(comparison), reasons_flowchart(comparison.tasks))


def _view_markdown(view: View, chart: str | None = None) -> str:
    """Returns a view as Markdown; its first line is the title, and indented lines form a list."""
    is_listed = [isinstance(part, ViewLine) and part.margin.text != "" for part in view]
    markup = chart and Markup(chart)
    return str(render_template("view.md", view=view, is_listed=is_listed, chart=markup))


def comparison_junit(comparison: Comparison) -> str:
    """Returns a comparison as JUnit XML: a test case for the verdict, and one for each task.

    Tasks whose score changed by the tolerance or less have no test case. A task that got worse is
    a failure only if the overall verdict is "worse"; otherwise the change may be chance.
    """
    score = comparison.everywhere.score
    interval = "" if score is None else f" ({_word_interval(score)})"
    text = render_template(
        "junit.xml",
        comparison=comparison,
        message=f"{comparison.verdict}: {comparison.reason}{interval}",
        text=plain(comparison_view(comparison)),
        tasks=[
            (task, _word_finding(task))
            for task in comparison.tasks
            if abs(task.difference) > comparison.tolerance
        ],
    )
    return _NOT_XML.sub("\ufffd", text) + "\n"


def _word_interval(difference: Difference) -> str:
    """Returns a difference with its interval."""
    bounds = _word_bounds(difference)
    mean = difference_text(difference.difference)
    return f"{mean}, no interval" if bounds == ABSENT else f"{mean}, {bounds}"


def _word_bounds(difference: Difference) -> str:
    if difference.low is None or difference.high is None:
        return ABSENT
    return f"{difference_text(difference.low)} to {difference_text(difference.high)}"


def _word_finding(task: TaskChange) -> str:
    """Returns the new finding of a task that got worse, or the former one of one that improved."""
    if task.finding is None:
        return ABSENT
    return f"{'new' if task.difference < 0 else 'gone'}: {shown(task.finding, 160)}"
