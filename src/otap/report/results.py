"""Many results, and two files of them compared, as people and CI systems read them."""

from collections.abc import Sequence

from markupsafe import Markup

from otap._numbers import ABSENT, difference_text
from otap._patterns import regex
from otap.errors import shown
from otap.evaluation import Summary
from otap.evaluation.comparison import Comparison
from otap.evaluation.comparison.comparison import Difference, TaskChange
from otap.evaluation.results.summary import MEASURES, Tally
from otap.report.flowcharts import reasons_flowchart
from otap.report.rendering import render_template, render_view
from otap.report.view import Line, View, plain

# What XML 1.0 cannot hold, escaped or not.
_NOT_XML = regex("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def evaluation_view(summary: Summary, faults: Sequence[str] = ()) -> View:
    """Returns what a person wants to know of many runs.

    Args:
        summary: the results.
        faults: what their gate says against them.
    """
    return render_view(
        "evaluation.txt", summary=summary, faults=faults, measures=MEASURES, means_of=_list_means
    )


def _list_means(tally: Tally) -> list[float | None]:
    return list(map(tally.mean, MEASURES))


def comparison_view(found: Comparison) -> View:
    """Returns everything that a person wants to know of a comparison: the verdict, then why."""
    words = {"ends": _word_ends, "finding": _word_finding, "interval": _word_interval}
    return render_view("comparison.txt", found=found, **words)


def evaluation_markdown(summary: Summary, faults: Sequence[str] = ()) -> str:
    """Returns many results as Markdown.

    Args:
        summary: the results.
        faults: what their gate says against them.
    """
    return _render_view(evaluation_view(summary, faults))


def comparison_markdown(found: Comparison) -> str:
    """Returns a comparison as Markdown, with a flowchart of why tasks moved."""
    return _render_view(comparison_view(found), reasons_flowchart(found.tasks))


def _render_view(view: View, chart: str | None = None) -> str:
    """Lines and tables: the first line is the title and what explains it; indented ones a list."""
    listed = [isinstance(part, Line) and part.margin.text != "" for part in view]
    drawn = chart and Markup(chart)
    return str(render_template("view.md", view=view, listed=listed, chart=drawn))


def comparison_junit(found: Comparison) -> str:
    """Returns a comparison as XML: a test case of the verdict, and one of each task that moved.

    Tasks that moved by no more than the tolerance have none. One that fell is a failure if the
    verdict is worse: in any other case tasks fall and rise by chance, and the report is not red.
    """
    score = found.everywhere.score
    moved = "" if score is None else f" ({_word_interval(score)})"
    text = render_template(
        "junit.xml",
        found=found,
        message=f"{found.verdict}: {found.reason}{moved}",
        text=plain(comparison_view(found)),
        tasks=[
            (one, _word_finding(one))
            for one in found.tasks
            if abs(one.difference) > found.tolerance
        ],
    )
    return _NOT_XML.sub("\ufffd", text) + "\n"


def _word_interval(one: Difference) -> str:
    """Returns a difference with its interval."""
    ends = _word_ends(one)
    moved = difference_text(one.difference)
    return f"{moved}, no interval" if ends == ABSENT else f"{moved}, {ends}"


def _word_finding(one: TaskChange) -> str:
    """Returns what is new in a task that fell, what is gone in one that rose."""
    if one.finding is None:
        return ABSENT
    return f"{'came' if one.difference < 0 else 'gone'}: {shown(one.finding, 160)}"


def _word_ends(one: Difference) -> str:
    if one.low is None or one.high is None:
        return ABSENT
    return f"{difference_text(one.low)} to {difference_text(one.high)}"
